from dataclasses import replace
from math import inf, sqrt

import numpy as np
import pytest
from builders import abs_request as request
from builders import benchmark, benchmark_verdict, pair_verdict_of, stability, suite_runs

from auditor.abs.judge.power import (
    BlockScatter,
    add_detectable_slowdowns,
    confirm_detectable_slowdowns,
    find_detectable_slowdown,
    measure_block_scatter,
    warn_of_weak_plan,
)
from auditor.core.request import DetectionRule
from auditor.core.result import Verdict
from auditor.measure.stability_judge import judge_suite_stability
from auditor.stats.compare import t_half

CALM = BlockScatter(pairs=0.01, processes=0.0, runs=5)


def noisy(sd, processes=0.0, runs=5, blocks=200):
    rng = np.random.default_rng(3)
    return suite_runs(
        np.exp(rng.normal(0, processes) + rng.normal(0, sd, blocks)) for _ in range(runs)
    )


def test_scatter_is_what_was_drawn():
    scatter = measure_block_scatter(noisy(0.05, 0.2, runs=60), 0.99)

    assert scatter.pairs == pytest.approx(0.05 * sqrt(2), rel=0.1)
    assert scatter.processes == pytest.approx(t_half(0.2 * sqrt(2 / 60), 118, 0.99), rel=0.3)


def test_one_disturbed_process_of_five_hides_little():
    calm = noisy(0.01, 0.02, runs=4)
    disturbed = suite_runs([*[[*blocks(run)] for run in calm], [3.0 * x for x in blocks(calm[0])]])

    assert measure_block_scatter(disturbed, 0.99).processes < 0.2


def blocks(run):
    return run.outcome.series[0].values


@pytest.mark.parametrize("runs", [[], noisy(0.1, runs=1), noisy(0.1, blocks=1)])
def test_nothing_is_known_of_the_scatter_of_one(runs):
    assert measure_block_scatter(runs, 0.99) is None


def test_by_our_rule_twice_the_half_interval_can_be_seen():
    """v - h > v / 2, where processes are alike."""
    half = t_half(0.01 / sqrt(24), 23, 0.99)

    assert find_detectable_slowdown(CALM, request()) == pytest.approx(2 * half)
    assert find_detectable_slowdown(CALM, request(exact=True)) > find_detectable_slowdown(
        CALM, request()
    )
    assert find_detectable_slowdown(CALM, request(iterations=100)) < find_detectable_slowdown(
        CALM, request()
    )


def test_by_a_gate_its_limit_and_the_half_interval():
    half = t_half(0.01 / sqrt(24), 23, 0.99)
    abs_request = request(rule=DetectionRule.GATE, min_delta=0.05)

    assert find_detectable_slowdown(CALM, abs_request) == pytest.approx(0.05 + half)


def test_a_test_that_may_err_more_often_sees_more():
    lenient = request(significance=0.1)
    runs = noisy(0.01, processes=0.1, blocks=24)
    steady = judge_suite_stability([benchmark()], runs, wanted_runs=5)

    assert find_detectable_slowdown(CALM, lenient) == pytest.approx(
        2 * t_half(0.01 / sqrt(24), 23, 0.9)
    )
    (benchmark_stability,) = add_detectable_slowdowns(
        steady, [benchmark()], runs, lenient, ()
    ).benchmarks
    assert benchmark_stability.visible == pytest.approx(
        find_detectable_slowdown(measure_block_scatter(runs, 0.9), lenient)
    )
    assert benchmark_stability.visible < find_detectable_slowdown(
        measure_block_scatter(runs, 0.99), lenient
    )


def test_processes_that_lie_far_apart_hide_every_slowdown():
    wild = BlockScatter(pairs=0.01, processes=2.5, runs=2)

    assert find_detectable_slowdown(wild, request()) == inf
    assert find_detectable_slowdown(wild, request(rule=DetectionRule.GATE, min_delta=0.05)) == inf
    assert find_detectable_slowdown(CALM, request(exact=True, iterations=1)) == inf


def test_plain_blocks_beside_the_others_ask_nothing_of_other_processes():
    wild = BlockScatter(pairs=0.01, processes=2.5, runs=2)

    assert find_detectable_slowdown(wild, request(), has_plain_blocks=True) == pytest.approx(
        find_detectable_slowdown(CALM, request())
    )
    assert (
        find_detectable_slowdown(replace(wild, pairs=0.5), request(), has_plain_blocks=True) > 0.5
    )


