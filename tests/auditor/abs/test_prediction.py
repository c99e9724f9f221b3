from dataclasses import replace

import pytest
from builders import benchmark, calibration_run, suite_runs

from auditor.abs.judge.detection import judge_pair
from auditor.abs.judge.pair import PairData
from auditor.abs.judge.prediction import predict_share
from auditor.core.jobs import HostInterference
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.outcome import MethodClock
from auditor.core.request import DetectionRule
from auditor.core.result import ReachState, Verdict
from auditor.measure.calibration import Calibration
from auditor.measure.reach_judge import Reach

PLAIN = 1e-6


def pair(share, *, clock_cost=0.0, calls=1.0, **more):
    seconds = share * PLAIN / calls
    timed = calibration_run(
        probe=PLAIN, slowed=PLAIN, turns=9, method_seconds=seconds, clock_cost=clock_cost
    )
    calibration = Calibration(
        method_seconds=seconds,
        turns=9,
        achieved=0.6,
        settled=True,
        delay=Delay(InjectionKind.WORK, 9),
        clock_seconds=clock_cost,
    )
    return PairData(
        method="example.org/ring.Push",
        benchmark=benchmark(),
        slowdown=0.6,
        rule=more.pop("rule", DetectionRule.OURS),
        process_count=2,
        reach=Reach(state=ReachState.IN_LOOP, calls_per_operation=calls),
        calibration=calibration,
        plain=suite_runs([PLAIN, PLAIN] for _ in range(3)),
        calibrating=(timed,),
        **more,
    )


@pytest.mark.parametrize(("share", "misses"), [(0.05, True), (0.24, True), (0.26, False)])
def test_a_share_far_from_a_half_needs_no_measuring(share, misses):
    prediction = predict_share(pair(share))

    assert (prediction.share, prediction.high) == pytest.approx((share, share))
    assert prediction.misses is misses
    outcome = judge_pair(pair(share)).outcome
    assert outcome is (Verdict.MISSED if misses else Verdict.UNMEASURED)


def test_what_the_clock_may_have_hidden_of_short_calls_speaks_against_a_miss():
    """Ten calls of 10 ns: a share of .1, but of each call 22 ns may be hidden."""
    prediction = predict_share(pair(0.1, calls=10.0, clock_cost=4e-8))

    assert prediction.high == pytest.approx(0.1 + 10 * (0.5 + 0.06) * 4e-8 / PLAIN)
    assert not prediction.misses


@pytest.mark.parametrize(
    ("plain", "clock_cost", "misses"), [(1e-6, 4e-8, True), (5e-8, 4e-8, False), (1e-6, 0.0, None)]
)
def test_a_method_that_is_lost_in_the_clock_is_known_to_be_short(plain, clock_cost, misses):
    """Of a call 5 ns were shown, beside a cost of 40 ns that may have hidden 22 more."""
    pair_data = pair(0.005, clock_cost=clock_cost)
    lost = replace(pair_data.calibration, method_seconds=None)
    short = replace(pair_data, calibration=lost, plain=suite_runs([plain, plain] for _ in range(3)))

    prediction = predict_share(short)

    if misses is None:
        assert prediction is None
        return
    assert (prediction.share, prediction.low) == (None, 0.0)
    assert prediction.high == pytest.approx((5e-9 + (0.5 + 0.06) * clock_cost) / plain)
    assert prediction.misses is misses
    outcome = judge_pair(short).outcome
    assert outcome is (Verdict.MISSED if misses else Verdict.UNMEASURED)


def test_the_papers_rule_predicts_nothing():
    assert judge_pair(pair(0.05, rule=DetectionRule.PAPER)).outcome is Verdict.UNMEASURED


def test_a_large_share_is_no_detection_unless_an_estimate_is_asked_for():
    assert judge_pair(pair(1.0)).outcome is Verdict.UNMEASURED
    assert judge_pair(pair(1.0, estimate=True)).outcome is Verdict.DETECTED


@pytest.mark.parametrize(
    ("share", "outcome"),
    [(0.55, Verdict.DETECTED), (0.45, Verdict.MISSED), (0.5, Verdict.INCONCLUSIVE)],
)
def test_an_estimate_is_open_where_the_doubt_spans_the_threshold(share, outcome):
    """A clock of 50 ns leaves 3 ns in doubt, .3 % of the operation, and may hide 2.5 %."""
    verdict = judge_pair(pair(share, clock_cost=5e-8, estimate=True))

    assert verdict.outcome is outcome
    assert [caveat.slug for caveat in verdict.caveats] == ["predicted"]


