"""Both versions of a class on this machine: tests are tried, compiled and raced there.

The guest runs sequences of statements with two versions of a class. What makes tests is a
generator (`auditor.core.contracts.concurrent_test`). The guest reads requests from a named pipe
and answers on its standard output, so that a process of ours is nothing special to a host. A guest
that dies of what it ran has answered, too; the next one goes on.
"""

import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib import resources
from pathlib import Path
from typing import IO, Generic, TypeVar

from auditor.core.contracts.concurrency import LibraryVersion
from auditor.core.contracts.concurrent_test import (
    AttemptRequest,
    DescriptionRequest,
    FactoryRequest,
    GenerationAnswer,
    GenerationSteps,
    Lines,
    Request,
    Segment,
    Statement,
    StatementSequence,
    SubtypeRequest,
)
from auditor.core.contracts.concurrent_test_runner import (
    ConcurrentRun,
    ConcurrentRunSettings,
    PilotTimes,
)
from auditor.core.errors import MachineError
from auditor.core.jobs import CompletedProcess, Invocation, OutputMonitor
from auditor.core.ports import Host
from runners.disk import convert_write_errors
from runners.dispatch.machine import lock_machine
from runners.home import HomeFolder
from runners.jmh.jdk import (
    Javac,
    ask_version,
    find_jdk,
    java_feature,
    pack_jar,
    read_sources,
    write_sources,
)

LEAST = 8
_ADVICE = f"name the folder of a JDK {LEAST} or newer, whose bin holds java"


@dataclass(frozen=True, slots=True)
class JavaRuntime:
    """One Java: its program, all that it says of itself, and its number, 8 or 17, say."""

    program: str
    version: str
    feature: int


RUNTIME = "benchaudit/race/"
"""What tests need to run; it is handed out with them."""


@dataclass(frozen=True, slots=True)
class ConcurrencyGuest:
    """The compiled guest."""

    jar: Path


_Result = TypeVar("_Result")
_SECONDS = 24 * 3600.0
_BEATS = 'while sleep "$0"; do echo; done & exec "$@"'
"""A shell that says something now and then while its program says nothing: what has come is looked
at then, and whether an answer is due. A JVM may have no thread left that could say so."""
_BEAT_SECONDS = "1"
_VERSIONS = 2
_GRACE = 1.0
"""What a version needs beyond its attempt, to interrupt threads that do not end."""
_LOADING = 10
"""How many times as late a JVM may start, or describe what is in all classes of the jars."""
_NO_TALK = 3
"""After so many guests in a row that did not even begin, none will."""
_ESCAPES: Mapping[str, str] = {"t": "\t", "n": "\n", "r": "\r"}
_TOKEN_BYTES = 8
_MOST_TEXTS = 256
"""Sequences whose numbers are kept in words: those of other suffixes are sent again and again."""
_OPENS_WITHIN = 10.0
_LONGEST_LINE = 1 << 20
_BLOCKED, _STUCK = "blocked", "stuck"
"""Answers about an attempt that did not end; after the second the guest does, too, as threads of it
are left."""


