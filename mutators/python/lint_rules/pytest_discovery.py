"""Benchmarks of pytest: the fixture of pytest-benchmark and CodSpeed, and CodSpeed's marker."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import libcst as cst

from mutators.python.lint_rules import tree
from mutators.python.lint_rules.benchmark_discovery import (
    BenchmarkFramework,
    BenchmarkSource,
    Handed,
    Preparation,
    TimedCode,
    code_of_rounds,
)
from mutators.python.lint_rules.project import File, PythonProject

HINT = re.compile(rb"\b(?:codspeed_)?benchmark\b")
_PLAIN = re.compile(
    rb"^[ \t]*(?:async )?def (?:test|bench)\w*\([^)]{0,500}\bbenchmark\b"
    rb"|^[ \t]*@pytest\.mark\.(?:codspeed_)?benchmark\b",
    re.MULTILINE,
)
_FIXTURE = "benchmark"
_MARKERS = frozenset({"pytest.mark.benchmark", "pytest.mark.codspeed_benchmark"})
_TEST = ("test", "bench")
_NAMING = re.compile(
    rb"^[ \t]*\"?python_functions\"?[ \t]*=[ \t]*(.+(?:\n[ \t]+\S.*)*)", re.MULTILINE
)
_PREFIX = re.compile(rb"(\w+)\*")
_CONFIGURATIONS = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")


def find(project: PythonProject) -> Iterator[BenchmarkSource]:
    """Yield the benchmarks of pytest in the order of the files."""
    ours = [file for file in project.files if HINT.search(file.text)]
    replaced = [file for file in ours if _replaces(file)]
    codspeed = project.says(b"codspeed")
    folders = {one.place.parent for one in replaced if one.place.name == "conftest.py"}
    alone = {one.path for one in replaced if one.place.name != "conftest.py"}
    suite = _Suite(_prefixes(project), _wrapping_fixtures(ours))
    used = {name.encode() for name in suite.fixtures}
    for file in project.files:
        if not (HINT.search(file.text) or used & file.words):
            continue
        if file.path not in alone and folders.isdisjoint(file.place.parents):
            yield from _of_file(file, suite, codspeed=codspeed)


@dataclass(frozen=True)
class _Suite:
    """What makes a function a benchmark: how names begin, and which fixtures use the fixture."""

    prefixes: tuple[str, ...]
    fixtures: frozenset[str]


def _prefixes(project: PythonProject) -> tuple[str, ...]:
    """Return how the names of test functions may begin, also by the project's configuration."""
    texts = project.named(_CONFIGURATIONS)
    given = (
        prefix
        for text in texts
        for name in _NAMING.findall(text)
        for prefix in _PREFIX.findall(name)
    )
    return (*_TEST, *(prefix.decode() for prefix in given))


def _wrapping_fixtures(files: list[File]) -> frozenset[str]:
    """Return the fixtures that use pytest-benchmark's, directly or by others."""
    uses = {
        node.name.value: tree.all_parameters(node)
        for file in files
        if b"fixture" in file.text
        for node in tree.descend(*file.statements)
        if isinstance(node, cst.FunctionDef) and _is_fixture(node)
    }
    names, before = {_FIXTURE}, 0
    while len(names) > before:
        before = len(names)
        names |= {name for name, used in uses.items() if used & names}
    return frozenset(names - {_FIXTURE})


def holds(file: File) -> bool:
    """Tell whether the bytes of a file show a benchmark of pytest."""
    return _PLAIN.search(file.text) is not None


def _replaces(file: File) -> bool:
    """Tell whether a file defines a fixture `benchmark` of its own: nobody knows what it does."""
    if b"fixture" not in file.text:
        return False
    return any(
        isinstance(node, cst.FunctionDef) and _is_fixture(node) and node.name.value == _FIXTURE
        for node in tree.descend(*file.statements)
    )


def _is_fixture(node: cst.FunctionDef) -> bool:
    return any(name.rpartition(".")[2] == "fixture" for name in tree.decorators(node))


