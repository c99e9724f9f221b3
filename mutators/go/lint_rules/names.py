"""What the names in a function of Go stand for."""

from collections.abc import Mapping
from dataclasses import dataclass

from tree_sitter import Node

from mutators.go import tree
from mutators.go.lint_rules import syntax
from mutators.go.lint_rules.packages import Declared, FileScope, Packages, only

_GENERATORS = (("math/rand", "New"), ("math/rand/v2", "New"))
_DEEPEST = 6
"""How many steps from a name to its type are followed; what needs more is left unknown."""


@dataclass(frozen=True, slots=True)
class Names:
    """What the names in one function stand for."""

    packages: Packages
    home: FileScope
    bound: Mapping[str, list[Node]]

    @classmethod
    def of(cls, packages: Packages, home: FileScope, declaration: Node) -> "Names":
        """Return those of a function, or of another declaration."""
        bound: dict[str, list[Node]] = {}
        for node in tree.descend(declaration):
            for name in _bound(node):
                bound.setdefault(name, []).append(node)
        return cls(packages, home, bound)

    def function(self, call: Node, depth: int = 0) -> Declared | None:
        """Return the function or method of the project that a call surely calls."""
        function = syntax.callee(call)
        if function is None:
            return None
        if function.type == "identifier":
            return self._plain(tree.source(function))
        if function.type != "selector_expression":
            return None
        operand, name = syntax.selector(function)
        if operand and not self.bindings(operand):
            package = self.packages.imported(self.home, operand)
            if package is not None:
                return only(package.functions.get(name))
        owner = self.type_of(function.child_by_field_name("operand"), depth + 1)
        return self._method(owner, tree.source(function.child_by_field_name("field")))

    def standard(self, call: Node) -> tuple[str, str]:
        """Return path and name of a function of an imported package, else two empty ones."""
        operand, name = syntax.selector(syntax.callee(call))
        if not operand or self.bindings(operand):
            return "", ""
        path = self.home.imports.get(operand, "")
        return (path, name) if path else ("", "")

    def is_generator(self, call: Node) -> bool:
        """Tell whether a call is one of a method of a local that rand.New made."""
        operand, _ = syntax.selector(syntax.callee(call))
        for node in self.bindings(operand) if operand else ():
            for value in syntax.values(node.child_by_field_name("right")):
                if value.type == "call_expression" and self.standard(value) in _GENERATORS:
                    return True
        return False

    def _plain(self, name: str) -> Declared | None:
        if self.bindings(name):
            return None
        return only(self.packages.here(self.home).functions.get(name))

    def _method(self, owner: Declared | None, name: str) -> Declared | None:
        named = self.named(owner)
        if named is None:
            return None
        package = self.packages.here(named.home)
        type_name = tree.source(named.node.child_by_field_name("name"))
        return only(package.methods.get((type_name, name)))

    def bindings(self, name: str) -> list[Node]:
        """Return the nodes that declare a name inside of the function."""
        return self.bound.get(name, [])

    def type_of(self, node: Node | None, depth: int = 0) -> Declared | None:
        """Return the type of an expression, pointers left out, None where it is not plain."""
        if node is None or depth > _DEEPEST:
            return None
        node = syntax.plain(node)
        if node.type == "unary_expression":
            return self.type_of(node.child_by_field_name("operand"), depth + 1)
        if node.type == "composite_literal":
            inner_node = node.child_by_field_name("type")
            return Declared(self.home, inner_node) if inner_node is not None else None
        if node.type == "identifier":
            return self._of_name(tree.source(node), depth)
        return self._of_part(node, depth)

    def _of_part(self, node: Node, depth: int) -> Declared | None:
        """Return the type of a field, an element, or a result."""
        if node.type == "selector_expression":
            return self._of_field(node, depth)
        if node.type == "index_expression":
            return self._of_element(node, depth)
        return self._of_call(node, depth) if node.type == "call_expression" else None

    def _of_name(self, name: str, depth: int) -> Declared | None:
        bound = self.bindings(name)
        if not bound:
            spec = only(self.packages.here(self.home).variables.get(name))
            if spec is None:
                return None
            outside = Names.of(self.packages, spec.home, spec.node)
            return outside._bound_type(spec.node, name, depth + 1)
        return self._bound_type(bound[0], name, depth) if len(bound) == 1 else None

    def _bound_type(self, node: Node, name: str, depth: int) -> Declared | None:
        """Return the type that a declaration gives to one of its names."""
        declared = node.child_by_field_name("type")
        if node.type == "variadic_parameter_declaration":
            return None
        if declared is not None:
            return Declared(self.home, declared)
        if node.type == "range_clause":
            return None
        inner_node = node.child_by_field_name("left")
        listed = syntax.names(inner_node) if inner_node is not None else _named(node)
        right = node.child_by_field_name("right") or node.child_by_field_name("value")
        values = syntax.values(right)
        index = listed.index(name) if name in listed else 0
        if len(values) == len(listed):
            return self.type_of(values[index], depth + 1)
        return self.type_of(values[0], depth + 1) if len(values) == 1 and index == 0 else None

    def _of_field(self, node: Node, depth: int) -> Declared | None:
        wanted = tree.source(node.child_by_field_name("field"))
        owner = self.underlying(self.type_of(node.child_by_field_name("operand"), depth + 1))
        if owner is None or owner.node.type != "struct_type":
            return None
        for listed in owner.node.named_children:
            for child in listed.named_children:
                if wanted in _named(child) and (inner_node := child.child_by_field_name("type")):
                    return Declared(owner.home, inner_node)
        return None

    def _of_element(self, node: Node, depth: int) -> Declared | None:
        owner = self.underlying(self.type_of(node.child_by_field_name("operand"), depth + 1))
        if owner is None:
            return None
        wanted = "value" if owner.node.type == "map_type" else "element"
        inner_node = owner.node.child_by_field_name(wanted)
        return Declared(owner.home, inner_node) if inner_node is not None else None

    def _of_call(self, node: Node, depth: int) -> Declared | None:
        if syntax.called(node) == "new" and len(syntax.arguments(node)) == 1:
            return Declared(self.home, syntax.arguments(node)[0])
        if syntax.called(node) == "make" and syntax.arguments(node):
            return Declared(self.home, syntax.arguments(node)[0])
        declaration = self.function(node, depth + 1)
        result = declaration.node.child_by_field_name("result") if declaration is not None else None
        if (
            declaration is None
            or result is None
            or declaration.node.child_by_field_name("type_parameters")
        ):
            return None
        if result.type == "parameter_list":
            declared = [
                inner_node for child in result.named_children for inner_node in _types(child)
            ]
            return Declared(declaration.home, declared[0]) if declared else None
        return Declared(declaration.home, result)

    def named(self, declaration: Declared | None) -> Declared | None:
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
            package = self.packages.imported(
                declaration.home, tree.source(node.child_by_field_name("package"))
            )
            name = tree.source(node.child_by_field_name("name"))
        else:
            package, name = self.packages.here(declaration.home), tree.source(node)
        return only(package.types.get(name)) if package is not None else None

    def underlying(self, declaration: Declared | None) -> Declared | None:
        """Return the type behind names and pointers, as far as the project declares it."""
        for _ in range(_DEEPEST):
            named = self.named(declaration)
            if named is None:
                break
            inner = named.node.child_by_field_name("type")
            declaration = Declared(named.home, inner) if inner is not None else None
        if (
            declaration is not None
            and declaration.node.type == "pointer_type"
            and declaration.node.named_children
        ):
            return Declared(declaration.home, declaration.node.named_children[0])
        return declaration


def _types(parameter: Node) -> list[Node]:
    """Return the type of a result, once for each of its names."""
    node = parameter.child_by_field_name("type")
    return [node] * max(1, len(parameter.children_by_field_name("name"))) if node else []


def _named(node: Node) -> list[str]:
    return [tree.source(child) for child in node.children_by_field_name("name")]


def _bound(node: Node) -> list[str]:
    """Return the names that a node declares."""
    if node.type in ("short_var_declaration", "range_clause"):
        return syntax.names(node.child_by_field_name("left"))
    if node.type in ("parameter_declaration", "variadic_parameter_declaration", "var_spec"):
        return _named(node)
    if node.type in ("const_spec", "type_switch_statement"):
        return _named(node) + syntax.names(node.child_by_field_name("alias"))
    return []
