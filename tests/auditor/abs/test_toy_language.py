"""The whole study on a language that exists in memory only: what is true is known exactly."""

from dataclasses import replace
from itertools import groupby, pairwise

import pytest
import toy_language
from toy_language import METHODS, Listener, Machine, Memory, parts, request

from auditor.abs.preview import preview_abs
from auditor.abs.study import abs_audit
from auditor.core.errors import NoBenchmarks, OutOfTime, UsageError
from auditor.core.mutant import PLAIN, VariantKind
from auditor.core.plan import Purpose
from auditor.core.request import CurveMode, DetectionRule
from auditor.core.result import Verdict
from auditor.measure import schedules, stability_study

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
    "late": "invalid",
}


def audited(audit_request, **more):
    return abs_audit.audit_suite(audit_request, parts(audit_request, **more))


def outcomes(verdict):
    return {method.id.removeprefix("toy."): str(method.outcome) for method in verdict.methods}


def test_every_method_gets_the_outcome_that_is_true():
    verdict = audited(request())

    assert outcomes(verdict) == TRUE
    assert verdict.methods[0].detected_by == ("toy.long",)
    assert (verdict.total.covered, verdict.total.counted) == (1, 6)
    assert verdict.total.bounds == (pytest.approx(100 / 6), pytest.approx(300 / 6))
    assert verdict.cover.benchmarks == ("toy.long",)


def test_the_effects_are_those_of_the_table():
    pairs = {(pair.method, pair.benchmark): pair for pair in audited(request()).pairs}
    detected = pairs["toy.hop", "toy.long"]
    missed = pairs["toy.skip", "toy.short"]

    assert detected.effect == pytest.approx(0.54, abs=0.01)
    assert detected.method_seconds == pytest.approx(4.5e-5, rel=0.01)
    assert (detected.share, detected.wait) == (pytest.approx(0.9, rel=0.01), "spin")
    assert missed.effect == pytest.approx(0.21, abs=0.01)
    assert (missed.achieved_slowdown, missed.wait) == (pytest.approx(0.6, rel=0.15), "work")
    assert pairs["toy.still", "toy.short"].reason == "in set-up only"


def test_a_clock_that_was_disturbed_beside_one_pair_is_read_by_what_the_others_tell(monkeypatch):
    table = {("hop", benchmark): 0.001 for benchmark in ("long", "quick", "short")}
    monkeypatch.setattr(toy_language, "SHARES", table)
    monkeypatch.setattr(toy_language, "SLOW_CLOCKS", {("hop", "long"): 4.5e-8})

    pairs = audited(request(methods=("hop",), estimate=True)).pairs

    assert [pair.method_seconds for pair in pairs] == pytest.approx([5e-8] * 3)


@pytest.mark.parametrize(
    ("shares", "tried"),
    [((0.8, 0.9), ["long"]), ((0.9, 0.8), ["quick"]), ((0.35, 0.4), ["long", "quick"])],
)
def test_for_the_score_alone_the_most_promising_benchmark_comes_first(monkeypatch, shares, tried):
    """It is the one that calls most often, and nothing else is timed of the method before."""
    for name, share in zip(("quick", "long"), shares, strict=True):
        monkeypatch.setitem(toy_language.SHARES, ("hop", name), share)
    monkeypatch.setattr(toy_language, "CALLS", {("hop", tried[0]): 3})
    machine = Machine()

    verdict = audited(request(methods=("hop",), score_only=True), machine=machine)

    pair_trials = [
        slowed_trial
        for slowed_trial in slowed(machine, "hop")
        if slowed_trial.purpose is Purpose.PAIRS
    ]
    assert list(dict.fromkeys(trial.benchmark.name for trial in pair_trials)) == tried
    assert {calibration_trial.benchmark.name for calibration_trial in calibrating(machine)} == set(
        tried
    )
    assert outcomes(verdict)["hop"] == ("detected" if len(tried) == 1 else "missed")
    assert "score-mode" in {caveat.slug for caveat in verdict.caveats}
    pairs = {pair.benchmark: pair.outcome for pair in verdict.pairs}
    untried = {"toy.quick", "toy.long"} - {f"toy.{name}" for name in tried}
    assert {pairs[text] for text in untried} <= {Verdict.UNMEASURED}


@pytest.mark.parametrize(
    ("significance", "outcome", "message"),
    [(0.01, Verdict.INCONCLUSIVE, False), (0.05, Verdict.DETECTED, True)],
)
def test_how_often_a_test_may_err_is_the_users_choice(significance, outcome, message):
    """Of seven pairs no p is below .0156."""
    audit_request = request(methods=("hop",), exact=True, significance=significance)
    suite = replace(audit_request.suite, plan=replace(audit_request.suite.plan, iterations=7))

    verdict = audited(replace(audit_request, suite=suite))

    assert [method.outcome for method in verdict.methods] == [outcome]
    assert ("significance-given" in [caveat.slug for caveat in verdict.caveats]) is message


def test_an_estimate_times_each_pair_once_and_slows_nothing():
    machine = Machine()

    verdict = audited(request(methods=("hop", "skip"), estimate=True), machine=machine)

    assert Purpose.PAIRS not in {trial.purpose for trial in machine.ended_trials}
    assert len(calibrating(machine)) == 3
    assert outcomes(verdict) == {"hop": "detected", "skip": "missed"}
    assert "estimate" in {caveat.slug for caveat in verdict.caveats}


@pytest.mark.parametrize(
    ("changes", "early"),
    [({}, schedules.QUIET), ({"exact": True}, None), ({"rule": DetectionRule.PAPER}, None)],
)
def test_a_calibration_ends_once_all_is_quiet_where_not_all_is_asked_for(changes, early):
    machine = Machine()

    audited(request(methods=("skip",), **changes), machine=machine)

    assert {calibration_trial.schedule.quiet for calibration_trial in calibrating(machine)} == {
        early
    }


def calibrating(machine):
    return [trial for trial in machine.ended_trials if trial.purpose is Purpose.CALIBRATION]


@pytest.mark.parametrize(("slowdown", "more"), [(0.5, 0), (0.1, 1)])
def test_what_was_calibrated_for_one_slowdown_is_a_beginning_for_another(slowdown, more):
    """15,000 turns were tried, 8,750 are wanted, and 1,750, which are too far from them."""
    store, first, second = Memory(), Machine(), Machine()
    audited(request(methods=("skip",)), store=store, machine=first)

    audited(request(methods=("skip",), slowdown=slowdown), store=store, machine=second)

    assert len(calibrating(first)) == 1
    assert len(calibrating(second)) == more


