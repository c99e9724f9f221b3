"""The variables that a method sees, and the types of its expressions."""

from dataclasses import dataclass

from tree_sitter import Node

from mutators.java.lint_rules.declarations import Field, JavaMethod, TypeDeclaration
from mutators.java.lint_rules.project import JavaProject
from mutators.java.lint_rules.tree import (
    arguments,
    bare,
    descend,
    expressions,
    field,
    plain_type,
    source,
    target,
)

_LONGEST_CHAIN = 12


@dataclass(frozen=True, slots=True)
class Local:
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
        self.locals: dict[str, Local] = {}
        self.twice: set[str] = set()
        self.changed: set[str] = set()
        for kind, name in method.parameters:
            self._add(Local(name, kind, method.node, None, parameter=True))
        if method.body is not None:
            for node in descend(method.body):
                self._read(node)

    def _read(self, node: Node) -> None:
        if node.type == "local_variable_declaration":
            kind = plain_type(node.child_by_field_name("type"))
            for child in node.children_by_field_name("declarator"):
                brackets = "[]" * field(child, "dimensions").count("[")
                value = bare(child.child_by_field_name("value"))
                self._add(Local(field(child, "name"), kind + brackets, child, value))
        elif node.type in ("enhanced_for_statement", "resource", "catch_formal_parameter"):
            kind = plain_type(node.child_by_field_name("type"))
            self._add(Local(field(node, "name"), kind, node, None, parameter=True))
        elif node.type == "lambda_expression":
            self._lambda(node.child_by_field_name("parameters"))
        else:
            changed = target(node)
            if changed is not None and changed.type == "identifier":
                self.changed.add(source(changed))

    def _lambda(self, parameters: Node | None) -> None:
        if parameters is None:
            return
        listed = [parameters] if parameters.type == "identifier" else expressions(parameters)
        for node in listed:
            name = source(node) if node.type == "identifier" else field(node, "name")
            self._add(Local(name, "", node, None, parameter=True))

    def _add(self, local: Local) -> None:
        if local.name in self.locals:
            self.twice.add(local.name)
        self.locals[local.name] = local

    def find(self, name: str) -> Local | Field | None:
        """Return the variable that a simple name means."""
        if name in self.locals:
            return None if name in self.twice else self.locals[name]
        return self.project.field(name, self.method.owner)

    def field_of(self, node: Node | None) -> Field | None:
        """Return the field that `x`, `this.x`, `Type.x` or `state.x` means."""
        node = bare(node)
        if node is None:
            return None
        if node.type == "identifier":
            name = source(node)
            return None if name in self.locals else self.project.field(name, self.method.owner)
        if node.type != "field_access":
            return None
        inner = bare(node.child_by_field_name("object"))
        owner = self.owner_of(inner)
        if owner is None:
            return None
        name = field(node, "field")
        owners = self.project.lineage(owner)
        return next(
            (declaration.fields[name] for declaration in owners if name in declaration.fields), None
        )

    def owner_of(self, node: Node | None) -> TypeDeclaration | None:
        """Return the declared type of what a dot stands behind, if the sources have it."""
        if node is None or node.type in ("this", "super"):
            return self.method.owner
        kind = self.type_of(node)
        if kind:
            return self.project.type_named(kind, self.method.owner) if "[" not in kind else None
        if node.type == "identifier":
            return self.project.type_named(source(node), self.method.owner)
        return None

    def type_of(self, node: Node | None, depth: int = 0) -> str:
        """Return the simple name of an expression's type, empty where the sources do not show."""
        node = bare(node)
        if node is None or depth > _LONGEST_CHAIN:
            return ""
        match node.type:
            case "string_literal":
                type_name = "String"
            case "object_creation_expression":
                type_name = plain_type(node.child_by_field_name("type"))
            case "identifier":
                type_name = self._type_of_name(source(node), depth)
            case "array_access":
                array = node.child_by_field_name("array")
                type_name = self.type_of(array, depth + 1).removesuffix("[]")
            case "field_access":
                member = self._field_behind(node, depth)
                type_name = member.type if member else ""
            case "method_invocation":
                kinds = {callee.result for callee in self.callees(node, depth + 1)}
                type_name = kinds.pop() if len(kinds) == 1 else ""
            case _:
                type_name = ""
        return type_name

    def _type_of_name(self, name: str, depth: int) -> str:
        local = self.find(name)
        if isinstance(local, Local) and local.type == "var":
            return self.type_of(local.value, depth + 1)
        return local.type if local else ""

    def _field_behind(self, node: Node, depth: int) -> Field | None:
        inner = bare(node.child_by_field_name("object"))
        if inner is None:
            return None
        owner: TypeDeclaration | None = self.method.owner
        if inner.type != "this":
            kind = self.type_of(inner, depth + 1) or (
                source(inner) if inner.type == "identifier" else ""
            )
            owner = self.project.type_named(kind, self.method.owner) if kind else None
        return self.project.field(field(node, "field"), owner) if owner else None

    def callees(self, call: Node, depth: int = 0) -> list[JavaMethod]:
        """Return the methods of the sources that a call may mean; none where nobody can tell."""
        if depth > _LONGEST_CHAIN or call.type != "method_invocation":
            return []
        name, count = field(call, "name"), len(arguments(call))
        receiver = bare(call.child_by_field_name("object"))
        if receiver is None:
            return self._unqualified(name, count)
        if receiver.type in ("this", "super"):
            return self.project.methods(name, count, self.method.owner)
        kind = self.type_of(receiver, depth + 1)
        if not kind and receiver.type == "identifier" and source(receiver) not in self.locals:
            kind = source(receiver)
        owner = self.project.type_named(kind, self.method.owner) if kind else None
        return self.project.methods(name, count, owner) if owner else []

    def _unqualified(self, name: str, count: int) -> list[JavaMethod]:
        declaration: TypeDeclaration | None = self.method.owner
        while declaration is not None:
            methods = self.project.methods(name, count, declaration)
            if methods:
                return methods
            declaration = declaration.outer
        imported = self.project.file(self.method.owner.file).imports.get(name, "")
        path, _, _ = imported.rpartition(".")
        owner = self.project.qualified(path) if path else None
        return self.project.methods(name, count, owner) if owner else []
