"""What types of a library say of its methods: real owners, own fields, and who can call them."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from tree_sitter import Node

from auditor.core.subject import SourceFile
from mutators.go import tree
from mutators.go.interfaces import (
    Interface,
    PackageTypes,
    Signature,
    list_implementing_methods,
    read_interface,
    read_signature,
)
from mutators.go.lint_rules import syntax

_FUNCTION = ""
"""Stands for the functions of a package where a type could be named."""
_DECLARING = re.compile(rb"^(?:func|type|(?:var |const |\t)[A-Z])", re.MULTILINE)
"""What files have that are parsed: there are tables of megabytes without any of these."""
_DEFINITIONS = frozenset({"type_declaration", "var_declaration", "const_declaration"})


@dataclass(frozen=True, slots=True)
class DeclaredTypes:
    """The types of some packages; a type is written `unit.Name`."""

    own_fields: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By struct: the fields that hold one of its kind, or point to it."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """By alias: the name of the type that it means, without the unit."""
    offered: frozenset[str] = frozenset()
    """Unexported types whose values clients get from functions, fields, variables or embedding."""
    shadowed: frozenset[str] = frozenset()
    """Methods (`unit.Name.Method`) of such types that all types shadow which embed these."""
    implementing: frozenset[str] = frozenset()
    """Methods (`unit.Name.Method`) by which unexported types implement exported interfaces."""

    def resolve_owner(self, unit: str, owner: str) -> str:
        """Return the name of a receiver's type; two aliases at most lead there."""
        target = self.aliases.get(f"{unit}.{owner}", owner)
        return self.aliases.get(f"{unit}.{target}", target)


@dataclass(slots=True)
class _FileTypes:
    """What a file says of types; names have no unit."""

    own_fields: dict[str, frozenset[str]] = field(default_factory=dict)  # by struct
    aliases: dict[str, str] = field(default_factory=dict)  # type by alias
    exposed: list[tuple[str, str]] = field(default_factory=list)
    """(type, or `_FUNCTION`; name of a type that who has it gets)."""
    embedded: list[tuple[str, str]] = field(default_factory=list)  # (struct, type in it)
    members: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By type: the names of its methods and fields."""
    methods: dict[str, dict[str, Signature]] = field(default_factory=lambda: defaultdict(dict))
    """By type: its methods."""
    interfaces: dict[str, Interface] = field(default_factory=dict)  # by name


def find_declared_types(sources: Iterable[SourceFile]) -> DeclaredTypes:
    """Return what all files of a package say together: a method's type may be in another file."""
    fields: dict[str, frozenset[str]] = {}
    aliases: dict[str, str] = {}
    packages: dict[str, _FileTypes] = defaultdict(_FileTypes)
    for source in sources:
        if _DECLARING.search(source.text):
            file = _read_file_types(source.text)
            fields |= {f"{source.unit}.{name}": names for name, names in file.own_fields.items()}
            aliases |= {f"{source.unit}.{name}": target for name, target in file.aliases.items()}
            package = packages[source.unit]
            package.exposed += file.exposed
            package.embedded += file.embedded
            package.interfaces |= file.interfaces
            for name, methods in file.methods.items():
                package.methods[name] |= methods
            for name, members in file.members.items():
                package.members[name] |= members
    offered, shadowed = set(), set()
    for unit, package in packages.items():
        names = _find_offered_types([*package.exposed, *package.embedded])
        offered |= {f"{unit}.{name}" for name in names}
        shadowed |= {f"{unit}.{name}" for name in _find_shadowed_methods(package, names)}
    implementing = frozenset(
        list_implementing_methods(
            {
                unit: PackageTypes(package.interfaces, package.methods, package.embedded)
                for unit, package in packages.items()
            }
        )
    )
    return DeclaredTypes(fields, aliases, frozenset(offered), frozenset(shadowed), implementing)


def _find_offered_types(exposed: Iterable[tuple[str, str]]) -> set[str]:
    """Return the unexported types that exported names lead to, over others if need be."""
    names_by_holder: dict[str, set[str]] = defaultdict(set)
    for holder, name in exposed:
        names_by_holder[holder].add(name)
    pending = [name for name in names_by_holder if _is_open(name)]
    offered: set[str] = set()
    while pending:
        names = names_by_holder[pending.pop()] - offered
        new = {name for name in names if not name[:1].isupper()}
        offered |= new
        pending += new
    return offered


def _find_shadowed_methods(package: _FileTypes, offered: Collection[str]) -> Iterator[str]:
    """Yield the methods of offered types that each type shadows by which clients get these.

    `offered` are types that `_find_offered_types` returns.
    """
    direct = {name for holder, name in package.exposed if holder in offered or _is_open(holder)}
    holders: dict[str, set[str]] = defaultdict(set)
    for holder, name in package.embedded:
        if holder in offered or _is_open(holder):
            holders[name].add(holder)

    def is_promoted(name: str, method: str, below: frozenset[str]) -> bool:
        return name in direct or any(
            method not in package.members[holder]
            and (_is_open(holder) or is_promoted(holder, method, below | {name}))
            for holder in holders[name] - below
        )

    for name in offered:
        for method in package.members[name]:
            if not is_promoted(name, method, frozenset((name,))):
                yield f"{name}.{method}"


