"""Functions of Go that cannot get slower, since they do next to nothing themselves."""

from tree_sitter import Node

from mutators.go import tree
from mutators.go.lint_rules import syntax
from mutators.go.returned_functions import makes_only_function

_LITERALS = frozenset(
    {
        "int_literal", "float_literal", "imaginary_literal", "rune_literal", "true", "false", "nil",
        "interpreted_string_literal", "raw_string_literal",
    }
)  # fmt: skip
_NAMES = frozenset({"identifier", "iota"})
_STANDARD = syntax.split_words(
    "archive bufio bytes cmp compress container context crypto database debug embed encoding "
    "errors expvar flag fmt go hash html image index io iter log maps math mime net os path "
    "plugin reflect regexp runtime slices sort strconv strings structs sync syscall testing text "
    "time unicode unique unsafe weak"
)
"""Where paths of the standard library begin. A module's own path may have no dot, either."""


def why_trivial(declaration: Node, root: Node) -> str | None:
    """Return why a function cannot get slower; None where it can, or has no body."""
    body = declaration.child_by_field_name("body")
    if body is None or declaration.has_error:
        return None
    if makes_only_function(declaration):
        return "it only makes a function: the work is in that one"
    statements = syntax.list_statements(body)
    if not statements:
        return "its body is empty"
    return _why_single(statements[0], root) if len(statements) == 1 else None


def _why_single(only: Node, root: Node) -> str | None:
    """Return why the only statement of a function cannot get slower."""
    if only.type == "assignment_statement" and only.child_count == 3:
        sides = _list_sides(only)
        return "it only sets a field" if sides and all(map(_is_plain, sides)) else None
    if only.type not in {"return_statement", "expression_statement"}:
        return None
    values = [value for child in only.named_children for value in syntax.list_values(child)]
    if only.type == "return_statement" and all(map(_is_plain, values)):
        return "it only returns a field or a constant"
    if len(values) == 1 and _is_platform_call(values[0], root):
        return "it only calls the standard library"
    return None


def _list_sides(assignment: Node) -> list[Node]:
    operator = assignment.child_by_field_name("operator")
    if operator is None or tree.read_text(operator) != "=":
        return []
    return [value for side in assignment.named_children for value in syntax.list_values(side)]


def _is_plain(node: Node) -> bool:
    """Tell whether an expression is a name, a field or a literal."""
    if node.type == "selector_expression":
        operand = node.child_by_field_name("operand")
        return operand is not None and _is_plain(operand)
    return node.type in _LITERALS or node.type in _NAMES


def _is_platform_call(node: Node, root: Node) -> bool:
    """Tell whether it is a call of the standard library that hands over literals at most."""
    if node.type != "call_expression":
        return False
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None or function.type != "selector_expression":
        return False
    if any(child.type not in _LITERALS for child in arguments.named_children):
        return False
    operand = function.child_by_field_name("operand")
    return operand is not None and tree.read_text(operand) in _standard_packages(root)


def _standard_packages(root: Node) -> frozenset[str]:
    """Return the names of imported packages of the standard library."""
    packages = set()
    for node in (
        inner_node for child in root.named_children for inner_node in tree.walk_tree(child)
    ):
        if node.type == "import_spec":
            path = tree.read_text(node.child_by_field_name("path")).strip('"`')
            if path.partition("/")[0] in _STANDARD:
                alias = tree.read_text(node.child_by_field_name("name"))
                packages.add(alias or path.rsplit("/", 1)[-1])
    return frozenset(packages)
