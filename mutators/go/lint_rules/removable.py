"""Functions that the Go compiler inlines, and of which nothing is left if nobody uses the result.

Go removes no call of a function that it has not inlined, however pure that is.
"""

from dataclasses import dataclass, field

from tree_sitter import Node

from mutators.go import tree
from mutators.go.lint_rules import syntax
from mutators.go.lint_rules.names import NameScope
from mutators.go.lint_rules.packages import ProjectPackages, ScopedNode

_BUDGET = 88
"""Of nodes in a body and what it calls: below what the inliner allows, which counts otherwise."""
_TOO_MUCH = _BUDGET + 1
_STANDARD_COST = 8
_DEEPEST = 6
_VANISHING = {
    "math": "Abs Ceil Copysign Dim Float32bits Float32frombits Float64bits Float64frombits Floor "
    "Inf IsInf IsNaN NaN Pow10 Round RoundToEven Signbit Sqrt Trunc",
    "math/bits": "Add Add32 Add64 LeadingZeros LeadingZeros16 LeadingZeros32 LeadingZeros64 "
    "LeadingZeros8 Len Len16 Len32 Len64 Len8 Mul Mul32 Mul64 OnesCount OnesCount16 OnesCount32 "
    "OnesCount64 OnesCount8 Reverse Reverse16 Reverse32 Reverse64 Reverse8 ReverseBytes "
    "ReverseBytes16 ReverseBytes32 ReverseBytes64 RotateLeft RotateLeft16 RotateLeft32 "
    "RotateLeft64 RotateLeft8 Sub Sub32 Sub64 TrailingZeros TrailingZeros16 TrailingZeros32 "
    "TrailingZeros64 TrailingZeros8",
    "strings": "HasPrefix HasSuffix TrimPrefix TrimSuffix",
    "bytes": "Equal HasPrefix HasSuffix TrimPrefix TrimSuffix",
    "unicode/utf8": "RuneLen RuneStart ValidRune",
    "unicode/utf16": "DecodeRune EncodeRune IsSurrogate",
    "strconv": "FormatBool",
}
"""Of the standard library: what no call is left of in compiled code if its result is dropped."""
_STANDARD = {path: syntax.split_words(names) for path, names in _VANISHING.items()}
_COMPARING = ("strings", "bytes")
"""Packages whose functions compare bytes by a call, which stays where a branch hangs on it."""
_FREE = syntax.NUMBERS | {"len", "cap", "min", "max", "real", "imag", "complex"}
"""Conversions and built-in functions that do nothing but give a value."""
_REFUSED = syntax.split_words(
    "go_statement defer_statement select_statement send_statement func_literal for_statement "
    "goto_statement labeled_statement type_assertion_expression type_switch_statement "
    "slice_expression map_type channel_type type_instantiation_expression "
    "type_conversion_expression ERROR"
)
"""What may do more than give a value, or stays in the code when the value is not used."""
_CHANGES = frozenset({"assignment_statement", "inc_statement", "dec_statement"})
_INDEXED = frozenset({"slice_type", "array_type", "implicit_length_array_type"})
_TEXTS = frozenset({"interpreted_string_literal", "raw_string_literal"})


