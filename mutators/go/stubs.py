"""Go benchmarks for functions and methods that have none."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import basename, dirname, join

from tree_sitter import Node

from auditor.core.contracts.stubs import Samples, Stub, reserve_name
from auditor.core.subject import Method, SourceFile, SourceRole
from mutators.go import tree
from mutators.go.declared_types import find_declared_types
from mutators.go.methods import list_declared_methods

_PREFIX = re.compile(r"\b([A-Za-z_]\w*)\.[A-Za-z_]")
_DECLARATIONS = ("const_declaration", "type_declaration", "var_declaration")
_SPECIFICATIONS = ("const_spec", "type_alias", "type_spec", "var_spec")
_HIDDEN_NAMES = frozenset({"b", "i"})
"""Names that a benchmark declares before its call."""
_RESERVED_NAMES = _HIDDEN_NAMES | {"subject", "testing"}
"""Names that a benchmark has already."""
_SEPARATOR = re.compile(r"[-.]")
_VERSION = re.compile(r"(?:/v\d+|\.v\d+)$")
_CONSTRAINT = re.compile(r"//go:build\s|//\s*\+build\s")
_SYSTEMS = (
    "aix|android|darwin|dragonfly|freebsd|hurd|illumos|ios|js|linux|nacl|netbsd|openbsd|plan9"
    "|solaris|wasip1|windows|zos"
)
_PROCESSORS = (
    "386|amd64|amd64p32|arm|arm64|arm64be|armbe|loong64|mips|mips64|mips64le|mips64p32|mips64p32le"
    "|mipsle|ppc|ppc64|ppc64le|riscv|riscv64|s390|s390x|sparc|sparc64|wasm"
)
_PLATFORM = re.compile(rf"(?:_(?:{_SYSTEMS}))?(?:_(?:{_PROCESSORS}))?(?=\.go$)")
"""What the end of a file's name demands of the build."""


@dataclass(frozen=True, slots=True)
class _StubTarget:
    """A method that is to have a benchmark."""

    method: Method
    samples: tuple[tuple[str | None, ...], ...]
    """What calls of it passed."""
    source: SourceFile
    """The file that declares it."""
    root: Node
    """The tree of that file."""
    declaration: Node


@dataclass(slots=True)
class _StubFile:
    """A file that is being written; its benchmarks are built under the same conditions."""

    constraints: tuple[str, str]
    """Lines above the package clause, and the end of the file's name."""
    imports: dict[str, str] = field(default_factory=lambda: {"testing": '"testing"'})
    """What the file imports, by the name of the package."""
    texts: list[str] = field(default_factory=list)
    """Benchmarks, as source."""
    ready: list[str] = field(default_factory=list)
    """Ids of methods whose benchmark is complete."""
    incomplete: list[tuple[str, str]] = field(default_factory=list)
    """(method id, what is missing) of the others."""

    def fits(self, constraints: tuple[str, str], imports: Mapping[str, str]) -> bool:
        """Tell whether a benchmark can stand in this file."""
        return constraints == self.constraints and all(
            self.imports.get(name, path) == path for name, path in imports.items()
        )


@dataclass(slots=True)
class _StubPackage:
    """What is being written for one package."""

    name: str
    """Its name in the source."""
    folder: str
    """Relative to the project's root."""
    used_names: set[str]
    """Names that the package already has."""
    benchmarks: dict[str, str]
    """The text of each benchmark that it already has, by its name."""
    callables: Counter[str]
    """How many functions and methods have a name."""
    files: list[_StubFile] = field(default_factory=list)
    """Files with benchmarks."""
    excluded: list[tuple[str, str]] = field(default_factory=list)
    """(method id, reason) of methods without a benchmark."""


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
    """Return files for each package, inside it: so no type has to be written with its package.

    A method of which the package has a benchmark by its name is left out.
    """
    allocations = _reports_allocations(sources)
    declared = _index_declarations(sources)
    packages: dict[str, _StubPackage] = {}
    for method in methods:
        if method.id in declared:
            source, root, declaration = declared[method.id]
            if source.unit not in packages:
                packages[source.unit] = _read_package(sources, source, root)
            loops = (version_of(dirname(source.path)) or (0, 0)) >= LOOP_SINCE
            style = _BenchmarkStyle(
                "for b.Loop()" if loops else "for i := 0; i < b.N; i++", allocations
            )
            target = _StubTarget(method, samples.get(method.id, ()), source, root, declaration)
            _add_benchmark(packages[source.unit], target, style)
    return [stub for package in packages.values() for stub in _finish_stubs(package)]


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


def _read_package(sources: Sequence[SourceFile], source: SourceFile, root: Node) -> _StubPackage:
    """Return the package of a file; its tests count, be they in a package of their own or not."""
    package = _StubPackage(tree.read_package_name(root), dirname(source.path), set(), {}, Counter())
    for file in sources:
        if file.unit == source.unit:
            _add_declared_names(package, tree.parse_source(file.text))
    return package


