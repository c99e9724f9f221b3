"""A plugin of pytest: lists the benchmarks of a suite, or runs one of them; part of the guest.

pytest-benchmark's fixture is asked for what it would time, and the blocks are then ours: its own
rounds and its calibration do not run. A test that is only marked `benchmark`, as CodSpeed's are, is
timed as a whole.
"""

from __future__ import annotations

import inspect
import json
import os
import time
from typing import Any

import pytest
import zz_bench_audit_collect as suites
from zz_bench_audit import Pause
from zz_bench_audit_blocks import run
from zz_bench_audit_fork import leave, members
from zz_bench_audit_hook import tell
from zz_bench_audit_profile import timed as timed_region

LIST = "BENCH_AUDIT_LIST"
_MARKS = ("benchmark", "codspeed_benchmark")
_LONGEST = 500
_COROUTINE = (
    "the test is a coroutine: the time of a call is not its own; "
    "write a test that hands asyncio.run to the fixture benchmark"
)


class _State:
    has_timed = False
    session: Any = None


def is_benchmark(item: Any) -> bool:
    """Tell whether a test is a benchmark: what it uses, or what marks it, decides."""
    if not (hasattr(item, "callspec") or hasattr(item, "function")):
        return False
    return is_marked(item) or suites.uses_benchmark(item)


def is_marked(item: Any) -> bool:
    """Tell whether a test has a marker that makes all of it the benchmark."""
    return any(item.get_closest_marker(name) is not None for name in _MARKS)


def _is_awaited(item: Any) -> bool:
    """Tell whether a marked test is a coroutine that no fixture times."""
    is_coroutine = inspect.iscoroutinefunction(getattr(item, "obj", None))
    return is_coroutine and not suites.uses_benchmark(item)


