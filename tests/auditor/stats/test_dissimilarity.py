"""The measures against plain loops by their formulas, and against what must hold for each."""

import zlib
from itertools import combinations

import numpy as np
import pytest
from growth import growth
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from auditor.stats.dissimilarity import (
    Sax,
    compute_five_measures,
    compute_same_measures,
    kolmogorov_smirnov,
    kumar_hassebrook,
    make_sax_words,
    measure_compression,
    measure_correlation,
    measure_cosine,
    measure_deflate_length,
    measure_fourier,
    root_mean_square,
    wave_hedges,
)

MEASURES = [
    measure_correlation,
    measure_compression,
    measure_fourier,
    measure_cosine,
    kolmogorov_smirnov,
    wave_hedges,
    kumar_hassebrook,
    root_mean_square,
]
ANY = st.floats(allow_nan=False, allow_infinity=False)
SHAPES = st.tuples(st.integers(1, 5), st.integers(1, 9))
TAME = st.integers(-8, 8).map(float)


def spread_rows(seed=3, rows=5, n=60):
    """Rows around different levels, positive and negative, none of them constant."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, n)) + rng.normal(size=(rows, 1)) * 2


def by_loop(measure, rows):
    zeros = np.zeros((len(rows), len(rows)))
    for i, j in combinations(range(len(rows)), 2):
        zeros[i, j] = zeros[j, i] = min(max(measure(rows[i], rows[j]), 0), 1)
    return zeros


def plain_correlation(x, y):
    return 1 - max(np.corrcoef(x, y)[0, 1], 0)


def plain_fourier(x, y):
    fx, fy = np.fft.fft(x), np.fft.fft(y)
    return np.linalg.norm(fx - fy) / (np.linalg.norm(fx) + np.linalg.norm(fy))


def plain_cosine(x, y):
    return 1 - max(x @ y / (np.sqrt(x @ x) * np.sqrt(y @ y)), 0)


def plain_kolmogorov_smirnov(x, y):
    return max(abs(np.mean(x <= t) - np.mean(y <= t)) for t in (*x, *y))


def plain_compression(x, y):
    first, second = sorted(make_sax_words(np.array([x, y]), Sax()))
    alone = zip_length(first) + zip_length(second)
    return 2 * zip_length(first + second) / alone - 1


def zip_length(word):
    """Without the 6 bytes of a header and a checksum."""
    return len(zlib.compress(word, 9)) - 6


def plain_wave_hedges(x, y):
    return sum(abs(a - b) / max(a, b) for a, b in zip(x, y, strict=True)) / len(x)


def plain_kumar_hassebrook(x, y):
    return 1 - max(x @ y / (x @ x + y @ y - x @ y), 0)


def plain_root_mean_square(x, y):
    def size(z):
        return np.sqrt(np.mean(z**2))

    return size(x - y) / (size(x) + size(y))


@pytest.mark.parametrize(
    ("measure", "plain"),
    [
        (measure_correlation, plain_correlation),
        (measure_compression, plain_compression),
        (measure_fourier, plain_fourier),
        (measure_cosine, plain_cosine),
        (kolmogorov_smirnov, plain_kolmogorov_smirnov),
        (kumar_hassebrook, plain_kumar_hassebrook),
        (root_mean_square, plain_root_mean_square),
    ],
)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_all_pairs_at_once_are_each_pair_by_its_formula(measure, plain, seed):
    rows = spread_rows(seed)

    result = measure(rows)

    assert result == pytest.approx(by_loop(plain, rows), abs=1e-12)
    assert len(set(result[np.triu_indices(5, 1)])) > 3, "rows that tell nothing apart"


def test_wave_hedges_of_positive_values_is_that_of_the_formula():
    rows = np.exp(spread_rows())

    assert wave_hedges(rows) == pytest.approx(by_loop(plain_wave_hedges, rows), abs=1e-12)


def test_wave_hedges_by_hand_where_values_are_negative_or_zero():
    rows = np.array([[-1.0, 0.0, 2.0, 1.0], [-2.0, 0.0, -2.0, 0.0]])

    assert wave_hedges(rows)[0, 1] == pytest.approx((0.5 + 0 + 1 + 1) / 4)


@given(arrays(np.float64, st.tuples(st.integers(2, 4), st.integers(1, 8)), elements=TAME))
def test_ties_count_at_their_last_value(rows):
    expected = by_loop(plain_kolmogorov_smirnov, rows)

    assert kolmogorov_smirnov(rows) == pytest.approx(expected, abs=1e-12)


def test_the_five_and_the_four_are_in_the_papers_order():
    rows = spread_rows()
    five_measures = [
        measure_correlation,
        measure_compression,
        measure_fourier,
        measure_cosine,
        kolmogorov_smirnov,
    ]
    four_measures = [measure_cosine, wave_hedges, kumar_hassebrook, root_mean_square]

    assert np.array_equal(compute_five_measures(rows), [measure(rows) for measure in five_measures])
    assert np.array_equal(compute_same_measures(rows), [measure(rows) for measure in four_measures])


@pytest.mark.parametrize("measure", MEASURES)
@given(rows=arrays(np.float64, SHAPES, elements=ANY))
def test_whatever_the_values_the_matrix_is_one_of_dissimilarities(measure, rows):
    result = measure(rows)

    assert result.shape == (len(rows), len(rows))
    assert ((result >= 0) & (result <= 1)).all()
    assert np.array_equal(result, result.T)
    assert not result.diagonal().any()


@pytest.mark.parametrize("measure", MEASURES)
@given(rows=arrays(np.float64, SHAPES, elements=ANY), data=st.data())
def test_the_order_of_the_rows_is_of_no_matter(measure, rows, data):
    order = data.draw(st.permutations(range(len(rows))))

    assert measure(rows[order]) == pytest.approx(measure(rows)[np.ix_(order, order)], abs=3e-8)


@pytest.mark.parametrize("measure", MEASURES)
@given(rows=arrays(np.float64, SHAPES, elements=TAME), power=st.integers(-1000, 1000))
def test_the_unit_is_of_no_matter(measure, rows, power):
    assert np.array_equal(measure(np.ldexp(rows, power)), measure(rows))


@pytest.mark.parametrize("measure", MEASURES)
@given(row=arrays(np.float64, st.integers(1, 9), elements=ANY))
def test_equal_rows_are_alike(measure, row):
    assert measure(np.array([row, row, row])) == pytest.approx(0, abs=2e-8)


@pytest.mark.parametrize("measure", [measure_correlation, measure_compression])
def test_a_row_moved_and_stretched_on_its_own_is_no_other_pattern(measure):
    rows = spread_rows()
    moved = rows * np.array([[1.0], [4], [0.5], [1], [2]]) + np.array([[0.0], [0], [3], [8], [0]])

    assert measure(moved) == pytest.approx(measure(rows), abs=1e-12)


@pytest.mark.parametrize(
    "measure", [measure_correlation, measure_fourier, measure_cosine, kolmogorov_smirnov]
)
def test_the_same_shuffle_of_all_rows_changes_only_what_looks_at_patterns(measure):
    rows = spread_rows()
    shuffled = np.random.default_rng(1).permutation(rows, axis=1)

    assert measure(shuffled) == pytest.approx(measure(rows), abs=1e-12)
    assert measure_compression(shuffled) != pytest.approx(measure_compression(rows), abs=1e-3)


def test_only_the_distribution_function_does_not_see_a_row_turned_round():
    row = np.random.default_rng(3).normal(size=3000)
    rows = np.array([row, row[::-1]])

    assert [bool(matrix[0, 1] > 0.25) for matrix in compute_five_measures(rows)] == [
        True,
        True,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("measure", [measure_correlation, measure_cosine, kumar_hassebrook])
def test_opposite_rows_are_as_unlike_as_unrelated_ones(measure):
    row = spread_rows(rows=1)

    assert measure(np.concatenate([row, -row]))[0, 1] == 1


def test_constant_rows_correlate_with_each_other_only():
    rows = np.array([[0.1] * 3, [7.3] * 3, [1.0, 2.0, 3.0]])

    assert measure_correlation(rows).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize(
    "measure", [measure_fourier, measure_cosine, kumar_hassebrook, wave_hedges]
)
def test_rows_of_zeros_are_like_each_other_only(measure):
    rows = np.array([[0.0] * 3, [0.0] * 3, [1.0, 2.0, 3.0]])

    assert measure(rows).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


def test_a_last_digit_is_enough_to_correlate():
    up, down = [1.0, 1 + 2**-52, 1 + 2**-51], [1 + 2**-51, 1 + 2**-52, 1.0]

    result = measure_correlation(np.array([up, down, [1.0, 2.0, 3.0]]))

    assert result == pytest.approx(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]), abs=1e-12)


def test_a_mean_that_is_rounded_to_a_value_does_no_harm():
    rows = np.array([[1.0, 1.0, 1 + 2**-52], [0.0, 1.0, 2.0]])

    assert measure_correlation(rows)[0, 1] == pytest.approx(1 - np.sqrt(3) / 2)


def test_values_too_large_and_too_small_to_be_squared_are_compared():
    rows = np.array([[1e308, -1e308, 1e308], [5e-324, -5e-324, 5e-324], [1e-320] * 3])

    assert measure_cosine(rows)[0] == pytest.approx([0, 0, 2 / 3])
    assert measure_fourier(rows)[0] == pytest.approx([0, 1, 1])
    assert measure_correlation(rows)[0] == pytest.approx([0, 0, 1])


def test_a_word_by_hand():
    """Means of segments -1, 0 and 1, over the standard deviation sqrt(2/3), cut at 0 and 0.67."""
    rows = np.array([[1.0, 1.0, 2.0, 2.0, 3.0, 3.0]])

    assert make_sax_words(rows, Sax(word_length=3, alphabet=4)) == [bytes([0, 2, 3])]


def test_segments_are_as_equal_as_they_can_be():
    """Of 2 and 3 values, with means -0.9 and 0.6; the quartiles are at 0.67 standard deviations."""
    rows = np.array([[-1.58, -0.22, 1.43, -0.23, 0.6]])

    assert make_sax_words(rows, Sax(word_length=2, alphabet=4)) == [bytes([0, 2])]


def test_the_standard_deviation_is_that_of_all_values_and_no_estimate():
    """One standard deviation lies beyond the last fifth at 0.84, and 0.71 would not."""
    assert make_sax_words(np.array([[0.0, 1.0]]), Sax(alphabet=5)) == [bytes([0, 4])]


def test_a_word_is_no_longer_than_its_row_and_a_constant_one_is_its_mean():
    rows = np.array([[0.1, 0.1, 0.1], [0.0, 0.0, 1.0]])

    assert make_sax_words(rows, Sax(word_length=9, alphabet=2)) == [
        bytes([1, 1, 1]),
        bytes([0, 0, 1]),
    ]


def test_symbols_of_normal_values_are_equally_frequent():
    rows = np.random.default_rng(5).normal(size=(1, 40_000))

    (word,) = make_sax_words(rows, Sax(word_length=40_000, alphabet=8))

    assert np.bincount(list(word)) == pytest.approx(np.full(8, 5000), rel=0.05)


def test_compression_knows_a_pattern_again_and_noise_not():
    rng = np.random.default_rng(5)
    noise = rng.normal(size=(2, 3000))
    near_copies = np.array([noise[0], noise[0] + 1e-4 * noise[1]])

    assert measure_compression(noise)[0, 1] > 0.9
    assert 0 < measure_compression(near_copies)[0, 1] < 0.1


def test_a_pattern_shifted_in_time_is_the_same_pattern():
    time = np.arange(3000) * 2 * np.pi / 300

    assert measure_compression(np.array([np.sin(time), np.cos(time)]))[0, 1] < 0.25


def test_another_compressor_can_be_given():
    def squared(word):
        return len(word) ** 2

    result = measure_compression(spread_rows(n=10), compressor=squared)

    assert result[0, 1] == 1, "4 times as long for twice the word, cut at 1"


def test_the_length_is_that_of_the_strongest_compression_without_a_header():
    (word,) = make_sax_words(spread_rows(rows=1, n=3000))

    assert measure_deflate_length(word) == zip_length(word)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    "rows", [np.zeros(3), np.zeros((0, 3)), np.zeros((3, 0)), np.array([[1.0, np.nan]])]
)
def test_what_is_no_matrix_of_numbers_is_refused(measure, rows):
    with pytest.raises(ValueError, match=r"no matrix|not finite"):
        measure(rows)


@pytest.mark.parametrize("bad", [{"word_length": 0}, {"alphabet": 1}, {"alphabet": 257}])
def test_words_that_cannot_be_made_are_refused(bad):
    with pytest.raises(ValueError, match="no words"):
        Sax(**bad)


def test_the_time_grows_with_the_number_of_values_not_with_its_square():
    rows = np.random.default_rng(1).lognormal(size=(10, 12_000))

    assert growth(lambda size: compute_five_measures(rows[:, :size]), 1_500, 12_000) < 24
