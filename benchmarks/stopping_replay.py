"""Ways to stop a warm-up, replayed over the corpus beside the settings and the dynamic rules.

Reads a folder in the layout of the shared set (or the public whole). The ways need no model: the
stored last warm-up iteration itself (`perfect`, which nobody can know beforehand), and a warm-up of
so many iterations for all. What they come to says what a model can reach: metrics of Section 4 of
the study of learned stopping (ASE 2024), the best of its models beside them.
"""

import argparse
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from corpus import Corpus, add_option, opened
from published_stopping import BALANCES, EFFECTS
from quantities import Quantity, said, table
from steady_assessment import DYNAMIC, SETTINGS, far, tasks

from auditor.audits.steady.configured import deviation, lengths
from auditor.core.suite import Configured
from auditor.training.replay import LIMIT, Fairness, Iterations, matched, timed
from auditor.training.scores import Result, chance_of_less, rank_biserial, shares
from auditor.training.segments import WINDOW

BASELINES = {SETTINGS: "sop", "Cov": "cv", "Ci": "rciw", "Divergence": "kld"}
"""As files call them, and as the published tables do."""
PERFECT = "perfect"
ITERATIONS = (0, 30, 100, 300)
SEED = 42


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What a way comes to on a benchmark beside a baseline.

    `errors` are seconds (the way's, the baseline's) of each steady fork that the baseline has;
    `results` are its and the baseline's, by whose comparison.
    """

    errors: list[tuple[float, float]]
    results: Mapping[Fairness, tuple[Result, Result]]


def ways(starts: Sequence[int]) -> dict[str, list[Iterations]]:
    """Return the last warm-up and the last measured iteration of each fork, by way."""
    known = [start if start >= 0 else LIMIT - 1 for start in starts]
    found = {PERFECT: [(start, start + WINDOW) for start in known]}
    for number in ITERATIONS:
        found[f"{number} iterations"] = [(number - 1, number + WINDOW - 1)] * len(starts)
    return found


def replayed(
    corpus: Corpus, resamples: int, task: tuple[str, Configured, object]
) -> dict[tuple[str, str], Replayed]:
    """Return what each way comes to beside each baseline, by both names."""
    name, asked = f"{task[0]}.json", task[1]
    forks, starts = corpus.series(name), corpus.starts(name)
    ends = {one: corpus.json("dynconfig", one, name) for one in DYNAMIC}
    ends[SETTINGS] = corpus.json("devconfig", name)[: asked.forks]
    passed = [np.concatenate(([0.0], lengths(one).cumsum())) for one in forks]
    steady = [one[at + 1 :] for one, at in zip(forks, starts, strict=True) if at >= 0]

    def result(its: Sequence[Iterations], during: Sequence[Iterations]) -> Result:
        measured = [one[warm + 1 : last + 1] for one, (warm, last) in zip(forks, its, strict=False)]
        off = far(deviation(measured, steady, resamples, np.random.default_rng(SEED)))
        pairs = zip(passed, during, strict=False)
        return Result(
            off > 0, sum(float(one[min(last + 1, len(one) - 1)]) for one, (_, last) in pairs)
        )

    found = {}
    for baseline, pairs in ends.items():
        its = [(int(warm), int(last)) for warm, last in pairs]
        theirs = result(its, its)
        for way, every in ways(starts).items():
            mine = every[: len(its)]
            fair = [matched(one, other) for one, other in zip(mine, its, strict=True)]
            results = {}
            for kind in Fairness:
                during = [timed(one, other, kind) for one, other in zip(mine, its, strict=True)]
                results[kind] = (result(fair, during), theirs)
            errors = [
                (
                    abs(one[mine[at][0] + 1] - one[start + 1]),
                    abs(one[its[at][0] + 1] - one[start + 1]),
                )
                for at, (one, start) in enumerate(zip(passed, starts, strict=True))
                if start >= 0 and at < len(its)
            ]
            found[way, baseline] = Replayed(errors=errors, results=results)
    return found


def figures(every: Sequence[Mapping[tuple[str, str], Replayed]]) -> list[Quantity]:
    """Return what each way comes to beside each baseline, the study's best model before it."""
    found = []
    for way, baseline in every[0]:
        mine = [one[way, baseline] for one in every]
        errors = np.array([pair for one in mine for pair in one.errors])
        published = BASELINES[baseline]
        a12, r = (
            max(getattr(one, field) for (_, other), one in EFFECTS.items() if other == published)
            for field in ("a12", "r")
        )
        net = max(one.net for (_, other), one in BALANCES.items() if other == published)
        label = f"{way}, beside {published.upper()}"
        effects = (chance_of_less(*errors.T), rank_biserial(*errors.T))
        found.append((f"{label}: A12, r of errors", said((a12, r), 3), said(effects, 3)))
        for kind in Fairness:
            pairs = [one.results[kind] for one in mine]
            share = shares([one for one, _ in pairs], [other for _, other in pairs])
            parts = (share.quality, share.time, share.worse_quality, share.worse_time)
            value = f"{100 * share.net:+.1f} ({said((100 * one for one in parts), 1)})"
            found.append((f"{label}: net ({kind}), %", f"{net:+.1f}", value))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_option(parser)
    parser.add_argument("--resamples", type=int, default=10_000, help="for each interval")
    asked = parser.parse_args(arguments)
    with opened(asked.data) as corpus, ProcessPoolExecutor() as pool:
        work = partial(replayed, corpus, asked.resamples)
        found = list(pool.map(work, tasks(corpus), chunksize=4))
    table("net: better less worse (by quality, by time; worse by these)", figures(found))


if __name__ == "__main__":
    main()
