"""Benchmarks of pytest: the fixture of pytest-benchmark and CodSpeed, and CodSpeed's marker."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import libcst as cst

from mutators.python.lint_rules import tree
from mutators.python.lint_rules.benchmark_discovery import (
    BenchmarkFramework,
    BenchmarkSource,
    CallTarget,
    Preparation,
    TimedCode,
    make_round_code,
)
from mutators.python.lint_rules.project import PythonFile, PythonProject

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


def find_benchmarks(project: PythonProject) -> Iterator[BenchmarkSource]:
    """Yield the benchmarks of pytest in the order of the files."""
    candidates = [file for file in project.files if HINT.search(file.text)]
    replaced = [file for file in candidates if _replaces_fixture(file)]
    codspeed = project.mentions_word(b"codspeed")
    folders = {
        replacing_file.place.parent
        for replacing_file in replaced
        if replacing_file.place.name == "conftest.py"
    }
    replacing_paths = {
        replacing_file.path
        for replacing_file in replaced
        if replacing_file.place.name != "conftest.py"
    }
    suite = _BenchmarkCriteria(_list_test_prefixes(project), _wrapping_fixtures(candidates))
    used = {name.encode() for name in suite.fixtures}
    for file in project.files:
        if not (HINT.search(file.text) or used & file.raw_words):
            continue
        if file.path not in replacing_paths and folders.isdisjoint(file.place.parents):
            yield from _find_file_benchmarks(file, suite, codspeed=codspeed)


@dataclass(frozen=True)
class _BenchmarkCriteria:
    """What makes a function a benchmark: how names begin, and which fixtures use the fixture."""

    prefixes: tuple[str, ...]
    fixtures: frozenset[str]


def _list_test_prefixes(project: PythonProject) -> tuple[str, ...]:
    """Return how the names of test functions may begin, also by the project's configuration."""
    texts = project.list_texts_named(_CONFIGURATIONS)
    configured_prefixes = (
        prefix
        for text in texts
        for name in _NAMING.findall(text)
        for prefix in _PREFIX.findall(name)
    )
    return (*_TEST, *(prefix.decode() for prefix in configured_prefixes))


def _wrapping_fixtures(files: list[PythonFile]) -> frozenset[str]:
    """Return the fixtures that use pytest-benchmark's, directly or by others."""
    uses = {
        node.name.value: tree.list_all_parameters(node)
        for file in files
        if b"fixture" in file.text
        for node in tree.walk_tree(*file.statements)
        if isinstance(node, cst.FunctionDef) and _is_fixture(node)
    }
    names, before = {_FIXTURE}, 0
    while len(names) > before:
        before = len(names)
        names |= {name for name, used in uses.items() if used & names}
    return frozenset(names - {_FIXTURE})


def shows_benchmark(file: PythonFile) -> bool:
    """Tell whether the bytes of a file show a benchmark of pytest."""
    return _PLAIN.search(file.text) is not None


def _replaces_fixture(file: PythonFile) -> bool:
    """Tell whether a file defines a fixture `benchmark` of its own: nobody knows what it does."""
    if b"fixture" not in file.text:
        return False
    return any(
        isinstance(node, cst.FunctionDef) and _is_fixture(node) and node.name.value == _FIXTURE
        for node in tree.walk_tree(*file.statements)
    )


def _is_fixture(node: cst.FunctionDef) -> bool:
    return any(name.rpartition(".")[2] == "fixture" for name in tree.list_decorator_names(node))


def _find_file_benchmarks(
    file: PythonFile, suite: _BenchmarkCriteria, *, codspeed: bool
) -> Iterator[BenchmarkSource]:
    """Yield the benchmarks of a file; the marker makes one only where CodSpeed reads it."""
    for bench in _find_test_benchmarks(file, suite):
        if codspeed or bench.harness is not BenchmarkFramework.CODSPEED:
            yield bench


