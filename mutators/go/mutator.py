"""The Mutator of Go: sources in, files for the compiler's overlay out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from posixpath import basename, commonpath, dirname, join

from tree_sitter import Node

from auditor.core.edits import Edit, apply_edits
from auditor.core.mutant import Overlay, OverlayFile, OverlayRefusal, Variant, VariantKind
from auditor.core.subject import Method, SourceFile, SourceRole
from mutators.go import dual_body, recursion, tree
from mutators.go.declared_types import DeclaredTypes, find_declared_types
from mutators.go.methods import (
    MethodDeclaration,
    benchmark_folders,
    helps_tests,
    list_declared_methods,
    list_excluded_methods,
    select_importable_methods,
)

_NAME = "zzBenchAuditB"
_KINDS = ("function_declaration", "method_declaration", "func_literal")


_TIMERS = {"ResetTimer": 0, "StopTimer": 1, "StartTimer": 2}
"""Methods of a benchmark's timer, with the guest's number of each."""

FOLDER = "zz_bench_audit_guest"
_GUEST = "zzBenchAudit"
_DELAY = f"defer {_GUEST}.Exit({_GUEST}.Enter())"
_GUARDED = f"defer {_GUEST}.ExitGuarded({_GUEST}.EnterGuarded())"
_GUARD = ("guarded", "goroutine")
"""The guest's files that reach into the runtime: part of the overlays that need them only."""
_SAMPLER = "profile"
"""Beginning of the guest's files that sample stacks: part of the overlays of Kind.PROFILED only."""


_DECORATION = re.compile(r"\[[^\]]*\]|[()*]")


class GoMutator:
    """Finds the methods of a Go module and lays counters or a delay over them."""

    turn_seconds = 0.8e-9
    probe_seconds = 40e-9
    comment_prefix = b"//"

    def find_methods(self, sources: Sequence[SourceFile]) -> Sequence[Method]:
        """Return all functions and methods of the library, those that cannot be slowed too.

        What is left out of the build is refused, unless the build has another of the same name.
        Public is what other modules can import.
        """
        library = [source for source in sources if source.role is SourceRole.LIBRARY]
        types = find_declared_types(library)
        roots = [(source, tree.parse_source(source.text)) for source in library]
        methods = [
            declaration.method
            for source, root in roots
            for declaration in list_declared_methods(source, root, types)
        ]
        packages = {(source.unit, tree.read_package_name(root)) for source, root in roots}
        built = {method.id for method in methods}
        left = {
            method.id: method
            for method in list_excluded_methods(sources, packages)
            if method.id not in built
        }
        programs = {
            dirname(source.path) for source, root in roots if tree.read_package_name(root) == "main"
        }
        return select_importable_methods(
            [*methods, *left.values()], programs, benchmark_folders(sources)
        )

    def list_method_texts(self, sources: Sequence[SourceFile]) -> Mapping[str, str]:  # noqa: ARG002
        """Return nothing: in this language the lines say all."""
        return {}

    def matches_name(self, method_name: str, method: Method) -> bool:
        """Tell whether a name as people write it means this method.

        Receivers may have stars, parentheses and type parameters; the end of the name is enough.
        """
        plain = _DECORATION.sub("", method_name.strip().removesuffix("()"))
        return method.id == plain or method.id.endswith((f"/{plain}", f".{plain}"))

    def build_overlay(
        self, sources: Sequence[SourceFile], variant: Variant
    ) -> Overlay | OverlayRefusal:
        """Return the files of a variant; Refused where a method cannot be slowed rightly."""
        if variant.kind is VariantKind.PLAIN:
            return Overlay()
        if (
            variant.kind is VariantKind.TRACED
        ):  # what changes is the client, by the types it has there
            return Overlay(
                instructions=tuple(
                    f"method\t{traced_method.id}" for traced_method in variant.methods
                )
            )
        if refused := _find_refusal(variant):
            return refused
        library = [source for source in sources if source.role is SourceRole.LIBRARY]
        if not library:
            return OverlayRefusal("the project has no package outside of its tests")
        unit, folder = _choose_guest_place(sources, library)
        tokens = {method.id: index for index, method in enumerate(variant.methods)}
        try:
            changed = _change_files(sources, variant, tokens, f"{unit}/{FOLDER}")
        except _VariantImpossible as problem:
            return OverlayRefusal(str(problem))
        guest = _list_guest_files(join(folder, FOLDER), variant, library)
        ordered = sorted([*changed, *guest], key=lambda file: file.path)
        return Overlay(tuple(ordered), _list_instructions(sources, variant))