@dataclass(frozen=True, slots=True)
class RemovableCallDetector:
    """Tells which calls the compiler may leave out when nobody uses their results."""

    packages: ProjectPackages
    _node_counts: dict[tuple[int, int], int] = field(default_factory=dict)

    def is_removable_call(self, names: NameScope, call: Node) -> bool:
        """Tell whether nothing is left of a call itself, whatever its arguments are."""
        return self._count_call_nodes(names, call, 0) <= _BUDGET

    def _count_call_nodes(self, names: NameScope, call: Node, depth: int) -> int:
        """Return how many nodes the compiler puts in place of a call."""
        path, name = names.resolve_imported_function(call)
        if path and name in _STANDARD.get(path, ()):
            return _TOO_MUCH if depth and path in _COMPARING else _STANDARD_COST
        declaration = names.resolve_function(call)
        if declaration is None or depth > _DEEPEST:
            return _TOO_MUCH
        key = (declaration.home.root.id, declaration.node.id)
        if key not in self._node_counts:
            self._node_counts[key] = _TOO_MUCH  # while it is looked at: one that calls itself stays
            self._node_counts[key] = self._count_function_nodes(declaration, depth + 1)
        return self._node_counts[key]

    def _count_function_nodes(self, declared_name: ScopedNode, depth: int) -> int:
        declaration = declared_name.node
        body = declaration.child_by_field_name("body")
        if body is None or declaration.has_error or _is_marked(declaration):
            return _TOO_MUCH
        if declaration.child_by_field_name("type_parameters") is not None:
            return _TOO_MUCH
        if declaration.child_by_field_name("result") is None:
            return _TOO_MUCH
        return self._sum_nodes(
            NameScope.from_declaration(self.packages, declared_name.home, declaration), body, depth
        )

    def _sum_nodes(self, names: NameScope, node: Node, depth: int) -> int:
        """Return the number of nodes of some code that only gives a value, with its callees."""
        total = 0
        for inner_node in tree.walk_tree(node):
            total += 1
            if inner_node.type == "call_expression" and not _is_free(names, inner_node):
                total += self._count_call_nodes(names, inner_node, depth)
            elif not _is_harmless(names, inner_node):
                return _TOO_MUCH
            if total > _BUDGET:
                return _TOO_MUCH
        return total


def _is_harmless(names: NameScope, node: Node) -> bool:
    if node.type in _REFUSED:
        return False
    if node.type in _CHANGES:
        return _is_local(names, node)
    if node.type == "index_expression":
        return _is_indexed(names, node.child_by_field_name("operand"))
    if node.type == "unary_expression":
        return not node.text or not node.text.startswith(b"<-")
    return node.type != "binary_expression" or not _is_text(names, node)


def _is_marked(declaration: Node) -> bool:
    """Tell whether a directive for the compiler stands above the declaration."""
    above = declaration.prev_sibling
    while above is not None and above.type == "comment":
        if above.text and above.text.startswith(b"//go:"):
            return True
        above = above.prev_sibling
    return False


def _is_free(names: NameScope, call: Node) -> bool:
    """Tell whether a call is a conversion between numbers or a built-in without effects."""
    function = syntax.find_callee(call)
    if function is None or function.type != "identifier":
        return False
    name = tree.read_text(function)
    package = names.packages.find_package(names.home)
    is_redefined = names.find_bindings(name) or name in package.functions or name in package.types
    return name in _FREE and not is_redefined


def _is_local(names: NameScope, change: Node) -> bool:
    """Tell whether an assignment changes nothing but variables of the function."""
    node = change.child_by_field_name("left")
    changed = syntax.list_names(
        node if node is not None else next(iter(change.named_children), None)
    )
    return all(name == "_" or (name and names.find_bindings(name)) for name in changed)


def _is_indexed(names: NameScope, operand: Node | None) -> bool:
    """Tell whether what is indexed is surely no map, of which a look-up is a call."""
    if operand is not None and syntax.strip_parentheses(operand).type in _TEXTS:
        return True
    declaration = names.resolve_underlying_type(names.resolve_type(operand))
    if declaration is None:
        return False
    return declaration.node.type in _INDEXED or tree.read_text(declaration.node) == "string"


def _is_text(names: NameScope, node: Node) -> bool:
    """Tell whether an operator may join, order or compare strings, which is a call."""
    operator = tree.read_text(node.child_by_field_name("operator"))
    if operator not in ("+", "<", ">", "<=", ">=", "==", "!="):
        return False
    sides = [node.child_by_field_name(side) for side in ("left", "right")]
    if any(side is not None and syntax.strip_parentheses(side).type in _TEXTS for side in sides):
        return operator not in ("==", "!=")
    types = [names.resolve_underlying_type(names.resolve_type(side)) for side in sides]
    return any(
        declared_name is not None and tree.read_text(declared_name.node) == "string"
        for declared_name in types
    )
