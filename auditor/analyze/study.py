"""Results that other tools have stored: how far their runs lie apart, and base against head."""

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from auditor.analyze import judge
from auditor.analyze.judge import LEAST, ComparisonSides
from auditor.compare.model import BenchmarkComparison, Comparison
from auditor.core.caveats import Caveat, list_some
from auditor.core.jobs import NOWHERE
from auditor.core.mutant import PLAIN, Variant, VariantKind
from auditor.core.outcome import Measured, Outcome
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.schedule import Arm, ArmName, Phase, Schedule
from auditor.core.series.stored import StoredProcess, StoredResults, StoredRun
from auditor.core.stability import BenchmarkVerdict, Stability
from auditor.core.subject import Method
from auditor.core.suite import Benchmark
from auditor.core.units import is_throughput, mean_time
from auditor.core.values import TIME, Series
from auditor.importers.benchmark_names import align_names
from auditor.measure import stability_judge as audit
from auditor.measure import trust
from auditor.measure.failures import describe_failure
from auditor.series.stored import count_expected_runs, list_result_caveats, split_processes

_MACHINE = ("arch", "cores", "cpu", "governor", "memory", "turbo")
"""Facts that make two machines so unlike that their times are not compared."""


def judge_stability(results: StoredResults) -> Stability:
    """Judge how far the runs lie apart, each a file; of a single run each process is one."""
    runs = split_processes(results.runs)
    benchmarks = tuple(Benchmark(group="", name=name) for name in results.benchmark_names)
    units = {name: results.find_unit(name) for name in results.benchmark_names}
    trial_runs = [
        run
        for benchmark in benchmarks
        for run in _convert_runs(benchmark, runs, results.digest, units[benchmark.name])
    ]
    run_counts = {name: count_expected_runs(name, results.runs) for name in results.benchmark_names}
    suite_stability = audit.judge_suite_stability(benchmarks, trial_runs, wanted_runs=run_counts)
    steady = replace(
        suite_stability,
        benchmarks=tuple(
            _in_seconds(benchmark, units.get(benchmark.id, ""))
            for benchmark in suite_stability.benchmarks
        ),
    )
    together = (
        ()
        if len(runs) == len(results.runs)
        else tuple(_list_session_caveats(results.runs[0], run_counts))
    )
    return without_durations(
        steady,
        *list_result_caveats(results),
        *together,
        *trust.warn_of_unsteady_runs(results, runs),
    )


def _in_seconds(verdict: BenchmarkVerdict, unit: str) -> BenchmarkVerdict:
    """Return what was judged by `_convert_runs`; means are in seconds per operation."""
    means = tuple(1 / mean for mean in verdict.means) if is_throughput(unit) else verdict.means
    return replace(verdict, means=means, unit=unit)


def _convert_runs(
    benchmark: Benchmark, runs: tuple[StoredRun, ...], digest: str, unit: str
) -> Iterator[Run]:
    """Yield the runs of a benchmark; figures stand for values where some have nothing else.

    Values are seconds per operation, or operations per second where the tool measures these: the
    mean of its own numbers is what the user has seen.
    """
    numbered_runs = [
        (number, run, run.processes.get(benchmark.name, ())) for number, run in enumerate(runs, 1)
    ]
    is_whole = all(
        process.seconds or process.failure
        for _, _, processes in numbered_runs
        for process in processes
    )
    for run_number, run, processes in numbered_runs:
        failures = [process.failure for process in processes if process.failure is not None]
        values = array("d")
        for process in processes:
            values.extend(process.seconds if is_whole else (process.middle or 0.0,))
        if is_throughput(unit) and not failures:
            values = array("d", (1 / value for value in values))
        outcome = failures[0] if failures else measured_outcome(values, slowed=False)
        if processes:
            yield replace(build_run(digest, benchmark, (run_number, 1), outcome), host=run.host)