def _is_open(holder: str) -> bool:
    """Tell whether clients have a type without another one: it is exported, or a function."""
    return holder == _FUNCTION or holder[:1].isupper()


@lru_cache(maxsize=4096)
def _read_file_types(text: bytes) -> _FileTypes:
    """Return the types of a file; a type inside of a function has no methods."""
    file = _FileTypes()
    for declaration in tree.parse_source(text).named_children:
        if declaration.type in _DEFINITIONS:
            for spec in _list_specs(declaration):
                _add_spec(file, spec)
        elif declaration.type in ("function_declaration", "method_declaration"):
            _, owner = tree.read_receiver(declaration)
            name = tree.read_text(declaration.child_by_field_name("name"))
            file.members[owner].add(name)
            file.methods[owner][name] = read_signature(declaration)
            if _has_exported_name(declaration):
                result = declaration.child_by_field_name("result")
                file.exposed += [(owner or _FUNCTION, name) for name in _list_type_names(result)]
    return file


def _list_specs(declaration: Node) -> Iterator[Node]:
    for child in declaration.named_children:
        yield from child.named_children if child.type == "var_spec_list" else (child,)


def _add_spec(file: _FileTypes, spec: Node) -> None:
    """Add a type, an alias, or a variable or constant."""
    declared = spec.child_by_field_name("type")
    name = tree.read_text(spec.child_by_field_name("name"))
    if spec.type == "type_alias":
        file.aliases[name] = tree.type_name(declared)
        file.exposed += [(name, type_name) for type_name in _list_type_names(declared)]
    elif spec.type == "type_spec":
        file.exposed += [(name, type_name) for type_name in _list_exposed_types(declared)]
        if declared is not None and declared.type == "struct_type":
            file.own_fields[name] = frozenset(_list_owner_fields(declared, name))
            _add_fields(file, declared, name)
        elif declared is not None and declared.type == "interface_type":
            file.interfaces[name] = read_interface(declared)
    elif _has_exported_name(spec):
        literals = [
            node.child_by_field_name("type")
            for node in syntax.walk_nodes(spec, frozenset({"literal_value", "func_literal"}))
            if node.type == "composite_literal"
        ]
        for node in (declared, *literals):
            file.exposed += [(_FUNCTION, type_name) for type_name in _list_type_names(node)]


def _has_exported_name(node: Node) -> bool:
    names = node.children_by_field_name("name")
    return any(tree.read_text(name)[:1].isupper() for name in names)


def _list_exposed_types(declared: Node | None) -> Iterator[str]:
    """Yield the types of what is exported in a type; what a struct embeds is no such type.

    A type that is defined as another named type has none of its methods.
    """
    if declared is None or declared.type in ("type_identifier", "generic_type"):
        return
    if declared.type != "struct_type":
        yield from _list_type_names(declared)
        return
    for struct_field in _list_fields(declared):
        if _has_exported_name(struct_field):
            yield from _list_type_names(struct_field.child_by_field_name("type"))


def _add_fields(file: _FileTypes, struct: Node, owner: str) -> None:
    """Add what a struct embeds, and the names of its fields."""
    for struct_field in _list_fields(struct):
        names = struct_field.children_by_field_name("name")
        file.members[owner].update(map(tree.read_text, names))
        if not names:
            types = _list_type_names(struct_field.child_by_field_name("type"))
            file.embedded += [(owner, type_name) for type_name in types]


def _list_type_names(node: Node | None) -> Iterator[str]:
    """Yield the names of types of the package in a type, but for what functions take.

    Nobody outside of the package can write a function that takes an unexported type.
    """
    pending = [node] if node is not None else []
    while pending:
        inner_node = pending.pop()
        if inner_node.type == "type_identifier":
            yield tree.read_text(inner_node)
        elif inner_node.type == "method_elem" and not _has_exported_name(inner_node):
            continue
        elif inner_node.type != "qualified_type":
            parameters = inner_node.child_by_field_name("parameters")
            pending += [child for child in inner_node.named_children if child != parameters]


def _list_fields(struct: Node) -> Iterator[Node]:
    for field_list in struct.named_children:
        for child in field_list.named_children:
            if child.type == "field_declaration":
                yield child


def _list_owner_fields(struct: Node, owner: str) -> Iterator[str]:
    for struct_field in _list_fields(struct):
        if _has_owner_type(struct_field, owner):
            yield from map(tree.read_text, struct_field.children_by_field_name("name"))


def _has_owner_type(struct_field: Node, owner: str) -> bool:
    declared = struct_field.child_by_field_name("type")
    if declared is None or declared.type not in ("pointer_type", "type_identifier", "generic_type"):
        return False
    return tree.type_name(declared) == owner
