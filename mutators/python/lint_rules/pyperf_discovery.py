"""Benchmarks of pyperf: functions and strings of code that a script hands to a Runner."""

import re
from collections.abc import Iterator
from dataclasses import replace

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
from mutators.python.lint_rules.pytest_discovery import unwrap_partial
from mutators.python.parsing import parse

HINT = re.compile(rb"\b(?:pyperf|perf)\b")
_PLAIN = re.compile(rb"^[ \t]*(?:import|from) pyperf\b", re.MULTILINE)
_FUNCTIONS = frozenset({"bench_func", "bench_time_func", "bench_async_func"})
_CLOCKS = frozenset({"perf_counter", "perf_counter_ns"})


def find(project: PythonProject) -> Iterator[BenchmarkSource]:
    """Yield the benchmarks of pyperf in the order of the files."""
    for file in project.files:
        if HINT.search(file.text) and _uses(file):
            yield from _of_file(file, project)


def holds(file: File) -> bool:
    """Tell whether the bytes of a file show a benchmark of pyperf."""
    return _PLAIN.search(file.text) is not None and b"runner" in file.text.lower()


def _uses(file: File) -> bool:
    return any(name.partition(".")[0] in ("pyperf", "perf") for name in file.imports.values())


def _of_file(file: File, project: PythonProject) -> Iterator[BenchmarkSource]:
    inner = _functions(file)
    module = Preparation(file=file, scopes=(file.bindings,), nodes=file.statements, shared=True)
    for call in (node for node in tree.descend(*file.statements) if isinstance(node, cst.Call)):
        receiver, _, method = tree.dotted(call.func).rpartition(".")
        if not receiver.lower().endswith("runner") or not call.args or tree.splat(call):
            continue
        if method in _FUNCTIONS and len(call.args) > 1:
            bench = _of_function(file, call, inner)
            looped = method == "bench_time_func" and isinstance(bench.declaration, cst.FunctionDef)
            own = (project.once(_bound, bench.declaration),) if looped else ()
            yield replace(bench, scopes=(*own, *bench.scopes), preparations=(module,))
        elif method == "timeit":
            yield _of_text(file, call)


def _bound(function: cst.CSTNode) -> tree.Bindings:
    """Return what a function binds, which loops itself over the work that it times."""
    return tree.bindings(tree.body(function)) if isinstance(function, cst.FunctionDef) else {}


def _functions(file: File) -> dict[str, cst.FunctionDef]:
    """Return all functions of a file by name, without those defined more than once."""
    functions_by_name: dict[str, list[cst.FunctionDef]] = {}
    for node in tree.descend(*file.statements):
        if isinstance(node, cst.FunctionDef):
            functions_by_name.setdefault(node.name.value, []).append(node)
    return {
        name: functions[0] for name, functions in functions_by_name.items() if len(functions) == 1
    }


def _of_function(file: File, call: cst.Call, inner: dict[str, cst.FunctionDef]) -> BenchmarkSource:
    method = tree.dotted(call.func).rpartition(".")[2]
    handed = unwrap_partial(
        Handed(
            call=call,
            function=call.args[1].value,
            arguments=tuple(argument for argument in call.args[2:] if argument.keyword is None),
            awaited=method == "bench_async_func",
        )
    )
    code: tree.Function | None = inner.get(tree.dotted(handed.function))
    if isinstance(handed.function, cst.Lambda):
        code = handed.function
    looped = method == "bench_time_func"
    codes: tuple[TimedCode, ...] = ()
    if code is not None:
        whole = replace(code_of_rounds(code, handed), renewed=False)
        codes = (whole,) if not looped else tuple(_between_clocks(whole))
    return BenchmarkSource(
        name=_name(call) or tree.dotted(handed.function),
        harness=BenchmarkFramework.PYPERF,
        file=file,
        declaration=code if isinstance(code, cst.FunctionDef) else call,
        handed=() if looped else (handed,),
        timed=codes,
        scopes=(file.bindings,),
    )


def _name(call: cst.Call) -> str:
    name = tree.constant(tree.argument(call, "name", 0))
    return name if isinstance(name, str) else ""


def _between_clocks(whole: TimedCode) -> Iterator[TimedCode]:
    """Yield what a function does after it first looks at the clock, where that is plain to see."""
    first = next(
        (
            place
            for place, node in enumerate(whole.nodes)
            if isinstance(node, cst.SimpleStatementLine) and _reads_clock(node)
        ),
        None,
    )
    if first is not None:
        nodes = whole.nodes[first + 1 :]
        yield replace(whole, nodes=nodes)


def _reads_clock(node: cst.CSTNode) -> bool:
    names = (tree.dotted(call.func).rpartition(".")[2] for call in tree.calls(node))
    return any(name in _CLOCKS for name in names)


def _of_text(file: File, call: cst.Call) -> BenchmarkSource:
    """Return the benchmark of a string of code."""
    text = tree.constant(tree.argument(call, "stmt", 1))
    module = parse(text.encode(errors="replace")) if isinstance(text, str) else None
    nodes = tuple(module.body) if module is not None else ()
    code = TimedCode(nodes=nodes, place=call)
    return BenchmarkSource(
        name=_name(call) or (text if isinstance(text, str) else ""),
        harness=BenchmarkFramework.PYPERF,
        file=file,
        declaration=call,
        timed=(code,) if nodes else (),
    )
