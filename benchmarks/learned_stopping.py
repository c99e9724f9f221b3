"""Learned stopping of the warm-up (ASE 2024): what is learned from, beside what was published.

Reads a folder in the layout of the shared set (or the public whole). Prints how many segments its
steady forks give, by class, and how large the folds are.
"""

import argparse
from collections.abc import Sequence

from corpus import Corpus, add_option, opened
from quantities import Quantity, said, table

from auditor.training.folds import by_benchmark, by_system
from auditor.training.segments import WINDOW, segments

LENGTH = 3000


def counts(corpus: Corpus) -> list[Quantity]:
    """Return how many segments of each class the steady forks give."""
    found = [
        segments(start, LENGTH)
        for name in corpus.names
        for start in corpus.starts(name)
        if start >= 0
    ]
    stable = sum(int(one.stable.sum()) for one in found)
    whole = sum(len(one.starts) for one in found)
    folds = by_benchmark(corpus.names)
    return [
        ("steady forks", "5219", said([len(found)])),
        (
            f"segments of {WINDOW}: unstable, stable",
            "144975, 376925",
            said([whole - stable, stable]),
        ),
        ("segments", "521900", said([whole])),
        ("benchmarks of the folds", "119, 118, 117, 117, 115 *", said(map(len, folds))),
        ("systems", "30", said([sum(1 for _ in by_system(corpus.names))])),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_option(parser)
    with opened(parser.parse_args(arguments).data) as corpus:
        table("what is learned from", counts(corpus))


if __name__ == "__main__":
    main()
