"""How alike are the ten runs of each benchmark of the corpus, and how long does that take to say?

Reads the corpus of Traini et al. (timeseries/NAME.json: ten lists of 3,000 values each; the
application is what comes before the first "#"), judges each benchmark, and prints the means of the
five measures by application (Figure 2 of Bauer et al., ICPE 2023) and for each benchmark of
HdrHistogram (Figure 3), whether what the paper says of them holds, and what the heuristic and SAME
call dissimilar. High is above theta, low is not.

With --settings: what M2, which the paper leaves open, says by each size of words and each
compressor of series whose likeness is known, and how long it takes. That needs no corpus.
"""

import argparse
import bz2
import lzma
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from statistics import fmean, median
from time import perf_counter, process_time

import numpy as np
from corpus import Corpus, add_option, opened

from auditor.core.series.similarity import Measure, Similarity
from auditor.measure.run_similarity import PAPER, judge_runs
from auditor.stats.dissimilarity import Compressor, Sax, measure_compression, measure_deflate_length

WORST = "HdrHistogram"
ALMOST_ALL = 0.8
"""The paper says "almost all" of a figure."""

ROWS, VALUES = 4, 3000
"""Series of each kind that --settings compares, all pairs of them."""
LENGTHS, ALPHABETS = (60, 300, 1000, 3000), (4, 8, 20)

Row = Sequence[float]


