"""The whole study on a language that exists in memory only: what is true is known exactly."""

from dataclasses import replace

import pytest
from toy_language import METHODS, Listener, Machine, Memory, parts, request

from auditor.core.errors import NoBenchmarks, UsageError
from auditor.core.plan import Purpose
from auditor.core.verdict import Result, Rule
from auditor.studies import abs_score
from auditor.studies.preview import preview

TRUE = {
    "hop": "detected",
    "skip": "missed",
    "idle": "unreached",
    "still": "unreached",
    "trip": "crashed",
    "hang": "timed-out",
    "mute": "refused",
    "shy": "refused",
    "odd": "invalid",
}


def audited(asked, **more):
    return abs_score.audit(asked, parts(asked, **more))


def outcomes(verdict):
    return {one.id.removeprefix("toy."): str(one.outcome) for one in verdict.methods}


def test_every_method_gets_the_outcome_that_is_true():
    verdict = audited(request())

    assert outcomes(verdict) == TRUE
    assert verdict.methods[0].detected_by == ("toy.long",)
    assert (verdict.total.covered, verdict.total.counted) == (1, 6)
    assert verdict.total.bounds == (pytest.approx(100 / 6), pytest.approx(300 / 6))
    assert verdict.cover.benchmarks == ("toy.long",)


def test_the_effects_are_those_of_the_table():
    pairs = {(one.method, one.benchmark): one for one in audited(request()).pairs}
    detected = pairs["toy.hop", "toy.long"]
    missed = pairs["toy.skip", "toy.short"]

    assert detected.effect == pytest.approx(0.54, abs=0.01)
    assert detected.method_seconds == pytest.approx(9e-5, rel=0.01)
    assert (detected.share, detected.wait) == (pytest.approx(0.9, rel=0.01), "spin")
    assert missed.effect == pytest.approx(0.06, abs=0.01)
    assert (missed.achieved_slowdown, missed.wait) == (pytest.approx(0.6, rel=0.15), "work")
    assert pairs["toy.still", "toy.short"].reason == "in set-up only"


def test_unreached_pairs_are_not_measured():
    machine = Machine()
    audited(request(), machine=machine)

    measured = {
        (trial.variant.methods[0].name, trial.benchmark.name)
        for trial in machine.done
        if trial.purpose is Purpose.PAIRS
    }
    assert measured == {("hop", "quick"), ("hop", "long"), ("skip", "short")}


def test_exact_measures_them_too_and_comes_to_the_same():
    machine = Machine()
    verdict = audited(request(exact=True), machine=machine)

    slowed = {t.variant.methods[0].name for t in machine.done if t.purpose is Purpose.PAIRS}
    assert {"idle", "still"} <= slowed
    assert outcomes(verdict) == TRUE


def test_the_rule_of_the_paper_runs_mutants_and_comes_to_the_same():
    machine = Machine()
    verdict = audited(request(rule=Rule.PAPER), machine=machine)

    assert outcomes(verdict) == TRUE
    assert {t.purpose for t in machine.done} & {Purpose.PAIRS, Purpose.MUTANT} == {Purpose.MUTANT}
    assert "paper-rule" in {caveat.slug for caveat in verdict.caveats}


def test_a_second_audit_runs_nothing_and_says_the_same():
    store, machine, asked = Memory(), Machine(), request()
    first = audited(asked, store=store)
    again = parts(asked, store=store, machine=machine)

    assert abs_score.audit(asked, again) == first
    assert machine.done == []
    assert again.observer.reused >= len(store)


def test_one_more_run_adds_only_pairs():
    store, machine = Memory(), Machine()
    audited(request(), store=store)
    audited(request(runs=3), store=store, machine=machine)

    assert {(trial.purpose, trial.repetition) for trial in machine.done} == {(Purpose.PAIRS, 3)}


def whole():
    machine = Machine()
    verdict = audited(request(), machine=machine)
    return verdict, len(machine.done)


@pytest.mark.parametrize("budget", [0, 2, 6, 10, 14, 18, 22, 26, 30, 33])
def test_a_budget_ends_in_time_and_leaves_bounds_that_hold_the_truth(budget):
    verdict, seconds = whole()
    machine = Machine()

    found = audited(request(budget=budget), machine=machine)

    assert len(machine.done) <= budget < seconds
    for name in ("total", "relative", "absolute"):
        low, high = getattr(found, name).bounds
        assert low <= getattr(verdict, name).percent <= high, name
    said = outcomes(found)
    assert {one: said[one] for one in said if said[one] not in (TRUE[one], "inconclusive")} == {}


@pytest.mark.parametrize("budget", [26, 26.5])
def test_what_a_budget_prevented_is_said(budget):
    found = audited(request(budget=budget))

    assert "budget" in {caveat.slug for caveat in found.caveats}
    assert Result.INCONCLUSIVE in {one.outcome for one in found.methods}


def test_what_a_budget_prevented_is_made_up_for_by_the_same_command():
    verdict, seconds = whole()
    store = Memory()
    audited(request(budget=seconds // 2), store=store)

    assert audited(request(), store=store) == verdict


def test_too_few_pairs_are_said_beforehand():
    asked = request()
    suite = replace(asked.suite, plan=replace(asked.suite.plan, iterations=5))
    few = replace(asked, suite=suite)
    ready = parts(few)

    verdict = abs_score.audit(few, ready)

    assert [one.slug for one in ready.observer.caveats] == ["never-significant"]
    assert verdict.total.covered == 0


def test_names_are_looked_up_before_anything_is_run():
    machine = Machine()
    with pytest.raises(UsageError, match=r"unknown method 'hopp' in toy; the subject has: toy.hop"):
        audited(request(methods=("hopp",)), machine=machine)

    assert machine.done == []


def test_the_most_called_methods_are_chosen_where_none_are_named():
    verdict = audited(request(methods=None))

    assert {one.id for one in verdict.methods} <= {f"toy.{name}" for name in METHODS}
    assert "toy.idle" not in {one.id for one in verdict.methods}
    assert "methods-auto" in {caveat.slug for caveat in verdict.caveats}


def test_a_filter_that_leaves_nothing_names_some_benchmarks():
    asked = request()
    asked = replace(asked, suite=replace(asked.suite, benchmarks="^x"))

    with pytest.raises(NoBenchmarks, match=r"no benchmark matches '\^x'; the suite has 3"):
        audited(asked)


def test_a_dry_run_starts_nothing_and_its_counts_are_upper_limits():
    machine, asked = Machine(), request()
    ready = parts(asked, machine=machine)
    said = {phase.name: phase.trials for phase in preview(asked, ready).phases}
    assert machine.done == []

    abs_score.audit(asked, ready)

    listener = ready.observer
    assert isinstance(listener, Listener)
    run = sum(trials for name, trials in listener.phases if name.startswith("pairs"))
    assert said["pairs (at most)"] >= run
    assert said["suite runs"] == 9
