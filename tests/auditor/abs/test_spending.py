"""What a run costs, what that buys, and the changes that pay most."""

from dataclasses import replace

import msgspec
import pytest

import examples
from auditor.abs import document_of_verdict
from auditor.abs.text.advice import list_advice
from auditor.abs.text.claims import UNWATCHED
from auditor.abs.text.cost_benefit import MOST, benchmark_values, best_changes
from auditor.core.accepted import AcceptedMiss
from auditor.core.caveats import Caveat
from auditor.core.result import Verdict
from auditor.core.stability import Bucket


def judged(verdict):
    return document_of_verdict.build_abs_document(verdict, examples.context())


def test_what_benchmarks_buy_adds_up_to_what_the_suite_costs():
    document = judged(examples.audit())

    values = benchmark_values(document)

    assert [value.seconds for value in values] == sorted(
        (value.seconds for value in values), reverse=True
    )
    assert sum(value.part for value in values) == pytest.approx(1.0)
    point = 100 / document.scores.total.counted
    alone = {benchmark.id: len(benchmark.unique) for benchmark in document.benchmarks}
    assert {value.benchmark: value.alone for value in values} == {
        name: pytest.approx(point * many) for name, many in alone.items()
    }
    calls = {method.id: method.calls for method in document.methods}
    total_calls = sum(calls.values())
    (best,) = [value for value in values if value.benchmark == document.minimal_cover[0]]
    (watching,) = [benchmark for benchmark in document.benchmarks if benchmark.id == best.benchmark]
    watched = sum(calls[method_id] for method_id in (*watching.unique, *watching.shared))
    assert best.used == pytest.approx(watched / total_calls)


def test_new_benchmarks_are_for_the_most_used_and_what_saves_most_pays_for_them():
    document = judged(examples.audit())
    lost = [method for method in document.methods if method.outcome in UNWATCHED]
    most = max(lost, key=lambda method: method.calls)

    changes = best_changes(document)

    assert len(changes) == MOST
    assert changes[0].owner == most.id
    assert changes[0].points == pytest.approx(100 / document.scores.total.counted)
    assert changes[0].seconds > 0
    assert not changes[0].measured
    assert (changes[-1].points, changes[-1].seconds < 0) == (0.0, True)
    idle = [
        benchmark for benchmark in document.benchmarks if benchmark.id not in document.minimal_cover
    ]
    saved = -changes[-1].seconds
    assert saved >= min(benchmark.seconds for benchmark in idle)


def with_share_of_the_most_called(share, *, keeps_others):
    """Return its id, and a document in which one benchmark has this share of it."""
    verdict = examples.audit()
    uncovered = [method for method in judged(verdict).methods if method.outcome in UNWATCHED]
    most_called = max(uncovered, key=lambda method: method.calls).id
    pair = replace(verdict.pairs[0], method=most_called, outcome=Verdict.MISSED, share=share)
    methods = [
        method
        for method in verdict.methods
        if keeps_others or method.outcome not in UNWATCHED or method.id == most_called
    ]
    kept_ids = {method.id for method in methods} - {most_called}
    pairs = [pair for pair in verdict.pairs if pair.method in kept_ids]
    document = judged(replace(verdict, methods=tuple(methods), pairs=(*pairs, pair)))
    return most_called, document


@pytest.mark.parametrize("share", [0.0, 0.25])
def test_what_takes_no_time_where_it_is_called_is_no_first_candidate(share):
    most_called, document = with_share_of_the_most_called(share, keeps_others=True)

    assert (best_changes(document)[0].owner == most_called) is (share > 0)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "no CPU sample of those that call it is in it"),
        (0.25, "it takes at most 30\xa0% of those"),
    ],
)
def test_a_new_benchmark_is_justified_by_the_largest_share(share, text):
    most_called, document = with_share_of_the_most_called(share, keeps_others=False)

    (action,) = [change.action for change in best_changes(document) if change.owner == most_called]
    assert text in action


def test_what_the_user_accepts_needs_no_benchmark():
    document = judged(examples.audit())
    lost = [method.id for method in document.methods if method.outcome in UNWATCHED]
    accepted_misses = [
        AcceptedMiss(
            method=method_id,
            reason="cold",
            until=None,
            location="a:1",
            expired=False,
            left_out=True,
        )
        for method_id in lost[1:]
    ]

    document = msgspec.structs.replace(document, accepted=tuple(accepted_misses))

    assert [change.owner for change in best_changes(document) if change.points] == lost[:1]
    (unwatched,) = [advice for advice in list_advice(document) if advice.slug == "unwatched"]
    assert [target.id for target in unwatched.targets] == lost[:1]


