import struct
from dataclasses import replace
from math import expm1, log, log1p

import numpy as np
import pytest
from builders import (
    abs_request,
    benchmark,
    calibration_run,
    counted,
    crashed,
    mutant_run,
    pair_run,
    run,
    suite_runs,
    timed_out,
)

from auditor.abs.judge import extra_runs, paired
from auditor.abs.judge.detection import describe_rule_settings, judge_pair, warn_never_significant
from auditor.abs.judge.pair import Judgement, PairData, method_doubt, probe_ratio
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.outcome import (
    Exhausted,
    Measured,
    MethodClock,
    NeverCalled,
    NotBuilt,
    Skipped,
    Unreadable,
)
from auditor.core.plan import Purpose
from auditor.core.request import DetectionRule
from auditor.core.result import ReachState, Verdict
from auditor.core.schedule import Block, EarlyStop, Phase
from auditor.core.values import METHOD_TIME
from auditor.measure import readings
from auditor.measure.calibration import Calibration
from auditor.measure.reach_judge import Reach

PLAIN = 1e-6
V = 0.6


def noisy(middle, count=15, seed=0, noise=0.01):
    return middle * np.exp(np.random.default_rng(seed).normal(0, noise, count))


def calibrated(method_seconds, *, caveats=(), clock_seconds=0.0):
    return Calibration(
        method_seconds=method_seconds,
        turns=100,
        achieved=V,
        settled=True,
        delay=Delay(InjectionKind.WORK, 100),
        clock_seconds=clock_seconds,
        caveats=caveats,
    )


def pair(share=1.0, *, added=None, probe=1.0, seed=0, pairs=15, noise=0.01, **more):
    """A pair whose method takes `share` of the plain operation and is slowed as asked for."""
    extra = V * share if added is None else added
    runs = tuple(
        pair_run(
            noisy(probe * PLAIN, pairs, seed + 10 * repetition, noise),
            noisy((probe + extra) * PLAIN, pairs, seed + 10 * repetition + 1, noise),
            repetition=repetition,
        )
        for repetition in (1, 2)
    )
    plain = suite_runs(noisy(PLAIN, seed=seed + number, noise=noise) for number in range(100, 105))
    pair_data = PairData(
        method="example.org/ring.Push",
        benchmark=benchmark(),
        slowdown=V,
        rule=DetectionRule.OURS,
        process_count=2,
        reach=Reach(state=ReachState.IN_LOOP, calls_per_operation=1.0),
        calibration=calibrated(share * PLAIN),
        plain=plain,
        runs=runs,
    )
    return replace(pair_data, **more)


def slugs(verdict):
    return [caveat.slug for caveat in verdict.caveats]


def test_a_method_that_is_the_whole_operation_is_detected():
    verdict = judge_pair(pair(share=1.0))

    assert verdict.outcome is Verdict.DETECTED
    assert verdict.effect == pytest.approx(0.6, abs=0.05)
    assert verdict.interval[0] > verdict.threshold == 0.3
    assert verdict.achieved_slowdown == pytest.approx(0.6, abs=0.05)
    assert verdict.share == pytest.approx(1.0, abs=0.02)
    assert (verdict.wait, verdict.calls_per_operation, verdict.caveats) == ("work", 1.0, ())
    assert all(judged_run.significant and judged_run.large for judged_run in verdict.runs)


def test_a_tenth_of_the_operation_is_missed():
    verdict = judge_pair(pair(share=0.1))

    assert verdict.outcome is Verdict.MISSED
    assert verdict.interval[1] < verdict.threshold
    assert verdict.runs[0].significant


def test_half_of_the_operation_is_near_the_threshold():
    verdict = judge_pair(pair(share=0.5))

    assert verdict.outcome is Verdict.INCONCLUSIVE
    assert slugs(verdict) == ["near-threshold"]


def test_one_run_below_is_enough_for_a_miss():
    good, bad = pair(share=1.0), pair(share=0.1)

    verdict = judge_pair(replace(good, runs=(good.runs[0], bad.runs[1])))

    assert verdict.outcome is Verdict.MISSED
    assert verdict.effect < 0.3


def test_one_run_near_the_threshold_prevents_a_detection():
    good, borderline = pair(share=1.0), pair(share=0.5)

    assert judge_pair(replace(good, runs=(good.runs[0], borderline.runs[1]))).outcome is (
        Verdict.INCONCLUSIVE
    )


def test_further_runs_detect_where_enough_are_clear():
    good, borderline = pair(share=1.0), pair(share=0.5)
    third_run = replace(good.runs[0], trial=replace(good.runs[0].trial, repetition=3))
    undecided = judge_pair(replace(good, runs=(good.runs[0], borderline.runs[1])))

    verdict = judge_pair(replace(good, runs=(good.runs[0], borderline.runs[1], third_run)))

    assert extra_runs.may_yet_decide(undecided)
    assert verdict.outcome is Verdict.DETECTED
    assert verdict.interval[0] > verdict.threshold
    assert not extra_runs.may_yet_decide(verdict)


def test_a_further_run_that_misses_decides():
    good, borderline, bad = pair(share=1.0), pair(share=0.5), pair(share=0.1)
    below = replace(bad.runs[0], trial=replace(bad.runs[0].trial, repetition=3))

    verdict = judge_pair(replace(good, runs=(good.runs[0], borderline.runs[1], below)))

    assert verdict.outcome is Verdict.MISSED


def test_what_no_further_run_can_decide_is_left_alone():
    distorted = judge_pair(pair(share=1.0, probe=1.5))

    assert distorted.outcome is Verdict.INCONCLUSIVE
    assert not extra_runs.may_yet_decide(distorted)


def test_a_probe_that_surely_distorts_does_so_in_each_run():
    for probe, noise, settled in ((1.5, 0.01, True), (1.35, 0.05, False)):
        full_pair = pair(share=1.0, probe=probe, noise=noise)
        first = replace(full_pair, runs=full_pair.runs[:1])

        verdict = judge_pair(first)

        assert slugs(verdict) == ["distorted"]
        assert extra_runs.is_settled(verdict, first) is settled


def test_a_first_run_that_is_clear_or_near_is_followed_by_the_next_and_one_that_misses_is_not():
    for share, settled in ((1.0, False), (0.5, False), (0.1, True)):
        full_pair = pair(share=share)
        first = replace(full_pair, runs=full_pair.runs[:1])

        assert extra_runs.is_settled(judge_pair(first), first) is settled


