"""Lazy objects that the timed code makes and nobody consumes."""

from collections.abc import Iterator

import libcst as cst

from auditor.core.contracts.lint import Confidence
from mutators.python.lint_rules import rules, tree
from mutators.python.lint_rules.benchmark_discovery import (
    BenchmarkFramework,
    BenchmarkSource,
    RuleHit,
    TimedCode,
)
from mutators.python.lint_rules.project import PythonProject
from mutators.python.lint_rules.pytest_discovery import ROUNDS, read_pedantic_number

_VALUES = frozenset(
    {
        *("len", "sum", "sorted", "list", "dict", "set", "tuple", "str", "int", "float", "bytes"),
        *("print", "range", "map", "filter", "zip", "max", "min", "any", "all", "abs", "repr"),
        "json.loads",
        "json.dumps",
    }
)
"""Functions of the standard library that never return a function."""

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
    if any(
        tree.read_dotted_name(decorator.decorator) != "benchmark"
        for decorator in definition.decorators
    ):
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


def find_single_rounds(bench: BenchmarkSource, project: PythonProject) -> Iterator[RuleHit]:
    """Yield the calls of `pedantic` that call the function once."""
    for call in bench.registered:
        if tree.read_dotted_name(call.func) != "benchmark.pedantic":
            continue
        if all(read_pedantic_number(call, name, place, bench) == 1 for name, place in ROUNDS):
            is_explicit = any(tree.find_argument(call, *option) is not None for option in ROUNDS)
            description = "is told to make" if is_explicit else "makes, where nothing else is said,"
            yield RuleHit(
                rule=rules.ONE_ROUND,
                bench=bench,
                node=call,
                text=f"`benchmark.pedantic` {description} one round of one call: a single time, "
                "of which nobody can tell how much of it is chance.",
                sure=project.answer_once(_rate_single_rounds, project),
            )


def _rate_single_rounds(project: PythonProject) -> Confidence | None:
    """Return POSSIBLE for a project that knows a counter of instructions, which needs no more."""
    counters = (b"cachegrind", b"callgrind", b"codspeed")
    return Confidence.POSSIBLE if any(map(project.mentions_word, counters)) else None


def find_call_results(bench: BenchmarkSource, project: PythonProject) -> Iterator[RuleHit]:
    """Yield the results of calls that are handed over in place of functions."""
    for handed in bench.handed:
        function = handed.function
        if isinstance(function, cst.Call) and (
            reason := _explain_not_callable(bench, function, project)
        ):
            name = tree.format_code(function)
            yield RuleHit(
                rule=rules.RESULT_OF_CALL,
                bench=bench,
                node=handed.call,
                text=f"`{name}` is called once, before anything is timed, and {reason}, which is no"
                " function that could be called.",
            )


def _explain_not_callable(bench: BenchmarkSource, call: cst.Call, project: PythonProject) -> str:
    """Return why the result of a call is no function, empty where it may be one."""
    name = tree.read_dotted_name(call.func)
    full_name = bench.file.expand_name(name)
    if full_name in _VALUES:
        hidden = "." not in name and not bench.means_builtin(name)
        return "" if hidden else f"`{name}` returns a value"
    if not name or bench.hides_name(name):
        return ""
    definition = project.find_function(bench.file, name)
    if definition is None or definition[1].decorators:
        return ""
    return project.answer_once(_describe_return_value, definition[1])


def _describe_return_value(function: cst.FunctionDef) -> str:
    """Return what a function plainly returns that is no function."""
    name = function.name.value
    if function.asynchronous is not None:
        return f"`{name}` returns a coroutine"
    if tree.is_generator(function):
        return f"`{name}` returns a generator"
    values = [
        statement.value
        for statement in tree.walk_own_nodes(*tree.list_body_nodes(function))
        if isinstance(statement, cst.Return)
    ]
    if all(value is None for value in values):
        return f"`{name}` returns nothing"
    plain = cst.BaseNumber | cst.BaseString | cst.BaseList | cst.BaseDict | cst.BaseSet | cst.Tuple
    arithmetic = cst.BinaryOperation | cst.Comparison | cst.BaseComp
    if all(isinstance(value, plain | arithmetic) for value in values):
        return f"`{name}` returns a value"
    return ""
