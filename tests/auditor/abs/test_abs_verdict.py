from dataclasses import replace

import pytest
from builders import benchmark, benchmark_verdict, method, pair_verdict, stability
from hypothesis import given
from hypothesis import strategies as st

from auditor.abs.judge.abs_score import (
    AbsData,
    MethodData,
    absolute_exclusion,
    judge_audit,
    relative_exclusion,
)
from auditor.abs.judge.detection import NOT_MEASURED
from auditor.abs.model import Density, PairRun, RuleCount
from auditor.core.caveats import BUDGET, SO_FAR, Caveat
from auditor.core.request import DetectionRule
from auditor.core.result import ReachState, Verdict

TABLE_5 = {
    "caffeine": (89, 4),
    "JCTools": (169, 8),
    "Log4j2": (437, 22),
    "protostuff": (31, 2),
    "bleve": (70, 4),
    "etcd": (41, 2),
    "fasthttp": (99, 5),
    "gin": (16, 1),
    "otto": (49, 2),
}
CALM = ("A", "B", "C")
PAIRS = st.lists(
    st.tuples(st.sampled_from("klm"), st.sampled_from(CALM), st.sampled_from(list(Verdict))),
    unique_by=lambda pair: pair[:2],
)


def audit(pair_outcomes=(), *, methods="klm", benchmarks=None, **more):
    given_methods = tuple(
        method_data
        if isinstance(method_data, MethodData)
        else MethodData(method=method(method_data))
        for method_data in methods
    )
    values = {
        "slowdown": 0.6,
        "slowdown_source": "fixed",
        "rule": DetectionRule.OURS,
        "methods": given_methods,
        "pairs": tuple(pair_verdict(*pair_outcome) for pair_outcome in pair_outcomes),
        "stability": stability(benchmarks or [benchmark_verdict(name) for name in CALM]),
    }
    return judge_audit(AbsData(**(values | more)))


def spreads(*values):
    return [benchmark_verdict(f"B{index:03}", value) for index, value in enumerate(values)]


@pytest.mark.parametrize(("benchmarks", "excluded"), TABLE_5.values(), ids=TABLE_5)
def test_the_relative_score_leaves_out_as_many_as_table_5_says(benchmarks, excluded):
    assert len(relative_exclusion(spreads(*range(benchmarks)))) == excluded


def test_rxjava_is_the_one_subject_of_table_5_that_rounding_misses_by_one():
    """The table has 50 of 983; neither round (49) nor floor, which fails others, gives them all."""
    assert len(relative_exclusion(spreads(*range(983)))) == 49


def test_the_least_stable_leave_the_relative_score_the_last_by_name_among_equals_stay():
    texts = relative_exclusion(spreads(*[0.1] * 9, 0.3, *[0.2] * 9, 0.2))

    assert texts == (benchmark("B009").id,)


def test_incomplete_benchmarks_are_in_the_total_only():
    spread_verdicts = spreads(0.1, None, 0.9)

    assert relative_exclusion(spread_verdicts) == (benchmark("B001").id,)
    assert absolute_exclusion(spread_verdicts) == (benchmark("B001").id, benchmark("B002").id)


def test_a_max_spread_of_exactly_a_half_stays_in_the_absolute_score():
    assert absolute_exclusion(spreads(0.5)) == ()


def test_the_score_counts_methods_that_some_benchmark_detects():
    result = audit(
        [
            ("k", "A", Verdict.DETECTED),
            ("k", "B", Verdict.MISSED),
            ("l", "A", Verdict.MISSED),
            ("m", "A", Verdict.INCONCLUSIVE),
        ]
    )

    assert (result.total.covered, result.total.counted) == (1, 3)
    assert result.total.percent == pytest.approx(100 / 3)
    assert result.total.bounds == pytest.approx((100 / 3, 200 / 3))
    assert result.whole_list is None


def test_what_an_excluded_benchmark_detects_is_not_covered_and_what_it_leaves_open_is_decided():
    wild = [benchmark_verdict("A", 0.9), benchmark_verdict("B"), benchmark_verdict("C")]
    pairs = [
        ("k", "A", Verdict.DETECTED),
        ("k", "B", Verdict.CRASHED),
        ("l", "A", Verdict.INCONCLUSIVE),
        ("l", "B", Verdict.MISSED),
    ]

    result = audit(pairs, methods="kl", benchmarks=wild)

    assert result.total.bounds == (50.0, 100.0)
    assert result.absolute.excluded_benchmarks == (benchmark("A").id,)
    assert result.absolute.bounds == (0.0, 50.0)