@pytest.mark.parametrize(
    ("intervals", "reach"),
    [
        (((0.30, 0.5), (0.25, 0.45)), True),
        (((0.20, 0.5), (0.15, 0.45)), False),
        (((0.10, 0.29), (0.15, 0.32)), True),
    ],
)
def test_further_runs_are_worth_it_where_ones_like_those_made_may_be_clear(intervals, reach):
    verdict = judge_pair(pair(share=0.5))
    runs = tuple(
        replace(run, effect=(low + high) / 2, interval=(low, high))
        for run, (low, high) in zip(verdict.runs, intervals, strict=True)
    )

    assert extra_runs.is_within_reach(replace(verdict, runs=runs)) is reach


def test_a_speed_up_is_never_detected():
    assert judge_pair(pair(share=1.0, added=-0.5)).outcome is not Verdict.DETECTED


def test_the_effect_is_relative_to_the_plain_time_and_not_to_the_probe():
    """With q = 1.25 an added half of the plain time is a ratio of 1.4 only."""
    verdict = judge_pair(pair(share=1.0, added=0.5, probe=1.25, noise=0.001))

    assert verdict.effect == pytest.approx(0.5, abs=0.01)
    assert verdict.interval[0] == pytest.approx(0.5, abs=0.02)


def test_the_interval_says_the_same_as_the_log_ratio_against_its_threshold():
    verdict = judge_pair(pair(share=1.0, noise=0.001))

    runs = verdict.runs[0]
    ratios = np.log(np.array(runs.slowed) / np.array(runs.reference))
    assert runs.effect == pytest.approx(expm1(np.median(ratios)), rel=0.02)


def test_scatter_between_processes_widens_the_interval():
    calm = pair(share=1.0, noise=0.001)
    wild = replace(calm, plain=suite_runs([[PLAIN * x] * 9 for x in (0.7, 0.85, 1, 1.2, 1.4)]))

    assert judge_pair(calm).outcome is Verdict.DETECTED
    assert judge_pair(wild).outcome is Verdict.INCONCLUSIVE


def test_seven_pairs_are_too_few():
    verdict = judge_pair(pair(pairs=7))

    assert verdict.outcome is Verdict.INCONCLUSIVE
    assert slugs(verdict) == ["few-pairs"]
    assert judge_pair(pair(pairs=8)).outcome is Verdict.DETECTED


def test_a_block_that_took_no_time_leaves_no_pairs():
    broken = pair_run([0.0] * 15, [1e-6] * 15)

    assert slugs(judge_pair(pair(runs=(broken, broken)))) == ["few-pairs"]


def test_one_process_on_each_side_does_not_tell_how_they_scatter():
    full_pair = pair()

    verdict = judge_pair(
        replace(full_pair, plain=full_pair.plain[:1], runs=full_pair.runs[:1], process_count=1)
    )

    assert slugs(verdict) == ["few-runs"]


def test_no_plain_run_is_no_reference():
    assert slugs(judge_pair(pair(plain=()))) == ["few-runs"]


def test_a_detection_needs_all_runs_that_were_asked_for():
    verdict = judge_pair(pair(share=1.0, process_count=3))

    assert verdict.outcome is Verdict.INCONCLUSIVE
    assert slugs(verdict) == ["unfinished"]
    assert judge_pair(pair(share=0.1, process_count=3)).outcome is Verdict.MISSED


@pytest.mark.parametrize(("share", "added"), [(1.0, 1.8), (1.0, 0.2)])
def test_what_was_achieved_is_judged_where_it_is_far_from_what_was_asked_for(share, added):
    verdict = judge_pair(pair(share=share, added=added))

    assert verdict.threshold == V / 2
    assert verdict.effect == pytest.approx(V, rel=0.15)
    assert verdict.achieved_slowdown == pytest.approx(added, rel=0.15)
    assert slugs(verdict) == ["overshoot" if added > V else "undershoot", "scaled-back"]
    assert verdict.outcome is Verdict.DETECTED


def test_one_process_whose_loop_took_longer_does_not_raise_what_has_to_be_exceeded():
    """Three of four achieve .6, one 1.2: their mean would be an overshoot."""
    measured_runs = [pair(added=1.2).runs[0], *(pair(seed=seed).runs[0] for seed in (1, 2, 3))]
    runs = tuple(
        replace(run, trial=replace(run.trial, repetition=number))
        for number, run in enumerate(measured_runs, 1)
    )

    verdict = judge_pair(pair(runs=runs))

    assert slugs(verdict) == []
    assert (verdict.outcome, verdict.threshold) == (Verdict.DETECTED, V / 2)
    assert verdict.achieved_slowdown == pytest.approx(V, rel=0.05)


def test_an_overshoot_does_not_make_a_small_share_detected():
    verdict = judge_pair(pair(share=0.2, added=0.5))

    assert slugs(verdict) == ["overshoot", "scaled-back"]
    assert verdict.outcome is Verdict.MISSED
    assert verdict.effect == pytest.approx(0.2 * V, abs=0.03)


def test_scatter_may_hide_what_another_slowdown_shows():
    """Of a noisy benchmark a large slowdown proves a share, but not that v would be seen."""
    quiet = pair(share=0.7, added=3.0)
    noisy_plain = suite_runs(noisy(PLAIN, seed=number, noise=0.8) for number in range(100, 105))

    assert judge_pair(quiet).outcome is Verdict.DETECTED
    assert judge_pair(replace(quiet, plain=noisy_plain)).outcome is Verdict.INCONCLUSIVE


def test_an_undershoot_within_the_noise_is_said_and_moves_no_threshold():
    verdict = judge_pair(pair(share=0.01, added=0.0))

    assert verdict.outcome is Verdict.MISSED
    assert slugs(verdict) == ["undershoot"]
    assert verdict.threshold == pytest.approx(V / 2)


def test_a_detection_has_to_exceed_half_of_what_was_achieved_even_if_that_is_noise():
    unsure = pair(share=0.5, added=0.8 * 0.5, noise=0.1)

    verdict = judge_pair(unsure)

    assert slugs(verdict) == ["overshoot", "near-threshold"]
    assert verdict.threshold == pytest.approx(verdict.achieved_slowdown / 2)
    assert verdict.threshold > V / 2


def test_a_slowdown_that_did_not_arrive_is_no_miss():
    verdict = judge_pair(pair(share=1.0, added=0.0))

    assert verdict.outcome is Verdict.INCONCLUSIVE
    assert slugs(verdict) == ["undershoot"]


def test_a_probe_far_from_the_plain_time_allows_no_verdict():
    slow = judge_pair(pair(share=1.0, probe=1.4))
    fast = judge_pair(pair(share=0.1, probe=0.6))

    assert [slow.outcome, fast.outcome] == [Verdict.INCONCLUSIVE] * 2
    assert slugs(slow) == slugs(fast) == ["distorted"]