@dataclass(slots=True)
class Conversation:
    """One maker of tests, and as many guests as it uses up."""

    host: Host  # starts guests
    folder: Path  # for the pipe
    command: tuple[str, ...]  # starts a guest; the pipe and the token follow it, then `arguments`
    arguments: tuple[str, ...]  # of a guest
    environment: tuple[tuple[str, str], ...]  # of a guest
    attempt_seconds: float  # that an attempt may take with each version
    late_seconds: float
    """After which a guest that has not answered is ended, and what it ran has hung."""
    _due: float = 0.0  # when the answer has to be there, by the monotonic clock
    _request_count: int = 0  # requests to this guest
    _answer_count: int = 0  # answers of this guest
    _numbers: dict[tuple[str, ...], int] = field(default_factory=dict)
    """Number of each statement, by its fields."""
    _defined_lines: list[str] = field(default_factory=list)
    """Definitions of all statements, by their number."""
    _defined: int = 0  # number of definitions that this guest has
    _texts: dict[int, tuple[StatementSequence, str]] = field(default_factory=dict)
    """Statements in the guest's words, by the id of their sequence."""
    _pipe: IO[str] | None = None  # to this guest; None: it is not ready
    _lines: list[tuple[str, ...]] = field(default_factory=list)  # of the answer that is being read
    _rest: bytes = b""  # start of a line that is not complete
    _token: str = ""  # that this guest's lines begin with

    def run_generation(self, making: GenerationSteps[_Result]) -> _Result:
        """Go on until the maker has made what it wants; raises MachineError without a guest."""
        talk = _MakerDialog(making)
        silent = 0
        while not talk.is_over():
            self._request_count = self._answer_count = 0
            ended = self._run_guest(talk)
            silent = 0 if self._request_count else silent + 1
            if silent == _NO_TALK:
                raise MachineError(
                    "the process that tries tests does not start; its output:\n"
                    f"{ended.format_tail()}"
                )
            if self._request_count > self._answer_count and not talk.is_over():
                talk.send_answer(GenerationAnswer(problem=self._explain_end(ended), blocked=True))
        return talk.take_result()

    def _run_guest(self, talk: "_MakerDialog[_Result]") -> CompletedProcess:
        self._token = secrets.token_hex(_TOKEN_BYTES)
        pipe = self.folder / f"requests-{self._token}"
        os.mkfifo(pipe, 0o600)
        self._defined, self._lines, self._rest = 0, [], b""
        self._due = time.monotonic() + _LOADING * self.late_seconds
        words = (*self.command, str(pipe), self._token, *self.arguments)

        def follow_output(data: bytes) -> tuple[tuple[float, float], ...]:
            self._read_output(data, talk, pipe)
            return () if time.monotonic() < self._due else ((0.0, 0.0),)

        try:
            return self.host.run_process(
                Invocation(
                    argv=("sh", "-c", _BEATS, _BEAT_SECONDS, *words),
                    cwd=self.folder,
                    environment=self.environment,
                    timeout_seconds=_SECONDS,
                    follow=OutputMonitor(read=follow_output, judge=_end_at_once),
                )
            )
        finally:
            if self._pipe is not None:
                _close_pipe(self._pipe)
                self._pipe = None
            pipe.unlink(missing_ok=True)

    def _read_output(self, data: bytes, talk: "_MakerDialog[_Result]", pipe: Path) -> None:
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[-_LONGEST_LINE:]
        for line in lines:
            word, *fields = split_fields(line.decode(errors="replace"))
            if word != self._token:
                continue  # the subject found a way to print, after all
            if fields == ["ready"]:
                self._pipe = _open_pipe(pipe)
                self._send_request(talk.request)
            elif (answer := self._parse_answer(tuple(fields))) is not None:
                self._answer_count += 1
                talk.send_answer(answer)
                if fields[0] != _STUCK:
                    self._send_request(talk.request)

    def _parse_answer(self, fields: tuple[str, ...]) -> GenerationAnswer | None:
        match fields:
            case ("done",):
                lines: Lines = tuple(self._lines)
                self._lines = []
                return GenerationAnswer(lines=lines)
            case ("fine",):
                return GenerationAnswer()
            case (kind, version, dump) if kind in (_BLOCKED, _STUCK):
                problem, _, rest = dump.partition("\n")
                text = f"{problem or 'no end'} with the {version} version"
                return GenerationAnswer(problem=f"{text}\n{rest}" if rest else text, blocked=True)
            case ("raised", version, segment, index, problem):
                position = (int(segment), int(index)) if int(segment) >= 0 else None
                return GenerationAnswer(
                    problem=f"{problem} in the {version} version", position=position
                )
        self._lines.append(fields)
        return None

    def _compute_timeout(self, request: Request | None) -> float:
        """Return how many seconds a guest has to answer."""
        if isinstance(request, AttemptRequest):
            return _VERSIONS * (self.attempt_seconds + _GRACE) + self.late_seconds
        return _LOADING * self.late_seconds

    def _explain_end(self, ended: CompletedProcess) -> str:
        if ended.enough:
            return "no end, nor an answer of its process"
        return f"its process ended ({'killed' if ended.exit_code is None else ended.exit_code})"

    def _send_request(self, request: Request | None) -> None:
        lines = ["bye"] if request is None else self._format_request(request)
        self._request_count += 1
        self._due = time.monotonic() + self._compute_timeout(request)
        if self._pipe is not None:
            with suppress(BrokenPipeError):  # it has died, which its end will tell
                self._pipe.write("".join(f"{line}\n" for line in lines))
                self._pipe.flush()

    def _format_request(self, request: Request) -> list[str]:
        match request:
            case DescriptionRequest(types):
                return [join_fields(("describe", *types))]
            case SubtypeRequest(types):
                return [join_fields(("subtypes", *types))]
            case FactoryRequest(types):
                return [join_fields(("factories", *types))]
            case AttemptRequest():
                defined: list[str] = []
                words = [
                    "try",
                    "1" if request.threads else "0",
                    self._format_sequence(request.prefix, defined),
                ]
                words += [self._format_segment(segment, defined) for segment in request.segments]
                return [*defined, join_fields(tuple(words))]

    def _format_segment(self, segment: Segment, defined: list[str]) -> str:
        return f"{segment.repeats}:{self._format_sequence(segment.statements, defined)}"

    def _format_sequence(self, sequence: StatementSequence, defined: list[str]) -> str:
        """Return the numbers of statements; `defined` gets the lines that define new ones."""
        cache_entry = self._texts.get(id(sequence))
        if cache_entry is None or cache_entry[0] is not sequence:
            if len(self._texts) > _MOST_TEXTS:
                self._texts.clear()
            cache_entry = (
                sequence,
                ",".join(str(self._number_statement(statement)) for statement in sequence),
            )
            self._texts[id(sequence)] = cache_entry
        new = self._defined_lines[self._defined :]
        defined += new
        self._defined += len(new)
        return cache_entry[1]

    def _number_statement(self, statement: Statement) -> int:
        fields = statement.text_fields
        number = self._numbers.setdefault(fields, len(self._numbers))
        if number == len(self._defined_lines):
            self._defined_lines.append(join_fields(("define", str(number), *fields)))
        return number


