"""Results that another tool has stored: values by run and process, and where they were made."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from auditor.core.caveats import Caveat
from auditor.core.jobs import NOWHERE, HostFacts
from auditor.core.outcome import Skipped, Unreadable
from auditor.core.suite import IterationSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredProcess:
    """What a process stored of a benchmark.

    An iteration ends with the first operation after its time, or after exactly `operations`.
    """

    seconds: Sequence[float] = field(default=(), repr=False)
    """Per operation, in the order measured; empty: the tool kept a figure only."""
    middle: float | None = None
    """That figure of all of them, seconds per operation, which the tool itself compares; None:
    `failure` says why."""
    failure: Skipped | Unreadable | None = None  # why there are no values; None: there are
    version: str = ""  # tells texts of one name apart; empty: unknown
    warmups: Sequence[float] = field(default=(), repr=False)
    """As `seconds`, of what the tool calls warm-up; empty: it kept none."""
    is_warmup_kept: bool | None = None
    """Whether `warmups` holds all that was run, perhaps nothing; None: unknown."""
    iteration_seconds: float | None = None  # that an iteration was to last; None: unknown
    warmup_seconds: float | None = None
    """That an iteration of the warm-up was to last; None: as the others."""
    operations: int | None = None  # exact number in an iteration; None: its time decides
    configured: IterationSettings | None = None
    """The author's settings, where the values were measured in another way (from the start, in
    short iterations); None: there are none, or they were followed."""

    @property
    def all_values(self) -> Sequence[float]:
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
    """A run of the suite: a file, or a folder with one for each benchmark."""

    name: str
    """Of the file or folder."""
    processes: Mapping[str, tuple[StoredProcess, ...]] = field(repr=False)
    """Of each benchmark, by its name."""
    host: HostFacts = NOWHERE
    """Machine that it ran on."""
    commit: str = ""
    """Empty: unknown."""
    timestamps: tuple[float, float] = (0.0, 0.0)
    """Seconds since the epoch of the commit and of the run, 0: unknown; the later, the newer."""
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

    def list_values(self, name: str) -> Sequence[float]:
        """Return those of a benchmark, process after process; none where one has failed."""
        process_values = array("d")
        for process in self.processes.get(name, ()):
            if process.failure is not None:
                return ()
            process_values.extend(process.seconds)
        return process_values


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResults:
    """Runs of one suite by one tool, at least one."""

    harness: str  # name of the tool
    digest: str  # of the content of all files
    runs: tuple[StoredRun, ...]  # in the order of the files
    left_out: tuple[str, ...] = ()  # benchmarks that measure no time
    older: tuple[str, ...] = ()  # commits that were not chosen
    caveats: tuple[Caveat, ...] = ()  # of how they were made

    @property
    def benchmark_names(self) -> tuple[str, ...]:
        """Return the names of all benchmarks, in the order in which they first occur."""
        return tuple(dict.fromkeys(name for run in self.runs for name in run.processes))

    def find_unit(self, name: str) -> str:
        """Return the unit in which the tool shows a benchmark; empty where files have several."""
        units = {run.units.get(name, "") for run in self.runs if name in run.processes}
        return units.pop() if len(units) == 1 else ""

    @property
    def commit_ids(self) -> tuple[str, ...]:
        """Return the commits that are known, each once."""
        return tuple(dict.fromkeys(run.commit for run in self.runs if run.commit))