def compare_benchmarks(
    base: StoredResults, head: StoredResults, min_delta: float, *, unlike: bool = False
) -> Comparison:
    """Compare the benchmarks that both have; changes from `min_delta` on count (0.05 for 5 %).

    What was measured on unlike machines is compared only where that is asked for (`unlike`).
    """
    *runs, doubts = align_names(base.runs, head.runs)
    base, head = (
        replace(side, runs=stored_runs)
        for side, stored_runs in zip((base, head), runs, strict=True)
    )
    open_ = {doubt.base for doubt in doubts} | {doubt.head for doubt in doubts}
    before, after = (
        [name for name in side.benchmark_names if name not in open_] for side in (base, head)
    )
    shared_names = [name for name in before if name in set(after)]
    obstacle = "" if unlike else _unlike_machines(base, head)
    sides_by_name = {name: _collect_sides(name, base, head, obstacle) for name in shared_names}
    comparison_count = sum(
        isinstance(side_values, ComparisonSides) for side_values in sides_by_name.values()
    )
    return Comparison(
        min_delta=min_delta,
        benchmarks=(
            *(
                sides
                if isinstance(sides, BenchmarkComparison)
                else BenchmarkComparison(
                    id=name,
                    dimensions=(judge.judge_sides(sides, min_delta, comparison_count),),
                    unit=_find_unit(name, base, head),
                )
                for name, sides in sides_by_name.items()
            ),
            *(BenchmarkComparison(id=doubt.head, reason=doubt.reason) for doubt in doubts),
        ),
        added=tuple(name for name in after if name not in set(before)),
        removed=tuple(name for name in before if name not in set(after)),
        controls=0,
        suspected=(),
        caveats=tuple(_list_caveats(base, head)),
    )


def _collect_sides(
    name: str, base: StoredResults, head: StoredResults, obstacle: str
) -> ComparisonSides | BenchmarkComparison:
    """Return the values of a benchmark, one of each file, or an answer that names why none are.

    Files lie further apart than the processes of one, so those of one say nothing of a change.
    """
    per_file = [_by_file(name, results) for results in (base, head)]
    for side, files in zip(("base", "head"), per_file, strict=True):
        failed = [
            process.failure for file in files for process in file if process.failure is not None
        ]
        if failed:
            return BenchmarkComparison(
                id=name,
                reason=f"it fails in {side}: {describe_failure(failed[0])}",
                fails_in_head=side == "head",
            )
    versions = [{process.version for file in files for process in file} for files in per_file]
    if versions[0] != versions[1]:
        reason = "the benchmark itself was changed from base to head, says the tool"
        return BenchmarkComparison(id=name, reason=reason)
    unit = _find_unit(name, base, head)
    values = [
        [mean_time([process.middle or 0.0 for process in file], unit) for file in files]
        for files in per_file
    ]
    return ComparisonSides(base=values[0], head=values[1], obstacle=obstacle)


def _find_unit(name: str, base: StoredResults, head: StoredResults) -> str:
    """Return the unit of a benchmark on both sides; empty where they have two."""
    return base.find_unit(name) if base.find_unit(name) == head.find_unit(name) else ""


def _by_file(name: str, side: StoredResults) -> list[tuple[StoredProcess, ...]]:
    return [run.processes[name] for run in side.runs if name in run.processes]


def _list_caveats(base: StoredResults, head: StoredResults) -> Iterator[Caveat]:
    for name, side in (("base", base), ("head", head)):
        yield from (
            replace(caveat, text=f"{name}: {caveat.text}") for caveat in list_result_caveats(side)
        )
    if differing := _list_differences(base, head):
        text = (
            f"base and head were measured under different conditions: {'; '.join(differing)}; "
            "measure both on one machine"
        )
        yield Caveat("unlike-sides", text)
    text = (
        "stored results do not show whether base and head were interleaved; if not, a change of "
        "the machine looks like a change of the code; bench-audit compare interleaves them"
    )
    yield Caveat("not-in-turns", text)
    text = (
        "changes are not confirmed by fresh runs, as nothing is run here; confirm them with "
        "bench-audit compare"
    )
    yield Caveat("not-confirmed", text)


