"""How many methods of suites that nobody tuned for does an audit decide, and in what time?

Each suite of `decided.json` is audited with the product's defaults, in a store and a cache of its
own. Then its harness runs it once with its own defaults: `go test -bench . -benchtime 1s`,
`pytest --benchmark-only`, JMH as the authors configured it. For each suite the table has the time,
the decided methods, the reasons of the others, and the time beside the plain run. Where a pair has
a sampled share and an injected slowdown, both verdicts are compared. The exit code is 1 if a goal
is missed.

    python benchmarks/decided.py --only cast --only slice --limit-minutes 5

A plain run that reaches the limit is stopped, and its time is extrapolated from its progress (~).
"""

import argparse
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from abs_cost import UNDECIDED
from sampled_shares import module_folder

BENCHMARKS = Path(__file__).parent
ROOT = BENCHMARKS.parent
SUITES = BENCHMARKS / "decided.json"
DECIDED_IN_TOTAL, DECIDED_IN_EACH, AGREEMENT = 0.95, 0.9, 0.98
MEDIAN_SECONDS = 240
COST = {"go": 3.0, "pytest": 3.0, "jmh": 1.0}
"""The most times a plain run that an audit may take, by harness."""
GRACE_SECONDS = 60
"""How long a process has to end after an interrupt."""
REASONS = 5
"""How many reasons of undecided methods are printed for each suite."""
GO_RESULT = re.compile(r"^Benchmark\S*\s+\d+\s", re.MULTILINE)
PYTEST_RESULT = re.compile(r"(?:PASSED|FAILED|ERROR)\s+\[\s*(\d+)%\]")
JMH_PROGRESS = re.compile(r"^# Run progress: ([\d.]+)% complete", re.MULTILINE)
JMH_EXPECTED = re.compile(r"complete, ETA (?:(\d+)\+)?(\d\d):(\d\d):(\d\d)")
EXPECTED_TIME = re.compile(r"expected-time\]: (?:.*; )?expected (.+)")
DURATION = re.compile(r"(?:(\d+) h )?(?:(\d+) min|(\d+) s)")
WITHIN_RANGE = 0.9
"""Part of the suites whose audit has to take as long as it was expected to."""
LEAST_PROGRESS = 0.05
"""The least part of a JMH run that tells its time better than JMH's own first estimate."""


@dataclass(frozen=True, slots=True)
class Plain:
    """One run of a suite by its harness alone."""

    seconds: float
    extrapolated: bool  # True where the run was stopped and its time computed from its progress

    def __str__(self) -> str:
        """Return the minutes, with a ~ where they are extrapolated."""
        return f"{'~' if self.extrapolated else ''}{self.seconds / 60:.1f} min"


@dataclass(slots=True)
class Summary:
    """What an audit decided."""

    methods: int = 0
    decided: int = 0
    reasons: Counter[str] = field(default_factory=Counter)  # undecided methods by reason
    by_share: int = 0  # pairs that a share decided
    compared: int = 0  # pairs with a verdict by share and one by injection
    agreeing: int = 0  # of these, pairs with equal verdicts


@dataclass(frozen=True, slots=True)
class Row:
    """One suite in the table."""

    name: str
    harness: str
    preparation: float  # seconds of download, build and listing
    audit: float  # seconds of the audit after that
    ended: bool  # False where the limit ended the audit
    summary: Summary
    plain: Plain | None  # None where the suite cannot be run by its harness alone
    expected: tuple[float, float] | None  # the range of seconds that the audit began with

    @property
    def is_within_range(self) -> bool:
        """Tell whether the audit took as long as it was expected to."""
        if self.expected is None or not self.ended:
            return False
        low, high = self.expected
        return low <= self.audit <= high

    @property
    def cost(self) -> float | None:
        """Return the time of the audit over that of the plain run."""
        return self.audit / self.plain.seconds if self.plain else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Audit, run, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", metavar="NAME", help="a suite; repeatable")
    parser.add_argument("--list", type=Path, default=SUITES, help="of suites, as decided.json")
    parser.add_argument("--limit-minutes", type=float, default=30, help="of each audit (30)")
    parser.add_argument(
        "--plain-minutes", type=float, default=5, help="limit of each plain run (5)"
    )
    parser.add_argument("--keep", type=Path, help="a folder for results and stores, gone on with")
    parser.add_argument("--dry-run", action="store_true", help="list the suites, measure nothing")
    parser.add_argument(
        "--injected", metavar="FLAG", help="audit again with FLAG, which switches shares off"
    )
    options = parser.parse_args(arguments)
    suites = json.loads(options.list.read_text())
    names = [suite["name"] for suite in suites]
    if unknown := set(options.only or ()) - set(names):
        parser.error(f"no suite {', '.join(sorted(unknown))} in {options.list}: {', '.join(names)}")
    rows = []
    for suite in suites:
        if options.only and suite["name"] not in options.only:
            continue
        with tempfile.TemporaryDirectory(prefix="decided-") as scratch:
            folder = ((options.keep or Path(scratch)) / suite["name"]).absolute()
            if row := _measure(suite, folder, options):
                rows.append(row)
                print("\n".join(describe(row)), flush=True)
    return report_goals(rows) if rows else 0


