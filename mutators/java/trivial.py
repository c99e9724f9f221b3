"""Methods of Java that cannot get slower, since they do next to nothing themselves."""

from tree_sitter import Node

from mutators.java.lint_rules.tree import list_children, read_text

_LITERALS = frozenset(
    {
        "decimal_integer_literal", "hex_integer_literal", "octal_integer_literal",
        "binary_integer_literal", "decimal_floating_point_literal", "character_literal",
        "string_literal", "true", "false", "null_literal", "class_literal",
    }
)  # fmt: skip


_NAMES = frozenset({"identifier", "this", "super"})


_PLATFORM = frozenset({"System", "Thread", "Runtime", "Math", "Instant", "Clock"})
"""Classes of the JDK whose static methods libraries wrap."""


def why_trivial(declaration: Node) -> str | None:
    """Return why a method cannot get slower; None where it can, or has no body."""
    body = declaration.child_by_field_name("body")
    if body is None or declaration.has_error:
        return None
    statements = list_children(body)
    if not statements or [statement.type for statement in statements] == [
        "explicit_constructor_invocation"
    ]:
        return _why_empty(statements)
    return _why_single(statements[0]) if len(statements) == 1 else None


def _why_single(only: Node) -> str | None:
    """Return why the only statement of a method cannot get slower."""
    values = list_children(only)
    value = values[0] if len(values) == 1 else None
    if only.type == "return_statement" and (value is None or _is_plain(value)):
        return "it only returns a field or a constant"
    if value is None or only.type not in {"return_statement", "expression_statement"}:
        return None
    if value.type == "assignment_expression":
        return "it only sets a field" if all(map(_is_plain, value.named_children)) else None
    return "it only calls the JDK" if _is_platform_call(value) else None


def _why_empty(statements: list[Node]) -> str | None:
    """Say that a body is empty, but for `super()` or `this()` without arguments."""
    for statement in statements:
        arguments = statement.child_by_field_name("arguments")
        if arguments is None or arguments.named_children:
            return None
    return "its body is empty"


def _is_plain(node: Node) -> bool:
    """Tell whether an expression is a name, a field or a literal."""
    if node.type == "field_access":
        target = node.child_by_field_name("object")
        return target is not None and _is_plain(target)
    return node.type in _LITERALS or node.type in _NAMES


def _is_platform_call(node: Node) -> bool:
    """Tell whether it is a call of a class of the JDK that hands over literals at most."""
    target = node.child_by_field_name("object")
    arguments = node.child_by_field_name("arguments")
    if node.type != "method_invocation" or target is None or arguments is None:
        return False
    text = read_text(target)
    is_platform_class = text in _PLATFORM or text.startswith(("java.lang.", "java.time."))
    return is_platform_class and all(child.type in _LITERALS for child in arguments.named_children)
