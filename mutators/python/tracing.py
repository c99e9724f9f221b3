"""What tells a Python process which functions of a library are traced."""

from collections.abc import Sequence

from auditor.core.mutant import Overlay, OverlayFile
from auditor.core.subject import Method, SourceFile
from mutators.python.functions import FunctionDefinitions
from mutators.python.guest_call_edits import TRACER, Unclear, insert_guest_calls
from mutators.python.public import functions


def traced(sources: Sequence[SourceFile], methods: Sequence[Method]) -> Overlay:
    """Return all modules of a library, and on which line of which file each method begins.

    An interpreter from 3.12 on tells itself of each function that begins, and needs no more. For
    older ones there are the modules with a call in these functions; one that cannot have them is
    noted as `untraced`, with the reason.
    """
    asked = {method.id for method in methods}
    files, lines = [], []
    for source, every in functions(sources):
        lines.append(f"library\t{source.unit}\t{source.path}")
        here = [function for function in every if function.method.id in asked]
        lines += [place for definitions in here for place in _places(source, definitions)]
        calls = {
            line: (f'called("{function.method.id}")', "")
            for function in here
            for line in function.lines
        }
        try:
            changed = insert_guest_calls(source.text, calls, TRACER) if calls else None
        except Unclear as problem:
            lines.append(f"untraced\t{source.unit}\t{problem}")
            continue
        if changed is not None:
            files.append(OverlayFile(source.path, changed))
            lines.append(f"module\t{source.unit}\t{source.path}")
    return Overlay(tuple(files), tuple(lines))


def _places(source: SourceFile, function: FunctionDefinitions) -> list[str]:
    """Return a line for each place where a method begins."""
    return [f"method\t{source.path}\t{line}\t{function.method.id}" for line in function.first_lines]
