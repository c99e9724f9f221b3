"""Both versions of a class on this machine: tests are tried, compiled and raced there."""

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

from auditor.core.contracts.concurrency import LibraryVersion
from auditor.core.contracts.concurrent_test_runner import (
    ConcurrentRun,
    ConcurrentRunSettings,
    PilotTimes,
)
from auditor.core.contracts.test_generation import GenerationSteps
from auditor.core.errors import MachineError
from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.ports import Host
from runners.concurrency.conversation import Conversation
from runners.concurrency.jdks import JavaRuntime
from runners.disk import convert_write_errors
from runners.dispatch.machine import lock_machine
from runners.jmh.javac import Javac, write_sources

_Result = TypeVar("_Result")
_MAKER, _MEASURE = "benchaudit.maker.Maker", "benchaudit.race.Measure"
_RECORDS = Path("records.txt")
_BLAMED = re.compile(r"^(\S+\.java):\d+: error: (.*)$", re.MULTILINE)
_MORE_SECONDS = 60.0
_SLOWER = 10.0
"""How much longer than planned a measurement may take: versions may differ by that."""
_MAKER_MEMORY = "-Xmx1g"
RACE_OPTIONS = ("-Xmx1g", "-XX:-DontCompileHugeMethods", "-XX:-BackgroundCompilation")
"""A block of hundreds of statements would never be compiled otherwise. Threads that share two cores
with the compiler leave it little: where they wait for it, it is done long before."""
_REASON_LENGTH = 2000


