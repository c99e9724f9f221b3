from dataclasses import replace

import pytest
from builders import benchmark, counted, crashed, method, run, timed_out, window

from auditor.core.outcome import NotBuilt, Skipped
from auditor.core.plan import Purpose
from auditor.core.result import ReachState
from auditor.measure.reach_judge import (
    count_method_calls,
    describe_counting,
    find_single_call_benchmarks,
    incomplete_order,
    judge_reach,
    most_called,
    reach_map,
)

K = method("k").id
COUNT_DESCRIPTION = "code outside the library calls most while the subject's own benchmarks ran"


def reach_of(outcome, method):
    return judge_reach(outcome, [method])[method]


def test_the_difference_of_two_windows_cancels_set_up():
    """Three calls of set-up, two in each operation."""
    reach = reach_of(counted(window(10, {K: 23}), window(110, {K: 223})), K)

    assert (reach.state, reach.calls_per_operation) == (ReachState.IN_LOOP, 2.0)


def test_equal_counts_are_set_up_only():
    reach = reach_of(counted(window(10, {K: 3}), window(110, {K: 3})), K)

    assert (reach.state, reach.may_be_in_loop) == (ReachState.SET_UP_ONLY, False)


def test_no_call_at_all_is_not_reached():
    assert reach_of(counted(window(10, {}), window(110, {})), K).state is ReachState.NOT_AT_ALL


def test_a_negative_difference_is_unknown_and_treated_as_reached():
    reach = reach_of(counted(window(10, {K: 9}), window(110, {K: 3})), K)

    assert (reach.state, reach.calls_per_operation) == (ReachState.UNKNOWN, None)
    assert reach.may_be_in_loop
    assert len(reach.caveats) == 1


def test_windows_of_one_size_do_not_tell_set_up_from_the_loop():
    reach = reach_of(counted(window(10, {K: 9}), window(10, {K: 9})), K)

    assert reach.state is ReachState.UNKNOWN


def test_set_up_that_is_counted_apart_needs_no_difference():
    outcome = counted(window(10, {K: 20}), outside={K: 5, "s": 1}, set_up_apart=True)

    assert reach_of(outcome, K).calls_per_operation == pytest.approx(2.0)
    assert reach_of(outcome, "s").state is ReachState.SET_UP_ONLY


def test_a_nested_call_in_any_window_is_remembered():
    assert reach_of(counted(window(10, {K: 20}, [K]), window(20, {K: 40})), K).nested


def test_blocks_that_hold_no_set_up_are_added_up():
    outcome = counted(window(12, {K: 0}), window(8, {K: 2}), set_up_apart=True)
    reach = reach_of(outcome, K)

    assert (reach.state, reach.calls_per_operation) == (ReachState.IN_LOOP, 0.1)
    assert count_method_calls([run(outcome, purpose=Purpose.REACH)]) == {K: 2}


def test_a_counting_process_that_failed_leaves_the_pair_to_be_measured():
    result = reach_map([run(crashed(), purpose=Purpose.REACH)], [method("k")])

    assert result[K, benchmark().id].state is ReachState.UNKNOWN


def test_one_call_held_all_blocks_only_of_what_was_counted_and_says_so():
    document = {
        "one": counted(window(10, {K: 9}), in_one_call=True),
        "many": counted(window(10, {K: 9})),
        "failed": crashed(),
    }
    runs = [
        run(outcome, purpose=Purpose.REACH, of_benchmark=benchmark(name))
        for name, outcome in document.items()
    ]

    assert find_single_call_benchmarks(runs) == {benchmark("one").id}


def test_usage_is_summed_over_benchmarks():
    runs = [
        run(counted(window(10, {K: 20}), window(100, {K: 200})), purpose=Purpose.REACH),
        run(counted(window(0, {K: 7, "s": 1})), purpose=Purpose.USAGE),
        run(crashed(), purpose=Purpose.REACH),
    ]

    assert count_method_calls(runs) == {K: 207, "s": 1}


def test_calls_that_the_library_makes_itself_do_not_count():
    shares = ((K, 0.75), ("s", 1.0))
    outcome = replace(counted(window(10, {K: 20, "s": 9, "u": 3})), library_shares=shares)

    assert count_method_calls([run(outcome, purpose=Purpose.REACH)]) == {K: 5, "s": 0, "u": 3}


def test_calls_of_the_library_count_where_there_are_no_others_and_that_is_said():
    outcome = replace(counted(window(10, {K: 20})), library_shares=((K, 1.0),))
    runs = [run(outcome, purpose=Purpose.REACH)]

    assert count_method_calls(runs) == {K: 20}
    assert describe_counting(runs, [], 1, 0) == (
        "the library itself calls most (no code outside of it calls any) while the subject's "
        "own benchmarks ran"
    )


def test_the_most_called_are_taken_and_a_tie_at_the_cut_is_said():
    methods, (caveat,) = most_called(
        {"a": 3, "b": 9, "c": 3, "d": 0}, 2, {}, COUNT_DESCRIPTION, "abcd"
    )

    assert methods == ("b", "a")
    assert caveat.slug == "methods-auto"
    assert "1 more" in caveat.text


def test_where_no_method_can_be_slowed_no_count_is_awaited():
    method_ids, (caveat,) = most_called({}, 2, {}, COUNT_DESCRIPTION, ())

    assert method_ids == ()
    assert caveat.text == "no method was chosen, as no public method can be slowed"


