"""Observers: a bar on a terminal, a line now and then elsewhere, or nothing."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from auditor.cli.console import Console
from auditor.core.caveats import Caveat
from auditor.core.outcome import Counted, Measured, Profiled, ending
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.ports import Observer
from auditor.core.units import duration
from reports import names

SECONDS_BETWEEN_LINES = 5.0
SECONDS_BETWEEN_STEPS = 30.0
_WIDEST_STEP = 72
"""Columns for what a build tool is doing, beside the spinner."""
_TESTS = {Purpose.USAGE: "the unit tests", Purpose.TRACE: "the tests of a client"}
"""What runs where there is no benchmark."""

Clock = Callable[[], float]


@dataclass(slots=True)
class PhaseProgress:
    """How far a phase has come."""

    name: str  # of the phase
    trials: int  # number of trials that it has
    seconds: float  # estimated for all its trials
    started: float  # when its first new process began, by the clock
    done: int = 0  # number of trials that ended, reused ones included
    reused: int = 0  # number of trials whose run was stored

    def left(self, now: float) -> float | None:
        """Return the seconds left; None as long as there is nothing to tell."""
        fresh = self.done - self.reused
        missing = self.trials - self.reused
        if missing <= fresh:
            return 0.0
        if fresh == 0:
            return self.seconds or None
        return (now - self.started) / fresh * (missing - fresh)


def _trial_name(trial: Trial) -> str:
    if trial.benchmark is not None:
        return trial.benchmark.id
    return _TESTS[trial.purpose] + (f" of {trial.tests}" if trial.tests else "")


@dataclass(slots=True)
class ProgressWatcher:
    """Shows the events of a study; subclasses draw."""

    console: Console  # where lines are printed
    clock: Clock  # returns seconds
    pace: PhaseProgress | None = None  # progress of the phase; None: no phase has begun
    reused: set[str] = field(default_factory=set)
    """Ids of trials whose run an earlier command stored."""
    fresh: set[str] = field(default_factory=set)  # ids of trials that this command ran
    said: set[Caveat] = field(default_factory=set)  # caveats that were shown

    def phase_started(self, name: str, trials: int, seconds: float) -> None:
        """Begin a phase."""
        self.pace = PhaseProgress(names.line(name), trials, seconds, self.clock())
        self.draw()

    def build_step(self, text: str) -> None:
        """Show what a build tool is doing; subclasses do."""

    def end_silence(self) -> None:
        """Show what is being done where nothing was shown for a while; subclasses do."""

    def trial_ended(self, run: Run, *, reused: bool) -> None:
        """Count a process."""
        if self.pace is None:
            return
        if reused:
            # What this command itself has measured a moment ago is no sign of an earlier one.
            self.reused |= {run.trial.id} - self.fresh
            self.pace.reused += 1
            self.pace.started = self.clock()
        else:
            self.fresh.add(run.trial.id)
            self._say_resumed()
        self.pace.done += 1
        if not reused and not isinstance(run.outcome, Measured | Counted | Profiled):
            self.tell(f"{_trial_name(run.trial)}: {ending(run.outcome)}")
        self.draw()

    def ended(self) -> None:
        """Say so where nothing had to be run at all."""
        if self.reused and not self.fresh:
            self.tell(f"nothing was run: {self._known()} known already")

    def _say_resumed(self) -> None:
        if self.reused:
            self.tell(f"going on where it stopped: {self._known()} known already")
            self.reused = set()

    def _known(self) -> str:
        count = len(self.reused)
        return "1 process is" if count == 1 else f"{count} processes are"

    def caveat(self, caveat: Caveat) -> None:
        """Say a caveat, once."""
        if caveat not in self.said:
            self.said.add(caveat)
            self.tell(f"note[{caveat.slug}]: {caveat.text}")

    def tell(self, text: str) -> None:
        """Show a line that stays."""
        self.console.note(names.line(text))

    def draw(self) -> None:
        """Show how far it is."""


@dataclass(slots=True)
class Lines(ProgressWatcher):
    """At most one line in some seconds, for logs; and one now and then where nothing happens."""

    last: float | None = None
    last_step: float | None = None
    step: str = "making the subject ready"
    is_silent: bool = True
    """No line has been printed since `end_silence` was called last."""

    def build_step(self, text: str) -> None:
        """Print a line, unless the last one about a build was a short time ago."""
        now = self.clock()
        self.step = text
        if self.last_step is None or now - self.last_step >= SECONDS_BETWEEN_STEPS:
            self.last_step = now
            self.tell(text)

    def phase_started(self, name: str, trials: int, seconds: float) -> None:
        """Begin a phase."""
        self.step = ""
        ProgressWatcher.phase_started(self, name, trials, seconds)

    def tell(self, text: str) -> None:
        """Print a line."""
        self.is_silent = False
        ProgressWatcher.tell(self, text)

    def end_silence(self) -> None:
        """Print what is being done, unless a line was printed since the last call."""
        if self.is_silent and self.step:
            self.tell(f"still running: {self.step}")
        elif self.is_silent and self.pace is not None:
            self.tell(line(self.pace, self.clock()))
        self.is_silent = True

    def draw(self) -> None:
        """Print a line, unless the last was just now."""
        now = self.clock()
        recent = self.last is not None and now - self.last < SECONDS_BETWEEN_LINES
        if self.pace is not None and not recent:
            self.last = now
            self.tell(line(self.pace, now))


@dataclass(slots=True)
class Bar(ProgressWatcher):
    """A bar that is gone in the end."""

    progress: Progress | None = None
    task: TaskID | None = None

    def build_step(self, text: str) -> None:
        """Show it in front of the bar."""
        if self.progress is not None and self.task is not None:
            self.progress.update(self.task, description=names.line(text)[:_WIDEST_STEP])

    def draw(self) -> None:
        """Move the bar."""
        if self.progress is None or self.task is None or self.pace is None:
            return
        self.progress.update(
            self.task,
            description=self.pace.name,
            total=self.pace.trials,
            completed=self.pace.done,
            left=time_left(self.pace.left(self.clock())),
        )


def line(pace: PhaseProgress, now: float) -> str:
    """Return the state of a phase as words; one of no trials is its name."""
    if not pace.trials:
        return pace.name
    left = time_left(pace.left(now))
    return f"{pace.name}: {pace.done} of {pace.trials}" + (f", {left}" if left else "")


def time_left(seconds: float | None) -> str:
    """Return a remaining time in words; nothing for none and for the unknown."""
    return f"about {duration(seconds)} left" if seconds else ""


@contextmanager
def observer(console: Console, clock: Clock) -> Iterator[Observer]:
    """Give the observer that suits the terminal, and clear it in the end."""
    if not console.live:
        watcher = ProgressWatcher(console, clock) if console.quiet else Lines(console, clock)
        with _ending_silence(watcher):
            yield watcher
        watcher.ended()
    else:
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}", markup=False),
        )
        with Progress(*columns, console=console.err, transient=True) as progress:
            task = progress.add_task("making the subject ready", total=None, left="")
            bar = Bar(console, clock, progress=progress, task=task)
            yield bar
        bar.ended()


@contextmanager
def _ending_silence(watcher: ProgressWatcher) -> Iterator[None]:
    """End the silence of a watcher again and again, in a thread."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(SECONDS_BETWEEN_STEPS):
            watcher.end_silence()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def progress_bar(console: Console, what: str) -> Iterator[Callable[[int, int], None]]:
    """Draw a bar on a terminal; elsewhere say nothing."""
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console.err, transient=True, disable=not console.live
    ) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, of: progress.update(task, completed=done, total=of)