@pytest.mark.parametrize("exact", [False, True])
def test_what_other_pairs_tell_of_the_clock_makes_no_process_of_a_pair_anew(monkeypatch, exact):
    """It would have 162 turns for 150, which does not matter: each tells what it gave."""
    monkeypatch.setattr(toy_language, "SHARES", {("hop", "long"): 0.5, ("skip", "short"): 0.5})
    monkeypatch.setattr(toy_language, "CALLS", {("skip", "short"): 100})
    monkeypatch.setattr(toy_language, "SLOW_CLOCKS", {("hop", "long"): 1e-8})
    store, machine = Memory(), Machine()
    audit_request = request(methods=("skip",), exact=exact)
    first = audited(audit_request, store=store)

    second = audited(replace(audit_request, methods=("skip", "hop")), store=store, machine=machine)

    purposes = [slowed_trial.purpose for slowed_trial in slowed(machine, "skip")]
    assert set(purposes) == ({Purpose.PAIRS} if exact else set())
    (second_pair,) = [pair for pair in second.pairs if pair.method == "toy.skip" and pair.effect]
    (before,) = [pair for pair in first.pairs if pair.effect]
    assert second_pair.method_seconds > 1.05 * before.method_seconds
    assert exact or second_pair.effect == before.effect


def test_a_calibration_stays_valid_when_suite_runs_are_added():
    store, machine = Memory(), Machine()
    audit_request = request(methods=("skip",))
    audited(audit_request, store=store)

    more = replace(audit_request, suite=replace(audit_request.suite, stability_runs=5))
    audited(more, store=store, machine=machine)

    assert {trial.purpose for trial in machine.ended_trials} == {Purpose.SUITE}


def test_unreached_pairs_are_not_measured():
    machine = Machine()
    audited(request(), machine=machine)

    measured = {
        (trial.variant.methods[0].name, trial.benchmark.name)
        for trial in machine.ended_trials
        if trial.purpose is Purpose.PAIRS
    }
    assert measured == {("hop", "long"), ("skip", "short")}


def test_a_small_share_is_timed_once_and_known_to_be_missed():
    machine = Machine()
    pairs = {
        (pair.method, pair.benchmark): pair for pair in audited(request(), machine=machine).pairs
    }

    predicted = pairs["toy.hop", "toy.quick"]
    assert [caveat.slug for caveat in predicted.caveats] == ["predicted"]
    assert (predicted.outcome, predicted.share) == (Verdict.MISSED, pytest.approx(0.05, rel=0.01))
    timed = [
        slowed_trial
        for slowed_trial in slowed(machine, "hop")
        if slowed_trial.benchmark.name == "quick"
    ]
    assert [trial.purpose for trial in timed] == [Purpose.CALIBRATION]


def test_a_share_that_is_small_while_calls_are_counted_is_not_even_timed(monkeypatch):
    monkeypatch.setattr(toy_language, "CLOCKED", {("hop", "quick"): 0.1, ("skip", "short"): 0.4})
    machine = Machine()
    verdict = audited(request(), machine=machine)
    pairs = {(pair.method, pair.benchmark): pair for pair in verdict.pairs}
    timed = [t for t in machine.ended_trials if t.purpose is Purpose.CALIBRATION]

    short = pairs["toy.hop", "toy.quick"]
    assert {(t.variant.methods[0].name, t.benchmark.name) for t in timed} >= {("skip", "short")}
    assert [
        slowed_trial
        for slowed_trial in slowed(machine, "hop")
        if slowed_trial.benchmark.name == "quick"
    ] == []
    assert (short.outcome, short.share) == (Verdict.MISSED, None)
    assert short.share_at_most == pytest.approx(0.1, rel=0.02)
    assert outcomes(verdict) == TRUE


def test_of_a_method_that_is_surely_missed_everywhere_nothing_is_built(monkeypatch):
    shares = {("hop", "quick"): 0.1, ("hop", "long"): 0.2, ("skip", "short"): 0.4}
    monkeypatch.setattr(toy_language, "CLOCKED", shares)
    machine = Machine()
    audited(request(), machine=machine)

    assert slowed(machine, "hop") == []
    assert slowed(machine, "skip")


@pytest.mark.parametrize("mode", [{}, {"score_only": True}])
def test_what_seemed_short_is_timed_once_a_plain_process_was_shorter(mode, monkeypatch):
    """Once the suite has been run everything takes less than half as long."""
    table = {("idle", "long"): 0.2}
    monkeypatch.setattr(toy_language, "SHARES", toy_language.SHARES | table)
    monkeypatch.setattr(toy_language, "CLOCKED", table)
    machine = Machine(later=0.4)
    verdict = audited(request(**mode), machine=machine)
    (pair,) = [
        pair_verdict
        for pair_verdict in verdict.pairs
        if pair_verdict.method == "toy.idle" and pair_verdict.share
    ]

    assert [trial.purpose for trial in slowed(machine, "idle")] == [Purpose.CALIBRATION]
    assert pair.outcome is Verdict.MISSED
    assert pair.share == pytest.approx(0.4 * 0.2, rel=0.05)  # of what most plain processes took


def test_pairs_that_there_was_no_time_for_are_not_taken_up_again():
    audit_request = request(methods=("hop", "skip"), budget=19)
    audit_parts = parts(audit_request)

    abs_audit.audit_suite(audit_request, audit_parts)

    firsts = [trials for name, trials in audit_parts.observer.phases if name == "pairs, run 1 of 2"]
    assert 1 <= len(firsts) <= 2  # a wave of each method at most


def test_what_was_measured_at_another_slowdown_is_no_verdict_at_this_one(monkeypatch):
    """The only delay that is known of these short calls is that of the other slowdown."""
    monkeypatch.setitem(toy_language.CALLS, ("hop", "long"), 4000)
    store = Memory()
    audited(request(methods=("hop",), slowdown=1.0), store=store)

    verdict = audited(request(methods=("hop",), slowdown=0.6, budget=0), store=store)

    (pair,) = [
        pair_verdict for pair_verdict in verdict.pairs if pair_verdict.benchmark == "toy.long"
    ]
    assert pair.outcome is Verdict.UNMEASURED
    assert pair.achieved_slowdown is None