@pytest.mark.parametrize("probe", [6.0, 1.0])
def test_calls_longer_than_the_operation_are_a_failed_calibration(probe):
    """What times of processes that ran apart seem to say of the compiler is no evidence."""
    verdict = judge_pair(pair(share=5.0, added=3.0, probe=probe))

    assert verdict.outcome is Verdict.INCONCLUSIVE
    assert "calibration-failed" in slugs(verdict)


def test_threads_may_spend_more_than_the_plain_time_without_being_dead():
    many = benchmark(threads=4)

    assert judge_pair(pair(share=5.0, added=3.0, probe=6.0, benchmark=many)).outcome is (
        Verdict.INCONCLUSIVE
    )


def test_a_method_time_that_the_clock_makes_doubtful_proves_no_failed_calibration():
    doubtful = calibrated(1.2 * PLAIN, clock_seconds=2 * PLAIN)

    verdict = judge_pair(pair(share=1.2, probe=1.2, calibration=doubtful))

    assert verdict.outcome is Verdict.DETECTED


def test_operations_in_flight_are_taken_into_account():
    """Four at once: the operation's time is a quarter of what the method takes."""
    four = benchmark(threads=4, concurrency=4)

    verdict = judge_pair(pair(benchmark=four, calibration=calibrated(4 * PLAIN)))

    assert verdict.share == pytest.approx(1.0, abs=0.02)
    assert verdict.achieved_slowdown == pytest.approx(V, abs=0.05)


@pytest.mark.parametrize("process_count", [2, 3])
def test_without_a_calibration_a_detection_is_not_believed(process_count):
    """However many runs there are to be: no other one would be believed either."""
    data = pair(calibration=None, process_count=process_count)

    verdict = judge_pair(data)

    assert verdict.outcome is Verdict.INCONCLUSIVE
    assert slugs(verdict) == ["unverified"]
    assert extra_runs.is_settled(verdict, data)


@pytest.mark.parametrize(
    ("share", "cost", "slug"), [(1.0, 10, "unverified"), (0.1, 1.0, "unverified"), (1.0, 8, None)]
)
def test_a_method_time_that_may_be_half_as_long_carries_no_verdict(share, cost, slug):
    """Of what the clock costs .06 is in doubt, here .6, .6 and .48 of the method's time."""
    doubtful = calibrated(share * PLAIN, clock_seconds=cost * PLAIN)

    verdict = judge_pair(pair(share=share, calibration=doubtful))

    assert slugs(verdict) == ([slug] if slug else [])
    assert verdict.outcome is (Verdict.INCONCLUSIVE if slug else Verdict.DETECTED)


@pytest.mark.parametrize(("cost", "outcome"), [(0.2, Verdict.MISSED), (0.9, Verdict.INCONCLUSIVE)])
def test_how_long_a_method_is_need_not_be_known_where_it_is_surely_too_short(cost, outcome):
    """Of it and all that the clock may hide, .122 of the operation in one case, .524 in the other.

    So it is only with what was measured: a method that is slowed by much more may be detected.
    """
    doubtful = calibrated(0.01 * PLAIN, clock_seconds=cost * PLAIN)
    much = tuple(
        pair_run(
            noisy(PLAIN, seed=repetition),
            noisy(2 * PLAIN, seed=repetition + 5),
            repetition=repetition,
        )
        for repetition in (1, 2)
    )

    verdict = judge_pair(pair(share=0.01, calibration=doubtful))

    assert verdict.runs
    assert verdict.outcome is outcome
    assert ("unverified" in slugs(verdict)) == (outcome is Verdict.INCONCLUSIVE)
    assert "unverified" in slugs(judge_pair(pair(share=0.01, calibration=doubtful, runs=much)))


def test_what_was_clocked_while_calls_were_counted_lets_no_measured_miss_stand():
    """Else what `--exact` measures would hang on what it takes no heed of."""
    missed = tuple(
        pair_run(
            noisy(PLAIN, seed=repetition), noisy(PLAIN, seed=repetition + 5), repetition=repetition
        )
        for repetition in (1, 2)
    )
    data = pair(calibration=None, runs=missed)
    method_clock = MethodClock("example.org/ring.Push", 0.01 * PLAIN, PLAIN)

    verdict = judge_pair(replace(data, reach=replace(data.reach, clocked=method_clock)))

    assert slugs(verdict) == ["unverified"]
    assert verdict.outcome is Verdict.INCONCLUSIVE


def test_no_run_is_made_of_a_pair_whose_method_time_carries_no_verdict():
    """Also where it is near the threshold; a wait by the clock may still be missed."""
    doubtful = calibrated(0.5 * PLAIN, clock_seconds=5 * PLAIN)
    borderline = pair(share=0.5, calibration=doubtful)
    runs = [
        pair_run(
            noisy(PLAIN, seed=repetition),
            noisy(1.3 * PLAIN, seed=repetition + 5),
            wait=InjectionKind.SPIN,
            repetition=repetition,
        )
        for repetition in (1, 2)
    ]
    waiting = replace(borderline, runs=tuple(runs))

    assert slugs(judge_pair(borderline)) == slugs(judge_pair(waiting)) == ["near-threshold"]
    assert extra_runs.is_settled(judge_pair(borderline), borderline)
    assert not extra_runs.is_settled(judge_pair(waiting), waiting)


@pytest.mark.parametrize(
    ("wait", "outcome"),
    [(InjectionKind.SPIN, Verdict.MISSED), (InjectionKind.WORK, Verdict.INCONCLUSIVE)],
)
def test_without_a_calibration_only_a_wait_by_the_clock_can_be_missed(wait, outcome):
    runs = [
        pair_run(noisy(PLAIN, seed=seed), noisy(PLAIN, seed=seed + 5), wait=wait) for seed in (1, 2)
    ]

    assert judge_pair(pair(calibration=None, runs=tuple(runs))).outcome is outcome