@pytest.mark.parametrize(
    ("most", "countable", "slug"),
    [
        (2, "ab", "methods-all"),
        (9, "ab", "methods-all"),
        (1, "ab", "methods-auto"),
        (2, "abc", "methods-auto"),
    ],
)
def test_a_choice_that_leaves_none_out_favours_nothing(most, countable, slug):
    """Python's guest tells only of methods that were called: `c` is not among the calls."""
    _, (caveat,) = most_called({"a": 3, "b": 9}, most, {}, COUNT_DESCRIPTION, countable)

    assert caveat.slug == slug
    assert f"{len(countable)} countable" in caveat.text or slug == "methods-all"
    assert ("users may call others" in caveat.text) == (slug == "methods-auto")


@pytest.mark.parametrize(
    ("calls", "left_out", "reason"),
    [
        ({}, {}, "no method was chosen yet, as no calls were counted"),
        ({"a": 0}, {}, "no method was chosen, as none was called; name the methods"),
        (
            {"a": 3},
            {"a": "it has no body"},
            "no method was chosen, as none of those called can be slowed; name the methods",
        ),
    ],
)
def test_where_no_method_can_be_chosen_the_reason_is_said(calls, left_out, reason):
    methods, (caveat, *_) = most_called(calls, 2, left_out, COUNT_DESCRIPTION, "a")

    assert methods == ()
    assert caveat.text == reason


def test_what_cannot_be_slowed_gives_its_place_to_the_next_and_is_said_in_one_line():
    left_out = {"b": "# package b\nb.go:1: no\nb.go:2: no", "e": "x" * 999}
    calls = {"a": 3, "b": 9, "c": 3, "e": 5}

    methods, (selection_caveat, omission_caveat) = most_called(
        calls, 2, left_out, COUNT_DESCRIPTION, calls
    )

    assert methods == ("a", "c")
    assert "of 4 called" in selection_caveat.text
    assert omission_caveat.slug == "methods-left-out"
    assert "b: b.go:1: no; e: xxx" in omission_caveat.text
    assert len(omission_caveat.text) < 400


COUNTS = counted(window(0, {K: 7}))


def build_usage_runs(*outcomes, purpose=Purpose.USAGE):
    return [run(outcome, purpose=purpose) for outcome in outcomes]


@pytest.mark.parametrize(
    ("tests", "message"),
    [
        (build_usage_runs(COUNTS), "the subject's own benchmarks and unit tests ran"),
        (build_usage_runs(Skipped("a Java subject")), "the subject's own benchmarks ran"),
        (
            build_usage_runs(crashed()),
            "ran (part of the counts is missing: the unit tests (exit code 2: panic",
        ),
        (
            build_usage_runs(timed_out()),
            "missing: the unit tests (ended by the watchdog after 60 s",
        ),
        ([], "ran (part of the counts is missing: the unit tests, for which no time was left)"),
        (
            build_usage_runs(replace(COUNTS, missing="the tests of a")),
            "tests ran (part of the counts is miss",
        ),
    ],
)
def test_unit_tests_are_named_only_where_they_were_counted(tests, message):
    text = describe_counting(build_usage_runs(COUNTS), tests, 1, 1)

    assert message in text


def of_packages(outcomes):
    runs = {name: run(outcome, purpose=Purpose.USAGE) for name, outcome in outcomes.items()}
    return [
        replace(trial_run, trial=replace(trial_run.trial, benchmark=None, tests=name))
        for name, trial_run in runs.items()
    ]


def test_packages_whose_unit_tests_were_not_counted_to_their_end_are_named_in_one_phrase():
    tests = of_packages(
        {
            "whole": COUNTS,
            "late": replace(COUNTS, missing="some fail or do not end"),
            "broken": NotBuilt("no"),
            "bad": crashed(),
        }
    )

    text = describe_counting(build_usage_runs(COUNTS), tests, 1, 6)
    (order,) = incomplete_order(tests, 6)

    message = (
        "unit tests fail, do not end or do not build in 3 of 6 packages: bad, broken, late; the "
        "unit tests of 2 of 6 packages, for which no time was left"
    )
    assert text == (
        "code outside the library calls most while the subject's own benchmarks and unit tests ran "
        f"(part of the counts is missing: {message})"
    )
    assert order.text.endswith(f"unit tests: {message}")


def test_of_many_packages_some_are_named():
    tests = of_packages({f"p{number}": crashed() for number in range(8)})

    assert "in 8 of 8 packages: p0, p1, p2, p3, p4 and 3 more" in describe_counting([], tests, 0, 8)


def test_nothing_is_missing_of_unit_tests_that_ended_or_are_not_there():
    tests = of_packages({"whole": COUNTS, "none": Skipped("it has none")})

    assert "missing" not in describe_counting([], tests, 0, 2)
    assert incomplete_order(tests[:1], 1) == ()
    assert describe_counting([], [], 0, 0) == COUNT_DESCRIPTION


def test_benchmarks_whose_calls_were_not_counted_are_counted():
    text = describe_counting(
        build_usage_runs(COUNTS, crashed(), purpose=Purpose.REACH), build_usage_runs(COUNTS), 4, 1
    )

    assert text.endswith("(part of the counts is missing: 3 of 4 benchmarks)")


def test_less_called_methods_do_not_tie_with_the_last_one_taken():
    calls = {"a": 9, "b": 5, "c": 4, "d": 3}

    top_methods, (caveat,) = most_called(calls, 2, {}, COUNT_DESCRIPTION, calls)

    assert top_methods == ("a", "b")
    assert "tie" not in caveat.text
