"""What JMH prints: each iteration of each fork as it ends, those of warm-up, too."""

import re
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from math import nan
from pathlib import Path

from auditor.core.jobs import HostFacts
from auditor.core.series.printed import PrintedIterations
from auditor.core.series.stored import StoredProcess, StoredRun, StoredVariant
from auditor.core.units import mean_time
from auditor.importers.benchmark_names import distinct_names
from auditor.importers.checking import (
    BrokenFile,
    build_failed_process,
    build_process,
    escape_text,
    make_duplicate_error,
    quoted_name,
)
from auditor.importers.jmh_names import (
    HARNESS,
    MOST_FORKS,
    SINGLE_SHOT,
    is_time,
    list_machine_facts,
    name_of,
    parse_duration,
    to_seconds_per_operation,
    variant_of,
)

_HEADER = re.compile(
    r"# (JMH version|VM version|Warmup|Measurement|Benchmark mode|Benchmark|Parameters|Fork|"
    r"Warmup Fork|Run progress|Run complete|Threads|VM options)[:.] ?(.*)"
)
_START = re.compile(rb"^# (?:JMH version|Benchmark|Run progress|Fork): ", re.MULTILINE)
_ITERATION = re.compile(r"(# Warmup )?Iteration +\d+: (.*)")
_VALUE = re.compile(
    r"(?P<about>≈ ?)?(?P<number>\d[\d.,]*(?:[eE][-+]?\d+)?|10[⁻⁰¹²³⁴-⁹]+|NaN|-?Infinity|-?∞)"
    r"(?: .{0,3}\(99[.,]9%\) \S+)? (?P<unit>[\wµμ]+/\w+)"
)
_RESULT = 'Result "'
_NO_WARMUP = "<none>"
_FAILURE = "<failure>"
_DEAD = "<forked VM failed"
_FORK_NUMBER = re.compile(r"(\d{1,6}) of (\d{1,6})")
_ITERATIONS = re.compile(r"(\d{1,9}) iterations?, (.*?)(?: each)?(?:,.*)?")
_PARAMETER = re.compile(r", (?=[^\s,]+ = )")
_MODES = {
    "Throughput": "thrpt",
    "Average time": "avgt",
    "Sampling time": "sample",
    "Single shot invocation time": SINGLE_SHOT,
}


def matches_format(start: bytes) -> bool:
    """Tell by its beginning whether it is JMH's."""
    return _START.search(start) is not None


@dataclass(slots=True)
class _Fork:
    """A process: what it measured, in the unit of the log."""

    values: "array[float]" = field(default_factory=lambda: array("d"))
    warmups: "array[float] | None" = field(default_factory=lambda: array("d"))
    reason: str = ""
    waits: str = ""
    """The beginning of a line whose value has not come yet: what the benchmark prints does."""

    def record_failure(self, reason: str) -> None:
        self.reason = self.reason or reason


@dataclass(slots=True)
class _LoggedBenchmark:
    """A benchmark of a log with its forks."""

    name: str  # class and method
    iterations: int | None = None  # measured iterations of a fork; None: the log does not say
    seconds: float | None = None  # that an iteration was to last; None: the log does not say
    warmups: int | None = None  # iterations of the warm-up; None: the log does not say
    warmup_seconds: float | None = None
    """That each of these was to last; None: the log does not say."""
    mode: str = ""  # as the log says
    threads: str = ""  # as the log says
    flags: str = ""  # of the JVM, separated by spaces
    parameters: dict[str, str] = field(default_factory=dict)  # value by name
    unit: str = ""  # of the log's values
    fork_count: int = 1  # number of forks
    forks: list[_Fork] = field(default_factory=list)  # those that the log shows, in order

    @property
    def stored_variant(self) -> StoredVariant:
        return variant_of(
            name_of(self.name, self.parameters), self.mode, self.threads, self.flags.split()
        )

    def list_processes(self) -> tuple[StoredProcess, ...]:
        """Return what is there of each fork, and those that the log does not have."""
        stored_processes = [self._build_process(fork) for fork in self.forks]
        missing_forks = range(len(stored_processes) + 1, self.fork_count + 1)
        return (
            *stored_processes,
            *(
                build_failed_process(f"fork {number} of {self.fork_count} is not there")
                for number in missing_forks
            ),
        )

    def _build_process(self, fork: _Fork) -> StoredProcess:
        if fork.waits:
            fork.record_failure(f"no time follows on {fork.waits!r}")
        count = len(fork.values)
        if self.iterations is not None and count < self.iterations:
            fork.record_failure(
                f"{count} of {self.iterations} iterations are there, so the log is cut off"
            )
        if fork.reason or not count:
            return build_failed_process(fork.reason or "it has no iterations")
        mean = mean_time(fork.values, self.unit)
        stored_process = build_process(
            fork.values, mean, warmups=fork.warmups or (), iteration_seconds=self.seconds
        )
        is_warmup_kept = stored_process.is_warmup_kept
        if not fork.warmups and self.warmups is not None:
            is_warmup_kept = self.warmups == 0
        return replace(
            stored_process, warmup_seconds=self.warmup_seconds, is_warmup_kept=is_warmup_kept
        )


