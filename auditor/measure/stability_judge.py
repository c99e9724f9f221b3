"""How far repeated runs of the unchanged suite lie apart (MSR 2018, Section 5)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np

from auditor.core import busy
from auditor.core.caveats import Caveat
from auditor.core.jobs import HostInterference
from auditor.core.outcome import Ending, Measured, ending
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
from auditor.measure.failures import reason
from auditor.stats.arrays import positive

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

Complete = Mapping[int, tuple[float, ...]]
"""The values of a benchmark by run, all forks together; complete runs only."""
Named = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnmeasuredPart:
    """What of a suite was not run: (id, reason) each.

    `unlisted` were asked for, but could not even be listed. `filter` left benchmarks out, of which
    `perhaps` could not be listed either, so that nobody knows what they hold.
    """

    unlisted: Named = ()
    filter: Filter | None = None
    perhaps: Named = ()


def bucket(max_spread: float) -> Bucket:
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
    at = max(1, 19 * len(ascending) // 20)
    return 2 * ascending[at - 1] or None


def spread(runs: Sequence[Sequence[float]]) -> float:
    """Return the maxSpread of runs of one benchmark (Equation 1).

    Raises ValueError for fewer than two runs and for a value that is not above zero.
    """
    values = [positive(run) for run in runs]
    means = positive((float(run.mean()) for run in values), least=2)
    return float((means.max() - means.min()) / np.concatenate(values).mean())


def judge(
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
    mine = _by_benchmark(benchmarks, [*pilots, *runs])
    complete = {name: _complete(trial_runs) for name, trial_runs in mine.items()}
    asked = dict.fromkeys(mine, wanted_runs) if isinstance(wanted_runs, int) else wanted_runs
    most = wanted_runs if isinstance(wanted_runs, int) else max(wanted_runs.values())
    verdicts = tuple(
        _benchmark(benchmark, mine[benchmark.id], complete[benchmark.id], asked[benchmark.id])
        for benchmark in benchmarks
    )
    seconds = _suite_seconds(mine, complete)
    return Stability(
        benchmarks=(*verdicts, *(_unlisted(*one) for one in unseen.unlisted)),
        buckets=_buckets([verdict.bucket for verdict in verdicts if verdict.bucket is not None]),
        suite_seconds=seconds,
        runs=most,
        duration=_duration(seconds),
        filter=unseen.filter,
        caveats=(
            *_caveats(runs, most),
            *warmup_results.of_suite(runs),
            *filtered(unseen, len(verdicts)),
        ),
    )


def _unlisted(name: str, why: str) -> BenchmarkVerdict:
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
        reason=why,
        caveats=(),
    )


def _duration(seconds: Sequence[float]) -> Duration | None:
    if not seconds:
        return None
    sd = stdev(seconds) if len(seconds) > 1 else None
    return Duration(mean=fmean(seconds), sd=sd, limit=CI_LIMIT_SECONDS)


def _by_benchmark(benchmarks: Sequence[Benchmark], runs: Sequence[Run]) -> dict[str, list[Run]]:
    found: dict[str, list[Run]] = {benchmark.id: [] for benchmark in benchmarks}
    for run in runs:
        if run.trial.benchmark is not None and run.trial.benchmark.id in found:
            found[run.trial.benchmark.id].append(run)
    return found


def _complete(runs: Sequence[Run]) -> Complete:
    """Return the runs in which each fork that some run had gave values."""
    suite = readings.of_purpose(runs, Purpose.SUITE)
    forks = {run.trial.fork for run in suite}
    values: dict[int, dict[int, tuple[float, ...]]] = {}
    for run in suite:
        found = readings.times(run, ArmName.PLAIN)
        if found:
            values.setdefault(run.trial.repetition, {})[run.trial.fork] = found
    return {
        repetition: tuple(value for fork in sorted(by_fork) for value in by_fork[fork])
        for repetition, by_fork in values.items()
        if set(by_fork) == forks
    }


def busy_runs(runs: Sequence[Run], wanted_runs: int) -> dict[int, HostInterference]:
    """Return the strain of each run of a benchmark that a busy machine has spoilt, by its number.

    Empty where there is no spread yet, and where the spread of all runs is below 5 %: other work
    can only have made it larger.
    """
    complete = _complete(runs)
    if not _has_spread(complete, wanted_runs):
        return {}
    if bucket(spread(list(complete.values()))) is Bucket.BELOW_5:
        return {}
    found = {}
    for repetition in complete:
        processes = [run for run in runs if run.trial.repetition == repetition]
        strain = HostInterference.together((run.seconds, run.strain) for run in processes)
        if busy.is_busy(strain):
            found[repetition] = strain
    return found


def withheld_benchmarks(stability: Stability) -> frozenset[str]:
    """Return the benchmarks that have no spread only because the machine was busy."""
    return frozenset(
        benchmark.id
        for benchmark in stability.benchmarks
        if busy.is_withheld(benchmark.max_spread, benchmark.caveats)
    )


def _has_spread(complete: Complete, wanted_runs: int) -> bool:
    return wanted_runs >= 2 and len(complete) == wanted_runs


def _quiet_spread(
    complete: Complete, spoilt: Mapping[int, HostInterference], wanted_runs: int
) -> tuple[float | None, tuple[Caveat, ...]]:
    """Return the spread of the runs that no busy machine has spoilt, with its caveats."""
    if not _has_spread(complete, wanted_runs):
        return None, ()
    if not spoilt:
        return spread(list(complete.values())), ()
    quiet = [values for one, values in complete.items() if one not in spoilt]
    what = f"{len(spoilt)} of {wanted_runs} runs were measured on a busy machine"
    if len(quiet) >= 2:
        return spread(quiet), (Caveat(busy.SLUG, f"{what}; the spread is that of the other runs"),)
    return None, (Caveat(busy.SLUG, f"{what}, so the spread of this benchmark is unknown"),)


def _benchmark(
    benchmark: Benchmark, runs: Sequence[Run], complete: Complete, asked: int
) -> BenchmarkVerdict:
    suite = readings.of_purpose(runs, Purpose.SUITE)
    found, spread_caveats = _quiet_spread(complete, busy_runs(suite, asked), asked)
    failed = [run for run in runs if not isinstance(run.outcome, Measured)]
    last = max(runs, key=_when, default=None)
    seconds = [_seconds(runs, repetition) for repetition in complete]
    short = Caveat("incomplete", f"measured in {len(complete)} of {asked} runs")
    noted = (
        Caveat("not-as-written", note) for note in (*benchmark.notes, *_of_length(benchmark, runs))
    )
    return BenchmarkVerdict(
        id=benchmark.id,
        max_spread=found,
        bucket=None if found is None else bucket(found),
        means=tuple(fmean(values) for values in complete.values()),
        runs=len(complete),
        seconds=fmean(seconds) if seconds else None,
        unique=(),
        shared=(),
        ending=str(ending(last.outcome) if last else Ending.SKIPPED),
        reason=_why(failed, runs),
        caveats=(
            *((short,) if len(complete) < asked else ()),
            *spread_caveats,
            *noted,
            *warmup_results.of_benchmark(runs),
        ),
        trials=tuple(run.trial.id for run in suite),
    )


def _of_length(benchmark: Benchmark, runs: Sequence[Run]) -> Iterator[str]:
    """Say whose length the blocks have where another than the author's means something else."""
    own, seconds = benchmark.block_seconds, {run.trial.schedule.seconds for run in runs}
    if own is None or not seconds:
        return
    if own in seconds:
        yield (
            f"an iteration lasts {own:g} s as its author or JMH's default says, not as long as "
            f"planned: {benchmark.kept}; those that warm up last as long"
        )
    else:
        yield f"an iteration lasts as planned, not {own:g} s, though {benchmark.kept}"


