"""The types, methods, fields and annotations that a Java file declares."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from tree_sitter import Node

from auditor.core.subject import Span
from mutators.java.lint_rules.tree import (
    find_first_line,
    list_children,
    read_simple_type,
    read_text,
    strip_wrappers,
)
from mutators.java.lint_rules.tree import read_part_text as part

_TYPES = frozenset(
    {"class_declaration", "interface_declaration", "enum_declaration", "record_declaration"}
)
_BODIES = frozenset({"class_body", "interface_body", "enum_body", "enum_body_declarations"})
_PARAMETERS = frozenset({"formal_parameter", "spread_parameter"})


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation; a value without a key has the key `value`."""

    name: str
    node: Node
    values: dict[str, Node]

    def list_values(self, key: str = "value") -> list[Node]:
        """Return the expressions that are given for a key, one or in braces."""
        node = self.values.get(key)
        if node is None:
            return []
        return list_children(node) if node.type == "element_value_array_initializer" else [node]

    def list_words(self, key: str = "value") -> list[str]:
        """Return the last names of what is given for a key: `Invocation` of `Level.Invocation`."""
        return [read_text(node).rpartition(".")[2].strip() for node in self.list_values(key)]


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A field."""

    owner: "TypeDeclaration"  # type that declares it
    name: str  # of the field
    type: str  # simple name of its type
    node: Node  # its declaration
    value: Node | None  # initialiser; None: there is none
    modifiers: frozenset[str]  # such as "final"
    annotations: tuple[Annotation, ...]  # of its declaration

    @property
    def is_final(self) -> bool:
        """Tell whether it is never assigned again."""
        return "final" in self.modifiers

    @property
    def is_static(self) -> bool:
        """Tell whether it is the class's."""
        return "static" in self.modifiers


