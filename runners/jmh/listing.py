"""What the guest's lister says of a suite, as benchmarks."""

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import msgspec

from auditor.core.errors import SourceUnreadable
from auditor.core.subject import SourceFile, SourceRole
from auditor.core.suite import Benchmark, IterationSettings
from runners.jmh.classes import is_benchmark, open_jar

CLASSES = "classes.jsonl"
"""The path of the list of classes among a suite's sources."""

SINGLE_SHOT = "SingleShotTime"
_MODES = ("Throughput", "AverageTime", "SampleTime", SINGLE_SHOT)
_ALL = "All"
Number = TypeVar("Number", int, float)
_JMH = ("org/openjdk/jmh/", "joptsimple/")
"""JMH and the one library that only it uses; its other one, commons-math, may be the subject."""
_LONGER_SINCE = (1, 21)
"""The first version of JMH whose iterations last ten seconds, not one, unless something is said."""
_OF_OLD = IterationSettings(
    warmup_iterations=20,
    warmup_seconds=1.0,
    measurement_iterations=20,
    measurement_seconds=1.0,
    forks=10,
)
_OF_NOW = IterationSettings(
    warmup_iterations=5,
    warmup_seconds=10.0,
    measurement_iterations=5,
    measurement_seconds=10.0,
    forks=5,
)
"""What JMH does where nothing is said, before and since (`Defaults`)."""


class ListingEntry(msgspec.Struct, frozen=True):
    """A benchmark in one mode, with its author's settings; None: the author says nothing."""

    kind: str  # "benchmark" or "unusable"
    name: str  # class and method
    reason: str = ""  # why it cannot be read; empty: it can
    mode: str = "Throughput"  # of JMH
    parameters: dict[str, list[str]] | None = None  # values of each parameter
    threads: int | None = None  # that run it at once
    groups: int = 1  # threads of its group
    processors: int = 1  # of the machine
    forks: int | None = None  # processes
    jvm: str | None = None  # the author's choice
    prepend: tuple[str, ...] | None = None  # options put before those of the JVM
    jvm_arguments: tuple[str, ...] | None = None  # in place of those of JMH's own JVM
    append: tuple[str, ...] | None = None  # options put behind them
    warmups: int | None = None  # iterations of the warm-up
    iterations: int | None = None  # measured iterations
    warmup_seconds: float | None = None  # of an iteration of the warm-up
    warmup_batch: int | None = None  # calls of the benchmark in an operation of the warm-up
    iteration_seconds: float | None = None  # of a measured iteration
    iteration_batch: int | None = None  # calls of the benchmark in a measured operation
    fixtures: tuple[str, ...] | None = None  # set-up and tear-down around iterations or calls


class JmhSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What `Benchmark.settings` holds, as JSON."""

    mode: str
    prepend: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    """The JVM's behind `prepend`, those of the author that follow them included."""
    jvm: str = ""
    """The program of the author's JVM; empty: the one of JMH."""


@dataclass(frozen=True, slots=True)
class SuiteListing:
    """The benchmarks, and the lines of the list that could not be read with the reason."""

    benchmarks: tuple[Benchmark, ...]
    unusable: tuple[tuple[str, str], ...]


def read_entries(data: bytes, jmh: str) -> SuiteListing:
    """Read the lister's file: one benchmark for each choice of parameters, in one mode.

    `jmh` is its version, which decides how long an iteration lasts whose author says nothing.
    """
    decoder = msgspec.json.Decoder(ListingEntry)
    try:
        entries = [decoder.decode(line) for line in data.splitlines()]
    except msgspec.MsgspecError as error:
        raise SourceUnreadable(f"the list of benchmarks cannot be read: {error}") from error
    named: dict[str, list[ListingEntry]] = {}
    for entry in entries:
        if entry.kind == "benchmark":
            named.setdefault(entry.name, []).append(entry)
    return SuiteListing(
        tuple(benchmark for modes in named.values() for benchmark in _make_benchmarks(modes, jmh)),
        tuple((entry.name, entry.reason) for entry in entries if entry.kind == "unusable"),
    )


def parse_settings(benchmark: Benchmark) -> JmhSettings:
    """Return the author's settings of a benchmark."""
    return msgspec.json.decode(benchmark.settings, type=JmhSettings)


