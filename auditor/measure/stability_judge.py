"""How far repeated runs of the unchanged suite lie apart (MSR 2018, Section 5)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np

from auditor.core import busy
from auditor.core.caveats import Caveat
from auditor.core.jobs import HostInterference
from auditor.core.outcome import Ending, Measured, find_ending
from auditor.core.plan import Purpose, Run, original_repetition
from auditor.core.schedule import ArmName
from auditor.core.stability import (
    UNLISTED,
    BenchmarkVerdict,
    Bucket,
    BucketCount,
    Duration,
    Filter,
    Stability,
)
from auditor.core.suite import Benchmark
from auditor.measure import readings, warmup_results
from auditor.measure.failures import describe_failure
from auditor.stats.arrays import check_positive

PAPER_RUNS = 5
"""Whole-suite runs in the paper's stability study (Section 5.1)."""
UNSTABLE = 0.5
"""The maxSpread above which a benchmark leaves the absolute score (Section 6.3)."""

CI_LIMIT_SECONDS = 120 * 60.0
"""What the paper takes for the longest job that a CI service allows (Section 4)."""

_BELOW = (
    (0.05, Bucket.BELOW_5),
    (0.10, Bucket.BELOW_10),
    (0.25, Bucket.BELOW_25),
)

CompleteRuns = Mapping[int, tuple[float, ...]]
"""The values of a benchmark by run, all forks together; complete runs only."""
NamedReasons = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnmeasuredPart:
    """What of a suite was not run: (id, reason) each.

    `unlisted` were asked for, but could not even be listed. `filter` left benchmarks out, of which
    `perhaps` could not be listed either, so that nobody knows what they hold.
    """

    unlisted: NamedReasons = ()
    filter: Filter | None = None
    perhaps: NamedReasons = ()


def choose_bucket(max_spread: float) -> Bucket:
    """Return the column of Table 3; .50 itself belongs to the fourth."""
    for limit, name in _BELOW:
        if max_spread < limit:
            return name
    return Bucket.BELOW_50 if max_spread <= UNSTABLE else Bucket.ABOVE_50