def _find_test_benchmarks(file: PythonFile, suite: _BenchmarkCriteria) -> Iterator[BenchmarkSource]:
    marked = _has_marker(file.bindings.get("pytestmark", []))
    prepared = _make_file_preparations(file, suite)
    for node in tree.walk_own_nodes(*file.statements):
        if isinstance(node, cst.FunctionDef):
            yield from _make_test_benchmark(prepared, node, None, marked=marked)
        elif isinstance(node, cst.ClassDef):
            below = marked or not _MARKERS.isdisjoint(tree.list_decorator_names(node))
            for inner_node in tree.walk_own_nodes(*node.body.body):
                if isinstance(inner_node, cst.FunctionDef):
                    yield from _make_test_benchmark(prepared, inner_node, node, marked=below)


def _has_marker(values: list[cst.BaseExpression | None]) -> bool:
    """Tell whether `pytestmark` holds the marker."""
    names = (
        tree.read_dotted_name(node)
        for value in values
        if value
        for node in tree.walk_own_nodes(value)
    )
    return not _MARKERS.isdisjoint(names)


@dataclass(frozen=True, eq=False)
class _FilePreparations:
    """What makes inputs for the tests of a file: its module, and its fixtures by name."""

    module: Preparation
    fixtures: dict[str, Preparation]
    suite: _BenchmarkCriteria

    def list_preparations(self, node: cst.FunctionDef) -> Iterator[Preparation]:
        """Yield the fixtures that a test asks for, and what the module makes."""
        for name in sorted(tree.list_all_parameters(node)):
            if name in self.fixtures:
                yield self.fixtures[name]
        yield self.module


def _make_file_preparations(file: PythonFile, suite: _BenchmarkCriteria) -> _FilePreparations:
    scopes = (file.bindings,)
    fixtures = {
        name: Preparation(
            file=file,
            scopes=(_make_test_scope(node), *scopes),
            nodes=tree.list_body_nodes(node),
            head=node,
            shared=True,
        )
        for name, node in file.functions.items()
        if _is_fixture(node)
    }
    module = Preparation(file=file, scopes=scopes, nodes=file.statements, shared=True)
    return _FilePreparations(module, fixtures, suite)


def _make_test_benchmark(
    prepared: _FilePreparations, node: cst.FunctionDef, owner: cst.ClassDef | None, *, marked: bool
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
        scopes=(_make_test_scope(node), file.bindings),
        preparations=tuple(prepared.list_preparations(node)),
    )
    if _FIXTURE in tree.list_all_parameters(node):
        yield _fill_targets(bench, node)
    elif marked or not _MARKERS.isdisjoint(tree.list_decorator_names(node)):
        yield replace(bench, harness=BenchmarkFramework.CODSPEED, timed=(make_round_code(node),))
    elif prepared.suite.fixtures & tree.list_all_parameters(node):
        yield bench  # what the fixture does with what it is handed is not seen


def _make_test_scope(node: cst.FunctionDef) -> tree.Bindings:
    """Return what a test binds; its parameters are bound to what is not seen."""
    values_by_name = tree.find_bindings(tree.list_body_nodes(node))
    for name in tree.list_all_parameters(node):
        values_by_name.setdefault(name, []).insert(0, None)
    return values_by_name


def _fill_targets(bench: BenchmarkSource, node: cst.FunctionDef) -> BenchmarkSource:
    """Return the benchmark with what its body hands to the fixture."""
    body = tree.list_body_nodes(node)
    inner = {
        definition.name.value: definition
        for definition in tree.walk_own_nodes(*body)
        if isinstance(definition, cst.FunctionDef)
    }
    bound = bench.scopes[0]
    single = {name: function for name, function in inner.items() if len(bound[name]) == 1}
    fixtures = list_fixture_names(bound)
    handed: list[CallTarget] = []
    registered: list[cst.Call] = []
    codes: list[TimedCode] = []
    for call in tree.list_calls(*body):
        callee = tree.read_dotted_name(call.func).removesuffix(".pedantic")
        if callee in fixtures and call.args:
            registered.append(call)
            handed_code = _read_call_target(call, bench)
            if handed_code is not None:
                handed.append(handed_code)
                codes += _make_target_code(handed_code, single, bench)
    for function in inner.values():
        if not fixtures.isdisjoint(tree.list_decorator_names(function)):
            decorated_target = CallTarget(call=function, function=function.name)
            handed.append(decorated_target)
            codes.append(make_round_code(function))
    first = Preparation(file=bench.file, scopes=bench.scopes, nodes=body, head=node)
    return replace(
        bench,
        handed=tuple(handed),
        registered=tuple(registered),
        timed=tuple(codes),
        preparations=(first, *bench.preparations),
    )


