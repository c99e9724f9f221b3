"""How a benchmark is handed to the fixture: how often it is called, and what is handed over."""

from collections.abc import Iterator

import libcst as cst

from mutators.python.lint_rules import rules, tree
from mutators.python.lint_rules.benchmark_discovery import BenchmarkSource
from mutators.python.lint_rules.hits import Hit
from mutators.python.lint_rules.project import PythonProject
from mutators.python.lint_rules.pytest_discovery import ROUNDS, times

_VALUES = frozenset(
    {
        *("len", "sum", "sorted", "list", "dict", "set", "tuple", "str", "int", "float", "bytes"),
        *("print", "range", "map", "filter", "zip", "max", "min", "any", "all", "abs", "repr"),
        "json.loads",
        "json.dumps",
    }
)
"""Functions of the standard library that never return a function."""


def one_round(bench: BenchmarkSource, project: PythonProject) -> Iterator[Hit]:  # noqa: ARG001 - as all rules
    """Yield the calls of `pedantic` that call the function once."""
    for call in bench.registered:
        if tree.dotted(call.func) != "benchmark.pedantic":
            continue
        if all(times(call, name, place, bench) == 1 for name, place in ROUNDS):
            given = any(tree.argument(call, *option) is not None for option in ROUNDS)
            why = "is told to make" if given else "makes, where nothing else is said,"
            yield Hit(
                rule=rules.ONE_ROUND,
                bench=bench,
                node=call,
                text=f"`benchmark.pedantic` {why} one round of one call: a single time, of which"
                " nobody can tell how much of it is chance.",
            )


def result_of_call(bench: BenchmarkSource, project: PythonProject) -> Iterator[Hit]:
    """Yield the results of calls that are handed over in place of functions."""
    for handed in bench.handed:
        function = handed.function
        if isinstance(function, cst.Call) and (why := _no_function(bench, function, project)):
            name = tree.code(function)
            yield Hit(
                rule=rules.RESULT_OF_CALL,
                bench=bench,
                node=handed.call,
                text=f"`{name}` is called once, before anything is timed, and {why}, which is no"
                " function that could be called.",
            )


def _no_function(bench: BenchmarkSource, call: cst.Call, project: PythonProject) -> str:
    """Return why the result of a call is no function, empty where it may be one."""
    name = tree.dotted(call.func)
    meant = bench.file.meant(name)
    if meant in _VALUES:
        hidden = "." not in name and not bench.file.plain(name)
        return "" if hidden else f"`{name}` returns a value"
    if not name or any(name.partition(".")[0] in scope for scope in bench.scopes[:-1]):
        return ""
    definition = project.function(bench.file, name)
    if definition is None or definition[1].decorators:
        return ""
    return project.once(_returned, definition[1])


def _returned(function: cst.FunctionDef) -> str:
    """Return what a function plainly returns that is no function."""
    name = function.name.value
    if function.asynchronous is not None:
        return f"`{name}` returns a coroutine"
    if tree.yields(function):
        return f"`{name}` returns a generator"
    values = [
        statement.value
        for statement in tree.own(*tree.body(function))
        if isinstance(statement, cst.Return)
    ]
    if all(value is None for value in values):
        return f"`{name}` returns nothing"
    plain = cst.BaseNumber | cst.BaseString | cst.BaseList | cst.BaseDict | cst.BaseSet | cst.Tuple
    arithmetic = cst.BinaryOperation | cst.Comparison | cst.BaseComp
    if all(isinstance(value, plain | arithmetic) for value in values):
        return f"`{name}` returns a value"
    return ""
