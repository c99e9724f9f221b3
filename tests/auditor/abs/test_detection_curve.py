import pytest
from builders import pair_verdict_of

from auditor.abs.judge.curve import (
    SIZES,
    SlowdownSearch,
    begin_searches,
    build_suite_curve,
    find_least_detected,
    most_steps,
)
from auditor.abs.model import PairRun
from auditor.core.caveats import Caveat
from auditor.core.request import CurveMode
from auditor.core.result import Verdict


def verdict(outcome, benchmark="toy.long", method="toy.hop", **more):
    return pair_verdict_of(method=method, benchmark=benchmark, outcome=outcome, **more)


def detected(benchmark, effect, noise):
    slowed = tuple(1 + effect + noise * sign for sign in (-1, 1, -1, 1))
    run = PairRun(
        effect=effect,
        interval=(0.31, 1.0),
        p=0.001,
        significant=True,
        large=True,
        reference=(1.0,) * 4,
        slowed=slowed,
    )
    return verdict(Verdict.DETECTED, benchmark, effect=effect, threshold=0.3, runs=(run,))


def searched(least, begin=0.5, sizes=SIZES):
    """Search with a suite that detects everything from `least` on; return what was measured."""
    search = SlowdownSearch(method="toy.hop", benchmark="toy.long", sizes=sizes)
    tried, size = [], begin
    while size is not None:
        tried.append(size)
        search.add_step(size, verdict(Verdict.DETECTED if size >= least else Verdict.MISSED))
        size = search.next
    return search.build_curve(), tried


@pytest.mark.parametrize(
    ("least", "unnoticed"),
    [(0.05, None), (0.1, 0.05), (0.2, 0.1), (0.3, 0.2), (0.5, 0.3), (1.0, 0.5), (2.0, 1.0)],
)
def test_the_search_ends_between_noticed_and_not(least, unnoticed):
    curve, tried = searched(least)

    assert (curve.slowdown, curve.unnoticed) == (least, unnoticed)
    assert len(tried) - 1 <= most_steps(0.5) == 3
    assert len(set(tried)) == len(tried)
    assert [step.slowdown for step in curve.steps] == sorted(tried)


def test_what_is_never_noticed_has_no_size():
    curve, _ = searched(100.0)

    assert (curve.slowdown, curve.unnoticed) == (None, 5.0)


def test_what_is_undecided_is_not_said_to_go_unnoticed():
    search = SlowdownSearch(method="toy.hop", benchmark="toy.long", sizes=(0.1, 0.3, 0.6))
    for size in search.sizes:
        search.add_step(size, verdict(Verdict.INCONCLUSIVE))
    assert (search.build_curve().slowdown, search.build_curve().unnoticed) == (None, None)

    search.add_step(0.1, verdict(Verdict.MISSED))
    search.add_step(0.6, verdict(Verdict.DETECTED))
    assert (search.build_curve().slowdown, search.build_curve().unnoticed) == (0.6, 0.1)


def test_a_search_that_the_time_ended_goes_no_further():
    search = SlowdownSearch(method="toy.hop", benchmark="toy.long", sizes=(0.1, 0.3, 0.6))
    search.add_step(0.6, verdict(Verdict.DETECTED))
    search.add_step(0.1, verdict(Verdict.UNMEASURED))

    assert search.next is None
    assert (search.build_curve().slowdown, search.build_curve().unnoticed) == (0.6, None)


def test_runs_that_are_missing_have_not_shown_that_nothing_is_noticed():
    search = SlowdownSearch(method="toy.hop", benchmark="toy.long", sizes=(0.1, 0.3, 0.6))
    caveats = (Caveat("unfinished", "1 of 2 runs were made"),)
    search.add_step(0.6, verdict(Verdict.INCONCLUSIVE, caveats=caveats))

    assert (search.build_curve().slowdown, search.build_curve().unnoticed) == (None, None)
    assert search.next is None


def test_a_method_of_which_runs_are_missing_is_not_searched_by_another_pair():
    caveats = (Caveat("unfinished", "1 of 2 runs were made"),)
    unfinished = verdict(Verdict.INCONCLUSIVE, "toy.a", caveats=caveats, share=0.9)
    missed = verdict(Verdict.MISSED, "toy.b", share=0.4)

    assert begin_searches([unfinished, missed], 0.6, CurveMode.METHODS, fixed=True) == []
    assert len(begin_searches([missed], 0.6, CurveMode.METHODS, fixed=True)) == 1


