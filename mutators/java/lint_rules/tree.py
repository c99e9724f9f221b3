"""Java source as a tree: the few questions that the rules ask.

Nothing here or in the rules calls itself once for each level of a tree without a limit: whoever
wrote the source may have nested it as deep as they like.
"""

from collections.abc import Iterator

import tree_sitter_java
from tree_sitter import Language, Node, Parser

_LANGUAGE = Language(tree_sitter_java.language())
_NESTED_CODE = frozenset(
    {"lambda_expression", "class_body", "class_declaration", "record_declaration"}
)
_WRAPPERS = frozenset({"parenthesized_expression", "cast_expression"})
LOOPS = frozenset({"for_statement", "enhanced_for_statement", "while_statement", "do_statement"})
LITERALS = frozenset(
    {
        "decimal_integer_literal",
        "hex_integer_literal",
        "octal_integer_literal",
        "binary_integer_literal",
        "decimal_floating_point_literal",
        "hex_floating_point_literal",
        "character_literal",
        "string_literal",
        "true",
        "false",
    }
)


def parse_source(text: bytes) -> Node:
    """Return the tree of a file; parts that cannot be understood are error nodes in it."""
    return Parser(_LANGUAGE).parse(text).root_node


def read_text(node: Node | None) -> str:
    """Return the text of a node."""
    return node.text.decode(errors="replace") if node is not None and node.text else ""


def read_part_text(node: Node, name: str) -> str:
    """Return the text of a named part of a node."""
    return read_text(node.child_by_field_name(name))


def find_first_line(node: Node) -> int:
    """Return the line on which a node begins."""
    return node.start_point[0] + 1


def walk_tree(node: Node) -> Iterator[Node]:
    """Yield the node and all named nodes below it, in the order of the text."""
    pending = [node]
    while pending:
        inner_node = pending.pop()
        yield inner_node
        pending += reversed(inner_node.named_children)


def walk_own_nodes(node: Node) -> Iterator[Node]:
    """Yield the node and those below it, without the code of lambdas and classes inside it."""
    pending = [node]
    while pending:
        inner_node = pending.pop()
        yield inner_node
        pending += reversed(
            [child for child in inner_node.named_children if child.type not in _NESTED_CODE]
        )


def strip_wrappers(node: Node | None) -> Node | None:
    """Return an expression without parentheses and casts around it."""
    while node is not None and node.type in _WRAPPERS:
        value = node.child_by_field_name("value")
        node = value if value is not None else next(iter(list_children(node)), None)
    return node


def list_children(node: Node | None) -> list[Node]:
    """Return the named children of a node that are not comments."""
    children = node.named_children if node is not None else []
    return [inner_node for inner_node in children if not inner_node.type.endswith("comment")]


def list_arguments(call: Node) -> list[Node]:
    """Return the arguments of a call or of a constructor's call."""
    return list_children(call.child_by_field_name("arguments"))


def read_simple_type(node: Node | None) -> str:
    """Return the simple name of a type without type arguments; arrays keep their brackets."""
    text = read_text(node)
    head, _, rest = text.partition("<")
    brackets = "[]" * rest.rpartition(">")[2].count("[")
    return head.strip().rpartition(".")[2] + brackets


def find_assigned_node(node: Node | None) -> Node | None:
    """Return what is changed by an assignment, an increment or a decrement; else None."""
    if node is None:
        return None
    if node.type == "assignment_expression":
        return strip_wrappers(node.child_by_field_name("left"))
    if node.type == "update_expression":
        return strip_wrappers(next(iter(list_children(node)), None))
    return None


def find_root_name(node: Node | None) -> str:
    """Return the variable at the root of `x`, `x[i]`, `x.y` or `this.x`; empty if there is none."""
    while node is not None:
        if node.type == "identifier":
            return read_text(node)
        if node.type == "field_access":
            inner = node.child_by_field_name("object")
            if inner is not None and inner.type == "this":
                return read_part_text(node, "field")
            node = strip_wrappers(inner)
        elif node.type == "array_access":
            node = strip_wrappers(node.child_by_field_name("array"))
        else:
            return ""
    return ""