def pytest_addoption(parser: Any) -> None:
    """Take CodSpeed's option in its place: suites look for it to decide whether to be skipped."""
    parser.addoption("--codspeed", action="store_true", help="benchmarks are wanted")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: Any) -> None:
    """Have the fixture call us where it would measure."""
    for name in _MARKS:
        config.addinivalue_line("markers", f"{name}: CodSpeed's and pytest-benchmark's marker")
    try:
        from pytest_benchmark.fixture import BenchmarkFixture
    except ImportError:
        return
    BenchmarkFixture._raw = _raw
    BenchmarkFixture._raw_pedantic = _raw_pedantic


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Write down all benchmarks, or keep those that are asked for."""
    benchmarks = [item for item in items if is_benchmark(item)]
    if LIST in os.environ:
        for item in benchmarks:
            if _is_awaited(item):
                _write_entry({"unusable": item.nodeid, "why": _COROUTINE, "related": True})
            else:
                _write_entry({"benchmark": item.nodeid, "skipped": suites.skipped(item)})
        items[:] = []
    else:
        items[:] = [item for item in benchmarks if members.wants(item.nodeid)]


def _write_entry(entry: dict[str, Any]) -> None:
    with open(os.environ[LIST], "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtestloop(session: Any) -> Any:
    """Run one benchmark, or fork for each of several; leave where it has run well.

    Where something failed, pytest shows it.
    """
    if members.is_parent and not session.testsfailed:
        items = sorted(session.items, key=lambda item: members.waiting[item.nodeid][0])
        # In a fork it is the session of one item, in this process of none.
        session.items[:] = next(([item] for item in items if members.begin(item.nodeid)), [])
    outcome = yield
    has_run = bool(session.items) or members.is_parent
    is_good = outcome.excinfo is None and not session.testsfailed and has_run
    if is_good and (members.is_fork or not _has_end_hooks(session.config)):
        leave()


def _has_end_hooks(config: Any) -> bool:
    """Tell whether a conftest.py of the suite wants to hear of the end of a session."""
    hooks = (config.hook.pytest_sessionfinish, config.hook.pytest_unconfigure)
    plugins = [str(hookimpl.plugin_name) for hook in hooks for hookimpl in hook.get_hookimpls()]
    return any(name.endswith("conftest.py") for name in plugins)


def pytest_collection(session: Any) -> None:
    """Remember what knows the fixtures."""
    _State.session = session


def pytest_collectreport(report: Any) -> None:
    """Write down what could not even be collected, or is skipped as a whole."""
    if LIST in os.environ and report.outcome != "passed":
        text = failure_reason(report) if report.failed else skip_reason(report)
        related = suites.may_hold(_State.session, report.nodeid)
        _write_entry({"unusable": report.nodeid, "why": text[:_LONGEST], "related": related})


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> Any:
    """Time a test that has the marker, but not the fixture, as a whole."""
    if is_marked(pyfuncitem) and not suites.uses_benchmark(pyfuncitem):
        names = pyfuncitem._fixtureinfo.argnames
        arguments = {name: pyfuncitem.funcargs[name] for name in names}
        _blocks(lambda: pyfuncitem.obj(**arguments))
    yield


def pytest_runtest_logreport(report: Any) -> None:
    """Say why there is no measurement."""
    if report.skipped:
        expected = getattr(report, "wasxfail", None)
        text = skip_reason(report) if expected is None else f"expected to fail: {expected}"
        tell("skipped", " ".join(text.split())[:_LONGEST] or "skipped")
    elif report.failed:
        tell("failed", failure_reason(report))
    elif report.when == "call" and not _State.has_timed:
        tell("failed", "the test ended without calling its benchmark fixture")


def skip_reason(report: Any) -> str:
    """Return the one line that says why a test or a file of tests is skipped."""
    longrepr = report.longrepr
    text = str(longrepr[2] if isinstance(longrepr, tuple) else longrepr)
    return " ".join(text.split())[:_LONGEST]


def failure_reason(report: Any) -> str:
    """Return the one line that says why a test or a file of tests fails."""
    crash = getattr(report.longrepr, "reprcrash", None)
    # A fixture that is missing: the text around ends with the place of the test.
    lookup = getattr(report.longrepr, "errorstring", "")
    text = crash.message if crash is not None else lookup.split("\n")[0] or str(report.longrepr)
    lines = [line for line in text.splitlines() if line.strip()] or ["no reason given"]
    if lines[-1].startswith("HINT:"):
        return " ".join(" ".join(lines[:-1]).split())[:_LONGEST]
    # The error itself: of a failed collection it is the last line, of an exception the first.
    line = lines[0] if crash is not None else lines[-1]
    return " ".join(line.removeprefix("E ").split())[:_LONGEST]


def _blocks(call: Any) -> None:
    """Run the blocks of a call without arguments."""
    timer = timed_region(time.perf_counter)

    def timed(operations: int) -> float:
        numbers = range(operations)
        began = timer()
        for _ in numbers:
            call()
        return timer() - began

    _State.has_timed = True
    run(timed)


def _raw(self: Any, function_to_benchmark: Any, *args: Any, **kwargs: Any) -> Any:
    self._timer = timed_region(self._timer)
    runner = self._make_runner(function_to_benchmark, args, kwargs)
    _State.has_timed = True
    run(lambda operations: float(runner(range(operations))))
    return _last(self, runner)


def _last(fixture: Any, runner: Any) -> Any:
    """Return the result of one more call, which does not wait and is all of the statistics.

    What a benchmark demands of them is demanded of the function as it is.
    """
    seconds, result = runner(None)
    make_stats = getattr(fixture, "_make_stats", None)
    if make_stats is not None:
        fixture._add_stats = lambda _: None  # else they would be printed and stored
        make_stats(1).update(seconds)
    return result


def _raw_pedantic(self: Any, target: Any, *more: Any, **named: Any) -> Any:
    """Run each operation with its own set-up where there is one: its time does not count."""
    options = dict(zip(("args", "kwargs", "setup", "teardown"), more), **named)
    setup, teardown = options.get("setup"), options.get("teardown")
    fixed = options.get("args") or (), options.get("kwargs") or {}
    self._timer = timed_region(self._timer)
    runner = self._make_runner(target, *fixed)

    def arguments() -> Any:
        return (setup() if setup is not None else None) or fixed

    def time_operation() -> float:
        with Pause():
            args, kwargs = arguments()
            once = self._make_runner(target, args, kwargs)
        seconds = float(once(range(1)))
        if teardown is not None:
            with Pause():
                teardown(*args, **kwargs)
        return seconds

    def timed(operations: int) -> float:
        if setup is None and teardown is None:
            return float(runner(range(operations)))
        return sum(time_operation() for _ in range(operations))

    _State.has_timed = True
    run(timed)
    args, kwargs = arguments()
    return _last(self, self._make_runner(target, args, kwargs))