def test_an_exact_audit_and_an_estimate_calibrate_what_was_clocked(monkeypatch):
    monkeypatch.setattr(toy_language, "CLOCKED", {("hop", "quick"): 0.1, ("hop", "long"): 0.95})
    exact, estimated = Machine(), Machine()
    audited(request(exact=True), machine=exact)
    verdict = audited(request(estimate=True), machine=estimated)
    pairs = {(pair.method, pair.benchmark): pair for pair in verdict.pairs}

    assert any(t.benchmark.name == "quick" for t in slowed(exact, "hop"))
    assert pairs["toy.hop", "toy.long"].outcome is Verdict.DETECTED
    assert [t.benchmark.name for t in slowed(estimated, "hop")] == ["long"]


def test_exact_measures_them_too_and_comes_to_the_same():
    machine = Machine()
    verdict = audited(request(exact=True), machine=machine)

    slowed = {t.variant.methods[0].name for t in machine.ended_trials if t.purpose is Purpose.PAIRS}
    assert {"idle", "still"} <= slowed
    assert outcomes(verdict) == TRUE


def test_the_rule_of_the_paper_runs_mutants_and_comes_to_the_same():
    machine = Machine()
    verdict = audited(request(rule=DetectionRule.PAPER), machine=machine)

    assert outcomes(verdict) == TRUE
    measured = {Purpose.PAIRS, Purpose.REFERENCE, Purpose.MUTANT}
    assert {t.purpose for t in machine.ended_trials} & measured == {Purpose.MUTANT}
    assert "paper-rule" in {caveat.slug for caveat in verdict.caveats}


def test_in_turns_the_papers_rule_is_not_misled_by_a_machine_that_became_slower():
    audit_request = request(rule=DetectionRule.PAPER, interleave=True)
    machine = Machine(later=1.5)

    assert outcomes(audited(request(rule=DetectionRule.PAPER), machine=Machine(later=1.5))) != TRUE
    assert outcomes(audited(audit_request, machine=machine)) == TRUE

    assert {t.layout for t in machine.ended_trials} == {0}
    turns = [t for t in machine.ended_trials if t.purpose in (Purpose.MUTANT, Purpose.REFERENCE)]
    for repetition in (1, 2):
        repetition_trials = [t for t in turns if t.repetition == repetition]
        names = [t.benchmark.name for t in repetition_trials]
        assert sum(a != b for a, b in pairwise(names)) == len(set(names)) - 1
        plain = [t.benchmark.name for t in repetition_trials if t.purpose is Purpose.REFERENCE]
        assert sorted(plain) == sorted(set(names))
    firsts = [t for before, t in pairwise((None, *turns)) if not before or
              before.benchmark != t.benchmark]  # fmt: skip
    assert Purpose.MUTANT in {t.purpose for t in firsts}


def test_the_rules_that_always_take_turns_are_the_same_with_it():
    plain, turned = Machine(), Machine()

    assert audited(request(interleave=True), machine=turned) == audited(request(), machine=plain)
    assert [t.id for t in plain.ended_trials] == [t.id for t in turned.ended_trials]


@pytest.mark.parametrize("slowdown", [0.6, 0.02, None])
def test_a_second_audit_runs_nothing_and_says_the_same(slowdown):
    """A slowdown within the noise has no turns that settle it."""
    store, machine, audit_request = Memory(), Machine(), request(slowdown=slowdown)
    first = audited(audit_request, store=store)
    second_parts = parts(audit_request, store=store, machine=machine)

    assert abs_audit.audit_suite(audit_request, second_parts) == first
    assert machine.ended_trials == []
    assert second_parts.observer.reused >= len(store)


def test_one_more_run_adds_only_pairs_and_references():
    store, machine = Memory(), Machine()
    audited(request(), store=store)
    audited(request(runs=3), store=store, machine=machine)

    assert {trial.repetition for trial in machine.ended_trials} == {3}
    assert {trial.purpose for trial in machine.ended_trials} == {Purpose.PAIRS, Purpose.REFERENCE}


def test_each_run_has_one_plain_process_of_each_benchmark_among_its_pairs():
    machine = Machine()
    audited(request(runs=6, exact=True), machine=machine)

    late = [t for t in machine.ended_trials if t.purpose in (Purpose.PAIRS, Purpose.REFERENCE)]
    runs = [[t for t in late if t.repetition == repetition] for repetition in range(1, 7)]
    assert late == [trial for run in runs for trial in run]
    for run in runs:
        plain = [t for t in run if t.purpose is Purpose.REFERENCE]
        assert sorted(t.benchmark.name for t in plain) == ["long", "quick", "short"]
        assert {(t.variant, t.overlay.files, t.schedule.operations) for t in plain} == {
            (PLAIN, (), 100)
        }
    places = [tuple(t.purpose for t in run) for run in runs]
    assert len(set(places)) > 1


def test_only_benchmarks_with_a_pair_to_measure_have_references():
    machine = Machine()
    audited(request(methods=("skip", "trip", "idle")), machine=machine)

    plain = {t.benchmark.name for t in machine.ended_trials if t.purpose is Purpose.REFERENCE}
    assert plain == {"short"}


def test_the_plain_time_is_also_that_of_the_time_when_the_pairs_ran():
    """Without the references the method would seem to take 1.2 * .9 of the operation."""
    drifted = audited(request(runs=6), machine=Machine(later=1.2))

    pairs = {(pair.method, pair.benchmark): pair for pair in drifted.pairs}
    assert pairs["toy.hop", "toy.long"].share == pytest.approx(0.9, abs=0.02)
    calm = audited(request(runs=6))
    assert drifted.stability == calm.stability


def test_a_pair_that_hung_in_a_run_is_not_waited_for_in_the_next():
    machine = Machine(uncounted=frozenset({"short"}))
    verdict = audited(request(runs=3), machine=machine)

    assert [t.repetition for t in slowed(machine, "hang")] == [1]
    assert {t.repetition for t in slowed(machine, "hop")} == {1, 2, 3}
    assert outcomes(verdict)["hang"] == "timed-out"


