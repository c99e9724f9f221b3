"""Functions that make a function and return it: their work runs where that is called."""

from tree_sitter import Node

from mutators.go import tree
from mutators.go.lint_rules import syntax

_ITERATOR = "an iterator: calling it runs nothing of the loop that it returns"
_CONVERSION = "http.HandlerFunc"
"""The conversion that most middleware makes; others are known by the type of the result."""
_LAZY = ("bytes", "maps", "slices", "strings")
"""Packages of the standard library whose iterators do nothing before their loop."""


def explain_iterator(declaration: Node, root: Node) -> str | None:
    """Return why a delay would miss the work, where that is in the iterator that is returned.

    The statements in front of it may hold no call and no loop: these would be work of the function.
    """
    statements, value = _find_returned_value(declaration)
    if value is None or any(map(_may_work, statements[:-1])):
        return None
    result = tree.read_text(declaration.child_by_field_name("result"))
    literal = _find_literal(value, result)
    if literal is not None:
        return _ITERATOR if _is_iterator(literal) else None
    return _ITERATOR if _forwards_iterator(value, result, root) else None


def makes_only_function(declaration: Node) -> bool:
    """Tell whether all that a function does is to return a function literal."""
    statements, value = _find_returned_value(declaration)
    if value is None or len(statements) > 1:
        return False
    return (
        _find_literal(value, tree.read_text(declaration.child_by_field_name("result"))) is not None
    )


def _find_returned_value(declaration: Node) -> tuple[list[Node], Node | None]:
    """Return the statements of a function, and the only value that the last one returns."""
    statements = list(syntax.list_statements(declaration.child_by_field_name("body")))
    if not statements or statements[-1].type != "return_statement":
        return statements, None
    values = [value for child in statements[-1].named_children for value in _list_values(child)]
    return statements, values[0] if len(values) == 1 else None


def _may_work(statement: Node) -> bool:
    return any(
        node.type in ("call_expression", "for_statement") for node in tree.walk_tree(statement)
    )


def _list_values(node: Node) -> list[Node]:
    return [syntax.strip_parentheses(value) for value in syntax.list_values(node)]


def _find_literal(value: Node, result: str) -> Node | None:
    """Return a function literal, also below a conversion of it; None for anything else."""
    if value.type == "func_literal":
        return value
    arguments = value.child_by_field_name("arguments")
    operands = arguments.named_children if arguments else [value.child_by_field_name("operand")]
    if len(operands) != 1 or operands[0] is None or operands[0].type != "func_literal":
        return None
    converted = tree.read_text(value).partition("(")[0]
    return operands[0] if converted in (result, _CONVERSION) else None


def _is_iterator(literal: Node) -> bool:
    """Tell whether the only parameter is a function that answers whether to go on."""
    parameters = tree.list_parameters(literal)
    if len(parameters) != 1 or literal.child_by_field_name("result") is not None:
        return False
    _, _, declared = parameters[0]
    answer = tree.read_text(declared.child_by_field_name("result"))
    return declared.type == "function_type" and answer == "bool"


def _forwards_iterator(value: Node, result: str, root: Node) -> bool:
    """Tell whether it is an iterator of the standard library, over what needs no call."""
    package = tree.imported_as(root, "iter")
    if package is None or not result.startswith(f"{package}.Seq"):
        return False
    callee, _, _ = tree.read_text(value).partition(".")
    calls = [node for node in tree.walk_tree(value) if node.type == "call_expression"]
    return calls == [value] and any(callee == tree.imported_as(root, path) for path in _LAZY)
