"""Do rules that stop a warm-up work for Go, for Python, and for other iterations than 100 ms?

Watches the benchmarks of suites from the start of their processes on (`bench-audit steady`), says
by change points (CP-SSD) when each process was warm, and shows the series to the rules as if it
were live. For each: processes that it saw warm and had time to measure, after how many seconds it
had warmed up and measured as many iterations as `--measured` says, how far their mean is from that
of all steady iterations (median, 90th percentile, processes that are off by more than 5 %), and how
well it tells windows of both classes, if it gives each a verdict.

Where processes have hardly a warm-up of their own, `--slower 1 --fading 2` gives them one: what was
measured becomes longer by so much of itself at first (1: twice as long), which fades away by e in
so many seconds. What they are off is off the mean of the steady iterations as they were measured.

    python benchmarks/stopping_elsewhere.py go:github.com/google/uuid@v1.6.0 --iteration-time 10ms
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from training.scores import EVEN, classified
from training.segments import segments

from auditor.core.stop_rules import Criterion, StoppingRule
from auditor.measure import own_series as measured
from auditor.store.suites import read_suite_runs
from auditor.warmup.configured import read_iteration_times
from auditor.warmup.cpssd import CpSsd
from auditor.warmup.detector import WINDOW
from auditor.warmup.run_so_far import RunSoFar, build_feature_vector
from auditor.warmup.scorers import files
from auditor.warmup.stop_rules import WatcherFactory

ROOT = Path(__file__).parent.parent
METHODS = (Criterion.LEARNED, Criterion.RCIW, Criterion.KLD, Criterion.COV, Criterion.FIXED)
TOLERANCE = 0.05


@dataclass(frozen=True, slots=True)
class Series:
    """Seconds per operation of a process, and how long each iteration lasted."""

    name: str
    values: np.ndarray
    lasted: np.ndarray


@dataclass(frozen=True, slots=True)
class Judged:
    """What the methods made of a process: after how many seconds it ended, and how far it is off.

    `truth` and `verdicts` are of windows of both classes, as the model sees them.
    """

    steady: bool
    seconds: dict[Criterion, float]
    deviations: dict[Criterion, float]
    truth: np.ndarray
    verdicts: np.ndarray


def series(subject: str, folder: Path, args: argparse.Namespace) -> Iterator[Series]:
    """Yield what the processes of a suite measure; raises CalledProcessError."""
    command = [sys.executable, "-m", "auditor", "steady", subject, "--run", "--quiet"]
    command += ["--iterations", str(args.iterations), "--iteration-time", args.iteration_time]
    command += ["--forks", str(args.forks), "--benchmarks", args.benchmarks, "-o", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    runs = read_suite_runs(folder / "store.sqlite")
    results = measured.build_stored_results(runs.runs, harness=runs.harness, digest=runs.digest)
    for run in results.runs:
        for name, processes in run.processes.items():
            for process in processes:
                lasted = read_iteration_times(process)
                if not process.failure and lasted is not None:
                    yield Series(name, np.asarray(process.all_values), lasted)


def add_fading_slowdown(process: Series, slowdown: float, fading: float) -> Series:
    """Return a process that is slower at first, by so much of itself, which fades in so long."""
    starts = np.concatenate(([0.0], process.lasted.cumsum()[:-1]))
    return replace(process, values=process.values * (1 + slowdown * np.exp(-starts / fading)))


def judge_process(args: argparse.Namespace, process: Series) -> Judged:
    """Show a process to all methods."""
    start = CpSsd().find_steady_start(process.values).start
    level = process.values[len(process.values) // 2 if start is None else start :].mean()
    iteration_count = args.measured
    if args.slower:
        process = add_fading_slowdown(process, args.slower, args.fading)
    seconds, deviations = {}, {}
    for method in METHODS:
        warm = _warm(method, process)
        if warm is not None and warm + iteration_count <= len(process.values):
            window = slice(warm, warm + iteration_count)
            seconds[method] = float(process.lasted[: warm + iteration_count].sum())
            deviations[method] = abs(float(process.values[window].mean() / level) - 1)
    truth = verdicts = np.empty(0, dtype=bool)
    if start is not None and not args.slower:
        truth, verdicts = _windows(process, start)
    return Judged(start is not None, seconds, deviations, truth, verdicts)


def _warm(method: Criterion, process: Series) -> int | None:
    """Return how many iterations the warm-up has; that of FIXED is none at all."""
    if method is Criterion.FIXED:
        return 0
    model = files.choose_model(method, None)
    digest = None if model is None else model.digest
    watch = StoppingRule(method=method, measured=WINDOW, seconds=np.inf, model=digest)
    rule = WatcherFactory().build_rule(watch, 1)
    iterations = zip(process.values.tolist(), process.lasted.tolist(), strict=True)
    return next(
        (
            warm
            for iteration in iterations
            if (warm := rule.observe_iteration(*iteration)) is not None
        ),
        None,
    )


def _windows(process: Series, start: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which windows of a steady process are stable, and which our model calls so."""
    windows = segments(start - 1, len(process.values))
    model, run, verdicts = files.load_shipped_model(Criterion.LEARNED), RunSoFar(), {}
    ends = set((windows.starts + WINDOW).tolist())
    for number, iteration in enumerate(
        zip(process.values.tolist(), process.lasted.tolist(), strict=True), 1
    ):
        run.add_iteration(*iteration)
        if number in ends:
            case = build_feature_vector(run.compute_features(), model.scoring.stable.names)
            verdicts[number - WINDOW] = model.scoring.score_window(case) >= EVEN
    return windows.stable, np.array(
        [verdicts[int(window_start)] for window_start in windows.starts]
    )


