"""Benchmarks of asv: methods and functions `time_...` in the folder of a suite."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from mutators.python.smells import tree
from mutators.python.smells.benches import Bench, Harness, Preparation, Timed, local
from mutators.python.smells.project import File, Project

HINT = re.compile(rb"\b(?:[Tt]ime|track|Track|peakmem|PeakMem|mem|Mem|timeraw)_?\w")
_PLAIN = re.compile(rb"^[ \t]*def time_\w+\(", re.MULTILINE)
_FOLDERS = frozenset({"benchmarks", "asv_bench", "asv_benchmarks"})
_OWN_FOLDERS = frozenset({"asv_bench", "asv_benchmarks"})
_TIMED = re.compile(r"time_.|Time[A-Z_].")
_OTHER = re.compile(r"(?:timeraw|track|peakmem|mem)_.|(?:Timeraw|Track|PeakMem|Mem)[A-Z_].")
_SHAPE = frozenset(
    {"setup", "setup_cache", "teardown", "params", "param_names", "number", "repeat", "timeout"}
)
_SETUPS = ("setup", "setup_cache")


@dataclass(frozen=True, eq=False)
class _Class:
    """A class with those of its bases that the file shows, itself first."""

    node: cst.ClassDef
    line: tuple[cst.ClassDef, ...]

    @property
    def name(self) -> str:
        return self.node.name.value

    def methods(self) -> dict[str, cst.FunctionDef]:
        """Return the methods by name, inherited ones too."""
        found: dict[str, cst.FunctionDef] = {}
        for one in self.line:
            for node in one.body.body:
                if isinstance(node, cst.FunctionDef):
                    found.setdefault(node.name.value, node)
        return found

    def attributes(self) -> tree.Bindings:
        """Return what the class binds, inherited names too."""
        found: dict[str, list[cst.BaseExpression | None]] = {}
        for one in self.line:
            for name, values in tree.bindings(one.body.body).items():
                found.setdefault(name, values)
        return found


def find(project: Project) -> Iterator[Bench]:
    """Yield the benchmarks of asv in the order of the files."""
    ours = [
        file
        for file in project.files
        if _FOLDERS.intersection(file.place.parts[:-1]) and HINT.search(file.text)
    ]
    suites = {file.place.parent for file in ours if _has_shape(file)}
    for file in ours:
        known = file.place.parent in suites or _OWN_FOLDERS.intersection(file.place.parts[:-1])
        if known and not re.match(r"test_|conftest", file.place.name):
            yield from _of_file(file)


def holds(file: File) -> bool:
    """Tell whether the place and the bytes of a file show a benchmark of asv."""
    return bool(_FOLDERS.intersection(file.place.parts[:-1]) and _PLAIN.search(file.text))


def _has_shape(file: File) -> bool:
    """Tell whether a class of the file looks like asv's: timed methods, and what prepares them."""
    for one in _classes(file):
        methods = one.methods()
        named = {*methods, *one.attributes()}
        if named & _SHAPE and any(map(_TIMED.match, methods)):
            return True
    return False


def _classes(file: File) -> Iterator[_Class]:
    for node in file.classes.values():
        line = [node]
        for one in line:
            bases = (file.classes.get(tree.dotted(base.value)) for base in one.bases)
            line += [base for base in bases if base is not None and base not in line]
        yield _Class(node, tuple(line))


def _of_file(file: File) -> Iterator[Bench]:
    for one in _classes(file):
        if not one.name.startswith("_"):
            yield from _of_class(file, one)
    setup = file.functions.get("setup")
    shared = (
        () if setup is None else (Preparation(nodes=tree.body(setup), head=setup, shared=True),)
    )
    for name, node in file.functions.items():
        if _TIMED.match(name) or _OTHER.match(name):
            yield Bench(
                name=name,
                harness=Harness.ASV,
                file=file,
                declaration=node,
                timed=_timed(node, renewed=_once(file.bindings, f"{name}.number")),
                scopes=(file.bindings,),
                preparations=(*shared, Preparation(nodes=file.statements, shared=True)),
            )


def _of_class(file: File, one: _Class) -> Iterator[Bench]:
    methods, attributes = one.methods(), one.attributes()
    setups = [methods[name] for name in _SETUPS if name in methods]
    scope = {f"self.{name}": values for name, values in attributes.items()}
    for setup in setups:
        for name, values in tree.bindings(tree.body(setup)).items():
            scope[name] = values if name not in scope else [*scope[name], *values]
    shared = sum(map(bool, map(_TIMED.match, methods))) > 1
    preparations = [Preparation(nodes=tree.body(each), head=each, shared=shared) for each in setups]
    preparations.append(Preparation(nodes=tuple(one.node.body.body), head=one.node, shared=shared))
    preparations.append(Preparation(nodes=file.statements, shared=True))
    for name, node in methods.items():
        if _TIMED.match(name) or _OTHER.match(name):
            once = _once(attributes, "number") or _once(attributes, f"{name}.number")
            yield Bench(
                name=f"{one.name}.{name}",
                harness=Harness.ASV,
                file=file,
                declaration=node,
                owner=one.node,
                timed=_timed(
                    node, renewed=once or _once(file.bindings, f"{one.name}.{name}.number")
                ),
                scopes=(scope, file.bindings),
                preparations=tuple(preparations),
            )


def _once(bound: tree.Bindings, name: str) -> bool:
    """Tell whether asv calls the function once after each set-up, or a number that is not seen."""
    values = bound.get(name)
    if not values:
        return False
    found = [tree.constant(value) for value in values]
    return any(one is None or one == 1 for one in found)


def _timed(node: cst.FunctionDef, *, renewed: bool) -> tuple[Timed, ...]:
    """Return the timed code: none for benchmarks that measure something else than time."""
    if not _TIMED.match(node.name.value):
        return ()
    nodes = tree.body(node)
    found = Timed(
        nodes=nodes,
        bindings=local(nodes),
        parameters=tree.all_parameters(node) - {"self"},
        function=node,
        renewed=renewed,
    )
    return (found,)
