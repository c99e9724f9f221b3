"""Learned stopping beside the configured settings, on real suites: how long, and how far off?

Of each benchmark, in turns: a long reference of 500 iterations of 100 ms, a process with the
settings that its authors wrote (of a Go suite, which has none, what benchstat asks for: ten runs of
a second), and a process that ends when it is seen warm and measured (`--warmup`); all of it as
often as `--processes` says. Deviations are those of the means from the mean of the references'
second halves.

    python benchmarks/live_stopping.py [--method learned] [--only commons-io] [--processes 3]

As many processes of each kind are compared, however many forks the authors ask for; that number is
printed.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from auditor.core.outcome import Measured
from auditor.core.plan import Run
from auditor.core.schedule import ArmName, Phase
from auditor.core.values import TIME
from auditor.measure.warmup_results import measure_phase_seconds
from auditor.store.suites import read_suite_runs

ROOT = Path(__file__).parent.parent
REFERENCE = {"forks": 1, "warmup": 250, "iterations": 250, "iteration_time": "100ms"}
AUTHORS = {"forks": 1, "warmup": 5, "iterations": 5, "iteration_time": "10s"}
"""JMH's own, which these authors left as they are, or wrote."""
GO = {"forks": 1, "warmup": 0, "iterations": 10, "iteration_time": "1s"}


@dataclass(frozen=True, slots=True)
class Process:
    """The mean of what it measured, in seconds per operation, and how long its iterations took."""

    mean: float
    seconds: float
    words: tuple[str, ...]