@pytest.mark.parametrize(
    ("outcome", "result", "reason"),
    [
        (crashed(), Verdict.CRASHED, "exit code 2: panic: no"),
        (timed_out(), Verdict.TIMED_OUT, "ended by the watchdog after 60 s: still running"),
        (Exhausted("1 MiB", "no"), Verdict.INCONCLUSIVE, "needed more than 1 MiB: no"),
        (NotBuilt("ring.go:1: no"), Verdict.INVALID, "ring.go:1: no"),
        (Unreadable("no records", ""), Verdict.INCONCLUSIVE, "no records"),
        (NeverCalled(), Verdict.INCONCLUSIVE, "ran without ever calling the slowed method"),
        (Skipped("-short"), Verdict.INCONCLUSIVE, "the benchmark chose not to run: -short"),
        (counted(), Verdict.INCONCLUSIVE, "a counting process was taken for a measuring one"),
    ],
)
def test_a_failure_is_an_outcome_even_beside_a_good_run(outcome, result, reason):
    full_pair = pair()
    failed = run(outcome, purpose=Purpose.PAIRS, repetition=2)

    verdict = judge_pair(replace(full_pair, runs=(full_pair.runs[0], failed)))

    assert (verdict.outcome, verdict.reason, verdict.effect) == (result, reason, None)


def test_a_program_that_cannot_be_changed_says_nothing_of_the_method():
    broken = run(NotBuilt("clash.go:3: no"), purpose=Purpose.CALIBRATION)
    unknown = Reach(state=ReachState.UNKNOWN)

    verdict = judge_pair(pair(reach=unknown, runs=(), calibrating=(broken,)))

    assert (verdict.outcome, slugs(verdict)) == (Verdict.INCONCLUSIVE, ["not-instrumented"])
    assert "clash.go:3: no" in verdict.reason


def test_a_calibration_that_crashed_decides_where_nothing_else_was_run():
    failed = run(crashed(), purpose=Purpose.CALIBRATION)

    assert judge_pair(pair(runs=(), calibrating=(failed,))).outcome is Verdict.CRASHED
    assert judge_pair(pair(calibrating=(failed,))).outcome is Verdict.DETECTED


def test_a_refused_variant_is_refused():
    verdict = judge_pair(pair(runs=(), refusal="no body"))

    assert (verdict.outcome, verdict.reason) == (Verdict.REFUSED, "no body")


@pytest.mark.parametrize("state", [ReachState.NOT_AT_ALL, ReachState.SET_UP_ONLY])
def test_what_is_not_called_in_the_loop_is_unreached(state):
    reach = Reach(state=state, calls_per_operation=0.0)

    unmeasured = judge_pair(pair(runs=(), calibration=None, reach=reach))
    measured = judge_pair(pair(added=0.0, calibration=None, reach=reach))

    assert unmeasured.outcome is measured.outcome is Verdict.UNREACHED
    assert unmeasured.reason == state
    assert len(measured.runs) == 2


@pytest.mark.parametrize("state", [ReachState.NOT_AT_ALL, ReachState.SET_UP_ONLY])
def test_what_was_counted_stands_where_the_slowed_program_says_nothing(state):
    reach = Reach(state=state, calls_per_operation=0.0)
    unread = run(Unreadable("it is not in the program", ""), purpose=Purpose.PAIRS)

    verdict = judge_pair(pair(runs=(unread,), calibration=None, reach=reach))
    pair_verdict = judge_pair(pair(runs=(unread,), calibration=None))
    broken = run(crashed(), purpose=Purpose.PAIRS)
    failed = judge_pair(pair(runs=(broken,), calibration=None, reach=reach))

    assert (verdict.outcome, pair_verdict.outcome) == (Verdict.UNREACHED, Verdict.INCONCLUSIVE)
    assert verdict.reason.startswith(f"{state}; of the slowed program nothing is known: it is not")
    assert failed.outcome is Verdict.CRASHED


UNREAD = Reach(state=ReachState.UNKNOWN)


def silent(purpose=Purpose.PAIRS, repetition=1):
    return run(NeverCalled(), purpose=purpose, repetition=repetition)


@pytest.mark.parametrize(
    "reach",
    [
        None,
        UNREAD,
        *(Reach(state=state) for state in (ReachState.NOT_AT_ALL, ReachState.SET_UP_ONLY)),
    ],
)
@pytest.mark.parametrize("rule", DetectionRule)
def test_what_no_process_of_a_pair_called_is_unreached(reach, rule):
    purpose = Purpose.PAIRS if rule is DetectionRule.OURS else Purpose.MUTANT
    runs = (silent(purpose), silent(purpose, 2))

    verdict = judge_pair(pair(runs=runs, calibration=None, reach=reach, rule=rule))

    assert (verdict.outcome, verdict.reason) == (Verdict.UNREACHED, "run, and never called")


@pytest.mark.parametrize("reach", [UNREAD, Reach(state=ReachState.NOT_AT_ALL)])
def test_what_only_some_processes_called_is_not_unreached(reach):
    full_pair = pair(reach=reach)
    mixed = (full_pair.runs[0], silent(repetition=2))
    calibrated_before = run(full_pair.runs[0].outcome, purpose=Purpose.CALIBRATION)

    for runs, calibrating in ((mixed, ()), ((silent(),), (calibrated_before,))):
        verdict = judge_pair(replace(full_pair, runs=runs, calibrating=calibrating))
        assert verdict.outcome is Verdict.INCONCLUSIVE
        assert verdict.reason == "ran without ever calling the slowed method"


def test_calls_that_were_counted_and_never_seen_slowed_leave_it_open():
    calibrating = (silent(Purpose.CALIBRATION),)

    verdict = judge_pair(pair(runs=(), calibration=None, calibrating=calibrating))

    assert verdict.outcome is Verdict.INCONCLUSIVE
    assert slugs(verdict) == ["reach-contradicted"]


@pytest.mark.parametrize("rule", [DetectionRule.OURS, DetectionRule.PAPER])
def test_a_detection_where_nothing_is_called_says_that_the_reach_map_was_wrong(rule):
    """As `--exact` measures it: without a calibration, as no call is known that it could time."""
    reach = Reach(state=ReachState.NOT_AT_ALL, calls_per_operation=0.0)
    plain = [noisy(PLAIN, 20, 1), noisy(PLAIN, 20, 2)]
    slow = [noisy(1.6 * PLAIN, 20, 4), noisy(1.6 * PLAIN, 20, 5)]
    is_our_rule = rule is DetectionRule.OURS

    verdict = judge_pair(
        pair(reach=reach, calibration=None) if is_our_rule else paper(slow, plain, reach=reach)
    )

    assert verdict.outcome is Verdict.DETECTED
    assert slugs(verdict) == ["reach-contradicted"]


def test_what_is_not_called_and_not_slower_is_unreached():
    reach = Reach(state=ReachState.NOT_AT_ALL, calls_per_operation=0.0)

    assert judge_pair(pair(0.0, reach=reach, calibration=None)).outcome is Verdict.UNREACHED


def test_what_the_budget_prevented_is_unmeasured():
    assert judge_pair(pair(runs=())).outcome is Verdict.UNMEASURED
    assert judge_pair(pair(runs=(), reach=None)).outcome is Verdict.UNMEASURED