def main() -> int:
    """Judge and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_option(parser)
    parser.add_argument("--sample", type=int, help="so many benchmarks, evenly over all")
    parser.add_argument("--settings", action="store_true", help="try what M2 is made of instead")
    arguments = parser.parse_args()
    if arguments.settings:
        _settings()
        return 0
    with opened(arguments.data) as corpus:
        names = corpus.names
        if arguments.sample:
            names = names[:: max(1, len(names) // arguments.sample)][: arguments.sample]
        if not names:
            parser.error(f"no benchmarks in {corpus.folder / 'timeseries'}")
        before = perf_counter()
        judged = _judged(corpus, names)
        total_seconds = perf_counter() - before
    by_application: dict[str, dict[str, Row]] = defaultdict(dict)
    for similarity, _ in judged:
        application, _, benchmark = similarity.benchmark.partition("#")
        if similarity.means is not None:
            by_application[application.rpartition("__")[2]][benchmark] = similarity.means
    means = {name: _mean(list(rows.values())) for name, rows in by_application.items()}
    _table("application", means)
    _table(WORST, by_application.get(WORST, {}))
    _statements(means, by_application.get(WORST, {}))
    _calls([similarity for similarity, _ in judged])
    seconds = [value for _, value in judged]
    print(
        f"{fmean(seconds):.3f} s on the processor for each benchmark, {median(seconds):.3f} in the "
        f"middle, {max(seconds):.3f} at most; {total_seconds:.0f} s all"
    )
    return 0


def _judged(corpus: Corpus, names: Sequence[str]) -> list[tuple[Similarity, float]]:
    # a process for each core: more threads in each would only get in each other's way
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        return list(pool.map(partial(_judge, corpus), names, chunksize=4))


def _judge(corpus: Corpus, name: str) -> tuple[Similarity, float]:
    """Return the verdict and the seconds on the processor it took, without reading."""
    runs = corpus.json("timeseries", name)
    before = process_time()
    similarity = judge_runs(name.removesuffix(".json"), runs)
    return similarity, process_time() - before


def _mean(rows: Sequence[Row]) -> Row:
    return [fmean(column) for column in zip(*rows, strict=True)]


def _table(title: str, rows: Mapping[str, Row]) -> None:
    print(f"{title:<70} " + " ".join(f"{name:>5}" for name in (*Measure, "mean")))
    for name, row in rows.items():
        print(f"{name[-70:]:<70} " + " ".join(f"{value:5.2f}" for value in (*row, fmean(row))))
    print()


def _statements(means: Mapping[str, Row], worst: Mapping[str, Row]) -> None:
    m2, m4, m5 = ({name: row[index] for name, row in means.items()} for index in (1, 3, 4))
    _say("M2 is high for every application", *_all(m2, high=True))
    _say("M4 is low for every application", *_all(m4, high=False))
    _say("M5 is low for every application", *_all(m5, high=False))
    least = max(means, key=lambda name: fmean(means[name]))
    _say(f"{WORST} is the least similar", f"it is {least}", holds=least == WORST)
    if worst:
        high = [sum(row[index] > PAPER.theta for row in worst.values()) for index in range(4)]
        counts = ", ".join(f"M{number} {count}" for number, count in enumerate(high, 1))
        _say(
            f"in it, M1 to M4 are high for at least {ALMOST_ALL:.0%}",
            f"of {len(worst)}: {counts}",
            holds=min(high) >= ALMOST_ALL * len(worst),
        )
    print()


def _all(values: Mapping[str, float], *, high: bool) -> tuple[str, bool]:
    exceptions = [name for name, value in values.items() if (value > PAPER.theta) is not high]
    size = f"{min(values.values()):.2f} to {max(values.values()):.2f}"
    return (
        f"{size}, not so for {len(exceptions)} of {len(values)} {' '.join(exceptions[:4])}",
        not exceptions,
    )


def _say(statement: str, figures: str, holds: bool) -> None:  # noqa: FBT001 as _all returns it
    print(f"{'holds' if holds else 'does not hold'}: {statement} ({figures.strip()})")


def _calls(similarities: Sequence[Similarity]) -> None:
    groups = [similarity.clusters for similarity in similarities if similarity.clusters is not None]
    for name, count in (
        ("the heuristic", sum(similarity.dissimilar is True for similarity in similarities)),
        ("SAME", sum(group.has_divergent_runs for group in groups)),
        (
            "both",
            sum(
                bool(similarity.dissimilar and similarity.clusters.has_divergent_runs)
                for similarity in similarities
                if similarity.clusters
            ),
        ),
    ):
        share = count / len(similarities)
        print(f"dissimilar by {name}: {count} of {len(similarities)} ({share:.0%})")
    with_outliers = sum(bool(similarity.outlier_runs) for similarity in similarities)
    outside = sum(bool(group.outside) for group in groups)
    print(
        f"some run stands apart in {with_outliers}, "
        f"is outside of the main group of SAME in {outside}"
    )


def _settings() -> None:
    """Print M2 of series that are known to be alike or not, for words of several kinds.

    `same` are rows of noise that differ by a hundredth of it, `waves` ten equal waves with a tenth
    of noise each, `noise` rows that have nothing in common. `time` is that of comparing the latter,
    over that of the settings that are used.
    """
    draw = np.random.default_rng(1)
    noise = draw.normal(size=(ROWS, VALUES))
    waves = np.sin(np.arange(VALUES) * 20 * np.pi / VALUES)
    kinds = (noise[0] + 0.01 * noise, waves + 0.1 * noise, noise)
    usual = _seconds(noise, PAPER.sax, PAPER.compressor)
    print(f"{'compressor':<10} {'length':>6} {'symbols':>7}  same waves noise    time")
    for name, compressor in COMPRESSORS.items():
        for sax in (
            Sax(word_length=length, alphabet=many) for length in LENGTHS for many in ALPHABETS
        ):
            same, similar, unlike = (_m2(rows, sax, compressor) for rows in kinds)
            took = _seconds(noise, sax, compressor) / usual
            print(
                f"{name:<10} {sax.word_length:>6} {sax.alphabet:>7} {same:5.2f} {similar:5.2f} "
                f"{unlike:5.2f} {took:7.1f}{_mark(sax, compressor)}"
            )


def _mark(sax: Sax, compressor: Compressor) -> str:
    return "  used" if (sax, compressor) == (PAPER.sax, PAPER.compressor) else ""


def _m2(rows: np.ndarray, sax: Sax, compressor: Compressor) -> float:
    """Return the mean over all pairs."""
    result = measure_compression(rows, sax=sax, compressor=compressor)
    return float(result[np.triu_indices(len(rows), 1)].mean())


def _seconds(rows: np.ndarray, sax: Sax, compressor: Compressor) -> float:
    """Return the least time of three on the processor, whatever runs beside it."""
    times = []
    for _ in range(3):
        before = process_time()
        measure_compression(rows, sax=sax, compressor=compressor)
        times.append(process_time() - before)
    return min(times)


def _bzip2(word: bytes) -> int:
    return len(bz2.compress(word))


def _lzma(word: bytes) -> int:
    chain = [{"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": 1 << 16}]
    return len(lzma.compress(word, format=lzma.FORMAT_RAW, filters=chain))


def _lzw(word: bytes) -> int:
    """Return the bits of the codes; each is as wide as the table has grown to need."""
    table = {bytes([index]) for index in range(256)}
    bits, start = 0, 0
    for end in range(1, len(word) + 1):
        if word[start : end + 1] not in table or end == len(word):
            bits += len(table).bit_length()
            table.add(word[start : end + 1])
            start = end
    return bits


def _repair(word: bytes) -> int:
    """Return the symbols that are left, and two for each pair that a new one stands for."""
    left, symbols = list(word), 256
    while len(left) > 1:
        pair, times = Counter(pairwise(left)).most_common(1)[0]
        if times < 2:
            break
        left = _replaced(left, pair, symbols)
        symbols += 1
    return len(left) + 2 * (symbols - 256)


def _replaced(left: Sequence[int], pair: tuple[int, int], symbol: int) -> list[int]:
    numbers: list[int] = []
    index = 0
    while index < len(left):
        hit = index + 1 < len(left) and (left[index], left[index + 1]) == pair
        numbers.append(symbol if hit else left[index])
        index += 2 if hit else 1
    return numbers


COMPRESSORS: dict[str, Compressor] = {
    "DEFLATE": measure_deflate_length,
    "bzip2": _bzip2,
    "LZMA": _lzma,
    "LZW": _lzw,
    "Re-Pair": _repair,
}
"""The last two do what the paper says in words: a recurring pattern is replaced by a symbol."""


if __name__ == "__main__":
    sys.exit(main())
