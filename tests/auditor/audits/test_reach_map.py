import pytest
from builders import benchmark, counted, crashed, method, run, window

from auditor.audits.reach import State, most_called, reach_map, reach_of, usage
from auditor.core.plan import Purpose

K = method("k").id


def test_the_difference_of_two_windows_cancels_set_up():
    """Three calls of set-up, two in each operation."""
    found = reach_of(counted(window(10, {K: 23}), window(110, {K: 223})), K)

    assert (found.state, found.calls_per_operation) == (State.IN_LOOP, 2.0)


def test_equal_counts_are_set_up_only():
    found = reach_of(counted(window(10, {K: 3}), window(110, {K: 3})), K)

    assert (found.state, found.may_be_in_loop) == (State.SET_UP_ONLY, False)


def test_no_call_at_all_is_not_reached():
    assert reach_of(counted(window(10, {}), window(110, {})), K).state is State.NOT_AT_ALL


def test_a_negative_difference_is_unknown_and_treated_as_reached():
    found = reach_of(counted(window(10, {K: 9}), window(110, {K: 3})), K)

    assert (found.state, found.calls_per_operation) == (State.UNKNOWN, None)
    assert found.may_be_in_loop
    assert len(found.caveats) == 1


def test_windows_of_one_size_do_not_tell_set_up_from_the_loop():
    found = reach_of(counted(window(10, {K: 9}), window(10, {K: 9})), K)

    assert found.state is State.UNKNOWN


def test_set_up_that_is_counted_apart_needs_no_difference():
    outcome = counted(window(10, {K: 20}), outside={K: 5, "s": 1}, set_up_apart=True)

    assert reach_of(outcome, K).calls_per_operation == pytest.approx(2.0)
    assert reach_of(outcome, "s").state is State.SET_UP_ONLY


def test_a_nested_call_in_any_window_is_remembered():
    assert reach_of(counted(window(10, {K: 20}, [K]), window(20, {K: 40})), K).nested


def test_a_counting_process_that_failed_leaves_the_pair_to_be_measured():
    found = reach_map([run(crashed(), purpose=Purpose.REACH)], [method("k")])

    assert found[K, benchmark().id].state is State.UNKNOWN


def test_usage_is_summed_over_benchmarks():
    runs = [
        run(counted(window(10, {K: 20}), window(100, {K: 200})), purpose=Purpose.REACH),
        run(counted(window(0, {K: 7, "s": 1})), purpose=Purpose.USAGE),
        run(crashed(), purpose=Purpose.REACH),
    ]

    assert usage(runs) == {K: 207, "s": 1}


def test_the_most_called_are_taken_and_a_tie_at_the_cut_is_said():
    chosen, caveat = most_called({"a": 3, "b": 9, "c": 3, "d": 0}, 2)

    assert chosen == ("b", "a")
    assert caveat.slug == "methods-auto"
    assert "1 more" in caveat.text
