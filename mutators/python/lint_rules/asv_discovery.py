"""Benchmarks of asv: methods and functions `time_...` in the folder of a suite."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import libcst as cst

from mutators.python.lint_rules import tree
from mutators.python.lint_rules.benchmark_discovery import (
    BenchmarkFramework,
    BenchmarkSource,
    Preparation,
    TimedCode,
)
from mutators.python.lint_rules.project import PythonFile, PythonProject

HINT = re.compile(rb"\b(?:[Tt]ime|track|Track|peakmem|PeakMem|mem|Mem|timeraw)_?\w")
_PLAIN = re.compile(rb"^[ \t]*def time_\w+\(", re.MULTILINE)
_FOLDERS = frozenset({"benchmarks", "asv_bench", "asv_benchmarks"})
_OWN_FOLDERS = frozenset({"asv_bench", "asv_benchmarks"})
_TIMED = re.compile(r"time_.|Time[A-Z_].")
_UNTIMED_NAMES = re.compile(r"(?:timeraw|track|peakmem|mem)_.|(?:Timeraw|Track|PeakMem|Mem)[A-Z_].")
_SHAPE = frozenset(
    {"setup", "setup_cache", "teardown", "params", "param_names", "number", "repeat", "timeout"}
)
_SETUPS = ("setup", "setup_cache")
_MOST_BASES = 20
"""How many bases of a class are looked at."""
_MOST = 20_000
"""How many benchmarks a file may have: many classes may inherit the same many methods."""


@dataclass(frozen=True, eq=False)
class _ClassWithBases:
    """A class with those of its bases that the file shows, itself first."""

    node: cst.ClassDef
    line: tuple[cst.ClassDef, ...]

    @property
    def name(self) -> str:
        return self.node.name.value

    def collect_methods(self) -> dict[str, cst.FunctionDef]:
        """Return the methods by name, inherited ones too."""
        definitions: dict[str, cst.FunctionDef] = {}
        for class_ in self.line:
            for node in class_.body.body:
                if isinstance(node, cst.FunctionDef):
                    definitions.setdefault(node.name.value, node)
        return definitions

    def collect_attributes(self) -> tree.Bindings:
        """Return what the class binds, inherited names too."""
        values_by_name: dict[str, list[cst.BaseExpression | None]] = {}
        for class_ in self.line:
            for name, values in tree.find_bindings(class_.body.body).items():
                values_by_name.setdefault(name, values)
        return values_by_name


def find_benchmarks(project: PythonProject) -> Iterator[BenchmarkSource]:
    """Yield the benchmarks of asv in the order of the files."""
    candidates = [
        file
        for file in project.files
        if _FOLDERS.intersection(file.place.parts[:-1]) and HINT.search(file.text)
    ]
    suites = {file.place.parent for file in candidates if _has_shape(file)}
    for file in candidates:
        is_in_suite = file.place.parent in suites or _OWN_FOLDERS.intersection(
            file.place.parts[:-1]
        )
        if is_in_suite and not re.match(r"test_|conftest", file.place.name):
            yield from islice(_find_file_benchmarks(file), _MOST)


def shows_benchmark(file: PythonFile) -> bool:
    """Tell whether the place and the bytes of a file show a benchmark of asv."""
    return bool(_FOLDERS.intersection(file.place.parts[:-1]) and _PLAIN.search(file.text))


def _has_shape(file: PythonFile) -> bool:
    """Tell whether a class of the file looks like asv's: timed methods, and what prepares them."""
    shaped: set[cst.ClassDef] = set()
    timed: set[cst.ClassDef] = set()
    for node in file.classes.values():
        names = set(tree.find_bindings(node.body.body))
        shaped |= {node} if names & _SHAPE else set()
        timed |= {node} if any(map(_TIMED.match, names)) else set()
    return any(
        not shaped.isdisjoint(class_.line) and not timed.isdisjoint(class_.line)
        for class_ in _list_classes(file)
    )