def _list_session_caveats(run: StoredRun, run_counts: Mapping[str, int]) -> Iterator[Caveat]:
    text = (
        f"all processes are of one session ({run.name}), so the spread between sessions is "
        f"unknown; give {LEAST} files made at different times"
    )
    yield Caveat("one-session", text)
    most = max(run_counts.values())
    if fewer := tuple(name for name, count in run_counts.items() if count < most):
        text = (
            f"{len(fewer)} of {len(run_counts)} benchmarks have fewer than {most} processes, so "
            f"their spread may be too small: {list_some(fewer)}"
        )
        yield Caveat("few-runs", text)


def _unlike_machines(base: StoredResults, head: StoredResults) -> str:
    """Return why the times of two sides cannot be compared, nothing where they can.

    Machines of one kind differ, too. Where each side has runs of enough of them, that is part of
    how far these lie apart.
    """
    for key in _MACHINE:
        first, second = _collect_facts(base, key), _collect_facts(head, key)
        if first != second:
            return f"measured on another machine ({key}: {_format_pair(first, second)})"
    names = [{run.host.name for run in side.runs} for side in (base, head)]
    if names[0] != names[1] and min(map(len, names)) < LEAST:
        return f"measured on another machine ({_format_pair(*names)})"
    return ""


def _list_differences(base: StoredResults, head: StoredResults) -> list[str]:
    """Return what is known to differ."""
    keys = sorted({key for side in (base, head) for run in side.runs for key, _ in run.host.facts})
    names: list[set[str]] = [{run.host.name for run in side.runs} for side in (base, head)]
    facts = [("machine", names[0], names[1])]
    facts += [(key, _collect_facts(base, key), _collect_facts(head, key)) for key in keys]
    return [
        f"{key} {_format_pair(base_facts, head_facts)}"
        for key, base_facts, head_facts in facts
        if base_facts != head_facts
    ]


def _collect_facts(side: StoredResults, key: str) -> set[str]:
    return {dict(run.host.facts).get(key, "unknown") for run in side.runs}


def _format_pair(base: set[str], head: set[str]) -> str:
    return f"{list_some(tuple(sorted(base)))} / {list_some(tuple(sorted(head)))}"


def build_run(
    digest: str,
    benchmark: Benchmark,
    place: tuple[int, int],
    outcome: Outcome,
    method: Method | None = None,
) -> Run:
    """Return a process of a benchmark that runs as it is, or with a method slowed down.

    `digest` identifies the files that it was read from; `place` is the number of its run and its
    own number in that, both from one.
    """
    trial = Trial(
        subject=digest,
        purpose=Purpose.SUITE if method is None else Purpose.MUTANT,
        variant=PLAIN if method is None else Variant(VariantKind.DELAYED, (method,)),
        benchmark=benchmark,
        schedule=Schedule(
            arms=(Arm(_choose_arm(slowed=method is not None)),), blocks=(), seconds=0.0
        ),
        repetition=place[0],
        fork=place[1],
        seed=0,
        timeout_seconds=math.inf,
    )
    return Run(trial=trial, host=NOWHERE, outcome=outcome, started="", seconds=0.0)


def measured_outcome(seconds: Sequence[float], *, slowed: bool) -> Measured:
    """Return values in seconds per operation, in the order measured."""
    series = Series(
        metric=TIME,
        unit="s/op",
        arm=_choose_arm(slowed=slowed),
        phase=Phase.MEASUREMENT,
        packed=np.asarray(seconds, dtype="<f8").tobytes(),
        positions=np.arange(len(seconds), dtype="<u4").tobytes(),
    )
    return Measured((series,))


def without_durations(stability: Stability, *caveats: Caveat) -> Stability:
    """Return a stability without how long its runs took, which no file says."""
    return replace(
        stability,
        benchmarks=tuple(replace(benchmark, seconds=None) for benchmark in stability.benchmarks),
        suite_seconds=(),
        duration=None,
        caveats=(*stability.caveats, *caveats),
    )


def _choose_arm(*, slowed: bool) -> ArmName:
    return ArmName.SLOWED if slowed else ArmName.PLAIN
