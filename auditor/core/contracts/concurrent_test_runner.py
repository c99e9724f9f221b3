"""Where concurrent tests are made, compiled and measured: a port, and what it gives."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from auditor.core.contracts.concurrency import (
    ConcurrentTestSuite,
    GenerationProgress,
    LibraryVersion,
    RepetitionTimes,
    TimedScope,
)
from auditor.core.contracts.concurrent_test import GenerationSteps, Test

_Product = TypeVar("_Product")


@dataclass(frozen=True, slots=True)
class ConcurrentRunSettings:
    """How a process measures a test (Algorithm 2)."""

    warmup: int  # repetitions before it measures (r_w)
    repetitions: int  # in a measurement (r_s)
    seconds: float  # estimated for the process
    least: int = 1  # measurements that are made in any case
    most: int = 1  # measurements that are made at most
    stop: float = 0.0  # measuring ends once the spread is at most this


@dataclass(frozen=True, slots=True)
class PilotTimes:
    """What a repetition takes, seconds: with its prefix and all, and its suffixes alone."""

    wall: float
    suffixes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrentRun:
    """One test that a process runs."""

    test: str  # name of its class
    threads: int  # number of threads; SEQUENTIAL: the control
    suffixes: int  # those that one thread runs where there are no threads
    turns: int  # how often each suffix runs in a repetition
    version: LibraryVersion  # of the library
    scope: TimedScope  # what of a repetition is timed


class ConcurrentTestRunner(Protocol):
    """Both versions on a machine; never more than two processes at a time.

    `compile_tests` returns the errors of files that do not compile, by their paths; the others can
    be raced. What `run_pilot` and `measure_race` return is a text where the test failed.
    """

    def run_generation(self, making: GenerationSteps[_Product], /) -> _Product: ...
    def compile_tests(self, files: Mapping[str, str], /) -> Mapping[str, str]: ...
    def run_pilot(self, race: ConcurrentRun, seconds: float, /) -> PilotTimes | str: ...
    def measure_race(
        self, race: ConcurrentRun, settings: ConcurrentRunSettings, /
    ) -> tuple[float, ...] | str: ...


class TestWriter(Protocol):
    """Writes tests as source; `write_files` gives the program of a test and what else it needs."""

    def name_test_class(self, test: Test, /) -> str: ...
    def choose_path(self, test: Test, /) -> str: ...
    def write_program(self, test: Test, /) -> str: ...
    def write_files(self, test: Test, /) -> tuple[tuple[str, str], ...]: ...


class ConcurrentResultCache(Protocol):
    """Remembers what was made and measured, so that a study goes on where it stopped.

    There is no progress any more once a suite is kept.
    """

    def load_suite(self) -> ConcurrentTestSuite | None: ...
    def save_suite(self, suite: ConcurrentTestSuite, /) -> None: ...
    def load_progress(self) -> GenerationProgress | None: ...
    def save_progress(self, progress: GenerationProgress, /) -> None: ...
    def load_times(self, test: Test, threads: int, /) -> RepetitionTimes | None: ...
    def save_times(self, test: Test, timed: RepetitionTimes, /) -> None: ...