def paper(slowed, plain, **more):
    return pair(
        rule=DetectionRule.PAPER,
        calibration=None,
        plain=suite_runs(plain),
        runs=tuple(
            mutant_run(values, repetition=number) for number, values in enumerate(slowed, 1)
        ),
        **more,
    )


def test_the_papers_rule_wants_every_run_significant_and_large():
    plain = [noisy(1, 20, 1), noisy(1, 20, 2), noisy(1, 20, 3)]

    detected = judge_pair(paper([noisy(1.6, 20, 4), noisy(1.4, 20, 5)], plain))
    missed = judge_pair(paper([noisy(1.6, 20, 4), noisy(1.2, 20, 5)], plain))

    assert (detected.outcome, missed.outcome) == (Verdict.DETECTED, Verdict.MISSED)
    assert detected.effect == pytest.approx(0.4, abs=0.02)
    assert missed.effect == pytest.approx(0.2, abs=0.02)
    assert (detected.threshold, detected.interval) == (0.3, None)
    assert [judged_run.significant for judged_run in missed.runs] == [True, True]
    assert [judged_run.large for judged_run in missed.runs] == [True, False]


def test_the_papers_rule_never_detects_a_speed_up():
    plain = [noisy(1, 20, 1), noisy(1, 20, 2)]

    assert judge_pair(paper([noisy(0.4, 20, 4)] * 2, plain)).outcome is Verdict.MISSED


def test_the_papers_rule_counts_half_of_v_itself():
    """Powers of two, so that the effect is exactly v / 2."""
    verdict = judge_pair(paper([[1.25] * 6] * 2, [[1.0] * 6] * 2, slowdown=0.5))

    assert verdict.outcome is Verdict.DETECTED


def test_the_papers_rule_pools_the_forks_of_a_run():
    forks = [mutant_run(noisy(1.6, 3, fork), fork=fork) for fork in (1, 2)]
    data = paper([], [noisy(1, 6, 9)], process_count=2)

    verdict = judge_pair(replace(data, runs=tuple(forks)))

    assert len(verdict.runs[0].slowed) == 6
    assert verdict.outcome is Verdict.DETECTED


def test_the_papers_rule_cannot_judge_four_against_four():
    verdict = judge_pair(paper([[1.6, 1.7, 1.8, 1.9]] * 2, [[1.0, 1.1, 1.2, 1.3]] * 2))

    assert verdict.outcome is Verdict.INCONCLUSIVE
    assert slugs(verdict) == ["few-values"]


def test_a_run_of_the_papers_rule_that_lacks_values_is_no_miss():
    plain = [noisy(1, 20, 1), noisy(1, 20, 2)]
    short = [noisy(1.6, 20, 4), [1.6]]

    verdict = judge_pair(paper(short, plain))
    missed = judge_pair(paper([noisy(1.1, 20, 4), [1.6]], plain))

    assert (verdict.outcome, slugs(verdict)) == (Verdict.INCONCLUSIVE, ["few-values"])
    assert missed.outcome is Verdict.MISSED


def test_a_run_of_the_papers_rule_that_lacks_forks_is_no_miss():
    plain = suite_runs([noisy(1, 40, 1), noisy(1, 40, 2)])
    runs = [
        mutant_run(noisy(middle, 20, 10 * repetition + fork), repetition=repetition, fork=fork)
        for repetition, fork, middle in ((1, 1, 1.6), (1, 2, 1.6), (2, 1, 1.0))
    ]
    data = replace(paper([], []), plain=plain, process_count=4, forks=2, runs=tuple(runs))

    verdict = judge_pair(data)
    full_verdict = judge_pair(
        replace(data, runs=(*runs, mutant_run(noisy(1.0, 20, 9), repetition=2, fork=2)))
    )

    assert (verdict.outcome, verdict.reason) == (Verdict.INCONCLUSIVE, "not all runs were made")
    assert full_verdict.outcome is Verdict.MISSED


def test_controls_of_the_papers_rule_are_compared_with_the_suite_runs_again_and_again():
    plain = [noisy(1, 20, 1), noisy(1, 20, 2), noisy(1, 20, 3)]
    runs = tuple(
        mutant_run(noisy(1, 20, repetition), repetition=repetition) for repetition in (5, 6)
    )

    verdict = judge_pair(replace(paper([], plain), control=True, runs=runs))

    assert (verdict.outcome, slugs(verdict)) == (Verdict.MISSED, [])
    assert [judged_run.reference for judged_run in verdict.runs] == [
        tuple(plain[index]) for index in (1, 2)
    ]


def test_the_papers_rule_needs_the_plain_run_of_the_same_number():
    assert slugs(judge_pair(paper([[1.6] * 6] * 2, [[1.0] * 6]))) == ["no-plain"]


def test_the_papers_rule_sees_suite_runs_only():
    data = paper([noisy(1.6, 20, 4)] * 2, [noisy(1, 20, 1), noisy(1, 20, 2)])
    references = suite_runs([[1.6] * 20] * 2, purpose=Purpose.REFERENCE)

    verdict = judge_pair(replace(data, plain=(*data.plain, *references)))

    assert verdict.outcome is Verdict.DETECTED
    assert verdict.runs == judge_pair(data).runs


def test_our_rule_takes_references_for_plain_runs_too():
    data = pair(share=1.0, noise=0.001)
    references = suite_runs([[1.4 * PLAIN] * 9] * 5, purpose=Purpose.REFERENCE)

    verdict = judge_pair(replace(data, plain=(*data.plain, *references)))

    assert verdict.outcome is Verdict.INCONCLUSIVE


def test_a_detection_by_the_papers_rule_needs_all_runs():
    verdict = judge_pair(paper([noisy(1.6, 9)], [noisy(1, 9, 1)]))

    assert verdict.outcome is Verdict.INCONCLUSIVE


def test_an_overshoot_is_said_with_the_papers_rule_too():
    data = paper([noisy(5.0, 20, 4)] * 2, [noisy(1, 20, 1)] * 2)

    verdict = judge_pair(replace(data, calibration=calibrated(1.0)))

    assert slugs(verdict) == ["overshoot"]
    assert (verdict.outcome, verdict.threshold) == (Verdict.DETECTED, 0.3)