@dataclass(frozen=True, eq=False)
class JavaMethod:
    """A method with its owner; `parameters` are pairs of a type and a name."""

    name: str
    node: Node
    owner: "TypeDeclaration"
    annotations: tuple[Annotation, ...]
    modifiers: frozenset[str]

    @cached_property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Return types and names of the parameters."""
        parameter_nodes = list_children(self.node.child_by_field_name("parameters"))
        return tuple(_read_parameter(node) for node in parameter_nodes if node.type in _PARAMETERS)

    @property
    def result_type(self) -> str:
        """Return the simple name of the type of its result."""
        return read_simple_type(self.node.child_by_field_name("type"))

    @property
    def body(self) -> Node | None:
        """Return its block, None where it is abstract or native."""
        return self.node.child_by_field_name("body")

    @property
    def full_name(self) -> str:
        """Return its name after those of the types that it is declared in."""
        return f"{self.owner.name}.{self.name}"

    @property
    def first_line(self) -> int:
        """Return the first line of the declaration with its annotations."""
        return find_first_line(self.node)

    def find_annotation(self, name: str) -> Annotation | None:
        """Return its own annotation of a simple name."""
        return next(
            (annotation for annotation in self.annotations if annotation.name == name), None
        )

    def locate_node(self, node: Node) -> Span:
        """Return the lines of a node in its file."""
        return self.owner.locate_node(node)


@dataclass(frozen=True, eq=False)
class TypeDeclaration:
    """A class, interface, enum or record."""

    file: str  # path of its file
    package: str  # empty: the unnamed one
    name: str  # with those of the types around it in front
    node: Node  # its declaration
    outer: "TypeDeclaration | None"  # type around it; None: it is at the top
    inner: list["TypeDeclaration"] = field(default_factory=list)  # types that it declares

    @property
    def simple_name(self) -> str:
        """Return its own name."""
        return self.name.rpartition(".")[2]

    @cached_property
    def annotations(self) -> tuple[Annotation, ...]:
        """Return the annotations of its declaration."""
        return _read_modifiers(self.node)[1]

    @cached_property
    def modifiers(self) -> frozenset[str]:
        """Return the words before its declaration."""
        return _read_modifiers(self.node)[0]

    @cached_property
    def parent_name(self) -> str:
        """Return the simple name of the class that it extends, empty where it names none."""
        clause = self.node.child_by_field_name("superclass")
        named = list_children(clause)
        return read_simple_type(named[0]) if named else ""

    @cached_property
    def fields(self) -> dict[str, Field]:
        """Return its fields by name."""
        all_fields = (
            member_field
            for member in self._list_members()
            for member_field in _list_fields(member, self)
        )
        return {all_field.name: all_field for all_field in all_fields}

    @cached_property
    def methods(self) -> tuple[JavaMethod, ...]:
        """Return its methods, without constructors."""
        return tuple(self._methods())

    @property
    def first_line(self) -> int:
        """Return the first line of the declaration with its annotations."""
        return find_first_line(self.node)

    def find_annotation(self, name: str) -> Annotation | None:
        """Return its own annotation of a simple name."""
        return next(
            (annotation for annotation in self.annotations if annotation.name == name), None
        )

    def locate_node(self, node: Node) -> Span:
        """Return the lines of a node in its file."""
        return Span(self.file, find_first_line(node), node.end_point[0] + 1)

    def _methods(self) -> Iterator[JavaMethod]:
        for node in self._list_members():
            if node.type == "method_declaration":
                modifiers, annotations = _read_modifiers(node)
                yield JavaMethod(part(node, "name"), node, self, annotations, modifiers)

    def _list_members(self) -> Iterator[Node]:
        return _list_member_nodes(self.node)


def find_types(root: Node, file: str, package: str) -> list[TypeDeclaration]:
    """Return all types of a file, each before those inside it; local ones are left out."""
    declarations: list[TypeDeclaration] = []
    pending: list[tuple[Node, TypeDeclaration | None]] = [
        (child, None) for child in reversed(root.named_children) if child.type in _TYPES
    ]
    while pending:
        node, outer = pending.pop()
        name = part(node, "name")
        declaration = TypeDeclaration(
            file, package, f"{outer.name}.{name}" if outer else name, node, outer
        )
        declarations.append(declaration)
        if outer is not None:
            outer.inner.append(declaration)
        inside = [member for member in _list_member_nodes(node) if member.type in _TYPES]
        pending += [(inner_node, declaration) for inner_node in reversed(inside)]
    return declarations


def _list_member_nodes(node: Node) -> Iterator[Node]:
    """Yield the declarations in the body of a type."""
    for expression in list_children(node.child_by_field_name("body")):
        if expression.type in _BODIES:
            yield from list_children(expression)
        else:
            yield expression


def _list_fields(node: Node, owner: TypeDeclaration) -> Iterator[Field]:
    if node.type not in ("field_declaration", "constant_declaration"):
        return
    modifiers, annotations = _read_modifiers(node)
    declared = read_simple_type(node.child_by_field_name("type"))
    for child in node.children_by_field_name("declarator"):
        brackets = "[]" * part(child, "dimensions").count("[")
        value = strip_wrappers(child.child_by_field_name("value"))
        name = part(child, "name")
        yield Field(owner, name, declared + brackets, node, value, modifiers, annotations)


def _read_modifiers(node: Node) -> tuple[frozenset[str], tuple[Annotation, ...]]:
    """Return the modifiers and the annotations of a declaration."""
    words: set[str] = set()
    annotations: list[Annotation] = []
    for child in node.children:
        for inner_node in child.children if child.type == "modifiers" else ():
            if inner_node.type in ("annotation", "marker_annotation"):
                name = part(inner_node, "name").rpartition(".")[2]
                annotations.append(
                    Annotation(name, inner_node, _read_annotation_values(inner_node))
                )
            else:
                words.add(read_text(inner_node))
    return frozenset(words), tuple(annotations)


def _read_annotation_values(annotation: Node) -> dict[str, Node]:
    values: dict[str, Node] = {}
    for expression in list_children(annotation.child_by_field_name("arguments")):
        if expression.type == "element_value_pair":
            value = expression.child_by_field_name("value")
            if value is not None:
                values[part(expression, "key")] = value
        else:
            values["value"] = expression
    return values


def _read_parameter(node: Node) -> tuple[str, str]:
    name = part(node, "name")
    if node.type == "spread_parameter":
        declarator = next(
            (child for child in node.children if child.type == "variable_declarator"), None
        )
        kinds = [expression for expression in list_children(node) if expression.type != "modifiers"]
        name = part(declarator, "name") if declarator is not None else ""
        return (read_simple_type(kinds[0]) if kinds else "") + "[]", name
    brackets = "[]" * part(node, "dimensions").count("[")
    return read_simple_type(node.child_by_field_name("type")) + brackets, name
