"""More questions about a Go tree: calls, statements, selectors and what stands around a node."""

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from mutators.go import tree

LITERAL = frozenset({"func_literal"})
"""What a walk leaves out that shall stay in a function's own statements."""


def split_words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


NUMBERS = split_words(
    "bool byte rune int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 "
    "float64 complex64 complex128"
)
"""Types of one word; a conversion to one of them is no work."""

Parents = Mapping[int, Node]


def walk_nodes(node: Node, without: frozenset[str] = frozenset()) -> Iterator[Node]:
    """Yield the node and the named nodes below it in order; nodes of some types are left out."""
    pending = [node]
    while pending:
        inner_node = pending.pop()
        yield inner_node
        pending += [
            child for child in reversed(inner_node.named_children) if child.type not in without
        ]


def map_parents(node: Node) -> Parents:
    """Return the parent of each named node below a node, by the child's id."""
    return {
        child.id: inner_node
        for inner_node in tree.walk_tree(node)
        for child in inner_node.named_children
    }


def list_ancestors(node: Node, above: Parents) -> Iterator[Node]:
    """Yield what a node lies in, the nearest first."""
    inner_node = above.get(node.id)
    while inner_node is not None:
        yield inner_node
        inner_node = above.get(inner_node.id)


def contains_node(outer: Node, inner: Node) -> bool:
    """Tell whether the text of a node lies in that of another of the same tree."""
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def list_calls(node: Node, without: frozenset[str] = frozenset()) -> Iterator[Node]:
    """Yield the calls at and below a node."""
    return (
        inner_node
        for inner_node in walk_nodes(node, without)
        if inner_node.type == "call_expression"
    )


def list_arguments(call: Node) -> list[Node]:
    """Return the arguments of a call."""
    argument_list = call.child_by_field_name("arguments")
    return (
        [child for child in argument_list.named_children if child.type != "comment"]
        if argument_list
        else []
    )


def split_selector(node: Node | None) -> tuple[str, str]:
    """Return both names of `operand.field` where the operand is a name, else two empty ones."""
    if node is None or node.type != "selector_expression":
        return "", ""
    operand = node.child_by_field_name("operand")
    if operand is None or operand.type != "identifier":
        return "", ""
    return tree.read_text(operand), tree.read_text(node.child_by_field_name("field"))


def find_callee(call: Node) -> Node | None:
    """Return what a call calls."""
    return call.child_by_field_name("function")


def read_called_name(call: Node) -> str:
    """Return the last name of what a call calls, empty where that has none."""
    function = find_callee(call)
    if function is None:
        return ""
    if function.type == "selector_expression":
        return tree.read_text(function.child_by_field_name("field"))
    return tree.read_text(function) if function.type == "identifier" else ""


def format_callee(call: Node) -> str:
    """Return how a text names what a call calls: its dotted name, without line breaks."""
    text = " ".join(tree.read_text(find_callee(call)).split())
    return text if len(text) <= 60 else read_called_name(call)


def list_statements(block: Node | None) -> list[Node]:
    """Return the statements of a block; some versions of the grammar wrap them in a list."""
    if block is None:
        return []
    nodes: list[Node] = []
    for child in block.named_children:
        nodes += child.named_children if child.type == "statement_list" else [child]
    return [node for node in nodes if node.type != "comment"]


def list_names(node: Node | None) -> list[str]:
    """Return the names on one side of an assignment or declaration; "" for what is none."""
    if node is None:
        return []
    nodes = node.named_children if node.type == "expression_list" else [node]
    return [
        tree.read_text(inner_node) if inner_node.type == "identifier" else ""
        for inner_node in nodes
    ]


def list_values(node: Node | None) -> list[Node]:
    """Return the expressions on one side of an assignment or declaration."""
    if node is None:
        return []
    return node.named_children if node.type == "expression_list" else [node]


def strip_parentheses(node: Node) -> Node:
    """Return an expression without the parentheses around it."""
    while node.type == "parenthesized_expression" and node.named_children:
        node = node.named_children[0]
    return node


def find_first_line(node: Node) -> int:
    """Return the line, one-based, on which a node begins."""
    return int(node.start_point[0]) + 1


def list_loop_counters(loop: Node) -> set[str]:
    """Return the names that a loop declares or sets in its head."""
    head = next(iter(loop.named_children), None)
    if head is None:
        return set()
    start = head.child_by_field_name("initializer")
    counter_names = (
        set(list_names(start.child_by_field_name("left"))) if start is not None else set()
    )
    return (counter_names | set(list_names(head.child_by_field_name("left")))) - {"", "_"}
