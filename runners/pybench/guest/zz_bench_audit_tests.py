"""A plugin of pytest: counts what the unit tests of a project call; part of the guest.

These are the library's own, or those of a client whose calls of the library are traced.
"""

from __future__ import annotations

import os
import time
from typing import Any
from zlib import crc32

import pytest
from zz_bench_audit_blocks import tell_window
from zz_bench_audit_hook import tell
from zz_bench_audit_pytest import failure_reason, is_benchmark, skip_reason
from zz_bench_audit_trace import write

_EVERY_SECONDS = 1.0
"""A process that is killed loses the counts of so long, and those of the test that ran."""
_NO_TESTS = 5


class _State:
    def __init__(self) -> None:
        self.told = time.monotonic()
        self.ended = self.failed = self.skipped = 0
        self.uncollected: list[str] = []
        self.skip = ""


_state = _State()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Leave the benchmarks out: they are counted by themselves.

    The files run in an order that their names have no part in, though always the same: where time
    ends the tests, those that ran are a fair sample.
    """
    tests = [item for item in items if not is_benchmark(item)]
    items[:] = sorted(tests, key=lambda item: crc32(item.nodeid.partition("::")[0].encode()))


def pytest_collectreport(report: Any) -> None:
    """Remember what could not be collected."""
    if report.failed:
        _state.uncollected.append(f"{report.nodeid}: {failure_reason(report)}")


def pytest_runtest_logreport(report: Any) -> None:
    """Count the tests that fail, and those that do not run."""
    expected = hasattr(report, "wasxfail")
    _state.failed += report.failed and not expected
    _state.skipped += report.skipped and not expected
    if report.skipped and not expected and not _state.skip:
        _state.skip = skip_reason(report).removeprefix("Skipped: ")


def pytest_runtest_logfinish() -> None:
    """Count the tests, and write the calls down from time to time."""
    _state.ended += 1
    if time.monotonic() - _state.told > _EVERY_SECONDS:
        _write()


def pytest_sessionfinish(exitstatus: int) -> None:
    """Write the last counts down, and what is missing in them."""
    uncollected = _state.uncollected
    if _state.ended:
        _write()
        tell("tests", str(_state.ended - _state.skipped))
        if uncollected:
            tell(
                "missing",
                f"{len(uncollected)} of the files of unit tests cannot be read: {uncollected[0]}",
            )
        if _state.skipped == _state.ended:
            tell("missing", f"all {_state.ended} unit tests are skipped: {_state.skip}")
        if _state.failed:
            tell("missing", f"{_state.failed} of {_state.ended} unit tests fail")
    elif uncollected:
        tell("failed", uncollected[0])
    elif exitstatus == _NO_TESTS:
        tell("skipped", "pytest finds no unit tests")


def _write() -> None:
    if os.environ.get("BENCH_AUDIT_TRACE"):
        write()
    else:
        tell_window(0)
    _state.told = time.monotonic()
