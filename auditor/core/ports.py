"""The protocols between the studies and the world; no bodies."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from auditor.core.caveats import Caveat
from auditor.core.contracts.stubs import Samples, Stub
from auditor.core.jobs import CompletedProcess, HostFacts, Invocation
from auditor.core.listing import EVERYTHING, Ask, Listing
from auditor.core.mutant import Overlay, OverlayRefusal, Variant
from auditor.core.outcome import Outcome
from auditor.core.plan import Layouts, Run, Trial
from auditor.core.stop_rules import WarmupResult
from auditor.core.subject import Method, Project, SourceFile
from auditor.core.suite import Suite

Places = frozenset[tuple[str, int]]
"""Files, relative to the project's root, and lines in them, one-based."""


class Clock(Protocol):
    """Time, passed in."""

    def monotonic(self) -> float: ...
    def now(self) -> str: ...


class Host(Protocol):
    """A machine. The only thing in bench-audit that starts a process.

    `measuring` is the same one for what is measured: without network, and with nothing to write
    but these folders, where the host can hold processes to that. `stop` ends what other threads
    run there; nothing is run after it.
    """

    def facts(self) -> HostFacts: ...
    def run(self, job: Invocation) -> CompletedProcess: ...
    def measuring(self, writable: Sequence[Path]) -> "Host": ...
    def stop(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Build:
    """Files to write below a fresh folder, then processes to run in order; all must end with 0."""

    files: tuple[tuple[Path, bytes], ...] = ()
    steps: tuple[Invocation, ...] = ()


class Launcher(Protocol):
    """What makes processes of a trial, and reads what they left. Starts none itself.

    `into` is a folder of its own for each overlay, where what is built is kept. What `launch`
    returns is gone through while its processes run; that of a trial with a watch can be followed.
    """

    def build(self, project: Project, overlay: Overlay, build_folder: Path) -> Build: ...
    def launch(
        self, project: Project, trial: Trial, build_folder: Path
    ) -> Iterable[Invocation]: ...
    def read(self, trial: Trial, answers: Sequence[CompletedProcess]) -> Outcome: ...


class Harness(Launcher, Protocol):
    """A benchmark framework.

    `fixed_operations` tells whether a block can be a number of operations. `sources` are those
    of the suite that `discover` returns, had without running a benchmark. Only where `layouts` are
    DRAWN does the layout of a trial mean something. `one_processor` tells whether a process needs
    no more than one unless its benchmark has threads or collects garbage. `tested` names the parts
    of the project's unit tests that can be run by themselves, "" alone where they can only all be.
    `never_inlined` says where the functions of a folder are declared that the compiler surely does
    not put in the place of their calls. `unprofiled` says why a trial of purpose PROFILE cannot
    be run, empty where it can.
    """

    @property
    def fixed_operations(self) -> bool: ...
    @property
    def one_processor(self) -> bool: ...
    def layouts(self, project: Project) -> Layouts: ...
    def unprofiled(self, project: Project) -> str: ...
    def discover(
        self, project: Project, build_folder: Path, ask: Ask, listing: Listing = EVERYTHING
    ) -> Suite: ...
    def sources(self, project: Project, build_folder: Path, ask: Ask) -> Sequence[SourceFile]: ...
    def tested(self, sources: Sequence[SourceFile]) -> Sequence[str]: ...
    def never_inlined(
        self, project: Project, folder: str, build_folder: Path, ask: Ask
    ) -> Places: ...


class Mutator(Protocol):
    """Finds the methods of a library and makes variants of it. Does no I/O.

    `turn_seconds` is about what a turn of its work loop takes, `probe_seconds` what the probe adds
    to a call: first guesses. `comment` is
    what a line of comment begins with. `compared` has, by ids, what methods say, to be compared
    between revisions; those that it lacks say their lines. `matches` tells whether a name as
    people write it means this method.
    """

    @property
    def turn_seconds(self) -> float: ...
    @property
    def probe_seconds(self) -> float: ...
    @property
    def comment(self) -> bytes: ...
    def methods(self, sources: Sequence[SourceFile]) -> Sequence[Method]: ...
    def compared(self, sources: Sequence[SourceFile]) -> Mapping[str, str]: ...
    def matches(self, written: str, method: Method) -> bool: ...
    def overlay(
        self, sources: Sequence[SourceFile], variant: Variant
    ) -> Overlay | OverlayRefusal: ...


class StubWriter(Protocol):
    """Writes beginnings of benchmarks, in the language's own framework. Does no I/O.

    `samples` are also of other methods than the `wanted` ones: those that make an object, say.
    """

    def __call__(
        self, wanted: Sequence[Method], samples: Samples, sources: Sequence[SourceFile], /
    ) -> Sequence[Stub]: ...


class IterationWatcher(Protocol):
    """Looks at the iterations of one process while it runs.

    `observe` is told of each in order: seconds of an operation, and how many seconds the iteration
    lasted. What it returns is what the process came to, which may end now; None: it is to go on.
    `ended` says what it came to where all of its schedule was done before that.
    """

    def observe(self, seconds: float, lasted: float) -> WarmupResult | None: ...
    def ended(self) -> WarmupResult: ...


Watchers = Callable[[Trial], IterationWatcher]
"""Makes the watcher of a process of a trial that has a watch."""


class Dispatcher(Protocol):
    """Runs trials, also of several subjects; what is timed has a machine for itself.

    Yields each run as it ends.
    """

    def run(self, trials: Iterable[Trial]) -> Iterator[Run]: ...


class Store(Protocol):
    """Remembers runs, so that a study can stop and go on.

    `add` keeps the first of an id on a machine unless that failed in a way that may pass. `find`
    knows those of machines like this one, and only such that answer the trial (`Run.answers`).
    `alike` are the measured runs, in the order made, that differ from a trial in no more than the
    delays, the order and the operations of their blocks, their seed and their number.
    """

    def add(self, run: Run) -> None: ...
    def find(self, trial: Trial) -> Run | None: ...
    def alike(self, trial: Trial) -> Sequence[Run]: ...


class Observer(Protocol):
    """Hears what happens; every event may be ignored."""

    def phase_started(self, name: str, trials: int, seconds: float) -> None: ...
    def build_step(self, text: str) -> None: ...
    def trial_ended(self, run: Run, *, reused: bool) -> None: ...
    def caveat(self, caveat: Caveat) -> None: ...