def test_one_run_that_misses_decides_a_pair_unless_it_is_to_be_exact():
    for exact, runs in ((False, [1]), (True, [1, 2, 3])):
        machine = Machine()
        verdict = audited(request(methods=("skip",), runs=3, exact=exact), machine=machine)

        pairs = [
            slowed_trial
            for slowed_trial in slowed(machine, "skip")
            if slowed_trial.purpose is Purpose.PAIRS
        ]
        assert [pair.repetition for pair in pairs if pair.benchmark.name == "short"] == runs
        assert all((pair.schedule.stop is None) == exact for pair in pairs)
        assert outcomes(verdict)["skip"] == "missed"


def alone(machine):
    """Return by purpose whether trials had the machine for themselves."""
    exclusive_by_purpose = {}
    for trial in machine.ended_trials:
        exclusive_by_purpose.setdefault(trial.purpose, set()).add(trial.is_exclusive)
    return exclusive_by_purpose


def test_what_is_counted_or_only_a_beginning_may_run_beside_others():
    machine = Machine()

    audited(request(), machine=machine)

    assert alone(machine) == {
        Purpose.PILOT: {True},
        Purpose.SUITE: {True},
        Purpose.REACH: {False},
        Purpose.CALIBRATION: {False},
        Purpose.PAIRS: {True},
        Purpose.REFERENCE: {True},
    }


@pytest.mark.parametrize(("exact", "threads"), [(True, 1), (False, 2)])
def test_what_is_to_be_exact_or_needs_all_processors_is_calibrated_alone(exact, threads):
    machine, audit_request = Machine(), request(exact=exact)
    audit_parts = parts(audit_request, machine=machine)
    many = [replace(benchmark, threads=threads) for benchmark in audit_parts.suite.benchmarks]

    abs_audit.audit_suite(
        audit_request,
        replace(audit_parts, suite=replace(audit_parts.suite, benchmarks=tuple(many))),
    )

    assert alone(machine)[Purpose.CALIBRATION] == {True}


def test_what_is_to_be_exact_takes_no_calibration_that_others_ran_beside():
    store, machine = Memory(), Machine()
    audited(request(), store=store)

    audited(request(exact=True), store=store, machine=machine)

    calibrations = [trial for trial in machine.ended_trials if trial.purpose is Purpose.CALIBRATION]
    assert calibrations
    assert {(trial.is_exclusive, trial.repetition) for trial in calibrations} >= {(True, 1)}


def test_methods_are_calibrated_in_turns():
    machine = Machine()

    audited(request(), machine=machine)

    order = [
        trial.variant.methods[0].name
        for trial in machine.ended_trials
        if trial.purpose is Purpose.CALIBRATION and trial.repetition == 1
    ]
    first = order[: len(set(order))]
    assert len(set(first)) == len(first) > 1


def slowed(machine, name):
    return [
        trial
        for trial in machine.ended_trials
        if trial.variant.kind is VariantKind.DELAYED and trial.variant.methods[0].name == name
    ]


def test_turns_that_were_wrong_are_corrected_by_what_the_pair_shows(monkeypatch):
    """A turn costs three times as long in a pair as calibration has seen."""
    monkeypatch.setitem(toy_language.SHARES, ("hop", "long"), 0.3)
    monkeypatch.setattr(toy_language, "PAIR_TURNS", 3.0)
    machine = Machine()

    verdict = audited(request(methods=("hop",)), machine=machine)

    (long_pair,) = [pair for pair in verdict.pairs if pair.benchmark == "toy.long"]
    assert (long_pair.outcome, long_pair.wait) == (Verdict.MISSED, "work")
    assert long_pair.achieved_slowdown == pytest.approx(0.6, rel=0.1)
    tried = [
        (trial.repetition, trial.schedule.arms[1].delay.number)
        for trial in slowed(machine, "hop")
        if trial.purpose is Purpose.PAIRS
    ]
    assert [repetition for repetition, _ in tried] == [1, 1]
    assert tried[0][1] == pytest.approx(3 * tried[1][1], rel=0.1)


def test_turns_that_seem_wrong_are_corrected_where_the_verdict_hangs_on_them(monkeypatch):
    """.83 of .6 is no other slowdown for sure, but .6 of it is just the threshold."""
    monkeypatch.setitem(toy_language.SHARES, ("hop", "quick"), 0.6)
    monkeypatch.setattr(toy_language, "CALLS", {("hop", "quick"): 3})
    monkeypatch.setattr(toy_language, "PAIR_TURNS", 0.83)
    machine = Machine()

    verdict = audited(request(methods=("hop",)), machine=machine)

    (quick_pair,) = [pair for pair in verdict.pairs if pair.benchmark == "toy.quick"]
    assert (quick_pair.outcome, quick_pair.wait) == (Verdict.DETECTED, "work")
    assert quick_pair.achieved_slowdown == pytest.approx(0.6, rel=0.05)


def test_an_audit_with_corrected_turns_measures_nothing_again(monkeypatch):
    monkeypatch.setitem(toy_language.SHARES, ("hop", "long"), 0.3)
    monkeypatch.setattr(toy_language, "PAIR_TURNS", 3.0)
    store, second_machine = Memory(), Machine()
    first = audited(request(methods=("hop",)), store=store)

    second = audited(request(methods=("hop",)), store=store, machine=second_machine)

    assert second_machine.ended_trials == []
    assert second == first


def test_an_exact_audit_corrects_nothing(monkeypatch):
    monkeypatch.setitem(toy_language.SHARES, ("hop", "long"), 0.3)
    monkeypatch.setattr(toy_language, "PAIR_TURNS", 3.0)
    machine = Machine()

    verdict = audited(request(methods=("hop",), exact=True), machine=machine)

    (long_pair,) = [pair for pair in verdict.pairs if pair.benchmark == "toy.long"]
    assert long_pair.achieved_slowdown == pytest.approx(1.8, rel=0.1)
    assert "overshoot" in {caveat.slug for caveat in long_pair.caveats}


@pytest.mark.parametrize(("share", "runs"), [(0.502, [1, 2, 3, 4]), (0.5, [1, 2])])
def test_what_is_near_the_threshold_gets_further_runs_where_they_may_decide(
    share, runs, monkeypatch
):
    monkeypatch.setitem(toy_language.SHARES, ("hop", "long"), share)
    machine = Machine()

    pairs = {
        pair.benchmark: pair for pair in audited(request(methods=("hop",)), machine=machine).pairs
    }

    pair_trials = [
        slowed_trial
        for slowed_trial in slowed(machine, "hop")
        if slowed_trial.purpose is Purpose.PAIRS
    ]
    assert [trial.repetition for trial in pair_trials] == runs
    assert {trial.benchmark.name for trial in pair_trials} == {"long"}
    assert "borderline" in {caveat.slug for caveat in pairs["toy.long"].caveats}
    assert pairs["toy.long"].interval[0] < 0.3 < pairs["toy.long"].interval[1]
    reference_trials = [
        trial for trial in machine.ended_trials if trial.purpose is Purpose.REFERENCE
    ]
    assert [(trial.benchmark.name, trial.repetition) for trial in reference_trials] == [
        ("long", repetition) for repetition in runs
    ]