def _add_declared_names(package: _StubPackage, root: Node) -> None:
    for child in root.named_children:
        if child.type in ("function_declaration", "method_declaration"):
            name = tree.read_text(child.child_by_field_name("name"))
            package.callables[name] += 1
            if child.type == "function_declaration":
                package.used_names.add(name)
                if name.startswith("Benchmark"):
                    package.benchmarks[name] = tree.read_text(child)
        elif child.type in _DECLARATIONS:
            package.used_names.update(
                tree.read_text(name)
                for node in tree.walk_tree(child)
                if node.type in _SPECIFICATIONS
                for name in node.children_by_field_name("name")
            )


def _index_declarations(sources: Sequence[SourceFile]) -> dict[str, tuple[SourceFile, Node, Node]]:
    declarations = {}
    library = [source for source in sources if source.role is SourceRole.LIBRARY]
    types = find_declared_types(library)
    for source in library:
        root = tree.parse_source(source.text)
        for declared in list_declared_methods(source, root, types):
            declarations[declared.method.id] = source, root, declared.declaration
    return declarations


def _add_benchmark(package: _StubPackage, target: _StubTarget, style: _BenchmarkStyle) -> None:
    declaration = target.declaration
    _, owner = tree.read_receiver(declaration)
    if _has_benchmark(package, target.method.name, owner):
        return
    arguments = _choose_arguments(target)
    results = list(tree.result_types(declaration))
    types = " ".join([*results, *(kind for _, kind in arguments.unknown)])
    imports = _choose_imports(target.root, types)
    reason = _explain_exclusion(target, arguments, types, imports)
    if reason or imports is None:
        package.excluded.append((target.method.id, reason))
        return
    constraints = _read_constraints(target.source, target.root)
    file = next((file for file in package.files if file.fits(constraints, imports)), None)
    if file is None:
        file = _StubFile(constraints)
        package.files.append(file)
    file.imports |= imports
    call = f"{'subject.' if owner else ''}{target.method.name}({', '.join(arguments.values)})"
    lacking = [*arguments.unknown, *([("subject", owner)] if owner else [])]
    _write_benchmark(package, file, target, _CallSource(call, results, lacking), style)


def _explain_exclusion(
    target: _StubTarget, arguments: "_Arguments", types: str, imports: Mapping[str, str] | None
) -> str:
    """Return why there is no benchmark; empty where there is."""
    declaration = target.declaration
    receiver = tree.read_text(declaration.child_by_field_name("receiver"))
    _, owner = tree.read_receiver(declaration)
    called = {owner} if receiver else {target.method.name}
    hidden = sorted(_HIDDEN_NAMES & (arguments.type_names | called))
    if tree.is_generic(declaration):
        return "it is generic: nobody knows with which types"
    if imports is None or imports.get("testing", '"testing"') != '"testing"':
        return f"which import its types need is unclear: {types}"
    if "C" in imports:
        return f"Go forbids types of C in tests: {types}"
    return f"a benchmark hides what is called {hidden[0]}" if hidden else ""


@dataclass(frozen=True, slots=True)
class _CallSource:
    """A call, the types of its results, and the names and types of what nobody knows."""

    text: str
    results: list[str]
    lacking: list[tuple[str, str]]


def _write_benchmark(
    package: _StubPackage,
    file: _StubFile,
    target: _StubTarget,
    call: _CallSource,
    style: _BenchmarkStyle,
) -> None:
    _, owner = tree.read_receiver(target.declaration)
    method = target.method.name
    title = f"{owner[:1].upper()}{owner[1:]}{method[:1].upper()}{method[1:]}"
    name = reserve_name(f"Benchmark{title}", package.used_names)
    missing_names = ", ".join(variable for variable, _ in call.lacking)
    lines = [f'b.Skip("to be filled in: {missing_names}")'] if missing_names else []
    lines += [f"var {variable} {kind}" for variable, kind in call.lacking]
    lines += ["b.ReportAllocs()"] if style.allocations else []
    sinks = [reserve_name(f"sink{title}", package.used_names) for _ in call.results]
    assigned = f"{', '.join(sinks)} = {call.text}" if sinks else call.text
    body = "".join(f"\t{line}\n" for line in lines)
    pairs = zip(sinks, call.results, strict=True)
    declared = "".join([*(f"var {sink} {kind}\n" for sink, kind in pairs), "\n" if sinks else ""])
    loop = f"\t{style.loop} {{\n\t\t{assigned}\n\t}}\n"
    file.texts.append(f"{declared}func {name}(b *testing.B) {{\n{body}{loop}}}\n")
    if missing_names:
        file.incomplete.append((target.method.id, missing_names))
    else:
        file.ready.append(target.method.id)


