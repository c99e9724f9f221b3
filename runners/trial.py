"""Build a variant once, launch a trial, read what it left."""

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from threading import Lock

from fasteners import ReaderWriterLock

from auditor.core.errors import FolderUnusable, OutOfTime
from auditor.core.jobs import Completed, HostFacts, HostInterference, Invocation
from auditor.core.listing import EVERYTHING, Listing
from auditor.core.mutant import Overlay
from auditor.core.outcome import Exhausted, Outcome
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.ports import Clock, Harness, Host, Launcher, Places, Watchers
from auditor.core.subject import Method, Project, SourceFile
from auditor.core.suite import Suite
from runners.disk import writing
from runners.folders import running_folder
from runners.hosts.exchange import put
from runners.hosts.reference_workload import NO_LOOK, LoopLook
from runners.live import Watching
from runners.programs import is_made, note_made, remove_half

Elsewhere = Callable[[Path], bytes | None]
"""Returns a program, by its path in the folder of builds, that a machine like this one has made of
the same project; None where nobody has."""


def no_artifact_source(_path: Path) -> None:
    """Have nobody who has made what is to be built."""


class TrialRunner:
    """A project made ready on a host, with a folder where its variants are built.

    Several threads may run trials that need not be alone; what two of them need is made once.
    """

    def __init__(  # noqa: PLR0913 - the project, what the machine gives, and who watches
        self,
        *,
        project: Project,
        launcher: Launcher,
        host: Host,
        builds: Path,
        clock: Clock,
        watchers: Watchers | None = None,
        writes: tuple[Path, ...] = (),
        loop: Callable[[], LoopLook] = lambda: NO_LOOK,
        elsewhere: Elsewhere = no_artifact_source,
    ) -> None:
        """Take the parts.

        `builds` belongs to this project's digest alone; `writes` are further folders that builds
        write. What is measured may write to neither, as others are built with that or run it, but
        to a folder of its variant's own; unit tests may write to their tree, too.
        `loop` tells before a process is begun what a fixed loop shows. What was made `elsewhere` is
        not made again.
        """
        self._project = project
        self._launcher = launcher
        self._host = host
        self._building = host.measuring((builds, *writes))
        self._builds = builds
        self._clock = clock
        self._watchers = watchers
        self._loop = loop
        self._elsewhere = elsewhere
        self._facts: HostFacts | None = None
        self._failed: dict[str, Outcome] = {}
        self._locks: dict[str, Lock] = {}
        self._building_or_timing = ReaderWriterLock()

    def is_prepared(self, trial: Trial) -> bool:
        """Tell whether what a trial runs is built."""
        into = self._folder(trial.overlay.digest)
        if not _marker(into).exists():
            return trial.overlay.digest in self._failed
        return all(job.makes is None for job in self._first_job(trial, into))

    def prepare(self, trial: Trial) -> None:
        """Build what a trial runs, beside others; what fails is built again by `run`, alone."""
        into = self._folder(trial.overlay.digest)
        with self._locked(trial.overlay.digest):
            if self._build(trial, into):
                del self._failed[trial.overlay.digest]
                return
        for job in self._first_job(trial, into):
            if job.makes is not None:
                self._made(into, job, trial)

    def _first_job(self, trial: Trial, into: Path) -> Iterable[Invocation]:
        return islice(self._launcher.launch(self._project, trial, into), 1)

    def run(self, trial: Trial) -> Run:
        """Run one trial; whatever the subject does is an outcome.

        Raises ValueError for one with a watch where there is nobody to watch.
        """
        with self._locked("facts"):
            self._facts = self._facts or self._with_tools(self._host.facts())
        loop = self._loop() if trial.alone else NO_LOOK
        started, before = self._clock.now(), self._clock.monotonic()
        outcome, answers = self._outcome(trial)
        return Run(
            trial=trial,
            host=self._facts,
            outcome=outcome,
            started=started,
            seconds=self._clock.monotonic() - before,
            revision=self._project.revision,
            strain=_strain(trial, answers, loop),
            loop_seconds=loop.seconds,
        )

    def _with_tools(self, facts: HostFacts) -> HostFacts:
        """Return facts with the versions of what builds and runs the project there."""
        return replace(facts, facts=tuple(sorted((*facts.facts, *self._project.versions))))

    def _outcome(self, trial: Trial) -> tuple[Outcome, list[Completed]]:
        """Return how a trial ended, and the processes that it took."""
        into = self._folder(trial.overlay.digest)
        with self._locked(trial.overlay.digest):
            if failed := self._build(trial, into):
                return failed, []
        watching = self._watching(trial)
        answers: list[Completed] = []
        end = self._clock.monotonic() + trial.timeout_seconds
        for job in self._launcher.launch(self._project, trial, into):
            if trial.purpose is Purpose.TRACE:  # the limit is of all tests of a client together
                left = max(0.0, end - self._clock.monotonic())
                job = replace(job, timeout_seconds=min(job.timeout_seconds, left))  # noqa: PLW2901
            tree = (self._project.root,) if trial.benchmark is None else ()
            job = job if watching is None else watching.of(job)  # noqa: PLW2901
            answers += (
                self._made(into, job, trial) if job.makes else [self._run(into, job, trial, *tree)]
            )
            if answers and answers[-1].exhausted:
                return Exhausted(answers[-1].exhausted, answers[-1].tail()), answers
            if trial.purpose is not Purpose.TRACE and answers and answers[-1].exit_code != 0:
                break  # but tests of a client's package say nothing of those of another
        outcome = self._launcher.read(trial, answers)
        return (outcome if watching is None else watching.told(outcome)), answers

    def _locked(self, what: str) -> Lock:
        return self._locks.setdefault(what, Lock())

    def _apart(self, trial: Trial) -> AbstractContextManager[object]:
        """Give the time in which something is built for a trial, while no other one is timed."""
        return self._building_or_timing.write_lock() if trial.rough else nullcontext()

    def _made(self, into: Path, job: Invocation, trial: Trial) -> list[Completed]:
        """Have a program made, by one at a time; empty where it is there."""
        assert job.makes is not None  # noqa: S101 - narrows the type
        with self._locked(str(job.makes)):
            if is_made(job.makes) or self._had(job.makes):
                return []
            with self._apart(trial):
                return [self._ask(into, job)]

    def _run(self, into: Path, job: Invocation, trial: Trial, *writable: Path) -> Completed:
        """Run a process; what is timed is so beside others that run, and not beside a build."""
        with self._building_or_timing.read_lock() if trial.rough else nullcontext():
            return self._ask(into, job, *writable)

    def _ask(self, into: Path, job: Invocation, *writable: Path) -> Completed:
        if job.makes is not None:
            remove_half(job.makes)
        measuring = (running_folder(into), *writable)
        host = self._building if job.builds else self._host.measuring(measuring)
        answer = host.run(job)
        if job.makes is not None and answer.exit_code == 0 and job.makes.exists():
            note_made(job.makes)
        return answer

    def _had(self, program: Path) -> bool:
        """Have a program that was made elsewhere, whole or not at all."""
        content = self._elsewhere(program.relative_to(self._builds))
        if content is None:
            return False
        unfinished = program.with_suffix(".sent")
        put([(unfinished, content)], self._builds)
        with writing(program):
            unfinished.chmod(0o755)
            unfinished.replace(program)
        note_made(program)
        return True

    def _watching(self, trial: Trial) -> Watching | None:
        if trial.watch is None:
            return None
        if self._watchers is None:
            raise ValueError("nobody is there to watch the process of this trial")
        return Watching(trial.watch, self._watchers(trial), self._clock)

    def _build(self, trial: Trial, into: Path) -> Outcome | None:
        """Build once: a marker, written last, tells a whole build from a broken-off one."""
        overlay = trial.overlay
        marker = _marker(into)
        if overlay.digest in self._failed:
            return self._failed[overlay.digest]
        if marker.exists():
            return None
        build = self._launcher.build(self._project, overlay, into)
        put(build.files, self._builds, self._project.root)
        for step in build.steps:
            with self._apart(trial):
                answer = self._building.run(step)
            if answer.exit_code != 0:
                self._failed[overlay.digest] = self._launcher.read(trial, [answer])
                return self._failed[overlay.digest]
        marker.write_text(json.dumps({"overlay": overlay.digest}))
        return None

    def _folder(self, digest: str) -> Path:
        folder = self._builds / digest
        try:
            running_folder(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FolderUnusable(f"cannot make {folder}: {error.strerror}") from error
        return folder


def _marker(into: Path) -> Path:
    return into / "built.json"


def _strain(trial: Trial, answers: Sequence[Completed], loop: LoopLook) -> HostInterference:
    """Return what kept the machine from a trial; that others waited for it is our own doing.

    Where nobody knows what others used, as beside a container, a trial has waited for them no more
    than the loop did: it may have more threads than there are processors.
    """
    interference = HostInterference.together((answer.seconds, answer.strain) for answer in answers)
    if not trial.alone:
        return replace(interference, waited=None)
    if interference.others is None and interference.waited is not None and loop.waited is not None:
        return replace(interference, waited=min(interference.waited, loop.waited))
    return interference


class TrialExecutor(TrialRunner):
    """A project whose benchmarks can be listed as well."""

    def __init__(  # noqa: PLR0913 - as a TrialRunner
        self,
        *,
        project: Project,
        harness: Harness,
        host: Host,
        builds: Path,
        clock: Clock,
        watchers: Watchers | None = None,
        writes: tuple[Path, ...] = (),
        loop: Callable[[], LoopLook] = lambda: NO_LOOK,
        elsewhere: Elsewhere = no_artifact_source,
    ) -> None:
        """Take the parts, as a TrialRunner does."""
        super().__init__(
            project=project,
            launcher=harness,
            host=host,
            builds=builds,
            clock=clock,
            watchers=watchers,
            writes=writes,
            loop=loop,
            elsewhere=elsewhere,
        )
        self._harness = harness
        self._called: dict[str, Places] = {}

    def discover(self, listing: Listing = EVERYTHING) -> Suite:
        """Return the suite of the unchanged project."""
        into = self._folder(Overlay().digest)
        return self._harness.discover(self._project, into, partial(self._ask, into), listing)

    def sources(self) -> tuple[SourceFile, ...]:
        """Return the sources of that suite; no benchmark is run."""
        into = self._folder(Overlay().digest)
        return tuple(self._harness.sources(self._project, into, partial(self._ask, into)))

    def is_always_called(self, method: Method) -> bool:
        """Tell whether the compiler surely makes calls of all calls of a method.

        Where there is no time left to ask it, nothing is sure.
        """
        if method.span is None:
            return False
        folder = str(PurePosixPath(method.span.file).parent)
        if folder not in self._called:
            into = self._folder(Overlay().digest)
            try:
                ask = partial(self._ask, into)
                calls = self._harness.never_inlined(self._project, folder, into, ask)
            except OutOfTime:
                return False
            self._called[folder] = calls
        return (method.span.file, method.span.first_line) in self._called[folder]
