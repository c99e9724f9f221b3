"""The Launcher of a Java client's tests: the agent goes into each JVM that runs some of them."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from auditor.core.jobs import Completed, Invocation
from auditor.core.mutant import Overlay
from auditor.core.outcome import Crashed, NotBuilt, Outcome, Skipped, TimedOut, Traced, Unreadable
from auditor.core.plan import Trial
from auditor.core.ports import Build
from auditor.core.subject import Project, Role
from runners.jmh.commandline import INSTRUCTIONS, instructions
from runners.jmh.guests import Guests
from runners.records import (
    RECORDS_HEADER,
    RECORDS_VARIABLE,
    Records,
    RecordsUnreadable,
    read_records,
)

_RECORDS = "trace.records"
_MAVEN = re.compile(
    rb"^(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)\s*$",
    re.MULTILINE,
)
_CONSOLE = re.compile(rb"^\[\s*(\d+) tests (started|failed)\s*\]", re.MULTILINE)


class JavaTracer:
    """Runs the tests of a client that `JavaClients` has made ready."""

    def __init__(self, guests: Guests) -> None:
        """Take the compiled agent."""
        self._guests = guests

    def build(
        self,
        project: Project,  # noqa: ARG002 (the agent changes classes as they are loaded)
        overlay: Overlay,
        into: Path,
    ) -> Build:
        """Write the agent's instructions."""
        return instructions(overlay, into)

    def launch(self, project: Project, trial: Trial, into: Path) -> Sequence[Invocation]:
        """Return the process of the build tool, or of JUnit: the JVMs that it starts inherit all.

        The agent itself tells the JVMs of build tools from those that run tests.
        """
        records = into / _RECORDS
        own = dict(project.environment)
        agent = f'"-javaagent:{self._guests.agent}={into / INSTRUCTIONS}"'
        own["JAVA_TOOL_OPTIONS"] = f"{own.get('JAVA_TOOL_OPTIONS', '')} {agent}".strip()
        own[RECORDS_VARIABLE] = str(records)
        own["BENCH_AUDIT_ROOT"] = str(project.paths(Role.BENCHMARKS)[0])
        return (
            Invocation(
                argv=tuple(json.loads(dict(project.options)["argv"])),
                cwd=project.root,
                environment=tuple(sorted(own.items())),
                timeout_seconds=trial.timeout_seconds,
                files=((records, f"{RECORDS_HEADER}\n".encode()),),
                collects=(records,),
            ),
        )

    def read(self, trial: Trial, answers: Sequence[Completed]) -> Outcome:
        """Return what was called, or why that is not known."""
        answer = answers[-1]
        data = next((data for path, data in answer.files.items() if path.name == _RECORDS), b"")
        try:
            records = read_records(data, 0)
        except RecordsUnreadable as error:
            return Unreadable(str(error), answer.tail())
        if "tracer" not in records.present:
            return _unseen(records, answer)
        ids = {str(at): one.id for at, one in enumerate(trial.variant.methods)}
        tests, failed = _tests(answer)
        gaps = [f"{failed} of {tests} unit tests fail"] if failed else []
        if answer.timed_out:
            gaps.append(f"the unit tests were ended after {answer.seconds:.0f} s")
        elif answer.exit_code and not failed:
            gaps.append(f"the call that runs the tests ended with {answer.exit_code}")
        gaps += list(dict.fromkeys(records.failures))
        return Traced(
            calls=records.traced(ids),
            tests=tests,
            missing="; ".join(gaps)[:2000],
            ended_after=trial.timeout_seconds if answer.timed_out else None,
        )


def _unseen(records: Records, answer: Completed) -> Outcome:
    """Say why no JVM has run tests with the agent in it."""
    if records.failures:
        return NotBuilt(records.failures[0])
    if answer.timed_out:
        return TimedOut(answer.seconds, answer.tail())
    if answer.exit_code:
        return Crashed(answer.exit_code, answer.tail())
    return Skipped(
        "its build starts no JVM that runs tests (there are none, or they run within it)"
    )


def _tests(answer: Completed) -> tuple[int | None, int]:
    """Return how many tests ran and how many of them failed, as Maven or JUnit says at the end."""
    found = [tuple(map(int, one)) for one in _MAVEN.findall(answer.stdout)]
    if found:
        ran = sum(all_ - skipped for all_, _, _, skipped in found)
        return ran, sum(failures + errors for _, failures, errors, _ in found)
    said = {name: int(number) for number, name in _CONSOLE.findall(answer.stdout)}
    return said.get(b"started"), said.get(b"failed", 0)