def _make_benchmarks(modes: list[ListingEntry], jmh: str) -> Iterator[Benchmark]:
    """A benchmark counts once, whatever number of modes it can be run in."""
    entry = min(modes, key=lambda listing_entry: _rank_mode(listing_entry.mode))
    mode = _MODES[0] if entry.mode == _ALL else entry.mode
    settings = JmhSettings(
        mode=mode,
        prepend=entry.prepend or (),
        arguments=(*(entry.jvm_arguments or ()), *(entry.append or ())),
        jvm=entry.jvm or "",
    )
    other_modes = [listing_entry.mode for listing_entry in modes if listing_entry is not entry]
    keep_reason = "" if entry.mode == SINGLE_SHOT else _explain_fixed_block(entry)
    configured = _derive_configuration(entry, jmh)
    group, _, name = entry.name.rpartition(".")
    threads = _count_threads(entry)
    choices = entry.parameters or {}
    for values in itertools.product(*choices.values()):
        yield Benchmark(
            group=group,
            name=name,
            parameters=tuple(zip(choices, values, strict=True)),
            threads=threads,
            concurrency=threads if mode == "Throughput" else 1,
            block_seconds=configured.measurement_seconds if keep_reason else None,
            fixed_length_reason=keep_reason,
            configured=configured,
            notes=(*_list_omitted_modes(entry, mode, other_modes), *_list_notes(entry)),
            settings=json.dumps(msgspec.to_builtins(settings), sort_keys=True),
        )


def _derive_configuration(entry: ListingEntry, jmh: str) -> IterationSettings:
    """Return what JMH itself would do; of single shots it warms up none, and measures one."""
    usual = _select_defaults(jmh)
    if entry.mode == SINGLE_SHOT:
        usual = replace(usual, warmup_iterations=0, measurement_iterations=1)
    value = 0.0 if entry.mode == SINGLE_SHOT else 1.0
    return IterationSettings(
        warmup_iterations=_choose_value(entry.warmups, usual.warmup_iterations),
        warmup_seconds=value * _choose_value(entry.warmup_seconds, usual.warmup_seconds),
        measurement_iterations=_choose_value(entry.iterations, usual.measurement_iterations),
        measurement_seconds=value
        * _choose_value(entry.iteration_seconds, usual.measurement_seconds),
        forks=max(1, _choose_value(entry.forks, usual.forks)),
    )


def _choose_value(explicit_value: Number | None, usual: Number) -> Number:
    return usual if explicit_value is None else explicit_value


def _select_defaults(jmh: str) -> IterationSettings:
    match = re.match(r"(\d+)\.(\d+)", jmh)
    return _OF_OLD if match and (int(match[1]), int(match[2])) < _LONGER_SINCE else _OF_NOW


def _rank_mode(mode: str) -> int:
    return _MODES.index(mode) if mode in _MODES else len(_MODES)


def _count_threads(entry: ListingEntry) -> int:
    """Return the number of threads: all processors for -1, and whole groups only."""
    requested_threads = entry.threads if entry.threads is not None else 1
    threads = entry.processors if requested_threads < 1 else requested_threads
    return -(-threads // entry.groups) * entry.groups


def _list_omitted_modes(entry: ListingEntry, mode: str, other_modes: list[str]) -> Iterator[str]:
    if entry.mode == _ALL:
        yield f"the author asks for all modes; only {mode} ran"
    if other_modes:
        yield f"only {mode} ran, not {', '.join(other_modes)}"


def _list_notes(entry: ListingEntry) -> Iterator[str]:
    if entry.forks == 0:
        yield "the author asks for no fork; it is run in one"
    if entry.mode == SINGLE_SHOT:
        calls = entry.iteration_batch or 1
        description = f"a batch of {calls} calls" if calls > 1 else "one call"
        yield (
            f"an iteration is {description}, however long that takes; how many there are, and how "
            "many warm up before them, is as planned, not as written"
        )


def _explain_fixed_block(entry: ListingEntry) -> str:
    """Say what would mean something else with another length of the iterations."""
    if entry.fixtures is None:
        return "its set-up could not be examined"
    if "Iteration" in entry.fixtures:
        return "set-up runs at each iteration"
    if (entry.iteration_batch or 1) > 1 or (entry.warmup_batch or 1) > 1:
        return "an operation is a batch of calls"
    return ""


def filter_library_lines(classes: bytes, benchmarks: frozenset[str]) -> bytes:
    """Leave out of a list of classes those of the suite and of JMH, where all are in one jar."""
    lines = classes.splitlines(keepends=True)
    return b"".join(line for line in lines if _is_library(json.loads(line), benchmarks))


def _is_library(line: Mapping[str, str], benchmarks: frozenset[str]) -> bool:
    name = line.get("owner", line.get("path", "")).replace(".", "/")
    return not name.startswith(_JMH) and not is_benchmark(f"{name}.class", benchmarks)


def read_java_sources(parts: Iterable[Path]) -> Iterator[SourceFile]:
    """Read the Java files of folders and source jars; of two with one path the first counts."""
    unique_paths: set[str] = set()
    for part in parts:
        for path, text in _java_files(part):
            if path not in unique_paths:
                unique_paths.add(path)
                yield SourceFile(path=path, unit=part.name, role=SourceRole.LIBRARY, text=text)


def _java_files(part: Path) -> Iterator[tuple[str, bytes]]:
    if part.is_dir():
        for path in sorted(part.rglob("*.java")):
            yield path.relative_to(part).as_posix(), path.read_bytes()
        return
    with open_jar(part) as jar:
        for name in sorted(jar.namelist()):
            if name.endswith(".java"):
                yield name, jar.read(name)