def _choose_guest_place(
    sources: Sequence[SourceFile], library: Sequence[SourceFile]
) -> tuple[str, str]:
    """Return the import path and the folder below which all packages may import the guest.

    A package outside of `internal` folders is best. Without such a package it is a folder above,
    which need not be a package, but never one above the module.
    """
    host = min(library, key=_rank_reachability)
    unit, folder = host.unit, dirname(host.path)
    importers = {source.unit for source in sources if source.role is not SourceRole.LEFT_OUT}
    while not all(_may_import(importer, unit) for importer in importers):
        if not folder or basename(folder) != basename(unit):
            return host.unit, dirname(host.path)
        unit, folder = dirname(unit), dirname(folder)
    return unit, folder


def _may_import(importer: str, unit: str) -> bool:
    """Tell whether Go lets a package import what lies below another one."""
    above, internal, _ = f"/{unit}/".rpartition("/internal/")
    return not internal or f"/{importer}/".startswith(f"{above}/")


def _rank_reachability(source: SourceFile) -> tuple[bool, int, str, str]:
    """Order packages by how many others may import what lies below them."""
    inner = "internal" in source.unit.split("/")
    return inner, len(source.unit), source.unit, source.path


class _VariantImpossible(Exception):
    """What was asked for cannot be made; the text says why."""


def _find_refusal(variant: Variant) -> OverlayRefusal | None:
    for method in variant.methods:
        if method.refusal:
            return OverlayRefusal(method.refusal)
    if variant.kind is VariantKind.DELAYED and len(variant.methods) != 1:
        return OverlayRefusal("a delay is laid over one method at a time")
    if variant.has_plain_blocks and not all(method.keeps_original for method in variant.methods):
        return OverlayRefusal("it cannot stay beside its slowed version")
    return None


def _change_files(
    sources: Sequence[SourceFile], variant: Variant, tokens: Mapping[str, int], guest: str
) -> list[OverlayFile]:
    """Return the changed files: those with methods, and those with benchmarks."""
    changed = []
    missing = set(tokens)
    types = _find_types(sources, variant)
    ids = {index: name for name, index in tokens.items()}
    for source in sources:
        if source.role in (SourceRole.LEFT_OUT, SourceRole.TESTS):
            continue
        if not _may_have(source, variant):
            if text := _hook_benchmarks(source, guest, timers=variant.kind is VariantKind.PROFILED):
                changed.append(OverlayFile(source.path, text, name_methods(text, _GUEST, ids)))
            continue
        root = tree.parse_source(source.text)
        declarations = [
            declaration
            for declaration in list_declared_methods(source, root, types)
            if declaration.method.id in tokens
        ]
        missing -= {method.method.id for method in declarations}
        edits = _make_hook_edits(root, _GUEST)
        for declaration in declarations:
            edits += _method_edits(source, declaration, variant, tokens[declaration.method.id])
        if edits:
            present_tokens = sorted(tokens[method.method.id] for method in declarations)
            text = _apply_edits(
                source, root, edits + _import_guest(root, source, present_tokens, guest)
            )
            changed.append(OverlayFile(source.path, text, name_methods(text, _GUEST, ids)))
    if missing:
        raise _VariantImpossible(f"the sources that are built do not declare {min(missing)}")
    return changed


@lru_cache(maxsize=4096)
def _hook_benchmarks(source: SourceFile, guest: str, *, timers: bool) -> bytes | None:
    """Return the text of a file with the hooks of its benchmarks, None where it has none.

    Remembered, since it is the same whichever method is slowed. There are tables of megabytes
    without any function, so what does not name testing is not parsed.
    """
    if b"testing" not in source.text:
        return None
    root = tree.parse_source(source.text)
    edits = _make_hook_edits(root, _GUEST, timers=timers)
    return (
        _apply_edits(source, root, edits + _import_guest(root, source, (), guest))
        if edits
        else None
    )


def _may_have(source: SourceFile, variant: Variant) -> bool:
    """Tell whether a file may declare one of the methods."""
    return source.role is SourceRole.LIBRARY and any(
        method.span.file == source.path
        if method.span
        else _belongs_to_unit(method.owner, source.unit)
        for method in variant.methods
    )


def _find_types(sources: Sequence[SourceFile], variant: Variant) -> DeclaredTypes:
    """Look into the packages of the methods only: a project may have hundreds."""
    return find_declared_types(
        source
        for source in sources
        if source.role is SourceRole.LIBRARY
        and any(_belongs_to_unit(method.owner, source.unit) for method in variant.methods)
    )