@pytest.mark.parametrize(("share", "misses"), [(0.04, True), (0.05, False), (0.25, False)])
def test_what_a_gate_must_miss_follows_from_where_it_fires(share, misses):
    """.6 of a share of .04 is 2.4 %, less than half of the 5 % at which it fires."""
    assert predict_share(pair(share, rule=DetectionRule.GATE, min_delta=0.05)).misses is misses


def clocked(inside, operation=PLAIN, **more):
    """Return a pair that was not calibrated; its calls were clocked while they were counted."""
    method_clock = MethodClock("example.org/ring.Push", inside, operation)
    pair_data = pair(1.0)
    reach = replace(pair_data.reach, clocked=method_clock)
    return replace(pair_data, calibration=None, calibrating=(), reach=reach, **more)


@pytest.mark.parametrize(("share", "misses"), [(0.05, True), (0.39, True), (0.41, False)])
def test_what_was_clocked_while_calls_were_counted_needs_no_calibration_if_it_is_little(
    share, misses
):
    data = clocked(share * PLAIN)
    prediction, verdict = predict_share(data), judge_pair(data)

    assert (prediction.share, prediction.low) == (None, 0.0)
    assert prediction.high == pytest.approx(share)
    assert prediction.misses is misses
    assert verdict.outcome is (Verdict.MISSED if misses else Verdict.UNMEASURED)
    assert (verdict.share, verdict.share_at_most) == (None, pytest.approx(share))


@pytest.mark.parametrize(("waited", "high"), [(0.0, 0.2), (0.5, None)])
def test_without_runs_of_the_suite_a_pilot_tells_the_plain_time_unless_the_machine_was_busy(
    waited, high
):
    (pilot,) = suite_runs([[PLAIN, 3 * PLAIN]])
    pilot = replace(pilot, strain=HostInterference(waited=waited))

    prediction = predict_share(clocked(0.2 * PLAIN, 9 * PLAIN, plain=(), pilots=(pilot,)))

    assert (prediction and prediction.high) == (high and pytest.approx(high))


def test_a_pilot_has_to_be_farther_from_the_limit_than_runs_of_the_suite():
    pilot = suite_runs([[PLAIN]])
    runs = suite_runs([[PLAIN]])

    assert not predict_share(clocked(0.3 * PLAIN, plain=(), pilots=pilot)).misses
    assert predict_share(clocked(0.3 * PLAIN, plain=runs, pilots=pilot)).misses


def test_a_limit_is_never_said_to_be_less_than_it_is():
    assert "at most 1\N{NO-BREAK SPACE}% of" in judge_pair(clocked(0.001 * PLAIN)).reason
    assert "at most 13\N{NO-BREAK SPACE}% of" in judge_pair(clocked(0.121 * PLAIN)).reason


def test_a_machine_that_was_faster_while_calls_were_counted_makes_no_share_smaller():
    assert predict_share(clocked(0.2 * PLAIN, operation=0.5 * PLAIN)).high == pytest.approx(0.4)
    assert predict_share(clocked(0.2 * PLAIN, operation=5 * PLAIN)).high == pytest.approx(0.2)


def test_operations_in_flight_share_what_was_clocked():
    many = replace(benchmark(), threads=4, concurrency=4)

    assert predict_share(clocked(0.4 * PLAIN, benchmark=many)).high == pytest.approx(0.1)


@pytest.mark.parametrize(("inside", "operation"), [(0.0, PLAIN), (1e-8, 0.0)])
def test_calls_of_which_the_clock_has_seen_nothing_may_take_any_time(inside, operation):
    assert predict_share(clocked(inside, operation)) is None


def test_what_was_clocked_alone_is_no_detection_in_an_estimate_either():
    verdict = judge_pair(clocked(0.9 * PLAIN, estimate=True))

    assert (verdict.outcome, verdict.share_at_most) == (Verdict.INCONCLUSIVE, pytest.approx(0.9))


def test_a_calibration_tells_more_than_what_was_clocked_while_calls_were_counted():
    pair_data = replace(pair(0.9), reach=clocked(0.05 * PLAIN).reach)

    assert predict_share(pair_data).share == pytest.approx(0.9)
    assert judge_pair(pair_data).share_at_most is None
