"""Do KB-KSSD and CP-SSD differ in how far they are from people? The tests of the paper, Section 4.

On the signed errors (reference less prediction) and on their absolute values: sign, Cramér-von
Mises, Kolmogorov-Smirnov, Anderson-Darling and Levene, with p adjusted by Benjamini and Hochberg;
and how each is distributed. Published figures are of 377 series, of which the shared part has 299.
"""

import argparse
import warnings
from collections.abc import Sequence

import numpy as np
from corpus import Corpus, add_option, opened
from scipy import stats

PUBLISHED = {"sign": 0.579, "CvM": 0.514, "KS": 0.111, "AD": 3.615, "Levene": 6.212}


def errors(corpus: Corpus) -> tuple[np.ndarray, np.ndarray]:
    """Return the signed errors of both where people and both call a series steady."""
    pairs = []
    for row in corpus.judged:
        indices = corpus.indices[f"{row['series']}_0"], corpus.starts(row["series"])[0]
        if row["binary"] == "steady" and min(indices) >= 0:
            pairs.append([float(row["reference_index"]) - index for index in indices])
    kb, cp = np.array(pairs).T
    return kb, cp


def tests(kb: np.ndarray, cp: np.ndarray) -> dict[str, tuple[float, float]]:
    """Return the statistic and p of each test; of the sign test the share of the more frequent."""
    less, more = int((kb < cp).sum()), int((kb > cp).sum())
    sign = stats.binomtest(max(less, more), less + more)
    cvm = stats.cramervonmises_2samp(kb, cp)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that p is cut at the ends of a table
        anderson = stats.anderson_ksamp([kb, cp])
    smirnov, levene = stats.ks_2samp(kb, cp), stats.levene(kb, cp)
    return {
        "sign": (sign.statistic, sign.pvalue),
        "CvM": (cvm.statistic, cvm.pvalue),
        "KS": (smirnov.statistic, smirnov.pvalue),
        "AD": (anderson.statistic, anderson.pvalue),
        "Levene": (levene.statistic, levene.pvalue),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_option(parser)
    with opened(parser.parse_args(arguments).data) as corpus:
        kb, cp = errors(corpus)
    print(f"{len(kb)} series; wins of KB-KSSD {(abs(kb) < abs(cp)).sum()}, of CP-SSD "
          f"{(abs(kb) > abs(cp)).sum()}, ties {(abs(kb) == abs(cp)).sum()}")  # fmt: skip
    for kind, (first, second) in {"signed": (kb, cp), "absolute": (abs(kb), abs(cp))}.items():
        result = tests(first, second)
        adjusted = stats.false_discovery_control([p for _, p in result.values()])
        print(
            f"\n{kind} errors: mean {first.mean():.1f} and {second.mean():.1f}, "
            f"standard deviation {first.std(ddof=1):.1f} and {second.std(ddof=1):.1f}, "
            f"median {np.median(first):.0f} and {np.median(second):.0f}; "
            f"of the differences skewness {stats.skew(first - second):.3f}, "
            f"Shapiro {stats.shapiro(first - second).statistic:.3f}"
        )
        for (name, (statistic, p)), q in zip(result.items(), adjusted, strict=True):
            published = f" (published {PUBLISHED[name]})" if kind == "signed" else ""
            print(f"{name:8} {statistic:8.3f}{published}, p {p:.4f}, adjusted {q:.4f}")


if __name__ == "__main__":
    main()
