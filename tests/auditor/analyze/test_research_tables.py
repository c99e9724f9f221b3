"""Judging a research tool's table; each value is a benchmark's 100 ns, moved by a given percent."""

from dataclasses import replace

import numpy as np
import pytest
from builders import benchmark, crashed, method, mutant_run, pair_run, run, suite_run

from auditor.abs.study.recorded_rows import build_rows
from auditor.analyze.study_tables import TableRequest, judge_table_rows
from auditor.core.errors import UsageError
from auditor.core.mutant import Variant, VariantKind
from auditor.core.plan import Purpose
from auditor.core.result import Verdict
from auditor.core.stability import Stability
from auditor.core.subject import Language
from auditor.importers.research_tools.layout import ProcessValues

NAMES = ("A", "B")
CALM = np.random.default_rng(1).normal(1, 0.01, 20)


def rows(run, method, benchmark, times=1.0, values=CALM):
    seconds = tuple(float(value) for value in 100e-9 * times * values)
    return ProcessValues(run=run, method=method, benchmark=benchmark, seconds=seconds)


def plain(runs=2, names=NAMES):
    # Every second run is 1 % slower, so that there is a spread.
    return [rows(index, None, name, 1 + index % 2 / 100) for index in range(runs) for name in names]


def slowed(name, factors, runs=(0, 1)):
    """A method that makes the benchmarks of `factors` so many times as slow, and no others."""
    return [rows(run_number, name, b, factors.get(b, 1.0)) for run_number in runs for b in NAMES]


def judged(*parts, slowdown=0.4, **more):
    result = tuple(row for part in parts for row in part)
    return judge_table_rows(
        TableRequest(rows=result, language=Language.GO, digest="d", slowdown=slowdown, **more)
    )


def outcomes(verdict):
    return {method_verdict.id: method_verdict.outcome for method_verdict in verdict.methods}


def pairs(verdict):
    return {(pair.method, pair.benchmark): pair for pair in verdict.pairs}


def test_a_slowdown_is_detected_by_the_benchmark_that_has_it():
    verdict = judged(plain(), slowed("seen", {"A": 1.3}), slowed("unseen", {"A": 1.1}))

    assert outcomes(verdict) == {"seen": Verdict.DETECTED, "unseen": Verdict.MISSED}
    assert pairs(verdict)["seen", "A"].effect == pytest.approx(0.3, abs=0.02)
    assert pairs(verdict)["seen", "B"].outcome is Verdict.MISSED
    assert verdict.total.percent == 50
    assert verdict.cover.benchmarks == ("A",)
    assert (verdict.slowdown, verdict.slowdown_source) == (0.4, "fixed")


def test_nobody_is_said_to_call_a_method_and_no_time_is_made_up():
    verdict = judged(plain(), slowed("m", {"A": 1.3}))

    assert [method_verdict.reached_by for method_verdict in verdict.methods] == [()]
    assert verdict.stability.duration is None
    assert verdict.stability.suite_seconds == ()
    assert [benchmark_verdict.seconds for benchmark_verdict in verdict.stability.benchmarks] == [
        None,
        None,
    ]
    assert {"from-a-table", "paper-rule"} <= {caveat.slug for caveat in verdict.caveats}


def test_a_speed_up_is_no_detection():
    verdict = judged(plain(), slowed("m", {"A": 0.5}))

    assert outcomes(verdict) == {"m": Verdict.MISSED}


@pytest.mark.parametrize("times", [1.0, 1.3], ids=["missed", "detected"])
@pytest.mark.parametrize("lost", [0, 1])
def test_a_pair_that_lacks_a_run_is_undecided_whatever_the_other_says(times, lost):
    table = [*slowed("m", {"A": times}), *slowed("other", {})]
    table = [row for row in table if (row.method, row.benchmark, row.run) != ("m", "A", lost)]

    verdict = judged(plain(), table)

    pair = pairs(verdict)["m", "A"]
    assert pair.outcome is Verdict.INCONCLUSIVE
    assert pair.reason == f"the table lacks 1 of 2 runs, the first: {lost + 1}"
    assert verdict.total.bounds == (0, 50)


def test_a_pair_that_is_not_there_at_all_is_undecided():
    table = [row for row in slowed("m", {}) if row.benchmark == "A"]

    verdict = judged(plain(), table)

    assert pairs(verdict)["m", "B"].outcome is Verdict.INCONCLUSIVE
    assert outcomes(verdict) == {"m": Verdict.INCONCLUSIVE}


def test_a_run_that_no_method_finished_is_missing_where_the_first_one_is_there():
    verdict = judged(plain(), slowed("m", {"A": 1.3}, runs=(1,)))

    assert pairs(verdict)["m", "A"].reason == "the table lacks 1 of 2 runs, the first: 1"


def test_a_benchmark_without_a_plain_run_is_incomplete_and_its_pairs_are_undecided():
    table = [row for row in plain() if (row.benchmark, row.run) != ("A", 1)]

    verdict = judged(table, slowed("m", {"A": 1.3, "B": 1.3}))

    first, second = verdict.stability.benchmarks
    assert (first.max_spread, first.runs) == (None, 1)
    assert "the table lacks 1 of 2 runs, the first: 2" in first.reason
    assert second.max_spread == pytest.approx(0.01, abs=1e-3)
    assert pairs(verdict)["m", "A"].outcome is Verdict.INCONCLUSIVE
    assert pairs(verdict)["m", "B"].outcome is Verdict.DETECTED
    assert verdict.relative.excluded_benchmarks == ("A",)


def test_a_table_without_the_plain_suite_decides_nothing():
    verdict = judged(slowed("m", {"A": 1.3}))

    assert outcomes(verdict) == {"m": Verdict.INCONCLUSIVE}
    assert verdict.total.bounds == (0, 100)


