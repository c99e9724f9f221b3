"""Results that another tool has stored: values by run and process, and where they were made."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from auditor.core.caveats import Caveat
from auditor.core.jobs import NOWHERE, HostFacts
from auditor.core.outcome import Skipped, Unreadable
from auditor.core.suite import Configured


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredProcess:
    """What a process stored of a benchmark.

    `seconds` are per operation, in the order measured; empty where the tool kept a figure only.
    `middle` is that figure, of all of them, seconds per operation: what the tool itself compares.
    It is None where `failure` says why there is nothing. Of a benchmark under one name there may be
    several texts, each with a `version` of its own; empty where nobody knows. `warmups` are what
    the tool measured before and calls warm-up, as `seconds` are; empty where it kept none.
    `iteration_seconds` is how long an iteration was asked to last, None where nobody knows, and
    `warmup_seconds` one that warms up, None where that is the same. An iteration ends with the
    first operation after its time, or has exactly so many `operations`, where that is not None.
    `configured` is what the author asks for, where the values were measured in another way (from
    the start, in short iterations), else None.
    """

    seconds: Sequence[float] = field(default=(), repr=False)
    middle: float | None = None
    failure: Skipped | Unreadable | None = None
    version: str = ""
    warmups: Sequence[float] = field(default=(), repr=False)
    iteration_seconds: float | None = None
    warmup_seconds: float | None = None
    operations: int | None = None
    configured: Configured | None = None

    @property
    def whole(self) -> Sequence[float]:
        """Return all values, those of the warm-up first."""
        return array("d", self.warmups) + array("d", self.seconds) if self.warmups else self.seconds


@dataclass(frozen=True, slots=True)
class StoredVariant:
    """One way in which a benchmark was measured."""

    name: str
    """Of the benchmark, the same for all of its variants."""
    facts: tuple[tuple[str, str], ...] = ()
    """What was measured, by key: mode, threads, flags."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A file, or a folder with one for each benchmark: a run of the suite.

    It has the processes of each benchmark by its name. `commit` is empty where nobody knows it.
    `made` are two times in seconds, of the commit and of the run, 0 where unknown: the later, the
    newer.
    """

    name: str
    processes: Mapping[str, tuple[StoredProcess, ...]] = field(repr=False)
    host: HostFacts = NOWHERE
    commit: str = ""
    made: tuple[float, float] = (0.0, 0.0)
    variants: Mapping[str, StoredVariant] = field(default_factory=dict, repr=False)
    """By the names of `processes`; a name that is missing has no variants."""
    ending: str = ""
    """Such as "-8": all names end in it. Go's number of processors or a part of the names, which
    this run alone does not tell. Empty: no doubt."""
    has_packages: bool = True
    """False for a run whose names have lost the packages that they had."""
    caveats: tuple[Caveat, ...] = ()
    """Of how it was read."""
    units: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The unit of the tool's own numbers (ops/s), by benchmark; not there where it chooses one."""

    def values(self, name: str) -> Sequence[float]:
        """Return those of a benchmark, process after process; none where one has failed."""
        found = array("d")
        for process in self.processes.get(name, ()):
            if process.failure is not None:
                return ()
            found.extend(process.seconds)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResults:
    """Runs of one suite by one tool, at least one; `digest` is of the content of all files.

    `harness` is the tool's name as everywhere. `left_out` are benchmarks that measure no time,
    `older` commits that were there too, but not chosen. `caveats` are of how they were made.
    """

    harness: str
    digest: str
    runs: tuple[StoredRun, ...]
    left_out: tuple[str, ...] = ()
    older: tuple[str, ...] = ()
    caveats: tuple[Caveat, ...] = ()

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """Return the names of all benchmarks, in the order in which they first occur."""
        return tuple(dict.fromkeys(name for run in self.runs for name in run.processes))

    def unit(self, name: str) -> str:
        """Return the unit in which the tool shows a benchmark; empty where files have several."""
        units = {run.units.get(name, "") for run in self.runs if name in run.processes}
        return units.pop() if len(units) == 1 else ""

    @property
    def commits(self) -> tuple[str, ...]:
        """Return the commits that are known, each once."""
        return tuple(dict.fromkeys(run.commit for run in self.runs if run.commit))
