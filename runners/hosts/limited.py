"""A host whose processes end when the time for all of them is up."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from auditor.core.errors import AuditError
from auditor.core.jobs import CompletedProcess, HostFacts, Invocation
from auditor.core.ports import Host

GRACE_SECONDS = 2.0
"""What all together get beyond the end: how long one takes was an estimate when it was started."""


class LimitedHost:
    """Runs jobs on another host, none of them longer than there is time."""

    def __init__(
        self, host: Host, left: Callable[[], float], over: Callable[[], AuditError]
    ) -> None:
        """Take the host, what tells how many seconds are left, and what is raised at the end."""
        self._host = host
        self._left = left
        self._over = over

    def read_facts(self) -> HostFacts:
        """Return those of the host."""
        return self._host.read_facts()

    def make_measuring_host(self, writable: Sequence[Path]) -> "LimitedHost":
        """Return that of the host, with the same limit."""
        return LimitedHost(self._host.make_measuring_host(writable), self._left, self._over)

    def stop_processes(self) -> None:
        """Stop the host."""
        self._host.stop_processes()

    def run_process(self, job: Invocation) -> CompletedProcess:
        """Run a job; raises `over` if not its own limit but the end of the time ended it.

        What it would have done with its own limit is unknown, so there is no answer, but for a job
        of which a part is of use.
        """
        left = self._left() + GRACE_SECONDS
        if left > 0:
            answer = self._host.run_process(
                replace(job, timeout_seconds=min(left, job.timeout_seconds))
            )
            if not answer.timed_out or job.keeps_partial_results or job.timeout_seconds <= left:
                return answer
        raise self._over()
