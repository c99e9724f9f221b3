"""The list of classes that the guest writes, as values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from auditor.core.errors import SourceUnreadable
from auditor.core.subject import SourceFile
from mutators.java.descriptors import parameter_types
from mutators.java.types import JavaType

PUBLIC, PROTECTED, STATIC, FINAL = 0x0001, 0x0004, 0x0008, 0x0010
VARARGS, NATIVE, ABSTRACT, SYNTHETIC, ENUM = 0x0080, 0x0100, 0x0400, 0x1000, 0x4000


class ListingLine(msgspec.Struct, frozen=True):
    """One line of the list: a method, a module, a class, or something that could not be read.

    A line "class" is of one without methods, or one that only some JVMs have (META-INF/versions).
    """

    kind: str  # "method", "module" or "class"; other: what could not be read
    part: str = ""  # folder or jar that it is in
    owner: str = ""  # internal name of the class
    owner_access: int = 0  # access flags of the class
    above: tuple[str, ...] = ()  # internal names of what the class extends and implements
    source: str | None = None  # name of the class's source file; None: unknown
    name: str = ""  # of the method
    descriptor: str = ""  # of the method
    signature: str | None = None  # generic signature of the method; None: it has none
    access: int = 0  # access flags of the method
    nests: tuple[tuple[str, str | None, str | None, int], ...] = ()
    """The type and those around it, inside out: name, the outer one's name, its simple name,
    its access flags; the names are None for a type inside a method."""
    exports: tuple[str, ...] = ()  # packages that the module exports


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMethod:
    """A method as the class file has it.

    `types` are the parameters as in the source, `erased` as the JVM has them.
    """

    line: ListingLine
    owner: str
    types: tuple[JavaType, ...]
    erased: tuple[JavaType, ...]
    public: bool

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
    def in_record(self) -> bool:
        """Tell whether its type is a record."""
        return "java/lang/Record" in self.line.above


def read_listing(sources: Iterable[SourceFile]) -> tuple[ListedMethod, ...]:
    """Return the methods of all lists among `sources`; of two equal classes the first counts."""
    lines = _all_lines(sources)
    exports = {line.part: frozenset(line.exports) for line in lines if line.kind == "module"}
    methods = [line for line in lines if line.kind == "method" and _is_library_method(line)]
    access = {line.owner: line.owner_access for line in methods}
    first: dict[str, str] = {}
    return tuple(
        _make_listed_method(line, exports, access)
        for line in methods
        if first.setdefault(line.owner, line.part) == line.part
    )


def read_classes(sources: Iterable[SourceFile]) -> dict[str, tuple[str, ...]]:
    """Return what each class extends and implements, by its internal name."""
    return {
        line.owner: line.above
        for line in _all_lines(sources)
        if line.kind == "class" or (line.kind == "method" and _is_library_method(line))
    }


def _all_lines(sources: Iterable[SourceFile]) -> list[ListingLine]:
    return [
        line for source in sources if source.path.endswith(".jsonl") for line in _read_lines(source)
    ]


def _read_lines(source: SourceFile) -> Iterator[ListingLine]:
    decoder = msgspec.json.Decoder(ListingLine)
    for number, text in enumerate(source.text.splitlines(), 1):
        try:
            yield decoder.decode(text)
        except msgspec.MsgspecError as error:
            raise SourceUnreadable(f"{source.path}, line {number}: {error}") from error


def _is_library_method(line: ListingLine) -> bool:
    """Leave out static initialisers, and what JMH generates beside benchmarks."""
    generated = "/jmh_generated/" in line.owner or line.owner.startswith("jmh_generated/")
    return line.name != "<clinit>" and not generated


def _make_listed_method(
    line: ListingLine, exports: Mapping[str, frozenset[str]], access: Mapping[str, int]
) -> ListedMethod:
    erased = parameter_types(line.descriptor)
    types = (
        parameter_types(line.signature)
        if line.signature
        else _drop_compiler_parameters(line, erased)
    )
    package = line.owner.rpartition("/")[0]
    exported = line.part not in exports or package in exports[line.part]
    return ListedMethod(
        line=line,
        owner=_format_type_name(line),
        types=types,
        erased=erased,
        public=exported and _member_visible(line) and _type_visible(line, access),
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


def _member_visible(line: ListingLine) -> bool:
    extensible = not line.owner_access & FINAL
    return bool(line.access & PUBLIC or (line.access & PROTECTED and extensible))


def _type_visible(line: ListingLine, access: Mapping[str, int]) -> bool:
    outermost = line.owner
    for _, outer, simple, flags in line.nests:
        if outer is None or simple is None or not flags & (PUBLIC | PROTECTED):
            return False
        outermost = outer
    return bool(access.get(outermost, PUBLIC) & PUBLIC)
