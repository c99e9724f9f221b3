"""What tells a Python process which functions of a library are traced."""

import ast
from collections.abc import Sequence

from auditor.core.mutant import Overlay, OverlayFile
from auditor.core.subject import Method, SourceFile, SourceRole
from mutators.python.functions import Found, found, parsed
from mutators.python.laid import TRACER, Unclear, edited


def traced(sources: Sequence[SourceFile], methods: Sequence[Method]) -> Overlay:
    """Return all modules of a library, and on which line of which file each method begins.

    An interpreter from 3.12 on tells itself of each function that begins, and needs no more. For
    older ones there are the modules with a call in these functions; one that cannot have them is
    noted as `untraced`, with the reason.
    """
    asked = {method.id for method in methods}
    files, lines = [], []
    for source in sources:
        if source.role is not SourceRole.LIBRARY:
            continue
        lines.append(f"library\t{source.unit}\t{source.path}")
        here = [one for one in found(source) if one.method.id in asked]
        lines += _places(source, here)
        calls = {line: (f'called("{one.method.id}")', "") for one in here for line in one.lines}
        try:
            changed = edited(source.text, calls, TRACER) if calls else None
        except Unclear as problem:
            lines.append(f"untraced\t{source.unit}\t{problem}")
            continue
        if changed is not None:
            files.append(OverlayFile(source.path, changed))
            lines.append(f"module\t{source.unit}\t{source.path}")
    return Overlay(tuple(files), tuple(lines))


def _places(source: SourceFile, here: Sequence[Found]) -> list[str]:
    """Return a line for each place where a method begins: its code's is that of a decorator."""
    first = _first_lines(source)
    return [
        f"method\t{source.path}\t{first.get(line, line)}\t{one.method.id}"
        for one in here
        for line in one.lines
    ]


def _first_lines(source: SourceFile) -> dict[int, int]:
    """Return the lines of the first decorators by those of their functions."""
    module = parsed(source)
    return {
        node.lineno: node.decorator_list[0].lineno
        for node in (ast.walk(module) if module else ())
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list
    }
