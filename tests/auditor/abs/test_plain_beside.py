"""Pairs whose processes have plain blocks beside those of probe and delay."""

from dataclasses import replace

import numpy as np
import pytest
from builders import benchmark, pair_run, suite_runs

from auditor.abs.judge import extra_runs, paired
from auditor.abs.judge.detection import judge_pair
from auditor.abs.judge.pair import PairData, probe_ratio
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.request import DetectionRule
from auditor.core.result import ReachState, Verdict
from auditor.core.schedule import Block, EarlyStop, Phase
from auditor.measure.calibration import Calibration
from auditor.measure.reach_judge import Reach

PLAIN = 1e-6
V = 0.6


def noisy(middle, seed, count=15, noise=0.01):
    return middle * np.exp(np.random.default_rng(seed).normal(0, noise, count))


def make_pair(share, *, probe=1.0, speeds=(1.0, 1.0), elsewhere=1.0, **more):
    """A pair whose processes run at `speeds`; the unchanged suite took `elsewhere` times as long.

    The method takes `share` of the plain operation and is slowed as asked for.
    """
    runs = tuple(
        pair_run(
            noisy(speed * probe * PLAIN, 10 * number),
            noisy(speed * (probe + V * share) * PLAIN, 10 * number + 1),
            plain=noisy(speed * PLAIN, 10 * number + 2),
            repetition=number,
        )
        for number, speed in enumerate(speeds, 1)
    )
    pair_data = PairData(
        method="example.org/ring.Push",
        benchmark=benchmark(),
        slowdown=V,
        rule=DetectionRule.OURS,
        process_count=2,
        has_plain_blocks=True,
        reach=Reach(state=ReachState.IN_LOOP, calls_per_operation=1.0),
        calibration=Calibration(
            method_seconds=share * PLAIN,
            turns=100,
            achieved=V,
            settled=True,
            delay=Delay(InjectionKind.WORK, 100),
        ),
        plain=suite_runs(noisy(elsewhere * PLAIN * x, 99) for x in (0.9, 1.1, 1.0)),
        runs=runs,
    )
    return replace(pair_data, **more)


def slugs(verdict):
    return [caveat.slug for caveat in verdict.caveats]


@pytest.mark.parametrize(
    ("share", "outcome"),
    [(1.0, Verdict.DETECTED), (0.1, Verdict.MISSED), (0.5, Verdict.INCONCLUSIVE)],
)
def test_the_share_decides_whatever_other_processes_took(share, outcome):
    """Neither a suite that took twice as long nor scatter of a tenth is in the interval."""
    for elsewhere in (0.5, 1.0, 2.0):
        verdict = judge_pair(make_pair(share, elsewhere=elsewhere))

        assert verdict.outcome is outcome
        assert verdict.effect == pytest.approx(V * share, abs=0.04)
        assert verdict.share == pytest.approx(share, rel=0.05)


def test_near_the_threshold_it_is_said_in_how_many_runs_the_effect_is_above():
    borderline, above = make_pair(0.5), make_pair(1.0)
    mixed_pair = replace(borderline, runs=(above.runs[0], borderline.runs[1]))

    assert judge_pair(borderline).reason.endswith("the threshold in each of the 2 runs")
    assert judge_pair(replace(borderline, runs=borderline.runs[:1])).reason.endswith(
        "contains the threshold in the run"
    )
    assert judge_pair(mixed_pair).reason.endswith("surely above the threshold in only 1 of 2 runs")


def test_what_the_probe_costs_is_no_effect():
    verdict = judge_pair(make_pair(0.6, probe=1.25))

    assert verdict.effect == pytest.approx(V * 0.6, abs=0.03)
    assert verdict.achieved_slowdown == pytest.approx(V, rel=0.1)


def test_no_plain_process_is_needed():
    assert judge_pair(make_pair(1.0, plain=())).outcome is Verdict.DETECTED


def test_processes_of_other_speeds_agree():
    verdict = judge_pair(make_pair(1.0, speeds=(1.0, 1.7)))

    assert verdict.outcome is Verdict.DETECTED
    assert verdict.runs[1].effect == pytest.approx(V, abs=0.05)


def test_a_probe_is_known_to_distort_by_its_neighbours():
    distorted = make_pair(1.0, probe=2.5, elsewhere=1.5)

    verdict = judge_pair(distorted)

    assert slugs(verdict) == ["distorted"]
    assert probe_ratio(distorted).estimate == pytest.approx(2.5, rel=0.02)
    assert extra_runs.is_settled(verdict, distorted)