def _has_benchmark(package: _StubPackage, name: str, owner: str) -> bool:
    """Tell whether there is a benchmark that is called after a function or method."""
    upper = f"{name[:1].upper()}{name[1:]}"
    plain = {f"Benchmark{upper}", f"Benchmark_{name}", f"Benchmark_{upper}"}
    if not owner:
        return not plain.isdisjoint(package.benchmarks)
    title = f"{owner[:1].upper()}{owner[1:]}"
    typed = {f"Benchmark{title}{upper}", f"Benchmark{title}_{upper}", f"Benchmark_{title}_{upper}"}
    if not typed.isdisjoint(package.benchmarks):
        return True
    # A name alone means this method where no other has it, or where the benchmark names the type.
    named = re.compile(rf"\b(?:[Nn]ew|[Mm]ake)?{owner}\b")
    return any(
        package.callables[name] == 1 or named.search(package.benchmarks[benchmark])
        for benchmark in plain & package.benchmarks.keys()
    )


@dataclass(frozen=True, slots=True)
class _Arguments:
    """What a call passes."""

    values: list[str]
    unknown: list[tuple[str, str]]
    """Name and type of the values that nobody knows."""
    type_names: frozenset[str]
    """Names in the types of all parameters."""


def _choose_arguments(target: _StubTarget) -> _Arguments:
    parameters = [
        parameter
        for parameter in tree.list_parameters(target.declaration)
        if parameter[0].type != "variadic_parameter_declaration"
    ]
    type_names = frozenset(name for *_, kind in parameters for name in _list_type_names(kind))
    used_names = {*_RESERVED_NAMES, *type_names, target.method.name, "", "_"}
    names: list[tuple[str, str]] = []
    for _, name_nodes, declared in parameters:
        for name in [tree.read_text(node) for node in name_nodes] or [""]:
            # A variable may hide neither the types of those after it nor what is called.
            variable = f"argument{len(names)}" if name in used_names else name
            names.append((reserve_name(variable, used_names), tree.read_text(declared)))
    sample = next(
        (candidate for candidate in target.samples if None not in candidate[: len(names)]),
        target.samples[0] if target.samples else (),
    )
    values, unknown = [], []
    for index, (name, kind) in enumerate(names):
        value = sample[index] if index < len(sample) else None
        values.append(name if value is None else value)
        if value is None:
            unknown.append((name, kind))
    return _Arguments(values, unknown, type_names)


def _list_type_names(declared: Node) -> Iterator[str]:
    """Yield the names of packages, types and constants that a type is made of."""
    for node in tree.walk_tree(declared):
        above = node.parent.type if node.parent is not None else ""
        if node.type in ("type_identifier", "package_identifier") or (
            node.type == "identifier" and above != "parameter_declaration"
        ):
            yield tree.read_text(node)


def _choose_imports(root: Node, text: str) -> dict[str, str] | None:
    """Return the imports of the file that some types need, by name; None where one is unclear.

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
    path_sets = {name: names_by_package.get(name, set()) for name in needed}
    if any(len(paths) != 1 for paths in path_sets.values()):
        return None
    return {name: path for name, paths in path_sets.items() for path in paths}


def _read_constraints(source: SourceFile, root: Node) -> tuple[str, str]:
    """Return the lines above the package clause and the end of the name that decide the build."""
    comments = [tree.read_text(child) for child in root.children if child.type == "comment"]
    lines = [comment.rstrip() for comment in comments if _CONSTRAINT.match(comment)]
    if not lines and tree.imported_as(root, "C") is not None:
        lines = ["//go:build cgo"]
    platform = _PLATFORM.search(basename(source.path))
    ending = platform.group() if platform is not None else ""
    return "".join(f"{line}\n" for line in lines), ending


def _finish_stubs(package: _StubPackage) -> Iterator[Stub]:
    """Yield the files of a package; what has no benchmark is told with the first of them."""
    excluded = tuple(package.excluded)
    if excluded and not package.files:
        yield Stub(path="", text="", ready=(), incomplete=excluded)
    for number, file in enumerate(package.files, 1):
        lines, ending = file.constraints
        imports = "\n".join(f"\t{path}" for path in sorted(set(file.imports.values())))
        head = f"package {package.name}\n\nimport (\n{imports}\n)\n\n"
        name = f"unwatched_bench{number if number > 1 else ''}{ending}_test.go"
        yield Stub(
            path=join(package.folder, name) if package.folder != "." else name,
            text=f"{lines}\n{head}".lstrip("\n") + "\n".join(file.texts),
            ready=tuple(file.ready),
            incomplete=(*file.incomplete, *(excluded if number == 1 else ())),
        )
