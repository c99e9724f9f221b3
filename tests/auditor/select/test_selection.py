"""Choices among small random suites, beside all choices that there are."""

from itertools import combinations, pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from auditor.select.judge import Candidate, choose_cheapest, choose_removal, choose_within_budget

METHODS = "klmnopq"
SPREADS = st.sampled_from([None, 0.01, 0.2, 0.7])


def watcher(name, seconds, detects, spread=0.0):
    return Candidate(id=name, seconds=seconds, max_spread=spread, detects=frozenset(detects))


SUITES = st.lists(
    st.builds(
        Candidate,
        id=st.sampled_from("abcdefg"),
        seconds=st.integers(1, 9).map(float),
        max_spread=SPREADS,
        detects=st.frozensets(st.sampled_from(METHODS), max_size=4),
    ),
    unique_by=lambda candidate: candidate.id,
    max_size=7,
)
BUDGETS = st.integers(0, 40).map(float)
LARGEST = st.sampled_from([0, 200])


def list_subsets(suite):
    return [subset for size in range(len(suite) + 1) for subset in combinations(suite, size)]


def detected(subset):
    return frozenset[str]().union(*(candidate.detects for candidate in subset))


def seconds(subset):
    return sum(candidate.seconds for candidate in subset)


def weight(subset):
    return sum(candidate.weighted_seconds for candidate in subset)


@given(SUITES)
def test_everything_is_detected_by_the_cheapest_benchmarks(suite):
    choice = choose_cheapest(suite)

    least = min(
        weight(subset) for subset in list_subsets(suite) if detected(subset) == detected(suite)
    )
    assert choice.cheapest
    assert choice.methods == detected(choice.watchers) == detected(suite)
    assert weight(choice.watchers) == pytest.approx(least, abs=0.01)


@given(SUITES, BUDGETS)
def test_the_most_that_a_budget_can_detect_is_known_and_can_be_had(suite, budget):
    choice = choose_within_budget(suite, budget, nested=False)

    most = max(len(detected(subset)) for subset in list_subsets(suite) if seconds(subset) <= budget)
    least = min(
        weight(subset)
        for subset in list_subsets(suite)
        if seconds(subset) <= budget and len(detected(subset)) == most
    )
    assert choice.total_seconds <= budget
    assert (choice.most, choice.proven, len(choice.methods)) == (most, True, most)
    assert weight(choice.watchers) == pytest.approx(least, abs=0.01)


CONFLICTING = [watcher("a", 2.0, "kl"), watcher("b", 3.0, "mno")]
"""The best for 2 s is not among the best for 3 s: one of them must be less than it could."""
BEYOND = [watcher("a", 4.0, "klmn"), watcher("b", 3.0, "kq")]
"""What is cheaper than the best next one, but detects what that one does not."""


@given(SUITES, st.lists(BUDGETS, max_size=6), LARGEST)
@example(CONFLICTING, [2.0, 3.0, 5.0], 200)
@example(BEYOND, [3.0, 4.0, 7.0], 200)
@example(BEYOND, [3.0, 4.0, 7.0], 0)
def test_a_larger_budget_never_loses_a_method(suite, budgets, largest):
    choices = [choose_within_budget(suite, budget, largest=largest) for budget in sorted(budgets)]

    for less, more in pairwise(choices):
        assert less.methods <= more.methods or not less.nested
        assert more.nested or not less.methods or not less.nested


@given(SUITES, BUDGETS, LARGEST, st.booleans())
@example(BEYOND, 3.0, 200, True)
@example(BEYOND, 3.0, 0, True)
def test_something_is_chosen_where_a_benchmark_fits(suite, budget, largest, nested):
    choice = choose_within_budget(suite, budget, nested=nested, largest=largest)

    assert bool(choice.methods) == any(
        candidate.detects and candidate.seconds <= budget for candidate in suite
    )
    assert choice.nested or choice.methods or not nested


