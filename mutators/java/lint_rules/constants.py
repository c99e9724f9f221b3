"""Expressions whose values are known before the program runs."""

from tree_sitter import Node

from mutators.java.lint_rules.declarations import Field
from mutators.java.lint_rules.scope import LocalVariable, MethodScope
from mutators.java.lint_rules.tree import LITERALS, list_children, read_text, strip_wrappers

_FOLDED = frozenset({"binary_expression", "unary_expression", "ternary_expression"})
_CONSTANT_TYPES = frozenset(
    {"boolean", "byte", "char", "double", "float", "int", "long", "short", "String"}
)
_MOST_DIGITS = 20
_LARGEST = 200
"""The most parts of an expression that are looked at: no constant of a benchmark has more."""


def is_constant(node: Node | None, scope: MethodScope) -> bool:
    """Tell whether an expression consists of literals and of constants that are made of them."""
    return find_constant_variables(node, scope) is not None


def find_constant_variables(
    node: Node | None, scope: MethodScope
) -> list[Field | LocalVariable] | None:
    """Return the variables that a constant expression is made of; None where it is none."""
    variables: list[Field | LocalVariable] = []
    pending = [strip_wrappers(node)]
    for _ in range(_LARGEST):
        if not pending:
            return variables
        inner_node = pending.pop()
        if inner_node is None:
            return None
        if inner_node.type in _FOLDED:
            pending += [strip_wrappers(expression) for expression in list_children(inner_node)]
        elif inner_node.type not in LITERALS:
            variable = _find_constant_variable(inner_node, scope)
            if variable is None or variable.value is None:
                return None
            variables.append(variable)
            pending.append(variable.value)
    return None


def _find_constant_variable(node: Node, scope: MethodScope) -> Field | LocalVariable | None:
    """Return the constant variable that a name means: final, or a local that is set once."""
    if node.type == "identifier" and read_text(node) in scope.locals:
        local = scope.find_variable(read_text(node))
        once = (
            isinstance(local, LocalVariable)
            and not local.parameter
            and local.name not in scope.changed
        )
        return local if once else None
    field = scope.resolve_field(node)
    if field is None or not field.is_final:
        return None
    return field if field.type in _CONSTANT_TYPES else None


def read_decimal_literal(node: Node) -> int:
    """Return the number that a decimal literal is; 0 for all else."""
    digits = read_text(node).rstrip("lL").replace("_", "")
    plain = node.type == "decimal_integer_literal" and digits.isascii() and digits.isdigit()
    return int(digits) if plain and len(digits) < _MOST_DIGITS else 0


def resolve_whole_number(node: Node | None, scope: MethodScope) -> int | None:
    """Return the number that a literal or a constant's name stands for; None if it is neither."""
    inner_node = strip_wrappers(node)
    for _ in range(_LARGEST):
        if inner_node is None:
            return None
        if inner_node.type == "decimal_integer_literal":
            return read_decimal_literal(inner_node)
        if inner_node.type == "unary_expression" and read_text(inner_node).replace(" ", "") in (
            "-1",
            "-2",
        ):
            return int(read_text(inner_node).replace(" ", ""))
        variable = (
            _find_constant_variable(inner_node, scope)
            if inner_node.type in ("identifier", "field_access")
            else None
        )
        inner_node = strip_wrappers(variable.value) if variable is not None else None
    return None
