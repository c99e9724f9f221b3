"""What the functions of a Python module say, to be compared between two revisions of it."""

import ast
from collections.abc import Sequence

from mutators.python.functions import Definition
from mutators.python.public import Functions


def function_identities(every: Functions) -> dict[str, str]:
    """Return by the ids of a library's functions what all definitions of each say.

    Decorators are part of that, and which statements are inside which; where the lines are, how
    they are laid out, comments and docstrings are not.
    """
    return {
        function.method.id: _said(function.nodes)
        for _, functions in every
        for function in functions
    }


def _said(nodes: Sequence[Definition]) -> str:
    # Not ast.dump: the trees of long expressions are deeper than it can go.
    said: list[str] = []
    waiting: list[object] = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.AST):
            said.append(type(node).__name__)
            waiting.extend(reversed(_parts(node)))
        elif isinstance(node, list):
            said.append(str(len(node)))
            waiting.extend(reversed(node))
        else:
            # Python refuses to write long integers in decimals.
            said.append(hex(node) if type(node) is int else repr(node))
    return "\n".join(said)


def _parts(node: ast.AST) -> list[object]:
    parts = dict(ast.iter_fields(node))
    if isinstance(node, Definition | ast.ClassDef) and ast.get_docstring(node, clean=False):
        parts["body"] = node.body[1:]
    return list(parts.values())
