"""What `go test -bench` prints, as it is or as events of `-json`: a process for each package."""

import json
import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from auditor.core.caveats import Caveat
from auditor.core.jobs import HostFacts
from auditor.core.outcome import Skipped
from auditor.core.series.printed import PrintedIterations
from auditor.core.series.stored import StoredProcess, StoredRun
from auditor.core.suite import Benchmark
from auditor.core.units import seconds_per_operation
from auditor.importers.checking import Broken, clean, fact, failed, process, quoted_name

HARNESS = "go"
_UNIT = "ns/op"
_FACT = re.compile(r"(goos|goarch|cpu|pkg): (\S.*)")
_NAME = r"(Benchmark(?:[^\sa-z]\S*)?)"
_RESULT = re.compile(_NAME + r"(?:\s+(\d+)\s+(\S.*))?")
_LISTED = re.compile(r"Benchmark\S*")
"""A line of `-v` and `-json`: a name alone, which has no number of processors."""
_BEGUN = re.compile(_NAME + r"( *\t)?")
_REST = re.compile(r"(?<!\d)(\d++)\t(.*)")
_ENDED = re.compile(r"--- (FAIL|SKIP): " + _NAME)
_OVER = re.compile(r"(ok|FAIL) *\t\S+")
_PROCESSORS = re.compile(r"(.+)-(\d+)")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|Inf|NaN)", re.IGNORECASE)
_LINE = rb"^Benchmark\S*\s+\d+\s+\S+ \S+/\S+"
_START = re.compile(rb"^(?:goos|goarch|pkg): \S|" + _LINE, re.MULTILINE)
_LINES = re.compile(_LINE, re.MULTILINE)
_EVENT = "Action"


def is_mine(start: bytes) -> bool:
    """Tell by its beginning whether it is Go's, as text."""
    return _START.search(start) is not None


def has_results(start: bytes) -> bool:
    """Tell by its beginning whether it has results, which a table of benchstat has not."""
    return _LINES.search(start) is not None or is_event(start)


