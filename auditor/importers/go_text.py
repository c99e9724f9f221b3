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
from auditor.importers.checking import (
    BrokenFile,
    build_failed_process,
    build_process,
    escape_text,
    format_fact,
    quoted_name,
)

HARNESS = "go"
_UNIT = "ns/op"
_FACT = re.compile(r"(goos|goarch|cpu|pkg): (\S.*)")
_NAME = r"(Benchmark(?:[^\sa-z]\S*)?)"
_RESULT = re.compile(_NAME + r"(?:\s+(\d+)\s+(\S.*))?")
_NAME_LINE = re.compile(r"Benchmark\S*")
"""A line of `-v` and `-json`: a name alone, which has no number of processors."""
_RESULT_START = re.compile(_NAME + r"( *\t)?")
_REST = re.compile(r"(?<!\d)(\d++)\t(.*)")
_ENDED = re.compile(r"--- (FAIL|SKIP): " + _NAME)
_OVER = re.compile(r"(ok|FAIL) *\t\S+")
_PROCESSORS = re.compile(r"(.+)-(\d+)")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|Inf|NaN)", re.IGNORECASE)
_LINE = rb"^Benchmark\S*\s+\d+\s+\S+ \S+/\S+"
_START = re.compile(rb"^(?:goos|goarch|pkg): \S|" + _LINE, re.MULTILINE)
_LINES = re.compile(_LINE, re.MULTILINE)
_EVENT = "Action"


def matches_format(start: bytes) -> bool:
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
class _BenchmarkResults:
    """What is there of a benchmark, with the unit that is looked for and without."""

    values: "array[float]" = field(default_factory=lambda: array("d"))
    has_other_units: bool = False
    failure: str = ""
    skipped: bool = False


def _ignore_iteration(_: PrintedIterations) -> None:
    pass


class GoPackageReader:
    """Takes the lines of a package one by one; a name has the number of processors at its end.

    `hear` is told of each line of results as of an iteration.
    """

    def __init__(
        self,
        results: dict[tuple[str, str], _BenchmarkResults],
        facts: dict[str, str],
        hear: Callable[[PrintedIterations], None] = _ignore_iteration,
    ) -> None:
        """Take where results are kept, and who is told."""
        self.name = ""
        self._results = results
        self._facts = facts
        self._hear = hear
        self._begun = ""
        self.listed: set[str] = set()
        """Names that stood alone on a line, so without the number of processors."""

    def read_line(self, line: str) -> None:
        """Read a line; what the benchmarks themselves print is none of ours."""
        if match := _FACT.fullmatch(line):
            self._record_fact(match[1], escape_text(match[2].strip()))
        elif self._record_result(line):
            self._begun = ""
        elif ended := _ENDED.search(line):
            self._record_end(escape_text(ended[2]), is_failure=ended[1] == "FAIL")
        elif _OVER.match(line):
            if line.startswith("FAIL") and self._begun:
                self._record_end(self._begun, is_failure=True)
            self._begun = ""
        elif _NAME_LINE.fullmatch(line):
            self.listed.add(escape_text(line))
        elif name_match := _find_match(_RESULT_START, line):
            self._begun = escape_text(name_match[1])

    def _record_fact(self, key: str, value: str) -> None:
        if key == "pkg":
            self.name, self._begun = value, ""
        else:
            self._facts.setdefault(key, value)

    def _record_result(self, line: str) -> bool:
        """Keep the values of a line of results; what was printed may have cut it in two."""
        line_match = _find_match(_RESULT, line)
        rest = _REST.search(line) if self._begun and line_match is None else None
        match = line_match or rest
        pairs = _parse_values(match[match.lastindex or 0]) if match else []
        if match is None or not pairs:
            return False
        results = self._find_results(escape_text(line_match[1]) if line_match else self._begun)
        units = [unit for unit, _ in pairs]
        if doubled := [unit for unit in units if units.count(unit) > 1]:
            results.failure = f"a line has two values in {doubled[0]}; let go test write it again"
        elif _UNIT not in units:
            results.has_other_units = True
        elif (time := dict(pairs)[_UNIT]) < 0:
            raise BrokenFile(f"{quoted_name(line[:60])} has a negative time; run go test again")
        else:
            seconds = seconds_per_operation(time, _UNIT)
            results.values.append(seconds)
            name, times = (line_match[1], line_match[2]) if line_match else (self._begun, match[1])
            self._report_iteration(escape_text(name), seconds, float(times) * seconds)
        return True

    def _report_iteration(self, name: str, seconds: float, lasted: float) -> None:
        named = f"{self.name}.{name}" if self.name else name
        self._hear(
            PrintedIterations(
                harness=HARNESS, benchmark=named, fork=1, seconds=seconds, lasts=lasted
            )
        )

    def _record_end(self, name: str, *, is_failure: bool) -> None:
        results = self._find_results(name)
        if is_failure:
            results.failure = "it failed when go test ran it"
        else:
            results.skipped = True
        self._begun = ""

    def _find_results(self, name: str) -> _BenchmarkResults:
        return self._results.setdefault((self.name, name), _BenchmarkResults())


def _find_match(name: re.Pattern[str], line: str) -> re.Match[str] | None:
    """Return the first name with what has to be behind it; each part of the line is read once."""
    return next((match for match in name.finditer(line) if match[2]), None)


