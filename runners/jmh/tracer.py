"""The Launcher of a Java client's tests: the agent goes into each JVM that runs some of them."""

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from pathlib import Path

from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.mutant import Overlay
from auditor.core.outcome import (
    Counted,
    Crashed,
    MethodCalls,
    NotBuilt,
    Outcome,
    Skipped,
    TimedOut,
    Traced,
    Unreadable,
    Window,
)
from auditor.core.plan import Trial
from auditor.core.ports import Build
from auditor.core.subject import Project
from runners.jmh.commandline import make_instruction_build
from runners.jmh.guests import JmhGuest
from runners.jmh.testing import RECORDS, UnitTests
from runners.records import GuestRecords, RecordsUnreadable, read_records

_MAVEN = re.compile(
    rb"^(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)\s*$",
    re.MULTILINE,
)
_CONSOLE = re.compile(rb"^\[\s*(\d+) tests (started|failed)\s*\]", re.MULTILINE)


class JavaTracer:
    """Runs the tests of a client that `JavaClients` has made ready."""

    def __init__(self, guests: JmhGuest, tests: UnitTests) -> None:
        """Take the compiled agent, and what runs the tests."""
        self._guests = guests
        self._tests = tests

    def plan_build(
        self,
        project: Project,  # noqa: ARG002 (the agent changes classes as they are loaded)
        overlay: Overlay,
        build_folder: Path,
    ) -> Build:
        """Write the agent's instructions."""
        return make_instruction_build(overlay, build_folder)

    def plan_launch(
        self,
        project: Project,  # noqa: ARG002 (what runs its tests has been found out)
        trial: Trial,
        build_folder: Path,
    ) -> Sequence[Invocation]:
        """Return the one process that runs all tests."""
        return (self._tests.make_traced_job(self._guests, trial, build_folder),)

    def read_outcome(self, trial: Trial, answers: Sequence[CompletedProcess]) -> Outcome:
        """Return what was called, or why that is not known."""
        return _read_tests(trial, answers[-1])


def _read_tests(trial: Trial, answer: CompletedProcess) -> Outcome:
    """Return what the tests called, or why that is not known."""
    recorded = answer.find_file(RECORDS)
    try:
        records = read_records(recorded, 0)
    except RecordsUnreadable as error:
        return Unreadable(str(error), answer.format_tail())
    if "tracer" not in records.present:
        return _explain_missing_trace(records, answer)
    ids = {str(index): method.id for index, method in enumerate(trial.variant.methods)}
    bodiless = {method.id for method in trial.variant.methods if method.refusal is not None}
    tests, failed = _count_tests(answer)
    gaps = [f"{failed} of {tests} unit tests fail"] if failed else []
    if answer.timed_out:
        gaps.append(f"the unit tests were ended after {answer.seconds:.0f} s")
    elif answer.exit_code and not failed:
        gaps.append(f"the call that runs the tests ended with {answer.exit_code}")
    gaps += dict.fromkeys((*records.failures, *records.missing))
    return Traced(
        calls=tuple(
            _mark_bodiless_calls(calls, bodiless) for calls in records.list_method_calls(ids)
        ),
        tests=tests,
        missing="; ".join(gaps)[:2000],
        ended_after=trial.timeout_seconds if answer.timed_out else None,
    )


def read_usage(trial: Trial, answers: Sequence[CompletedProcess]) -> Outcome:
    """Return the calls of a library's own unit tests, as of one window without operations.

    Those that the library makes itself are left out: they say less of what users call.
    """
    if not answers:
        return Skipped("neither a build tool nor a published jar of tests runs any")
    outcome = _read_tests(trial, answers[-1])
    if not isinstance(outcome, Traced):
        return outcome
    calls = tuple((call.method, call.outside) for call in outcome.calls if call.outside)
    return Counted((Window(0, calls),), missing=outcome.missing)


def _mark_bodiless_calls(calls: MethodCalls, bodiless: Set[str]) -> MethodCalls:
    """Tell calls that name a method without a body from those of what then runs."""
    if calls.method not in bodiless:
        return calls
    return replace(calls, outside=0, inside=None, declared=calls.outside)


def _explain_missing_trace(records: GuestRecords, answer: CompletedProcess) -> Outcome:
    """Say why no JVM has run tests with the agent in it."""
    if records.failures:
        return NotBuilt(records.failures[0])
    if answer.timed_out:
        return TimedOut(answer.seconds, answer.format_tail())
    if answer.exit_code:
        return Crashed(answer.exit_code, answer.format_tail())
    return Skipped(
        "its build starts no JVM that runs tests (there are none, or they run within it)"
    )


def _count_tests(answer: CompletedProcess) -> tuple[int | None, int]:
    """Return how many tests ran and how many of them failed, as Maven or JUnit says at the end."""
    summaries = [tuple(map(int, figures)) for figures in _MAVEN.findall(answer.stdout)]
    if summaries:
        ran = sum(all_ - skipped for all_, _, _, skipped in summaries)
        return ran, sum(failures + errors for _, failures, errors, _ in summaries)
    counts_by_state = {name: int(number) for number, name in _CONSOLE.findall(answer.stdout)}
    return counts_by_state.get(b"started"), counts_by_state.get(b"failed", 0)