@pytest.mark.parametrize("dear", [2.0, 2.5])
def test_a_benchmark_that_a_better_one_makes_useless_is_no_rung(dear):
    suite = [watcher("a", 2.0, "kmo"), watcher("b", dear, "ko", 0.0), watcher("c", 1.5, "m")]

    choices = [choose_within_budget(suite, seconds) for seconds in (1.5, 2.0)]

    assert [("".join(sorted(choice.methods)), choice.nested) for choice in choices] == [
        ("m", True),
        ("kmo", True),
    ]


def test_of_two_that_add_as_much_per_second_the_cheaper_is_the_first_rung():
    suite = [watcher("a", 4.0, "kl"), watcher("b", 2.0, "m"), watcher("c", 2.0, "")]

    assert choose_within_budget(suite, 3.0).nested
    assert choose_within_budget(suite, 3.0).methods == {"m"}


def test_a_conflict_is_named_only_where_a_smaller_budget_detects_more():
    same_time = [watcher("a", 2.0, "k"), watcher("b", 2.0, "lm", 5.0)]

    assert choose_within_budget(CONFLICTING, 3.0).conflicting == {"k", "l"}
    assert choose_within_budget(CONFLICTING, 5.0).conflicting == frozenset()
    assert [len(choose_within_budget(same_time, 2.0).methods)] == [1]
    assert choose_within_budget(same_time, 2.0).conflicting == frozenset()


@given(SUITES, BUDGETS, LARGEST, st.booleans())
def test_a_choice_keeps_to_its_budget_and_to_what_it_says(suite, budget, largest, nested):
    choice = choose_within_budget(suite, budget, nested=nested, largest=largest)

    most = max(len(detected(subset)) for subset in list_subsets(suite) if seconds(subset) <= budget)
    assert choice.total_seconds <= budget
    assert choice.methods == detected(choice.watchers)
    assert len(choice.methods) <= most <= choice.most
    assert not choice.proven or choice.most == most


@given(st.lists(st.floats(0.0001, 9.0), max_size=6), st.floats(0.0, 30.0), LARGEST, st.booleans())
def test_times_that_are_no_whole_numbers_are_kept_to_and_bound_the_choice(
    times, budget, largest, nested
):
    suite = [
        watcher("abcdef"[index], duration, METHODS[index : index + 2])
        for index, duration in enumerate(times)
    ]

    choice = choose_within_budget(suite, budget, nested=nested, largest=largest)

    most = max(len(detected(subset)) for subset in list_subsets(suite) if seconds(subset) <= budget)
    assert choice.total_seconds <= budget + 1e-6
    assert len(choice.methods) <= most <= choice.most
    assert not choice.proven or choice.most == most


@pytest.mark.parametrize("nested", [True, False])
@pytest.mark.parametrize(("time", "budget"), [(0.0304, 0.305), (0.1, 0.3), (1 / 3, 1.0)])
def test_a_budget_that_is_as_long_as_the_suite_or_hardly_longer_runs_it(time, budget, nested):
    count = int(budget / time + 0.001)
    suite = [watcher(letter, time, letter) for letter in "abcdefghij"[:count]]

    choice = choose_within_budget(suite, budget, nested=nested)

    assert (len(choice.methods), choice.most, choice.proven) == (count, count, True)
    assert choice.cheapest


def test_a_choice_that_fits_only_by_the_rounding_of_its_times_is_not_made():
    suite = [watcher("long", 1000.0, ""), watcher("a", 1.0004, "kl"), watcher("b", 1.0, "k")]

    choice = choose_within_budget(suite, 1.0003, nested=False)

    assert [candidate.id for candidate in choice.watchers] == ["b"]
    assert (choice.most, choice.proven, choice.cheapest) == (1, True, True)


@given(SUITES, LARGEST)
def test_a_budget_for_everything_keeps_everything(suite, largest):
    enough = choose_cheapest(suite, largest=largest).total_seconds + 0.01 * len(suite)

    assert choose_within_budget(suite, enough, largest=largest).methods == detected(suite)


@given(SUITES, BUDGETS)
def test_the_order_of_the_benchmarks_decides_nothing(suite, budget):
    assert choose_within_budget(suite, budget) == choose_within_budget(suite[::-1], budget)