def _belongs_to_unit(owner: str, unit: str) -> bool:
    return owner == unit or owner.startswith(f"{unit}.")


def _make_guest_statement(variant: Variant, token: int) -> str:
    if variant.kind is VariantKind.DELAYED:
        return _GUARDED if variant.guarded else _DELAY
    return f"defer {_GUEST}.Done({_GUEST}.Count({token}))"


def _method_edits(
    source: SourceFile, declaration: MethodDeclaration, variant: Variant, token: int
) -> list[Edit]:
    """Insert directly behind the brace, on its line, or wrap what calls itself."""
    statement = _make_guest_statement(variant, token)
    if variant.has_plain_blocks:
        return dual_body.make_copy_edits(
            source, declaration.declaration, declaration.self_calls, statement, _GUEST
        )
    if declaration.self_calls:
        return recursion.wrap_function(declaration.declaration, declaration.self_calls, statement)
    body = declaration.declaration.child_by_field_name("body")
    return [Edit.make_insertion(body.start_byte + 1, f" {statement};".encode())] if body else []


def _import_guest(root: Node, source: SourceFile, tokens: Sequence[int], guest: str) -> list[Edit]:
    """Import the guest on the line of the package's name; tell it at start what is in the file.

    The telling is in the changed file itself, so that it proves that this file was compiled.
    """
    clause = next((child for child in root.named_children if child.type == "package_clause"), None)
    if clause is None:
        raise _VariantImpossible(f"{source.path} has no package clause")
    edits = [Edit.make_insertion(clause.end_byte, f'; import {_GUEST} "{guest}"'.encode())]
    if tokens:
        token_list = ", ".join(map(str, tokens))
        text = f"\nvar _ = {_GUEST}.Seen({token_list})\n"
        edits.append(Edit.make_insertion(len(source.text), text.encode()))
    return edits


def _apply_edits(source: SourceFile, root: Node, edits: Sequence[Edit]) -> bytes:
    text = apply_edits(source.text, edits)
    if tree.parse_source(text).has_error and not root.has_error:
        raise _VariantImpossible(f"the code to insert into {source.path} does not parse")
    return text


def _list_guest_files(
    folder: str, variant: Variant, library: Sequence[SourceFile]
) -> list[OverlayFile]:
    is_counting = variant.kind is VariantKind.COUNTING
    units = "".join(
        f'\t"{unit}": true,\n' for unit in (_list_library_units(library) if is_counting else ())
    )
    size = (
        f"package {FOLDER}\n\nconst methods = {len(variant.methods)}\n\n"
        f"var library = map[string]bool{{\n{units}}}\n"
    )
    parts = [
        OverlayFile(f"{folder}/{part.name}", part.read_bytes())
        for part in files("mutators.go").joinpath("guest").iterdir()
        if part.name.endswith((".go", ".s"))
        and (variant.guarded or not part.name.startswith(_GUARD))
        and (variant.kind is VariantKind.PROFILED or not part.name.startswith(_SAMPLER))
    ]
    return [*parts, OverlayFile(f"{folder}/size.go", size.encode(), b"")]


def _list_library_units(library: Sequence[SourceFile]) -> list[str]:
    """Return the packages whose calls are the library's own, without the helpers of its tests."""
    units = {source.unit for source in library}
    top = commonpath(units) if len(units) > 1 else units.copy().pop()
    return sorted(unit for unit in units if not helps_tests(unit[len(top) :]))


def _list_instructions(sources: Sequence[SourceFile], variant: Variant) -> tuple[str, ...]:
    """Name the packages with tests, and those to be built before: where counters were laid.

    Nearly all methods have one. A delay is in one package, and the programs that are run hold it.
    """
    counted = variant.kind is VariantKind.COUNTING
    owners = {method.owner for method in variant.methods if counted}
    lines: set[str] = set()
    for source in sources:
        folder = dirname(source.path) or "."
        if source.role in (SourceRole.BENCHMARKS, SourceRole.TESTS):
            lines.add(f"tests\t{folder}\t{source.unit}")
        elif source.role is SourceRole.LIBRARY and any(
            _belongs_to_unit(owner, source.unit) for owner in owners
        ):
            lines.add(f"changed\t{folder}\t{source.unit}")
    return tuple(sorted(lines))