def _parse_values(text: str) -> list[tuple[str, float]]:
    """Return units with their values, none where something else stands between."""
    words = text.split()
    if len(words) % 2 or not all(map(_NUMBER.fullmatch, words[::2])):
        return []
    return [*zip(words[1::2], map(float, words[::2]), strict=True)]


def parse_run(lines: Iterable[bytes], path: Path) -> tuple[StoredRun, tuple[str, ...]]:
    """Return the run, and the benchmarks that measure no time; raises BrokenFile."""
    results: dict[tuple[str, str], _BenchmarkResults] = {}
    facts: dict[str, str] = {}
    package = GoPackageReader(results, facts)
    for line in lines:
        package.read_line(line.decode(errors="replace").rstrip("\r\n"))
    return _build_run(results, facts, package.listed, path)


def parse_events(lines: Iterable[bytes], path: Path) -> tuple[StoredRun, tuple[str, ...]]:
    """Return the same of events, which may cut lines anywhere and mix those of packages."""
    results: dict[tuple[str, str], _BenchmarkResults] = {}
    facts: dict[str, str] = {}
    packages: dict[str, tuple[GoPackageReader, list[str]]] = {}
    for name, output in _read_outputs(lines):
        if name not in packages:
            packages[name] = (GoPackageReader(results, facts), [])
        package, fragments = packages[name]
        package.name = package.name or name
        fragments.append(output)
        if output.endswith("\n"):
            for line in "".join(fragments).splitlines():
                package.read_line(line)
            fragments.clear()
    plain_names = {name for package, _ in packages.values() for name in package.listed}
    return _build_run(results, facts, plain_names, path)


def _read_outputs(lines: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """Yield packages and what they printed; what is no event comes from the compiler."""
    for number, line in enumerate(lines, 1):
        if not line.startswith(b"{"):
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BrokenFile(f"line {number} is not JSON, or cut off; copy it again") from error
        output = event.get("Output")
        if isinstance(output, str):
            yield escape_text(str(event.get("Package") or "")), output


def _build_run(
    results: dict[tuple[str, str], _BenchmarkResults],
    facts: dict[str, str],
    plain_names: set[str],
    path: Path,
) -> tuple[StoredRun, tuple[str, ...]]:
    measured = {
        name for (_, name), lines in results.items() if lines.values or lines.has_other_units
    }
    ending = _find_common_ending(measured)
    is_processors = _is_processors(ending, measured, plain_names) if ending else False
    names = {
        (package, name): Benchmark(
            group=package, name=name.removesuffix(ending) if is_processors else name
        ).id
        for package, name in results
    }
    left_out = [names[key] for key, lines in results.items() if _measures_no_time(lines)]
    results_by_name: dict[str, _BenchmarkResults] = {}
    for key, lines in results.items():
        if not _measures_no_time(lines):
            merged = results_by_name.setdefault(names[key], lines)
            merged.failure = merged.failure or lines.failure
            merged.skipped = merged.skipped or lines.skipped
            if merged is not lines:
                merged.values.extend(lines.values)
    system, arch = (facts.get(fact_name) for fact_name in ("goos", "goarch"))
    host = {
        "arch": format_fact(arch),
        "cpu": format_fact(facts.get("cpu")),
        "kernel": format_fact(system),
    }
    run = StoredRun(
        name=path.name,
        host=HostFacts("unknown", tuple(sorted(host.items()))),
        processes={name: (_build_process(lines),) for name, lines in results_by_name.items()},
        ending=ending if is_processors is None else "",
        has_packages=all(package for package, _ in results),
        caveats=() if all(package for package, _ in results) else (_WITHOUT_PACKAGES,),
    )
    return run, tuple(left_out)


_WITHOUT_PACKAGES = Caveat(
    "no-packages",
    "results have no `pkg:` line, so benchmarks of the same name in two packages count as one; "
    "keep these lines of go test",
)


def _find_common_ending(names: set[str]) -> str:
    """Return the number that all names end in, such as "-8"; empty where there is none."""
    ends = {match[2] if (match := _PROCESSORS.fullmatch(name)) else "" for name in names}
    return f"-{ends.pop()}" if len(ends) == 1 and "" not in ends else ""


def _is_processors(ending: str, names: set[str], plain_names: set[str]) -> bool | None:
    """Tell whether the number that all names end in is that of processors; None: who knows.

    The name of a function has no "-". That of a sub-benchmark may have any end, and go test writes
    no number where there is one processor.
    """
    if any("/" not in name for name in names):
        return True
    if not names.isdisjoint(plain_names):
        return False
    return True if {name.removesuffix(ending) for name in names} & plain_names else None


def _measures_no_time(kept_lines: _BenchmarkResults) -> bool:
    return (
        kept_lines.has_other_units
        and not kept_lines.values
        and not kept_lines.failure
        and not kept_lines.skipped
    )


def _build_process(kept_lines: _BenchmarkResults) -> StoredProcess:
    if kept_lines.failure:
        return build_failed_process(kept_lines.failure)
    if kept_lines.values:
        return build_process(kept_lines.values, fmean(kept_lines.values))
    return StoredProcess(failure=Skipped("it skips itself"))