def test_a_result_that_is_thrown_away_comes_before_new_benchmarks():
    verdict = examples.audit()
    missed_method = next(method for method in verdict.methods if method.outcome is Verdict.MISSED)
    pairs = tuple(
        replace(pair, outcome=Verdict.DEAD_CODE) if pair.method == missed_method.id else pair
        for pair in verdict.pairs
    )
    watched = [pair.benchmark for pair in pairs if pair.method == missed_method.id]

    first = best_changes(judged(replace(verdict, pairs=pairs)))[0]

    assert first.owner in watched
    assert first.action == f"use the result of {missed_method.id}, whose call was removed"
    assert (first.seconds, first.measured) == (0.0, False)
    assert first.effect.endswith(" points, no time (predicted)")


def test_nothing_is_dropped_while_a_pair_of_it_is_open():
    verdict = examples.audit()
    document = judged(verdict)
    dropped = {change.owner for change in best_changes(document) if change.measured}
    (name,) = dropped
    lost = next(method.id for method in verdict.methods if method.outcome is Verdict.MISSED)
    open_ = replace(verdict.pairs[0], benchmark=name, method=lost, outcome=Verdict.INCONCLUSIVE)

    changes = best_changes(judged(replace(verdict, pairs=(*verdict.pairs, open_))))

    assert not dropped & {change.owner for change in changes}


def test_a_benchmark_that_sees_far_more_than_it_has_to_can_be_shorter():
    verdict = examples.audit()
    cover_benchmark = verdict.cover.benchmarks[0]

    def shortened(*caveats, bucket=Bucket.BELOW_5, slugs=(), **detection):
        detection = {"effect": 0.5, "threshold": 0.25, "decided_by": "injection", **detection}
        detection["caveats"] = tuple(Caveat(slug, "text") for slug in slugs)
        pairs = tuple(
            replace(pair, **detection) if pair.benchmark == cover_benchmark else pair
            for pair in verdict.pairs
        )
        changed = {"visible": 0.01, "seconds": 1000.0, "caveats": caveats, "bucket": bucket}
        suite = tuple(
            replace(benchmark, **changed) if benchmark.id == cover_benchmark else benchmark
            for benchmark in verdict.stability.benchmarks
        )
        stability = replace(verdict.stability, benchmarks=suite)
        suite_changes = best_changes(judged(replace(verdict, pairs=pairs, stability=stability)))
        return {suite_change.owner: suite_change for suite_change in suite_changes}

    changes = shortened()

    plan = judged(verdict).plan
    assert not changes[cover_benchmark].measured
    least = max(5, 0.04**2 * plan.iterations)
    saved = 1000.0 * (plan.iterations - least) / (plan.warmup + plan.iterations)
    assert -changes[cover_benchmark].seconds == pytest.approx(saved)
    assert changes[cover_benchmark].action.startswith(
        f"measure {least:g} iterations in place of {plan.iterations}: "
    )
    assert cover_benchmark not in shortened(Caveat("warm-after", "t"))
    assert cover_benchmark not in shortened(bucket=Bucket.ABOVE_50)
    assert cover_benchmark not in shortened(decided_by="share")
    assert cover_benchmark not in shortened(slugs=["borderline"])
    assert cover_benchmark not in shortened(effect=0.26)  # hardly above the threshold


def test_a_score_that_stops_at_the_first_detection_tells_nothing_of_the_others():
    verdict = examples.audit()
    stopped = replace(verdict, caveats=(*verdict.caveats, Caveat("score-mode", "t")))

    assert best_changes(judged(verdict))
    assert best_changes(judged(stopped)) == ()


def test_a_benchmark_that_throws_a_result_away_is_not_dropped():
    verdict = examples.audit()
    (name,) = {change.owner for change in best_changes(judged(verdict)) if change.measured}
    lost = next(method.id for method in verdict.methods if method.outcome is Verdict.MISSED)
    dead = replace(verdict.pairs[0], benchmark=name, method=lost, outcome=Verdict.DEAD_CODE)

    document = judged(replace(verdict, pairs=(dead, *verdict.pairs)))

    assert name not in {change.owner for change in best_changes(document) if change.measured}
    steps = {
        advice.slug: [target.id for target in advice.targets] for advice in list_advice(document)
    }
    assert name not in {*steps.get("redundant", ()), *steps.get("unexamined", ())}
    assert lost in steps["removed"]
