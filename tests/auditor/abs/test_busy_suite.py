"""An audit on a busy machine, which may become quiet."""

from dataclasses import dataclass, replace
from math import inf

import numpy as np
import pytest
import toy_language
from toy_language import Machine, Memory, parts, request

from auditor.abs.preview import preview_abs
from auditor.abs.study import abs_audit
from auditor.core.jobs import HostInterference
from auditor.core.outcome import Measured
from auditor.core.plan import REPEAT_OFFSET, Purpose
from auditor.core.result import Verdict
from auditor.core.values import TIME, Series
from auditor.measure import stability_study

BUSY = HostInterference(waited=0.9, foreign=0.5)


@dataclass
class BusyMachine(Machine):
    """A machine on which processes are kept from their work until it is quiet.

    `waits` are how long somebody waited for that. Of what runs again only so many are `quiet_runs`.
    Processes of `calm_benchmarks` never wait.
    """

    busy: bool = True
    ends: bool = True
    quiet_runs: float = inf
    calm_benchmarks: frozenset[str] = frozenset()
    waits: tuple[float, ...] = ()

    def run_trials(self, trials):
        for run in super().run_trials(trials):
            if run.trial.repetition > REPEAT_OFFSET:
                self.busy = self.quiet_runs <= 0
                self.quiet_runs -= 1
            is_calm = (
                run.trial.benchmark is not None and run.trial.benchmark.name in self.calm_benchmarks
            )
            yield _disturbed(run) if self.busy and not is_calm else run

    def becomes_quiet(self, seconds):
        self.waits = (*self.waits, seconds)
        self.busy = self.busy and not self.ends
        return not self.busy


def _disturbed(run):
    """Return a run that waited: in each run of the suite it does so for more of its blocks."""
    if isinstance(run.outcome, Measured) and run.trial.purpose is Purpose.SUITE:
        rng = np.random.default_rng(run.trial.repetition)
        series = tuple(_stretched(block_series, rng) for block_series in run.outcome.series)
        run = replace(run, outcome=replace(run.outcome, series=series))
    return replace(run, strain=BUSY)


def _stretched(series, rng):
    if series.metric != TIME:
        return series
    factors = [1.0 if rng.random() < 0.5 else 1.0 + 5 * rng.random() for _ in series.values]
    values = [factor * value for factor, value in zip(factors, series.values, strict=True)]
    positioned_values = zip(series.block_positions, values, strict=True)
    return Series.from_values(
        series.metric, series.unit, series.arm, series.phase, positioned_values
    )


def prepare_audit(machine, store=None, **changes):
    audit_request = request(**changes)
    result = parts(audit_request, store=store, machine=machine)
    return audit_request, replace(result, becomes_quiet=machine.becomes_quiet)


def test_runs_of_a_busy_machine_are_made_again_once_it_is_quiet():
    machine, store = BusyMachine(), Memory()

    stability = stability_study.audit_stability(prepare_audit(machine, store)[1])

    assert len(machine.waits) == 1
    assert 0 < machine.waits[0] <= 60
    assert all(benchmark.max_spread < 0.01 for benchmark in stability.benchmarks)
    assert all(benchmark.runs == 3 for benchmark in stability.benchmarks)
    assert len(stability.suite_seconds) == 3
    processes = len(machine.ended_trials)
    assert stability_study.audit_stability(prepare_audit(machine, store)[1]) == stability
    assert len(machine.ended_trials) == processes


def test_on_a_machine_that_stays_busy_nothing_is_run_again_and_no_benchmark_is_blamed():
    machine, store = BusyMachine(ends=False), Memory()

    stability = stability_study.audit_stability(prepare_audit(machine, store)[1])

    assert len(machine.ended_trials) == 3 + 3 * 3  # pilots and runs
    assert all(benchmark.max_spread is None for benchmark in stability.benchmarks)
    assert all(
        caveat.slug == "busy-machine"
        for benchmark in stability.benchmarks
        for caveat in benchmark.caveats
    )

    machine.ends = True
    later = stability_study.audit_stability(prepare_audit(machine, store)[1])
    assert all(benchmark.max_spread < 0.01 for benchmark in later.benchmarks)


def test_where_the_machine_is_busy_again_no_more_is_run_until_the_next_call():
    machine, store = BusyMachine(quiet_runs=2), Memory()

    stability = stability_study.audit_stability(prepare_audit(machine, store)[1])

    repeats = [trial for trial in machine.ended_trials if trial.repetition > REPEAT_OFFSET]
    assert len(repeats) == 3
    assert sum(benchmark.max_spread is None for benchmark in stability.benchmarks) == 2

    machine.quiet_runs = inf
    later = stability_study.audit_stability(prepare_audit(machine, store)[1])
    assert all(benchmark.max_spread < 0.01 for benchmark in later.benchmarks)
    assert max(trial.repetition for trial in machine.ended_trials) > 2 * REPEAT_OFFSET


