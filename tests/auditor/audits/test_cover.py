from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from auditor.audits.cover import minimal_cover

MATRIX = st.dictionaries(
    st.sampled_from("klmnopq"), st.frozensets(st.sampled_from("abcdefg")), max_size=7
)


def covers(chosen, matrix):
    return all(set(chosen) & found for found in matrix.values() if found)


def smallest(matrix):
    return next(n for n in range(8) if any(covers(c, matrix) for c in combinations("abcdefg", n)))


@given(MATRIX)
def test_the_cover_keeps_the_score_and_is_as_small_as_can_be(matrix):
    found = minimal_cover(matrix)

    assert covers(found.benchmarks, matrix)
    assert found.exact
    assert len(found.benchmarks) == found.minimum == smallest(matrix)


@given(MATRIX)
def test_no_benchmark_of_a_cover_can_be_left_out(matrix):
    chosen = set(minimal_cover(matrix).benchmarks)

    assert not any(covers(chosen - {one}, matrix) for one in chosen)


def test_greedy_alone_would_take_three_where_two_do():
    matrix = {
        "k": {"big", "left"},
        "l": {"big", "left"},
        "m": {"big", "right"},
        "n": {"big", "right"},
        "o": {"left"},
        "p": {"right"},
    }

    assert minimal_cover(matrix).benchmarks == ("left", "right")


def test_a_search_that_is_given_up_says_how_many_it_takes_at_least():
    # any two of these share a benchmark, so disjoint methods prove no more than one
    matrix = {"k": {"ab", "ac"}, "l": {"ab", "bc"}, "m": {"ac", "bc"}}

    found = minimal_cover(matrix, most_steps=1)

    assert covers(found.benchmarks, matrix)
    assert (len(found.benchmarks), found.minimum, found.exact) == (2, 1, False)
    assert minimal_cover(matrix).exact


def test_nothing_detected_needs_no_benchmark():
    found = minimal_cover({"k": frozenset()})

    assert (found.benchmarks, found.minimum, found.exact) == ((), 0, True)
