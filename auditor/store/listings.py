"""What is known of a project's benchmarks: of all together, and of each group with its closure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from auditor.core.subject import Project
from auditor.core.suite import Suite
from auditor.store.sqlite import SqliteStore


@dataclass(frozen=True, slots=True)
class ListingStore:
    """The listings of a project in a store.

    `seconds` is how long a benchmark is given for one operation, `version` that of bench-audit.
    """

    store: SqliteStore
    project: Project
    seconds: float
    version: str

    def find_suite(self) -> Suite | None:
        """Return the listing of all benchmarks, without sources, if it is known."""
        return self._find_listing(self.project.all_inputs.digest)

    def find_groups(self) -> dict[str, Suite]:
        """Return the listings of the groups whose programs were listed at some revision."""
        entry = {
            group: self._find_listing(closure.digest) for group, closure in self.project.closures
        }
        return {group: suite for group, suite in entry.items() if suite is not None}

    def add_suite(self, suite: Suite) -> None:
        """Remember a listing as a whole, if it is one, and by the groups that it has."""
        if not suite.passed_over:
            self._store_listing(self.project.all_inputs.digest, suite)
        parts = split_by_group(suite, [group for group, _ in self.project.closures])
        for group, closure in self.project.closures:
            if group not in suite.passed_over:
                self._store_listing(closure.digest, parts[group])

    def _find_listing(self, digest: str) -> Suite | None:
        return self.store.find_suite(digest, seconds=self.seconds, version=self.version)

    def _store_listing(self, digest: str, suite: Suite) -> None:
        project = replace(self.project, digest=digest)
        self.store.add_suite(project, suite, seconds=self.seconds, version=self.version)


def split_by_group(suite: Suite, groups: Iterable[str]) -> Mapping[str, Suite]:
    """Return what a listing says of each group.

    What could not be listed has the group's name, or an id that begins with it.
    """
    longest = sorted(groups, key=len, reverse=True)

    def find_group(name: str) -> str | None:
        return next(
            (entry for entry in longest if name == entry or name.startswith(f"{entry}.")), None
        )

    return {
        group: Suite(
            benchmarks=tuple(
                benchmark for benchmark in suite.benchmarks if benchmark.group == group
            ),
            unusable=tuple(entry for entry in suite.unusable if find_group(entry[0]) == group),
        )
        for group in longest
    }