def test_the_curve_finds_the_least_slowdown_that_is_noticed(monkeypatch):
    monkeypatch.setitem(toy_language.SHARES, ("hop", "quick"), 0.7)
    machine = Machine()
    audit_request = request(methods=("hop", "skip", "idle"), curve=CurveMode.METHODS)

    verdict = audited(audit_request, machine=machine)

    (pair,) = verdict.curve.pairs
    assert (pair.method, pair.benchmark, pair.slowdown) == ("toy.hop", "toy.long", 0.05)
    assert [step.slowdown for step in pair.steps] == [0.05, 0.2, 0.6]
    assert {step.outcome for step in pair.steps} == {Verdict.DETECTED}
    points = {point.slowdown: point.covered for point in verdict.curve.points}
    assert points == {0.05: 1, 0.1: 1, 0.2: 1, 0.3: 1, 0.5: 1, 0.6: 1, 1.0: 1, 2.0: 1, 5.0: 1}
    assert {point.counted for point in verdict.curve.points} == {3}
    assert outcomes(verdict) == {"hop": "detected", "skip": "missed", "idle": "unreached"}
    built = {trial.overlay for trial in machine.ended_trials if trial.purpose is Purpose.PAIRS}
    assert len(built) == 2


def test_a_size_whose_turns_hide_behind_a_short_method_is_measured_again_with_more(monkeypatch):
    monkeypatch.setitem(toy_language.CALLS, ("hop", "long"), 1500)
    monkeypatch.setattr(toy_language, "HIDDEN_SECONDS", 1e-8)
    monkeypatch.setattr(toy_language, "TURN_SECONDS", 2e-10)

    verdict = audited(request(methods=("hop",), curve=CurveMode.METHODS))

    (pair,) = verdict.curve.pairs
    steps = {step.slowdown: step for step in pair.steps}
    assert {step.outcome for step in steps.values()} == {Verdict.DETECTED}
    assert pair.slowdown == 0.05
    # 1.5 of 30 ns are eight turns, of which nothing is seen: fifty hide.
    for slowdown, step in steps.items():
        assert step.achieved_slowdown == pytest.approx(slowdown, rel=0.2)


def test_the_curve_of_all_pairs_has_one_of_each_that_detects(monkeypatch):
    monkeypatch.setitem(toy_language.SHARES, ("hop", "quick"), 0.7)

    verdict = audited(request(methods=("hop", "skip"), curve=CurveMode.PAIRS))

    assert {pair.benchmark for pair in verdict.curve.pairs} == {"toy.long", "toy.quick"}


@pytest.mark.parametrize("rule", [DetectionRule.GATE, DetectionRule.PAPER])
def test_a_fixed_limit_sees_larger_slowdowns_in_small_shares(rule):
    """A twentieth of an operation shows at 5 % from a slowdown of 1 on."""
    audit_request = request(methods=("hop", "skip"), rule=rule, min_delta=0.04)
    curve_request = replace(audit_request, slowdown=0.1, curve=CurveMode.PAIRS)

    verdict = audited(curve_request)

    pairs = {(pair.method, pair.benchmark): pair for pair in verdict.curve.pairs}
    assert {key: pair.slowdown for key, pair in pairs.items()} == {
        ("toy.hop", "toy.long"): 0.05,
        ("toy.skip", "toy.short"): 0.2,
    }
    assert pairs["toy.skip", "toy.short"].unnoticed == 0.1
    points = {point.slowdown: point.covered for point in verdict.curve.points}
    assert (points[0.05], points[0.1], points[0.2]) == (1, 1, 2)


def test_a_second_audit_measures_no_curve_again():
    store, second_machine = Memory(), Machine()
    audit_request = request(methods=("hop", "skip"), curve=CurveMode.METHODS)
    first = audited(audit_request, store=store)

    second = audited(audit_request, store=store, machine=second_machine)

    assert second_machine.ended_trials == []
    assert second == first


def test_a_curve_that_the_time_ended_says_what_it_knows():
    audit_request = request(methods=("hop",), curve=CurveMode.METHODS)
    full, cut = Machine(), Machine()
    audited(audit_request, machine=full)
    budget = len(full.ended_trials) - 5

    verdict = audited(
        replace(audit_request, suite=replace(audit_request.suite, budget_seconds=budget)),
        machine=cut,
    )

    (pair,) = verdict.curve.pairs
    assert pair.slowdown is not None
    assert len(cut.ended_trials) <= budget
    assert "budget" in {caveat.slug for caveat in verdict.caveats}


def test_what_is_slowed_by_nothing_is_not_detected():
    machine = Machine()

    verdict = audited(request(methods=("hop", "skip", "idle"), controls=3), machine=machine)

    controls = verdict.controls
    assert (controls.judged, controls.alarms) == (6, ())
    assert controls.bound == pytest.approx(1 - 0.05 ** (1 / 6))
    assert max(map(abs, controls.effects)) < 0.01
    nothing = [
        trial
        for trial in machine.ended_trials
        if trial.purpose is Purpose.PAIRS
        and not any(arm.delay.number for arm in trial.schedule.arms)
    ]
    assert len(nothing) == len({trial.id for trial in nothing}) == 6
    assert outcomes(verdict) == {"hop": "detected", "skip": "missed", "idle": "unreached"}


@pytest.mark.parametrize("rule", [DetectionRule.OURS, DetectionRule.PAPER])
def test_a_process_that_is_slow_by_itself_is_a_false_alarm(monkeypatch, rule):
    monkeypatch.setattr(toy_language, "LEAK", 0.6)

    verdict = audited(request(methods=("hop",), controls=1, rule=rule))

    assert [method for method, _ in verdict.controls.alarms] == ["toy.hop"]
    assert "false-alarm" in {caveat.slug for caveat in verdict.caveats}


