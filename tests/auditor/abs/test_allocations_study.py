"""The study of allocations on the language of words: one process a pair, all else as it was."""

from dataclasses import replace

import pytest
from toy_language import Machine, Memory, parts, request

from auditor.abs.preview import preview_abs
from auditor.abs.study import abs_audit
from auditor.core.mutant import VariantKind
from auditor.core.plan import Purpose
from auditor.core.result import Verdict
from auditor.core.schedule import ArmName

ALLOCATION_REQUEST = request(allocation_bytes=64)
REACHED = 6
"""Pairs of SHARES whose method can be counted and changed."""
TRUE = {
    "hop": "detected",
    "skip": "detected",
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


def allocating(trials):
    return [trial for trial in trials if trial.purpose is Purpose.ALLOCATION]


def outcomes(allocations):
    return {method.id.removeprefix("toy."): str(method.outcome) for method in allocations.methods}


def test_every_method_gets_the_outcome_that_is_true():
    allocations = audited(ALLOCATION_REQUEST).allocations

    assert outcomes(allocations) == TRUE
    assert (allocations.noticed, allocations.undecided, allocations.counted, allocations.bytes) == (
        2,
        2,
        6,
        64,
    )
    pairs = {(pair.method, pair.benchmark): pair.outcome for pair in allocations.pairs}
    assert pairs["toy.hop", "toy.long"] is Verdict.DETECTED
    assert pairs["toy.hop", "toy.quick"] is Verdict.MISSED
    assert ("toy.idle", "toy.long") not in pairs


def test_there_is_one_process_for_each_reached_pair_and_it_is_short():
    machine = Machine()
    audited(ALLOCATION_REQUEST, machine=machine)

    allocation_trials = allocating(machine.ended_trials)
    keys = [(trial.variant.methods[0].name, trial.benchmark.name) for trial in allocation_trials]
    assert len(keys) == len(set(keys)) == REACHED
    timed = next(trial for trial in machine.ended_trials if trial.purpose is Purpose.PAIRS)
    assert {len(trial.schedule.blocks) for trial in allocation_trials} == {25}
    assert all(trial.schedule.seconds <= 0.01 for trial in allocation_trials)
    assert {trial.variant.kind for trial in allocation_trials} == {VariantKind.DELAYED}
    same = [trial for trial in allocation_trials if trial.variant == timed.variant]
    assert {trial.overlay for trial in same} == {timed.overlay}


def test_both_arms_of_a_pair_are_drawn_and_stand_side_by_side():
    machine = Machine()
    audited(ALLOCATION_REQUEST, machine=machine)

    orders = set()
    for trial in allocating(machine.ended_trials):
        arms = [trial.schedule.arms[block.arm].name for block in trial.schedule.blocks[1:]]
        pairs = list(zip(arms[::2], arms[1::2], strict=True))
        assert all(set(pair) == {ArmName.PROBE, ArmName.ALLOCATING} for pair in pairs)
        orders |= set(pairs)
    assert len(orders) == 2


def test_what_is_timed_stays_as_it_was():
    plain_store, combined_store = Memory(), Memory()
    without = audited(request(), store=plain_store)
    verdict = audited(ALLOCATION_REQUEST, store=combined_store)

    assert replace(verdict, allocations=None) == without
    assert plain_store.keys() < combined_store.keys()
    added = [
        combined_store[key].trial.purpose for key in combined_store.keys() - plain_store.keys()
    ]
    assert set(added) == {Purpose.ALLOCATION}


def test_nobody_who_did_not_ask_gets_an_answer():
    machine = Machine()

    assert audited(request(), machine=machine).allocations is None
    assert allocating(machine.ended_trials) == []


@pytest.mark.parametrize("budget", [10, 12, 14])
def test_what_the_budget_prevented_is_undecided(budget):
    """Allocations come before what is timed, which takes all that is left."""
    audit_request = request(allocation_bytes=64, budget=budget + 0.5)

    verdict = audited(audit_request, machine=(machine := Machine()))

    allocations = verdict.allocations
    assert len(machine.ended_trials) <= budget
    assert [pair for pair in allocations.pairs if pair.outcome is Verdict.UNMEASURED]
    assert allocations.undecided >= 1
    assert "budget" in {caveat.slug for caveat in verdict.caveats}


def test_a_second_audit_runs_nothing_and_another_size_only_its_own():
    store, machine, second_machine = Memory(), Machine(), Machine()
    first = audited(ALLOCATION_REQUEST, store=store)

    assert audited(ALLOCATION_REQUEST, store=store, machine=machine) == first
    assert machine.ended_trials == []
    audited(request(allocation_bytes=128), store=store, machine=second_machine)
    # what failed in a way that may pass is remembered as well
    assert {trial.purpose for trial in second_machine.ended_trials} == {Purpose.ALLOCATION}


def test_a_dry_run_holds_them_before_and_after():
    store = Memory()
    names = {
        phase.name: phase
        for phase in preview_abs(ALLOCATION_REQUEST, parts(ALLOCATION_REQUEST, store=store)).phases
    }
    audited(ALLOCATION_REQUEST, store=store)

    phases = preview_abs(ALLOCATION_REQUEST, parts(ALLOCATION_REQUEST, store=store)).phases

    assert names["allocations (at most)"].trials >= REACHED
    phase_counts = {phase.name: (phase.trials, phase.stored_count) for phase in phases}
    assert phase_counts["allocations"] == (REACHED, REACHED)
    assert sum(phase.trials for phase in phases) == len(store)
    without = [phase.name for phase in preview_abs(request(), parts(request())).phases]
    assert [name for name in without if "allocations" in name] == []
