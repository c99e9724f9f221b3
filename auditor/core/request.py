"""What the user asks for: which subject, and the plan of a study."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import ceil
from pathlib import Path

from auditor.core.accepted import Acceptance
from auditor.core.mutant import Wait
from auditor.core.profile import Popularity, Ranking
from auditor.core.warming import Watch

SIGNIFICANCE = 0.01
"""False-positive rate of the test of a method, as in the paper (MSR 2018, Section 6.2)."""


class Rule(StrEnum):
    """How a detection is decided (abs.md, "Detection").

    GATE is OURS with the user's own limit, that of a gate in CI, in the place of half of v.
    """

    OURS = "ours"
    PAPER = "paper"
    GATE = "gate"


@dataclass(frozen=True, slots=True)
class FolderSpec:
    """A folder as it is now, uncommitted changes included.

    `configuration` is a file of ours that may lie in it and is no part of the subject.
    """

    path: Path
    configuration: Path | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class JarSpec:
    """A jar that holds benchmarks and all that they need, the harness too."""

    path: Path


@dataclass(frozen=True, slots=True)
class GitSpec:
    """A revision of a repository, a path or a URL."""

    repository: str
    revision: str
    configuration: Path | None = field(default=None, compare=False, repr=False)
    """A file of ours that may lie in its work tree and is no part of the subject."""


@dataclass(frozen=True, slots=True)
class GoModuleSpec:
    """A published Go module; the version may be a query such as `latest`."""

    module: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MavenSpec:
    """Published Maven artifacts; `extra` are further dependencies as `group:artifact:version`."""

    group: str
    artifact: str
    version: str
    extra: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DistributionSpec:
    """A published source distribution of a Python project."""

    name: str
    version: str


SubjectSpec = FolderSpec | JarSpec | GitSpec | GoModuleSpec | MavenSpec | DistributionSpec


@dataclass(frozen=True, slots=True)
class ClassPathSpec:
    """Jars and folders of classes, in order: a version's `own`, then what these need."""

    own: tuple[Path, ...]
    rest: tuple[Path, ...] = ()


VersionSpec = ClassPathSpec | FolderSpec | GitSpec | MavenSpec
"""One of two versions of a class; the folder is one of classes or of a project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is measured in a process, in blocks of `iteration_seconds`.

    `forks` are processes per run; `warmup` is blocks per process before the measuring (all arms
    alternate in them), `iterations` is measured blocks per arm. Where code allocates, a block may
    last `longest_seconds`, if that is more. `for_all`: blocks last so long also of benchmarks that
    have a length of their own.
    """

    forks: int
    warmup: int
    iterations: int
    iteration_seconds: float
    longest_seconds: float = 0.0
    for_all: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What a harness needs where the user does not say.

    A process runs `warm_seconds` before it is measured, a block lasts `block_seconds`, and one of
    code that allocates up to `longest_seconds`.
    """

    warm_seconds: float
    block_seconds: float
    longest_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRequest:
    """How the processes of a suite are watched that end once they are warm and measured.

    Each has at most `iterations` of `iteration_seconds`; None: as long as the method knows them.
    Once it is warm, `watch.measured` are measured at least, and so many as last `measured_seconds`,
    unless that is more than half of what a process may do; with 0 seconds just those.
    """

    watch: Watch
    iterations: int
    iteration_seconds: float | None
    measured_seconds: float

    def watch_of(self, iteration_seconds: float) -> Watch:
        """Return how a process is watched whose iterations last so long, zero: nobody knows."""
        if not iteration_seconds or not self.measured_seconds:
            return self.watch
        room = min(int(self.watch.seconds / 2 / iteration_seconds), self.iterations // 2)
        wanted = max(self.watch.measured, ceil(self.measured_seconds / iteration_seconds))
        return replace(self.watch, measured=min(wanted, max(1, room)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRequest:
    """Which benchmarks are run how often. `benchmarks` is a regular expression, searched.

    `timeout_seconds` is the least a process gets before the watchdog ends it; `budget_seconds`
    ends the study, None never does. `watched`: the runs of the suite end when they are warm and
    measured, None: they do what the plan says.
    """

    benchmarks: str
    plan: Plan
    stability_runs: int
    timeout_seconds: float
    budget_seconds: float | None
    seed: int
    watched: WatchRequest | None = None
    whole: bool = False
    """Processes of the suite have all their blocks, however long an operation is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRequest:
    """How long benchmarks are watched to see when they are warm.

    Each of `forks` processes (None: one) has `iterations` of `iteration_seconds`; fewer where
    operations are longer, but `least`, if that is not far too long.
    """

    iterations: int
    iteration_seconds: float
    forks: int | None = None
    least: int = 1

    @property
    def plan(self) -> Plan:
        """Return how much that is in a process."""
        return Plan(
            forks=self.forks or 1,
            warmup=0,
            iterations=self.iterations,
            iteration_seconds=self.iteration_seconds,
        )


