"""Go source as a tree: the few questions that the rest of this package asks."""

import re
from collections.abc import Iterator
from functools import lru_cache

import tree_sitter_go
from tree_sitter import Language, Node, Parser

BENCHMARK = re.compile(rb"^func[ \t]+Benchmark", re.MULTILINE)
"""How a benchmark begins, which may be all that can be read of it."""
_LANGUAGE = Language(tree_sitter_go.language())
_NEW_CALL = re.compile(rb"\bnew(?=[ \t]*\()")
_STAND_IN = b"nEw"
"""A name that the grammar takes for any function, as long as `new`."""
_TOKEN = re.compile(
    rb'"(?:\\.|[^"\\\n])*"|`[^`]*`|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/|[()]', re.DOTALL
)
"""What holds parentheses that close nothing, and parentheses."""


def parse_source(text: bytes) -> Node:
    """Return the tree of a file; parts that cannot be understood are error nodes in it.

    The grammar knows `new` with a type only, Go 1.26 also with a value. Such a file is parsed with
    a stand-in for that name; its nodes are then reused, unchanged, for the text itself.
    """
    parser = Parser(_LANGUAGE)
    parsed = parser.parse(text)
    if parsed.root_node.has_error and _NEW_CALL.search(text):
        understood = parser.parse(_replace_new_of_values(text))
        parsed = parser.parse(text, understood)
    return parsed.root_node


@lru_cache(maxsize=256)
def _replace_new_of_values(text: bytes) -> bytes:
    """Return the text with the stand-in where `new` has a value, inner calls first."""
    for match in reversed(list(_NEW_CALL.finditer(text))):
        end = _find_call_end(text, match.end())
        if not _is_expression(text[match.start() : end]):
            renamed = text[: match.start()] + _STAND_IN + text[match.end() :]
            text = renamed if _is_expression(renamed[match.start() : end]) else text
    return text


def _find_call_end(text: bytes, start: int) -> int:
    """Return where the parenthesis is closed that opens first."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += {b"(": 1, b")": -1}.get(token[0], 0)
        if token[0] == b")" and depth == 0:
            return token.end()
    return len(text)


def _is_expression(text: bytes) -> bool:
    source = b"package p\nvar _ = " + text + b"\n"
    return not Parser(_LANGUAGE).parse(source).root_node.has_error


def read_text(node: Node | None) -> str:
    """Return the text of a node."""
    return node.text.decode(errors="replace") if node is not None and node.text else ""


def walk_tree(node: Node) -> Iterator[Node]:
    """Yield the node and all named nodes below it, in the order of the text."""
    pending = [node]
    while pending:
        inner_node = pending.pop()
        yield inner_node
        pending += reversed(inner_node.named_children)


def read_package_name(root: Node) -> str:
    """Return the name in the package clause, empty where there is none."""
    clause = next((child for child in root.named_children if child.type == "package_clause"), None)
    return read_text(clause.named_children[0]) if clause is not None else ""


def list_functions(root: Node) -> Iterator[Node]:
    """Yield the declarations of functions and methods of a file."""
    for child in root.named_children:
        if child.type in ("function_declaration", "method_declaration"):
            yield child


def read_receiver(declaration: Node) -> tuple[str, str]:
    """Return the receiver's name and the name of its type, both empty where there is none."""
    parameters = declaration.child_by_field_name("receiver")
    declarations = parameters.named_children if parameters is not None else []
    nodes = [node for node in declarations if node.type == "parameter_declaration"]
    if not nodes:
        return "", ""
    return read_text(nodes[0].child_by_field_name("name")), type_name(
        nodes[0].child_by_field_name("type")
    )


def is_generic(declaration: Node) -> bool:
    """Tell whether a function has type parameters, or its receiver's type has."""
    receiver = read_text(declaration.child_by_field_name("receiver"))
    return declaration.child_by_field_name("type_parameters") is not None or "[" in receiver


def type_name(node: Node | None) -> str:
    """Return the name of a type without pointers, parentheses and type arguments."""
    while node is not None and node.type not in ("type_identifier", "qualified_type"):
        inner = node.child_by_field_name("type")
        node = inner if inner is not None else next(iter(node.named_children), None)
    return read_text(node)


def list_parameters(declaration: Node) -> list[tuple[Node, list[Node], Node]]:
    """Return the parameter declarations of a function: each with its names and its type."""
    parameter_list = declaration.child_by_field_name("parameters")
    nodes = []
    for child in parameter_list.named_children if parameter_list is not None else []:
        declared = child.child_by_field_name("type")
        if declared is not None:
            nodes.append((child, child.children_by_field_name("name"), declared))
    return nodes


def parameter_types(declaration: Node) -> tuple[str, ...]:
    """Return the text of the type of each parameter."""
    types: list[str] = []
    for node, names, declared in list_parameters(declaration):
        dots = "..." if node.type == "variadic_parameter_declaration" else ""
        types += [dots + read_text(declared)] * max(1, len(names))
    return tuple(types)


def result_types(declaration: Node) -> tuple[str, ...]:
    """Return the text of the type of each result."""
    result = declaration.child_by_field_name("result")
    if result is None:
        return ()
    if result.type != "parameter_list":
        return (read_text(result),)
    types: list[str] = []
    for child in result.named_children:
        kind = child.child_by_field_name("type")
        names = child.children_by_field_name("name")
        types += [read_text(kind if kind is not None else child)] * max(1, len(names))
    return tuple(types)


def imported_as(root: Node, path: str) -> str | None:
    """Return the name under which a file imports a package: "." for a dot import, None if not."""
    imports = (
        child for child in root.named_children if child.type in ("import_declaration", "ERROR")
    )
    for node in (descendant for inner_node in imports for descendant in walk_tree(inner_node)):
        if node.type == "import_spec" and read_text(node.child_by_field_name("path"))[1:-1] == path:
            name = read_text(node.child_by_field_name("name"))
            return name or path.rsplit("/", 1)[-1]
    return None
