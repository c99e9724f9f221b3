"""What the functions of a Python module say, to be compared between two revisions of it."""

import ast
from collections.abc import Sequence

from mutators.python.functions import Definition
from mutators.python.public import Functions


def function_identities(library_functions: Functions) -> dict[str, str]:
    """Return by the ids of a library's functions what all definitions of each say.

    Decorators are part of that, and which statements are inside which; where the lines are, how
    they are laid out, comments and docstrings are not.
    """
    return {
        function.method.id: _serialise_definitions(function.nodes)
        for _, functions in library_functions
        for function in functions
    }


def _serialise_definitions(nodes: Sequence[Definition]) -> str:
    # Not ast.dump: the trees of long expressions are deeper than it can go.
    lines: list[str] = []
    waiting: list[object] = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.AST):
            lines.append(type(node).__name__)
            waiting.extend(reversed(_list_node_fields(node)))
        elif isinstance(node, list):
            lines.append(str(len(node)))
            waiting.extend(reversed(node))
        else:
            # Python refuses to write long integers in decimals.
            lines.append(hex(node) if type(node) is int else repr(node))
    return "\n".join(lines)


def _list_node_fields(node: ast.AST) -> list[object]:
    parts = dict(ast.iter_fields(node))
    if isinstance(node, Definition | ast.ClassDef) and ast.get_docstring(node, clean=False):
        parts["body"] = node.body[1:]
    return list(parts.values())
