"""What the user asks for: which subject, and the plan of a study."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import ceil
from pathlib import Path

from auditor.core.accepted import Acceptance
from auditor.core.mutant import InjectionKind
from auditor.core.popularity import Popularity, Ranking
from auditor.core.stop_rules import StoppingRule

SIGNIFICANCE = 0.01
"""False-positive rate of the test of a method, as in the paper (MSR 2018, Section 6.2)."""


class DetectionRule(StrEnum):
    """How a detection is decided (detection.md).

    GATE is OURS with the user's own limit, that of a gate in CI, in the place of half of v.
    """

    OURS = "ours"
    PAPER = "paper"
    GATE = "gate"


@dataclass(frozen=True, slots=True)
class FolderSpec:
    """A folder as it is now, uncommitted changes included."""

    path: Path
    configuration: Path | None = field(default=None, compare=False, repr=False)
    """A file of ours that may lie in it and is no part of the subject; None: none does."""
    outputs: tuple[Path, ...] = field(default=(), compare=False, repr=False)
    """Files and folders that results go to, resolved; where they lie in it they are no part."""


@dataclass(frozen=True, slots=True)
class JarSpec:
    """A jar that holds benchmarks and all that they need, the harness too."""

    path: Path


@dataclass(frozen=True, slots=True)
class GitSpec:
    """A revision of a repository."""

    repository: str
    """Path or URL."""
    revision: str
    configuration: Path | None = field(default=None, compare=False, repr=False)
    """A file of ours that may lie in its work tree and is no part of the subject."""


@dataclass(frozen=True, slots=True)
class GoModuleSpec:
    """A published Go module."""

    module: str
    version: str
    """May be a query such as `latest`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MavenSpec:
    """Published Maven artifacts."""

    group: str
    artifact: str
    version: str
    extra: tuple[str, ...] = ()
    """Further dependencies as `group:artifact:version`."""


@dataclass(frozen=True, slots=True)
class DistributionSpec:
    """A published source distribution of a Python project."""

    name: str
    version: str


SubjectSpec = FolderSpec | JarSpec | GitSpec | GoModuleSpec | MavenSpec | DistributionSpec


@dataclass(frozen=True, slots=True)
class ClassPathSpec:
    """Jars and folders of classes, in order."""

    own_entries: tuple[Path, ...]
    """Those of the version itself."""
    rest: tuple[Path, ...] = ()
    """Those that the version needs."""