@pytest.mark.parametrize(
    ("share", "outcome"),
    [(0.2, Verdict.DETECTED), (0.02, Verdict.MISSED), (0.085, Verdict.INCONCLUSIVE)],
)
def test_a_gate_fires_where_the_effect_is_surely_beyond_its_limit(share, outcome):
    """v = .6 of a fifth is 12 %, of a fiftieth 1.2 %, of .085 just the 5 % of the gate."""
    verdict = judge_pair(pair(share=share, rule=DetectionRule.GATE, min_delta=0.05, noise=0.002))

    assert verdict.outcome is outcome
    assert verdict.threshold == pytest.approx(0.05, rel=0.25)


def test_a_test_may_err_as_often_as_the_user_says():
    noisy_pair = pair(share=0.6, noise=0.06)

    strict, lenient = (judge_pair(replace(noisy_pair, significance=value)) for value in (0.01, 0.3))

    assert (strict.outcome, lenient.outcome) == (Verdict.INCONCLUSIVE, Verdict.DETECTED)
    width = [verdict.interval[1] - verdict.interval[0] for verdict in (strict, lenient)]
    assert width[0] > width[1]


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({}, Verdict.DETECTED),
        ({"significance": 1e-9}, Verdict.INCONCLUSIVE),  # no outcome can have such a p
        ({"min_delta": 0.7}, Verdict.MISSED),
        ({"min_delta": 0.5}, Verdict.DETECTED),
    ],
)
def test_the_papers_test_may_err_and_count_as_the_user_says(more, outcome):
    plain = [noisy(1, 8, 1), noisy(1, 8, 2)]

    verdict = judge_pair(paper([noisy(1.6, 8, 4), noisy(1.6, 8, 5)], plain, **more))

    assert verdict.outcome is outcome
    if verdict.threshold is not None:
        assert verdict.threshold == more.get("min_delta", 0.3)


@pytest.mark.parametrize(
    ("rule", "min_delta", "significance", "slugs"),
    [
        (DetectionRule.OURS, None, 0.01, []),
        (DetectionRule.GATE, 0.05, 0.01, ["gate-rule"]),
        (DetectionRule.PAPER, 0.3, 0.05, ["effect-given", "significance-given"]),
        (DetectionRule.OURS, None, 0.05, ["significance-given"]),
    ],
)
def test_another_test_than_the_papers_is_told(rule, min_delta, significance, slugs):
    audit_request = abs_request(rule=rule, min_delta=min_delta, significance=significance)

    caveat_texts = {caveat.slug: caveat.text for caveat in describe_rule_settings(audit_request)}
    assert [*caveat_texts] == slugs
    # The paper's rule has none.
    with_intervals = "intervals" in caveat_texts.get("significance-given", "")
    assert with_intervals == (significance != 0.01 and rule is not DetectionRule.PAPER)


def test_few_values_are_enough_where_a_test_may_err_more_often():
    """Of 7 pairs no p is below .0156, of 4 against 4 values none below .0286."""
    seven = pair(pairs=7, noise=0.002)
    four = paper([noisy(1.6, 4, 4)] * 2, [noisy(1, 4, 1)] * 2)

    assert judge_pair(replace(seven, significance=0.05)).outcome is Verdict.DETECTED
    assert judge_pair(seven).outcome is Verdict.INCONCLUSIVE
    assert judge_pair(replace(four, significance=0.05)).outcome is Verdict.DETECTED
    assert judge_pair(four).outcome is Verdict.INCONCLUSIVE


def test_all_intervals_of_a_pair_are_of_the_level_that_is_asked_for():
    strict = pair(family=4)
    lenient = replace(strict, significance=0.1)

    assert (strict.test_level, lenient.test_level) == (pytest.approx(0.9975), pytest.approx(0.975))
    narrow, wide = (probe_ratio(pair_data) for pair_data in (lenient, strict))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_what_can_never_be_significant_hangs_on_how_often_a_test_may_err():
    eight = abs_request(iterations=8, exact=True)

    assert warn_never_significant(eight) is None
    assert warn_never_significant(replace(eight, significance=0.001)) is not None


def test_processes_of_the_other_rule_are_not_judged():
    with pytest.raises(ValueError, match="rule paper judges processes made for mutant"):
        judge_pair(pair(rule=DetectionRule.PAPER))


@pytest.mark.parametrize(
    ("rule", "exact", "forks", "iterations", "possible"),
    [
        (DetectionRule.OURS, False, 1, 2, True),
        (DetectionRule.OURS, False, 9, 1, False),
        (DetectionRule.OURS, True, 1, 8, True),
        (DetectionRule.OURS, True, 9, 7, False),
        (DetectionRule.PAPER, False, 1, 5, True),
        (DetectionRule.PAPER, False, 1, 4, False),
        (DetectionRule.PAPER, False, 2, 3, True),
    ],
)
def test_a_plan_that_can_never_be_significant_is_said_beforehand(
    rule, exact, forks, iterations, possible
):
    audit_request = abs_request(forks=forks, iterations=iterations, rule=rule, exact=exact)

    assert (warn_never_significant(audit_request) is None) is possible


STOP = EarlyStop(above=0.3, below=0.2, looks=((3, 31.6),), least_deviation=0.005)


def stopping(trial_run):
    """Return a run whose process might have stopped before its 15 pairs were full."""
    blocks = tuple(Block(Phase.MEASUREMENT, index % 2) for index in range(30))
    schedule = replace(trial_run.trial.schedule, blocks=blocks, stop=STOP)
    return replace(trial_run, trial=replace(trial_run.trial, schedule=schedule))


def test_a_process_that_stopped_is_judged_by_the_looks_it_was_planned_with():
    few = pair(pairs=4, noise=0.002)
    stopped = replace(few, runs=tuple(map(stopping, few.runs)))

    assert slugs(judge_pair(few)) == ["few-pairs"]
    verdict = judge_pair(stopped)
    assert verdict.outcome is Verdict.DETECTED
    assert verdict.interval[1] - verdict.interval[0] > 0.02


def test_a_method_with_many_benchmarks_needs_more_evidence_in_each():
    full_pair = pair(share=0.62, noise=0.02)
    stopped = replace(full_pair, runs=tuple(map(stopping, full_pair.runs)))

    verdict, many = (judge_pair(replace(stopped, family=size)) for size in (1, 20))

    assert verdict.interval[0] > many.interval[0]
    assert verdict.p < many.p
    assert judge_pair(full_pair) == judge_pair(replace(full_pair, family=20))


