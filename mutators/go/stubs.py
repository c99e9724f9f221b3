"""Go benchmarks for functions and methods that have none."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from posixpath import dirname, join

from tree_sitter import Node

from auditor.core.contracts.stubs import Samples, Stub, reserve_name
from auditor.core.subject import Method, SourceFile, SourceRole
from mutators.go import tree
from mutators.go.declared_types import find_declared_types

FILE = "unwatched_bench_test.go"
_PREFIX = re.compile(r"\b([A-Za-z_]\w*)\.[A-Z]")
_DECLARED = re.compile(rb"^(?:func|var|const|type) (\w+)", re.MULTILINE)
_RESERVED_NAMES = frozenset({"b", "i", "subject", "testing"})
"""Names that a benchmark has already."""
_SEPARATOR = re.compile(r"[-.]")
_VERSION = re.compile(r"(?:/v\d+|\.v\d+)$")


@dataclass(frozen=True, slots=True)
class _StubTarget:
    """A method, what calls of it handed over, the file that declares it, and where."""

    method: Method
    samples: tuple[tuple[str | None, ...], ...]
    root: Node
    declaration: Node


@dataclass(slots=True)
class _StubFile:
    """The file that is being written for one package."""

    unit: str
    """Import path of the package."""
    package: str
    """Its name in the source."""
    folder: str
    """Relative to the project's root."""
    used_names: set[str]
    """Names that the package already has."""
    written_names: set[str] = field(default_factory=set)
    """Names in `used_names` of benchmarks that are being written."""
    imports: set[str] = field(default_factory=set)
    """Paths of the packages that the file imports."""
    texts: list[str] = field(default_factory=list)
    """Benchmarks, as source."""
    ready: list[str] = field(default_factory=list)
    """Ids of methods whose benchmark is complete."""
    incomplete: list[tuple[str, str]] = field(default_factory=list)
    """(method id, what is missing) of the others."""


@dataclass(frozen=True, slots=True)
class _BenchmarkStyle:
    """How the project's own benchmarks are written."""

    loop: str
    allocations: bool


LOOP_SINCE = (1, 24)
"""The version of Go from which on `testing.B` has `Loop`."""

VersionOf = Callable[[str], tuple[int, int] | None]
"""Returns the version of the language that a folder's module asks for; None where unknown."""


def _leave_version_unknown(_: str) -> None:
    return None


def write_stubs(
    methods: Sequence[Method],
    samples: Samples,
    sources: Sequence[SourceFile],
    version_of: VersionOf = _leave_version_unknown,
) -> list[Stub]:
    """Return a file for each package, inside it: so no type has to be written with its package.

    A method of which the package has a benchmark by its name is left out.
    """
    allocations = _reports_allocations(sources)
    declared = _index_declarations(sources)
    files: dict[str, _StubFile] = {}
    for method in methods:
        if method.id in declared:
            source, root, declaration = declared[method.id]
            used_names = _list_declared_names(sources, source.unit)
            new = _StubFile(
                source.unit, tree.read_package_name(root), dirname(source.path), used_names
            )
            file = files.setdefault(source.unit, new)
            loops = (version_of(dirname(source.path)) or (0, 0)) >= LOOP_SINCE
            style = _BenchmarkStyle(
                "for b.Loop()" if loops else "for i := 0; i < b.N; i++", allocations
            )
            _add_benchmark(
                file, _StubTarget(method, samples.get(method.id, ()), root, declaration), style
            )
    return [_finish_stub(stub_file) for stub_file in files.values() if stub_file.texts]


def _reports_allocations(sources: Sequence[SourceFile]) -> bool:
    """Tell whether some benchmark calls `ReportAllocs`, in its code and not in a comment."""
    tests = [source.text for source in sources if source.role is SourceRole.BENCHMARKS]
    return any(
        node.type == "call_expression"
        and tree.read_text(node.child_by_field_name("function")).endswith(".ReportAllocs")
        for text in tests
        if b".ReportAllocs()" in text
        for child in tree.parse_source(text).named_children
        for node in tree.walk_tree(child)
    )


def _list_declared_names(sources: Sequence[SourceFile], unit: str) -> set[str]:
    unit_sources = (source for source in sources if source.unit == unit)
    return {name.decode() for file in unit_sources for name in _DECLARED.findall(file.text)}


def _index_declarations(sources: Sequence[SourceFile]) -> dict[str, tuple[SourceFile, Node, Node]]:
    declarations = {}
    library = [source for source in sources if source.role is SourceRole.LIBRARY]
    types = find_declared_types(library)
    for source in library:
        root = tree.parse_source(source.text)
        for declaration in tree.list_functions(root):
            _, receiver = tree.read_receiver(declaration)
            owner = types.resolve_owner(source.unit, receiver)
            name = tree.read_text(declaration.child_by_field_name("name"))
            inside = f"{source.unit}.{owner}" if owner else source.unit
            declarations[f"{inside}.{name}"] = source, root, declaration
    return declarations


