"""The functions and methods of a Go library, and why some of them cannot be slowed."""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from posixpath import basename, dirname

from tree_sitter import Node

from auditor.core.subject import Language, Method, SourceFile, SourceRole, Span
from mutators.go import dual_body, recursion, tree
from mutators.go.declared_types import DeclaredTypes
from mutators.go.returned_functions import explain_iterator
from mutators.go.trivial import why_trivial

_FORBIDDEN = re.compile(rb"^//go:(nosplit|systemstack|nowritebarrier\w*|yeswritebarrierrec)\b")
"""Directives under which a deferred call may not be compiled or linked."""
_SUPPORTING = frozenset({"example", "examples", "bench", "benchmark", "benchmarks"})
"""Folders of packages that show or measure a library; no client calls them."""
_CONSTRAINT = re.compile(rb"^//go:build [^\r\n]*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class MethodDeclaration:
    """A declaration in a file, the method that it is, and the names in it that call it."""

    method: Method
    declaration: Node
    self_calls: tuple[Node, ...]


def list_declared_methods(
    source: SourceFile, root: Node, types: DeclaredTypes
) -> Iterator[MethodDeclaration]:
    """Yield what a file declares; a blank name, which nobody can call, is left out.

    `types` are those of all its package's files.
    """
    for declaration in tree.list_functions(root):
        if tree.read_text(declaration.child_by_field_name("name")) == "_":
            continue
        _, receiver = tree.read_receiver(declaration)
        owner = types.resolve_owner(source.unit, receiver)
        owner_fields = types.own_fields.get(f"{source.unit}.{owner}", frozenset())
        calls = tuple(recursion.self_calls(declaration, owner_fields))
        method = _make_method(source, root, declaration, owner, calls)
        method = replace(
            method,
            public=_is_public(method, declaration, types),
            trivial=why_trivial(declaration, root),
        )
        yield MethodDeclaration(method, declaration, calls)


def list_excluded_methods(
    sources: Iterable[SourceFile], packages: Container[tuple[str, str]]
) -> Iterator[Method]:
    """Yield what files declare that belong to one of `packages` (unit, name) but are not built.

    Beside them lie programs that belong to none, such as those that write sources.
    """
    for source in sources:
        if source.role is not SourceRole.LEFT_OUT:
            continue
        root = tree.parse_source(source.text)
        if (source.unit, tree.read_package_name(root)) in packages:
            reason = f"left out by the build tags in force ({_describe_constraint(source, root)})"
            for declaration in list_declared_methods(source, root, DeclaredTypes()):
                yield replace(declaration.method, refusal=reason)


def select_importable_methods(
    methods: Sequence[Method], programs: Container[str], measured: Iterable[str]
) -> Sequence[Method]:
    """Leave only those public that clients import.

    Those of `internal`, of a program, of examples and of benchmarks are not. `programs` are
    folders, `measured` those with benchmarks. Where nothing can be imported, or only what cannot be
    has benchmarks, as in a service, all that is exported counts but examples and benchmarks.
    """

    def is_hidden(folder: str) -> bool:
        return "internal" in folder.split("/") or folder in programs

    def is_library(folder: str) -> bool:
        return _SUPPORTING.isdisjoint(folder.split("/"))

    def is_client_api(folder: str) -> bool:
        return is_library(folder) and not is_hidden(folder)

    folders = set(filter(is_library, measured))
    inner = bool(folders) and all(map(is_hidden, folders))
    for is_offered in (is_library,) if inner else (is_client_api, is_library):
        offered = [
            replace(method, public=method.public and is_offered(_read_folder(method)))
            for method in methods
        ]
        if any(method.public and method.refusal is None for method in offered):
            return offered
    return methods


def _read_folder(method: Method) -> str:
    return dirname(method.span.file) if method.span else ""


def benchmark_folders(sources: Iterable[SourceFile]) -> Iterator[str]:
    """Yield the folders of files with benchmarks."""
    for source in sources:
        if source.role is SourceRole.BENCHMARKS and tree.BENCHMARK.search(source.text):
            yield dirname(source.path)


def _describe_constraint(source: SourceFile, root: Node) -> str:
    """Return what keeps a file out of the build: a line in it, its language, or its name."""
    if match := _CONSTRAINT.search(source.text):
        return match.group().decode(errors="replace")
    return 'import "C"' if tree.imported_as(root, "C") else basename(source.path)


def _make_method(
    source: SourceFile, root: Node, declaration: Node, owner: str, self_calls: Sequence[Node]
) -> Method:
    name = tree.read_text(declaration.child_by_field_name("name"))
    inside = f"{source.unit}.{owner}" if owner else source.unit
    refusal = _explain_refusal(declaration, name, owner)
    if refusal is None:
        refusal = explain_iterator(declaration, root)
    if refusal is None and self_calls:
        refusal = recursion.explain_refusal(declaration)
    return Method(
        language=Language.GO,
        id=f"{inside}.{name}",
        owner=inside,
        name=name,
        parameters=tree.parameter_types(declaration),
        span=Span(source.path, declaration.start_point.row + 1, declaration.end_point.row + 1),
        refusal=refusal,
        keeps_original=refusal is None and dual_body.can_copy(declaration),
    )


def _is_public(method: Method, declaration: Node, types: DeclaredTypes) -> bool:
    """Tell whether clients can call it, if they can import its package."""
    if declaration.type == "function_declaration":
        return method.name[:1].isupper() and not _is_fuzz_entry(declaration)
    owner = method.owner.rpartition(".")[2]
    is_offered = method.owner in types.offered and method.id not in types.shadowed
    return method.name[:1].isupper() and (owner[:1].isupper() or is_offered)


def _is_fuzz_entry(declaration: Node) -> bool:
    """Tell whether it is an entry point of go-fuzz, which nothing but that tool calls."""
    name = tree.read_text(declaration.child_by_field_name("name"))
    return (
        name.startswith("Fuzz")
        and not name[4:5].islower()
        and tree.parameter_types(declaration) == ("[]byte",)
        and tree.result_types(declaration) == ("int",)
    )


def _explain_refusal(declaration: Node, name: str, owner: str) -> str | None:
    if declaration.has_error:
        return "its source could not be parsed"
    if declaration.child_by_field_name("body") is None:
        return "it has no body in Go: assembly or another package provides it"
    if not owner and name in ("init", "main"):
        return f"{name} is called by the runtime, not by users"
    if directive := _find_directive(declaration):
        return f"it is marked {directive}, which allows no deferred call"
    return None


def _find_directive(declaration: Node) -> str:
    """Return a directive above the declaration that forbids what we insert."""
    above = declaration.prev_sibling
    line = declaration.start_point.row
    while above is not None and above.type == "comment" and above.end_point.row >= line - 1:
        if above.text and (match := _FORBIDDEN.match(above.text)):
            return match.group().decode()
        line = above.start_point.row
        above = above.prev_sibling
    return ""