VersionSpec = ClassPathSpec | FolderSpec | GitSpec | MavenSpec
"""One of two versions of a class; the folder is one of classes or of a project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is measured in a process."""

    forks: int
    """Processes per run."""
    warmup: int
    """Blocks per process before the measured ones; all arms alternate in them."""
    iterations: int
    """Measured blocks per arm."""
    iteration_seconds: float
    """Length of a block."""
    longest_seconds: float = 0.0
    """Longest block of code that allocates, if that is more."""
    for_all: bool = False
    """Also benchmarks with a block length of their own have blocks of this length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What a harness needs where the user does not say."""

    warm_seconds: float
    """How long a process runs before it is measured."""
    block_seconds: float
    """Length of a block."""
    longest_seconds: float
    """Longest block of code that allocates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRequest:
    """How the processes of a suite are watched that end once they are warm and measured."""

    watch: StoppingRule
    """`measured` is the least number of iterations that are measured."""
    iterations: int
    """Most iterations of a process."""
    iteration_seconds: float | None
    """Length of an iteration; None: as long as the method knows them."""
    measured_seconds: float
    """Time that is measured at least, up to half of a process; 0: `watch.measured` alone."""

    def adapt_rule(self, iteration_seconds: float) -> StoppingRule:
        """Return how a process is watched whose iterations last so long, zero: nobody knows."""
        if not iteration_seconds or not self.measured_seconds:
            return self.watch
        room = min(int(self.watch.seconds / 2 / iteration_seconds), self.iterations // 2)
        required_iterations = max(
            self.watch.measured, ceil(self.measured_seconds / iteration_seconds)
        )
        return replace(self.watch, measured=min(required_iterations, max(1, room)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRequest:
    """Which benchmarks are run how often."""

    benchmarks: str
    """Regular expression, searched in ids."""
    plan: Plan
    """Blocks and processes of a benchmark."""
    stability_runs: int
    """Number of runs of the suite."""
    timeout_seconds: float
    """Least time that a process gets before the watchdog ends it."""
    budget_seconds: float | None
    """Time after which the study ends; None: never."""
    seed: int
    """Decides everything that is random."""
    watched: WatchRequest | None = None
    """Runs of the suite end when they are warm and measured; None: they follow the plan."""
    keeps_all_blocks: bool = False
    """Processes of the suite have all their blocks, however long an operation is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRequest:
    """How long benchmarks are watched to see when they are warm."""

    iterations: int
    """Iterations of a process; fewer where operations are longer."""
    iteration_seconds: float
    forks: int | None = None
    """Number of processes; None: one."""
    least: int = 1
    """Least iterations where operations are longer, if that is not far too long."""

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
    """One audit."""

    suite: SuiteRequest
    """Which benchmarks are run how often."""
    methods: tuple[str, ...] | None
    """None: the first of the `popular` ones, else those that suite and unit tests call most."""
    runs: int
    """Runs of each pair."""
    slowdown: float | None
    """v, 0.6 for 60 %; None: from the spreads."""
    wait: InjectionKind | None
    """None: by the method's duration."""
    rule: DetectionRule
    """Decides what counts as detected."""
    exact: bool
    """The plan is carried out as it is."""
    min_delta: float | None = None
    """Effect that counts with the rule GATE, or with PAPER in the place of v / 2; None: v / 2."""
    significance: float = SIGNIFICANCE
    """False-positive rate of a test."""
    score_only: bool = False
    """Once a benchmark has detected a method, its other pairs are not measured."""
    estimate: bool = False
    """Nothing is slowed, all verdicts are predicted."""
    curve: CurveMode = CurveMode.NONE
    """Which pairs are also measured with smaller slowdowns."""
    controls: int = 0
    """How often each measured method is given a delay of nothing."""
    allocation_bytes: int | None = None
    """Size of the allocation per call that should show; None: not asked."""
    popular: Popularity | None = None
    """What clients call most; None: unknown."""
    baseline_methods: tuple[str, ...] = ()
    """Those of a baseline, which stand in for an automatic choice: the gate is about them."""
    accepted: tuple[Acceptance, ...] = ()
    """Misses that the user accepts."""
    suite_time_limit: float | None = None
    """Seconds for runs of the unchanged suite beyond the fewest that tell a spread; None: no limit.
    """
    interleave: bool = False
    """The rule PAPER compares with plain processes among those of the pairs."""
    shares: bool = True
    """Sample the unchanged benchmarks, and let the shares of the methods decide where they do."""

    @property
    def is_interleaved(self) -> bool:
        """Tell whether the rule PAPER has plain processes of its own; the others always do."""
        return self.interleave and self.rule is DetectionRule.PAPER

    @property
    def is_fixed(self) -> bool:
        """Tell whether the plan is carried out as it is: nothing ends early, nothing is added."""
        return self.exact or self.rule is DetectionRule.PAPER

    @property
    def asks_shares(self) -> bool:
        """Tell whether methods are judged by sampled shares where they can be had."""
        return self.shares and not self.is_fixed


@dataclass(frozen=True, slots=True)
class BuildOptions:
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
    """The environment that a Python suite runs in."""

    interpreter: str | None = None
    """One that has all it needs; None: a virtual environment is made of the project."""
    installer: Installer = Installer.AUTO
    """What makes that virtual environment."""
    extras: tuple[str, ...] = ()
    """Extras of the project that are installed."""
    groups: tuple[str, ...] = ()
    """Dependency groups that are installed."""
    requirements: tuple[str, ...] = ()
    """Further requirements."""
    pytest_options: tuple[str, ...] = ()
    """Options of pytest that the tests need."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSpec:
    """A project that uses the library."""

    name: str
    """As the user wrote it."""
    subject: SubjectSpec
    build: BuildOptions
    python: PythonSpec
    tests: tuple[str, ...] = ()
    """Those that run, as its test runner names them; none: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRequest:
    """How the clients of a library are traced."""

    clients: tuple[ClientSpec, ...]
    seconds: float
    """Limit for the tests of a client."""
    jobs: int | None
    """Clients at a time; None: as many as there are processors."""
    ranking: Ranking
    top: int
    """Number of first methods of the ranking that are the often used ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest:
    """One comparison of two revisions."""

    min_delta: float
    """Smallest relative change that counts, 0.05 for 5 %."""
    rounds: int
    """Most rounds of a benchmark until a change is suspected; a round is three processes."""
    fresh: int
    """Rounds that then confirm it."""
    slowdown: float
    """That of the patch audit."""
    methods: int
    """Most changed methods that the patch audit slows."""


FIRST_PART = 0.75
"""Part of a budget for the first look, where a gate may need a second one."""
FURTHER = 1_000_003
"""Between the seeds of a first and of a second look at the same methods."""


def second_seed(seed: int) -> int:
    """Return the seed of a second look, in which no measurement of the first counts."""
    return seed + FURTHER if seed < FURTHER else seed - FURTHER
