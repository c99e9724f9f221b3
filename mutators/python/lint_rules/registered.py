"""How a benchmark is handed to the fixture: how often it is called, and what is handed over."""

from collections.abc import Iterator

import libcst as cst

from auditor.core.contracts.lint import Confidence
from mutators.python.lint_rules import rules, tree
from mutators.python.lint_rules.benchmark_discovery import (
    BenchmarkSource,
    RuleHit,
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


def find_single_rounds(bench: BenchmarkSource, project: PythonProject) -> Iterator[RuleHit]:
    """Yield the calls of `pedantic` that call the function once."""
    for call in bench.registered:
        if tree.read_dotted_name(call.func).rpartition(".")[2] != "pedantic":
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