class _MakerDialog(Generic[_Result]):
    """A maker, what it asks now (None once it is over), and what it has made in the end."""

    def __init__(self, making: GenerationSteps[_Result]) -> None:
        self._making = making
        self._made: list[_Result] = []
        self.request: Request | None = None
        self._advance_maker(None)

    def is_over(self) -> bool:
        """Tell whether it asks no more."""
        return self.request is None

    def send_answer(self, answer: GenerationAnswer) -> None:
        """Hand it an answer."""
        self._advance_maker(answer)

    def take_result(self) -> _Result:
        """Return what it has made."""
        return self._made[0]

    def _advance_maker(self, answer: GenerationAnswer | None) -> None:
        try:
            self.request = next(self._making) if answer is None else self._making.send(answer)
        except StopIteration as end:
            self.request = None
            self._made.append(end.value)


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
    _interference_notes: list[Mapping[str, float]] = field(default_factory=list)
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
        differences, self._interference_notes = self._interference_notes, []
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
        self._interference_notes.append(_make_interference_note(ended))
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


def split_fields(line: str) -> tuple[str, ...]:
    """Return the fields of a line as the guest writes them."""
    fields, field_, escaped = [], [], False
    for letter in line:
        if escaped:
            field_.append(_ESCAPES.get(letter, letter))
            escaped = False
        elif letter == "\\":
            escaped = True
        elif letter == "\t":
            fields.append("".join(field_))
            field_ = []
        else:
            field_.append(letter)
    return (*fields, "".join(field_))


def join_fields(fields: tuple[str, ...]) -> str:
    """Return a line of fields as the guest reads them."""
    codes = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
    return "\t".join(text.translate(codes) for text in fields)


def _end_at_once(_seconds: float, _lasted: float) -> float:
    return 0.0


def _open_pipe(pipe: Path) -> IO[str]:
    """Open a pipe that its reader is about to open; raises MachineError where it does not."""
    until = time.monotonic() + _OPENS_WITHIN
    while time.monotonic() < until:
        try:
            handle = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.001)
            continue
        os.set_blocking(handle, True)
        return os.fdopen(handle, "w", encoding="utf-8", newline="\n")
    raise MachineError(f"the process that tries tests does not open {pipe}; repeat the command")


def _close_pipe(pipe: IO[str]) -> None:
    with suppress(BrokenPipeError):
        pipe.close()


def read_guest_sources() -> Mapping[str, bytes]:
    """Return the guest's Java files by their paths."""
    return read_sources(resources.files("runners.concurrency") / "guest")


def prepare_race_guests(home: HomeFolder, javac: Javac) -> ConcurrencyGuest:
    """Compile the guest, once for each compiler and release."""
    files = read_guest_sources()
    sha = hashlib.sha256(f"{javac.jdk.version}\0{javac.release}\0".encode())
    for name in sorted(files):
        sha.update(f"{name}\0{len(files[name])}\0".encode() + files[name])
    tools = home.make_tool_folder("race-guest")
    path = tools / f"{sha.hexdigest()[:24]}.jar"
    with home.lock_folder(tools):
        if not path.is_file():
            with home.make_scratch_folder() as scratch, convert_write_errors(path):
                _compile_guest(files, javac, scratch)
                pack_jar(scratch / "classes", scratch / "guest.jar")
                (scratch / "guest.jar").rename(path)
    return ConcurrencyGuest(path)


def _compile_guest(files: Mapping[str, bytes], javac: Javac, scratch: Path) -> None:
    write_sources(files, scratch / "sources")
    answer = javac.compile_files(sorted(files), scratch / "sources", scratch / "classes", ())
    if answer.exit_code != 0:
        raise MachineError(
            f"the Java guest does not compile with {javac.jdk.javac}; its output:\n"
            f"{answer.format_tail()}"
        )


def find_java(
    java_home: Path | None, host: Host, environment: tuple[tuple[str, str], ...]
) -> JavaRuntime:
    """Return the Java below a folder, without one that of JAVA_HOME or PATH.

    Raises ToolMissing where there is none, or none that is new enough.
    """
    if java_home is None:
        jdk = find_jdk(host, environment)
        return JavaRuntime(jdk.java, jdk.version, jdk.feature)
    program = str(java_home.absolute() / "bin" / "java")
    version = ask_version(host, program, environment, _ADVICE)
    return JavaRuntime(program, version, java_feature(program, version, LEAST, _ADVICE))
