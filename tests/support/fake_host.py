"""A host without processes, the only double that tests use for one."""

from collections.abc import Callable, Sequence
from pathlib import Path

from auditor.core.jobs import CompletedProcess, HostFacts, Invocation

_FACTS = HostFacts("fake", (("cores", "2"), ("cpu", "fake")))


class FakeHost:
    """Answers every job with a function, and remembers what it was asked."""

    def __init__(
        self,
        answer: Callable[[Invocation], CompletedProcess],
        facts: HostFacts = _FACTS,
    ) -> None:
        """Take the function that plays the machine."""
        self._answer = answer
        self._facts = facts
        self.jobs: list[Invocation] = []

    def make_measuring_host(self, writable: Sequence[Path]) -> "FakeHost":
        """Return this."""
        return self

    def stop_processes(self) -> None:
        """Do nothing: no process runs."""

    def read_facts(self) -> HostFacts:
        """Return the facts given."""
        return self._facts

    def run_process(self, job: Invocation) -> CompletedProcess:
        """Remember the job and answer it."""
        self.jobs.append(job)
        return self._answer(job)