def _measure(suite: Mapping[str, Any], folder: Path, options: argparse.Namespace) -> Row | None:
    """Audit a suite and run it plainly; None where it cannot begin or only was to be listed."""
    limit = 60 * options.limit_minutes
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "config.json"
    config.write_text(json.dumps({key: suite[key] for key in suite if key != "name"}))
    preparation, code = _run_auditor(folder, limit, str(config), "--dry-run")
    if code != 0 or options.dry_run:
        state = "can begin" if code == 0 else f"cannot begin (exit {code})"
        print(f"{suite['name']}: {state}, {preparation:.0f} s", flush=True)
        return None
    audit, code = _run_auditor(folder, limit, str(config))
    expected = expected_range((folder / "terminal.txt").read_text())
    if code != 0:
        _run_auditor(folder, limit, str(config), "--so-far")
    result = _read_result(folder)
    if result is None:
        print(f"{suite['name']}: no result (exit {code})", flush=True)
        return None
    injected_result = None
    if options.injected:
        methods = [f"--method={method['id']}" for method in result["methods"]]
        second = folder / "injected"
        second.mkdir(exist_ok=True)
        _run_auditor(second, limit, str(config), options.injected, *methods)
        injected_result = _read_result(second)
    plain = run_plain(result, suite["subject"], folder, 60 * options.plain_minutes)
    summary = summarize(result, injected_result)
    ended = code == 0
    return Row(
        suite["name"], result["harness"], preparation, audit, ended, summary, plain, expected
    )


def _run_auditor(folder: Path, limit: float, *words: str) -> tuple[float, int]:
    """Run `abs` into a folder with a cache of its own; return its seconds and its exit code."""
    command = (sys.executable, "-m", "auditor", "abs", *words, "--output", str(folder))
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    seconds, code, text = _run_limited(command, folder, environment, limit)
    (folder / "terminal.txt").write_text(text)
    return seconds, code


def _run_limited(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], limit: float
) -> tuple[float, int, str]:
    """Run a command, interrupt it at the limit; return seconds, exit code and what it printed.

    The command has a process group of its own. What does not end after an interrupt is killed.
    """
    began = time.monotonic()
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        for number, seconds in ((signal.SIGINT, limit), (signal.SIGKILL, GRACE_SECONDS)):
            with suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
                break
            with suppress(ProcessLookupError):
                os.killpg(process.pid, number)
        code = process.wait()
        took = time.monotonic() - began
        output.seek(0)
        return took, code, output.read()


def expected_range(terminal: str) -> tuple[float, float] | None:
    """Return the range of seconds that an audit printed as it began; None where it printed none.

    Both ends include what rounding to seconds or minutes may have cut off.
    """
    match = EXPECTED_TIME.search(terminal)
    if match is None:
        return None
    first, _, last = match[1].strip().partition(" to ")
    if " " not in first:  # "2 to 5 min": the unit stands behind the second number
        first = f"{first} {last.split()[-1]}"
    return _parse_duration(first)[0], _parse_duration(last or first)[1]


def _parse_duration(text: str) -> tuple[float, float]:
    """Return the least and the most seconds that are printed as this duration."""
    match = DURATION.search(text)
    if match is None:
        raise ValueError(f"no duration: {text!r}")
    hours, minutes, seconds = match.groups()
    if seconds is not None:
        return float(seconds) - 0.5, float(seconds) + 0.5
    middle = 3600 * int(hours or 0) + 60 * int(minutes)
    return middle - 30.0, middle + 30.0


def _read_result(folder: Path) -> Mapping[str, Any] | None:
    path = folder / "result.json"
    result: Mapping[str, Any] | None = json.loads(path.read_text()) if path.exists() else None
    return result