def test_where_a_process_may_stop_follows_from_q_and_the_slowdown():
    """Plain and probe alike: 10 % beyond half of v, widened by what is not known of q."""
    calibrating = tuple(
        calibration_run(probe=PLAIN, slowed=2 * PLAIN, turns=1, method_seconds=PLAIN)
        for _ in range(3)
    )
    exact_plain = suite_runs([PLAIN] * 3 for _ in range(4))

    stop = paired.plan_early_stop(pair(calibrating=calibrating, runs=(), plain=exact_plain), 15)

    assert stop.above == pytest.approx(log1p(1.1 * V / 2))
    assert stop.below == pytest.approx(log1p(0.9 * V / 2))
    assert stop.enough == pytest.approx(0, abs=1e-12)
    assert [pairs for pairs, _ in stop.looks] == [3, 4, 5, 6, 8, 10, 12]
    assert paired.plan_early_stop(pair(runs=(), plain=()), 15) is None


def test_a_calibration_that_was_disturbed_says_nothing_of_where_to_stop():
    exact_plain = suite_runs([PLAIN] * 3 for _ in range(4))
    probing = calibration_run(probe=PLAIN, slowed=PLAIN, turns=1, method_seconds=PLAIN)
    disturbed = replace(calibrated(PLAIN), achieved=-2.5)
    data = pair(calibrating=(probing,), runs=(), plain=exact_plain)

    stop = paired.plan_early_stop(replace(data, calibration=disturbed), 15)

    assert stop == paired.plan_early_stop(data, 15)


def test_a_process_goes_on_until_the_doubt_about_the_method_is_covered():
    """Twice the slowdown asked for arrives, and nobody knows t(k) better than by a tenth."""
    calibrating = tuple(
        calibration_run(probe=PLAIN, slowed=2.2 * PLAIN, turns=1, method_seconds=PLAIN * value)
        for value in (0.9, 1.0, 1.1)
    )
    exact_plain = suite_runs([PLAIN] * 3 for _ in range(4))
    overshoot_calibration = replace(calibrated(PLAIN), achieved=2 * V)

    pair_data = pair(
        calibrating=calibrating, runs=(), plain=exact_plain, calibration=overshoot_calibration
    )
    stop, doubt = paired.plan_early_stop(pair_data, 15), method_doubt(pair_data) / PLAIN

    assert 0 < doubt < 0.5
    assert stop.above == pytest.approx(log1p(1.1 * V / (1 - doubt)))
    assert stop.below == pytest.approx(log1p(0.9 * V / 2))


def timed(*blocks):
    """Return a calibrating process whose clock shows these times of a call, block by block."""
    quiet = calibration_run(probe=PLAIN, slowed=PLAIN, turns=1, method_seconds=PLAIN, blocks=8)
    series = tuple(
        replace(values, packed=struct.pack(f"<{len(blocks)}d", *(1000 * block for block in blocks)))
        if values.metric == METHOD_TIME
        else values
        for values in quiet.outcome.series
    )
    return replace(quiet, outcome=Measured(series))


@pytest.mark.parametrize(
    ("processes", "doubt"),
    [
        ([(1.0, 1.0, 1.01, 1.02, 1.7, 1.7, 1.8, 1.8)], 0.02),
        ([(1.0, 1.7, 1.7, 1.7, 1.7, 1.7, 1.7, 1.8)], 0.7),
        ([(1.0,) * 8, (1.2,) * 8], 0.1),
        ([(1.0, 1.01, *[1.7] * 6), (1.0, 1.03, *[1.9] * 6)], 0.03),
    ],
)
def test_in_doubt_is_only_whether_the_least_blocks_were_quiet(processes, doubt):
    calibrating = tuple(timed(*(PLAIN * block for block in blocks)) for blocks in processes)

    assert method_doubt(pair(calibrating=calibrating)) == pytest.approx(doubt * PLAIN)


def test_blocks_that_were_disturbed_say_nothing_of_q():
    """Most blocks of some processes last half as long again; what is left of each is alike."""
    calm = pair(noise=0.002)
    slow = [1.5 * PLAIN] * 9 + [*noisy(PLAIN, 3, 3, 0.002)]
    restless = replace(calm, plain=(*calm.plain[:3], *suite_runs([slow, slow])))

    ratio, calm_ratio = probe_ratio(restless), probe_ratio(calm)

    assert (ratio.estimate, ratio.low, ratio.high) == pytest.approx(
        (calm_ratio.estimate, calm_ratio.low, calm_ratio.high), abs=0.02
    )
    assert judge_pair(restless).outcome is Verdict.DETECTED


def test_a_process_need_not_be_much_surer_than_q_is():
    calibrating = tuple(
        calibration_run(probe=value * PLAIN, slowed=2 * PLAIN, turns=1, method_seconds=PLAIN)
        for value in (0.98, 1.0, 1.03)
    )
    pair_data = pair(calibrating=calibrating, runs=())

    stop, probed = paired.plan_early_stop(pair_data, 15), probe_ratio(pair_data)

    assert stop.enough == pytest.approx(V / 2 * log(probed.high / probed.low) / 2 / 3)


def test_it_must_be_surer_than_the_threshold_is_large_whatever_q_is():
    calibrating = tuple(
        calibration_run(probe=value * PLAIN, slowed=2 * PLAIN, turns=1, method_seconds=PLAIN)
        for value in (0.4, 1.0, 2.5)
    )
    pair_data = pair(calibrating=calibrating, runs=())

    stop, probed = paired.plan_early_stop(pair_data, 15), probe_ratio(pair_data)

    assert stop.enough < V / 2 * log(probed.high / probed.low) / 2 / 3
    assert stop.enough == pytest.approx(log1p(V / 2) / 4)


def drifting(seed, most, few):
    """Return a run in which `most` of 24 ratios are one thing, and the rest far from it."""
    rng = np.random.default_rng(seed)
    ratios = np.array([most] * 21 + [few] * 3) * np.exp(rng.normal(0, 0.001, 24))
    probe = noisy(PLAIN, 24, seed, 0.001)
    return pair_run(probe, probe * rng.permutation(ratios), repetition=seed)


@pytest.mark.parametrize(
    ("outcome", "most", "few"), [(Verdict.DETECTED, 1.25, 9.0), (Verdict.MISSED, 1.35, 0.2)]
)
def test_a_verdict_that_most_pairs_contradict_is_taken_back(outcome, most, few):
    """Half of v is .3: what a mean says comes of the eighth of the pairs that lies far away."""
    runs = tuple(drifting(seed, most, few) for seed in (1, 2, 3))
    mean_judgement = Judgement(outcome=outcome, threshold=V / 2)

    judgement = paired.check_signs(
        mean_judgement, [readings.pair_block_times(run) for run in runs], 1.0
    )
    check_signs = paired.check_signs(mean_judgement, [readings.pair_block_times(runs[0])[:4]], 1.0)
    agreed = paired.check_signs(
        mean_judgement, [readings.pair_block_times(run) for run in runs], most_below(outcome)
    )

    assert judgement.outcome is Verdict.INCONCLUSIVE
    assert slugs(judgement) == ["signs-disagree"]
    assert (check_signs, agreed) == (mean_judgement, mean_judgement)