def is_event(start: bytes) -> bool:
    """Tell by its beginning whether it is Go's, as events."""
    try:
        event = json.loads(start.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(event, dict) and _EVENT in event


@dataclass(slots=True)
class _Kept:
    """What is there of a benchmark, with the unit that is looked for and without."""

    values: "array[float]" = field(default_factory=lambda: array("d"))
    others: bool = False
    failure: str = ""
    skipped: bool = False


def _unheard(_: PrintedIterations) -> None:
    pass


class GoPackageReader:
    """Takes the lines of a package one by one; a name has the number of processors at its end.

    `hear` is told of each line of results as of an iteration.
    """

    def __init__(
        self,
        found: dict[tuple[str, str], _Kept],
        facts: dict[str, str],
        hear: Callable[[PrintedIterations], None] = _unheard,
    ) -> None:
        """Take where results are kept, and who is told."""
        self.name = ""
        self._found = found
        self._facts = facts
        self._hear = hear
        self._begun = ""
        self.listed: set[str] = set()
        """Names that stood alone on a line, so without the number of processors."""

    def take(self, line: str) -> None:
        """Read a line; what the benchmarks themselves print is none of ours."""
        if match := _FACT.fullmatch(line):
            self._fact(match[1], clean(match[2].strip()))
        elif self._result(line):
            self._begun = ""
        elif ended := _ENDED.search(line):
            self._ended(clean(ended[2]), is_failure=ended[1] == "FAIL")
        elif _OVER.match(line):
            if line.startswith("FAIL") and self._begun:
                self._ended(self._begun, is_failure=True)
            self._begun = ""
        elif _LISTED.fullmatch(line):
            self.listed.add(clean(line))
        elif begun := _first(_BEGUN, line):
            self._begun = clean(begun[1])

    def _fact(self, key: str, value: str) -> None:
        if key == "pkg":
            self.name, self._begun = value, ""
        else:
            self._facts.setdefault(key, value)

    def _result(self, line: str) -> bool:
        """Keep the values of a line of results; what was printed may have cut it in two."""
        whole = _first(_RESULT, line)
        rest = _REST.search(line) if self._begun and whole is None else None
        match = whole or rest
        pairs = _values(match[match.lastindex or 0]) if match else []
        if match is None or not pairs:
            return False
        mine = self._of(clean(whole[1]) if whole else self._begun)
        units = [unit for unit, _ in pairs]
        if doubled := [unit for unit in units if units.count(unit) > 1]:
            mine.failure = f"a line has two values in {doubled[0]}; let go test write it again"
        elif _UNIT not in units:
            mine.others = True
        elif (time := dict(pairs)[_UNIT]) < 0:
            raise Broken(f"{quoted_name(line[:60])} has a negative time; run go test again")
        else:
            seconds = seconds_per_operation(time, _UNIT)
            mine.values.append(seconds)
            name, times = (whole[1], whole[2]) if whole else (self._begun, match[1])
            self._told(clean(name), seconds, float(times) * seconds)
        return True

    def _told(self, name: str, seconds: float, lasted: float) -> None:
        named = f"{self.name}.{name}" if self.name else name
        self._hear(
            PrintedIterations(
                harness=HARNESS, benchmark=named, fork=1, seconds=seconds, lasts=lasted
            )
        )

    def _ended(self, name: str, *, is_failure: bool) -> None:
        mine = self._of(name)
        if is_failure:
            mine.failure = "it failed when go test ran it"
        else:
            mine.skipped = True
        self._begun = ""

    def _of(self, name: str) -> _Kept:
        return self._found.setdefault((self.name, name), _Kept())


def _first(name: re.Pattern[str], line: str) -> re.Match[str] | None:
    """Return the first name with what has to be behind it; each part of the line is read once."""
    return next((match for match in name.finditer(line) if match[2]), None)


def _values(written: str) -> list[tuple[str, float]]:
    """Return units with their values, none where something else stands between."""
    words = written.split()
    if len(words) % 2 or not all(map(_NUMBER.fullmatch, words[::2])):
        return []
    return [*zip(words[1::2], map(float, words[::2]), strict=True)]


def read(lines: Iterable[bytes], path: Path) -> tuple[StoredRun, tuple[str, ...]]:
    """Return the run, and the benchmarks that measure no time; raises Broken."""
    found: dict[tuple[str, str], _Kept] = {}
    facts: dict[str, str] = {}
    package = GoPackageReader(found, facts)
    for line in lines:
        package.take(line.decode(errors="replace").rstrip("\r\n"))
    return _run(found, facts, package.listed, path)


def read_events(lines: Iterable[bytes], path: Path) -> tuple[StoredRun, tuple[str, ...]]:
    """Return the same of events, which may cut lines anywhere and mix those of packages."""
    found: dict[tuple[str, str], _Kept] = {}
    facts: dict[str, str] = {}
    packages: dict[str, tuple[GoPackageReader, list[str]]] = {}
    for name, output in _outputs(lines):
        if name not in packages:
            packages[name] = (GoPackageReader(found, facts), [])
        package, begun = packages[name]
        package.name = package.name or name
        begun.append(output)
        if output.endswith("\n"):
            for line in "".join(begun).splitlines():
                package.take(line)
            begun.clear()
    listed = {name for package, _ in packages.values() for name in package.listed}
    return _run(found, facts, listed, path)


def _outputs(lines: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """Yield packages and what they printed; what is no event comes from the compiler."""
    for number, line in enumerate(lines, 1):
        if not line.startswith(b"{"):
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise Broken(f"line {number} is not JSON, or cut off; copy it again") from error
        output = event.get("Output")
        if isinstance(output, str):
            yield clean(str(event.get("Package") or "")), output


def _run(
    found: dict[tuple[str, str], _Kept], facts: dict[str, str], listed: set[str], path: Path
) -> tuple[StoredRun, tuple[str, ...]]:
    measured = {
        name
        for (_, name), kept_benchmark in found.items()
        if kept_benchmark.values or kept_benchmark.others
    }
    ending = _ending(measured)
    is_processors = _is_processors(ending, measured, listed) if ending else False
    names = {
        (package, name): Benchmark(
            group=package, name=name.removesuffix(ending) if is_processors else name
        ).id
        for package, name in found
    }
    left_out = [
        names[key] for key, kept_benchmark in found.items() if _measures_no_time(kept_benchmark)
    ]
    kept: dict[str, _Kept] = {}
    for key, kept_lines in found.items():
        if not _measures_no_time(kept_lines):
            mine = kept.setdefault(names[key], kept_lines)
            mine.failure, mine.skipped = (
                mine.failure or kept_lines.failure,
                mine.skipped or kept_lines.skipped,
            )
            if mine is not kept_lines:
                mine.values.extend(kept_lines.values)
    system, arch = (facts.get(one) for one in ("goos", "goarch"))
    host = {"arch": fact(arch), "cpu": fact(facts.get("cpu")), "kernel": fact(system)}
    run = StoredRun(
        name=path.name,
        host=HostFacts("unknown", tuple(sorted(host.items()))),
        processes={name: (_process(kept_benchmark),) for name, kept_benchmark in kept.items()},
        ending=ending if is_processors is None else "",
        has_packages=all(package for package, _ in found),
        caveats=() if all(package for package, _ in found) else (_WITHOUT_PACKAGES,),
    )
    return run, tuple(left_out)


_WITHOUT_PACKAGES = Caveat(
    "no-packages",
    "results have no `pkg:` line, so benchmarks of the same name in two packages count as one; "
    "keep these lines of go test",
)


def _ending(names: set[str]) -> str:
    """Return the number that all names end in, such as "-8"; empty where there is none."""
    ends = {match[2] if (match := _PROCESSORS.fullmatch(name)) else "" for name in names}
    return f"-{ends.pop()}" if len(ends) == 1 and "" not in ends else ""


def _is_processors(ending: str, names: set[str], listed: set[str]) -> bool | None:
    """Tell whether the number that all names end in is that of processors; None: who knows.

    The name of a function has no "-". That of a sub-benchmark may have any end, and go test writes
    no number where there is one processor.
    """
    if any("/" not in name for name in names):
        return True
    if not names.isdisjoint(listed):
        return False
    return True if {name.removesuffix(ending) for name in names} & listed else None


def _measures_no_time(kept_lines: _Kept) -> bool:
    return (
        kept_lines.others
        and not kept_lines.values
        and not kept_lines.failure
        and not kept_lines.skipped
    )


def _process(kept_lines: _Kept) -> StoredProcess:
    if kept_lines.failure:
        return failed(kept_lines.failure)
    if kept_lines.values:
        return process(kept_lines.values, fmean(kept_lines.values))
    return StoredProcess(failure=Skipped("it skips itself"))