def _list_classes(file: PythonFile) -> Iterator[_ClassWithBases]:
    for node in file.classes.values():
        line = [node]
        for class_ in line:
            bases = (file.classes.get(tree.read_dotted_name(base.value)) for base in class_.bases)
            line += [base for base in bases if base is not None and base not in line]
            if len(line) > _MOST_BASES:
                break
        yield _ClassWithBases(node, tuple(line))


def _find_file_benchmarks(file: PythonFile) -> Iterator[BenchmarkSource]:
    for class_ in _list_classes(file):
        if not class_.name.startswith("_"):
            yield from _find_class_benchmarks(file, class_)
    module = Preparation(file=file, scopes=(file.bindings,), nodes=file.statements, shared=True)
    setup = file.functions.get("setup")
    shared = (module,) if setup is None else (_make_setup_preparation(file, setup), module)
    for name, node in file.functions.items():
        if _TIMED.match(name) or _UNTIMED_NAMES.match(name):
            yield BenchmarkSource(
                name=name,
                harness=BenchmarkFramework.ASV,
                file=file,
                declaration=node,
                timed=_make_timed_code(
                    node, renewed=_may_run_once(file.bindings, f"{name}.number")
                ),
                scopes=(file.bindings,),
                preparations=shared,
            )


def _make_setup_preparation(file: PythonFile, setup: cst.FunctionDef) -> Preparation:
    nodes = tree.list_body_nodes(setup)
    scopes = (tree.find_bindings(nodes), file.bindings)
    return Preparation(file=file, scopes=scopes, nodes=nodes, head=setup, shared=True)


def _find_class_benchmarks(file: PythonFile, class_: _ClassWithBases) -> Iterator[BenchmarkSource]:
    methods, attributes = class_.collect_methods(), class_.collect_attributes()
    setups = [methods[name] for name in _SETUPS if name in methods]
    scope = {f"self.{name}": values for name, values in attributes.items()}
    for setup in setups:
        for name, values in tree.find_bindings(tree.list_body_nodes(setup)).items():
            scope[name] = values if name not in scope else [*scope[name], *values]
    shared = sum(map(bool, map(_TIMED.match, methods))) > 1
    scopes = (scope, file.bindings)
    heads: list[cst.FunctionDef | cst.ClassDef] = [*setups, class_.node]
    preparations = [
        Preparation(file=file, scopes=scopes, nodes=tuple(head.body.body), head=head, shared=shared)
        for head in heads
    ]
    preparations.append(
        Preparation(file=file, scopes=(file.bindings,), nodes=file.statements, shared=True)
    )
    for name, node in methods.items():
        if _TIMED.match(name) or _UNTIMED_NAMES.match(name):
            once = _may_run_once(attributes, "number") or _may_run_once(
                attributes, f"{name}.number"
            )
            yield BenchmarkSource(
                name=f"{class_.name}.{name}",
                harness=BenchmarkFramework.ASV,
                file=file,
                declaration=node,
                owner=class_.node,
                timed=_make_timed_code(
                    node,
                    renewed=once or _may_run_once(file.bindings, f"{class_.name}.{name}.number"),
                ),
                scopes=scopes,
                preparations=tuple(preparations),
            )


def _may_run_once(bound: tree.Bindings, name: str) -> bool:
    """Tell whether asv calls the function once after each set-up, or a number that is not seen."""
    values = bound.get(name)
    if not values:
        return False
    constants = [tree.evaluate_constant(value) for value in values]
    return any(constant is None or constant == 1 for constant in constants)


def _make_timed_code(node: cst.FunctionDef, *, renewed: bool) -> tuple[TimedCode, ...]:
    """Return the timed code: none for benchmarks that measure something else than time."""
    if not _TIMED.match(node.name.value):
        return ()
    nodes = tree.list_body_nodes(node)
    timed_code = TimedCode(
        nodes=nodes,
        parameters=tree.list_all_parameters(node) - {"self"},
        function=node,
        renewed=renewed,
    )
    return (timed_code,)