def slowdown_size(spreads: Sequence[float]) -> float | None:
    """Return v = 2 MS[floor(.95 |MS|)], one-based (Section 6.2).

    None without spreads, and where they are all zero: no slowdown can be sized by them.
    """
    ascending = sorted(spreads)
    if not ascending:
        return None
    # 19 * n // 20 and not floor(.95 * n): the product of two floats may fall below the whole number
    position = max(1, 19 * len(ascending) // 20)
    return 2 * ascending[position - 1] or None


def measure_spread(runs: Sequence[Sequence[float]]) -> float:
    """Return the maxSpread of runs of one benchmark (Equation 1).

    Raises ValueError for fewer than two runs and for a value that is not above zero.
    """
    values = [check_positive(run) for run in runs]
    means = check_positive((float(run.mean()) for run in values), least=2)
    return float((means.max() - means.min()) / np.concatenate(values).mean())


def judge_suite_stability(
    benchmarks: Sequence[Benchmark],
    runs: Sequence[Run],
    *,
    wanted_runs: int | Mapping[str, int],
    pilots: Sequence[Run] = (),
    unseen: UnmeasuredPart = UnmeasuredPart(),
) -> Stability:
    """Judge `benchmarks` by runs of the plain suite, of which `wanted_runs` were asked for.

    Where these are not as many of each benchmark, they go by its id: the suite has the most. A
    pilot that failed tells why its benchmark has no suite runs.
    """
    benchmark_runs = _group_by_benchmark(benchmarks, [*pilots, *runs])
    complete = {name: _collect_complete_runs(runs) for name, runs in benchmark_runs.items()}
    required_runs = (
        dict.fromkeys(benchmark_runs, wanted_runs) if isinstance(wanted_runs, int) else wanted_runs
    )
    most = wanted_runs if isinstance(wanted_runs, int) else max(wanted_runs.values())
    verdicts = tuple(
        _judge_benchmark(
            benchmark,
            benchmark_runs[benchmark.id],
            complete[benchmark.id],
            required_runs[benchmark.id],
        )
        for benchmark in benchmarks
    )
    seconds = _suite_seconds(benchmark_runs, complete)
    return Stability(
        benchmarks=(
            *verdicts,
            *(_make_unlisted_verdict(*entry) for entry in unseen.unlisted),
        ),
        buckets=_count_buckets([verdict.bucket for verdict in verdicts if verdict.bucket]),
        suite_seconds=seconds,
        runs=most,
        duration=_summarise_duration(seconds),
        filter=unseen.filter,
        caveats=(
            *_describe_runs(runs, most),
            *warmup_results.describe_suite_warmup(runs),
            *describe_filter(unseen, len(verdicts)),
        ),
    )


def _make_unlisted_verdict(name: str, cause: str) -> BenchmarkVerdict:
    return BenchmarkVerdict(
        id=name,
        max_spread=None,
        bucket=None,
        means=(),
        runs=0,
        seconds=None,
        unique=(),
        shared=(),
        ending=UNLISTED,
        reason=cause,
        caveats=(),
    )


def _summarise_duration(seconds: Sequence[float]) -> Duration | None:
    if not seconds:
        return None
    sd = stdev(seconds) if len(seconds) > 1 else None
    return Duration(mean=fmean(seconds), sd=sd, limit=CI_LIMIT_SECONDS)


def _group_by_benchmark(
    benchmarks: Sequence[Benchmark], runs: Sequence[Run]
) -> dict[str, list[Run]]:
    runs_by_id: dict[str, list[Run]] = {benchmark.id: [] for benchmark in benchmarks}
    for run in runs:
        if run.trial.benchmark is not None and run.trial.benchmark.id in runs_by_id:
            runs_by_id[run.trial.benchmark.id].append(run)
    return runs_by_id


def _collect_complete_runs(runs: Sequence[Run]) -> CompleteRuns:
    """Return the runs in which each fork that some run had gave values."""
    suite = readings.of_purpose(runs, Purpose.SUITE)
    forks = {run.trial.fork for run in suite}
    values: dict[int, dict[int, tuple[float, ...]]] = {}
    for run in suite:
        times = readings.list_block_times(run, ArmName.PLAIN)
        if times:
            values.setdefault(run.trial.repetition, {})[run.trial.fork] = times
    return {
        repetition: tuple(value for fork in sorted(by_fork) for value in by_fork[fork])
        for repetition, by_fork in values.items()
        if set(by_fork) == forks
    }


def find_busy_runs(runs: Sequence[Run], wanted_runs: int) -> dict[int, HostInterference]:
    """Return the strain of each run of a benchmark that a busy machine has spoilt, by its number.

    Empty where there is no spread yet, and where the spread of all runs is below 5 %: other work
    can only have made it larger.
    """
    complete = _collect_complete_runs(runs)
    if not _has_spread(complete, wanted_runs):
        return {}
    if choose_bucket(measure_spread(list(complete.values()))) is Bucket.BELOW_5:
        return {}
    interference_by_run = {}
    for repetition in complete:
        processes = [run for run in runs if run.trial.repetition == repetition]
        strain = HostInterference.combine_processes((run.seconds, run.strain) for run in processes)
        if busy.is_busy(strain):
            interference_by_run[repetition] = strain
    return interference_by_run


def withheld_benchmarks(stability: Stability) -> frozenset[str]:
    """Return the benchmarks that have no spread only because the machine was busy."""
    return frozenset(
        benchmark.id
        for benchmark in stability.benchmarks
        if busy.is_withheld(benchmark.max_spread, benchmark.caveats)
    )


def _has_spread(complete: CompleteRuns, wanted_runs: int) -> bool:
    return wanted_runs >= 2 and len(complete) == wanted_runs


def _quiet_spread(
    complete: CompleteRuns, spoilt: Mapping[int, HostInterference], wanted_runs: int
) -> tuple[float | None, tuple[Caveat, ...]]:
    """Return the spread of the runs that no busy machine has spoilt, with its caveats."""
    if not _has_spread(complete, wanted_runs):
        return None, ()
    if not spoilt:
        return measure_spread(list(complete.values())), ()
    undisturbed_runs = [
        values for repetition, values in complete.items() if repetition not in spoilt
    ]
    message = f"{len(spoilt)} of {wanted_runs} runs were measured on a busy machine"
    if len(undisturbed_runs) >= 2:
        return measure_spread(undisturbed_runs), (
            Caveat(busy.SLUG, f"{message}; the spread is that of the other runs"),
        )
    return None, (Caveat(busy.SLUG, f"{message}, so the spread of this benchmark is unknown"),)


def _judge_benchmark(
    benchmark: Benchmark, runs: Sequence[Run], complete: CompleteRuns, required_runs: int
) -> BenchmarkVerdict:
    suite = readings.of_purpose(runs, Purpose.SUITE)
    max_spread, spread_caveats = _quiet_spread(
        complete, find_busy_runs(suite, required_runs), required_runs
    )
    failed = [run for run in runs if not isinstance(run.outcome, Measured)]
    last = max(runs, key=_make_order_key, default=None)
    seconds = [_sum_run_seconds(runs, repetition) for repetition in complete]
    short = Caveat("incomplete", f"measured in {len(complete)} of {required_runs} runs")
    note_caveats = (
        Caveat("not-as-written", note)
        for note in (*benchmark.notes, *_describe_block_length(benchmark, runs))
    )
    return BenchmarkVerdict(
        id=benchmark.id,
        max_spread=max_spread,
        bucket=None if max_spread is None else choose_bucket(max_spread),
        means=tuple(fmean(values) for values in complete.values()),
        runs=len(complete),
        seconds=fmean(seconds) if seconds else None,
        unique=(),
        shared=(),
        ending=str(find_ending(last.outcome) if last else Ending.SKIPPED),
        reason=_explain_failure(failed, runs),
        caveats=(
            *((short,) if len(complete) < required_runs else ()),
            *spread_caveats,
            *note_caveats,
            *warmup_results.describe_benchmark_warmup(runs),
        ),
        trials=tuple(run.trial.id for run in suite),
    )


def _describe_block_length(benchmark: Benchmark, runs: Sequence[Run]) -> Iterator[str]:
    """Say whose length the blocks have where another than the author's means something else."""
    author_seconds, seconds = benchmark.block_seconds, {run.trial.schedule.seconds for run in runs}
    if author_seconds is None or not seconds:
        return
    if author_seconds in seconds:
        yield (
            f"an iteration lasts {author_seconds:g} s as its author or JMH's default says, not as "
            f"long as planned: {benchmark.fixed_length_reason}; those that warm up last as long"
        )
    else:
        yield (
            f"an iteration lasts as planned, not {author_seconds:g} s, though "
            f"{benchmark.fixed_length_reason}"
        )


def _explain_failure(failed: Sequence[Run], runs: Sequence[Run]) -> str | None:
    if failed:
        last = max(failed, key=_make_order_key)
        return f"run {last.trial.repetition}: {describe_failure(last.outcome)}"
    return None if runs else "never run"


def _make_order_key(run: Run) -> tuple[bool, int, int]:
    return run.trial.purpose is Purpose.SUITE, run.trial.repetition, run.trial.fork


def _sum_run_seconds(runs: Sequence[Run], repetition: int) -> float:
    suite = readings.of_purpose(runs, Purpose.SUITE)
    return sum(run.seconds for run in suite if run.trial.repetition == repetition)


def _count_buckets(buckets: Sequence[Bucket]) -> tuple[BucketCount, ...]:
    return tuple(
        BucketCount(
            bucket,
            buckets.count(bucket),
            100 * buckets.count(bucket) / len(buckets) if buckets else 0.0,
        )
        for bucket in Bucket
    )


def _suite_seconds(
    runs: Mapping[str, Sequence[Run]], complete: Mapping[str, CompleteRuns]
) -> tuple[float, ...]:
    """Return the durations of the runs that hold every benchmark that works at all.

    One that never works must not leave the suite without a duration.
    """
    working = {
        name: {original_repetition(number): number for number in values}
        for name, values in complete.items()
        if values
    }
    common = sorted(set.intersection(*map(set, working.values()))) if working else []
    return tuple(
        float(
            np.sum(
                [
                    _sum_run_seconds(runs[name], numbers[repetition])
                    for name, numbers in working.items()
                ]
            )
        )
        for repetition in common
    )


def describe_filter(unseen: UnmeasuredPart, benchmark_count: int) -> tuple[Caveat, ...]:
    """Say that a pattern left benchmarks out, and how many it matches."""
    if unseen.filter is None:
        return ()
    matching_count = benchmark_count + len(unseen.unlisted)
    over = unseen.filter.groups_passed_over
    size = "" if over else f"{unseen.filter.suite_size} "
    text = (
        f"{matching_count} of the suite's {size}benchmarks match {unseen.filter.pattern!r}; "
        "results hold for these only: a method that none of them detects may be covered by "
        "another benchmark"
    )
    if over:
        text += f"; packages not built, as nothing in them can match: {over}"
    if unseen.perhaps:
        names = ", ".join(name for name, _ in unseen.perhaps[:5])
        text += f"; these could not be listed, so they may match: {names}"
    return (Caveat("filtered", text),)


def _describe_runs(runs: Sequence[Run], required_runs: int) -> tuple[Caveat, ...]:
    caveats = []
    if required_runs < 2:
        text = (
            f"{required_runs} run of the suite: a spread needs at least 2; make {PAPER_RUNS} runs"
        )
        caveats.append(Caveat("few-runs", text))
    elif required_runs < PAPER_RUNS:
        text = (
            f"spreads over {required_runs} runs of the suite may be too small; the paper takes "
            f"{PAPER_RUNS}"
        )
        caveats.append(Caveat("few-runs", text))
    hosts = {run.host for run in runs}
    if len(hosts) > 1:
        names = ", ".join(sorted({host.name for host in hosts}))
        text = (
            f"the spread includes the differences of {len(hosts)} machines or machine settings "
            f"({names}); make all runs on one machine"
        )
        caveats.append(Caveat("mixed-hosts", text))
    return tuple(caveats)
