"""What an audit costs beside the exhaustive one, in blocks: ratios, no times."""

import numpy as np
import pytest
import toy_language
from toy_language import Machine, parts, request

from auditor.abs.study import abs_audit
from auditor.core.plan import Purpose
from auditor.core.result import Verdict

METHODS = tuple(f"m{index}" for index in range(20))
JUDGING = {Purpose.CALIBRATION, Purpose.PAIRS, Purpose.REFERENCE}


def a_suite(monkeypatch, benchmarks, *, near_count=0):
    """Make a suite in which half of the methods is reached, by 1 to 5 of the first 16 benchmarks.

    `near_count` of these pairs have half of the operation, so that nothing can decide them.
    """
    rng = np.random.default_rng(5)
    shares = {}
    for method in METHODS[::2]:
        for number in rng.choice(16, int(rng.integers(1, 6)), replace=False):
            shares[method, f"b{number}"] = float(rng.choice([0.02, 0.1, 0.25, 0.75, 0.95]))
    shares |= dict.fromkeys(list(shares)[:near_count], 0.5)
    monkeypatch.setattr(toy_language, "SHARES", shares)
    monkeypatch.setattr(toy_language, "SET_UP", set())
    monkeypatch.setattr(toy_language, "METHODS", METHODS)
    monkeypatch.setattr(
        toy_language, "BENCHMARKS", tuple(f"b{index}" for index in range(benchmarks))
    )
    return shares


def audited(**changes):
    """Return the outcome of each method, and the blocks by purpose."""
    machine, audit_request = Machine(), request(methods=METHODS, **changes)
    store = toy_language.Memory()
    verdict = abs_audit.audit_suite(
        audit_request, parts(audit_request, store=store, machine=machine)
    )
    blocks = dict.fromkeys(Purpose, 0)
    for run in store.values():
        blocks[run.trial.purpose] += toy_language.blocks_done(run)
    return {method.id: method.outcome for method in verdict.methods}, blocks


def judging(blocks):
    return sum(blocks[purpose] for purpose in JUDGING)


def test_the_verdicts_are_those_of_the_exhaustive_audit_at_a_fraction_of_its_blocks(monkeypatch):
    a_suite(monkeypatch, 16)

    default_outcomes, cheap = audited()
    exact, dear = audited(exact=True)

    assert default_outcomes == exact
    assert set(default_outcomes.values()) == {Verdict.DETECTED, Verdict.MISSED, Verdict.UNREACHED}
    assert judging(dear) > 9 * judging(cheap)


def test_benchmarks_that_reach_nothing_cost_nothing_but_their_suite_runs_and_counting(monkeypatch):
    a_suite(monkeypatch, 16)
    _, few = audited()
    a_suite(monkeypatch, 160)
    _, many = audited()

    assert judging(many) == judging(few)
    assert many[Purpose.SUITE] == 10 * few[Purpose.SUITE]


@pytest.mark.parametrize("near_count", [2, 6])
def test_what_costs_is_what_is_uncertain(monkeypatch, near_count):
    a_suite(monkeypatch, 16)
    _, sure = audited()
    a_suite(monkeypatch, 16, near_count=near_count)
    _, unsure = audited()

    blocks_per_pair = (unsure[Purpose.PAIRS] - sure[Purpose.PAIRS]) / near_count
    plan = request().suite.plan
    assert plan.iterations < blocks_per_pair < 4 * (plan.warmup + 4 * plan.iterations)


def test_only_the_score_costs_less_than_the_matrix(monkeypatch):
    a_suite(monkeypatch, 16)

    matrix_outcomes, matrix_blocks = audited()
    score_outcomes, score_blocks = audited(score_only=True)

    assert score_outcomes == matrix_outcomes
    assert score_blocks[Purpose.PAIRS] < 0.8 * matrix_blocks[Purpose.PAIRS]