def test_invalid_and_refused_methods_leave_the_denominator_and_stay_in_the_whole_list():
    methods = [
        MethodData(method=method("k")),
        MethodData(method=method("l", refusal="no body")),
        MethodData(method=method("m"), invalid="does not compile"),
        MethodData(method=method("n")),
    ]

    result = audit([("k", "A", Verdict.DETECTED), ("n", "A", Verdict.INVALID)], methods=methods)

    assert [method_verdict.outcome for method_verdict in result.methods] == [
        Verdict.DETECTED,
        Verdict.REFUSED,
        Verdict.INVALID,
        Verdict.INVALID,
    ]
    assert [method_verdict.reason for method_verdict in result.methods[1:3]] == [
        "no body",
        "does not compile",
    ]
    assert (result.total.percent, result.total.counted) == (100.0, 1)
    assert (result.whole_list.percent, result.whole_list.counted) == (25.0, 4)
    assert result.whole_list.bounds == (25.0, 25.0)


def test_no_method_is_no_score():
    result = audit(methods=[])

    assert (result.total.percent, result.total.bounds, result.total.counted) == (None, None, 0)


def test_benchmarks_know_what_they_alone_detect():
    result = audit(
        [
            ("k", "A", Verdict.DETECTED),
            ("l", "A", Verdict.DETECTED),
            ("l", "B", Verdict.DETECTED),
            ("m", "B", Verdict.MISSED),
        ]
    )

    first, second, third = result.stability.benchmarks
    assert (first.unique, first.shared) == ((method("k").id,), (method("l").id,))
    assert (second.unique, second.shared) == ((), (method("l").id,))
    assert (third.unique, third.shared) == ((), ())
    assert result.cover.benchmarks == (benchmark("A").id,)
    assert result.methods[2].reached_by == (benchmark("B").id,)


def test_only_calls_that_were_counted_or_slowed_are_claimed():
    unknown = {"reach": ReachState.UNKNOWN}
    measured = one_run(significant=True, large=True, effect=0.5)
    pairs = (
        pair_verdict("k", "A", Verdict.UNMEASURED, **unknown),
        pair_verdict("k", "B", Verdict.CRASHED, **unknown),
        pair_verdict("k", "C", Verdict.INCONCLUSIVE, runs=(measured,), **unknown),
        pair_verdict("l", "A", Verdict.TIMED_OUT),
    )

    result = audit(methods="kl", pairs=pairs)

    assert [method_verdict.reached_by for method_verdict in result.methods] == [
        (benchmark("C").id,),
        (benchmark("A").id,),
    ]


def test_a_miss_is_not_called_unmeasured_where_a_pair_was_and_else_has_the_nearest_pairs_reason():
    run = PairRun(effect=0.1, interval=None, p=1.0, significant=False, large=False,
                  reference=(1.0,), slowed=(1.1,))  # fmt: skip
    far_pair, near_pair = (
        replace(
            pair_verdict("k", name, Verdict.MISSED), share_at_most=most, reason=f"at most {most}"
        )
        for name, most in (("A", 0.1), ("B", 0.2))
    )
    measured_pair = replace(pair_verdict("k", "C", Verdict.MISSED), runs=(run,))

    (unmeasured,) = audit(methods="k", pairs=(far_pair, near_pair)).methods
    (measured,) = audit(methods="k", pairs=(far_pair, near_pair, measured_pair)).methods

    assert (unmeasured.outcome, unmeasured.reason) == (Verdict.MISSED, "at most 0.2")
    invalid = replace(pair_verdict("k", "D", Verdict.INVALID), reason="does not compile")
    (failed,) = audit(methods="k", pairs=(far_pair, invalid)).methods
    assert (failed.outcome, failed.reason) == (Verdict.INCONCLUSIVE, "does not compile")
    assert (measured.outcome, measured.reason) == (Verdict.MISSED, None)


def test_how_many_benchmarks_miss_a_method_is_said_where_others_were_not_measured():
    missed = [pair_verdict("k", name, Verdict.MISSED) for name in "AB"]
    unmeasured = replace(pair_verdict("k", "C", Verdict.UNMEASURED), reason="not measured yet")

    (method,) = audit(methods="k", pairs=(*missed, unmeasured)).methods

    assert (method.outcome, method.reason) == (
        Verdict.INCONCLUSIVE,
        "missed in 2 of 3 benchmarks; 1 not measured yet",
    )
    outside = replace(unmeasured, benchmark="", reason="7 benchmarks are not in the sample")
    (sampled,) = audit(methods="k", pairs=(*missed, outside)).methods
    assert sampled.reason == "missed in 2 of 2 benchmarks; 7 benchmarks are not in the sample"


