"""The variables that a method sees, and the types of its expressions."""

from dataclasses import dataclass

from tree_sitter import Node

from mutators.java.lint_rules.declarations import Field, JavaMethod, TypeDeclaration
from mutators.java.lint_rules.project import JavaProject
from mutators.java.lint_rules.tree import (
    find_assigned_node,
    list_arguments,
    list_children,
    read_part_text,
    read_simple_type,
    read_text,
    strip_wrappers,
    walk_tree,
)

_LONGEST_CHAIN = 12


@dataclass(frozen=True, slots=True)
class LocalVariable:
    """A parameter or local variable; `value` is its initialiser."""

    name: str
    type: str
    node: Node
    value: Node | None
    parameter: bool = False


class MethodScope:
    """The names of one method. Two locals of one name count as one of which little is known."""

    def __init__(self, project: JavaProject, method: JavaMethod) -> None:
        self.project = project
        self.method = method
        self.locals: dict[str, LocalVariable] = {}
        self.twice: set[str] = set()
        self.changed: set[str] = set()
        for kind, name in method.parameters:
            self._add_local(LocalVariable(name, kind, method.node, None, parameter=True))
        if method.body is not None:
            for node in walk_tree(method.body):
                self._read_node(node)

    def _read_node(self, node: Node) -> None:
        if node.type == "local_variable_declaration":
            kind = read_simple_type(node.child_by_field_name("type"))
            for child in node.children_by_field_name("declarator"):
                brackets = "[]" * read_part_text(child, "dimensions").count("[")
                value = strip_wrappers(child.child_by_field_name("value"))
                self._add_local(
                    LocalVariable(read_part_text(child, "name"), kind + brackets, child, value)
                )
        elif node.type in ("enhanced_for_statement", "resource", "catch_formal_parameter"):
            kind = read_simple_type(node.child_by_field_name("type"))
            self._add_local(
                LocalVariable(read_part_text(node, "name"), kind, node, None, parameter=True)
            )
        elif node.type == "lambda_expression":
            self._add_lambda_parameters(node.child_by_field_name("parameters"))
        else:
            changed = find_assigned_node(node)
            if changed is not None and changed.type == "identifier":
                self.changed.add(read_text(changed))

    def _add_lambda_parameters(self, parameters: Node | None) -> None:
        if parameters is None:
            return
        parameter_nodes = (
            [parameters] if parameters.type == "identifier" else list_children(parameters)
        )
        for node in parameter_nodes:
            name = read_text(node) if node.type == "identifier" else read_part_text(node, "name")
            self._add_local(LocalVariable(name, "", node, None, parameter=True))

    def _add_local(self, local: LocalVariable) -> None:
        if local.name in self.locals:
            self.twice.add(local.name)
        self.locals[local.name] = local

    def find_variable(self, name: str) -> LocalVariable | Field | None:
        """Return the variable that a simple name means."""
        if name in self.locals:
            return None if name in self.twice else self.locals[name]
        return self.project.find_field(name, self.method.owner)

    def resolve_field(self, node: Node | None) -> Field | None:
        """Return the field that `x`, `this.x`, `Type.x` or `state.x` means."""
        node = strip_wrappers(node)
        if node is None:
            return None
        if node.type == "identifier":
            name = read_text(node)
            return None if name in self.locals else self.project.find_field(name, self.method.owner)
        if node.type != "field_access":
            return None
        inner = strip_wrappers(node.child_by_field_name("object"))
        owner = self.resolve_owner(inner)
        if owner is None:
            return None
        name = read_part_text(node, "field")
        owners = self.project.walk_lineage(owner)
        return next(
            (declaration.fields[name] for declaration in owners if name in declaration.fields), None
        )

    def resolve_owner(self, node: Node | None) -> TypeDeclaration | None:
        """Return the declared type of what a dot stands behind, if the sources have it."""
        if node is None or node.type in ("this", "super"):
            return self.method.owner
        kind = self.resolve_type(node)
        if kind:
            return self.project.find_type(kind, self.method.owner) if "[" not in kind else None
        if node.type == "identifier":
            return self.project.find_type(read_text(node), self.method.owner)
        return None

    def resolve_type(self, node: Node | None, depth: int = 0) -> str:
        """Return the simple name of an expression's type, empty where the sources do not show."""
        node = strip_wrappers(node)
        if node is None or depth > _LONGEST_CHAIN:
            return ""
        match node.type:
            case "string_literal":
                type_name = "String"
            case "object_creation_expression":
                type_name = read_simple_type(node.child_by_field_name("type"))
            case "identifier":
                type_name = self._resolve_name_type(read_text(node), depth)
            case "array_access":
                array = node.child_by_field_name("array")
                type_name = self.resolve_type(array, depth + 1).removesuffix("[]")
            case "field_access":
                member = self._resolve_accessed_field(node, depth)
                type_name = member.type if member else ""
            case "method_invocation":
                kinds = {callee.result_type for callee in self.find_callees(node, depth + 1)}
                type_name = kinds.pop() if len(kinds) == 1 else ""
            case _:
                type_name = ""
        return type_name

    def _resolve_name_type(self, name: str, depth: int) -> str:
        local = self.find_variable(name)
        if isinstance(local, LocalVariable) and local.type == "var":
            return self.resolve_type(local.value, depth + 1)
        return local.type if local else ""

    def _resolve_accessed_field(self, node: Node, depth: int) -> Field | None:
        inner = strip_wrappers(node.child_by_field_name("object"))
        if inner is None:
            return None
        owner: TypeDeclaration | None = self.method.owner
        if inner.type != "this":
            kind = self.resolve_type(inner, depth + 1) or (
                read_text(inner) if inner.type == "identifier" else ""
            )
            owner = self.project.find_type(kind, self.method.owner) if kind else None
        return self.project.find_field(read_part_text(node, "field"), owner) if owner else None

    def find_callees(self, call: Node, depth: int = 0) -> list[JavaMethod]:
        """Return the methods of the sources that a call may mean; none where nobody can tell."""
        if depth > _LONGEST_CHAIN or call.type != "method_invocation":
            return []
        name, count = read_part_text(call, "name"), len(list_arguments(call))
        receiver = strip_wrappers(call.child_by_field_name("object"))
        if receiver is None:
            return self._find_unqualified_methods(name, count)
        if receiver.type in ("this", "super"):
            return self.project.find_methods(name, count, self.method.owner)
        kind = self.resolve_type(receiver, depth + 1)
        if not kind and receiver.type == "identifier" and read_text(receiver) not in self.locals:
            kind = read_text(receiver)
        owner = self.project.find_type(kind, self.method.owner) if kind else None
        return self.project.find_methods(name, count, owner) if owner else []

    def _find_unqualified_methods(self, name: str, count: int) -> list[JavaMethod]:
        declaration: TypeDeclaration | None = self.method.owner
        while declaration is not None:
            methods = self.project.find_methods(name, count, declaration)
            if methods:
                return methods
            declaration = declaration.outer
        imported = self.project.load_file(self.method.owner.file).imports.get(name, "")
        path, _, _ = imported.rpartition(".")
        owner = self.project.find_qualified_type(path) if path else None
        return self.project.find_methods(name, count, owner) if owner else []
