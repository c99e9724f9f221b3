"""What a run costs, what that buys, and the changes that pay most."""

from dataclasses import replace

import msgspec
import pytest

import examples
from auditor.abs import document_of_verdict
from auditor.abs.text.advice import advise
from auditor.abs.text.claims import UNWATCHED
from auditor.abs.text.cost_benefit import MOST, benchmark_values, best_changes
from auditor.core.accepted import AcceptedMiss
from auditor.core.caveats import Caveat
from auditor.core.result import Verdict
from auditor.core.stability import Bucket


def judged(verdict):
    return document_of_verdict.document(verdict, examples.context())


def test_what_benchmarks_buy_adds_up_to_what_the_suite_costs():
    document = judged(examples.audit())

    found = benchmark_values(document)

    assert [one.seconds for one in found] == sorted((one.seconds for one in found), reverse=True)
    assert sum(one.part for one in found) == pytest.approx(1.0)
    point = 100 / document.scores.total.counted
    alone = {benchmark.id: len(benchmark.unique) for benchmark in document.benchmarks}
    assert {one.benchmark: one.alone for one in found} == {
        name: pytest.approx(point * many) for name, many in alone.items()
    }
    calls = {method.id: method.calls for method in document.methods}
    whole = sum(calls.values())
    (best,) = [one for one in found if one.benchmark == document.minimal_cover[0]]
    (watching,) = [benchmark for benchmark in document.benchmarks if benchmark.id == best.benchmark]
    watched = sum(calls[each] for each in (*watching.unique, *watching.shared))
    assert best.used == pytest.approx(watched / whole)


def test_new_benchmarks_are_for_the_most_used_and_what_saves_most_pays_for_them():
    document = judged(examples.audit())
    lost = [method for method in document.methods if method.outcome in UNWATCHED]
    most = max(lost, key=lambda one: one.calls)

    found = best_changes(document)

    assert len(found) == MOST
    assert found[0].owner == most.id
    assert found[0].points == pytest.approx(100 / document.scores.total.counted)
    assert found[0].seconds > 0
    assert not found[0].measured
    assert (found[-1].points, found[-1].seconds < 0) == (0.0, True)
    idle = [
        benchmark for benchmark in document.benchmarks if benchmark.id not in document.minimal_cover
    ]
    saved = -found[-1].seconds
    assert saved >= min(one.seconds for one in idle)


def test_what_the_user_accepts_needs_no_benchmark():
    document = judged(examples.audit())
    lost = [method.id for method in document.methods if method.outcome in UNWATCHED]
    held = [
        AcceptedMiss(
            method=each, reason="cold", until=None, where="a:1", expired=False, left_out=True
        )
        for each in lost[1:]
    ]

    document = msgspec.structs.replace(document, accepted=tuple(held))

    assert [change.owner for change in best_changes(document) if change.points] == lost[:1]
    (unwatched,) = [one for one in advise(document) if one.slug == "unwatched"]
    assert [target.id for target in unwatched.targets] == lost[:1]


def test_a_result_that_is_thrown_away_comes_before_new_benchmarks():
    made = examples.audit()
    chosen = next(method for method in made.methods if method.outcome is Verdict.MISSED)
    pairs = tuple(
        replace(pair, outcome=Verdict.DEAD_CODE) if pair.method == chosen.id else pair
        for pair in made.pairs
    )
    watched = [pair.benchmark for pair in pairs if pair.method == chosen.id]

    first = best_changes(judged(replace(made, pairs=pairs)))[0]

    assert first.owner in watched
    assert first.what == f"use the result of {chosen.id}, whose call was removed"
    assert (first.seconds, first.measured) == (0.0, False)
    assert first.effect.endswith(" points, no time (predicted)")


def test_nothing_is_dropped_while_a_pair_of_it_is_open():
    made = examples.audit()
    document = judged(made)
    dropped = {change.owner for change in best_changes(document) if change.measured}
    (name,) = dropped
    lost = next(method.id for method in made.methods if method.outcome is Verdict.MISSED)
    open_ = replace(made.pairs[0], benchmark=name, method=lost, outcome=Verdict.INCONCLUSIVE)

    found = best_changes(judged(replace(made, pairs=(*made.pairs, open_))))

    assert not dropped & {one.owner for one in found}


def test_a_benchmark_that_sees_far_more_than_it_has_to_can_be_shorter():
    made = examples.audit()
    kept = made.cover.benchmarks[0]
    pairs = tuple(
        replace(pair, effect=0.5) if pair.benchmark == kept else pair for pair in made.pairs
    )

    def shortened(*caveats, bucket=Bucket.BELOW_5):
        changed = {"visible": 0.01, "seconds": 1000.0, "caveats": caveats, "bucket": bucket}
        suite = tuple(
            replace(benchmark, **changed) if benchmark.id == kept else benchmark
            for benchmark in made.stability.benchmarks
        )
        stability = replace(made.stability, benchmarks=suite)
        found = best_changes(judged(replace(made, pairs=pairs, stability=stability)))
        return {one.owner: one for one in found}

    found = shortened()

    plan = judged(made).plan
    assert not found[kept].measured
    least = max(5, 0.04**2 * plan.iterations)
    saved = 1000.0 * (plan.iterations - least) / (plan.warmup + plan.iterations)
    assert -found[kept].seconds == pytest.approx(saved)
    assert found[kept].what.startswith(
        f"measure {least:g} iterations in place of {plan.iterations}: "
    )
    assert kept not in shortened(Caveat("warm-after", "t"))
    assert kept not in shortened(bucket=Bucket.ABOVE_50)


def test_a_score_that_stops_at_the_first_detection_tells_nothing_of_the_others():
    made = examples.audit()
    stopped = replace(made, caveats=(*made.caveats, Caveat("score-mode", "t")))

    assert best_changes(judged(made))
    assert best_changes(judged(stopped)) == ()


def test_a_benchmark_that_throws_a_result_away_is_not_dropped():
    made = examples.audit()
    (name,) = {change.owner for change in best_changes(judged(made)) if change.measured}
    lost = next(method.id for method in made.methods if method.outcome is Verdict.MISSED)
    dead = replace(made.pairs[0], benchmark=name, method=lost, outcome=Verdict.DEAD_CODE)

    document = judged(replace(made, pairs=(dead, *made.pairs)))

    assert name not in {change.owner for change in best_changes(document) if change.measured}
    steps = {one.slug: [target.id for target in one.targets] for one in advise(document)}
    assert name not in {*steps.get("redundant", ()), *steps.get("unexamined", ())}
    assert lost in steps["removed"]