def _ignore_iteration(_: PrintedIterations) -> None:
    pass


class JmhLogReader:
    """Takes lines one by one, and tells of each iteration that lasts a time as it is printed."""

    def __init__(self, hear: Callable[[PrintedIterations], None] = _ignore_iteration) -> None:
        """Take who is told."""
        self._hear = hear
        self.facts: dict[str, str] = {}
        self.found: dict[StoredVariant, _LoggedBenchmark] = {}
        self._known: dict[str, str] = {}
        self._benchmark: _LoggedBenchmark | None = None
        self._fork: _Fork | None = None
        self._said = False

    @property
    def is_again(self) -> bool:
        """Tell whether the benchmark that is read now was read before."""
        return self._benchmark is not None and self._benchmark.stored_variant in self.found

    def read_line(self, line: str) -> None:
        """Read a line; raises BrokenFile."""
        if header := _HEADER.match(line):
            self._read_header(header[1], header[2].strip())
        elif line.startswith(_RESULT):
            self._close_benchmark()
        elif self._fork is not None:
            self._read_fork_line(self._fork, line)

    def _read_header(self, key: str, value: str) -> None:
        if key in ("JMH version", "VM version"):
            self.facts.setdefault(key, escape_text(value)[:200])
        elif key in ("Warmup", "Measurement", "Benchmark mode", "Threads", "VM options"):
            self._known[key] = value
        elif key == "Benchmark":
            self._close_benchmark()
            self._benchmark = self._start_benchmark(escape_text(value))
        elif self._benchmark is not None:
            self._read_benchmark_header(self._benchmark, key, value)

    def _start_benchmark(self, name: str) -> _LoggedBenchmark:
        """Return a benchmark with what was said before it: JMH says how, then what."""
        benchmark = _LoggedBenchmark(name)
        kind = self._known.get("Benchmark mode", "").split(",")[0]
        benchmark.mode = _MODES.get(kind, escape_text(kind))
        benchmark.threads = escape_text(self._known.get("Threads", "").partition(" ")[0])
        benchmark.flags = escape_text(self._known.get("VM options", ""))
        if match := _ITERATIONS.fullmatch(self._known.get("Measurement", "")):
            benchmark.iterations = int(match[1])
            benchmark.seconds = parse_duration(match[2]) if benchmark.mode != SINGLE_SHOT else None
        if self._known.get("Warmup") == _NO_WARMUP:
            benchmark.warmups = 0
        elif warm := _ITERATIONS.fullmatch(self._known.get("Warmup", "")):
            benchmark.warmups = int(warm[1])
            benchmark.warmup_seconds = (
                parse_duration(warm[2]) if benchmark.mode != SINGLE_SHOT else None
            )
        self._known = {}
        return benchmark

    def _read_benchmark_header(self, benchmark: _LoggedBenchmark, key: str, value: str) -> None:
        self._fork = None
        if key == "Parameters":
            pairs = [part.partition(" = ") for part in _PARAMETER.split(value[1:-1])]
            benchmark.parameters = {
                escape_text(name): escape_text(parameter_value)
                for name, _, parameter_value in pairs
            }
        elif key == "Fork":
            number = _FORK_NUMBER.match(value)
            benchmark.fork_count = min(int(number[2]), MOST_FORKS) if number else 1
            if number and int(number[1]) != len(benchmark.forks) + 1:
                raise make_duplicate_error(benchmark.stored_variant.name)
            self._fork = _Fork()
            benchmark.forks.append(self._fork)

    def _read_fork_line(self, fork: _Fork, line: str) -> None:
        if self._said and line.strip():
            fork.reason, self._said = f"{fork.reason}: {escape_text(line.strip())[:200]}", False
        elif line.startswith(_DEAD):
            fork.waits = ""
            fork.record_failure(escape_text(line.strip())[:200])
        elif iteration := _ITERATION.match(line):
            if fork.waits:
                fork.record_failure(f"no time follows on {fork.waits!r}")
            fork.waits = line[: iteration.start(2)].strip()
            self._read_value(fork, iteration[2].strip())
        elif fork.waits:
            self._read_value(fork, line.strip())

    def _read_value(self, fork: _Fork, text: str) -> None:
        """Take the value that a line waits for, if it is one and nothing else."""
        if text.startswith(_FAILURE):
            self._said = not fork.reason
            fork.record_failure("an iteration failed")
            fork.waits = ""
        elif value := _VALUE.fullmatch(text):
            is_warmup, fork.waits = fork.waits.startswith("#"), ""
            self._record_value(fork, value, is_warmup=is_warmup)

    def _record_value(self, fork: _Fork, value: re.Match[str], *, is_warmup: bool) -> None:
        benchmark = self._benchmark
        assert benchmark is not None  # noqa: S101 - narrows the type; a fork is of one
        unit = value["unit"]
        if benchmark.unit not in ("", unit):
            raise BrokenFile(
                f"{quoted_name(benchmark.stored_variant.name)} has results in "
                f"{quoted_name(benchmark.unit)} and in {quoted_name(unit)}; give the log of one run"
            )
        benchmark.unit = unit
        number = _parse_number(value)
        self._report_iteration(benchmark, _convert_seconds(number, unit), is_warmup=is_warmup)
        if not is_time(unit):
            return
        if is_warmup and number is None:
            fork.warmups = None
        elif is_warmup:
            if fork.warmups is not None:
                fork.warmups.append(to_seconds_per_operation(number or 0.0, unit))
        elif number is None:
            fork.record_failure(
                f"{value.group()!r} is not a time; choose a smaller unit (-tu ns), or -rf json"
            )
        else:
            fork.values.append(to_seconds_per_operation(number, unit))

    def _report_iteration(
        self, benchmark: _LoggedBenchmark, seconds: float, *, is_warmup: bool
    ) -> None:
        lasts = benchmark.warmup_seconds if is_warmup else benchmark.seconds
        if lasts is not None:
            self._hear(
                PrintedIterations(
                    harness=HARNESS,
                    benchmark=distinct_names([*self.found, benchmark.stored_variant])[
                        benchmark.stored_variant
                    ],
                    fork=len(benchmark.forks),
                    seconds=seconds,
                    lasts=lasts,
                    warmups=benchmark.warmups,
                    warmup_seconds=benchmark.warmup_seconds,
                )
            )

    def _close_benchmark(self) -> None:
        """End a benchmark: what follows on its result is a summary."""
        benchmark, self._benchmark, self._fork = self._benchmark, None, None
        if benchmark is None:
            return
        if benchmark.stored_variant in self.found:
            raise make_duplicate_error(benchmark.stored_variant.name)
        self.found[benchmark.stored_variant] = benchmark

    def build_run(self, path: Path) -> tuple[StoredRun, tuple[str, ...]]:
        """Return what all lines said; raises BrokenFile."""
        self._close_benchmark()
        names = distinct_names(self.found)
        timed = {
            key: benchmark
            for key, benchmark in self.found.items()
            if not benchmark.unit or is_time(benchmark.unit)
        }
        jdk, jmh = (self.facts.get(item, "unknown") for item in ("VM version", "JMH version"))
        run = StoredRun(
            name=path.name,
            host=HostFacts("unknown", list_machine_facts(jdk, jmh)),
            processes={
                names[key]: logged_benchmark.list_processes()
                for key, logged_benchmark in timed.items()
            },
            variants={names[key]: key for key in timed},
            units={names[key]: item.unit for key, item in timed.items()},
        )
        return run, tuple(names[key] for key in self.found if key not in timed)


def _convert_seconds(number: float | None, unit: str) -> float:
    """Return the seconds of an operation, of how many there are in a time, too; NaN: none."""
    if number is not None and is_time(unit):
        return to_seconds_per_operation(number, unit)
    many, _, length = unit.partition("/")
    if many != "ops" or not number or not is_time(turned := f"{length}/op"):
        return nan
    return to_seconds_per_operation(1 / number, turned)


def _parse_number(value: re.Match[str]) -> float | None:
    """Return a value, None for an order of magnitude and for what is no number.

    Languages that have a comma for the point have it here, too.
    """
    text = value["number"].replace(",", ".")
    if value["about"] or text.count(".") > 1 or not text[0].isdecimal():
        return None
    try:
        return float(text)
    except ValueError:
        return None


def parse_run(lines: Iterable[bytes], path: Path) -> tuple[StoredRun, tuple[str, ...]]:
    """Return the run, and the benchmarks that measure no time; raises BrokenFile."""
    log = JmhLogReader()
    for line in lines:
        log.read_line(line.decode(errors="replace").rstrip("\r\n"))
    return log.build_run(path)