def test_a_method_of_which_only_a_limit_of_the_share_is_known_may_be_noticed_later():
    missed = verdict(Verdict.MISSED, share_at_most=0.2)

    (begin_search,) = begin_searches([missed], 0.6, CurveMode.METHODS, fixed=True)

    assert begin_search.next == 2.0
    assert begin_searches([verdict(Verdict.MISSED)], 0.6, CurveMode.METHODS, fixed=True) == []


def test_what_arrived_counts_where_it_was_far_more_than_asked_for():
    search = SlowdownSearch(method="toy.hop", benchmark="toy.long", sizes=(0.1, 0.6))
    search.add_step(0.1, verdict(Verdict.DETECTED, achieved_slowdown=0.25))

    assert search.build_curve().slowdown == 0.25


@pytest.mark.parametrize(
    "evidence", [{"decided_by": "share"}, {"caveats": (Caveat("scaled-back", "to 10 %"),)}]
)
def test_a_verdict_about_the_size_asked_for_is_one_whatever_arrived(evidence):
    search = SlowdownSearch(method="toy.hop", benchmark="toy.long", sizes=(0.1, 0.6))
    search.add_step(0.1, verdict(Verdict.DETECTED, achieved_slowdown=0.25, **evidence))

    assert search.build_curve().slowdown == 0.1


def test_the_benchmark_with_the_clearest_margin_is_taken():
    pairs = [detected("toy.noisy", 0.6, 0.25), detected("toy.calm", 0.5, 0.01)]

    (begin_search,) = begin_searches(pairs, 0.6, CurveMode.METHODS, fixed=False)
    searches = begin_searches(pairs, 0.6, CurveMode.PAIRS, fixed=False)

    assert begin_search.benchmark == "toy.calm"
    assert [search.benchmark for search in searches] == ["toy.calm", "toy.noisy"]
    assert begin_searches(pairs, 0.6, CurveMode.NONE, fixed=False) == []


def test_by_our_rule_a_miss_is_a_miss_at_any_size():
    near_caveat = Caveat("near-threshold", "in one run of two")
    pairs = [
        verdict(Verdict.MISSED, share=0.2, effect=0.1),
        verdict(Verdict.INCONCLUSIVE, "toy.far", effect=0.5),
        verdict(
            Verdict.INCONCLUSIVE,
            "toy.near",
            effect=0.3,
            method_seconds=1e-6,
            caveats=(near_caveat,),
        ),
    ]

    (our_search,) = begin_searches(pairs, 0.6, CurveMode.METHODS, fixed=False)
    (gate_search,) = begin_searches(pairs[:1], 0.6, CurveMode.METHODS, fixed=True)

    assert (our_search.benchmark, our_search.next) == ("toy.near", 2.0)
    assert (gate_search.benchmark, gate_search.next) == ("toy.long", 2.0)


def test_the_curve_of_the_suite_counts_methods_up_to_each_size():
    first = SlowdownSearch(method="a", benchmark="x", sizes=SIZES)
    first.add_step(0.1, verdict(Verdict.DETECTED, method="a"))
    second = SlowdownSearch(method="b", benchmark="x", sizes=SIZES)
    second.add_step(0.5, verdict(Verdict.DETECTED, method="b"))

    curve = build_suite_curve([first, second], 0.5, ["a", "b", "c"])

    assert [(point.slowdown, point.covered) for point in curve.points] == [
        (0.05, 0), (0.1, 1), (0.2, 1), (0.3, 1), (0.5, 2), (1.0, 2), (2.0, 2), (5.0, 2),
    ]  # fmt: skip
    assert {point.counted for point in curve.points} == {3}


def test_the_least_that_a_benchmark_noticed_is_known_over_all_its_methods():
    searches = []
    for method, benchmark, noticed in (
        ("toy.hop", "A", {0.5: True, 0.2: True, 0.1: False}),
        ("toy.skip", "A", {0.5: True, 0.3: False}),
        ("toy.hop", "B", {0.5: False}),
    ):
        search = SlowdownSearch(method, benchmark, SIZES)
        for size, is_noticed in noticed.items():
            outcome = Verdict.DETECTED if is_noticed else Verdict.MISSED
            search.add_step(size, verdict(outcome, benchmark, method))
        searches.append(search)

    assert find_least_detected(searches) == {"A": 0.2}