def _of_file(file: File, suite: _Suite, *, codspeed: bool) -> Iterator[BenchmarkSource]:
    """Yield the benchmarks of a file; the marker makes one only where CodSpeed reads it."""
    for bench in _tests(file, suite):
        if codspeed or bench.harness is not BenchmarkFramework.CODSPEED:
            yield bench


def _tests(file: File, suite: _Suite) -> Iterator[BenchmarkSource]:
    marked = _marks(file.bindings.get("pytestmark", []))
    prepared = _prepared(file, suite)
    for node in tree.own(*file.statements):
        if isinstance(node, cst.FunctionDef):
            yield from _bench(prepared, node, None, marked=marked)
        elif isinstance(node, cst.ClassDef):
            below = marked or not _MARKERS.isdisjoint(tree.decorators(node))
            for inner_node in tree.own(*node.body.body):
                if isinstance(inner_node, cst.FunctionDef):
                    yield from _bench(prepared, inner_node, node, marked=below)


def _marks(values: list[cst.BaseExpression | None]) -> bool:
    """Tell whether `pytestmark` holds the marker."""
    names = (tree.dotted(node) for value in values if value for node in tree.own(value))
    return not _MARKERS.isdisjoint(names)


@dataclass(frozen=True, eq=False)
class _Prepared:
    """What makes inputs for the tests of a file: its module, and its fixtures by name."""

    module: Preparation
    fixtures: dict[str, Preparation]
    suite: _Suite

    def of(self, node: cst.FunctionDef) -> Iterator[Preparation]:
        """Yield the fixtures that a test asks for, and what the module makes."""
        for name in sorted(tree.all_parameters(node)):
            if name in self.fixtures:
                yield self.fixtures[name]
        yield self.module


def _prepared(file: File, suite: _Suite) -> _Prepared:
    scopes = (file.bindings,)
    fixtures = {
        name: Preparation(
            file=file,
            scopes=(_scope(node), *scopes),
            nodes=tree.body(node),
            head=node,
            shared=True,
        )
        for name, node in file.functions.items()
        if _is_fixture(node)
    }
    module = Preparation(file=file, scopes=scopes, nodes=file.statements, shared=True)
    return _Prepared(module, fixtures, suite)


def _bench(
    prepared: _Prepared, node: cst.FunctionDef, owner: cst.ClassDef | None, *, marked: bool
) -> Iterator[BenchmarkSource]:
    if not node.name.value.startswith(prepared.suite.prefixes) or _is_fixture(node):
        return
    prefix = f"{owner.name.value}." if owner is not None else ""
    file = prepared.module.file
    bench = BenchmarkSource(
        name=prefix + node.name.value,
        harness=BenchmarkFramework.PYTEST,
        file=file,
        declaration=node,
        owner=owner,
        scopes=(_scope(node), file.bindings),
        preparations=tuple(prepared.of(node)),
    )
    if _FIXTURE in tree.all_parameters(node):
        yield _filled(bench, node)
    elif marked or not _MARKERS.isdisjoint(tree.decorators(node)):
        yield replace(bench, harness=BenchmarkFramework.CODSPEED, timed=(code_of_rounds(node),))
    elif prepared.suite.fixtures & tree.all_parameters(node):
        yield bench  # what the fixture does with what it is handed is not seen


def _scope(node: cst.FunctionDef) -> tree.Bindings:
    """Return what a test binds; its parameters are bound to what is not seen."""
    values_by_name = tree.bindings(tree.body(node))
    for name in tree.all_parameters(node):
        values_by_name.setdefault(name, []).insert(0, None)
    return values_by_name


