"""How unlike the rows of a matrix are, pair by pair: nine measures of two kinds.

Each takes a matrix (rows, n) of finite values, such as one row for each repeated run, and returns
the symmetric matrix (rows, rows) of its dissimilarities, without a unit: from 0 (alike, as on the
diagonal) to 1. All raise ValueError for another shape and for values that are not finite. None
overflows, as rows are scaled by powers of two before they are squared. The first five are M1 to M5
of Bauer et al. (ICPE 2023, Section 3.1), the others those of SAME (Section 2.3).
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from auditor.stats.arrays import Array

Compressor = Callable[[bytes], int]
"""Returns the length of its argument when compressed, above zero, in any unit."""
_FARTHEST = 1000
"""Powers of two between two lengths beyond which the shorter one is nothing beside the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sax:
    """How a series becomes a word (Lin et al. 2007, Symbolic Aggregate approXimation).

    `word_length` is the number of symbols, or that of the values where they are fewer; `alphabet`
    the number of different symbols, at most 256.
    """

    word_length: int = 1000
    alphabet: int = 8

    def __post_init__(self) -> None:
        """Refuse what makes no words."""
        if self.word_length < 1 or not 2 <= self.alphabet <= 256:
            raise ValueError(f"no words of {self.word_length} symbols from {self.alphabet}")


DEFAULT_SAX = Sax()


def measure_deflate_length(word: bytes) -> int:
    """Return the length in bytes, compressed by DEFLATE without a header."""
    return len(zlib.compress(word, level=9, wbits=-zlib.MAX_WBITS))


def compute_five_measures(
    rows: Array, *, sax: Sax = DEFAULT_SAX, compressor: Compressor = measure_deflate_length
) -> tuple[Array, ...]:
    """Return M1 to M5, in this order."""
    return (
        measure_correlation(rows),
        measure_compression(rows, sax=sax, compressor=compressor),
        measure_fourier(rows),
        measure_cosine(rows),
        kolmogorov_smirnov(rows),
    )


def measure_correlation(rows: Array) -> Array:
    """Return M1, 1 - max(rho, 0) with the correlation rho of Pearson.

    A constant row has none: two of them are alike, and one is unlike any other row.
    """
    units, constant = _standardise_rows(_check_matrix(rows))
    distances = 1 - np.maximum(units @ units.T, 0)
    distances[np.ix_(constant, constant)] = 0
    return _clip_distances(distances)


def measure_compression(
    rows: Array, *, sax: Sax = DEFAULT_SAX, compressor: Compressor = measure_deflate_length
) -> Array:
    """Return M2, 2 c(XY) / (c(X) + c(Y)) - 1 with the compressed lengths c of SAX words.

    XY begins with the word that sorts first, so that the order of the rows is of no matter; what a
    compressor needs to repeat a word is not counted where both are the same.
    """
    lines = make_sax_words(rows, sax)
    alone = [compressor(word) for word in lines]
    distances = np.zeros((len(lines), len(lines)))
    for i, first in enumerate(lines):
        for j, second in enumerate(lines[:i]):
            if first != second:
                joint_length = compressor(min(first, second) + max(first, second))
                distances[i, j] = distances[j, i] = 2 * joint_length / (alone[i] + alone[j]) - 1
    return _clip_distances(distances)


def measure_fourier(rows: Array) -> Array:
    """Return M3, |F(X) - F(Y)| / (|F(X)| + |F(Y)|) with Fourier transforms F and Euclidean norms.

    By Parseval's theorem these are the norms of the series themselves times the same factor. Equal
    rows may differ by up to 2e-8, the root of what rounding leaves of a difference of squares.
    """
    return _relative_distance(rows)


def measure_cosine(rows: Array) -> Array:
    """Return M4, 1 - max(cos, 0) with the cosine <X, Y> / (|X| |Y|).

    Two rows of zeros are alike, and one is unlike any other row.
    """
    return _clip_distances(1 - np.maximum(_compute_angles(rows)[0], 0))


def kolmogorov_smirnov(rows: Array) -> Array:
    """Return M5, the largest difference of the two empirical distribution functions."""
    ordered = np.sort(_check_matrix(rows), axis=1)
    row_ranks = np.array([np.searchsorted(row, row, side="right") for row in ordered])
    # both functions are steps up at values: where they differ most, there is a value of one
    distances = np.array(
        [
            np.abs(
                np.searchsorted(row, ordered.ravel(), side="right").reshape(row_ranks.shape)
                - row_ranks
            )
            .max(axis=1)
            .astype(np.float64)
            for row in ordered
        ]
    )
    return _clip_distances(np.maximum(distances, distances.T) / ordered.shape[1])


def compute_same_measures(rows: Array) -> tuple[Array, ...]:
    """Return the four measures of SAME, all as dissimilarities.

    The cosine, Wave-Hedges, Kumar-Hassebrook, and the root mean squared error.
    """
    return measure_cosine(rows), wave_hedges(rows), kumar_hassebrook(rows), root_mean_square(rows)


