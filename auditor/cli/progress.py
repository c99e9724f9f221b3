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
from auditor.core.outcome import Counted, Measured, Profiled, find_ending
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.ports import Observer
from auditor.core.units import format_duration
from reports import names

SECONDS_BETWEEN_LINES = 5.0
SECONDS_BETWEEN_STEPS = 30.0
_SHARED_FACTOR = 3
"""Where a phase has lasted so many times as long as its first run, others ran in that process."""
_MAX_STEP_WIDTH = 72
"""Columns for what a build tool is doing, beside the spinner."""
_TEST_NAMES = {Purpose.USAGE: "the unit tests", Purpose.TRACE: "the tests of a client"}
"""What runs where there is no benchmark."""

Clock = Callable[[], float]


@dataclass(slots=True)
class PhaseProgress:
    """How far a phase has come."""

    name: str  # of the phase
    trials: int  # number of trials that it has
    seconds: float  # estimated for all its trials
    started: float  # when its first new process began, by the clock
    ended_trials: int = 0  # number of trials that ended, reused ones included
    reused: int = 0  # number of trials whose run was stored
    run_seconds: float = 0.0  # that the new runs took, each by itself

    def estimate_seconds_left(self, now: float) -> float | None:
        """Return the seconds left; None as long as there is nothing to tell."""
        finished_trials = self.ended_trials - self.reused
        required_trials = self.trials - self.reused
        if required_trials <= finished_trials:
            return 0.0
        if finished_trials == 0:
            return self.seconds or None
        seconds = now - self.started
        # The first of a process that many ran in; the others are told next.
        if finished_trials == 1 and self.run_seconds * _SHARED_FACTOR < seconds:
            seconds = self.run_seconds
        return seconds / finished_trials * (required_trials - finished_trials)


def _name_trial(trial: Trial) -> str:
    if trial.benchmark is not None:
        return trial.benchmark.id
    return _TEST_NAMES[trial.purpose] + (f" of {trial.tests}" if trial.tests else "")


@dataclass(slots=True)
class ProgressWatcher:
    """Shows the events of a study; subclasses draw."""

    console: Console  # where lines are printed
    clock: Clock  # returns seconds
    pace: PhaseProgress | None = None  # progress of the phase; None: no phase has begun
    reused: set[str] = field(default_factory=set)
    """Ids of trials whose run an earlier command stored."""
    fresh: set[str] = field(default_factory=set)  # ids of trials that this command ran
    shown_caveats: set[Caveat] = field(default_factory=set)  # caveats that were shown

    def phase_started(self, name: str, trials: int, seconds: float) -> None:
        """Begin a phase."""
        self.pace = PhaseProgress(names.escape_line(name), trials, seconds, self.clock())
        self.draw_progress()

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
            self.pace.run_seconds += run.seconds
            self._report_resumption()
        self.pace.ended_trials += 1
        if not reused and not isinstance(run.outcome, Measured | Counted | Profiled):
            self.print_line(f"{_name_trial(run.trial)}: {find_ending(run.outcome)}")
        self.draw_progress()

    def report_end(self) -> None:
        """Say so where nothing had to be run at all."""
        if self.reused and not self.fresh:
            self.print_line(f"nothing was run: {self._describe_reused()} known already")

    def _report_resumption(self) -> None:
        if self.reused:
            self.print_line(f"going on where it stopped: {self._describe_reused()} known already")
            self.reused = set()

    def _describe_reused(self) -> str:
        count = len(self.reused)
        return "1 process is" if count == 1 else f"{count} processes are"

    def report_caveat(self, caveat: Caveat) -> None:
        """Say a caveat, once."""
        if caveat not in self.shown_caveats:
            self.shown_caveats.add(caveat)
            self.print_line(f"note[{caveat.slug}]: {caveat.text}")

    def print_line(self, text: str) -> None:
        """Show a line that stays."""
        self.console.print_note(names.escape_line(text))

    def draw_progress(self) -> None:
        """Show how far it is."""


