"""Finds the methods of a Java library, and says to the agent what to weave into them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from auditor.core.mutant import Overlay, OverlayRefusal, Variant, VariantKind
from auditor.core.subject import Language, Method, SourceFile
from mutators.java.descriptors import parameter_types
from mutators.java.listing import (
    ABSTRACT,
    NATIVE,
    SYNTHETIC,
    ListedMethod,
    read_classes,
    read_listing,
)
from mutators.java.spans import SourceFacts, find_spans
from mutators.java.types import JavaType, NotAType, parse_type, split_list


class JavaMutator:
    """The mutator for everything that runs as byte code and is listed by the guest."""

    turn_seconds = 9e-9
    probe_seconds = 10e-9
    comment_prefix = b"//"

    def find_methods(self, sources: Sequence[SourceFile]) -> Sequence[Method]:
        """Return the methods in the order of the class path, those without a body included."""
        listed_methods = read_listing(sources)
        ids = _make_unique_ids(listed_methods)
        facts = _match_sources(listed_methods, sources)
        return [
            _make_method(*method_facts)
            for method_facts in zip(listed_methods, ids, facts, strict=True)
        ]

    def list_method_texts(self, sources: Sequence[SourceFile]) -> Mapping[str, str]:  # noqa: ARG002
        """Return nothing: in this language the lines say all."""
        return {}

    def matches_name(self, method_name: str, method: Method) -> bool:
        """Tell whether a name as people write it means this method."""
        return matches_method(method_name, method)

    def build_overlay(
        self,
        sources: Sequence[SourceFile],
        variant: Variant,
    ) -> Overlay | OverlayRefusal:
        """Return the agent's instructions; a method's token is its place in the variant."""
        if variant.kind is VariantKind.TRACED:
            return _build_tracing_overlay(sources, variant)
        if variant.kind is VariantKind.PROFILED:
            return Overlay()  # the JVM's arguments keep its methods out of line
        for method in variant.methods:
            if method.refusal is not None:
                return OverlayRefusal(method.refusal)
        if variant.kind is VariantKind.COUNTING:
            counts = (
                f"count\t{index}\t{variant_method.descriptor}"
                for index, variant_method in enumerate(variant.methods)
            )
            return Overlay(instructions=(*counts, *_list_library(sources)))
        if variant.kind is VariantKind.DELAYED:
            guard_mode = "guarded" if variant.guarded else "free"
            delays = (
                f"delay\t{index}\t{guard_mode}\t{variant_method.descriptor}"
                for index, variant_method in enumerate(variant.methods)
            )
            return Overlay(instructions=tuple(delays))
        return Overlay()


def _build_tracing_overlay(sources: Sequence[SourceFile], variant: Variant) -> Overlay:
    """Return the agent's instructions: the methods, and the classes whose calls are from inside."""
    methods = (
        f"{'trace' if method.refusal is None else 'declared'}\t{index}\t{method.descriptor}"
        for index, method in enumerate(variant.methods)
    )
    return Overlay(instructions=(*methods, *_list_library(sources)))


def _list_library(sources: Sequence[SourceFile]) -> Iterator[str]:
    """Yield an instruction for each class of the library, with what it extends and implements."""
    for owner, above in read_classes(sources).items():
        yield "\t".join(("library", owner, *filter(None, (",".join(above),))))


def _make_unique_ids(methods: Sequence[ListedMethod]) -> list[str]:
    """Return names that are as short as they can be and still unique."""
    bases = Counter(method.base_id for method in methods)
    simple = [
        f"{method.base_id}({','.join(type_.simple_name for type_ in method.types)})"
        for method in methods
    ]
    id_counts = Counter(simple)
    return [
        listed_method.base_id
        if bases[listed_method.base_id] == 1
        else short
        if id_counts[short] == 1
        else f"{listed_method.base_id}({','.join(type_.raw_name for type_ in listed_method.types)})"
        for listed_method, short in zip(methods, simple, strict=True)
    ]


def _match_sources(
    methods: Sequence[ListedMethod], sources: Sequence[SourceFile]
) -> list[SourceFacts]:
    """Return the facts about each method; a declaration never belongs to a lookup of an enum."""
    keys = [
        (method.owner, method.line.name, tuple(type_.simple_name for type_ in method.types))
        for method in methods
    ]
    declared = [key for key, method in zip(keys, methods, strict=True) if not method.is_enum_lookup]
    facts = iter(find_spans(sources).match_methods(declared))
    return [SourceFacts() if method.is_enum_lookup else next(facts) for method in methods]


def _make_method(method: ListedMethod, name: str, facts: SourceFacts) -> Method:
    # Constructors that the compiler adds to classes run the initialisers of fields: clients call
    # code of the library by them. Its members of enums and records have no such code.
    in_header = method.is_enum_lookup or (method.in_record and facts.undeclared)
    implicit = method.line.name == "<init>" and facts.undeclared
    compiled = in_header or implicit or method.line.access & SYNTHETIC
    return Method(
        language=Language.JAVA,
        id=name,
        owner=method.owner,
        name=method.line.name,
        parameters=tuple(map(str, method.types)),
        descriptor=method.full_descriptor,
        public=method.public and not in_header,
        span=facts.span,
        refusal=_explain_refusal(method),
        trivial=("the compiler made it" if compiled else None)
        or ("it is abstract" if method.line.access & ABSTRACT else None)
        or facts.trivial,
    )


def _explain_refusal(method: ListedMethod) -> str | None:
    if method.line.access & ABSTRACT:
        return "it is abstract: there is no body to slow down"
    if method.line.access & NATIVE:
        return "it is native: there is no byte code to slow down"
    return None


def matches_method(method_name: str, method: Method) -> bool:
    """Tell whether `method_name` means `method`.

    It is `package.Type.method` or an end of it, with or without parameter types; these may be
    qualified or simple, generic or raw, and as erased. `Type.Type` and `Type.<init>` are
    constructors. The JVM's own name (`package/Type.method(I)V`) is understood too.
    """
    if method_name == method.descriptor:
        return True
    name, opened, rest = method_name.strip().partition("(")
    plain = _normalise_name(name)
    if not any(
        full_name == plain or full_name.endswith(f".{plain}")
        for full_name in _list_method_names(method)
    ):
        return False
    if not opened:
        return True
    if not rest.rstrip().endswith(")"):
        return False
    return _same_types(rest.rstrip()[:-1], method)


def _normalise_name(name: str) -> str:
    dotted = name.strip().replace("::", ".").replace("#", ".").replace("$", ".")
    return dotted.replace(".new", ".<init>") if dotted.endswith(".new") else dotted


def _list_method_names(method: Method) -> set[str]:
    owner = _normalise_name(method.owner)
    names = {f"{owner}.{method.name}"}
    if method.name == "<init>":
        names.add(f"{owner}.{owner.rpartition('.')[2]}")
    return names


def _same_types(text: str, method: Method) -> bool:
    try:
        query_types = [parse_type(part) for part in split_list(text)]
        declared_types = [parse_type(part) for part in method.parameters]
    except NotAType:
        return False
    erased = parameter_types(method.descriptor)
    return _accept_types(declared_types, query_types) or _accept_types(erased, query_types)


def _accept_types(
    declared_types: list[JavaType] | tuple[JavaType, ...], query_types: list[JavaType]
) -> bool:
    return len(declared_types) == len(query_types) and all(
        type_.accepts_type(query_type)
        for type_, query_type in zip(declared_types, query_types, strict=True)
    )