def _filled(bench: BenchmarkSource, node: cst.FunctionDef) -> BenchmarkSource:
    """Return the benchmark with what its body hands to the fixture."""
    body = tree.body(node)
    inner = {
        definition.name.value: definition
        for definition in tree.own(*body)
        if isinstance(definition, cst.FunctionDef)
    }
    handed: list[Handed] = []
    registered: list[cst.Call] = []
    codes: list[TimedCode] = []
    for call in tree.calls(*body):
        if tree.dotted(call.func) in (_FIXTURE, f"{_FIXTURE}.pedantic") and call.args:
            registered.append(call)
            handed_code = _handed(call, bench)
            if handed_code is not None:
                handed.append(handed_code)
                codes += _codes(handed_code, inner, bench)
    for function in inner.values():
        if _FIXTURE in tree.decorators(function):
            given = Handed(call=function, function=function.name)
            handed.append(given)
            codes.append(code_of_rounds(function))
    first = Preparation(file=bench.file, scopes=bench.scopes, nodes=body, head=node)
    return replace(
        bench,
        handed=tuple(handed),
        registered=tuple(registered),
        timed=tuple(codes),
        preparations=(first, *bench.preparations),
    )


def _handed(call: cst.Call, bench: BenchmarkSource) -> Handed | None:
    """Return what a call of the fixture hands over, None where that cannot be told."""
    if tree.dotted(call.func) == _FIXTURE:
        first = call.args[0]
        if first.star or first.keyword:
            return None
        return unwrap_partial(
            Handed(call=call, function=first.value, arguments=tuple(call.args[1:]))
        )
    function = tree.argument(call, "target", 0)
    if function is None:
        return None
    expression = tree.argument(call, "args", 1)
    listed = expression.elements if isinstance(expression, cst.Tuple | cst.List) else ()
    plain = [cst.Arg(element.value) for element in listed if isinstance(element, cst.Element)]
    arguments = (*plain, *_named(tree.argument(call, "kwargs", 2)))
    once = all(times(call, name, place, bench) == 1 for name, place in ROUNDS)
    renewed = once or tree.argument(call, "setup", 3) is not None or tree.splat(call)
    return unwrap_partial(
        Handed(call=call, function=function, arguments=arguments, renewed=renewed)
    )


def _named(given: cst.BaseExpression | None) -> Iterator[cst.Arg]:
    """Yield the arguments by name that `kwargs` of `pedantic` holds."""
    for element in given.elements if isinstance(given, cst.Dict) else ():
        name = tree.constant(element.key) if isinstance(element, cst.DictElement) else None
        if isinstance(name, str) and name.isidentifier():
            yield cst.Arg(element.value, keyword=cst.Name(name))
    if isinstance(given, cst.Call) and tree.dotted(given.func) == "dict":
        yield from given.args


ROUNDS = (("rounds", 5), ("iterations", 7))
"""How often `pedantic` calls the function: the parameters and their places."""


def times(call: cst.Call, name: str, place: int, bench: BenchmarkSource) -> int | None:
    """Return one of these numbers of a call of `pedantic`, None where it is not seen."""
    if tree.splat(call):
        return None
    expression = tree.argument(call, name, place)
    if expression is None:
        return 1
    constant = tree.constant(bench.value(expression))
    return constant if isinstance(constant, int) else None


def unwrap_partial(handed: Handed) -> Handed:
    """Return the function inside `functools.partial`, with the arguments it holds."""
    inner = handed.function
    if not isinstance(inner, cst.Call) or not inner.args:
        return handed
    if tree.dotted(inner.func).rpartition(".")[2] != "partial" or inner.args[0].star:
        return handed
    arguments = (*inner.args[1:], *handed.arguments)
    return replace(handed, function=inner.args[0].value, arguments=arguments)


def _codes(
    handed: Handed, inner: dict[str, cst.FunctionDef], bench: BenchmarkSource
) -> Iterator[TimedCode]:
    """Yield the code of the function, where it stands in this file and no other name hides it."""
    code = handed.function
    if isinstance(code, cst.Lambda):
        yield code_of_rounds(code, handed)
    elif isinstance(code, cst.Name):
        hidden = code.value in bench.scopes[0]
        outer = None if hidden else bench.file.functions.get(code.value)
        function = inner.get(code.value, outer)
        if function is not None:
            yield code_of_rounds(function, handed)
