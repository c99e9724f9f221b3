"""The list of classes that the guest writes, as values, and which of them are public API."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from auditor.core.errors import SourceUnreadable
from auditor.core.subject import SourceFile
from mutators.java.descriptors import PRIMITIVES, parameter_types
from mutators.java.types import JavaType

PUBLIC, PRIVATE, PROTECTED, STATIC, FINAL = 0x0001, 0x0002, 0x0004, 0x0008, 0x0010
NATIVE, INTERFACE, ABSTRACT, SYNTHETIC, ENUM = 0x0100, 0x0200, 0x0400, 0x1000, 0x4000


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


_Types = Mapping[str, ListingLine]
"""A line of each type, by the internal name of the type."""


@dataclass(frozen=True, slots=True)
class PublicApi:
    """The types that clients can name, and what these inherit from types that clients cannot."""

    visible: _Types
    heirs: Mapping[ListingLine, ListingLine]
    """By a method of a hidden type, a visible type that inherits it."""

    def find_heir(self, line: ListingLine) -> ListingLine | None:
        """Return a line of the type by which clients call a method, None where they cannot."""
        if line.owner in self.visible:
            return line if _is_member_visible(line, line) else None
        return self.heirs.get(line)


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
    api = _find_public_api(methods, [line for line in lines if line.kind == "class"], exports)
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


def _find_public_api(
    methods: Sequence[ListingLine],
    empty_types: Iterable[ListingLine],
    exports: Mapping[str, frozenset[str]],
) -> PublicApi:
    """Return what clients can call; `exports` are the packages of each part with a module."""
    types: dict[str, ListingLine] = {}
    for line in (*methods, *empty_types):
        types.setdefault(line.owner, line)
    members: dict[str, list[ListingLine]] = {}
    for line in methods:
        members.setdefault(line.owner, []).append(line)
    visible = _find_visible_types(types, exports)
    return PublicApi(visible, _find_heirs(visible, types, members))


def _find_visible_types(types: _Types, exports: Mapping[str, frozenset[str]]) -> _Types:
    """Return the visible types; those inside a hidden type are visible if it has a visible heir."""
    extended: set[str] = set()
    hidden = {
        owner: line
        for owner, line in types.items()
        if line.part not in exports or owner.rpartition("/")[0] in exports[line.part]
    }
    visible: dict[str, ListingLine] = {}
    while new := {
        owner: line for owner, line in hidden.items() if _is_visible(line, types, extended)
    }:
        visible |= new
        extended.update(ancestor for owner in new for ancestor in _list_ancestors(owner, types))
        hidden = {owner: line for owner, line in hidden.items() if owner not in new}
    return visible


def _is_visible(line: ListingLine, types: _Types, extended: set[str]) -> bool:
    outermost = line.owner
    for _, outer, simple, flags in line.nests:
        if outer is None or simple is None or not flags & (PUBLIC | PROTECTED):
            return False
        if outer in extended:
            return True
        outermost = outer
    return outermost not in types or bool(types[outermost].owner_access & PUBLIC)


def _list_ancestors(owner: str, types: _Types) -> list[str]:
    """Return the library's types that a type inherits from, in the order of the JVM's search."""
    classes: list[str] = []
    interfaces: list[str] = []
    name = owner
    while name in types and name not in classes:
        classes.append(name)
        parent, *own_interfaces = types[name].above or ("",)
        interfaces += own_interfaces
        name = parent
    for interface in interfaces:
        above = types[interface].above[1:] if interface in types else ()
        interfaces += [name for name in above if name not in interfaces]
    return [*classes[1:], *(name for name in dict.fromkeys(interfaces) if name in types)]


def _find_heirs(
    visible: _Types, types: _Types, members: Mapping[str, Sequence[ListingLine]]
) -> dict[ListingLine, ListingLine]:
    """Return who inherits the methods of hidden types; a class without `abstract` comes first."""
    heirs: dict[ListingLine, ListingLine] = {}
    for heir in sorted(visible.values(), key=lambda line: bool(line.owner_access & ABSTRACT)):
        ancestors = _list_ancestors(heir.owner, types)
        if not visible.keys() >= set(ancestors):
            for line in _list_inherited(heir, ancestors, members):
                heirs.setdefault(line, heir)
    return heirs


def _list_inherited(
    heir: ListingLine, ancestors: Iterable[str], members: Mapping[str, Sequence[ListingLine]]
) -> list[ListingLine]:
    """Return the methods that clients can call by a type: its own and those it inherits."""
    inherited: list[ListingLine] = []
    nearer: dict[str, list[ListingLine]] = {}
    for owner in (heir.owner, *ancestors):
        new = [
            line
            for line in members.get(owner, ())
            if _is_inherited(line)
            and _is_member_visible(line, heir)
            and not any(_overrides(override, line) for override in nearer.get(line.name, ()))
        ]
        for line in new:
            nearer.setdefault(line.name, []).append(line)
        inherited += new
    return inherited


def _overrides(override: ListingLine, line: ListingLine) -> bool:
    """Tell whether a method of a subtype replaces one of its name: for `T` it has any class."""
    new_types = parameter_types(override.descriptor)
    erased = parameter_types(line.descriptor)
    declared = parameter_types(line.signature or line.descriptor)
    return len(new_types) == len(erased) == len(declared) and all(
        new == plain or (variable.raw_name != plain.raw_name and new.raw_name not in PRIMITIVES)
        for new, plain, variable in zip(new_types, erased, declared, strict=True)
    )


def _is_inherited(line: ListingLine) -> bool:
    """Tell whether subtypes have a method: no constructor, and no static one of an interface."""
    of_interface = line.owner_access & INTERFACE and line.access & STATIC
    return line.name not in {"<init>", "<clinit>"} and not of_interface


def _is_member_visible(line: ListingLine, heir: ListingLine) -> bool:
    extensible = not heir.owner_access & FINAL
    return bool(line.access & PUBLIC or (line.access & PROTECTED and extensible))