@dataclass(slots=True)
class LocalArena:
    """One folder of ours, one JDK, two class paths."""

    host: Host  # starts processes
    folder: Path  # for sources, classes and records
    environment: tuple[tuple[str, str], ...]  # of all processes
    java: JavaRuntime  # JDK that runs tests
    javac: Javac  # compiles tests
    guest: Path  # class path of our code
    class_paths: Mapping[LibraryVersion, tuple[Path, ...]]  # of each version
    lock: Path  # file whose holder measures on this machine
    options: tuple[str, ...] = ()  # the user's, for the JVM
    attempt_seconds: float = 1.0  # that an attempt may take with each version
    late_seconds: float = 60.0  # after which a guest that has not answered is ended
    repetition_seconds: int = 20  # after which a repetition is stuck; usual ones take milliseconds
    _classes: list[Path] = field(default_factory=list)  # folders of compiled tests
    _beside: list[Mapping[str, float]] = field(default_factory=list)
    """What was noted beside measurements."""

    def run_generation(self, making: GenerationSteps[_Result], /) -> _Result:
        """Let a maker try what it makes with both versions in one process."""
        paths = tuple(_join_paths(self.class_paths[version]) for version in LibraryVersion)
        talk = Conversation(
            host=self.host,
            folder=self._make_scratch_folder("maker"),
            command=(
                self.java.program, _MAKER_MEMORY, *self.options, "-cp", str(self.guest), _MAKER,
            ),
            arguments=(str(round(self.attempt_seconds * 1000)), *paths),
            environment=self.environment,
            attempt_seconds=self.attempt_seconds,
            late_seconds=self.late_seconds,
        )  # fmt: skip
        with lock_machine(self.lock):
            return talk.run_generation(making)

    def compile_tests(self, files: Mapping[str, str], /) -> Mapping[str, str]:
        """Compile tests against the old version; both have all that they use, by the same names.

        Raises MachineError where the compiler blames none of them.
        """
        problems: dict[str, str] = {}
        sources = self.folder / f"sources-{len(self._classes)}"
        classes = self.folder / f"classes-{len(self._classes)}"
        left = dict(files)
        with convert_write_errors(sources):
            write_sources(
                {name: text.encode(errors="replace") for name, text in left.items()}, sources
            )
        while left:
            shutil.rmtree(classes, ignore_errors=True)
            path = (self.guest, *self.class_paths[LibraryVersion.OLD])
            answer = self.javac.compile_files(sorted(left), sources, classes, path)
            if answer.exit_code == 0:
                self._classes.append(classes)
                break
            output = (answer.stderr + answer.stdout).decode(errors="replace")
            blamed = {name: problem for name, problem in _BLAMED.findall(output) if name in left}
            if not blamed:
                raise MachineError(f"the tests do not compile; javac said:\n{answer.format_tail()}")
            problems |= blamed
            left = {name: text for name, text in left.items() if name not in blamed}
        return problems

    def run_pilot(self, race: ConcurrentRun, seconds: float, /) -> PilotTimes | str:
        """Run a test for so long, and tell what its repetitions take."""
        answer = self._run_race(race, (f"pilot={seconds}",), seconds)
        if isinstance(answer, str):
            return answer
        for word, *rest in answer:
            if word == "pilot":
                return PilotTimes(wall=float(rest[1]), suffixes=float(rest[2]))
        return "it ended without a measurement"

    def measure_race(
        self, race: ConcurrentRun, settings: ConcurrentRunSettings, /
    ) -> tuple[float, ...] | str:
        """Measure a test in a process of its own."""
        words = (
            f"warmup={settings.warmup}", f"repetitions={settings.repetitions}",
            f"least={settings.least}", f"most={settings.most}", f"stop={settings.stop}",
        )  # fmt: skip
        answer = self._run_race(race, words, settings.seconds)
        if isinstance(answer, str):
            return answer
        return tuple(float(rest[0]) for word, *rest in answer if word == "measurement")

    def take_interference_notes(self) -> Sequence[Mapping[str, float]]:
        """Hand over what was noted beside races since this was asked last."""
        differences, self._beside = self._beside, []
        return differences

    def _run_race(
        self, race: ConcurrentRun, words: tuple[str, ...], seconds: float
    ) -> list[list[str]] | str:
        path = (*reversed(self._classes), self.guest, *self.class_paths[race.version])
        folder = self._make_scratch_folder("race")
        job = Invocation(
            argv=(
                self.java.program, *RACE_OPTIONS, *self.options, "-cp", _join_paths(path),
                _MEASURE, race.test, f"threads={race.threads}", f"suffixes={race.suffixes}",
                f"turns={race.turns}",
                f"scope={race.scope}", f"limit={self.repetition_seconds}", f"out={_RECORDS}",
                *words,
            ),
            cwd=folder,
            environment=self.environment,
            timeout_seconds=_SLOWER * seconds + self.repetition_seconds + _MORE_SECONDS,
            collects=(_RECORDS,),
        )  # fmt: skip
        with lock_machine(self.lock):
            ended = self.host.run_process(job)
        self._beside.append(_make_interference_note(ended))
        records = ended.files.get(_RECORDS, b"").decode(errors="replace").splitlines()
        for line in records:
            if line.startswith("failed "):
                return line.removeprefix("failed ").replace("\t", "\n")[:_REASON_LENGTH]
        if not records or records[-1] != "end":
            return _explain_end(ended)
        return [line.split() for line in records]

    def _make_scratch_folder(self, name: str) -> Path:
        """Return an empty folder: what a subject writes is gone before the next one runs."""
        folder = self.folder / name
        with convert_write_errors(folder):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        return folder


def _join_paths(path: tuple[Path, ...]) -> str:
    return ":".join(map(str, path))


def _make_interference_note(ended: CompletedProcess) -> Mapping[str, float]:
    """Return the seconds of a race, and what is known of `auditor.concurrency.judge.host_load`."""
    strain = asdict(ended.strain)
    del strain["waited"]  # a race has threads that wait for each other's processors
    return {
        "seconds": ended.seconds,
        **{name: share for name, share in strain.items() if share is not None},
    }


def _explain_end(ended: CompletedProcess) -> str:
    if ended.timed_out:
        return "it exceeded its time limit"
    return (
        f"its process ended by itself (exit code {ended.exit_code}): {ended.format_tail(2)}".rstrip(
            ": "
        )
    )