def _add_benchmark(file: _StubFile, benchmark: _StubTarget, style: _BenchmarkStyle) -> None:
    root, declaration = benchmark.root, benchmark.declaration
    _, owner = tree.read_receiver(declaration)
    if _names_of_benchmarks(benchmark.method.name, owner) & (file.used_names - file.written_names):
        return
    values, unknown_arguments = _choose_arguments(benchmark.samples, declaration)
    results = list(tree.result_types(declaration))
    types = " ".join([*results, *(kind for _, kind in unknown_arguments)])
    imports = _choose_imports(root, types)
    receiver = tree.read_text(declaration.child_by_field_name("receiver"))
    if declaration.child_by_field_name("type_parameters") is not None or "[" in receiver:
        file.incomplete.append(
            (benchmark.method.id, "it is generic: nobody knows with which types")
        )
    elif imports is None:
        file.incomplete.append(
            (benchmark.method.id, f"which import its types need is unclear: {types}")
        )
    else:
        file.imports |= imports
        call = f"{'subject.' if owner else ''}{benchmark.method.name}({', '.join(values)})"
        lacking = [*unknown_arguments, *([("subject", owner)] if owner else [])]
        _write_benchmark(file, benchmark, _CallSource(call, results, lacking), style)


@dataclass(frozen=True, slots=True)
class _CallSource:
    """A call, the types of its results, and the names and types of what nobody knows."""

    text: str
    results: list[str]
    lacking: list[tuple[str, str]]


def _write_benchmark(
    file: _StubFile, benchmark: _StubTarget, call: _CallSource, style: _BenchmarkStyle
) -> None:
    _, owner = tree.read_receiver(benchmark.declaration)
    method = benchmark.method.name
    title = f"{owner[:1].upper()}{owner[1:]}{method[:1].upper()}{method[1:]}"
    name = reserve_name(f"Benchmark{title}", file.used_names)
    file.written_names.add(name)
    missing_names = ", ".join(variable for variable, _ in call.lacking)
    lines = [f'b.Skip("to be filled in: {missing_names}")'] if missing_names else []
    lines += [f"var {variable} {kind}" for variable, kind in call.lacking]
    lines += ["b.ReportAllocs()"] if style.allocations else []
    sinks = [reserve_name(f"sink{title}", file.used_names) for _ in call.results]
    assigned = f"{', '.join(sinks)} = {call.text}" if sinks else call.text
    body = "".join(f"\t{line}\n" for line in lines)
    pairs = zip(sinks, call.results, strict=True)
    declared = "".join([*(f"var {sink} {kind}\n" for sink, kind in pairs), "\n" if sinks else ""])
    loop = f"\t{style.loop} {{\n\t\t{assigned}\n\t}}\n"
    file.texts.append(f"{declared}func {name}(b *testing.B) {{\n{body}{loop}}}\n")
    if missing_names:
        file.incomplete.append((benchmark.method.id, missing_names))
    else:
        file.ready.append(benchmark.method.id)


def _names_of_benchmarks(name: str, owner: str) -> set[str]:
    """Return what people call the benchmark of a function, or of a method of a type."""
    upper = f"{name[:1].upper()}{name[1:]}"
    if not owner:
        return {f"Benchmark{upper}", f"Benchmark_{name}", f"Benchmark_{upper}"}
    title = f"{owner[:1].upper()}{owner[1:]}"
    typed = {f"Benchmark{title}{upper}", f"Benchmark{title}_{upper}", f"Benchmark_{title}_{upper}"}
    # A package with one type calls the benchmarks of its methods by their names alone.
    return typed | _names_of_benchmarks(name, "")


def _choose_arguments(
    samples: Sequence[tuple[str | None, ...]], declaration: Node
) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the arguments of a call, and the name and type of those that nobody knows."""
    names: list[tuple[str, str]] = []
    for node, name_nodes, declared in tree.list_parameters(declaration):
        if node.type == "variadic_parameter_declaration":
            continue
        for name in [tree.read_text(inner_node) for inner_node in name_nodes] or [""]:
            is_usable = name not in ("", "_") and name not in _RESERVED_NAMES
            names.append((name if is_usable else f"argument{len(names)}", tree.read_text(declared)))
    sample = next(
        (candidate for candidate in samples if None not in candidate[: len(names)]),
        samples[0] if samples else (),
    )
    values, unknown = [], []
    for index, (name, kind) in enumerate(names):
        value = sample[index] if index < len(sample) else None
        values.append(name if value is None else value)
        if value is None:
            unknown.append((name, kind))
    return values, unknown


def _choose_imports(root: Node, text: str) -> set[str] | None:
    """Return the imports of the file that some types need; None where one is unclear.

    A package may have another name than the last element of its path: `bar` of `x/go-bar`, say.
    """
    needed = set(_PREFIX.findall(text))
    names_by_package: dict[str, set[str]] = {}
    for node in (
        inner_node for child in root.named_children for inner_node in tree.walk_tree(child)
    ):
        if node.type == "import_spec":
            path = tree.read_text(node.child_by_field_name("path"))
            alias = tree.read_text(node.child_by_field_name("name"))
            last = _VERSION.sub("", path.strip('"`')).rsplit("/", 1)[-1]
            for name in {alias} if alias else {last, *_SEPARATOR.split(last)}:
                names_by_package.setdefault(name, set()).add(f"{alias} {path}".strip())
    path_sets = [names_by_package.get(name, set()) for name in needed]
    if any(len(paths) != 1 for paths in path_sets):
        return None
    return {path for paths in path_sets for path in paths}


def _finish_stub(file: _StubFile) -> Stub:
    imports = "\n".join(f"\t{path}" for path in sorted({'"testing"', *file.imports}))
    head = f"package {file.package}\n\nimport (\n{imports}\n)\n\n"
    return Stub(
        path=join(file.folder, FILE) if file.folder != "." else FILE,
        text=head + "\n".join(file.texts),
        ready=tuple(file.ready),
        incomplete=tuple(file.incomplete),
    )
