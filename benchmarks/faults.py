"""What is left, and what is lost, when an audit is interrupted, killed or short of disk?

A small Go module is audited, compared and traced. At random moments the program is sent signals, is
killed, shares its store with another one, finds the store damaged or the disk full. After each
fault the same command goes on. The table has for each kind of fault how often

* the program took longer than ten seconds to end;
* something was left: a process, or a folder for temporary files;
* something was lost: a run that was in the store;
* a message was none: a traceback, several lines of error, or an exit code that is not documented;
* the final verdicts differed from those of an undisturbed audit.

    python benchmarks/faults.py --times 200 --only interrupts
    python benchmarks/faults.py --times 20

The exit code is 1 if anything in the table is not zero.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LONGEST_SECONDS = 10.0
LIMIT_SECONDS = 300.0
"""Of one call of the program."""
CODES = frozenset({0, 1, 2, 3, 4, 5, 130})
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
DISK_MEGABYTES = 64
CODE = """package tiny

func Add(n int) int {
	for i := 0; i < 2000; i++ {
		n = n*31 + i
	}
	return n
}

func Unused(n int) int { return n }
"""
BENCHMARK = """package tiny

import "testing"

var sink int

func BenchmarkAdd(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Add(sink)
	}
}

func TestAdd(t *testing.T) { sink = Add(3) }
"""
QUICK = {
    "methods": ["Add", "Unused"],
    "runs": 2,
    "stability_runs": 2,
    "slowdown": "100%",
    "controls": 0,
    "curve": "none",
    "plan": {"warmup": 1, "iterations": 5, "iteration_time": "10ms"},
    "compare": {"rounds": 4, "confirm": 5},
}
COLUMNS = ("late", "left", "lost", "unclear", "wrong")


@dataclass(slots=True)
class Row:
    """What became of one kind of fault."""

    fault: str
    times: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COLUMNS, 0))
    longest: float = 0.0  # seconds from the first signal to the end

    def note(self, *columns: str) -> None:
        """Count one fault, with what was wrong about it."""
        self.times += 1
        for column in columns:
            self.counts[column] += 1

    def __str__(self) -> str:
        """Return the line of the table."""
        cells = (self.fault, self.times, *self.counts.values(), f"{self.longest:.1f}")
        return f"| {' | '.join(map(str, cells))} |"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a call of the program ended."""

    code: int
    out: str
    err: str
    seconds: float  # from the first signal, or from the start

    @property
    def is_clear(self) -> bool:
        """Tell whether the exit code is a documented one and an error is a line."""
        errors = [line for line in self.err.splitlines() if line.startswith("error[")]
        clear = self.code in CODES and len(errors) <= 1 and "Traceback" not in self.err
        if not clear:
            print(f"exit {self.code}: {self.err[-2000:]}", file=sys.stderr)
        return clear


