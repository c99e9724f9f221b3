from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.abs.judge.cover import build_density_curve, find_minimal_cover

MATRIX = st.dictionaries(
    st.sampled_from("klmnopq"), st.frozensets(st.sampled_from("abcdefg")), max_size=7
)


def covers(benchmarks, matrix):
    return all(set(benchmarks) & detectors for detectors in matrix.values() if detectors)


def smallest(matrix):
    return next(n for n in range(8) if any(covers(c, matrix) for c in combinations("abcdefg", n)))


@given(MATRIX)
def test_the_cover_keeps_the_score_and_is_as_small_as_can_be(matrix):
    cover = find_minimal_cover(matrix)

    assert covers(cover.benchmarks, matrix)
    assert cover.exact
    assert len(cover.benchmarks) == cover.minimum == smallest(matrix)


@given(MATRIX)
def test_no_benchmark_of_a_cover_can_be_left_out(matrix):
    cover = set(find_minimal_cover(matrix).benchmarks)

    assert not any(covers(cover - {text}, matrix) for text in cover)


def test_greedy_alone_would_take_three_where_two_do():
    matrix = {
        "k": {"big", "left"},
        "l": {"big", "left"},
        "m": {"big", "right"},
        "n": {"big", "right"},
        "o": {"left"},
        "p": {"right"},
    }

    assert find_minimal_cover(matrix).benchmarks == ("left", "right")


def test_of_several_smallest_covers_it_is_the_first_by_name():
    matrix = {"k": {"c", "a"}, "l": {"b", "d"}, "m": {"e", "d", "b"}}

    assert find_minimal_cover(matrix).benchmarks == ("a", "b")
    assert find_minimal_cover(dict(reversed(matrix.items()))).benchmarks == ("a", "b")


@pytest.mark.parametrize("limits", [{"largest": 0}, {"seconds": 0.0}])
@given(MATRIX)
def test_a_cover_that_is_not_searched_for_says_how_many_it_takes_at_least(limits, matrix):
    cover = find_minimal_cover(matrix, **limits)

    assert covers(cover.benchmarks, matrix)
    assert cover.minimum <= smallest(matrix) <= len(cover.benchmarks)
    assert cover.exact == (cover.minimum == len(cover.benchmarks))


def test_two_hundred_benchmarks_have_a_proven_cover():
    rng = np.random.default_rng(3)
    matrix = {
        f"m{index}": {f"b{integer}" for integer in rng.integers(0, 200, 4)} for index in range(60)
    }

    cover = find_minimal_cover(matrix)

    assert covers(cover.benchmarks, matrix)
    assert cover.exact
    assert cover.minimum == len(cover.benchmarks)


@given(MATRIX)
def test_the_density_curve_grows_to_all_that_is_detected(matrix):
    curve = build_density_curve(matrix)

    detected = sum(map(bool, matrix.values()))
    numbers = [
        sum(
            bool(set(detectors) & {step.benchmark for step in curve[:size]})
            for detectors in matrix.values()
        )
        for size in range(1, len(curve) + 1)
    ]
    assert [step.methods for step in curve] == numbers
    assert [step.benchmarks for step in curve] == list(range(1, len(curve) + 1))
    assert [step.percent for step in curve] == [100 * number / len(matrix) for number in numbers]
    assert not curve or curve[-1].methods == detected


@given(MATRIX)
def test_no_choice_of_so_many_benchmarks_detects_more_than_the_curve_allows(matrix):
    for step in build_density_curve(matrix):
        best = max(
            sum(bool(set(subset) & detectors) for detectors in matrix.values())
            for subset in combinations("abcdefg", step.benchmarks)
        )
        assert step.methods <= best <= step.most


def test_nothing_detected_needs_no_benchmark():
    cover = find_minimal_cover({"k": frozenset()})

    assert (cover.benchmarks, cover.minimum, cover.exact) == ((), 0, True)
