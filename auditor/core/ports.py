"""The protocols between the studies and the world."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from auditor.core.caveats import Caveat
from auditor.core.contracts.stubs import Samples, Stub
from auditor.core.jobs import CompletedProcess, HostFacts, Invocation
from auditor.core.mutant import Overlay, OverlayRefusal, Variant
from auditor.core.outcome import Outcome
from auditor.core.plan import Layouts, Run, Trial
from auditor.core.stop_rules import WarmupResult
from auditor.core.subject import Method, Project, SourceFile
from auditor.core.suite import EVERYTHING, Ask, Listing, Suite

Places = frozenset[tuple[str, int]]
"""Files, relative to the project's root, and lines in them, one-based."""


class Clock(Protocol):
    """Time, passed in."""

    def monotonic(self) -> float:
        """Return seconds since some moment."""
        ...

    def now(self) -> str:
        """Return the time of day, ISO 8601 in UTC."""
        ...


class Host(Protocol):
    """A machine. The only thing in bench-audit that starts a process."""

    def read_facts(self) -> HostFacts:
        """Return what the machine is."""
        ...

    def run_process(self, job: Invocation) -> CompletedProcess:
        """Run a process to its end. Raises MachineError if the machine cannot."""
        ...

    def make_measuring_host(self, writable: Sequence[Path]) -> "Host":
        """Return this host for measured processes.

        They have no network and can write to the `writable` folders only, where the host can hold
        processes to that.
        """
        ...

    def stop_processes(self) -> None:
        """End what other threads run here. Nothing is run afterwards."""
        ...


@dataclass(frozen=True, slots=True)
class Build:
    """Files to write below a fresh folder, then processes to run in order; all must end with 0."""

    files: tuple[tuple[Path, bytes], ...] = ()
    steps: tuple[Invocation, ...] = ()


class Launcher(Protocol):
    """Describes the processes of a trial, and reads what they left. Starts none itself.

    `build_folder` is a folder of its own for each overlay. What is built stays there.
    """

    def plan_build(self, project: Project, overlay: Overlay, build_folder: Path) -> Build:
        """Return what builds the project with an overlay."""
        ...

    def plan_launch(
        self, project: Project, trial: Trial, build_folder: Path
    ) -> Iterable[Invocation]:
        """Yield the processes of a trial; each runs before the next one is asked for.

        The process of a trial with a watch has an output monitor.
        """
        ...

    def read_outcome(self, trial: Trial, answers: Sequence[CompletedProcess]) -> Outcome:
        """Return what the processes of a trial measured, or how they failed."""
        ...


class Harness(Launcher, Protocol):
    """A benchmark framework."""

    @property
    def fixed_operations(self) -> bool:
        """Tell whether a block can be a number of operations."""
        ...

    @property
    def one_processor(self) -> bool:
        """Tell whether a process needs one processor only.

        A benchmark that has threads or collects garbage needs more all the same.
        """
        ...

    def find_layouts(self, project: Project) -> Layouts:
        """Return what decides the layout of a program. The layout of a trial counts if DRAWN."""
        ...

    def explain_unprofiled(self, project: Project) -> str:
        """Return why no trial of purpose PROFILE can be run; empty if they can."""
        ...

    def discover_suite(
        self, project: Project, build_folder: Path, ask: Ask, listing: Listing = EVERYTHING
    ) -> Suite:
        """List the benchmarks of a project. `ask` runs a process."""
        ...

    def read_sources(self, project: Project, build_folder: Path, ask: Ask) -> Sequence[SourceFile]:
        """Return the sources of a suite without running a benchmark."""
        ...

    def list_test_parts(self, sources: Sequence[SourceFile]) -> Sequence[str]:
        """Name the parts of the unit tests that can run alone; "" if all must run together."""
        ...

    def never_inlined(self, project: Project, folder: str, build_folder: Path, ask: Ask) -> Places:
        """Return where the functions of a folder are declared that are surely never inlined."""
        ...


class Mutator(Protocol):
    """Finds the methods of a library and makes variants of it. Does no I/O."""

    @property
    def turn_seconds(self) -> float:
        """Return a first guess of the time of one turn of the delay loop."""
        ...

    @property
    def probe_seconds(self) -> float:
        """Return a first guess of what the probe adds to a call."""
        ...

    @property
    def comment_prefix(self) -> bytes:
        """Return what begins a line of comment."""
        ...

    def find_methods(self, sources: Sequence[SourceFile]) -> Sequence[Method]:
        """Return all methods that the sources declare."""
        ...

    def list_method_texts(self, sources: Sequence[SourceFile]) -> Mapping[str, str]:
        """Return texts of methods by id, to be compared between revisions.

        A method without one is compared by its lines.
        """
        ...

    def matches_name(self, method_name: str, method: Method) -> bool:
        """Tell whether a name as people write it means this method."""
        ...

    def build_overlay(
        self, sources: Sequence[SourceFile], variant: Variant
    ) -> Overlay | OverlayRefusal:
        """Return the files of a variant, or why there is none."""
        ...


class StubWriter(Protocol):
    """Writes beginnings of benchmarks, in the language's own framework. Does no I/O.

    `samples` are also of methods that are not in `methods`: those that make an object, say.
    """

    def __call__(
        self, methods: Sequence[Method], samples: Samples, sources: Sequence[SourceFile], /
    ) -> Sequence[Stub]: ...


class IterationWatcher(Protocol):
    """Judges the iterations of one process while it runs."""

    def observe_iteration(self, seconds: float, lasted: float) -> WarmupResult | None:
        """Take the next iteration: seconds of an operation, and seconds that it lasted.

        Returns the result of a process that may end now; None: it has to go on.
        """
        ...

    def finish_watching(self) -> WarmupResult:
        """Return the result of a process that ran its whole schedule."""
        ...


Watchers = Callable[[Trial], IterationWatcher]
"""Makes the watcher of a process of a trial that has a watch."""


class Dispatcher(Protocol):
    """Runs trials, also of several subjects; what is timed has a machine for itself."""

    def run_trials(self, trials: Iterable[Trial]) -> Iterator[Run]:
        """Yield each run as it ends."""
        ...


class Store(Protocol):
    """Remembers runs, so that a study can stop and go on."""

    def add_run(self, run: Run) -> None:
        """Keep the first run of an id on a machine, unless it failed in a way that may pass."""
        ...

    def find_run(self, trial: Trial) -> Run | None:
        """Return a run of a machine like this one that answers the trial (`Run.answers`)."""
        ...

    def has_run(self, trial: Trial) -> bool:
        """Tell whether there is such a run, where another trial would do as well."""
        ...

    def find_similar_runs(self, trial: Trial) -> Sequence[Run]:
        """Return the measured runs that differ from a trial in little, in the order made.

        The delays, the order and the operations of their blocks, their seed and their number may
        differ.
        """
        ...


class Observer(Protocol):
    """Hears what happens; every event may be ignored."""

    def phase_started(self, name: str, trials: int, seconds: float) -> None:
        """Take note of a phase: so many trials, expected to last so long; 0: unknown."""
        ...

    def build_step(self, text: str) -> None:
        """Take note of a step of a build."""
        ...

    def trial_ended(self, run: Run, *, reused: bool) -> None:
        """Take note of a run; `reused` ones are from the store."""
        ...

    def report_caveat(self, caveat: Caveat) -> None:
        """Take note of a caveat."""
        ...