def _why(failed: Sequence[Run], runs: Sequence[Run]) -> str | None:
    if failed:
        last = max(failed, key=_when)
        return f"run {last.trial.repetition}: {reason(last.outcome)}"
    return None if runs else "never run"


def _when(run: Run) -> tuple[bool, int, int]:
    return run.trial.purpose is Purpose.SUITE, run.trial.repetition, run.trial.fork


def _seconds(runs: Sequence[Run], repetition: int) -> float:
    suite = readings.of_purpose(runs, Purpose.SUITE)
    return sum(run.seconds for run in suite if run.trial.repetition == repetition)


def _buckets(buckets: Sequence[Bucket]) -> tuple[BucketCount, ...]:
    return tuple(
        BucketCount(
            bucket,
            buckets.count(bucket),
            100 * buckets.count(bucket) / len(buckets) if buckets else 0.0,
        )
        for bucket in Bucket
    )


def _suite_seconds(
    runs: Mapping[str, Sequence[Run]], complete: Mapping[str, Complete]
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
        float(np.sum([_seconds(runs[name], numbers[one]) for name, numbers in working.items()]))
        for one in common
    )


def filtered(unseen: UnmeasuredPart, listed: int) -> tuple[Caveat, ...]:
    """Say that a pattern left benchmarks out, of which `listed` are looked at."""
    if unseen.filter is None:
        return ()
    seen = listed + len(unseen.unlisted)
    over = unseen.filter.groups_passed_over
    size = "" if over else f"{unseen.filter.suite_size} "
    text = (
        f"{seen} of the suite's {size}benchmarks match {unseen.filter.pattern!r}; results hold "
        "for these only: a method that none of them detects may be covered by another benchmark"
    )
    if over:
        text += f"; packages not built, as nothing in them can match: {over}"
    if unseen.perhaps:
        names = ", ".join(name for name, _ in unseen.perhaps[:5])
        text += f"; these could not be listed, so they may match: {names}"
    return (Caveat("filtered", text),)


def _caveats(runs: Sequence[Run], asked: int) -> tuple[Caveat, ...]:
    caveats = []
    if asked < 2:
        text = (
            f"{asked} run of the suite: a spread needs at least 2; set `stability_runs` to "
            f"{PAPER_RUNS}"
        )
        caveats.append(Caveat("few-runs", text))
    elif asked < PAPER_RUNS:
        text = (
            f"spreads over {asked} runs of the suite may be too small; the paper takes {PAPER_RUNS}"
        )
        caveats.append(Caveat("few-runs", text))
    hosts = {run.host for run in runs}
    if len(hosts) > 1:
        names = ", ".join(sorted({host.name for host in hosts}))
        text = (
            f"the runs were made on {len(hosts)} machines or machine settings ({names}), so the "
            "spread includes their differences"
        )
        caveats.append(Caveat("mixed-hosts", text))
    return tuple(caveats)