def test_an_exact_audit_makes_the_runs_asked_for(monkeypatch):
    monkeypatch.setitem(toy_language.SHARES, ("hop", "long"), 0.5)
    machine = Machine()

    audited(request(methods=("hop",), exact=True), machine=machine)

    assert {
        slowed_trial.repetition
        for slowed_trial in slowed(machine, "hop")
        if slowed_trial.purpose is Purpose.PAIRS
    } == {
        1,
        2,
    }


def test_a_method_that_no_process_called_is_unreached_though_counting_failed():
    verdict = audited(request(), machine=Machine(uncounted=frozenset({"short", "quick", "long"})))

    idle = [pair for pair in verdict.pairs if pair.method == "toy.idle"]
    assert {(pair.outcome, pair.reason) for pair in idle} == {
        (Verdict.UNREACHED, "run, and never called")
    }
    assert outcomes(verdict)["idle"] == "unreached"


def full_audit():
    machine = Machine()
    verdict = audited(request(), machine=machine)
    return verdict, len(machine.ended_trials)


@pytest.mark.parametrize("budget", [0, 2, 6, 10, 14, 18, 22, 26, 30, 33])
def test_a_budget_ends_in_time_and_leaves_bounds_that_hold_the_truth(budget):
    verdict, seconds = full_audit()
    machine = Machine()

    result = audited(request(budget=budget), machine=machine)

    assert len(machine.ended_trials) <= budget < seconds
    for name in ("total", "relative", "absolute"):
        low, high = getattr(result, name).bounds
        assert low <= getattr(verdict, name).percent <= high, name
    result_outcomes = outcomes(result)
    assert {
        method: result_outcomes[method]
        for method in result_outcomes
        if result_outcomes[method] not in (TRUE[method], "inconclusive")
    } == {}


@pytest.mark.parametrize("budget", [26, 26.5])
def test_what_a_budget_prevented_is_said(budget):
    result = audited(request(budget=budget))

    assert "budget" in {caveat.slug for caveat in result.caveats}
    assert Verdict.INCONCLUSIVE in {method.outcome for method in result.methods}


def test_with_a_budget_a_method_is_decided_before_the_next_one_is_begun():
    machine = Machine()
    audited(request(budget=1000), machine=machine)

    method_names = [
        trial.variant.methods[0].name
        for trial in machine.ended_trials
        if trial.purpose in (Purpose.CALIBRATION, Purpose.PAIRS)
        and trial.schedule.arms[1].delay.number  # no control
    ]
    assert len(set(method_names)) > 1
    assert [name for name, _ in groupby(method_names)] == [*dict.fromkeys(method_names)]


def test_what_a_budget_prevented_is_made_up_for_by_the_same_command():
    verdict, seconds = full_audit()
    store = Memory()
    audited(request(budget=seconds // 2), store=store)

    assert audited(request(), store=store) == verdict


def test_a_process_that_the_time_ended_is_not_one_that_timed_out():
    verdict, seconds = full_audit()
    store, machine = Memory(), Machine(cut=seconds // 2)

    result = audited(request(budget=1000), store=store, machine=machine)

    assert "budget" in {caveat.slug for caveat in result.caveats}
    assert len(store) == len(machine.ended_trials) == seconds // 2
    assert audited(request(), store=store) == verdict


def test_without_a_budget_nothing_ends_in_time():
    with pytest.raises(OutOfTime):
        audited(request(), machine=Machine(cut=3))


@pytest.mark.parametrize("budget", [0, 2, 6])
def test_a_budget_that_prevents_the_sizing_of_the_slowdown_leaves_everything_open(budget):
    result = audited(request(budget=budget, slowdown=None))

    assert result.slowdown is None
    assert {pair.outcome for pair in result.pairs} == {Verdict.UNMEASURED}
    assert result.total.bounds == (0.0, 100.0)
    assert "auto-slowdown" not in {caveat.slug for caveat in result.caveats}


def test_with_more_time_what_hung_is_run_again():
    store, machine, audit_request = Memory(), Machine(), request(methods=("hop", "hang"))
    audited(audit_request, store=store)
    patient = replace(audit_request, suite=replace(audit_request.suite, timeout_seconds=120.0))

    audited(patient, store=store, machine=machine)

    assert {t.variant.methods[0].name for t in machine.ended_trials} == {"hang"}


def test_too_few_pairs_are_said_beforehand():
    audit_request = request()
    suite = replace(audit_request.suite, plan=replace(audit_request.suite.plan, iterations=1))
    few = replace(audit_request, suite=suite)
    ready = parts(few)

    verdict = abs_audit.audit_suite(few, ready)

    assert [caveat.slug for caveat in ready.observer.caveats] == ["never-significant"]
    assert verdict.total.covered == 0


def test_names_are_looked_up_before_anything_is_run():
    machine = Machine()
    with pytest.raises(UsageError, match=r"unknown method 'hopp' in toy; the subject has: toy.hop"):
        audited(request(methods=("hopp",)), machine=machine)

    assert machine.ended_trials == []


def test_the_most_called_methods_are_chosen_where_none_are_named():
    verdict = audited(request(methods=None))

    assert {method.id for method in verdict.methods} <= {f"toy.{name}" for name in METHODS}
    assert "toy.idle" not in {method.id for method in verdict.methods}
    assert "methods-auto" in {caveat.slug for caveat in verdict.caveats}


def test_the_methods_of_a_baseline_stay_where_nothing_calls_them_any_more():
    audit_request = replace(request(methods=None), baseline_methods=("toy.idle", "toy.gone"))

    verdict = audited(audit_request)

    assert outcomes(verdict) == {"idle": "unreached"}
    caveat_texts = {caveat.slug: caveat.text for caveat in verdict.caveats}
    assert caveat_texts["methods-baseline"].endswith("1 of 2 exist in this revision")


def test_a_baseline_makes_no_counting_process_anew():
    store, audit_request = Memory(), request(methods=None)
    audited(audit_request, store=store, machine=Machine())
    machine = Machine()

    audited(
        replace(audit_request, baseline_methods=("toy.hop", "toy.skip")),
        store=store,
        machine=machine,
    )

    assert [trial for trial in machine.ended_trials if trial.purpose is Purpose.REACH] == []


def test_named_methods_count_more_than_those_of_a_baseline():
    audit_request = replace(request(methods=("hop",)), baseline_methods=("toy.idle",))

    assert set(outcomes(audited(audit_request))) == {"hop"}


def test_a_baseline_whose_methods_are_all_gone_leaves_the_choice_open():
    verdict = audited(replace(request(methods=None), baseline_methods=("toy.gone",)))

    assert "methods-auto" in {caveat.slug for caveat in verdict.caveats}


def test_the_next_of_the_ranking_takes_the_place_of_what_cannot_be_slowed(monkeypatch):
    """By calls, then by name: hop, skip, hang, late, shy, trip."""
    monkeypatch.setattr(abs_audit, "LARGEST_CHOICE", 4)
    machine = Machine()

    verdict = audited(request(methods=None), machine=machine)

    assert [method.id for method in verdict.methods] == [
        "toy.hop",
        "toy.skip",
        "toy.hang",
        "toy.trip",
    ]
    assert (verdict.total.counted, verdict.whole_list) == (4, None)
    caveat_texts = {caveat.slug: caveat.text for caveat in verdict.caveats}
    assert (
        "toy.late: late: declared twice; toy.shy: it does not" in caveat_texts["methods-left-out"]
    )
    assert len(slowed(machine, "late")) == 1
    assert slowed(machine, "shy") == []


def test_a_benchmark_that_cannot_be_changed_leaves_no_method_out():
    verdict = audited(request(methods=None), machine=Machine(unbuilt=frozenset({"quick"})))

    pairs = {(pair.method, pair.benchmark): pair.outcome for pair in verdict.pairs}
    assert pairs["toy.hop", "toy.quick"] is Verdict.INCONCLUSIVE
    assert outcomes(verdict)["hop"] == "detected"
    assert outcomes(verdict)["skip"] == "inconclusive"


def test_a_dry_run_of_the_papers_rule_has_no_plain_processes_among_the_pairs():
    audit_request = request(rule=DetectionRule.PAPER)

    names = [phase.name for phase in preview_abs(audit_request, parts(audit_request)).phases]

    assert [name for name in names if "plain" in name] == []


def test_a_dry_run_counts_fewer_blocks_where_the_papers_rule_runs_fewer():
    """A mutant is slow throughout; ours has as many blocks of the probe beside the slow ones."""
    times = {}
    for rule in DetectionRule:
        audit_request = request(rule=rule)
        times[rule] = {
            phase.name: phase.seconds
            for phase in preview_abs(audit_request, parts(audit_request)).phases
        }

    name = "pairs (at most)"
    assert 0 < times[DetectionRule.PAPER][name] < times[DetectionRule.OURS][name]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"methods": None},
        {"rule": DetectionRule.PAPER},
        {"rule": DetectionRule.PAPER, "interleave": True},
        {"curve": CurveMode.PAIRS},
    ],
)
def test_a_dry_run_after_an_audit_finds_nothing_left_to_do(changes):
    store, audit_request = Memory(), request(**changes)
    ready = parts(audit_request, store=store)
    abs_audit.audit_suite(audit_request, ready)
    stored_before = dict(store)

    phases = preview_abs(audit_request, parts(audit_request, store=store)).phases

    assert [
        phase.name for phase in phases if phase.stored_count != phase.trials or phase.seconds
    ] == []
    assert sum(phase.trials for phase in phases) == len(store)
    assert store == stored_before


