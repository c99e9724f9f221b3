"""Build a variant once, launch a trial, read what it left."""

import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from statistics import fmean
from threading import Lock
from typing import Generic, Protocol, TypeVar, runtime_checkable

from fasteners import ReaderWriterLock

from auditor.core.errors import FolderUnusable, OutOfTime
from auditor.core.jobs import CompletedProcess, HostFacts, HostInterference, Invocation
from auditor.core.mutant import Overlay
from auditor.core.outcome import Counted, Exhausted, Measured, Outcome, Profiled, Skipped
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.ports import Clock, Harness, Host, Launcher, Places, Watchers
from auditor.core.subject import Method, Project, SourceFile
from auditor.core.suite import EVERYTHING, Listing, Suite
from runners.disk import convert_write_errors
from runners.folders import locate_run_folder
from runners.grouping import DEFAULT_LIMIT, GroupCost
from runners.hosts.exchange import put_files
from runners.hosts.reference_workload import NO_LOOP_TIMING, LoopTiming
from runners.live import IterationJudge
from runners.programs import is_program_built, mark_built, remove_incomplete

LauncherType_co = TypeVar("LauncherType_co", bound=Launcher, covariant=True)
ArtifactSource = Callable[[Path], bytes | None]
"""Returns a program, by its path in the folder of builds, that a machine like this one has made of
the same project; None where nobody has."""


_SURE_OUTCOMES = (Measured, Counted, Profiled, Skipped)
"""Outcomes of a trial that shares a process; any other one may be due to what it shares."""


@runtime_checkable
class SharingLauncher(Launcher, Protocol):
    """A launcher that can run several trials in one process."""

    def find_sharing_key(self, trial: Trial) -> Hashable | None:
        """Return what is equal for trials that one process may run; None: it is alone."""
        ...

    def plan_shared_launch(
        self, project: Project, trials: Sequence[Trial], build_folder: Path
    ) -> Invocation:
        """Return the process that runs some trials."""
        ...

    def split_answer(
        self, trials: Sequence[Trial], answer: CompletedProcess, build_folder: Path
    ) -> Sequence[CompletedProcess | None]:
        """Return what the process of each trial has left; None: it did not run."""
        ...


MOST_POOR_GROUPS = 3
"""Processes in a row that may run less than half of their trials before none is shared any more."""
LEAST_POOR_TRIALS = MOST_POOR_GROUPS * DEFAULT_LIMIT
"""Trials of these processes: in a group of two one failure is half of them."""


def _are_too_poor(groups: Sequence[int]) -> bool:
    return len(groups) >= MOST_POOR_GROUPS and sum(groups) >= LEAST_POOR_TRIALS


def no_artifact_source(_path: Path) -> None:
    """Have nobody who has made what is to be built."""


@dataclass(frozen=True, slots=True)
class _Beginning:
    """A machine as a trial begins."""

    facts: HostFacts
    loop: LoopTiming
    started: str  # time of day, ISO 8601 in UTC
    seconds: float  # of the clock that measures how long a trial takes