def name_methods(text: bytes, guest: str, methods: Mapping[int, str]) -> bytes:
    """Return a file's text with the ids of methods in place of their numbers in calls of the guest.

    A method's number hangs on which others are counted, in other packages too, but decides nothing.
    """
    call = re.compile(rf"\b{guest}\.(Count|Seen)\(([0-9, ]+)\)".encode())
    return call.sub(lambda match: _name_call_methods(match, methods), text)


def _name_call_methods(match: re.Match[bytes], methods: Mapping[int, str]) -> bytes:
    ids = sorted(methods[int(number)] for number in match[2].split(b","))
    return match[1] + f"({', '.join(ids)})".encode()


def _make_hook_edits(root: Node, guest: str, *, timers: bool = False) -> list[Edit]:
    """Return the edits that hook the benchmarks of a file; `guest` is the guest's name in it.

    With `timers` the guest hears of all calls of a timer's methods, also those in helpers.
    """
    package = tree.imported_as(root, "testing")
    if package is None:
        return []
    benchmark_type = "*B" if package == "." else f"*{package}.B"
    hook_edits: list[Edit] = []
    for node in tree.walk_tree(root):
        if node.type in _KINDS and not node.has_error:
            hook_edits += _hook_function(node, benchmark_type, guest, resets=not timers)
        elif timers:
            hook_edits += _make_timer_edit(node, guest)
    return hook_edits


def _make_timer_edit(node: Node, guest: str) -> Iterator[Edit]:
    """Yield the edit in front of a statement that calls a timer's method, or loops by b.Loop."""
    if node.type == "for_statement" and _read_loop_condition(node).endswith(".Loop()"):
        holder = _read_loop_condition(node).removesuffix(".Loop()")
        labelled = node.parent is not None and node.parent.type == "labeled_statement"
        position = node.parent.start_byte if labelled and node.parent else node.start_byte
        event = _TIMERS["ResetTimer"]
    elif node.type == "expression_statement" and tree.read_text(node).endswith("()"):
        holder, _, name = tree.read_text(node).removesuffix("()").rpartition(".")
        if name not in _TIMERS:
            return
        position, event = node.start_byte, _TIMERS[name]
    else:
        return
    if holder.isidentifier():
        yield Edit.make_insertion(position, f"{guest}.Timer({holder}, {event}); ".encode())


def _hook_function(function: Node, benchmark_type: str, guest: str, *, resets: bool) -> list[Edit]:
    """Hook a function that is a benchmark by its type: one parameter, no result.

    One with more parameters is never what testing calls, and may be called in the timed loop.
    """
    body = function.child_by_field_name("body")
    parameters = tree.list_parameters(function)
    if body is None or function.child_by_field_name("result") or len(parameters) != 1:
        return []
    _, names, declared = parameters[0]
    if tree.read_text(declared) != benchmark_type or len(names) > 1:
        return []
    name = tree.read_text(names[0]) if names else ""
    hook_edits = []
    if not names:
        hook_edits.append(Edit.make_insertion(declared.start_byte, f"{_NAME} ".encode()))
    elif name == "_":
        hook_edits.append(Edit(names[0].start_byte, names[0].end_byte, _NAME.encode()))
    handle = name if name not in ("", "_") else _NAME
    call = f" {guest}.Run({handle}, &{handle}.N, func() {{"
    hook_edits.append(Edit.make_insertion(body.start_byte + 1, call.encode()))
    hook_edits.append(Edit.make_insertion(body.end_byte - 1, b"}) "))
    if not resets:
        return hook_edits
    reset = f"{guest}.Reset(); ".encode()
    return hook_edits + [
        Edit.make_insertion(position, reset) for position in _find_timer_resets(body, handle)
    ]


def _find_timer_resets(body: Node, name: str) -> Iterator[int]:
    """Yield where the timer is reset: in front of ResetTimer and of a loop by b.Loop.

    Nested function literals are passed over: those that are benchmarks get hooks of their own.
    """
    pending = [body]
    while pending:
        node = pending.pop()
        pending += [child for child in node.named_children if child.type != "func_literal"]
        if node.type == "expression_statement" and tree.read_text(node) == f"{name}.ResetTimer()":
            yield node.start_byte
        elif node.type == "for_statement" and _read_loop_condition(node) == f"{name}.Loop()":
            labelled = node.parent is not None and node.parent.type == "labeled_statement"
            yield node.parent.start_byte if labelled and node.parent else node.start_byte


def _read_loop_condition(loop: Node) -> str:
    return tree.read_text(next(iter(loop.named_children), None))
