"""A way to stop a warm-up, replayed over the corpus beside the settings and the dynamic rules.

Metrics of Section 4 of the study of learned stopping (ASE 2024), for one or several ways at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from configured_warmup import bootstrap_deviation
from corpus import Corpus
from published_stopping import BALANCES, EFFECTS, TIMES
from quantities import Quantity, quartiles, said
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
    the iterations that are left out, and `told` the same by what it takes for the warm-up;
    `results` are its and the baseline's, by whose comparison; `off` is how far its measured mean
    deviates, 0 where it does not. `signed` are its errors in seconds of all steady forks, by what
    it takes for the warm-up.
    """

    errors: list[tuple[float, float]]
    told: list[tuple[float, float]]
    results: Mapping[Fairness, tuple[Result, Result]]
    off: float
    signed: list[float]


def judgeable(corpus: Corpus) -> list[tuple[str, IterationSettings]]:
    """Return the benchmarks with what developers ask for; without a steady fork none can be."""
    every = [(name, asked) for name, asked, _ in tasks(corpus)]
    found = [one for one in every if max(corpus.starts(f"{one[0]}.json"), default=-1) >= 0]
    if len(found) < len(every):
        print(f"\n{len(every) - len(found)} benchmarks are left out: none of their forks is steady")
    return found


def replayed(
    corpus: Corpus,
    resamples: int,
    task: tuple[str, IterationSettings],
    ways: Ways,
    told: Mapping[str, Sequence[int]] | None = None,
) -> dict[tuple[str, str], Replayed]:
    """Return what each way comes to beside each baseline, by both names.

    `task` is a benchmark and what developers ask for. `told` are the last warm-up iterations of
    each fork as a way takes them, where that is something else than the last one that it leaves
    out.
    """
    benchmark, asked = task
    name = f"{benchmark}.json"
    forks, starts = corpus.series(name), corpus.starts(name)
    ends = {text: corpus.json("dynconfig", text, name) for text in DYNAMIC}
    ends[SETTINGS] = corpus.json("devconfig", name)[: asked.forks]
    passed = [np.concatenate(([0.0], estimate_iteration_times(one).cumsum())) for one in forks]
    steady = [one[at + 1 :] for one, at in zip(forks, starts, strict=True) if at >= 0]

    def away(its: Sequence[Iterations]) -> float:
        measured = [one[warm + 1 : last + 1] for one, (warm, last) in zip(forks, its, strict=False)]
        return far(bootstrap_deviation(measured, steady, resamples, np.random.default_rng(SEED)))

    def took(its: Sequence[Iterations]) -> float:
        pairs = zip(passed, its, strict=False)
        return sum(float(one[min(last + 1, len(one) - 1)]) for one, (_, last) in pairs)

    def error(fork: int, last_warm_up: int) -> float:
        return float(passed[fork][last_warm_up + 1] - passed[fork][starts[fork] + 1])

    numbers = [fork for fork, start in enumerate(starts) if start >= 0]

    def errors(of: Sequence[int], its: Sequence[Iterations]) -> list[tuple[float, float]]:
        pairs = [(fork, of[fork], its[fork][0]) for fork in numbers if fork < len(its)]
        return [(abs(error(fork, one)), abs(error(fork, other))) for fork, one, other in pairs]

    found, told = {}, told or {}
    for baseline, pairs in ends.items():
        its = [(int(warm), int(last)) for warm, last in pairs]
        theirs = Result(away(its) > 0, took(its))
        for way, every in ways.items():
            mine = every[: len(its)]
            off = away([matched(one, other) for one, other in zip(mine, its, strict=True)])
            ends_of = [one for one, _ in every]
            says = told.get(way, ends_of)
            results = {}
            for kind in Fairness:
                during = [timed(one, other, kind) for one, other in zip(mine, its, strict=True)]
                results[kind] = (Result(off > 0, took(during)), theirs)
            found[way, baseline] = Replayed(
                errors=errors(ends_of, its),
                told=errors(says, its),
                results=results,
                off=off,
                signed=[error(fork, says[fork]) for fork in numbers],
            )
    return found


