"""Timed loops that only repeat a call, calls that a cache answers, and harnesses of one process."""

from collections.abc import Iterator

import libcst as cst

from mutators.python.lint_rules import rules, tree
from mutators.python.lint_rules.benchmark_discovery import (
    BenchmarkFramework,
    BenchmarkSource,
    CallTarget,
    RuleHit,
    TimedCode,
)
from mutators.python.lint_rules.project import PythonFile, PythonProject
from mutators.repeated_calls import changes_next_call, states_repetition

_LIGHT = frozenset({"range", "len", "print", "isinstance"})
_STOPS = (cst.Break, cst.Continue, cst.Return, cst.Yield, cst.Await, cst.Raise, cst.AugAssign)
_CACHES = frozenset({"functools.lru_cache", "functools.cache", "lru_cache", "cache"})
_ABOUT_CACHES = frozenset({"cache", "cached", "memo", "memoized", "memoize", "lru", "hit", "warm"})


def find_inner_loops(bench: BenchmarkSource, project: PythonProject) -> Iterator[RuleHit]:  # noqa: ARG001 - as all rules
    """Yield the loops to a constant in the timed code whose rounds make the same calls."""
    for code in bench.timed:
        for node in code.nodes:
            rounds = _count_rounds(node, bench)
            if rounds <= 1 or states_repetition(bench.name, tree.split_words(bench.name), rounds):
                continue
            if _rounds_are_alike(node):
                yield RuleHit(
                    rule=rules.INNER_LOOP,
                    bench=bench,
                    node=node,
                    text=f"Each timed call makes the same calls {rounds:,} times and counts them as"
                    " one, so the number is not that of one call.",
                )


def _count_rounds(node: cst.CSTNode, bench: BenchmarkSource) -> int:
    """Return how often a loop over `range(n)` runs, 0 where it is none or nobody knows."""
    if not isinstance(node, cst.For) or not isinstance(node.iter, cst.Call):
        return 0
    args = node.iter.args
    if tree.read_dotted_name(node.iter.func) != "range" or len(args) != 1:
        return 0
    constant = tree.evaluate_constant(bench.resolve_value(args[0].value))
    return constant if isinstance(constant, int) else 0


def _rounds_are_alike(loop: cst.CSTNode) -> bool:
    """Tell whether the rounds of a loop make the same calls with the same."""
    if not isinstance(loop, cst.For):
        return False
    nodes = tuple(tree.walk_tree(loop.body))
    if any(isinstance(node, _STOPS) for node in nodes):
        return False
    called = [
        tree.read_dotted_name(node.func).rpartition(".")[2] or tree.format_code(node.func)
        for node in nodes
        if isinstance(node, cst.Call)
    ]
    if not set(called) - _LIGHT or any(map(changes_next_call, called)):
        return False
    changed = set(tree.find_bindings((loop.body, loop.target)))
    changed |= set(tree.list_read_names(loop.target))
    stores = (node.target for node in nodes if isinstance(node, cst.AssignTarget))
    if any(isinstance(store, cst.Subscript | cst.Attribute) for store in stores):
        return False
    call_names = (
        read for node in nodes if isinstance(node, cst.Call) for read in tree.list_read_names(node)
    )
    return not changed.intersection(call_names)


def find_cached_calls(bench: BenchmarkSource, project: PythonProject) -> Iterator[RuleHit]:
    """Yield the calls of functions that remember their results, with what never changes."""
    if bench.subject_words & _ABOUT_CACHES:
        return
    for handed in bench.handed:
        if not handed.renewed and _is_cached_function(bench, handed.function, project):
            yield _make_cached_hit(bench, handed.call, handed.function)
    for code in bench.timed:
        for call in code.own_calls if not _clears_cache(code) else ():
            once = CallTarget(call=call, function=call.func, arguments=tuple(call.args))
            if _is_cached_function(bench, call.func, project) and _has_fixed_inputs(once, code):
                yield _make_cached_hit(bench, call, call.func)


def _make_cached_hit(
    bench: BenchmarkSource, node: cst.CSTNode, function: cst.BaseExpression
) -> RuleHit:
    return RuleHit(
        rule=rules.CACHED_CALL,
        bench=bench,
        node=node,
        text=f"`{tree.format_code(function)}` remembers its results and gets the same arguments "
        "each time, so all calls but the first only look one up.",
    )


def _is_cached_function(
    bench: BenchmarkSource, function: cst.CSTNode, project: PythonProject
) -> bool:
    """Tell whether a function of the project is decorated with a cache of `functools`."""
    name = tree.read_dotted_name(function)
    if not name or bench.hides_name(name):
        return False
    definition = project.find_function(bench.file, name)
    if definition is None:
        return False
    file, node = definition
    return any(
        file.expand_name(decorator) in _CACHES for decorator in tree.list_decorator_names(node)
    )


def _clears_cache(code: TimedCode) -> bool:
    return any(tree.read_dotted_name(call.func).endswith("cache_clear") for call in code.own_calls)


def _has_fixed_inputs(handed: CallTarget, code: TimedCode) -> bool:
    """Tell whether no argument is made by the timed code itself."""
    names = [name for argument in handed.arguments for name in tree.list_read_names(argument.value)]
    calls = any(
        isinstance(node, cst.Call)
        for argument in handed.arguments
        for node in tree.walk_own_nodes(argument.value)
    )
    bound = set(code.bindings)
    return not calls and not bound.intersection(names)


def find_single_process(bench: BenchmarkSource, project: PythonProject) -> Iterator[RuleHit]:
    """Yield what tells pyperf or asv to measure in a single process."""
    if bench.harness is BenchmarkFramework.PYPERF:
        for call in project.answer_once(_pyperf_runners, bench.file):
            if tree.evaluate_constant(tree.find_argument(call, "processes", 1)) == 1:
                yield _make_process_hit(bench, call, "pyperf")
    elif bench.harness is BenchmarkFramework.ASV and bench.owner is not None and bench.timed:
        for node in project.answer_once(_asv_settings, bench.owner):
            yield _make_process_hit(bench, node, "asv")


def _asv_settings(owner: cst.ClassDef) -> tuple[cst.Assign, ...]:
    """Return the assignments of a class that ask asv for one process."""
    return tuple(
        node
        for node in tree.split_statement_lines(owner.body.body)
        if isinstance(node, cst.Assign)
        and tree.evaluate_constant(node.value) == 1
        and {tree.read_dotted_name(target.target) for target in node.targets}
        & {"rounds", "processes"}
    )


def _make_process_hit(bench: BenchmarkSource, node: cst.CSTNode, harness: str) -> RuleHit:
    return RuleHit(
        rule=rules.ONE_PROCESS,
        bench=bench,
        node=node,
        text=f"{harness} measures in one process only, so what differs from process to process"
        " (the places of code and data, the seed of hashes) is not seen.",
        shared=True,
    )


def _pyperf_runners(file: PythonFile) -> tuple[cst.Call, ...]:
    """Return the calls in a file that make a Runner of pyperf."""
    calls = (call for call in tree.walk_tree(*file.statements) if isinstance(call, cst.Call))
    return tuple(
        call for call in calls if file.expand_name(call.func) in ("pyperf.Runner", "perf.Runner")
    )
