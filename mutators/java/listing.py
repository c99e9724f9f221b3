"""The list of classes that the guest writes, as values."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from auditor.core.errors import SourceUnreadable
from auditor.core.subject import SourceFile
from mutators.java.class_lines import ENUM, PRIVATE, STATIC, ListingLine
from mutators.java.descriptors import parameter_types
from mutators.java.types import JavaType
from mutators.java.visibility import PublicApi, find_public_api


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMethod:
    """A method as the class file has it."""

    line: ListingLine  # what the list has
    owner: str  # its type, as people write it
    types: tuple[JavaType, ...]  # parameters as in the source
    erased: tuple[JavaType, ...]  # parameters as the JVM has them
    public: bool  # whether clients can call it
    heir: str
    """The type by which clients call it: its own, or a visible one that inherits it."""

    @property
    def base_id(self) -> str:
        """Return the id without parameter types."""
        return f"{self.owner}.{self.line.name}"

    @property
    def full_descriptor(self) -> str:
        """Return what the agent knows the method by."""
        return f"{self.line.owner}.{self.line.name}{self.line.descriptor}"

    @property
    def is_enum_lookup(self) -> bool:
        """Tell whether it is `values()` or `valueOf(String)` of an enum, by the compiler."""
        type_ = f"L{self.line.owner};"
        return bool(
            self.line.owner_access & ENUM
        ) and f"{self.line.name}{self.line.descriptor}" in {
            f"values()[{type_}",
            f"valueOf(Ljava/lang/String;){type_}",
        }

    @property
    def in_private_type(self) -> bool:
        """Tell whether its type, or one around that, is private."""
        return any(flags & PRIVATE for *_, flags in self.line.nests)

    @property
    def in_record(self) -> bool:
        """Tell whether its type is a record."""
        return "java/lang/Record" in self.line.above


def read_listing(sources: Iterable[SourceFile]) -> tuple[ListedMethod, ...]:
    """Return the methods of all lists among `sources`; of two equal classes the first counts."""
    lines = _all_lines(sources)
    exports = {line.part: frozenset(line.exports) for line in lines if line.kind == "module"}
    first: dict[str, str] = {}
    methods = [
        line
        for line in lines
        if line.kind == "method" and first.setdefault(line.owner, line.part) == line.part
    ]
    api = find_public_api(methods, [line for line in lines if line.kind == "class"], exports)
    return tuple(_make_listed_method(line, api) for line in methods if line.name != "<clinit>")


def read_classes(sources: Iterable[SourceFile]) -> dict[str, tuple[str, ...]]:
    """Return what each class extends and implements, by its internal name."""
    return {
        line.owner: line.above for line in _all_lines(sources) if line.kind in {"class", "method"}
    }


def read_hidden_types(sources: Iterable[SourceFile]) -> frozenset[str]:
    """Return the types that no other source file can name: private ones, those inside methods.

    They are written as in `erased`, with dots only.
    """
    return frozenset(
        line.owner.replace("/", ".").replace("$", ".")
        for line in _all_lines(sources)
        if any(
            outer is None or simple is None or flags & PRIVATE
            for _, outer, simple, flags in line.nests
        )
    )


def _all_lines(sources: Iterable[SourceFile]) -> list[ListingLine]:
    """Return the lines of all lists, but for what JMH generates beside benchmarks."""
    return [
        line
        for source in sources
        if source.path.endswith(".jsonl")
        for line in _read_lines(source)
        if "/jmh_generated/" not in f"/{line.owner}"
    ]


def _read_lines(source: SourceFile) -> Iterator[ListingLine]:
    decoder = msgspec.json.Decoder(ListingLine)
    for number, text in enumerate(source.text.splitlines(), 1):
        try:
            yield decoder.decode(text)
        except msgspec.MsgspecError as error:
            raise SourceUnreadable(f"{source.path}, line {number}: {error}") from error


def _make_listed_method(line: ListingLine, api: PublicApi) -> ListedMethod:
    erased = parameter_types(line.descriptor)
    types = (
        parameter_types(line.signature)
        if line.signature
        else _drop_compiler_parameters(line, erased)
    )
    heir = api.find_heir(line)
    return ListedMethod(
        line=line,
        owner=_format_type_name(line),
        types=types,
        erased=erased,
        public=heir is not None,
        heir=_format_type_name(heir or line),
    )


def _drop_compiler_parameters(
    line: ListingLine, erased: Sequence[JavaType]
) -> tuple[JavaType, ...]:
    """Drop the parameters that the compiler puts before those of some constructors."""
    if line.name != "<init>":
        return tuple(erased)
    if line.owner_access & ENUM:
        return tuple(erased[2:])
    inner = line.nests and line.nests[0][1] and not line.nests[0][3] & STATIC
    return tuple(erased[1:] if inner else erased)


def _format_type_name(line: ListingLine) -> str:
    """Return the type's name as people write it; types inside methods keep their `$`."""
    name = line.owner
    for inner, outer, simple, _ in line.nests:
        if outer is None or simple is None:
            break
        name = name.replace(inner, f"{outer}.{simple}", 1)
    return name.replace("/", ".")
