"""Whole studies of the toy on a machine whose layouts can be drawn."""

from dataclasses import replace

import pytest
from toy_language import Machine, Memory, parts, request

from auditor.abs.study import abs_audit
from auditor.core.plan import Layouts, Purpose
from auditor.core.request import DetectionRule
from auditor.core.result import Verdict

METHODS = ("hop", "skip")


def audited(machine, store=None, layouts=Layouts.DRAWN, **changes):
    audit_request = request(methods=METHODS, exact=True, **changes)
    return abs_audit.audit_suite(audit_request, parts(audit_request, store, machine, layouts))


def collect_layouts(machine):
    """Return the layouts of the references by run, and of all other processes."""
    references = [trial for trial in machine.ended_trials if trial.purpose is Purpose.REFERENCE]
    by_run = {reference.repetition: set() for reference in references}
    for reference in references:
        by_run[reference.repetition].add(reference.layout)
    remaining_layouts = {
        trial.layout for trial in machine.ended_trials if trial.purpose is not Purpose.REFERENCE
    }
    return by_run, remaining_layouts


def test_each_run_draws_one_layout_for_the_references_of_all_benchmarks():
    machine = Machine()
    audited(machine, runs=3)

    by_run, remaining_layouts = collect_layouts(machine)
    assert sorted(by_run) == [1, 2, 3]
    assert all(len(layouts) == 1 for layouts in by_run.values())
    assert len(set.union(*by_run.values())) == 3
    assert 0 not in set.union(*by_run.values())
    assert remaining_layouts == {0}


@pytest.mark.parametrize("layouts", [Layouts.OF_PROCESS, Layouts.FIXED])
def test_where_layouts_cannot_be_drawn_none_is(layouts):
    machine = Machine()
    verdict = audited(machine, layouts=layouts)

    assert collect_layouts(machine) == ({1: {0}, 2: {0}}, {0})
    caveat_count = [caveat.slug for caveat in verdict.caveats].count("layout")
    assert caveat_count == (layouts is Layouts.FIXED)


def test_another_seed_draws_other_layouts():
    drawn_layouts = []
    for seed in (1, 2):
        machine = Machine()
        audit_request = request(methods=METHODS)
        audit_request = replace(audit_request, suite=replace(audit_request.suite, seed=seed))
        abs_audit.audit_suite(audit_request, parts(audit_request, None, machine, Layouts.DRAWN))
        drawn_layouts.append(set.union(*collect_layouts(machine)[0].values()))

    assert drawn_layouts[0].isdisjoint(drawn_layouts[1])


def test_a_second_audit_finds_the_references_of_the_first():
    store, second_machine = Memory(), Machine()
    first = audited(Machine(), store)

    assert audited(second_machine, store) == first
    assert second_machine.ended_trials == []


def test_references_without_a_layout_are_not_taken_for_drawn_ones():
    store, second_machine = Memory(), Machine()
    audited(Machine(), store, Layouts.OF_PROCESS)
    audited(second_machine, store)

    assert {trial.purpose for trial in second_machine.ended_trials} == {Purpose.REFERENCE}


def test_the_rule_of_the_paper_draws_no_layout():
    machine = Machine()
    verdict = audited(machine, rule=DetectionRule.PAPER)

    assert {trial.layout for trial in machine.ended_trials} == {0}
    assert "layout" not in {caveat.slug for caveat in verdict.caveats}


def width(verdict):
    """Return how far the interval of the clearest pair reaches, as a part of its effect."""
    (clearest_pair,) = [
        pair for pair in verdict.pairs if (pair.method, pair.benchmark) == ("toy.hop", "toy.long")
    ]
    low, high = clearest_pair.interval
    return (high - low) / clearest_pair.effect


def test_what_layouts_do_is_in_the_intervals_of_the_effects():
    """Blocks scatter by .2 %; layouts move times by a tenth, those of the slowed program too."""
    calm, moved = audited(Machine()), audited(Machine(moved=0.1))

    assert width(calm) < 0.05
    assert width(moved) > 0.2
    caveat_texts = {caveat.slug: caveat.text for caveat in moved.caveats}
    assert "; the intervals include it" in caveat_texts["layout"]


def test_one_benchmark_has_too_few_layouts_to_tell():
    verdict = abs_audit.audit_suite(
        audit_request := request(methods=("skip",)),
        parts(audit_request, None, Machine(), Layouts.DRAWN),
    )

    (text,) = [caveat.text for caveat in verdict.caveats if caveat.slug == "layout"]
    assert "too few" in text
    assert {method.outcome for method in verdict.methods} == {Verdict.MISSED}
