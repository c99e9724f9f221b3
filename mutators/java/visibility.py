"""Which methods clients of a library can call: those of visible types, and what these inherit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mutators.java.class_lines import (
    ABSTRACT,
    FINAL,
    INTERFACE,
    PROTECTED,
    PUBLIC,
    STATIC,
    ListingLine,
)
from mutators.java.descriptors import PRIMITIVES, parameter_types

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


def find_public_api(
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
