"""Go benchmarks for functions and methods that have none."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from posixpath import dirname, join

from tree_sitter import Node

from auditor.core.stubs import Samples, Stub, free
from auditor.core.subject import Method, SourceFile, SourceRole
from mutators.go import tree

FILE = "unwatched_bench_test.go"
_PREFIX = re.compile(r"\b([A-Za-z_]\w*)\.[A-Z]")
_DECLARED = re.compile(rb"^(?:func|var|const|type) (\w+)", re.MULTILINE)
_OURS = frozenset({"b", "i", "subject", "testing"})
"""Names that a benchmark has already."""
_VERSION = re.compile(r"(?:/v\d+|\.v\d+)$")


@dataclass(frozen=True, slots=True)
class _Asked:
    """A method, what calls of it handed over, the file that declares it, and where."""

    method: Method
    samples: tuple[tuple[str | None, ...], ...]
    root: Node
    declaration: Node


@dataclass(slots=True)
class _File:
    """What is being written for one package."""

    unit: str
    package: str
    folder: str
    taken: set[str]
    imports: set[str] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)
    ready: list[str] = field(default_factory=list)
    incomplete: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Style:
    """How the project's own benchmarks are written."""

    loop: str
    allocations: bool


def stubs(wanted: Sequence[Method], samples: Samples, sources: Sequence[SourceFile]) -> list[Stub]:
    """Return a file for each package, inside it: so no type has to be written with its package."""
    style = _style(sources)
    declared = _declared(sources)
    files: dict[str, _File] = {}
    for one in wanted:
        if one.id in declared:
            source, root, declaration = declared[one.id]
            taken = _taken(sources, source.unit)
            new = _File(source.unit, tree.package(root), dirname(source.path), taken)
            file = files.setdefault(source.unit, new)
            _add(file, _Asked(one, samples.get(one.id, ()), root, declaration), style)
    return [_stub(one) for one in files.values() if one.texts]


def _style(sources: Sequence[SourceFile]) -> _Style:
    tests = b"\n".join(one.text for one in sources if one.role is SourceRole.BENCHMARKS)
    loop = "for b.Loop()" if b".Loop()" in tests else "for i := 0; i < b.N; i++"
    return _Style(loop, b".ReportAllocs()" in tests)


def _taken(sources: Sequence[SourceFile], unit: str) -> set[str]:
    here = (one for one in sources if one.unit == unit)
    return {name.decode() for one in here for name in _DECLARED.findall(one.text)}


def _declared(sources: Sequence[SourceFile]) -> dict[str, tuple[SourceFile, Node, Node]]:
    found = {}
    for source in sources:
        if source.role is SourceRole.LIBRARY:
            root = tree.parse(source.text)
            for declaration in tree.functions(root):
                _, owner = tree.receiver(declaration)
                name = tree.source(declaration.child_by_field_name("name"))
                inside = f"{source.unit}.{owner}" if owner else source.unit
                found[f"{inside}.{name}"] = source, root, declaration
    return found


def _add(file: _File, one: _Asked, style: _Style) -> None:
    root, declaration = one.root, one.declaration
    _, owner = tree.receiver(declaration)
    receiver = tree.source(declaration.child_by_field_name("receiver"))
    if declaration.child_by_field_name("type_parameters") is not None or "[" in receiver:
        file.incomplete.append((one.method.id, "it is generic: nobody knows with which types"))
        return
    title = f"{owner[:1].upper()}{owner[1:]}{one.method.name[:1].upper()}{one.method.name[1:]}"
    name = free(f"Benchmark{title}", file.taken)
    values, unknown = _values(one.samples, declaration)
    lacking = [each for each, _ in unknown] + (["subject"] if owner else [])
    lines = [f"var {each} {kind}" for each, kind in unknown]
    lines += [f"var subject {owner}"] if owner else []
    lines = [*([f'b.Skip("to be filled in: {", ".join(lacking)}")'] if lacking else []), *lines]
    lines += ["b.ReportAllocs()"] if style.allocations else []
    call = f"{'subject.' if owner else ''}{one.method.name}({', '.join(values)})"
    results = _results(declaration)
    sinks = [free(f"sink{title}", file.taken) for _ in results]
    assigned = f"{', '.join(sinks)} = {call}" if sinks else call
    body = "".join(f"\t{line}\n" for line in lines)
    pairs = zip(sinks, results, strict=True)
    declared = "".join([*(f"var {sink} {kind}\n" for sink, kind in pairs), "\n" if sinks else ""])
    loop = f"\t{style.loop} {{\n\t\t{assigned}\n\t}}\n"
    file.texts.append(f"{declared}func {name}(b *testing.B) {{\n{body}{loop}}}\n")
    file.imports |= _imports(root, " ".join([*results, *(kind for _, kind in unknown)]))
    if lacking:
        file.incomplete.append((one.method.id, ", ".join(lacking)))
    else:
        file.ready.append(one.method.id)


def _values(
    samples: Sequence[tuple[str | None, ...]], declaration: Node
) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the arguments of a call, and the name and type of those that nobody knows."""
    names: list[tuple[str, str]] = []
    for node, listed, declared in tree.parameters(declaration):
        if node.type == "variadic_parameter_declaration":
            continue
        for name in [tree.source(each) for each in listed] or [""]:
            own = name not in ("", "_") and name not in _OURS
            names.append((name if own else f"argument{len(names)}", tree.source(declared)))
    sample = next(
        (each for each in samples if None not in each[: len(names)]),
        samples[0] if samples else (),
    )
    values, unknown = [], []
    for at, (name, kind) in enumerate(names):
        known = sample[at] if at < len(sample) else None
        values.append(name if known is None else known)
        if known is None:
            unknown.append((name, kind))
    return values, unknown


def _results(declaration: Node) -> list[str]:
    result = declaration.child_by_field_name("result")
    if result is None:
        return []
    if result.type != "parameter_list":
        return [tree.source(result)]
    found: list[str] = []
    for one in result.named_children:
        kind = one.child_by_field_name("type")
        names = one.children_by_field_name("name")
        found += [tree.source(kind if kind is not None else one)] * max(1, len(names))
    return found


def _imports(root: Node, text: str) -> set[str]:
    """Return the imports of the file that some types need.

    A package may have another name than the last element of its path: then it does not compile, and
    who looks through it sees so.
    """
    needed = set(_PREFIX.findall(text))
    found = set()
    for node in (each for one in root.named_children for each in tree.descend(one)):
        if node.type == "import_spec":
            path = tree.source(node.child_by_field_name("path"))
            alias = tree.source(node.child_by_field_name("name"))
            last = _VERSION.sub("", path.strip('"')).rsplit("/", 1)[-1]
            if (alias or last) in needed:
                found.add(f"{alias} {path}".strip())
    return found


def _stub(file: _File) -> Stub:
    imports = "\n".join(f"\t{one}" for one in sorted({'"testing"', *file.imports}))
    head = f"package {file.package}\n\nimport (\n{imports}\n)\n\n"
    return Stub(
        path=join(file.folder, FILE) if file.folder != "." else FILE,
        text=head + "\n".join(file.texts),
        ready=tuple(file.ready),
        incomplete=tuple(file.incomplete),
    )