def test_more_runs_asked_for_than_there_are_leave_all_undecided():
    verdict = judged(plain(), slowed("m", {"A": 1.3}), runs=3)

    assert {pair.outcome for pair in verdict.pairs} == {Verdict.INCONCLUSIVE}


def test_fewer_runs_asked_for_leave_the_others_out():
    table = slowed("m", {"A": 1.3}, runs=(0,)) + slowed("m", {}, runs=(1,))

    assert outcomes(judged(plain(), table)) == {"m": Verdict.MISSED}
    assert outcomes(judged(plain(), table, runs=1)) == {"m": Verdict.DETECTED}


def test_a_suite_that_was_run_more_often_than_the_methods_is_no_lack():
    verdict = judged(plain(runs=5), slowed("m", {"A": 1.3}))

    assert outcomes(verdict) == {"m": Verdict.DETECTED}
    assert verdict.stability.runs == 5
    assert judged(plain(runs=5), stability_runs=2).runs == 2


def test_runs_may_be_counted_from_one():
    table = [*plain(), *slowed("m", {"A": 1.3})]

    verdict = judged([replace(row, run=row.run + 1) for row in table])

    assert outcomes(verdict) == {"m": Verdict.DETECTED}


def test_a_lone_run_with_an_absurd_number_is_a_lack_and_no_endless_loop():
    verdict = judged(plain(), slowed("m", {"A": 1.3}), [rows(999_999_999, "m", "A")])

    assert outcomes(verdict) == {"m": Verdict.INCONCLUSIVE}


def test_values_that_are_no_times_decide_nothing():
    zero = np.zeros(20)
    table = [row for row in plain() if row.benchmark != "A"]
    table += [rows(run_number, None, "A", values=zero) for run_number in (0, 1)]

    verdict = judged(table, slowed("m", {"A": 1.3}))

    assert verdict.stability.benchmarks[-1].reason == "run 2: 20 of 20 values cannot be times: 0.0"
    assert pairs(verdict)["m", "A"].outcome is Verdict.INCONCLUSIVE


def test_the_slowdown_is_sized_by_the_spreads_of_the_table():
    verdict = judged(plain(), slowed("m", {"A": 1.3}), slowdown=None)

    assert verdict.slowdown_source == "auto"
    assert verdict.slowdown == pytest.approx(0.02, abs=1e-3)


def test_a_slowdown_that_cannot_be_sized_is_asked_for():
    with pytest.raises(UsageError, match=r"give a number: --slowdown 0\.6"):
        judged(plain(runs=1), slowed("m", {}, runs=(0,)), slowdown=None)


def test_a_table_of_the_plain_suite_alone_tells_of_stability():
    steady = judged(plain(runs=5), slowdown=None)

    assert isinstance(steady, Stability)
    assert [verdict.max_spread for verdict in steady.benchmarks] == pytest.approx(
        [0.01, 0.01], abs=1e-3
    )


def test_four_values_are_too_few():
    table = [*plain(), *slowed("m", {"A": 1.3})]

    verdict = judged([replace(row, seconds=row.seconds[:4]) for row in table])

    assert {pair.outcome for pair in verdict.pairs} == {Verdict.INCONCLUSIVE}
    assert {slug.slug for slug in pairs(verdict)["m", "A"].caveats} == {"few-values"}


def variant(trial_result, name="Push"):
    return replace(
        trial_result,
        trial=replace(trial_result.trial, variant=Variant(VariantKind.DELAYED, (method(name),))),
    )


def test_an_audits_runs_become_the_rows_of_a_table():
    runs = [
        variant(mutant_run([2e-9], repetition=2)),
        variant(pair_run([1e-9], [3e-9], fork=2), "Pop"),
        suite_run([1e-9, 2e-9]),
        run(crashed(), of_benchmark=benchmark("BenchmarkBroken")),
        suite_run([float("nan")], of_benchmark=benchmark("BenchmarkOdd")),
    ]

    table = [(row.run, row.part, row.method, row.seconds) for row in build_rows(runs)]

    assert table == [
        (0, 0, None, (1e-9, 2e-9)),
        (0, 1, "example.org/ring.Pop", (3e-9,)),
        (1, 0, "example.org/ring.Push", (2e-9,)),
    ]


def test_what_slowed_runs_were_compared_with_is_the_baseline():
    among = suite_run([4e-9], purpose=Purpose.REFERENCE)
    runs = [suite_run([1e-9]), among]
    paired = variant(pair_run([1e-9], [3e-9]))
    slowed = variant(mutant_run([2e-9]))

    def baseline(*more):
        return [row.seconds for row in build_rows([*runs, *more]) if row.method is None]

    assert baseline(slowed) == [(4e-9,)]
    assert baseline(paired) == [(1e-9,)]


def test_parameters_are_named_as_javaabs_does():
    push_benchmark = replace(
        benchmark("push"), group="a.B", parameters=(("n", "10"), ("kind", "x"))
    )

    (row,) = build_rows([suite_run([1e-9], of_benchmark=push_benchmark)])

    assert row.benchmark == "a.B.push(n-10)(kind-x)"


def test_forks_of_a_run_are_judged_together():
    halves = [
        replace(row, part=part, seconds=row.seconds[part::2])
        for row in [*plain(), *slowed("m", {"A": 1.3})]
        for part in (0, 1)
    ]

    verdict = judged(halves)

    assert outcomes(verdict) == {"m": Verdict.DETECTED}
    assert [benchmark_verdict.runs for benchmark_verdict in verdict.stability.benchmarks] == [2, 2]