def most_below(outcome):
    """Return a q with which the limit lies on the other side of most pairs."""
    return 2.0 if outcome is Verdict.DETECTED else 0.2


def test_equal_arms_are_told_apart_at_the_level_of_the_test_and_never_detected():
    """The same noise as in practice: 1 % between blocks, 2 % between processes.

    The share is so small that what was achieved is nearly always in doubt: half of v decides, and
    no other caution stands in for the rule. The few that are not in doubt did get no slowdown.
    """
    rng = np.random.default_rng(11)
    verdicts = [
        judge_pair(draw_pair(0.0, rng, calibration=calibrated(0.001 * PLAIN))) for _ in range(300)
    ]

    alarms = np.mean(
        [judged_run.significant for verdict in verdicts for judged_run in verdict.runs]
    )

    assert alarms == pytest.approx(0.01, abs=0.012)
    assert Verdict.DETECTED not in [verdict.outcome for verdict in verdicts]
    assert np.mean([verdict.outcome is Verdict.MISSED for verdict in verdicts]) > 0.95
    assert np.mean([verdict.threshold == V / 2 for verdict in verdicts]) > 0.95


def test_right_at_the_threshold_hardly_anything_is_decided():
    rng = np.random.default_rng(12)
    outcomes = [judge_pair(draw_pair(0.5, rng)).outcome for _ in range(300)]

    assert sum(outcome is Verdict.DETECTED for outcome in outcomes) <= 3
    assert sum(outcome is Verdict.MISSED for outcome in outcomes) <= 6


def draw_pair(share, rng, *, calibration=None):
    level = iter(np.exp(rng.normal(0, 0.02, 7)) * PLAIN)
    runs = []
    for repetition in (1, 2):
        process_level = next(level)
        probe = process_level * np.exp(rng.normal(0, 0.01, 15))
        slowed = process_level * (1 + V * share) * np.exp(rng.normal(0, 0.01, 15))
        runs.append(pair_run(probe, slowed, repetition=repetition))
    plain = suite_runs(next(level) * np.exp(rng.normal(0, 0.01, 15)) for _ in range(5))
    pair_calibration = calibration or calibrated(share * PLAIN)
    return pair(runs=tuple(runs), plain=plain, calibration=pair_calibration)


def test_a_process_may_stop_earlier_where_the_slowdown_achieved_is_too_small():
    """Half of the slowdown arrives, and t(k) is known exactly: the limit is half as high, too."""
    calibrating = (calibration_run(probe=PLAIN, slowed=PLAIN, turns=1, method_seconds=PLAIN),) * 3
    exact_plain = suite_runs([PLAIN] * 3 for _ in range(4))
    weak_delay = replace(calibrated(PLAIN), achieved=V / 2)

    stop = paired.plan_early_stop(
        pair(calibrating=calibrating, runs=(), plain=exact_plain, calibration=weak_delay), 15
    )

    assert stop.above == pytest.approx(log1p(1.1 * V / 2))
    assert stop.below == pytest.approx(log1p(0.9 * V / 4))


def test_a_method_time_in_doubt_is_told_in_nanoseconds():
    doubtful = calibrated(PLAIN, clock_seconds=10 * PLAIN)

    assert "takes 1000.0 ± 600.0 ns" in judge_pair(pair(calibration=doubtful)).reason


def test_a_significant_speed_up_is_not_called_too_small_a_slowdown():
    faster = judge_pair(pair(added=-0.2, control=True))
    slower = judge_pair(pair(share=0.1))

    assert faster.runs[0].significant
    assert (faster.outcome, faster.reason) == (Verdict.MISSED, None)
    assert "significant, but too small" in slower.reason


@pytest.mark.parametrize(
    ("outcome", "interval", "scaled_outcome"),
    [
        (Verdict.MISSED, (0.0, 0.25), Verdict.INCONCLUSIVE),
        (Verdict.MISSED, (0.0, 0.1875), Verdict.MISSED),
        (Verdict.DETECTED, (0.25, 0.5), Verdict.INCONCLUSIVE),
        (Verdict.DETECTED, (0.3125, 0.5), Verdict.DETECTED),
    ],
)
def test_a_scaled_effect_whose_interval_touches_the_limit_of_25_percent_is_open(
    outcome, interval, scaled_outcome
):
    data = pair(slowdown=0.5, plain=())
    effect = 0.125 if outcome is Verdict.MISSED else 0.375
    run_of_pair = replace(judge_pair(pair()).runs[0], effect=effect, interval=interval)
    judgement = Judgement(
        outcome=outcome, weakest=run_of_pair, runs=(run_of_pair,), threshold=0.25, achieved=0.5
    )

    assert paired.scale_back_effect(judgement, data).outcome is scaled_outcome


@pytest.mark.parametrize(("achieved", "control"), [(0.95 * V, False), (V / 2, True)])
def test_a_slowdown_near_the_requested_one_or_a_control_moves_no_limit_of_the_stop(
    achieved, control
):
    calibrating = (calibration_run(probe=PLAIN, slowed=PLAIN, turns=1, method_seconds=PLAIN),) * 3
    exact_plain = suite_runs([PLAIN] * 3 for _ in range(4))
    data = pair(calibrating=calibrating, runs=(), plain=exact_plain, control=control)

    stop = paired.plan_early_stop(
        replace(data, calibration=replace(calibrated(PLAIN), achieved=achieved)), 15
    )

    assert stop.above == pytest.approx(log1p(1.1 * V / 2))
    assert stop.below == pytest.approx(log1p(0.9 * V / 2))


def test_a_limit_of_twice_the_slowdown_is_as_doubtful_as_the_method_time():
    """Of what reading the clock costs .06 is in doubt: here a quarter of the method's time."""
    doubtful = calibrated(PLAIN, clock_seconds=0.25 / 0.06 * PLAIN)
    twice_slowed = paired.ProcessJudgement(
        least=PLAIN,
        pairs=(),
        middle=log1p(2 * V),
        interval=(log1p(1.9 * V), log1p(2.1 * V)),
        p=0.001,
        trial="t",
    )

    limit = paired.find_effect_threshold(pair(calibration=doubtful), [twice_slowed])

    assert limit.is_off_target
    assert (limit.low, limit.threshold, limit.high) == pytest.approx((V / 1.25, V, V / 0.75))