def summarize(result: Mapping[str, Any], injected: Mapping[str, Any] | None = None) -> Summary:
    """Count the decided methods, and the pairs whose verdicts by share and by injection agree.

    `injected` is the result of another audit of the same methods, without shares.
    """
    summary = Summary(methods=len(result["methods"]))
    for method in result["methods"]:
        if method["outcome"] not in UNDECIDED:
            summary.decided += 1
        else:
            summary.reasons[_reason(method, result["pairs"])] += 1
    injected_outcomes = (
        {_key(pair): pair["outcome"] for pair in injected["pairs"]} if injected else {}
    )
    for pair in result["pairs"]:
        summary.by_share += pair.get("decided_by") == "share"
        share, injection = (
            share_verdict(pair),
            injected_outcomes.get(_key(pair)) or injected_verdict(pair),
        )
        if share is not None and injection in ("detected", "missed"):
            summary.compared += 1
            summary.agreeing += share == injection
    return summary


def _key(pair: Mapping[str, Any]) -> tuple[str, str]:
    return pair["method"], pair["benchmark"]


def _reason(method: Mapping[str, Any], pairs: Sequence[Mapping[str, Any]]) -> str:
    """Return why a method is undecided, without the numbers, so that equal reasons are one."""
    method_pairs = [pair for pair in pairs if pair["method"] == method["id"]]
    reasons = [
        pair["reason"] for pair in method_pairs if pair["outcome"] in UNDECIDED and pair["reason"]
    ]
    reason = method["reason"] or (reasons[0] if reasons else "no reason given")
    return f"{method['outcome']}: {re.sub(r'[0-9][0-9.,]*', 'N', reason)}"


def share_verdict(pair: Mapping[str, Any]) -> str | None:
    """Return the verdict by share; None: no interval, or one that holds one half."""
    low, high = pair.get("share_interval") or (None, None)
    if low is None or high is None or low <= 0.5 <= high:
        return None
    return "detected" if low > 0.5 else "missed"


def injected_verdict(pair: Mapping[str, Any]) -> str | None:
    """Return the verdict that an injected slowdown gives, by itself; None: there is none."""
    if pair.get("decided_by") != "share":
        outcome: str = pair["outcome"]
        return outcome if pair["runs"] and outcome in ("detected", "missed") else None
    low, high = pair["interval"] or (None, None)
    limit = pair["threshold"]
    if not pair["runs"] or None in (low, high, limit) or low <= limit <= high:
        return None
    return "detected" if low > limit else "missed"


def run_plain(
    result: Mapping[str, Any], subject: str | Mapping[str, Any], folder: Path, limit: float
) -> Plain | None:
    """Run a suite once by its harness's own defaults; None where that is not possible."""
    files = sorted({benchmark["id"].partition("::")[0] for benchmark in result["benchmarks"]})
    command = _plain_command(result["harness"], subject, folder, files)
    if command is None:
        return None
    words, cwd, environment = command
    seconds, code, text = _run_limited(words, cwd, {**os.environ, **environment}, limit)
    (folder / "plain.txt").write_text(text)
    fraction = progress(result["harness"], text, len(result["benchmarks"]))
    # pytest exits with 1 if one file of benchmarks fails, and runs the others.
    good_codes = (0, 1) if result["harness"] == "pytest" else (0,)
    if seconds < limit:  # pytest and go end well, too, where no benchmark ran
        return (
            Plain(seconds, extrapolated=False)
            if code in good_codes and (fraction or result["harness"] == "jmh")
            else None
        )
    if fraction < LEAST_PROGRESS and (expected := JMH_EXPECTED.search(text)):
        days, hours, minutes, rest = (int(part or 0) for part in expected.groups())
        return Plain(((24 * days + hours) * 60 + minutes) * 60 + rest, extrapolated=True)
    return Plain(seconds / fraction, extrapolated=True) if fraction else None


def progress(harness: str, text: str, benchmarks: int) -> float:
    """Return the part of a plain run that was done when it had printed a text: 0 to 1."""
    if harness == "go":
        return min(1.0, len(GO_RESULT.findall(text)) / max(1, benchmarks))
    pattern = JMH_PROGRESS if harness == "jmh" else PYTEST_RESULT
    result = pattern.findall(text)
    return float(result[-1]) / 100 if result else 0.0