def test_blind_benchmarks_are_named_with_what_they_can_see():
    runs = noisy(0.9, blocks=24)
    steady = judge_suite_stability([benchmark()], runs, wanted_runs=5)

    detectable_slowdowns = add_detectable_slowdowns(steady, [benchmark()], runs, request(), ())
    caveat = warn_of_weak_plan(detectable_slowdowns, 0.1)

    assert detectable_slowdowns.benchmarks[0].visible > 0.1
    assert caveat.slug == "weak-plan"
    assert "1 of 1 benchmarks" in caveat.text
    assert f"{benchmark().id} (" in caveat.text
    assert (
        warn_of_weak_plan(
            add_detectable_slowdowns(
                steady, [benchmark()], runs, request(rule=DetectionRule.PAPER), ()
            ),
            0.1,
        )
        is None
    )


def test_a_calm_suite_has_nothing_to_say():
    runs = noisy(0.002)
    steady = judge_suite_stability([benchmark()], runs, wanted_runs=5)

    assert (
        warn_of_weak_plan(add_detectable_slowdowns(steady, [benchmark()], runs, request(), ()), 0.6)
        is None
    )
    assert (
        warn_of_weak_plan(
            add_detectable_slowdowns(steady, [benchmark()], runs, request(), ()), None
        )
        is None
    )


def test_many_blind_benchmarks_are_counted():
    steady = judge_suite_stability(
        [benchmark(name=f"B{index}") for index in range(8)], [], wanted_runs=5
    )
    blind_stability = replace(
        steady, benchmarks=tuple(replace(verdict, visible=inf) for verdict in steady.benchmarks)
    )

    text = warn_of_weak_plan(blind_stability, 0.6).text
    assert "and 3 more" in text
    assert "no size is sure to be seen" in text


def a_pair(outcome, interval=None):
    return pair_verdict_of(
        method="m", benchmark=benchmark().id, outcome=outcome, interval=interval, threshold=0.3
    )


@pytest.mark.parametrize(
    ("pair", "blind"),
    [
        (a_pair(Verdict.DETECTED), False),
        (a_pair(Verdict.MISSED, (-0.01, 0.02)), False),
        (a_pair(Verdict.MISSED, (-0.2, 0.2)), False),
        (a_pair(Verdict.INCONCLUSIVE, (-0.35, 0.35)), True),
        (a_pair(Verdict.INCONCLUSIVE, (-1.0, 2.0)), True),
        (a_pair(Verdict.UNREACHED), True),
    ],
)
def test_what_the_verdicts_contradict_is_withdrawn(pair, blind):
    """With a slowdown of 60 % and a threshold of 30 % an interval of ± 1.5 % sees enough."""
    steady = judge_suite_stability([benchmark()], [], wanted_runs=5)
    steady = replace(steady, benchmarks=(replace(steady.benchmarks[0], visible=inf),))

    confirmed_stability = confirm_detectable_slowdowns(steady, [pair], 0.6)

    assert (warn_of_weak_plan(confirmed_stability, 0.6) is not None) == blind
    assert confirmed_stability.benchmarks[0].visible == (inf if blind else 0.6)
    assert confirm_detectable_slowdowns(steady, [pair], None) is steady


def test_a_few_disturbed_blocks_hide_nothing():
    calm = noisy(0.01, runs=5, blocks=24)
    disturbed = suite_runs(
        [value * (20.0 if index == 3 else 1.0) for index, value in enumerate(blocks(run))]
        for run in calm
    )

    assert measure_block_scatter(disturbed, 0.99).pairs == pytest.approx(
        measure_block_scatter(calm, 0.99).pairs, rel=0.5
    )


def test_what_a_curve_shows_is_not_said_to_go_unseen():
    steady = stability([replace(benchmark_verdict("A"), visible=1.26)])

    confirmed_stability = confirm_detectable_slowdowns(steady, [], 0.5, {benchmark("A").id: 1.0})

    assert [verdict.visible for verdict in confirmed_stability.benchmarks] == [1.0]
    assert "A (seen from 100\xa0% on)" in warn_of_weak_plan(confirmed_stability, 0.5).text


def test_the_blindest_benchmarks_are_named_first():
    sizes = {"A": 0.7, "B": 0.9, "C": 0.8, "D": 0.1}
    blind_suite = stability(
        [replace(benchmark_verdict(name), visible=sizes[name]) for name in sizes]
    )

    text = warn_of_weak_plan(blind_suite, 0.6).text

    assert "3 of 4 benchmarks vary" in text
    assert text.index("B (") < text.index("C (") < text.index("A (")
    assert "1 of 4 benchmarks varies" in warn_of_weak_plan(blind_suite, 0.85).text
