"""Lazy objects that the timed code makes and nobody consumes."""

from collections.abc import Iterator

import libcst as cst

from mutators.python.lint_rules import rules, tree
from mutators.python.lint_rules.benchmark_discovery import (
    BenchmarkFramework,
    BenchmarkSource,
    RuleHit,
    TimedCode,
)
from mutators.python.lint_rules.project import PythonProject
from mutators.python.lint_rules.pytest_discovery import list_fixture_names

_BUILTINS = frozenset({"map", "filter", "zip", "itertools.chain", "itertools.starmap"})


def find_unused_generators(bench: BenchmarkSource, project: PythonProject) -> Iterator[RuleHit]:
    """Yield what is lazy and is dropped or handed back to the harness, which drops it."""
    for handed in bench.handed:
        if not isinstance(handed.function, cst.Lambda):
            reason = _explain_lazy_function(bench, handed.function, project, awaited=handed.awaited)
            if reason:
                yield _make_hit(bench, handed.call, tree.format_code(handed.function), reason)
    for code in bench.timed:
        own_names = {*code.bindings, *code.parameters}
        for node in _list_dropped_values(code):
            called = tree.read_dotted_name(node.func) if isinstance(node, cst.Call) else ""
            reason = _explain_lazy_value(bench, node, project)
            if reason and called.partition(".")[0] not in own_names:
                yield _make_hit(bench, node, tree.format_code(node), reason)
    if bench.harness is BenchmarkFramework.ASV:
        yield from _find_lazy_benchmarks(bench)


def _make_hit(bench: BenchmarkSource, node: cst.CSTNode, name: str, reason: str) -> RuleHit:
    return RuleHit(
        rule=rules.UNUSED_GENERATOR,
        bench=bench,
        node=node,
        text=f"`{name}` {reason}: the time is that of making it, nothing of its work is measured.",
    )


def _find_lazy_benchmarks(bench: BenchmarkSource) -> Iterator[RuleHit]:
    for code in bench.timed:
        function = code.function
        if function is not None and (
            tree.is_generator(function) or function.asynchronous is not None
        ):
            yield _make_hit(
                bench,
                function,
                function.name.value,
                _LAZY_FUNCTION_REASONS[function.asynchronous is None],
            )


_LAZY_FUNCTION_REASONS = {
    True: "is a generator function, and no timed call consumes the generator that it makes",
    False: "is a coroutine function, and no timed call awaits the coroutine that it makes",
}


def _explain_lazy_function(
    bench: BenchmarkSource, function: cst.CSTNode, project: PythonProject, *, awaited: bool
) -> str:
    """Return why calling a function does nothing of its work, empty where it may."""
    name = tree.read_dotted_name(function)
    if not name:
        return ""
    if bench.file.expand_name(name) in _BUILTINS:
        hidden = "." not in name and not bench.means_builtin(name)
        return "" if hidden else "is lazy, and nobody consumes what each call makes"
    definition = bench.inner_functions.get(name) or resolve_function(bench, name, project)
    if definition is None:
        return ""
    if not list_fixture_names(bench.scopes[0]).issuperset(tree.list_decorator_names(definition)):
        return ""
    if project.answer_once(tree.is_generator, definition):
        return _LAZY_FUNCTION_REASONS[True]
    return (
        _LAZY_FUNCTION_REASONS[False] if definition.asynchronous is not None and not awaited else ""
    )


def resolve_function(
    bench: BenchmarkSource, name: str, project: PythonProject
) -> cst.FunctionDef | None:
    """Return the function of the project that a name around the timed code stands for."""
    if bench.hides_name(name):
        return None
    definition = project.find_function(bench.file, name)
    return definition[1] if definition is not None else None


def _list_dropped_values(code: TimedCode) -> Iterator[cst.BaseExpression]:
    """Yield the expressions whose values nobody uses: statements, and what is returned."""
    for node in code.own_nodes:
        if isinstance(node, cst.Expr | cst.Return) and node.value is not None:
            yield node.value
    if len(code.nodes) == 1 and isinstance(code.nodes[0], cst.BaseExpression):
        yield code.nodes[0]


def _explain_lazy_value(
    bench: BenchmarkSource, node: cst.BaseExpression, project: PythonProject
) -> str:
    """Return why an expression does nothing of its work, empty where it may."""
    if isinstance(node, cst.GeneratorExp):
        return "is a generator expression that nobody consumes"
    if isinstance(node, cst.Call):
        return _explain_lazy_function(bench, node.func, project, awaited=False)
    return ""