def figures(
    every: Sequence[Mapping[tuple[str, str], Replayed]],
) -> list[Quantity]:
    """Return what each way comes to beside each baseline, the study's model before it.

    That is the way's own, where the study has it, else its best.
    """
    found = []
    for way in dict.fromkeys(way for way, _ in every[0]):
        found += list(_own(way, every))
    for way, baseline in every[0]:
        mine = [one[way, baseline] for one in every]
        told = np.array([pair for one in mine for pair in one.told])
        left_out = np.array([pair for one in mine for pair in one.errors])
        published = BASELINES[baseline]
        models = [(text, other) for text, other in EFFECTS if other == published]
        models = [(way, published)] if (way, published) in models else models
        a12, r = (max(getattr(EFFECTS[model], field) for model in models) for field in ("a12", "r"))
        net = max(BALANCES[model].net for model in models)
        label = f"{way}, beside {published.upper()}"
        effects = (chance_of_less(*told.T), rank_biserial(*told.T))
        found.append((f"{label}: A12, r of errors", said((a12, r), 3), said(effects, 3)))
        if (told != left_out).any():
            effects = (chance_of_less(*left_out.T), rank_biserial(*left_out.T))
            name = f"{label}: A12, r of what is left out"
            found.append((name, said((a12, r), 3), said(effects, 3)))
        differ = told[told[:, 0] != told[:, 1]]
        p = stats.wilcoxon(*differ.T, alternative="less").pvalue if len(differ) else 1.0
        found.append((f"{label}: Wilcoxon p, less", "< 0.001", f"{p:.2g}"))
        for kind in Fairness:
            pairs = [one.results[kind] for one in mine]
            share = shares([result for result, _ in pairs], [other for _, other in pairs])
            parts = (share.quality, share.time, share.worse_quality, share.worse_time)
            value = f"{100 * share.net:+.1f} ({said((100 * part for part in parts), 1)})"
            found.append((f"{label}: net ({kind}), %", f"{net:+.1f}", value))
    return found


def spread(
    systems: Sequence[str], every: Sequence[Mapping[tuple[str, str], Replayed]]
) -> list[Quantity]:
    """Return how far systems lie apart beside each baseline: the least, quartiles and the most.

    `systems` are those of the benchmarks; one of which no fork can be compared has no errors.
    """
    found = []
    for way, baseline in every[0]:
        balances, effects = [], []
        for system in sorted(set(systems)):
            pairs = zip(systems, every, strict=True)
            mine = [one[way, baseline] for name, one in pairs if name == system]
            results = [one.results[Fairness.CODE] for one in mine]
            share = shares([result for result, _ in results], [other for _, other in results])
            balances.append(100 * share.net)
            if errors := [pair for one in mine for pair in one.told]:
                effects.append(chance_of_less(*np.array(errors).T))
        label = f"{way}, beside {BASELINES[baseline].upper()}"
        for what, of, digits in (("A12", effects, 3), ("net (code)", balances, 0)):
            value = said(np.percentile(of, FIVE), digits) if of else "-"
            found.append((f"{label}, {len(of)} systems: {what}, quartiles and ends", "-", value))
    return found


def _own(way: str, every: Sequence[Mapping[tuple[str, str], Replayed]]) -> Iterable[Quantity]:
    """Yield what a way comes to by itself; deviations and times of all four comparisons, pooled."""
    mine = [[one for (name, _), one in each.items() if name == way] for each in every]
    signed = np.array([error for each in mine for error in each[0].signed])
    parts = [100 * (signed > 0).mean(), 100 * (signed < 0).mean(), 100 * (signed == 0).mean()]
    own = TIMES.get(way)
    yield (
        f"{way}: warm-up longer, shorter, exact, %",
        "-" if own is None else f"{own.longer}, -, {own.exact}",
        said(parts, 1),
    )
    yield f"{way}: error of the warm-up, s, quartiles", "-", quartiles(abs(signed), 1)
    off = [100 * one.off for each in mine for one in each if one.off > 0]
    yield (
        f"{way}: deviation of those that deviate, %",
        "-" if own is None else own.deviation,
        quartiles(off, 1),
    )
    yield f"{way}: benchmarks that deviate, %", "-", f"{100 * len(off) / sum(map(len, mine)):.1f}"
    times = [one.results[Fairness.CODE][0].seconds for each in mine for one in each]
    yield f"{way}: testing time, s", "-" if own is None else own.seconds, quartiles(times)