@dataclass(frozen=True, slots=True)
class Lab:
    """A subject, and folders of the program's own."""

    folder: Path

    @classmethod
    def below(cls, folder: Path) -> "Lab":
        """Write the subject, a repository whose second commit changes a method."""
        lab = cls(folder)
        for path in (lab.subject, lab.temporary):
            path.mkdir()
        (lab.subject / "go.mod").write_text("module example.org/tiny\n\ngo 1.20\n")
        (lab.subject / "tiny_test.go").write_text(BENCHMARK)
        (lab.folder / "config.json").write_text(json.dumps({"subject": str(lab.subject), **QUICK}))
        _git(lab.subject, "init", "-q")
        for steps in ("2000", "5000"):
            (lab.subject / "tiny.go").write_text(CODE.replace("2000", steps))
            _git(lab.subject, "add", "-A")
            _git(lab.subject, "commit", "-q", "-m", steps)
        return lab

    @property
    def subject(self) -> Path:
        """Return the folder of the module."""
        return self.folder / "subject"

    @property
    def temporary(self) -> Path:
        """Return where the program puts its temporary files."""
        return self.folder / "tmp"

    def words(self, command: str, store: Path) -> tuple[str, ...]:
        """Return the command line of one of COMMANDS."""
        config = str(self.folder / "config.json")
        more = {"compare": ("HEAD~1", "HEAD"), "trace": ("--benchmarks",)}.get(command, ())
        outputs = ("--store", str(store), "--output", str(self.folder / "out"))
        return (command, *more, config, *outputs, "--format", "json")

    def start(self, words: Sequence[str]) -> "subprocess.Popen[str]":
        """Start the program in a session of its own."""
        return subprocess.Popen(
            (sys.executable, "-m", "auditor", *words),
            cwd=self.folder,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "XDG_CACHE_HOME": str(self.folder / "cache"),
                "XDG_STATE_HOME": str(self.folder / "state"),
                "TMPDIR": str(self.temporary),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def undisturbed(self, command: str) -> tuple[Ended, Path]:
        """Run a command with a store of its own; raises RuntimeError where that fails."""
        store = self.folder / f"{command}-{len([*self.folder.glob('*.sqlite')])}.sqlite"
        ended = self.call(self.words(command, store))
        if not verdicts(ended):
            raise RuntimeError(f"{command} ended with {ended.code}: {ended.err}")
        return ended, store

    def call(self, words: Sequence[str]) -> Ended:
        """Run the program to its end."""
        began = time.monotonic()
        with self.start(words) as process:
            out, err = process.communicate(timeout=LIMIT_SECONDS)
        return Ended(process.returncode, out, err, time.monotonic() - began)

    def disturbed(self, words: Sequence[str], after: float, signals: Sequence[int]) -> Ended:
        """Run the program, and send it signals some seconds after its start."""
        with self.start(words) as process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(after)
            began = time.monotonic()
            for number in signals:
                process.send_signal(number)
                time.sleep(random.uniform(0.0, 0.2))  # noqa: S311 - any moment will do
            out, err = process.communicate(timeout=LIMIT_SECONDS)
        return Ended(process.returncode, out, err, time.monotonic() - began)

    def processes(self) -> list[str]:
        """Return the command lines of processes that work in our folder or name it."""
        command_lines = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it has ended
                words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                cwd = str((process / "cwd").readlink())
                if words and (str(self.folder) in words or cwd.startswith(str(self.folder))):
                    command_lines.append(words)
        return command_lines

    def is_something_left(self, *, files: bool) -> bool:
        """Tell whether a process is left after a second, or `files` for temporary use."""
        until = time.monotonic() + 1.0
        while self.processes() and time.monotonic() < until:
            time.sleep(0.05)
        return bool(self.processes()) or (files and any(self.temporary.iterdir()))


def _git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(("git", "-C", folder, *identity, *words), check=True, capture_output=True)


def runs(store: Path) -> frozenset[str]:
    """Return the trials of which a store has a run; the file has to be whole."""
    if not store.exists():
        return frozenset()
    connection = sqlite3.connect(store)
    try:
        (state,) = connection.execute("PRAGMA integrity_check").fetchone()
        if state != "ok":
            raise ValueError(f"{store}: {state}")
        return frozenset(trial for (trial,) in connection.execute("SELECT trial FROM run"))
    except sqlite3.OperationalError:  # as long as the tables are not there
        return frozenset()
    finally:
        connection.close()


def verdicts(ended: Ended) -> Mapping[str, str]:
    """Return the outcome of each method, or the change of each benchmark; none without a result."""
    try:
        document: dict[str, Any] = json.loads(ended.out)
    except ValueError:
        return {}
    if "methods" in document:
        return {
            method["id"]: str(method.get("outcome", method.get("calls")))
            for method in document["methods"]
        }
    return {benchmark["id"]: benchmark["change"] for benchmark in document["benchmarks"]}


def interrupts(lab: Lab, times: int, command: str) -> Row:
    """Send one or two signals at random moments; the same command goes on."""
    return _disturb(lab, times, command, "interrupt", _some_signals)


def kills(lab: Lab, times: int) -> Row:
    """Kill an audit again and again."""
    return _disturb(lab, times, "abs", "kill -9", lambda: (signal.SIGKILL,))


def _some_signals() -> tuple[int, ...]:
    return tuple(random.choices(SIGNALS, k=random.choice((1, 2))))  # noqa: S311 - any will do


def _disturb(
    lab: Lab, times: int, command: str, name: str, signals: Callable[[], tuple[int, ...]]
) -> Row:
    row = Row(f"{name}, {command}")
    undisturbed, _ = lab.undisturbed(command)
    store = lab.folder / f"{command}-disturbed.sqlite"
    store.unlink(missing_ok=True)
    texts = runs(store)
    while row.times < times:
        after = random.uniform(0.0, 1.1 * undisturbed.seconds)  # noqa: S311 - any moment will do
        sent_signals = signals()
        ended = lab.disturbed(lab.words(command, store), after, sent_signals)
        killed = sent_signals == (signal.SIGKILL,)
        now = runs(store)
        wrong = [
            column
            for column, is_wrong in (
                ("late", ended.seconds > LONGEST_SECONDS),
                ("left", lab.is_something_left(files=not killed)),
                ("lost", not texts <= now),
                ("unclear", not killed and not ended.is_clear),
            )
            if is_wrong
        ]
        row.longest = max(row.longest, ended.seconds)
        row.note(*wrong)
        texts = now
        if ended.code in (0, 5):  # it was done before the signal came: begin anew
            store.unlink()
            texts = frozenset()
        if killed:
            shutil.rmtree(lab.temporary)
            lab.temporary.mkdir()
    last = lab.call(lab.words(command, store))
    row.counts["wrong"] += verdicts(last) != verdicts(undisturbed)
    return row


def two_at_once(lab: Lab, times: int) -> Row:
    """Let two audits share a store."""
    row = Row("two audits on one store")
    expected = verdicts(lab.undisturbed("abs")[0])
    for turn in range(times):
        words = lab.words("abs", lab.folder / f"two-{turn}.sqlite")
        with lab.start(words) as first, lab.start(words) as second:
            answers = [process.communicate(timeout=LIMIT_SECONDS) for process in (first, second)]
        ended = [
            Ended(process.returncode, out, err, 0.0)
            for process, (out, err) in zip((first, second), answers, strict=True)
        ]
        wrong = ["wrong"] if any(verdicts(end) != expected for end in ended) else []
        row.note(*wrong, *(["unclear"] if not all(end.is_clear for end in ended) else []))
    return row


def damaged_pages(lab: Lab, times: int) -> Row:
    """Overwrite a page of the store: the program says so in a line, or has the same verdicts."""
    row = Row("a damaged page of the store")
    undisturbed, store = lab.undisturbed("abs")
    expected = verdicts(undisturbed)
    for turn in range(times):
        damaged = lab.folder / f"damaged-{turn}.sqlite"
        shutil.copy(store, damaged)
        with damaged.open("r+b") as file:
            file.seek(4096 * random.randrange(damaged.stat().st_size // 4096))  # noqa: S311
            file.write(os.urandom(4096))
        ended = lab.call(lab.words("abs", damaged))
        wrong = ["wrong"] if ended.code == 0 and verdicts(ended) != expected else []
        row.note(*wrong, *([] if ended.is_clear else ["unclear"]))
    return row


def full_disks(lab: Lab, times: int) -> Row | None:
    """Fill the disk of store and cache at random moments; None where none can be mounted."""
    row = Row("disk full")
    undisturbed, _ = lab.undisturbed("abs")
    for _ in range(times):
        with tempfile.TemporaryDirectory() as outside, _small_disk(Path(outside)) as place:
            if place is None:
                return None
            words = lab.words("abs", place / "store.sqlite")
            with lab.start(words) as process:
                after = random.uniform(0.0, undisturbed.seconds)  # noqa: S311 - any moment will do
                with suppress(subprocess.TimeoutExpired):
                    process.wait(after)
                _fill(place / "filler")
                out, err = process.communicate(timeout=LIMIT_SECONDS)
            ended = Ended(process.returncode, out, err, 0.0)
            (place / "filler").unlink()
            before = runs(place / "store.sqlite")
            last = lab.call(words)
            checks = [
                ("unclear", not ended.is_clear),
                ("lost", not before <= runs(place / "store.sqlite")),
                ("wrong", verdicts(last) != verdicts(undisturbed)),
            ]
            row.note(*(column for column, is_wrong in checks if is_wrong))
    return row


@contextmanager
def _small_disk(folder: Path) -> Iterator[Path | None]:
    size = f"size={DISK_MEGABYTES}m"
    words = ("mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder))
    if subprocess.run(words, check=False, capture_output=True).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(("umount", "--lazy", str(folder)), check=True)


def _fill(path: Path) -> None:
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1 << 16))


def rows(lab: Lab, times: int, only: str | None) -> Iterator[Row]:
    """Yield what became of each kind of fault."""
    if only in (None, "interrupts"):
        for command in ("abs", "compare", "trace"):
            yield interrupts(lab, times, command)
    if only in (None, "kills"):
        yield kills(lab, times)
    if only in (None, "stores"):
        yield two_at_once(lab, max(1, times // 10))
        yield damaged_pages(lab, times)
    if only in (None, "disks") and (row := full_disks(lab, times)) is not None:
        yield row


def main(arguments: Sequence[str] | None = None) -> int:
    """Cause the faults, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=20, help="faults of each kind (20)")
    parser.add_argument("--only", choices=("interrupts", "kills", "stores", "disks"))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    random.seed(options.seed)
    bad = False
    print(f"| fault | times | {' | '.join(COLUMNS)} | longest end, s |")
    print(f"| --- |{' ---: |' * (len(COLUMNS) + 2)}")
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        for row in rows(Lab.below(Path(folder).resolve()), options.times, options.only):
            print(row, flush=True)
            bad = bad or any(row.counts.values())
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