@dataclass(slots=True)
class LineWatcher(ProgressWatcher):
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
            self.print_line(text)

    def phase_started(self, name: str, trials: int, seconds: float) -> None:
        """Begin a phase."""
        self.step = ""
        ProgressWatcher.phase_started(self, name, trials, seconds)

    def print_line(self, text: str) -> None:
        """Print a line."""
        self.is_silent = False
        ProgressWatcher.print_line(self, text)

    def end_silence(self) -> None:
        """Print what is being done, unless a line was printed since the last call."""
        if self.is_silent and self.step:
            self.print_line(f"still running: {self.step}")
        elif self.is_silent and self.pace is not None:
            self.print_line(_format_progress(self.pace, self.clock()))
        self.is_silent = True

    def draw_progress(self) -> None:
        """Print a line, unless the last was just now."""
        now = self.clock()
        is_recent = self.last is not None and now - self.last < SECONDS_BETWEEN_LINES
        if self.pace is not None and not is_recent:
            self.last = now
            self.print_line(_format_progress(self.pace, now))


@dataclass(slots=True)
class BarWatcher(ProgressWatcher):
    """A bar that is gone in the end."""

    progress: Progress | None = None
    task: TaskID | None = None

    def build_step(self, text: str) -> None:
        """Show it in front of the bar."""
        if self.progress is not None and self.task is not None:
            self.progress.update(self.task, description=names.escape_line(text)[:_MAX_STEP_WIDTH])

    def draw_progress(self) -> None:
        """Move the bar."""
        if self.progress is None or self.task is None or self.pace is None:
            return
        self.progress.update(
            self.task,
            description=self.pace.name,
            total=self.pace.trials,
            completed=self.pace.ended_trials,
            left=format_time_left(self.pace.estimate_seconds_left(self.clock())),
        )


def _format_progress(pace: PhaseProgress, now: float) -> str:
    """Return the state of a phase as words; one of no trials is its name."""
    if not pace.trials:
        return pace.name
    time_text = format_time_left(pace.estimate_seconds_left(now))
    return f"{pace.name}: {pace.ended_trials} of {pace.trials}" + (
        f", {time_text}" if time_text else ""
    )


def format_time_left(seconds: float | None) -> str:
    """Return a remaining time in words; nothing for none and for the unknown."""
    return f"about {format_duration(seconds)} left" if seconds else ""


@contextmanager
def open_observer(console: Console, clock: Clock) -> Iterator[Observer]:
    """Give the observer that suits the terminal, and clear it in the end."""
    if not console.can_draw_progress:
        watcher = ProgressWatcher(console, clock) if console.quiet else LineWatcher(console, clock)
        with _end_silence_regularly(watcher):
            yield watcher
        watcher.report_end()
    else:
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}", markup=False),
        )
        with Progress(*columns, console=console.stderr_terminal, transient=True) as progress:
            task = progress.add_task("making the subject ready", total=None, left="")
            bar = BarWatcher(console, clock, progress=progress, task=task)
            yield bar
        bar.report_end()


@contextmanager
def _end_silence_regularly(watcher: ProgressWatcher) -> Iterator[None]:
    """End the silence of a watcher again and again, in a thread."""
    stop_event = threading.Event()

    def watch_silence() -> None:
        while not stop_event.wait(SECONDS_BETWEEN_STEPS):
            watcher.end_silence()

    thread = threading.Thread(target=watch_silence, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop_event.set()
        thread.join()


@contextmanager
def show_progress_bar(console: Console, label: str) -> Iterator[Callable[[int, int], None]]:
    """Draw a bar on a terminal; elsewhere say nothing."""
    columns = (
        TextColumn(label),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns,
        console=console.stderr_terminal,
        transient=True,
        disable=not console.can_draw_progress,
    ) as progress:
        task = progress.add_task("", total=None)
        yield lambda completed, total: progress.update(task, completed=completed, total=total)