def show(subject: str, runs: Sequence[Judged]) -> None:
    """Print what the methods come to."""
    print(f"\n{subject}: {len(runs)} processes, {sum(run.steady for run in runs)} become steady")
    print(f"{'':<12}{'warm':>6}{'seconds':>10}{'off: median':>14}{'90 %':>8}{'> 5 %':>8}")
    for method in METHODS:
        deviations = np.array([run.deviations[method] for run in runs if method in run.deviations])
        seconds = [run.seconds[method] for run in runs if method in run.seconds]
        if not len(deviations):
            print(f"{method:<12}{0:>6}")
            continue
        name = "no warm-up" if method is Criterion.FIXED else method
        print(
            f"{name:<12}{len(deviations):>6}{np.median(seconds):>10.2f}{np.median(deviations):>14.2%}"
            f"{np.percentile(deviations, 90):>8.1%}{(deviations > TOLERANCE).sum():>8}"
        )
    truth, verdicts = (
        np.concatenate([getattr(run, field) for run in runs]) for field in ("truth", "verdicts")
    )
    if len(truth) and truth.any() and not truth.all():
        late_count = sum(1 for run in runs if len(run.truth) and (~run.truth).sum() > 1)
        print(f"steady later than from the first iteration on: {late_count}")
        result = classified(truth, verdicts)
        print(f"learned, windows: F1 {result.f1:.3f}, balanced accuracy {result.balanced:.3f}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("subjects", nargs="+", metavar="SUBJECT")
    parser.add_argument("--iteration-time", default="10ms")
    parser.add_argument("--iterations", type=int, default=3000)
    parser.add_argument("--forks", type=int, default=1)
    parser.add_argument("--measured", type=int, default=WINDOW, help="iterations once it is warm")
    parser.add_argument("--benchmarks", default="", metavar="REGEX")
    parser.add_argument("--slower", type=float, default=0.0, help="at first, a part of itself")
    parser.add_argument("--fading", type=float, default=1.0, help="seconds")
    parser.add_argument("--keep", type=Path, help="a folder for results and stores, gone on with")
    args = parser.parse_args(arguments)
    runs: list[Judged] = []
    with tempfile.TemporaryDirectory(prefix="stopping-elsewhere-") as scratch:
        for number, subject in enumerate(args.subjects):
            place = (args.keep or Path(scratch)) / f"{number}-{args.iteration_time}"
            result = list(series(subject, place, args))
            with ProcessPoolExecutor() as pool:
                of_subject = list(pool.map(partial(judge_process, args), result))
            show(f"{subject}, {args.iteration_time}", of_subject)
            runs += of_subject
    if len(args.subjects) > 1:
        show("all", runs)


if __name__ == "__main__":
    main()
