"""Functions whose calls are short: so short that what is done beside them counts."""

from dataclasses import dataclass, field

from tree_sitter import Node

from mutators.go import tree
from mutators.go.lint_rules import syntax
from mutators.go.lint_rules.names import NameScope
from mutators.go.lint_rules.packages import ProjectPackages, ScopedNode

_BUDGET = 250
"""Of nodes that one call runs through, with those of its callees."""
_TOO_MUCH = _BUDGET + 1
_DEEPEST = 6
_LONG = syntax.split_words(
    "for_statement go_statement defer_statement select_statement send_statement func_literal "
    "ERROR type_conversion_expression"
)
_FREE = syntax.NUMBERS | syntax.split_words("len cap min max string new append panic delete")
_SHORT = syntax.split_words("math math/bits sync/atomic unicode unicode/utf8")
"""Packages of the standard library of which every function is short."""


@dataclass(frozen=True, slots=True)
class ShortCallDetector:
    """Tells which calls run through little code, as far as the project's sources show it.

    What stands in the body of an `if` without `else` is the seldom case, if more follows it.
    """

    packages: ProjectPackages
    _node_counts: dict[tuple[int, int], int] = field(default_factory=dict)

    def is_short_call(self, names: NameScope, call: Node) -> bool:
        """Tell whether a call is surely short, its arguments left out."""
        return self._count_call_nodes(names, call, 0) <= _BUDGET

    def is_short_statement(self, names: NameScope, node: Node) -> bool:
        """Tell whether a statement is surely short, with all that it calls."""
        for inner_node in tree.walk_tree(node):
            if inner_node.type in _LONG:
                return False
            if inner_node.type == "call_expression" and not (
                _is_free(inner_node) or self.is_short_call(names, inner_node)
            ):
                return False
        return True

    def _count_call_nodes(self, names: NameScope, call: Node, depth: int) -> int:
        path, _ = names.resolve_imported_function(call)
        if path in _SHORT:
            return 1
        declaration = names.resolve_function(call)
        if declaration is None or depth > _DEEPEST:
            return _TOO_MUCH
        key = (declaration.home.root.id, declaration.node.id)
        if key not in self._node_counts:
            # While it is looked at: one that calls itself is long.
            self._node_counts[key] = _TOO_MUCH
            self._node_counts[key] = self._count_body_nodes(declaration, depth + 1)
        return self._node_counts[key]

    def _count_body_nodes(self, declaration: ScopedNode, depth: int) -> int:
        body = declaration.node.child_by_field_name("body")
        if body is None or declaration.node.has_error:
            return _TOO_MUCH
        names = NameScope.from_declaration(self.packages, declaration.home, declaration.node)
        total, pending = 0, list(body.named_children)
        while pending and total <= _BUDGET:
            node = pending.pop()
            total += 1
            if node.type in _LONG:
                return _TOO_MUCH
            if node.type == "call_expression" and not _is_free(node):
                total += self._count_call_nodes(names, node, depth)
            pending += _list_usual_parts(node)
        return total


def _is_free(call: Node) -> bool:
    function = syntax.find_callee(call)
    return (
        function is not None
        and function.type == "identifier"
        and syntax.read_called_name(call) in _FREE
    )


def _list_usual_parts(node: Node) -> list[Node]:
    """Return the parts of a node that usually run: not the body of an `if` that more follows."""
    if node.type != "if_statement" or node.child_by_field_name("alternative") is not None:
        return node.named_children
    if node.next_named_sibling is None:
        return node.named_children
    return [child for child in node.named_children if child.type != "block"]