def measure(subject: str, pattern: str, folder: Path, **keys: Any) -> Mapping[str, Process]:
    """Run each benchmark that matches once; raises CalledProcessError."""
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "config.json"
    config.write_text(json.dumps({"subject": subject, "benchmarks": pattern, **keys}))
    command = [sys.executable, "-m", "auditor", "stability", str(config), "--quiet"]
    command += ["--stability-runs", "1"]
    subprocess.run([*command, "-o", str(folder)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    runs = read_suite_runs(folder / "store.sqlite").runs
    return dict(filter(None, map(_process, runs)))


def _process(run: Run) -> tuple[str, Process] | None:
    outcome, benchmark = run.outcome, run.trial.benchmark
    if not isinstance(outcome, Measured) or benchmark is None:
        return None
    times = outcome.find_series(TIME, ArmName.PLAIN)
    if times is None:
        return None
    seconds = sum(measure_phase_seconds(outcome, phase) for phase in Phase)
    warmed = outcome.warmed
    words = () if warmed is None else (str(warmed.method), str(warmed.warm))
    return benchmark.id, Process(float(np.mean(times.values)), seconds, words)


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite of a public registry, some of its benchmarks, and the plan that its users have."""

    subject: str
    benchmarks: tuple[str, ...]
    plan: Mapping[str, Any]
    forks: int


SUITES = (
    Suite(
        "maven:commons-io:commons-io:2.15.1",
        (
            "IOUtilsContentEqualsInputStreamsBenchmark.testFileCurrent",
            "IOUtilsContentEqualsReadersBenchmark.testFilePr118",
            "PathUtilsContentEqualsBenchmark.testProposal_contentEquals$",
        ),
        AUTHORS,
        forks=1,
    ),
    Suite(
        "maven:org.apache.commons:commons-lang3:3.14.0",
        (
            "HashSetvBitSetTest.timeBitSetRemoveAll",
            "HashSetvBitSetTest.testHashSet",
            "StringUtilsIsMixedCaseTest.newIsMixedCaseNoneMatch",
        ),
        AUTHORS,
        forks=5,
    ),
    Suite(
        "go:github.com/google/uuid@v1.6.0",
        (
            "BenchmarkParse$",
            "BenchmarkParseBytes$",
            "BenchmarkUUID_String",
            "BenchmarkUUID_URN",
            "BenchmarkUUID_New$",
        ),
        GO,
        forks=1,
    ),
)


@dataclass(frozen=True, slots=True)
class Kind:
    """The processes of one kind that one benchmark had."""

    processes: Sequence[Process]

    @property
    def mean(self) -> float:
        """Return the mean over the means of processes, in seconds per operation."""
        return float(np.mean([process.mean for process in self.processes]))

    @property
    def seconds(self) -> float:
        """Return how long all of them took."""
        return sum(process.seconds for process in self.processes)

    def __str__(self) -> str:
        """Return by what they were seen warm, and after how many iterations."""
        return "; ".join(", ".join(process.words) for process in self.processes)


@dataclass(frozen=True, slots=True)
class Row:
    """A benchmark: its processes with the users' plan and watched, and long ones."""

    name: str
    configured: Kind
    watched: Kind
    long: Kind

    def deviation(self, kind: Kind) -> float:
        """Return how far a mean is off, relative to that of the long processes."""
        return kind.mean / self.long.mean - 1

    def __str__(self) -> str:
        """Return the line of a table."""
        return (
            f"{self.name:<40}{self.configured.seconds:>9.1f}{self.watched.seconds:>9.1f}"
            f"{self.deviation(self.configured):>+10.1%}"
            f"{self.deviation(self.watched):>+10.1%}  {self.watched}"
        )


def compare_processes(
    suite: Suite, benchmark: str, args: argparse.Namespace, folder: Path
) -> Iterator[Row]:
    """Yield what matches; processes of the three kinds take turns."""
    watching = {"method": args.method, "iteration_time": args.iteration_time}
    plans = {
        "reference": {"plan": REFERENCE},
        "configured": {"plan": suite.plan},
        "watched": {"warmup": watching},
    }
    by_benchmark: dict[str, dict[str, list[Process]]] = {}
    for turn in range(args.processes):
        for kind, keys in plans.items():
            processes = measure(suite.subject, benchmark, folder / f"{kind}-{turn}", **keys)
            for name, process in processes.items():
                by_benchmark.setdefault(name, {}).setdefault(kind, []).append(process)
    for name, by_kind in by_benchmark.items():
        if all(len(by_kind.get(kind, ())) == args.processes for kind in plans):
            kinds = (Kind(by_kind[kind]) for kind in ("configured", "watched", "reference"))
            yield Row(name.rpartition(".")[2], *kinds)
        else:
            print(f"{name}: a process of it failed", file=sys.stderr)


def total(rows: Sequence[Row]) -> str:
    """Return what a suite comes to: our time over theirs, and both medians of deviations."""
    seconds = [
        sum(getattr(row, kind).seconds for row in rows) for kind in ("watched", "configured")
    ]
    configured_deviation, watched_deviation = (
        np.median([abs(row.deviation(getattr(row, kind))) for row in rows])
        for kind in ("configured", "watched")
    )
    return (
        f"{'our time over theirs; medians of |off|':<40}{seconds[0] / seconds[1]:>18.2f}"
        f"{configured_deviation:>10.1%}{watched_deviation:>10.1%}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--method", default="learned")
    parser.add_argument("--only", default="", help="suites whose name has this in it")
    parser.add_argument("--processes", type=int, default=1, help="of each kind and benchmark")
    parser.add_argument("--iteration-time", help="of watched processes (default: the method's)")
    parser.add_argument("--keep", type=Path, help="a folder for results and stores, gone on with")
    args = parser.parse_args(arguments)
    print(f"{'':<40}{'set, s':>9}{'ours, s':>9}{'off':>10}{'ours off':>10}  by, after iterations")
    with tempfile.TemporaryDirectory(prefix="live-stopping-") as scratch:
        for suite in (candidate for candidate in SUITES if args.only in candidate.subject):
            print(f"{suite.subject} (forks: {suite.forks})")
            rows = []
            for number, benchmark in enumerate(suite.benchmarks):
                name = f"{suite.subject.replace('/', '-').replace(':', '-')}-{number}"
                place = (args.keep or Path(scratch)) / name
                for row in compare_processes(suite, benchmark, args, place):
                    rows.append(row)
                    print(row, flush=True)
            if rows:
                print(total(rows), flush=True)


if __name__ == "__main__":
    main()
