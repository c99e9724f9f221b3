"""What the guest's lister says of a suite, as benchmarks."""

import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from auditor.core.errors import SourceUnreadable
from auditor.core.subject import SourceFile, SourceRole
from auditor.core.suite import Benchmark
from runners.jmh.classes import opened

CLASSES = "classes.jsonl"
"""The path of the list of classes among a suite's sources."""

_MODES = ("Throughput", "AverageTime", "SampleTime", "SingleShotTime")
_ALL = "All"


class Entry(msgspec.Struct, frozen=True):
    """A benchmark in one mode, with its author's settings; None where nothing was said."""

    kind: str
    name: str
    reason: str = ""
    mode: str = "Throughput"
    parameters: dict[str, list[str]] | None = None
    threads: int | None = None
    groups: int = 1
    processors: int = 1
    forks: int | None = None
    prepend: tuple[str, ...] | None = None
    warmup_seconds: float | None = None
    warmup_batch: int | None = None
    iteration_seconds: float | None = None
    iteration_batch: int | None = None
    fixtures: tuple[str, ...] | None = None


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What `Benchmark.settings` holds, as JSON.

    `kept`: the author's iteration time and batch size count, not the plan's.
    """

    mode: str
    prepend: tuple[str, ...] = ()
    kept: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """The benchmarks, and the lines of the list that could not be read with the reason."""

    benchmarks: tuple[Benchmark, ...]
    unusable: tuple[tuple[str, str], ...]


def read_entries(data: bytes) -> Listed:
    """Read the lister's file: one benchmark for each choice of parameters, in one mode."""
    decoder = msgspec.json.Decoder(Entry)
    try:
        entries = [decoder.decode(line) for line in data.splitlines()]
    except msgspec.MsgspecError as error:
        raise SourceUnreadable(f"the list of benchmarks cannot be read: {error}") from error
    named: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.kind == "benchmark":
            named.setdefault(entry.name, []).append(entry)
    return Listed(
        tuple(one for modes in named.values() for one in _benchmarks(modes)),
        tuple((entry.name, entry.reason) for entry in entries if entry.kind == "unusable"),
    )


def settings_of(benchmark: Benchmark) -> Settings:
    """Return the author's settings of a benchmark."""
    return msgspec.json.decode(benchmark.settings, type=Settings)


def _benchmarks(modes: list[Entry]) -> Iterator[Benchmark]:
    """A benchmark counts once, whatever number of modes it can be run in."""
    entry = min(modes, key=lambda each: _order(each.mode))
    settings = _settings(entry, [each.mode for each in modes if each is not entry])
    group, _, name = entry.name.rpartition(".")
    threads = _threads(entry)
    choices = entry.parameters or {}
    for values in itertools.product(*choices.values()):
        yield Benchmark(
            group=group,
            name=name,
            parameters=tuple(zip(choices, values, strict=True)),
            threads=threads,
            concurrency=threads if settings.mode == "Throughput" else 1,
            block_seconds=_block_seconds(entry, settings),
            settings=json.dumps(msgspec.to_builtins(settings), sort_keys=True),
        )


def _block_seconds(entry: Entry, settings: Settings) -> float | None:
    timed = settings.kept and settings.mode != "SingleShotTime"
    return entry.iteration_seconds if timed else None


def _order(mode: str) -> int:
    return _MODES.index(mode) if mode in _MODES else len(_MODES)


def _threads(entry: Entry) -> int:
    """Return the number of threads: all processors for -1, and whole groups only."""
    asked = entry.threads if entry.threads is not None else 1
    threads = entry.processors if asked < 1 else asked
    return -(-threads // entry.groups) * entry.groups


def _settings(entry: Entry, others: list[str]) -> Settings:
    why = _why_kept(entry)
    mode = _MODES[0] if entry.mode == _ALL else entry.mode
    notes = []
    if entry.mode == _ALL:
        notes.append(f"the author asks for all modes; it is run in {mode} only")
    if others:
        notes.append(f"run in {mode} only, not in {', '.join(others)}")
    if entry.forks == 0:
        notes.append("the author asks for no fork; it is run in one")
    if why:
        notes.append(f"the author's iteration time and batch size are kept: {why}")
    return Settings(
        mode=mode,
        prepend=entry.prepend or (),
        kept=bool(why),
        notes=tuple(notes),
    )


def _why_kept(entry: Entry) -> str:
    """Say what would mean something else with another length of the iterations."""
    if entry.mode == "SingleShotTime":
        return "an iteration is one call"
    if entry.fixtures is None:
        return "its set-up could not be examined"
    if "Iteration" in entry.fixtures:
        return "set-up runs at each iteration"
    if (entry.iteration_batch or 1) > 1 or (entry.warmup_batch or 1) > 1:
        return "an operation is a batch of calls"
    return ""


def java_sources(parts: Iterable[Path]) -> Iterator[SourceFile]:
    """Read the Java files of folders and source jars; of two with one path the first counts."""
    seen: set[str] = set()
    for part in parts:
        for path, text in _java_files(part):
            if path not in seen:
                seen.add(path)
                yield SourceFile(path=path, unit=part.name, role=SourceRole.LIBRARY, text=text)


def _java_files(part: Path) -> Iterator[tuple[str, bytes]]:
    if part.is_dir():
        for path in sorted(part.rglob("*.java")):
            yield path.relative_to(part).as_posix(), path.read_bytes()
        return
    with opened(part) as jar:
        for name in sorted(jar.namelist()):
            if name.endswith(".java"):
                yield name, jar.read(name)