def wave_hedges(rows: Array) -> Array:
    """Return the mean of |x - y| / max(x, y) over the positions.

    Of values with different signs it is 1, of two that are negative as without the signs, of two
    zeros 0.
    """
    sizes, signs = np.abs(_check_matrix(rows)), np.sign(rows)
    distances = np.zeros((len(sizes), len(sizes)))
    for index, (size, sign) in enumerate(zip(sizes, signs, strict=True)):
        larger = np.maximum(size, sizes)
        share = np.divide(
            np.minimum(size, sizes), larger, out=np.ones_like(sizes), where=larger > 0
        )
        distances[index] = 1 - np.where(sign * signs < 0, 0, share).mean(axis=1)
    return _clip_distances(distances)


def kumar_hassebrook(rows: Array) -> Array:
    """Return 1 - max(s, 0) with s = <X, Y> / (|X|^2 + |Y|^2 - <X, Y>).

    Two rows of zeros are alike, and one is unlike any other row.
    """
    cosines, ratios = _compute_angles(rows)
    product = ratios * cosines
    return _clip_distances(1 - np.maximum(product / (1 + ratios**2 - product), 0))


def root_mean_square(rows: Array) -> Array:
    """Return the root mean squared error over the largest one that series of such sizes can have.

    That is the sum of their root mean squares. The error is that of `measure_fourier`.
    """
    return _relative_distance(rows)


def make_sax_words(rows: Array, sax: Sax = DEFAULT_SAX) -> list[bytes]:
    """Return the SAX word of each row, a byte below `sax.alphabet` for each symbol.

    Rows are normalised to mean 0 and standard deviation 1, cut into segments as equal as they can
    be, and the means of these cut at equally likely quantiles of the normal distribution. The
    values of a constant row are all its mean.
    """
    units, _ = _standardise_rows(_check_matrix(rows))
    n = units.shape[1]
    length = min(n, sax.word_length)
    starts = np.arange(length) * n // length
    sums = np.add.reduceat(units, starts, axis=1) * np.sqrt(n)
    cuts = special.ndtri(np.arange(1, sax.alphabet) / sax.alphabet)
    symbols = np.searchsorted(cuts, sums / np.diff(starts, append=n), side="right")
    return [row.tobytes() for row in symbols.astype(np.uint8)]


def _check_matrix(rows: Array) -> Array:
    if rows.ndim != 2 or not rows.size:
        raise ValueError(f"no matrix of rows: {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("a value is not finite")
    return rows


def _scale_rows(rows: Array) -> tuple[Array, npt.NDArray[np.int32]]:
    """Return rows whose largest sizes lie in [0.5, 1), and by which powers of two they were more.

    Such a product is exact, except for values that are nothing beside the largest of their row.
    """
    exponents = np.frexp(np.abs(rows).max(axis=1))[1]
    return np.ldexp(rows, -exponents[:, None]), exponents


def _standardise_rows(rows: Array) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return the rows with mean 0 and Euclidean norm 1, and which of them are constant (all 0)."""
    constant = rows.min(axis=1) == rows.max(axis=1)
    lifted = _scale_rows(rows)[0]
    # the least value is taken off first: rounding in the mean of large values may exceed their
    # differences, which are what counts
    lifted = _scale_rows(lifted - lifted.min(axis=1, keepdims=True))[0]
    lifted -= lifted.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(lifted, axis=1, keepdims=True)
    return lifted / np.where(constant[:, None], 1, norms), constant


def _compute_angles(rows: Array) -> tuple[Array, Array]:
    """Return the cosine of each pair, and the length of the shorter row over that of the longer."""
    scaled, exponents = _scale_rows(_check_matrix(rows))
    norms = np.linalg.norm(scaled, axis=1)
    zero = norms == 0
    norms[zero] = 1
    units = scaled / norms[:, None]
    cosines = np.clip(units @ units.T, -1, 1)
    exponent_gaps = np.clip(exponents[:, None] - exponents, -_FARTHEST, _FARTHEST)
    ratios = np.ldexp(norms[:, None] / norms, exponent_gaps)
    ratios = np.minimum(ratios, ratios.T)
    ratios[zero, :] = ratios[:, zero] = 0
    zero_pairs = np.ix_(zero, zero)
    cosines[zero_pairs] = ratios[zero_pairs] = 1
    return cosines, ratios


def _relative_distance(rows: Array) -> Array:
    """Return |X - Y| / (|X| + |Y|), by the law of cosines."""
    cosines, ratios = _compute_angles(rows)
    squares = (1 - ratios) ** 2 + 2 * ratios * (1 - cosines)
    return _clip_distances(np.sqrt(squares) / (1 + ratios))


def _clip_distances(distances: Array) -> Array:
    """Return what rounding, and a compressor's overhead, may have left outside of [0, 1] inside."""
    np.fill_diagonal(distances, 0)
    return np.clip(distances, 0, 1)
