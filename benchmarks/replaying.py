"""A way to stop a warm-up, replayed over the corpus beside the settings and the dynamic rules.

Metrics of Section 4 of the study of learned stopping (ASE 2024), for one or several ways at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from configured_warmup import bootstrap_deviation
from corpus import Corpus
from published_stopping import BALANCES, EFFECTS, TIMES
from quantities import Quantity, format_numbers, quartiles
from scipy import stats
from steady_assessment import DYNAMIC, SETTINGS, far, tasks
from training.replay import Fairness, Iterations, matched, timed
from training.scores import Result, chance_of_less, rank_biserial, shares

from auditor.core.suite import IterationSettings
from auditor.warmup.configured import estimate_iteration_times

BASELINES = {SETTINGS: "sop", "Cov": "cv", "Ci": "rciw", "Divergence": "kld"}
"""As files call them, and as the published tables do."""
SEED = 42
FIVE = (0, 25, 50, 75, 100)
"""Percentiles: the least, the quartiles and the most."""

Ways = Mapping[str, Sequence[Iterations]]
"""The last warm-up and the last measured iteration of each fork of a benchmark, by way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What a way comes to on a benchmark beside a baseline.

    `errors` are seconds (the way's, the baseline's) of each steady fork that the baseline has, by
    the iterations that are left out, and `warm_up_errors` the same by what it takes for the
    warm-up; `results` are its and the baseline's, by whose comparison; `deviation` is how far its
    measured mean deviates, 0 where it does not. `signed` are its errors in seconds of all steady
    forks, by what it takes for the warm-up.
    """

    errors: list[tuple[float, float]]
    warm_up_errors: list[tuple[float, float]]
    results: Mapping[Fairness, tuple[Result, Result]]
    deviation: float
    signed: list[float]


def judgeable(corpus: Corpus) -> list[tuple[str, IterationSettings]]:
    """Return the benchmarks with what developers ask for; without a steady fork none can be."""
    benchmarks = [(name, plan) for name, plan, _ in tasks(corpus)]
    with_steady_fork = [
        benchmark
        for benchmark in benchmarks
        if max(corpus.starts(f"{benchmark[0]}.json"), default=-1) >= 0
    ]
    if len(with_steady_fork) < len(benchmarks):
        left_out = len(benchmarks) - len(with_steady_fork)
        print(f"\n{left_out} benchmarks are left out: none of their forks is steady")
    return with_steady_fork


def replayed(
    corpus: Corpus,
    resamples: int,
    task: tuple[str, IterationSettings],
    ways: Ways,
    last_warm_ups: Mapping[str, Sequence[int]] | None = None,
) -> dict[tuple[str, str], Replayed]:
    """Return what each way comes to beside each baseline, by both names.

    `task` is a benchmark and what developers ask for. `last_warm_ups` are the last warm-up
    iterations of each fork as a way takes them, where that is something else than the last one that
    it leaves out.
    """
    benchmark, plan = task
    name = f"{benchmark}.json"
    forks, starts = corpus.series(name), corpus.starts(name)
    ends = {text: corpus.json("dynconfig", text, name) for text in DYNAMIC}
    ends[SETTINGS] = corpus.json("devconfig", name)[: plan.forks]
    passed = [
        np.concatenate(([0.0], estimate_iteration_times(values).cumsum())) for values in forks
    ]
    steady = [
        values[start + 1 :] for values, start in zip(forks, starts, strict=True) if start >= 0
    ]

    def measure_deviation(its: Sequence[Iterations]) -> float:
        measured_values = [
            values[warm + 1 : last + 1] for values, (warm, last) in zip(forks, its, strict=False)
        ]
        return far(
            bootstrap_deviation(measured_values, steady, resamples, np.random.default_rng(SEED))
        )

    def took(its: Sequence[Iterations]) -> float:
        pairs = zip(passed, its, strict=False)
        return sum(float(times[min(last + 1, len(times) - 1)]) for times, (_, last) in pairs)

    def error(fork: int, last_warm_up: int) -> float:
        return float(passed[fork][last_warm_up + 1] - passed[fork][starts[fork] + 1])

    numbers = [fork for fork, start in enumerate(starts) if start >= 0]

    def errors(warm_ups: Sequence[int], its: Sequence[Iterations]) -> list[tuple[float, float]]:
        pairs = [(fork, warm_ups[fork], its[fork][0]) for fork in numbers if fork < len(its)]
        return [
            (abs(error(fork, warm_up)), abs(error(fork, baseline_warm_up)))
            for fork, warm_up, baseline_warm_up in pairs
        ]

    replays, last_warm_ups = {}, last_warm_ups or {}
    for baseline, pairs in ends.items():
        its = [(int(warm), int(last)) for warm, last in pairs]
        baseline_result = Result(measure_deviation(its) > 0, took(its))
        for way, all_stops in ways.items():
            stops = all_stops[: len(its)]
            deviation = measure_deviation(
                [
                    matched(stop, baseline_stop)
                    for stop, baseline_stop in zip(stops, its, strict=True)
                ]
            )
            ends_of = [last_warm_up for last_warm_up, _ in all_stops]
            says = last_warm_ups.get(way, ends_of)
            results = {}
            for kind in Fairness:
                during = [
                    timed(stop, baseline_stop, kind)
                    for stop, baseline_stop in zip(stops, its, strict=True)
                ]
                results[kind] = (Result(deviation > 0, took(during)), baseline_result)
            replays[way, baseline] = Replayed(
                errors=errors(ends_of, its),
                warm_up_errors=errors(says, its),
                results=results,
                deviation=deviation,
                signed=[error(fork, says[fork]) for fork in numbers],
            )
    return replays


def figures(
    replays: Sequence[Mapping[tuple[str, str], Replayed]],
) -> list[Quantity]:
    """Return what each way comes to beside each baseline, the study's model before it.

    That is the way's own, where the study has it, else its best.
    """
    quantities = []
    for way in dict.fromkeys(way for way, _ in replays[0]):
        quantities += list(_describe_way(way, replays))
    for way, baseline in replays[0]:
        pair_replays = [by_pair[way, baseline] for by_pair in replays]
        warm_up_errors = np.array(
            [pair for replay in pair_replays for pair in replay.warm_up_errors]
        )
        left_out = np.array([pair for replay in pair_replays for pair in replay.errors])
        published = BASELINES[baseline]
        models = [(text, technique) for text, technique in EFFECTS if technique == published]
        models = [(way, published)] if (way, published) in models else models
        a12, r = (max(getattr(EFFECTS[model], field) for model in models) for field in ("a12", "r"))
        net = max(BALANCES[model].net for model in models)
        label = f"{way}, beside {published.upper()}"
        effects = (chance_of_less(*warm_up_errors.T), rank_biserial(*warm_up_errors.T))
        quantities.append(
            (f"{label}: A12, r of errors", format_numbers((a12, r), 3), format_numbers(effects, 3))
        )
        if (warm_up_errors != left_out).any():
            effects = (chance_of_less(*left_out.T), rank_biserial(*left_out.T))
            name = f"{label}: A12, r of what is left out"
            quantities.append((name, format_numbers((a12, r), 3), format_numbers(effects, 3)))
        differ = warm_up_errors[warm_up_errors[:, 0] != warm_up_errors[:, 1]]
        p = stats.wilcoxon(*differ.T, alternative="less").pvalue if len(differ) else 1.0
        quantities.append((f"{label}: Wilcoxon p, less", "< 0.001", f"{p:.2g}"))
        for kind in Fairness:
            pairs = [replay.results[kind] for replay in pair_replays]
            share = shares(
                [result for result, _ in pairs], [baseline_result for _, baseline_result in pairs]
            )
            parts = (share.quality, share.time, share.worse_quality, share.worse_time)
            value = f"{100 * share.net:+.1f} ({format_numbers((100 * part for part in parts), 1)})"
            quantities.append((f"{label}: net ({kind}), %", f"{net:+.1f}", value))
    return quantities


def spread(
    systems: Sequence[str], replays: Sequence[Mapping[tuple[str, str], Replayed]]
) -> list[Quantity]:
    """Return how far systems lie apart beside each baseline: the least, quartiles and the most.

    `systems` are those of the benchmarks; one of which no fork can be compared has no errors.
    """
    quantities = []
    for way, baseline in replays[0]:
        balances, effects = [], []
        for system in sorted(set(systems)):
            pairs = zip(systems, replays, strict=True)
            system_replays = [by_pair[way, baseline] for name, by_pair in pairs if name == system]
            results = [replay.results[Fairness.CODE] for replay in system_replays]
            share = shares(
                [result for result, _ in results],
                [baseline_result for _, baseline_result in results],
            )
            balances.append(100 * share.net)
            if errors := [pair for replay in system_replays for pair in replay.warm_up_errors]:
                effects.append(chance_of_less(*np.array(errors).T))
        label = f"{way}, beside {BASELINES[baseline].upper()}"
        for measure, values, digits in (("A12", effects, 3), ("net (code)", balances, 0)):
            value = format_numbers(np.percentile(values, FIVE), digits) if values else "-"
            quantities.append(
                (f"{label}, {len(values)} systems: {measure}, quartiles and ends", "-", value)
            )
    return quantities


def _describe_way(
    way: str, replays: Sequence[Mapping[tuple[str, str], Replayed]]
) -> Iterable[Quantity]:
    """Yield what a way comes to by itself; deviations and times of all four comparisons, pooled."""
    way_replays = [
        [replay for (name, _), replay in by_pair.items() if name == way] for by_pair in replays
    ]
    signed = np.array(
        [error for benchmark_replays in way_replays for error in benchmark_replays[0].signed]
    )
    parts = [100 * (signed > 0).mean(), 100 * (signed < 0).mean(), 100 * (signed == 0).mean()]
    published = TIMES.get(way)
    yield (
        f"{way}: warm-up longer, shorter, exact, %",
        "-" if published is None else f"{published.longer}, -, {published.exact}",
        format_numbers(parts, 1),
    )
    yield f"{way}: error of the warm-up, s, quartiles", "-", quartiles(abs(signed), 1)
    deviations = [
        100 * replay.deviation
        for benchmark_replays in way_replays
        for replay in benchmark_replays
        if replay.deviation > 0
    ]
    yield (
        f"{way}: deviation of those that deviate, %",
        "-" if published is None else published.deviation,
        quartiles(deviations, 1),
    )
    yield (
        f"{way}: benchmarks that deviate, %",
        "-",
        f"{100 * len(deviations) / sum(map(len, way_replays)):.1f}",
    )
    times = [
        replay.results[Fairness.CODE][0].seconds
        for benchmark_replays in way_replays
        for replay in benchmark_replays
    ]
    yield (
        f"{way}: testing time, s",
        "-" if published is None else published.seconds,
        quartiles(times),
    )
