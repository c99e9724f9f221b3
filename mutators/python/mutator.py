"""The Mutator of Python: sources in, changed modules out that the guest's import hook serves."""

import ast
import re
from collections.abc import Mapping, Sequence

from auditor.core.mutant import Overlay, OverlayFile, OverlayRefusal, Variant, VariantKind
from auditor.core.subject import Method, SourceFile, SourceRole
from mutators.python.functions import FunctionDefinitions
from mutators.python.guest_call_edits import TRACER, EditImpossible, insert_guest_calls
from mutators.python.public import Functions, read_library_functions
from mutators.python.trivial import Definition

_BOUND = re.compile(r"\(.*\)$")


class PythonMutator:
    """Finds the functions of a Python library and lays counters or a delay over them."""

    turn_seconds = 8e-9
    probe_seconds = 80e-9
    comment_prefix = b"#"

    def find_methods(self, sources: Sequence[SourceFile]) -> Sequence[Method]:
        """Return all functions and methods of the library, those that cannot be slowed too."""
        by_id: dict[str, Method] = {}
        for _, module_functions in read_library_functions(sources):
            for function in module_functions:
                by_id.setdefault(function.method.id, function.method)
        return list(by_id.values())

    def list_method_texts(self, sources: Sequence[SourceFile]) -> Mapping[str, str]:
        """Return by their ids what all definitions of each function of the library say."""
        return _function_identities(read_library_functions(sources))

    def matches_name(self, name: str, method: Method) -> bool:
        """Tell whether a name as people write it means this method.

        Of its path the last parts are enough, and `package.module:Class.method` is the same as
        with a dot. A method has all names under which the library shows it.
        """
        plain = _BOUND.sub("", name.strip()).replace(":", ".")
        names = (method.id, *method.aliases, *filter(None, (method.descriptor,)))
        return any(name == plain or name.endswith(f".{plain}") for name in names)

    def build_overlay(
        self, sources: Sequence[SourceFile], variant: Variant
    ) -> Overlay | OverlayRefusal:
        """Return the changed modules, and which module each file is.

        Refused where a method cannot be slowed rightly.
        """
        if variant.kind is VariantKind.PLAIN:
            return Overlay()
        if variant.kind is VariantKind.PROFILED:
            return _name_modules(sources)
        if variant.kind is VariantKind.TRACED:
            return _build_tracing_overlay(sources, variant.methods)
        return self._change_modules(sources, variant)

    def _change_modules(
        self, sources: Sequence[SourceFile], variant: Variant
    ) -> Overlay | OverlayRefusal:
        for method in variant.methods:
            if method.refusal:
                return OverlayRefusal(method.refusal)
        if variant.kind is VariantKind.DELAYED and len(variant.methods) != 1:
            return OverlayRefusal("a delay is laid over one method at a time")
        try:
            return _build_overlay(sources, variant)
        except EditImpossible as problem:
            return OverlayRefusal(str(problem))


def _name_modules(sources: Sequence[SourceFile]) -> Overlay:
    """Change nothing; name the modules of the library, wherever they are installed."""
    library = (source for source in sources if source.role is SourceRole.LIBRARY)
    return Overlay((), tuple(f"source\t{source.unit}\t{source.path}" for source in library))


def _build_overlay(sources: Sequence[SourceFile], variant: Variant) -> Overlay:
    """Change each module that defines one of the methods; the guest is told which module it is.

    Methods have their names in the text, not numbers, so a module is the same whatever others are
    changed beside it.
    """
    method_ids = {method.id for method in variant.methods}
    files, lines = [], []
    missing_ids = set(method_ids)
    for source, module_functions in read_library_functions(sources):
        changed_functions = [
            function for function in module_functions if function.method.id in method_ids
        ]
        if changed_functions:
            calls = {
                line: _format_guest_calls(variant, definitions.method)
                for definitions in changed_functions
                for line in definitions.def_lines
            }
            files.append(OverlayFile(source.path, insert_guest_calls(source.text, calls)))
            lines.append(f"module\t{source.unit}\t{source.path}")
            missing_ids -= {function.method.id for function in changed_functions}
    if variant.kind is VariantKind.COUNTING:
        lines += _list_calling_modules(sources)
    if missing_ids:
        raise EditImpossible(f"the sources do not define {min(missing_ids)}")
    return Overlay(tuple(files), tuple(lines))


def _list_calling_modules(sources: Sequence[SourceFile]) -> list[str]:
    """Return an instruction for each module whose calls are the library's own.

    The helpers of its tests are none.
    """
    return sorted(
        f"library\t{source.unit}\t{source.path}"
        for source, _ in read_library_functions(sources)
        if not re.search(r"\._?test", source.unit)
    )


def _format_guest_calls(variant: Variant, method: Method) -> tuple[str, str]:
    """Return the guest's call at the beginning, and its function at the end."""
    if variant.kind is VariantKind.COUNTING:
        return f'begin("{method.id}")', "end"
    return ("enter_guarded()", "leave_guarded") if variant.guarded else ("enter()", "leave")


def _function_identities(library_functions: Functions) -> dict[str, str]:
    """Return by the ids of a library's functions what all definitions of each say.

    Decorators are part of that, and which statements are inside which; where the lines are, how
    they are laid out, comments and docstrings are not.
    """
    nodes_by_id: dict[str, list[Definition]] = {}
    for _, functions in library_functions:
        for function in functions:
            nodes_by_id.setdefault(function.method.id, []).extend(function.nodes)
    return {name: _serialise_definitions(nodes) for name, nodes in nodes_by_id.items()}


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


def _build_tracing_overlay(sources: Sequence[SourceFile], methods: Sequence[Method]) -> Overlay:
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
