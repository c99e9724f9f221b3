"""No result, however it came about, says two things that cannot both be true."""

from dataclasses import replace
from pathlib import Path

import pytest
from builders import benchmark_verdict, method, pair_verdict, stability
from contradictions import contradictions
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import examples
from auditor.abs import document_of_verdict
from auditor.abs.document import parse_document
from auditor.abs.judge import power
from auditor.abs.judge.abs_score import AbsData, MethodData, judge_audit
from auditor.abs.judge.detection import NOT_MEASURED
from auditor.core.accepted import AcceptedMiss
from auditor.core.caveats import Caveat
from auditor.core.request import DetectionRule
from auditor.core.result import Verdict
from auditor.core.stability import Bucket

STORED = sorted((Path(__file__).parent / "results").glob("*.json"))
"""Results of small audits on a busy machine: noisy, cut by budgets, of one mode or another."""

NAMES, METHODS = ("A", "B", "C", "D"), "klmn"
SLUGS = (
    "near-threshold", "unfinished", "few-runs", "distorted", "unverified", "too-short", "no-reach",
    "signs-disagree", "predicted",
)  # fmt: skip
SHARES = st.one_of(st.none(), st.floats(0, 1.3))


@st.composite
def pairs(draw):
    keys = st.tuples(st.sampled_from(METHODS), st.sampled_from(NAMES))
    verdicts = []
    for method_name, benchmark_name in draw(st.lists(keys, unique=True, max_size=12)):
        outcome = draw(st.sampled_from(list(Verdict)))
        slugs = draw(st.lists(st.sampled_from(SLUGS), unique=True, max_size=2))
        verdicts.append(
            pair_verdict(
                method_name,
                benchmark_name,
                outcome,
                share=draw(SHARES),
                share_at_most=draw(SHARES),
                reason=NOT_MEASURED if outcome is Verdict.UNMEASURED else draw(REASONS),
                caveats=tuple(Caveat(slug, f"{slug} says so") for slug in slugs),
            )
        )
    return tuple(verdicts)


REASONS = st.sampled_from([None, "a reason"])


@st.composite
def benchmarks(draw):
    for_each = []
    for name in NAMES[: draw(st.integers(1, 4))]:
        ending = draw(
            st.sampled_from(
                ["measured", "measured", "timed-out", "crashed", "skipped", "exhausted", "unlisted"]
            )
        )
        verdict = benchmark_verdict(name, draw(st.sampled_from([0.01, 0.3, None])))
        for_each.append(
            replace(
                verdict,
                bucket=Bucket.BELOW_50 if verdict.max_spread == 0.3 else None,
                ending=ending,
                seconds=draw(st.sampled_from([None, 0.5, 4.0])),
                visible=draw(st.sampled_from([None, 0.05, 3.0, float("inf")])),
            )
        )
    return for_each


@st.composite
def documents(draw):
    judged = draw(pairs())
    suite = draw(benchmarks())
    suite_ids = {benchmark.id for benchmark in suite}
    judged = tuple(pair for pair in judged if pair.benchmark in suite_ids)
    slowdown = draw(st.sampled_from([0.6, 5.0]))
    steady = power.confirm_detectable_slowdowns(stability(suite), judged, slowdown)
    weak = power.warn_of_weak_plan(steady, slowdown)
    budget = draw(st.sampled_from([(), (Caveat("budget", "the budget of 60 s was used up"),)]))
    verdict = judge_audit(
        AbsData(
            slowdown=slowdown,
            slowdown_source="fixed",
            rule=DetectionRule.OURS,
            score_only=draw(st.booleans()),
            estimate=draw(st.booleans()),
            methods=tuple(
                MethodData(
                    method=replace(method(name), trivial=draw(st.sampled_from([None, "empty"]))),
                    calls=draw(st.sampled_from([None, 0, 7])),
                )
                for name in METHODS
            ),
            pairs=judged,
            stability=steady,
            unfinished=frozenset(
                benchmark.id for benchmark in suite if budget and not benchmark.means
            ),
            unsampled=dict.fromkeys(
                [method(name).id for name in METHODS], draw(st.sampled_from([0, 0, 3]))
            )
            if budget
            else {},
            caveats=(*budget, *((weak,) if weak else ())),
        )
    )
    if draw(st.booleans()):
        accepted = AcceptedMiss(
            method=method("k").id,
            reason="known",
            until=None,
            location="configuration",
            expired=False,
            left_out=True,
        )
        verdict = replace(verdict, accepted=(accepted,))
    return document_of_verdict.build_abs_document(verdict, examples.context())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents())
def test_no_generated_result_contradicts_itself(document):
    assert contradictions(document) == []


@pytest.mark.parametrize(
    "verdict",
    [examples.audit(), examples.audit(java=True), examples.nothing(), examples.all_crashed()],
)
def test_no_example_contradicts_itself(verdict):
    assert contradictions(document_of_verdict.build_abs_document(verdict, examples.context())) == []


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_no_stored_result_contradicts_itself(path):
    assert contradictions(parse_document(path.read_bytes())) == []


def test_stored_results_are_of_many_kinds():
    documents = [parse_document(path.read_bytes()) for path in STORED]
    slugs = {caveat.slug for document in documents for caveat in document.caveats}

    assert len(documents) >= 12
    assert slugs >= {"budget", "so-far", "sampled", "score-mode", "estimate", "weak-plan"}