def test_what_two_budgets_cannot_both_have_at_its_best_is_nested_or_most():
    assert [len(choose_within_budget(CONFLICTING, budget).methods) for budget in (2, 3, 5)] == [
        2,
        2,
        5,
    ]
    assert [
        len(choose_within_budget(CONFLICTING, budget, nested=False).methods) for budget in (2, 3, 5)
    ] == [
        2,
        3,
        5,
    ]
    assert choose_within_budget(CONFLICTING, 3).most == 3


def test_cheaper_benchmarks_are_used_below_a_dear_one_that_detects_what_they_do():
    suite = [watcher("dear", 9.0, "klmnopq"), *(watcher(letter, 3.0, letter) for letter in "kl")]

    assert [len(choose_within_budget(suite, budget).methods) for budget in (2, 3, 6, 9)] == [
        0,
        1,
        2,
        7,
    ]


@pytest.mark.parametrize(
    ("stable", "shaky", "expected"),
    [(1.0, 1.0, "stable"), (1.2, 1.0, "stable"), (2.0, 1.0, "shaky")],
)
def test_a_stable_benchmark_is_preferred_unless_it_is_much_dearer(stable, shaky, expected):
    suite = [watcher("stable", stable, "k", 0.01), watcher("shaky", shaky, "k", 0.5)]

    (candidate,) = choose_within_budget(suite, 10.0).watchers
    assert candidate.id == expected


def test_a_benchmark_without_a_spread_is_no_stable_one():
    suite = [watcher("known", 1.0, "k", 0.9), watcher("unknown", 1.0, "k", None)]

    assert [candidate.id for candidate in choose_cheapest(suite).watchers] == ["known"]


OPEN = st.frozensets(st.tuples(st.sampled_from(METHODS), st.sampled_from("abcdefg")), max_size=6)


@given(SUITES, OPEN, LARGEST)
def test_without_what_can_go_every_detection_stays(suite, open_pairs, largest):
    open_pairs = {
        (method, name)
        for method, name in open_pairs
        if not any(candidate.id == name and method in candidate.detects for candidate in suite)
    }
    result = choose_removal(suite, open_pairs=open_pairs, unknown=(), largest=largest)

    kept_ids = {candidate.id for candidate in result.remaining.watchers}
    removed_ids = {candidate.id for candidate, _ in result.removed}
    assert kept_ids | removed_ids == {candidate.id for candidate in suite}
    assert not kept_ids & removed_ids
    assert result.remaining.methods == detected(suite)
    for candidate, watched in result.removed:
        assert [method for method, _ in watched] == sorted(candidate.detects)
        assert all(detector_ids and set(detector_ids) <= kept_ids for _, detector_ids in watched)
        stable = {item.id for item in result.remaining.watchers if not item.is_unstable}
        assert candidate.is_unstable or all(stable & set(names) for _, names in watched)


@pytest.mark.parametrize(
    ("spread", "removed"), [(0.51, ["shaky"]), (0.5, ["steady"]), (None, ["steady"])]
)
def test_what_a_stable_benchmark_detects_keeps_a_stable_benchmark(spread, removed):
    suite = [watcher("steady", 10.0, "k", 0.01), watcher("shaky", 1.0, "k", spread)]

    result = choose_removal(suite, open_pairs=(), unknown=())

    assert [candidate.id for candidate, _ in result.removed] == removed
    assert [candidate.detects for candidate in result.remaining.watchers] == [{"k"}]


@given(SUITES, OPEN)
def test_a_benchmark_that_may_be_the_only_one_to_notice_a_method_stays(suite, open_pairs):
    result = choose_removal(suite, open_pairs=open_pairs, unknown=())

    nobodys = {method for method, _ in open_pairs} - detected(suite)
    may = {name for method, name in open_pairs if method in nobodys}
    assert not may & {candidate.id for candidate, _ in result.removed}
    assert set(result.undecided) == may


def test_a_benchmark_that_could_not_be_measured_stays():
    suite = [watcher("a", 1.0, "k"), watcher("b", 1.0, "")]

    result = choose_removal(suite, open_pairs=(), unknown=["b"])

    assert result.removed == ()
    assert result.unknown == ("b",)
