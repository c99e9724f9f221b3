"""Runs of the unchanged suite where nobody says how many: fewer of a suite that takes long."""

from collections import Counter
from dataclasses import replace

import pytest
import toy_language
from toy_language import METHODS, Machine, parts, request

from auditor.abs.preview import preview_abs
from auditor.abs.study import abs_audit
from auditor.core.outcome import TimedOut
from auditor.core.plan import Purpose
from auditor.measure.suite_runs import run_baseline


def ask(time_limit, runs=5):
    """Return a request of so many runs of the suite, as far as they fit into a time (seconds)."""
    audit_request = request(methods=METHODS[:1], suite_time_limit=time_limit)
    return replace(audit_request, suite=replace(audit_request.suite, stability_runs=runs))


def make_suite(monkeypatch, size):
    names = tuple(f"b{number}" for number in range(size))
    monkeypatch.setattr(toy_language, "BENCHMARKS", names)
    monkeypatch.setattr(toy_language, "SHARES", {(METHODS[0], name): 0.9 for name in names})
    monkeypatch.setattr(toy_language, "SET_UP", set())


class HangingMachine(Machine):
    """A machine on which the processes of one benchmark hang for a minute."""

    def run_trials(self, trials):
        for run in super().run_trials(trials):
            if run.trial.purpose is Purpose.SUITE and run.trial.benchmark.name == "b0":
                yield replace(run, outcome=TimedOut(60.0, ""), seconds=60.0)
            else:
                yield run


def count_suite_runs(machine, size):
    purposes = Counter(trial.purpose for trial in machine.ended_trials)
    assert purposes[Purpose.SUITE] % size == 0
    return purposes[Purpose.SUITE] // size


@pytest.mark.parametrize(
    ("size", "limit", "repetitions"),
    [(20, None, 5), (20, 1e6, 5), (20, 75.0, 3), (20, 1.0, 2)],
    ids=["no limit", "all fit", "three fit", "not one fits"],
)
def test_as_many_runs_as_fit_are_made_and_two_at_least(monkeypatch, size, limit, repetitions):
    make_suite(monkeypatch, size)
    machine = Machine()
    audit_request = ask(limit)

    verdict = abs_audit.audit_suite(audit_request, parts(audit_request, machine=machine))

    assert count_suite_runs(machine, size) == repetitions
    assert not [benchmark for benchmark in verdict.stability.benchmarks if benchmark.caveats]
    texts = [caveat.text for caveat in verdict.caveats if caveat.slug == "suite-runs"]
    if repetitions == 5:
        assert not texts
    else:
        assert f"was run {repetitions} times instead of 5" in texts[0]
        assert texts[0].endswith("--stability-runs 5")
    stability_slugs = {caveat.slug for caveat in verdict.stability.caveats}
    assert "few-runs" not in stability_slugs | {caveat.slug for caveat in verdict.caveats}


def test_more_runs_are_added_to_those_that_were_made(monkeypatch):
    make_suite(monkeypatch, 4)
    machine, memory = Machine(), toy_language.Memory()
    few = ask(1.0)
    abs_audit.audit_suite(few, parts(few, machine=machine, store=memory))
    assert count_suite_runs(machine, 4) == 2

    unlimited = ask(None)
    abs_audit.audit_suite(unlimited, parts(unlimited, machine=machine, store=memory))

    assert count_suite_runs(machine, 4) == 5


def test_runs_that_are_stored_already_count(monkeypatch):
    make_suite(monkeypatch, 4)
    memory = toy_language.Memory()
    abs_audit.audit_suite(ask(None), parts(ask(None), store=memory))

    limited = abs_audit.audit_suite(ask(1.0), parts(ask(1.0), store=memory))

    assert limited.stability.runs == 5
    assert "suite-runs" not in {caveat.slug for caveat in limited.caveats}


def test_processes_that_hang_do_not_shorten_what_the_others_get(monkeypatch):
    """They take a minute in the first run, and are in no other."""
    make_suite(monkeypatch, 4)
    machine = HangingMachine()

    abs_audit.audit_suite(ask(30.0), parts(ask(30.0), machine=machine))

    purposes = [
        trial.benchmark.name for trial in machine.ended_trials if trial.purpose is Purpose.SUITE
    ]
    assert Counter(purposes) == {"b0": 1, "b1": 5, "b2": 5, "b3": 5}


def test_a_dry_run_says_that_runs_may_be_fewer(monkeypatch):
    make_suite(monkeypatch, 4)

    names = [
        [phase.name for phase in preview_abs(ask(limit), parts(ask(limit))).phases]
        for limit in (None, 10.0)
    ]

    assert ("suite runs" in names[0], "suite runs (at most)" in names[1]) == (True, True)


def test_once_the_first_run_is_known_the_rest_is_expected_as_it_is(monkeypatch):
    make_suite(monkeypatch, 400)
    memory = toy_language.Memory()
    run_baseline(parts(ask(None, runs=1), store=memory))

    limited, two_runs = (
        preview_abs(audit_request, parts(audit_request, store=memory)).expected
        for audit_request in (ask(10.0), ask(None, runs=2))
    )

    assert limited == two_runs


def test_the_expected_time_knows_the_limit(monkeypatch):
    make_suite(monkeypatch, 400)
    limited_time, whole_time = (
        preview_abs(audit_request, parts(audit_request)).expected
        for audit_request in (ask(10.0), ask(None))
    )

    assert limited_time.high < 0.7 * whole_time.high
