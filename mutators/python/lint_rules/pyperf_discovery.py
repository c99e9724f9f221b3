"""Benchmarks of pyperf: functions and strings of code that a script hands to a Runner."""

import re
from collections.abc import Iterator
from dataclasses import replace

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
from mutators.python.lint_rules.pytest_discovery import unwrap_partial
from mutators.python.parsing import parse_source

HINT = re.compile(rb"\b(?:pyperf|perf)\b")
_PLAIN = re.compile(rb"^[ \t]*(?:import|from) pyperf\b", re.MULTILINE)
_FUNCTIONS = frozenset({"bench_func", "bench_time_func", "bench_async_func"})
_CLOCKS = frozenset({"perf_counter", "perf_counter_ns"})


def find_benchmarks(project: PythonProject) -> Iterator[BenchmarkSource]:
    """Yield the benchmarks of pyperf in the order of the files."""
    for file in project.files:
        if HINT.search(file.text) and _imports_pyperf(file):
            yield from _find_file_benchmarks(file, project)


def shows_benchmark(file: PythonFile) -> bool:
    """Tell whether the bytes of a file show a benchmark of pyperf."""
    return _PLAIN.search(file.text) is not None and b"runner" in file.text.lower()


def _imports_pyperf(file: PythonFile) -> bool:
    return any(
        name.partition(".")[0] in ("pyperf", "perf") for name in file.import_origins.values()
    )


def _find_file_benchmarks(file: PythonFile, project: PythonProject) -> Iterator[BenchmarkSource]:
    inner = _index_functions(file)
    module = Preparation(file=file, scopes=(file.bindings,), nodes=file.statements, shared=True)
    for call in (node for node in tree.walk_tree(*file.statements) if isinstance(node, cst.Call)):
        receiver, _, method = tree.read_dotted_name(call.func).rpartition(".")
        if not receiver.lower().endswith("runner") or not call.args or tree.has_splat(call):
            continue
        if method in _FUNCTIONS and len(call.args) > 1:
            bench = _make_function_benchmark(file, call, inner)
            looped = method == "bench_time_func" and isinstance(bench.declaration, cst.FunctionDef)
            function_scopes = (
                (project.answer_once(_find_function_bindings, bench.declaration),) if looped else ()
            )
            yield replace(bench, scopes=(*function_scopes, *bench.scopes), preparations=(module,))
        elif method == "timeit":
            yield _make_text_benchmark(file, call)


def _find_function_bindings(function: cst.CSTNode) -> tree.Bindings:
    """Return what a function binds, which loops itself over the work that it times."""
    return (
        tree.find_bindings(tree.list_body_nodes(function))
        if isinstance(function, cst.FunctionDef)
        else {}
    )


def _index_functions(file: PythonFile) -> dict[str, cst.FunctionDef]:
    """Return all functions of a file by name, without those defined more than once."""
    functions_by_name: dict[str, list[cst.FunctionDef]] = {}
    for node in tree.walk_tree(*file.statements):
        if isinstance(node, cst.FunctionDef):
            functions_by_name.setdefault(node.name.value, []).append(node)
    return {
        name: functions[0] for name, functions in functions_by_name.items() if len(functions) == 1
    }


def _make_function_benchmark(
    file: PythonFile, call: cst.Call, inner: dict[str, cst.FunctionDef]
) -> BenchmarkSource:
    method = tree.read_dotted_name(call.func).rpartition(".")[2]
    handed = unwrap_partial(
        CallTarget(
            call=call,
            function=call.args[1].value,
            arguments=tuple(argument for argument in call.args[2:] if argument.keyword is None),
            awaited=method == "bench_async_func",
        )
    )
    code: tree.Function | None = inner.get(tree.read_dotted_name(handed.function))
    if isinstance(handed.function, cst.Lambda):
        code = handed.function
    looped = method == "bench_time_func"
    codes: tuple[TimedCode, ...] = ()
    if code is not None:
        function_code = replace(make_round_code(code, handed), renewed=False)
        codes = (function_code,) if not looped else tuple(_between_clocks(function_code))
    return BenchmarkSource(
        name=_read_benchmark_name(call) or tree.read_dotted_name(handed.function),
        harness=BenchmarkFramework.PYPERF,
        file=file,
        declaration=code if isinstance(code, cst.FunctionDef) else call,
        handed=() if looped else (handed,),
        timed=codes,
        scopes=(file.bindings,),
    )


def _read_benchmark_name(call: cst.Call) -> str:
    name = tree.evaluate_constant(tree.find_argument(call, "name", 0))
    return name if isinstance(name, str) else ""


def _between_clocks(function_code: TimedCode) -> Iterator[TimedCode]:
    """Yield what a function does after it first looks at the clock, where that is plain to see."""
    first = next(
        (
            place
            for place, node in enumerate(function_code.nodes)
            if isinstance(node, cst.SimpleStatementLine) and _reads_clock(node)
        ),
        None,
    )
    if first is not None:
        nodes = function_code.nodes[first + 1 :]
        yield replace(function_code, nodes=nodes)


def _reads_clock(node: cst.CSTNode) -> bool:
    names = (tree.read_dotted_name(call.func).rpartition(".")[2] for call in tree.list_calls(node))
    return any(name in _CLOCKS for name in names)


def _make_text_benchmark(file: PythonFile, call: cst.Call) -> BenchmarkSource:
    """Return the benchmark of a string of code."""
    text = tree.evaluate_constant(tree.find_argument(call, "stmt", 1))
    module = parse_source(text.encode(errors="replace")) if isinstance(text, str) else None
    nodes = tuple(module.body) if module is not None else ()
    code = TimedCode(nodes=nodes, place=call)
    return BenchmarkSource(
        name=_read_benchmark_name(call) or (text if isinstance(text, str) else ""),
        harness=BenchmarkFramework.PYPERF,
        file=file,
        declaration=call,
        timed=(code,) if nodes else (),
    )
