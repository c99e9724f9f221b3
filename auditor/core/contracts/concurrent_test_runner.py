"""Where concurrent tests are made, compiled and measured: a port, and what it gives."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from auditor.core.contracts.concurrency import (
    ConcurrentTestSuite,
    LibraryVersion,
    Progress,
    RepetitionTimes,
    TimedScope,
)
from auditor.core.contracts.concurrent_test import Test
from auditor.core.contracts.test_generation import GenerationSteps

_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class ConcurrentRunSettings:
    """How a process measures a test: r_w and r_s, and Algorithm 2 within it.

    `seconds` is about what it takes.
    """

    warmup: int
    repetitions: int
    seconds: float
    least: int = 1
    most: int = 1
    stop: float = 0.0


@dataclass(frozen=True, slots=True)
class Pilot:
    """What a repetition takes, seconds: with its prefix and all, and its suffixes alone."""

    wall: float
    suffixes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrentRun:
    """A test by the name of its class, with a number of threads and a version.

    `turns` is how often each suffix is done in a repetition, `suffixes` how many of them one thread
    does where there are no threads.
    """

    test: str
    threads: int
    suffixes: int
    turns: int
    version: LibraryVersion
    scope: TimedScope


class ConcurrentTestRunner(Protocol):
    """Both versions on a machine; never more than two processes at a time.

    `compile` returns what is wrong with files that do not compile, by their paths; the others can
    be raced after that. What `pilot` and `measure` return is a text where the test failed.
    """

    def make(self, making: GenerationSteps[_Made], /) -> _Made: ...
    def compile(self, files: Mapping[str, str], /) -> Mapping[str, str]: ...
    def pilot(self, race: ConcurrentRun, seconds: float, /) -> Pilot | str: ...
    def measure(
        self, race: ConcurrentRun, settings: ConcurrentRunSettings, /
    ) -> tuple[float, ...] | str: ...


class Writer(Protocol):
    """Writes tests as source; `files` are the program of a test and what else is asked for."""

    def name(self, test: Test, /) -> str: ...
    def path(self, test: Test, /) -> str: ...
    def program(self, test: Test, /) -> str: ...
    def files(self, test: Test, /) -> tuple[tuple[str, str], ...]: ...


class ConcurrentResultCache(Protocol):
    """Remembers what was made and measured, so that a study goes on where it stopped.

    There is no progress any more once a suite is kept.
    """

    def suite(self) -> ConcurrentTestSuite | None: ...
    def keep_suite(self, suite: ConcurrentTestSuite, /) -> None: ...
    def progress(self) -> Progress | None: ...
    def keep_progress(self, progress: Progress, /) -> None: ...
    def timed(self, test: Test, threads: int, /) -> RepetitionTimes | None: ...
    def keep_timed(self, test: Test, timed: RepetitionTimes, /) -> None: ...