def _plain_command(
    harness: str, subject: str | Mapping[str, Any], folder: Path, files: Sequence[str]
) -> tuple[Sequence[str], Path, Mapping[str, str]] | None:
    """Return command, folder and environment of a plain run, with what the audit made ready.

    pytest runs the benchmarks' own `files`, as other tests may need what was not installed.
    """
    work = folder / "cache" / "bench-audit" / "work"
    if harness == "go" and isinstance(subject, str):
        tree = folder / "plain"
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(module_folder(subject), tree)
        for path in (tree, *tree.rglob("*")):
            path.chmod(0o755)
        words = ("go", "test", "-mod=mod", "-run=^$", "-bench=.", "-benchtime=1s", "./...")
        return words, tree, {"GOFLAGS": ""}
    if harness == "pytest" and (tree := next(work.glob("python-*/tree"), None)):
        python = tree.parent / "venv" / "bin" / "python"
        # A project's addopts may ask for plugins that the audit's environment does not have.
        flags = ("--benchmark-only", "--continue-on-collection-errors", "-v", "-o", "addopts=")
        return (str(python), "-m", "pytest", *flags, *files), tree, {}
    if harness == "jmh" and (paths := _class_path(folder)):
        words = ("java", "-cp", os.pathsep.join(paths), "org.openjdk.jmh.Main", "-foe", "false")
        return words, folder, {}
    return None


def _class_path(folder: Path) -> list[str]:
    """Return the class path that the audit resolved: benchmarks, library, dependencies."""
    work = folder / "cache" / "bench-audit" / "work"
    resolved = next(work.glob("*/resolved.json"), None)
    if resolved is None:
        return []
    document = json.loads(resolved.read_text())
    compiled = [str(path) for path in resolved.parent.glob("test-classes")]
    jars = [document["files"][name] for name in ("tests", "") if name in document["files"]]
    return [*compiled, *jars, *document["class_path"]]


def describe(row: Row) -> Iterator[str]:
    """Yield the lines of a suite."""
    summary = row.summary
    share = summary.decided / summary.methods if summary.methods else 0.0
    yield (
        f"{row.name} ({row.harness}): {row.preparation:.0f} s of preparation, {row.audit:.0f} s of "
        f"audit{'' if row.ended else ' (ended by the limit)'}; {summary.decided} of "
        f"{summary.methods} methods decided ({share:.0%})"
    )
    if row.expected is not None:
        low, high = row.expected
        yield f"    {low:.0f} to {high:.0f} s were expected"
    for reason, count in summary.reasons.most_common(REASONS):
        yield f"    {count} x {reason}"
    yield (
        f"    {summary.by_share} pairs decided by share; by share and by injection alike in "
        f"{summary.agreeing} of {summary.compared} pairs"
    )
    if row.plain is None:
        yield "    no plain run"
    else:
        yield f"    plain run {row.plain}; the audit takes {row.cost:.2f} times as long"


def report_goals(rows: Sequence[Row]) -> int:
    """Print each goal with what was reached; return 1 if one is missed, else 0."""
    methods = sum(row.summary.methods for row in rows)
    decided = sum(row.summary.decided for row in rows)
    compared = sum(row.summary.compared for row in rows)
    agreeing = sum(row.summary.agreeing for row in rows)
    least = min(row.summary.decided / max(1, row.summary.methods) for row in rows)
    median = statistics.median(row.preparation + row.audit for row in rows)
    goals = [
        (decided >= DECIDED_IN_TOTAL * methods, f"{decided} of {methods} methods decided"),
        (least >= DECIDED_IN_EACH, f"{least:.0%} decided in the worst suite"),
        (median <= MEDIAN_SECONDS, f"{median:.0f} s of preparation and audit (median)"),
    ]
    within = sum(row.is_within_range for row in rows)
    goals.append(
        (within >= WITHIN_RANGE * len(rows), f"{within} of {len(rows)} took as long as expected")
    )
    if compared:
        goals.append((agreeing >= AGREEMENT * compared, f"{agreeing} of {compared} pairs alike"))
    for harness, most in COST.items():
        costs = [row.cost for row in rows if row.harness == harness and row.cost is not None]
        if costs:
            text = f"{harness}: {statistics.median(costs):.2f} times a plain run (median)"
            goals.append((statistics.median(costs) <= most, text))
    for reached, text in goals:
        print(f"{'✓' if reached else '✗'} {text}")
    return 0 if all(reached for reached, _ in goals) else 1


if __name__ == "__main__":
    sys.exit(main())