@pytest.mark.parametrize("budget", [2, 14, 20, 26])
def test_a_dry_run_knows_what_an_audit_that_was_ended_has_done(budget):
    store, machine, audit_request = Memory(), Machine(), request()
    audited(
        replace(audit_request, suite=replace(audit_request.suite, budget_seconds=budget)),
        store=store,
    )
    run_counts = {
        name: sum(run.trial.purpose is name for run in store.values()) for name in Purpose
    }

    phases = {
        phase.name: phase
        for phase in preview_abs(audit_request, parts(audit_request, store=store)).phases
    }
    abs_audit.audit_suite(audit_request, parts(audit_request, store=store, machine=machine))

    phase_purposes = (
        ("pilot", Purpose.PILOT),
        ("suite runs", Purpose.SUITE),
        ("reach", Purpose.REACH),
    )
    for name, purpose in phase_purposes:
        assert phases[name].stored_count == run_counts[purpose]
    assert sum(phase.trials - phase.stored_count for phase in phases.values()) >= len(
        machine.ended_trials
    )


@pytest.mark.parametrize("reach_counted", [False, True])
def test_a_dry_run_counts_runs_that_are_made_anew_as_their_turns_were_wrong(
    monkeypatch, reach_counted
):
    """The pair is missed at its first run, so but for that it has one."""
    monkeypatch.setitem(toy_language.SHARES, ("hop", "long"), 0.3)
    monkeypatch.setattr(toy_language, "PAIR_TURNS", 3.0)
    machine, store = Machine(), Memory()
    audit_request = replace(request(methods=("hop",), runs=1), controls=0)
    if reach_counted:  # how many pairs there are
        audited(replace(audit_request, estimate=True), store=store)
        assert {run.trial.purpose for run in store.values()} >= {Purpose.REACH}
        assert not any(run.trial.purpose is Purpose.PAIRS for run in store.values())

    phases = {
        phase.name: phase
        for phase in preview_abs(audit_request, parts(audit_request, store=store)).phases
    }
    abs_audit.audit_suite(audit_request, parts(audit_request, store=store, machine=machine))

    pairs = [trial for trial in machine.ended_trials if trial.purpose is Purpose.PAIRS]
    on_long = [pair for pair in pairs if pair.benchmark.name == "long"]
    reached = {pair.benchmark.name for pair in pairs}
    assert len(on_long) > 1
    # Each of them may be near the threshold as well, and have a further run then.
    assert phases["pairs (at most)"].trials == 4 * (
        len(reached) if reach_counted else len(toy_language.BENCHMARKS)
    )


@pytest.mark.parametrize("mode", [CurveMode.METHODS, CurveMode.PAIRS])
@pytest.mark.parametrize("budget", [None, 20])
def test_a_dry_run_counts_the_curve_too(mode, budget):
    store, machine = Memory(), Machine()
    audit_request = request(curve=mode)
    if budget:
        cut = replace(audit_request, suite=replace(audit_request.suite, budget_seconds=budget))
        audited(cut, store=store)

    phases = preview_abs(audit_request, parts(audit_request, store=store)).phases
    abs_audit.audit_suite(audit_request, parts(audit_request, store=store, machine=machine))

    curve = next(phase for phase in phases if phase.name == "curve (at most)")
    named = {phase.name: phase.trials - phase.stored_count for phase in phases}
    pairs = sum(trial.purpose is Purpose.PAIRS for trial in machine.ended_trials)
    assert 0 < pairs <= named["pairs (at most)"] + curve.trials


