"""What tells a Python process which functions of a library are traced."""

from collections.abc import Sequence

from auditor.core.mutant import Overlay, OverlayFile
from auditor.core.subject import Method, SourceFile
from mutators.python.functions import FunctionDefinitions
from mutators.python.guest_call_edits import TRACER, EditImpossible, insert_guest_calls
from mutators.python.public import read_library_functions


def build_tracing_overlay(sources: Sequence[SourceFile], methods: Sequence[Method]) -> Overlay:
    """Return all modules of a library, and on which line of which file each method begins.

    An interpreter from 3.12 on tells itself of each function that begins, and needs no more. For
    older ones there are the modules with a call in these functions; one that cannot have them is
    noted as `untraced`, with the reason.
    """
    method_ids = {method.id for method in methods}
    files, lines = [], []
    for source, module_functions in read_library_functions(sources):
        lines.append(f"library\t{source.unit}\t{source.path}")
        traced_functions = [
            function for function in module_functions if function.method.id in method_ids
        ]
        lines += [
            place
            for definitions in traced_functions
            for place in _format_method_places(source, definitions)
        ]
        calls = {
            line: (f'called("{function.method.id}")', "")
            for function in traced_functions
            for line in function.def_lines
        }
        try:
            changed = insert_guest_calls(source.text, calls, TRACER) if calls else None
        except EditImpossible as problem:
            lines.append(f"untraced\t{source.unit}\t{problem}")
            continue
        if changed is not None:
            files.append(OverlayFile(source.path, changed))
            lines.append(f"module\t{source.unit}\t{source.path}")
    return Overlay(tuple(files), tuple(lines))


def _format_method_places(source: SourceFile, function: FunctionDefinitions) -> list[str]:
    """Return a line for each place where a method begins."""
    return [f"method\t{source.path}\t{line}\t{function.method.id}" for line in function.first_lines]