def test_set_up_only_is_told_from_not_at_all():
    in_set_up = pair_verdict("k", "B", Verdict.UNREACHED, reach=ReachState.SET_UP_ONLY)
    unreached_pairs = [pair_verdict(letter, "A", Verdict.UNREACHED) for letter in "kl"]
    few = [benchmark_verdict("A")]

    result = audit(methods="kl", pairs=(in_set_up, *unreached_pairs), benchmarks=few)
    crashed = [*few, benchmark_verdict("F", None)]
    doubtful = audit(methods="l", pairs=(unreached_pairs[1],), benchmarks=crashed)

    first, second = result.methods
    assert (first.outcome, first.set_up_in) == (Verdict.UNREACHED, (benchmark("B").id,))
    assert first.reason == "called in set-up only, by 1 benchmark"
    assert (second.set_up_in, second.reason) == ((), "no benchmark calls it")
    assert "could be measured" in doubtful.methods[0].reason


def test_a_method_has_the_caveats_of_the_pairs_that_may_reach_it():
    near_caveats = [Caveat("near-threshold", text) for text in ("first", "second")]
    pairs = (
        pair_verdict(
            "k", "A", Verdict.INCONCLUSIVE, caveats=(near_caveats[0], Caveat("overshoot", "by 9"))
        ),
        pair_verdict("k", "B", Verdict.INCONCLUSIVE, caveats=(near_caveats[1],)),
        pair_verdict("k", "C", Verdict.UNREACHED, caveats=(Caveat("no-reach", "failed"),)),
    )

    (method_verdict,) = audit(methods="k", pairs=pairs).methods

    assert method_verdict.caveats == (
        Caveat("near-threshold", "in 2 benchmarks, such as: first"),
        Caveat("overshoot", "by 9"),
    )


def test_without_any_spread_there_is_no_relative_and_no_absolute_score():
    single = replace(
        stability([benchmark_verdict("A", None), benchmark_verdict("B", None)]), runs=1
    )
    single = replace(single, caveats=(Caveat("few-runs", "1 run"),))

    result = audit([("k", "A", Verdict.DETECTED)], methods="k", stability=single)

    assert result.total.percent == 100
    for score in (result.relative, result.absolute):
        assert (score.percent, score.bounds, score.excluded_benchmarks) == (None, None, ())
    assert "few-runs" in {caveat.slug for caveat in result.caveats}


def test_the_density_counts_counted_methods_by_the_benchmarks_that_detect_them():
    pairs = [
        ("k", "A", Verdict.DETECTED),
        ("l", "A", Verdict.DETECTED),
        ("l", "B", Verdict.DETECTED),
        ("m", "A", Verdict.MISSED),
        ("n", "A", Verdict.INVALID),
        ("o", "C", Verdict.DETECTED),
    ]

    result = audit(pairs, methods="klmno")

    assert result.density == (Density(0, 1, 25.0), Density(1, 2, 50.0), Density(2, 1, 25.0))
    assert audit(methods=[]).density == ()


def one_run(*, significant, large, effect):
    return PairRun(
        effect=effect,
        interval=None,
        p=0.001,
        significant=significant,
        large=large,
        reference=(),
        slowed=(),
    )


def test_the_halves_of_the_rule_are_counted_alone():
    slow = one_run(significant=True, large=True, effect=0.5)
    small = one_run(significant=True, large=False, effect=0.1)
    fast = one_run(significant=True, large=False, effect=-0.5)
    vague = one_run(significant=False, large=True, effect=0.5)
    runs = {"k": (slow, slow), "l": (slow, small), "m": (fast, fast), "n": (slow, vague)}
    pairs = tuple(
        pair_verdict(name, "A", Verdict.DETECTED if name == "k" else Verdict.MISSED, runs=pair_runs)
        for name, pair_runs in runs.items()
    )

    result = audit(methods="klmn", pairs=pairs)

    assert result.rules == (
        RuleCount("test only", 2),
        RuleCount("effect only", 2),
        RuleCount("both", 1),
    )


def test_what_is_detected_in_spite_of_a_vague_run_is_part_of_both_halves():
    slow = one_run(significant=True, large=True, effect=0.5)
    vague = one_run(significant=False, large=False, effect=0.2)
    pairs = (
        pair_verdict("k", "A", Verdict.DETECTED, runs=(slow, vague, slow)),
        pair_verdict("l", "A", Verdict.UNREACHED, runs=(slow, slow)),
    )

    result = audit(methods="kl", pairs=pairs)

    assert result.rules == (
        RuleCount("test only", 1),
        RuleCount("effect only", 1),
        RuleCount("both", 1),
    )


def test_what_samples_detect_is_no_detection_by_an_injected_delay():
    vague = one_run(significant=False, large=False, effect=0.2)
    pairs = (pair_verdict("k", "A", Verdict.DETECTED, runs=(vague, vague), decided_by="share"),)

    assert audit(methods="k", pairs=pairs).rules[-1] == RuleCount("both", 0)