class CurveMode(StrEnum):
    """Whose detection curve is measured: none, one benchmark's of each method, or all pairs'."""

    NONE = "none"
    METHODS = "methods"
    PAIRS = "pairs"


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsRequest:
    """One audit.

    None means: `methods` the first of the `popular` ones, or, where there are none, the ones that
    the suite and the unit tests call most, `slowdown` from the spreads, `wait` by the
    method's duration. `min_delta` is the effect that counts with the rule GATE (where the user's
    gate fires), with PAPER in the place of v / 2. `significance`: how often a test may err.
    `score_only`: once a benchmark has detected a method, its other pairs are left alone.
    `estimate`: nothing is slowed, all verdicts are predicted. `curve`: how small a slowdown is
    noticed still is measured, too. `controls` are how many times each measured method is slowed by
    nothing. `allocation_bytes`: whether one more allocation of that size per call would show as
    well, None where that is not asked. `accepted` are the misses that the user accepts.
    `interleave`: the rule PAPER compares with plain processes among those of the pairs.
    """

    suite: SuiteRequest
    methods: tuple[str, ...] | None
    runs: int
    slowdown: float | None
    wait: Wait | None
    rule: Rule
    exact: bool
    min_delta: float | None = None
    significance: float = SIGNIFICANCE
    score_only: bool = False
    estimate: bool = False
    curve: CurveMode = CurveMode.NONE
    controls: int = 0
    allocation_bytes: int | None = None
    popular: Popularity | None = None
    baseline_methods: tuple[str, ...] = ()
    """Those of a baseline, which stand in for an automatic choice: the gate is about them."""
    accepted: tuple[Acceptance, ...] = ()
    interleave: bool = False
    shares: bool = True
    """Sample the unchanged benchmarks, and let the shares of the methods decide where they do."""

    @property
    def is_interleaved(self) -> bool:
        """Tell whether the rule PAPER has plain processes of its own; the others always do."""
        return self.interleave and self.rule is Rule.PAPER

    @property
    def is_fixed(self) -> bool:
        """Tell whether the plan is carried out as it is: nothing ends early, nothing is added."""
        return self.exact or self.rule is Rule.PAPER

    @property
    def asks_shares(self) -> bool:
        """Tell whether methods are judged by sampled shares where they can be had."""
        return self.shares and not self.is_fixed


@dataclass(frozen=True, slots=True)
class BuildWords:
    """What the project's own build is called with."""

    profiles: tuple[str, ...] = ()
    """Those of Maven."""
    flags: tuple[str, ...] = ()
    """Handed on as they are."""
    jdk: str = ""
    """The folder of a JDK, or its number; empty: that of JAVA_HOME, else of PATH."""
    gradle: str = ""
    """A Gradle in place of the project's wrapper: a path, or a name on PATH."""


class Installer(StrEnum):
    """What makes an environment; AUTO is uv where there is one that looks where pip would."""

    AUTO = "auto"
    UV = "uv"
    PIP = "pip"


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonSpec:
    """The environment that a Python suite runs in.

    `interpreter` is one that has all it needs; None: a virtual environment is made of the project,
    with these of its extras and dependency groups, and further requirements, by `installer`.
    """

    interpreter: str | None = None
    installer: Installer = Installer.AUTO
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSpec:
    """A project that uses the library; `name` is as the user wrote it.

    `tests` are those of its tests that run, as its test runner names them; none: all.
    """

    name: str
    subject: SubjectSpec
    build: BuildWords
    python: PythonSpec
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRequest:
    """How the clients of a library are traced.

    The tests of each run for `seconds` at most, those of `jobs` clients at a time, None: as many as
    there are processors. The `top` first methods of the ranking are the often used ones.
    """

    clients: tuple[ClientSpec, ...]
    seconds: float
    jobs: int | None
    ranking: Ranking
    top: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest:
    """One comparison of two revisions.

    Changes below `min_delta` (0.05 for 5 %) do not count. `rounds` is the most that a benchmark
    gets until something is suspected of it, `fresh` how many then confirm it; a round is three
    processes. `slowdown` is that of the patch audit, which slows `methods` changed methods at most.
    """

    min_delta: float
    rounds: int
    fresh: int
    slowdown: float
    methods: int


FURTHER = 1_000_003
"""Between the seeds of a first and of a second look at the same methods."""


def second_seed(seed: int) -> int:
    """Return the seed of a second look, in which no measurement of the first counts."""
    return seed + FURTHER if seed < FURTHER else seed - FURTHER