def list_fixture_names(bound: tree.Bindings) -> frozenset[str]:
    """Return the names of the fixture in a test: its own, and those bound to it alone."""
    aliases = (
        name
        for name, values in bound.items()
        if len(values) == 1
        and values[0] is not None
        and tree.read_dotted_name(values[0]) == _FIXTURE
    )
    return frozenset({_FIXTURE, *aliases})


def _read_call_target(call: cst.Call, bench: BenchmarkSource) -> CallTarget | None:
    """Return what a call of the fixture hands over, None where that cannot be told."""
    if not tree.read_dotted_name(call.func).endswith(".pedantic"):
        first = call.args[0]
        if first.star or first.keyword:
            return None
        return unwrap_partial(
            CallTarget(call=call, function=first.value, arguments=tuple(call.args[1:]))
        )
    function = tree.find_argument(call, "target", 0)
    if function is None:
        return None
    expression = tree.find_argument(call, "args", 1)
    elements = expression.elements if isinstance(expression, cst.Tuple | cst.List) else ()
    plain = [cst.Arg(element.value) for element in elements if isinstance(element, cst.Element)]
    arguments = (*plain, *_list_keyword_arguments(tree.find_argument(call, "kwargs", 2)))
    once = all(read_pedantic_number(call, name, place, bench) == 1 for name, place in ROUNDS)
    renewed = once or tree.find_argument(call, "setup", 3) is not None or tree.has_splat(call)
    return unwrap_partial(
        CallTarget(call=call, function=function, arguments=arguments, renewed=renewed)
    )


def _list_keyword_arguments(kwargs_node: cst.BaseExpression | None) -> Iterator[cst.Arg]:
    """Yield the arguments by name that `kwargs` of `pedantic` holds."""
    for element in kwargs_node.elements if isinstance(kwargs_node, cst.Dict) else ():
        name = tree.evaluate_constant(element.key) if isinstance(element, cst.DictElement) else None
        if isinstance(name, str) and name.isidentifier():
            yield cst.Arg(element.value, keyword=cst.Name(name))
    if isinstance(kwargs_node, cst.Call) and tree.read_dotted_name(kwargs_node.func) == "dict":
        yield from kwargs_node.args


ROUNDS = (("rounds", 5), ("iterations", 7))
"""How often `pedantic` calls the function: the parameters and their places."""


def read_pedantic_number(
    call: cst.Call, name: str, place: int, bench: BenchmarkSource
) -> int | None:
    """Return one of these numbers of a call of `pedantic`, None where it is not seen."""
    if tree.has_splat(call):
        return None
    expression = tree.find_argument(call, name, place)
    if expression is None:
        return 1
    constant = tree.evaluate_constant(bench.resolve_value(expression))
    return constant if isinstance(constant, int) else None


def unwrap_partial(handed: CallTarget) -> CallTarget:
    """Return the function inside `functools.partial`, with the arguments it holds."""
    inner = handed.function
    if not isinstance(inner, cst.Call) or not inner.args:
        return handed
    if tree.read_dotted_name(inner.func).rpartition(".")[2] != "partial" or inner.args[0].star:
        return handed
    arguments = (*inner.args[1:], *handed.arguments)
    return replace(handed, function=inner.args[0].value, arguments=arguments)


def _make_target_code(
    handed: CallTarget, inner: dict[str, cst.FunctionDef], bench: BenchmarkSource
) -> Iterator[TimedCode]:
    """Yield the code of the function, where it stands in this file and no other name hides it."""
    code = handed.function
    if isinstance(code, cst.Lambda):
        yield make_round_code(code, handed)
    elif isinstance(code, cst.Name):
        hidden = code.value in bench.scopes[0]
        outer = None if hidden else bench.file.find_own_function(code.value)
        function = inner.get(code.value, outer)
        if function is not None:
            yield make_round_code(function, handed)