def test_a_dry_run_holds_the_unit_tests_that_an_automatic_choice_runs():
    named, automatic = (
        [phase.name for phase in preview_abs(audit_request, parts(audit_request)).phases]
        for audit_request in (request(), request(methods=None))
    )

    assert "unit tests" not in named
    assert "unit tests" in automatic


def test_what_is_left_out_is_left_out_by_the_same_command_again(monkeypatch):
    monkeypatch.setattr(abs_audit, "LARGEST_CHOICE", 4)
    store, audit_request, machine = Memory(), request(methods=None), Machine()
    first = audited(audit_request, store=store)

    assert audited(audit_request, store=store, machine=machine) == first
    assert machine.ended_trials == []


def test_a_fixed_list_is_kept_as_it_is():
    verdict = audited(request(methods=("late", "shy", "hop")))

    assert [method.id for method in verdict.methods] == ["toy.late", "toy.shy", "toy.hop"]
    assert verdict.whole_list is not None
    assert "methods-left-out" not in {caveat.slug for caveat in verdict.caveats}


def test_a_filter_that_leaves_nothing_names_some_benchmarks():
    audit_request = request()
    audit_request = replace(audit_request, suite=replace(audit_request.suite, benchmarks="^x"))

    with pytest.raises(NoBenchmarks, match=r"no benchmark matches '\^x'; the suite has 3"):
        audited(audit_request)


def test_a_dry_run_starts_nothing_and_its_counts_are_upper_limits():
    machine, audit_request = Machine(), request()
    ready = parts(audit_request, machine=machine)
    trial_counts = {phase.name: phase.trials for phase in preview_abs(audit_request, ready).phases}
    assert machine.ended_trials == []

    abs_audit.audit_suite(audit_request, ready)

    listener = ready.observer
    assert isinstance(listener, Listener)
    run = sum(trials for name, trials in listener.phases if name.startswith("pairs"))
    references = sum(trial.purpose is Purpose.REFERENCE for trial in machine.ended_trials)
    assert trial_counts["pairs (at most)"] >= run - references
    assert trial_counts["plain among the pairs (at most)"] == 12 >= references
    assert trial_counts["suite runs"] == 9


UNLISTED = (
    ("toy/odd.shot", "it fails: as it must"),
    ("toy/odd", "the package does not build"),
    ("toy/odd.skips", "it skips itself"),
    ("toy.lame", "it fails"),
)


def with_unlisted(audit_request, machine=None):
    ready = parts(audit_request, machine=machine)
    return replace(ready, suite=replace(ready.suite, unusable=UNLISTED))


def test_benchmarks_that_could_not_be_listed_are_in_the_verdicts():
    audit_request = request()
    verdict = abs_audit.audit_suite(audit_request, with_unlisted(audit_request))
    steady = stability_study.audit_stability(with_unlisted(audit_request))

    for stability in (verdict.stability, steady):
        unlisted = {
            benchmark.id: benchmark.reason
            for benchmark in stability.benchmarks
            if benchmark.ending == "unlisted"
        }
        assert unlisted == dict(UNLISTED)
        assert stability.filter is None
    caveat_texts = {caveat.slug: caveat.text for caveat in verdict.caveats}
    assert caveat_texts["failed-benchmarks"].startswith("4 of 7 benchmarks failed")
    names = set(dict(UNLISTED))
    assert names <= set(verdict.relative.excluded_benchmarks)
    assert names <= set(verdict.absolute.excluded_benchmarks)
    assert verdict.total.excluded_benchmarks == ()
    assert outcomes(verdict) == TRUE


def test_a_filter_takes_only_those_that_match_by_id_or_name_and_says_so():
    audit_request = request()
    audit_request = replace(
        audit_request, suite=replace(audit_request.suite, benchmarks="^(s|long)")
    )

    stability = stability_study.audit_stability(with_unlisted(audit_request))

    names = [benchmark.id for benchmark in stability.benchmarks]
    assert names == ["toy.short", "toy.long", "toy/odd.shot", "toy/odd.skips"]
    assert (stability.filter.pattern, stability.filter.suite_size) == ("^(s|long)", 7)
    assert stability.caveats[-1].text.endswith("so they may match: toy/odd")


def test_a_filter_that_leaves_only_what_could_not_be_listed_says_why():
    audit_request = request()
    audit_request = replace(audit_request, suite=replace(audit_request.suite, benchmarks="^shot$"))

    with pytest.raises(NoBenchmarks, match=r"'\^shot\$' can be listed: toy/odd.shot: it fails: as"):
        stability_study.audit_stability(with_unlisted(audit_request))


def test_an_audit_names_the_public_methods_that_cannot_be_slowed():
    caveats = {caveat.slug: caveat.text for caveat in audited(request(methods=None)).caveats}

    assert caveats["methods-refused"].endswith("says nothing of toy.mute (it has no body)")
    named = audited(request(methods=("hop",)))
    assert "methods-refused" not in {caveat.slug for caveat in named.caveats}


def test_an_estimate_has_no_curve():
    verdict = audited(request(methods=("hop",), estimate=True, curve=CurveMode.METHODS))

    assert verdict.curve is None


class CrashingMachine(Machine):
    """A machine on which one benchmark crashes, whatever it is built with."""

    def _outcome(self, trial):
        if trial.benchmark is not None and trial.benchmark.name == "quick":
            return toy_language.crashed()
        return super()._outcome(trial)


def test_failures_of_an_earlier_command_come_with_the_option_that_repeats_them():
    audit_request, store = request(), Memory()

    first, second = (
        abs_audit.audit_suite(
            audit_request, parts(audit_request, store, CrashingMachine(now_seconds=start))
        )
        for start in (0.0, 5000.0)
    )

    texts = [
        caveat.text
        for verdict in (first, second)
        for caveat in verdict.caveats
        if caveat.slug == "failed-benchmarks"
    ]
    assert len(texts) == 2
    assert "--retry-failed" not in texts[0]
    assert texts[1].startswith(texts[0])
    assert "--retry-failed" in texts[1]