class TrialRunner(Generic[LauncherType_co]):
    """A project made ready on a host, with a folder where its variants are built.

    Several threads may run trials that need not be alone; what two of them need is made once.
    """

    def __init__(  # noqa: PLR0913 - the project, what the machine gives, and who watches
        self,
        *,
        project: Project,
        launcher: LauncherType_co,
        host: Host,
        builds: Path,
        clock: Clock,
        watchers: Watchers | None = None,
        writes: tuple[Path, ...] = (),
        loop: Callable[[], LoopTiming] = lambda: NO_LOOP_TIMING,
        elsewhere: ArtifactSource = no_artifact_source,
        may_share: bool = True,
    ) -> None:
        """Take the parts.

        `builds` belongs to this project's digest alone; `writes` are further folders that builds
        write. What is measured may write to neither, as others are built with that or run it, but
        to a folder of its variant's own; unit tests may write to their tree, too.
        `loop` tells before a process is begun what a fixed loop shows. What was made `elsewhere` is
        not made again. `may_share`: several trials may share a process.
        """
        self._project = project
        self._launcher = launcher
        self._host = host
        self._building = host.make_measuring_host((builds, *writes))
        self._builds = builds
        self._clock = clock
        self._watchers = watchers
        self._loop = loop
        self._elsewhere = elsewhere
        self._facts: HostFacts | None = None
        self._sharing: SharingLauncher | None = (
            launcher if may_share and isinstance(launcher, SharingLauncher) else None
        )
        self._group_costs: dict[Purpose, GroupCost] = {}
        self._poor_groups: list[int] = []
        """Numbers of trials of the processes in a row that ran less than half of them."""
        self._failed: dict[str, Outcome] = {}
        self._locks: dict[str, Lock] = {}
        self._called: dict[str, Places] = {}
        self._building_or_timing = ReaderWriterLock()

    def is_prepared(self, trial: Trial) -> bool:
        """Tell whether what a trial runs is built."""
        build_folder = self._make_build_folder(trial.overlay.digest)
        if not _locate_marker(build_folder).exists():
            return trial.overlay.digest in self._failed
        return all(job.makes is None for job in self._launch_first_job(trial, build_folder))

    def prepare_trial(self, trial: Trial) -> None:
        """Build what a trial runs, beside others; `run_trial` builds what fails again, alone."""
        build_folder = self._make_build_folder(trial.overlay.digest)
        with self._find_lock(trial.overlay.digest):
            if self._build_variant(trial, build_folder):
                del self._failed[trial.overlay.digest]
                return
        for job in self._launch_first_job(trial, build_folder):
            if job.makes is not None:
                self._build_program(build_folder, job, trial)

    def _launch_first_job(self, trial: Trial, build_folder: Path) -> Iterable[Invocation]:
        return islice(self._launcher.plan_launch(self._project, trial, build_folder), 1)

    def run_trial(self, trial: Trial) -> Run:
        """Run one trial; whatever the subject does is an outcome.

        Raises ValueError for one with a watch where there is nobody to watch.
        """
        beginning = self._begin(trial)
        outcome, answers = self._outcome(trial)
        return self._make_run(trial, outcome, answers, beginning)

    def find_sharing_key(self, trial: Trial) -> Hashable | None:
        """Return what is equal for trials that `run_together` may be asked to run; None: none."""
        launcher = self._sharing  # another thread may find out that nothing can share
        sharing = launcher and launcher.find_sharing_key(trial)
        return None if sharing is None else (trial.subject, sharing)

    def limit_together(self, trial: Trial, seconds_left: float, parallel: int) -> int:
        """Return how many trials such as this one may share a process.

        It has to end within `seconds_left`; `parallel` processes run at a time.
        """
        cost = self._group_costs.get(trial.purpose, GroupCost())
        planned_seconds = len(trial.schedule.blocks) * trial.schedule.seconds
        return cost.choose_limit(planned_seconds, seconds_left, parallel)

    def run_together(self, trials: Sequence[Trial]) -> list[Run]:
        """Run trials in one process; those that have to run by themselves are absent."""
        first, launcher = trials[0], self._sharing
        build_folder = self._make_build_folder(first.overlay.digest)
        with self._find_lock(first.overlay.digest):
            if launcher is None or self._build_variant(first, build_folder):
                return []
        beginning = self._begin(first)
        job = launcher.plan_shared_launch(self._project, trials, build_folder)
        answer = self._run(build_folder, job, first)
        answers = launcher.split_answer(trials, answer, build_folder)
        ended = [(trial, end) for trial, end in zip(trials, answers, strict=True) if end]
        start_seconds = max(0.0, answer.seconds - sum(end.seconds for _, end in ended))
        runs = [
            replace(
                self._make_run(trial, launcher.read_outcome(trial, [end]), [end], beginning),
                seconds=end.seconds + start_seconds / len(trials),
            )
            for trial, end in ended
        ]
        good_runs = [run for run in runs if isinstance(run.outcome, _SURE_OUTCOMES)]
        if ended:
            mean = fmean(end.seconds for _, end in ended)
            self._group_costs[first.purpose] = GroupCost(start_seconds, mean)
        is_poor = len(good_runs) * 2 < len(trials)
        self._poor_groups = [*self._poor_groups, len(trials)] if is_poor else []
        if not ended or _are_too_poor(self._poor_groups):
            self._sharing = None  # most benchmarks of this suite have to be alone
        return good_runs

    def _begin(self, trial: Trial) -> _Beginning:
        with self._find_lock("facts"):
            self._facts = self._facts or self._add_tool_versions(self._host.read_facts())
        loop = self._loop() if trial.is_exclusive else NO_LOOP_TIMING
        return _Beginning(self._facts, loop, self._clock.now(), self._clock.monotonic())

    def _make_run(
        self,
        trial: Trial,
        outcome: Outcome,
        answers: Sequence[CompletedProcess],
        beginning: _Beginning,
    ) -> Run:
        return Run(
            trial=trial,
            host=beginning.facts,
            outcome=outcome,
            started=beginning.started,
            seconds=self._clock.monotonic() - beginning.seconds,
            revision=self._project.revision,
            strain=_measure_interference(trial, answers, beginning.loop),
            loop_seconds=beginning.loop.seconds,
        )

    def _add_tool_versions(self, facts: HostFacts) -> HostFacts:
        """Return facts with the versions of what builds and runs the project there."""
        return replace(facts, facts=tuple(sorted((*facts.facts, *self._project.versions))))

    def _outcome(self, trial: Trial) -> tuple[Outcome, list[CompletedProcess]]:
        """Return how a trial ended, and the processes that it took."""
        build_folder = self._make_build_folder(trial.overlay.digest)
        with self._find_lock(trial.overlay.digest):
            if failed_outcome := self._build_variant(trial, build_folder):
                return failed_outcome, []
        judge = self._make_judge(trial)
        answers: list[CompletedProcess] = []
        deadline = self._clock.monotonic() + trial.timeout_seconds
        for job in self._launcher.plan_launch(self._project, trial, build_folder):
            if trial.purpose is Purpose.TRACE:  # the limit is of all tests of a client together
                seconds_left = max(0.0, deadline - self._clock.monotonic())
                job = replace(job, timeout_seconds=min(job.timeout_seconds, seconds_left))  # noqa: PLW2901
            tree = (self._project.root,) if trial.benchmark is None else ()
            job = job if judge is None else judge.attach_judge(job)  # noqa: PLW2901
            answers += (
                self._build_program(build_folder, job, trial)
                if job.makes
                else [self._run(build_folder, job, trial, *tree)]
            )
            if answers and answers[-1].exhausted:
                return Exhausted(answers[-1].exhausted, answers[-1].format_tail()), answers
            if trial.purpose is not Purpose.TRACE and answers and answers[-1].exit_code != 0:
                break  # but tests of a client's package say nothing of those of another
        outcome = self._launcher.read_outcome(trial, answers)
        return (outcome if judge is None else judge.split_outcome(outcome)), answers

    def _find_lock(self, key: str) -> Lock:
        return self._locks.setdefault(key, Lock())

    def _reserve_build_time(self, trial: Trial) -> AbstractContextManager[object]:
        """Give the time in which something is built for a trial, while no other one is timed."""
        return self._building_or_timing.write_lock() if trial.rough else nullcontext()

    def _build_program(
        self, build_folder: Path, job: Invocation, trial: Trial
    ) -> list[CompletedProcess]:
        """Have a program made, by one at a time; empty where it is there."""
        assert job.makes is not None  # noqa: S101 - narrows the type
        with self._find_lock(str(job.makes)):
            if is_program_built(job.makes) or self._fetch_program(job.makes):
                return []
            with self._reserve_build_time(trial):
                return [self._run_job(build_folder, job)]

    def _run(
        self, build_folder: Path, job: Invocation, trial: Trial, *writable: Path
    ) -> CompletedProcess:
        """Run a process; what is timed is so beside others that run, and not beside a build."""
        with self._building_or_timing.read_lock() if trial.rough else nullcontext():
            return self._run_job(build_folder, job, *writable)

    def _run_job(self, build_folder: Path, job: Invocation, *writable: Path) -> CompletedProcess:
        if job.makes is not None:
            remove_incomplete(job.makes)
        measuring = (locate_run_folder(build_folder), *writable)
        host = self._building if job.builds else self._host.make_measuring_host(measuring)
        answer = host.run_process(job)
        if job.makes is not None and answer.exit_code == 0 and job.makes.exists():
            mark_built(job.makes)
        return answer

    def _fetch_program(self, program: Path) -> bool:
        """Have a program that was made elsewhere, whole or not at all."""
        content = self._elsewhere(program.relative_to(self._builds))
        if content is None:
            return False
        unfinished = program.with_suffix(".sent")
        put_files([(unfinished, content)], self._builds)
        with convert_write_errors(program):
            unfinished.chmod(0o755)
            unfinished.replace(program)
        mark_built(program)
        return True

    def _make_judge(self, trial: Trial) -> IterationJudge | None:
        if trial.watch is None:
            return None
        if self._watchers is None:
            raise ValueError("nobody is there to watch the process of this trial")
        return IterationJudge(trial.watch, self._watchers(trial), self._clock)

    def _build_variant(self, trial: Trial, build_folder: Path) -> Outcome | None:
        """Build once: a marker, written last, tells a whole build from a broken-off one."""
        overlay = trial.overlay
        marker = _locate_marker(build_folder)
        if overlay.digest in self._failed:
            return self._failed[overlay.digest]
        if marker.exists():
            return None
        build = self._launcher.plan_build(self._project, overlay, build_folder)
        put_files(build.files, self._builds, self._project.root)
        for step in build.steps:
            with self._reserve_build_time(trial):
                answer = self._building.run_process(step)
            if answer.exit_code != 0:
                self._failed[overlay.digest] = self._launcher.read_outcome(trial, [answer])
                return self._failed[overlay.digest]
        marker.write_text(json.dumps({"overlay": overlay.digest}))
        return None

    def _make_build_folder(self, digest: str) -> Path:
        folder = self._builds / digest
        try:
            locate_run_folder(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FolderUnusable(f"cannot make {folder}: {error.strerror}") from error
        return folder


def _locate_marker(build_folder: Path) -> Path:
    return build_folder / "built.json"


def _measure_interference(
    trial: Trial, answers: Sequence[CompletedProcess], loop: LoopTiming
) -> HostInterference:
    """Return what kept the machine from a trial; that others waited for it is our own doing.

    Pilots keep it. No more of them run at a time than there are processors, and what one that
    waited shows of a method's share decides nothing.

    Where nobody knows what others used, as beside a container, a trial has waited for them no more
    than the loop did: it may have more threads than there are processors.
    """
    interference = HostInterference.combine_processes(
        (answer.seconds, answer.strain) for answer in answers
    )
    if not trial.is_exclusive and trial.purpose is not Purpose.PILOT:
        return replace(interference, waited=None)
    if interference.foreign is None and interference.waited is not None and loop.waited is not None:
        return replace(interference, waited=min(interference.waited, loop.waited))
    return interference


class TrialExecutor(TrialRunner[Harness]):
    """A project whose benchmarks can be listed as well."""

    def discover_suite(self, listing: Listing = EVERYTHING) -> Suite:
        """Return the suite of the unchanged project."""
        build_folder = self._make_build_folder(Overlay().digest)
        return self._launcher.discover_suite(
            self._project, build_folder, partial(self._run_job, build_folder), listing
        )

    def read_sources(self) -> tuple[SourceFile, ...]:
        """Return the sources of that suite; no benchmark is run."""
        build_folder = self._make_build_folder(Overlay().digest)
        return tuple(
            self._launcher.read_sources(
                self._project, build_folder, partial(self._run_job, build_folder)
            )
        )

    def is_always_called(self, method: Method) -> bool:
        """Tell whether the compiler surely makes calls of all calls of a method.

        Where there is no time left to ask it, nothing is sure.
        """
        if method.span is None:
            return False
        folder = str(PurePosixPath(method.span.file).parent)
        if folder not in self._called:
            build_folder = self._make_build_folder(Overlay().digest)
            try:
                ask = partial(self._run_job, build_folder)
                calls = self._launcher.never_inlined(self._project, folder, build_folder, ask)
            except OutOfTime:
                return False
            self._called[folder] = calls
        return (method.span.file, method.span.first_line) in self._called[folder]
