"""How alike are the ten runs of each benchmark of the corpus, and how long does that take to say?

Reads the corpus of Traini et al. (timeseries/NAME.json: ten lists of 3,000 values each; the
application is what comes before the first "#"), judges each benchmark, and prints the means of the
five measures by application (Figure 2 of Bauer et al., ICPE 2023) and for each benchmark of
HdrHistogram (Figure 3), whether what the paper says of them holds, and what the heuristic and SAME
call dissimilar. High is above theta, low is not.
"""

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from statistics import fmean
from time import perf_counter

from corpus import Corpus, add_option, opened

from auditor.audits.similarity import PAPER, judge
from auditor.core.similarity import Measure, Similarity

WORST = "HdrHistogram"
ALMOST_ALL = 0.8
"""The paper says "almost all" of a figure."""

Row = Sequence[float]


def main() -> int:
    """Judge and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_option(parser)
    parser.add_argument("--sample", type=int, help="so many benchmarks, evenly over all")
    asked = parser.parse_args()
    with opened(asked.data) as corpus:
        names = corpus.names
        if asked.sample:
            names = names[:: max(1, len(names) // asked.sample)][: asked.sample]
        if not names:
            parser.error(f"no benchmarks in {corpus.folder / 'timeseries'}")
        before = perf_counter()
        judged = _judged(corpus, names)
        whole = perf_counter() - before
    by_application: dict[str, dict[str, Row]] = defaultdict(dict)
    for found, _ in judged:
        application, _, benchmark = found.benchmark.partition("#")
        if found.means is not None:
            by_application[application.rpartition("__")[2]][benchmark] = found.means
    means = {name: _mean(list(rows.values())) for name, rows in by_application.items()}
    _table("application", means)
    _table(WORST, by_application.get(WORST, {}))
    _statements(means, by_application.get(WORST, {}))
    _calls([found for found, _ in judged])
    seconds = [one for _, one in judged]
    print(
        f"{fmean(seconds):.3f} s for each benchmark, {max(seconds):.3f} at most; {whole:.0f} s all"
    )
    return 0


def _judged(corpus: Corpus, names: Sequence[str]) -> list[tuple[Similarity, float]]:
    # a process for each core: more threads in each would only get in each other's way
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        return list(pool.map(partial(_judge, corpus), names, chunksize=4))


def _judge(corpus: Corpus, name: str) -> tuple[Similarity, float]:
    """Return the verdict and the seconds it took, without reading."""
    runs = corpus.json("timeseries", name)
    before = perf_counter()
    found = judge(name.removesuffix(".json"), runs)
    return found, perf_counter() - before


def _mean(rows: Sequence[Row]) -> Row:
    return [fmean(column) for column in zip(*rows, strict=True)]


def _table(title: str, rows: Mapping[str, Row]) -> None:
    print(f"{title:<70} " + " ".join(f"{name:>5}" for name in (*Measure, "mean")))
    for name, row in rows.items():
        print(f"{name[-70:]:<70} " + " ".join(f"{value:5.2f}" for value in (*row, fmean(row))))
    print()


def _statements(means: Mapping[str, Row], worst: Mapping[str, Row]) -> None:
    m2, m4, m5 = ({name: row[at] for name, row in means.items()} for at in (1, 3, 4))
    _say("M2 is high for every application", *_all(m2, high=True))
    _say("M4 is low for every application", *_all(m4, high=False))
    _say("M5 is low for every application", *_all(m5, high=False))
    least = max(means, key=lambda name: fmean(means[name]))
    _say(f"{WORST} is the least similar", f"it is {least}", holds=least == WORST)
    if worst:
        high = [sum(row[at] > PAPER.theta for row in worst.values()) for at in range(4)]
        counts = ", ".join(f"M{at} {count}" for at, count in enumerate(high, 1))
        _say(
            f"in it, M1 to M4 are high for at least {ALMOST_ALL:.0%}",
            f"of {len(worst)}: {counts}",
            holds=min(high) >= ALMOST_ALL * len(worst),
        )
    print()


def _all(values: Mapping[str, float], *, high: bool) -> tuple[str, bool]:
    others = [name for name, value in values.items() if (value > PAPER.theta) is not high]
    size = f"{min(values.values()):.2f} to {max(values.values()):.2f}"
    return f"{size}, not so for {len(others)} of {len(values)} {' '.join(others[:4])}", not others


def _say(statement: str, figures: str, holds: bool) -> None:  # noqa: FBT001 as _all returns it
    print(f"{'holds' if holds else 'does not hold'}: {statement} ({figures.strip()})")


def _calls(found: Sequence[Similarity]) -> None:
    groups = [one.clusters for one in found if one.clusters is not None]
    for name, count in (
        ("the heuristic", sum(one.dissimilar is True for one in found)),
        ("SAME", sum(one.dissimilar for one in groups)),
        (
            "both",
            sum(bool(one.dissimilar and one.clusters.dissimilar) for one in found if one.clusters),
        ),
    ):
        print(f"dissimilar by {name}: {count} of {len(found)} ({count / len(found):.0%})")
    apart = sum(bool(one.apart) for one in found)
    outside = sum(bool(one.outside) for one in groups)
    print(f"some run stands apart in {apart}, is outside of the main group of SAME in {outside}")


if __name__ == "__main__":
    sys.exit(main())