def test_a_repeat_that_was_spoilt_as_well_is_told_of_when_it_is_known():
    machine, store = BusyMachine(quiet_runs=0), Memory()
    stability_study.audit_stability(prepare_audit(machine, store)[1])
    (repeat,) = [trial for trial in machine.ended_trials if trial.repetition > REPEAT_OFFSET]
    machine.ends = False
    services = prepare_audit(machine, store)[1]

    stability_study.audit_stability(services)

    assert ("runs of the suite again", 1) in services.observer.phases
    assert machine.ended_trials[-1] == repeat


def test_runs_of_a_busy_machine_are_not_called_dissimilar():
    plan = replace(request().suite, plan=replace(request().suite.plan, iterations=250))
    quiet, busy = (BusyMachine(busy=is_busy, ends=False) for is_busy in (False, True))

    for machine in (quiet, busy):
        result = parts(replace(request(), suite=replace(plan, stability_runs=3)), machine=machine)
        verdict = stability_study.audit_stability(result)
        assert "dissimilar-runs" not in [caveat.slug for caveat in verdict.caveats]


def test_a_budget_limits_the_wait_and_what_is_made_again():
    machine = BusyMachine()
    stability = stability_study.audit_stability(prepare_audit(machine, budget=1_000.0)[1])

    assert machine.waits == (pytest.approx(0.1 * 9),)
    assert all(benchmark.max_spread < 0.01 for benchmark in stability.benchmarks)

    tight = BusyMachine()
    stability_study.audit_stability(prepare_audit(tight, budget=24.0)[1])
    assert tight.waits[0] < 0.1 * 9

    short = BusyMachine()
    stability_study.audit_stability(prepare_audit(short, budget=14.0)[1])
    assert short.waits == ()


def test_nothing_is_made_again_once_the_budget_has_prevented_a_run():
    machine, store = BusyMachine(ends=False), Memory()
    stability_study.audit_stability(prepare_audit(machine, store)[1])
    waits = machine.waits
    _, audit_parts = prepare_audit(machine, store, budget=1_000.0)
    audit_parts.deadline.prevented = True

    stability_study.audit_stability(audit_parts)

    assert machine.waits == waits


def test_each_fork_of_a_busy_run_is_replaced_by_that_of_its_repeat():
    machine, suite = BusyMachine(), request().suite
    suite = replace(suite, plan=replace(suite.plan, forks=2))

    stability = stability_study.audit_stability(prepare_audit(machine, suite=suite)[1])

    assert all(benchmark.max_spread < 0.01 for benchmark in stability.benchmarks)
    for benchmark in stability.benchmarks:
        assert len(benchmark.trials) == len(set(benchmark.trials)) == 2 * 3


def test_a_rehearsal_neither_waits_nor_runs():
    machine, store = BusyMachine(ends=False), Memory()
    audit_request, audit_parts = prepare_audit(machine, store)
    abs_audit.audit_suite(audit_request, audit_parts)
    waits, processes = machine.waits, len(machine.ended_trials)

    left = [
        phase
        for phase in preview_abs(audit_request, audit_parts).phases
        if phase.name == "suite runs"
    ]

    assert (machine.waits, len(machine.ended_trials)) == (waits, processes)
    assert left[0].stored_count == left[0].trials > 0


def test_the_slowdown_is_not_sized_by_what_a_busy_machine_did(monkeypatch):
    monkeypatch.setattr(toy_language, "CLOCKED", {("hop", "long"): 0.9, ("skip", "short"): 0.2})
    machine, store = BusyMachine(ends=False), Memory()
    audit_request, audit_parts = prepare_audit(machine, store, slowdown=None)

    verdict = abs_audit.audit_suite(audit_request, audit_parts)

    assert verdict.slowdown is None
    assert any(
        "cannot be chosen" in caveat.text
        for caveat in verdict.caveats
        if caveat.slug == "auto-slowdown"
    )
    assert not any(method.outcome is Verdict.MISSED for method in verdict.methods)
    assert verdict.total.bounds[1] > 50

    machine.ends = True
    verdict = abs_audit.audit_suite(*prepare_audit(machine, store, slowdown=None))
    assert 0 < verdict.slowdown < 0.02


@pytest.mark.parametrize(("calm_names", "sized"), [({"quick"}, False), ({"quick", "long"}, True)])
def test_the_slowdown_is_sized_by_quiet_benchmarks_where_they_are_most(calm_names, sized):
    machine = BusyMachine(ends=False, calm_benchmarks=frozenset(calm_names))

    slowdown = abs_audit.audit_suite(*prepare_audit(machine, slowdown=None)).slowdown

    assert (slowdown is not None) is sized
    assert (slowdown or 0.0) < 0.02


def test_verdicts_of_turns_beside_each_other_stand_and_no_benchmark_is_sure_to_be_left_out():
    quiet = abs_audit.audit_suite(*prepare_audit(BusyMachine(busy=False)))
    busy = abs_audit.audit_suite(*prepare_audit(BusyMachine(ends=False)))

    assert [method.outcome for method in busy.methods] == [
        method.outcome for method in quiet.methods
    ]
    assert busy.absolute.excluded_benchmarks == ()
    assert busy.absolute.bounds[0] < busy.total.bounds[1]
    assert not any(caveat.slug == "weak-plan" for caveat in busy.caveats)