def test_what_a_calibration_shows_to_be_distorted_is_not_measured():
    distorted = make_pair(1.0, probe=2.5)
    calibrated = replace(distorted, calibrating=distorted.runs, runs=())

    assert slugs(judge_pair(calibrated)) == ["distorted"]
    unsure = replace(make_pair(1.0), runs=())
    assert (
        judge_pair(replace(unsure, calibrating=make_pair(1.0).runs)).outcome is Verdict.UNMEASURED
    )


def test_a_probe_that_adds_less_than_the_operation_is_in_no_effect():
    verdict = judge_pair(make_pair(1.0, probe=1.8))

    assert verdict.outcome is Verdict.DETECTED
    assert verdict.effect == pytest.approx(V, abs=0.05)


def test_a_distorted_pair_is_not_measured():
    distorted = make_pair(1.0, probe=2.5, elsewhere=0.9, inlined=True)
    calibrated = replace(distorted, calibrating=distorted.runs, runs=())

    assert slugs(judge_pair(distorted)) == slugs(judge_pair(calibrated)) == ["distorted"]


def test_inlined_calls_may_take_less_elsewhere_so_a_miss_has_to_hold_there_too():
    """Here a call takes three times as long as the code in its place: the effect may be larger."""
    three_speeds = {"speeds": (1.0, 1.0, 1.0)}
    called = make_pair(0.3, elsewhere=1 / 3, inlined=True, **three_speeds)

    assert judge_pair(make_pair(0.3, **three_speeds)).outcome is Verdict.MISSED
    assert judge_pair(called).outcome is Verdict.INCONCLUSIVE
    assert judge_pair(replace(called, inlined=False)).outcome is Verdict.MISSED


def test_inlined_calls_make_no_detection_doubtful():
    for elsewhere in (0.8, 1.0, 1.5):
        verdict = judge_pair(make_pair(1.0, elsewhere=elsewhere, inlined=True))

        assert verdict.outcome is Verdict.DETECTED
        assert verdict.effect == pytest.approx(V, abs=0.04)


def test_an_inlined_call_that_takes_longer_than_the_unchanged_operation_decides_nothing():
    dead = make_pair(1.0, probe=1.2, elsewhere=0.1, inlined=True)

    assert slugs(judge_pair(dead)) == ["calibration-failed"]
    assert judge_pair(replace(dead, inlined=False)).outcome is Verdict.DETECTED


def test_a_process_stops_by_what_is_added_to_plain_blocks():
    stop = paired.plan_early_stop(make_pair(1.0, elsewhere=3.0), 30)

    assert stop.above == pytest.approx(np.log1p(1.1 * V / 2))
    assert stop.below == pytest.approx(np.log1p(0.9 * V / 2))


def test_a_disturbed_probe_block_leaves_something_of_the_plain_one():
    run = pair_run([9e-6, 1e-6], [1.6e-6, 1.6e-6], plain=[1e-6, 1e-6])

    pairs = paired.readings.pair_block_times(run)

    assert pairs[0] == (1e-6, pytest.approx(0.01e-6))
    assert pairs[1] == (1e-6, pytest.approx(1.6e-6))


def test_what_the_probe_does_has_an_interval_of_the_level_that_is_asked_for():
    strict = make_pair(1.0)

    narrow, wide = (probe_ratio(replace(strict, significance=value)) for value in (0.1, 0.01))

    assert wide.low < narrow.low < narrow.high < wide.high


def test_a_few_blocks_beside_plain_ones_are_enough_where_they_decide():
    """Of seven quotients the interval is not known, but no verdict hangs on it."""
    run = pair_run(
        noisy(PLAIN, 1, 3, 0.001),
        noisy((1 + V) * PLAIN, 2, 3, 0.001),
        plain=noisy(PLAIN, 3, 3, 0.001),
    )
    looks = ((3, 12.0), (30, 3.0))
    stopped = EarlyStop(above=0.3, below=0.2, looks=looks, least_deviation=1e-3, enough=0.0)
    planned = tuple(Block(Phase.MEASUREMENT, arm) for arm in (0, 1, 2)) * 30
    trial = replace(run.trial, schedule=replace(run.trial.schedule, blocks=planned, stop=stopped))
    data = make_pair(1.0, runs=(replace(run, trial=trial),), process_count=1)

    assert judge_pair(data).outcome is Verdict.DETECTED
    assert probe_ratio(data).low == 0.0
    assert not extra_runs.is_surely_distorted(data)
