"""What the names in a function of Go stand for."""

from collections.abc import Mapping
from dataclasses import dataclass

from tree_sitter import Node

from mutators.go import tree
from mutators.go.lint_rules import syntax
from mutators.go.lint_rules.packages import (
    FileScope,
    ProjectPackages,
    ScopedNode,
    pick_single_declaration,
)

_GENERATORS = (("math/rand", "New"), ("math/rand/v2", "New"))
_DEEPEST = 6
"""How many steps from a name to its type are followed; what needs more is left unknown."""


@dataclass(frozen=True, slots=True)
class NameScope:
    """What the names in one function stand for."""

    packages: ProjectPackages
    home: FileScope
    bound: Mapping[str, list[Node]]

    @classmethod
    def from_declaration(
        cls, packages: ProjectPackages, home: FileScope, declaration: Node
    ) -> "NameScope":
        """Return those of a function, or of another declaration."""
        bound: dict[str, list[Node]] = {}
        for node in tree.walk_tree(declaration):
            for name in _list_bound_names(node):
                bound.setdefault(name, []).append(node)
        return cls(packages, home, bound)

    def resolve_function(self, call: Node, depth: int = 0) -> ScopedNode | None:
        """Return the function or method of the project that a call surely calls."""
        function = syntax.find_callee(call)
        if function is None:
            return None
        if function.type == "identifier":
            return self._resolve_plain_name(tree.read_text(function))
        if function.type != "selector_expression":
            return None
        operand, name = syntax.split_selector(function)
        if operand and not self.find_bindings(operand):
            package = self.packages.find_imported_package(self.home, operand)
            if package is not None:
                return pick_single_declaration(package.functions.get(name))
        owner = self.resolve_type(function.child_by_field_name("operand"), depth + 1)
        return self._resolve_method(owner, tree.read_text(function.child_by_field_name("field")))

    def resolve_imported_function(self, call: Node) -> tuple[str, str]:
        """Return path and name of a function of an imported package, else two empty ones."""
        operand, name = syntax.split_selector(syntax.find_callee(call))
        if not operand or self.find_bindings(operand):
            return "", ""
        path = self.home.imports.get(operand, "")
        return (path, name) if path else ("", "")

    def is_generator(self, call: Node) -> bool:
        """Tell whether a call is one of a method of a local that rand.New made."""
        operand, _ = syntax.split_selector(syntax.find_callee(call))
        for node in self.find_bindings(operand) if operand else ():
            for value in syntax.list_values(node.child_by_field_name("right")):
                if (
                    value.type == "call_expression"
                    and self.resolve_imported_function(value) in _GENERATORS
                ):
                    return True
        return False

    def _resolve_plain_name(self, name: str) -> ScopedNode | None:
        if self.find_bindings(name):
            return None
        return pick_single_declaration(self.packages.find_package(self.home).functions.get(name))

    def _resolve_method(self, owner: ScopedNode | None, name: str) -> ScopedNode | None:
        named = self.resolve_named_type(owner)
        if named is None:
            return None
        package = self.packages.find_package(named.home)
        type_name = tree.read_text(named.node.child_by_field_name("name"))
        return pick_single_declaration(package.methods.get((type_name, name)))

    def find_bindings(self, name: str) -> list[Node]:
        """Return the nodes that declare a name inside of the function."""
        return self.bound.get(name, [])

    def resolve_type(self, node: Node | None, depth: int = 0) -> ScopedNode | None:
        """Return the type of an expression, pointers left out, None where it is not plain."""
        if node is None or depth > _DEEPEST:
            return None
        node = syntax.strip_parentheses(node)
        if node.type == "unary_expression":
            return self.resolve_type(node.child_by_field_name("operand"), depth + 1)
        if node.type == "composite_literal":
            inner_node = node.child_by_field_name("type")
            return ScopedNode(self.home, inner_node) if inner_node is not None else None
        if node.type == "identifier":
            return self._resolve_name_type(tree.read_text(node), depth)
        return self._resolve_part_type(node, depth)

    def _resolve_part_type(self, node: Node, depth: int) -> ScopedNode | None:
        """Return the type of a field, an element, or a result."""
        if node.type == "selector_expression":
            return self._resolve_field_type(node, depth)
        if node.type == "index_expression":
            return self._resolve_element_type(node, depth)
        return self._resolve_call_type(node, depth) if node.type == "call_expression" else None

    def _resolve_name_type(self, name: str, depth: int) -> ScopedNode | None:
        bound = self.find_bindings(name)
        if not bound:
            spec = pick_single_declaration(
                self.packages.find_package(self.home).variables.get(name)
            )
            if spec is None:
                return None
            outside = NameScope.from_declaration(self.packages, spec.home, spec.node)
            return outside._resolve_binding_type(spec.node, name, depth + 1)
        return self._resolve_binding_type(bound[0], name, depth) if len(bound) == 1 else None

    def _resolve_binding_type(self, node: Node, name: str, depth: int) -> ScopedNode | None:
        """Return the type that a declaration gives to one of its names."""
        declared = node.child_by_field_name("type")
        if node.type == "variadic_parameter_declaration":
            return None
        if declared is not None:
            return ScopedNode(self.home, declared)
        if node.type == "range_clause":
            return None
        inner_node = node.child_by_field_name("left")
        declared_names = (
            syntax.list_names(inner_node) if inner_node is not None else _list_name_fields(node)
        )
        right = node.child_by_field_name("right") or node.child_by_field_name("value")
        values = syntax.list_values(right)
        index = declared_names.index(name) if name in declared_names else 0
        if len(values) == len(declared_names):
            return self.resolve_type(values[index], depth + 1)
        return self.resolve_type(values[0], depth + 1) if len(values) == 1 and index == 0 else None

    def _resolve_field_type(self, node: Node, depth: int) -> ScopedNode | None:
        field_name = tree.read_text(node.child_by_field_name("field"))
        owner = self.resolve_underlying_type(
            self.resolve_type(node.child_by_field_name("operand"), depth + 1)
        )
        if owner is None or owner.node.type != "struct_type":
            return None
        for field_list in owner.node.named_children:
            for child in field_list.named_children:
                if field_name in _list_name_fields(child) and (
                    inner_node := child.child_by_field_name("type")
                ):
                    return ScopedNode(owner.home, inner_node)
        return None

    def _resolve_element_type(self, node: Node, depth: int) -> ScopedNode | None:
        owner = self.resolve_underlying_type(
            self.resolve_type(node.child_by_field_name("operand"), depth + 1)
        )
        if owner is None:
            return None
        field_name = "value" if owner.node.type == "map_type" else "element"
        inner_node = owner.node.child_by_field_name(field_name)
        return ScopedNode(owner.home, inner_node) if inner_node is not None else None

    def _resolve_call_type(self, node: Node, depth: int) -> ScopedNode | None:
        if syntax.read_called_name(node) == "new" and len(syntax.list_arguments(node)) == 1:
            return ScopedNode(self.home, syntax.list_arguments(node)[0])
        if syntax.read_called_name(node) == "make" and syntax.list_arguments(node):
            return ScopedNode(self.home, syntax.list_arguments(node)[0])
        declaration = self.resolve_function(node, depth + 1)
        result = declaration.node.child_by_field_name("result") if declaration is not None else None
        if (
            declaration is None
            or result is None
            or declaration.node.child_by_field_name("type_parameters")
        ):
            return None
        if result.type == "parameter_list":
            declared = [
                inner_node
                for child in result.named_children
                for inner_node in _list_result_types(child)
            ]
            return ScopedNode(declaration.home, declared[0]) if declared else None
        return ScopedNode(declaration.home, result)

    def resolve_named_type(self, declaration: ScopedNode | None) -> ScopedNode | None:
        """Return the specification of the named type that a type is, or points to."""
        if declaration is None:
            return None
        node = declaration.node
        while node.type in ("pointer_type", "parenthesized_type", "generic_type"):
            inner = node.child_by_field_name("type") or next(iter(node.named_children), None)
            if inner is None:
                return None
            node = inner
        if node.type == "qualified_type":
            package = self.packages.find_imported_package(
                declaration.home, tree.read_text(node.child_by_field_name("package"))
            )
            name = tree.read_text(node.child_by_field_name("name"))
        else:
            package, name = self.packages.find_package(declaration.home), tree.read_text(node)
        return pick_single_declaration(package.types.get(name)) if package is not None else None

    def resolve_underlying_type(self, declaration: ScopedNode | None) -> ScopedNode | None:
        """Return the type behind names and pointers, as far as the project declares it."""
        for _ in range(_DEEPEST):
            named = self.resolve_named_type(declaration)
            if named is None:
                break
            inner = named.node.child_by_field_name("type")
            declaration = ScopedNode(named.home, inner) if inner is not None else None
        if (
            declaration is not None
            and declaration.node.type == "pointer_type"
            and declaration.node.named_children
        ):
            return ScopedNode(declaration.home, declaration.node.named_children[0])
        return declaration


def _list_result_types(parameter: Node) -> list[Node]:
    """Return the type of a result, once for each of its names."""
    node = parameter.child_by_field_name("type")
    return [node] * max(1, len(parameter.children_by_field_name("name"))) if node else []


def _list_name_fields(node: Node) -> list[str]:
    return [tree.read_text(child) for child in node.children_by_field_name("name")]


def _list_bound_names(node: Node) -> list[str]:
    """Return the names that a node declares."""
    if node.type in ("short_var_declaration", "range_clause"):
        return syntax.list_names(node.child_by_field_name("left"))
    if node.type in ("parameter_declaration", "variadic_parameter_declaration", "var_spec"):
        return _list_name_fields(node)
    if node.type in ("const_spec", "type_switch_statement"):
        return _list_name_fields(node) + syntax.list_names(node.child_by_field_name("alias"))
    return []