def test_a_slowdown_by_the_suites_own_noise_is_a_caveat_and_so_is_the_papers_rule():
    auto_caveat = Caveat("methods-auto", "flattered")

    result = audit(slowdown_source="auto", rule=DetectionRule.PAPER, caveats=(auto_caveat,))

    assert [caveat.slug for caveat in result.caveats] == [
        "methods-auto",
        "auto-slowdown",
        "paper-rule",
    ]


def test_benchmarks_without_any_measurement_are_named():
    result = audit(benchmarks=[benchmark_verdict("A"), benchmark_verdict("B", None)])

    assert [caveat.slug for caveat in result.caveats] == ["failed-benchmarks"]
    assert benchmark("B").id in result.caveats[0].text


@given(PAIRS)
def test_the_score_lies_within_its_bounds_and_fewer_benchmarks_cover_no_more(pairs):
    wild = [benchmark_verdict("A", 0.9), benchmark_verdict("B"), benchmark_verdict("C")]
    result = audit(pairs, benchmarks=wild)

    for score in (result.total, result.relative, result.absolute):
        if score.percent is not None:
            assert score.bounds[0] == score.percent <= score.bounds[1] <= 100
    assert result.absolute.covered <= result.total.covered
    assert result.total.counted == result.absolute.counted


@given(PAIRS, st.randoms())
def test_the_order_of_the_pairs_does_not_matter(pairs, order):
    shuffled = list(pairs)
    order.shuffle(shuffled)
    original_verdict, shuffled_verdict = audit(pairs), audit(shuffled)

    assert (
        original_verdict.total,
        original_verdict.relative,
        original_verdict.cover,
        original_verdict.rules,
    ) == (
        shuffled_verdict.total,
        shuffled_verdict.relative,
        shuffled_verdict.cover,
        shuffled_verdict.rules,
    )


@pytest.mark.parametrize(
    ("more", "reasons"),
    [
        ({}, ["not measured", "not measured"]),
        (
            {"caveats": (Caveat(BUDGET, "the budget was used up"),)},
            ["not measured: the budget ended before", "not measured: the budget ended before"],
        ),
        (
            {"caveats": (Caveat(SO_FAR, "nothing was measured"),)},
            ["not measured yet", "not measured yet"],
        ),
        (
            {"caveats": (Caveat(BUDGET, "the budget was used up"),), "score_only": True},
            [
                "not measured: another benchmark detects the method",
                "not measured: the budget ended before",
            ],
        ),
    ],
)
def test_a_pair_that_was_not_measured_says_why(more, reasons):
    open_pair = {"reason": NOT_MEASURED}
    pairs = (
        pair_verdict("k", "A", Verdict.DETECTED),
        pair_verdict("k", "B", Verdict.UNMEASURED, **open_pair),
        pair_verdict("l", "A", Verdict.UNMEASURED, **open_pair),
    )

    assert [pair.reason for pair in audit(pairs=pairs, **more).pairs[1:]] == reasons


def test_a_sure_detection_is_not_borderline_whatever_other_pairs_are():
    borderline = Caveat("borderline", "at the limit")
    undershoot = Caveat("undershoot", "less than asked for")
    pairs = (
        replace(pair_verdict("k", "A", Verdict.DETECTED), caveats=(undershoot,)),
        replace(pair_verdict("k", "B", Verdict.DETECTED), caveats=(borderline,)),
        replace(pair_verdict("k", "C", Verdict.MISSED), caveats=(borderline,)),
        replace(pair_verdict("l", "A", Verdict.DETECTED), caveats=(borderline,)),
        replace(pair_verdict("l", "B", Verdict.MISSED), caveats=(undershoot,)),
        replace(pair_verdict("m", "A", Verdict.MISSED), caveats=(borderline,)),
        replace(pair_verdict("m", "B", Verdict.MISSED), caveats=(undershoot,)),
    )

    result = audit(methods="klm", pairs=pairs)

    slugs = [[caveat.slug for caveat in method.caveats] for method in result.methods]
    assert slugs == [["undershoot"], ["borderline"], ["borderline", "undershoot"]]


def test_a_benchmark_that_may_yet_be_the_worst_decides_no_relative_score():
    """Of twenty the worst is left out, and nineteen have no spread yet."""
    measured = benchmark_verdict("B0")
    missing = [benchmark_verdict(f"B{number}", None) for number in range(1, 20)]

    verdict = audit(
        [("k", "B0", Verdict.DETECTED)],
        methods="k",
        benchmarks=[measured, *missing],
        unfinished=frozenset(absent.id for absent in missing),
    )

    assert verdict.total.percent == 100
    assert (verdict.relative.covered, verdict.relative.bounds) == (0, (0, 100))
