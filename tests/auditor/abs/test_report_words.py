import json
import re
from dataclasses import replace

import msgspec
import pytest
from builders import benchmark_verdict_of

import examples
from auditor.abs import document_of_verdict, model
from auditor.abs.document import CoverBound
from auditor.abs.exports.findings import MISSED, sorted_findings
from auditor.abs.exports.mutation import format_mutation
from auditor.abs.gates import judge_gates
from auditor.abs.judge.outcomes import combine_outcomes
from auditor.abs.page import table
from auditor.abs.text import advice, cost_benefit, detection_curve, words
from auditor.abs.text.claims import OpenCause, ResultFacts
from auditor.config import Gates
from auditor.core.caveats import Caveat
from auditor.core.errors import Exit
from auditor.core.result import ReachState, Verdict
from auditor.core.stability import UNLISTED, Duration, Filter
from reports import names, number_format


def judged(verdict):
    return document_of_verdict.build_abs_document(verdict, examples.context())


def step(document, slug):
    """Return the advice of a kind."""
    (step_advice,) = [
        step_advice for step_advice in advice.list_advice(document) if step_advice.slug == slug
    ]
    return step_advice


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, number_format.NO_VALUE), (0.6, "60 %"), (0.034, "3.4 %"), (0.03, "3 %"),
     (-0.021, "\N{MINUS SIGN}2.1 %"),
     (0.0999, "10 %"), (2.6, "260 %"), (0.0, "0 %")],
)  # fmt: skip
def test_fractions_are_written_as_percent(value, text):
    assert number_format.format_share(value).replace("\xa0", " ") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, number_format.NO_VALUE), (58.64e-9, "58.6 ns"), (999.7e-9, "1 µs"), (1.5e-3, "1.5 ms"),
     (0.0, "0 ns"),
     (127.65, "2.13 min"), (7200.0, "2 h"), (0.4e-9, "0.4 ns"), (-2e-6, "\N{MINUS SIGN}2 µs")],
)  # fmt: skip
def test_durations_are_written_in_a_unit_that_fits(value, text):
    assert number_format.format_seconds(value).replace("\xa0", " ") == text


def test_ranges_have_one_unit():
    assert number_format.format_range((43.0, 71.4)).replace("\xa0", " ") == "43 … 71 %"
    assert (
        number_format.format_range((-10.0, 8e11)).replace("\xa0", " ")
        == "\N{MINUS SIGN}10 … > 100,000 %"
    )
    assert number_format.format_effect(8e9).replace("\xa0", " ") == "> 100,000 %"
    assert number_format.format_range((43.0, 43.0)).replace("\xa0", " ") == "43 %"
    assert number_format.format_range(None) == number_format.NO_VALUE
    assert number_format.format_range((None, 1.0)) == number_format.NO_VALUE


@pytest.mark.parametrize(
    ("ids", "short"),
    [
        (["github.com/google/uuid.Parse", "github.com/google/uuid.UUID.String"],
         ["uuid.Parse", "uuid.UUID.String"]),
        (["github.com/google/uuid.Parse"], ["uuid.Parse"]),
        (["e.org/a/b.BenchmarkX/v1.0/k=1", "e.org/a/b.BenchmarkX/v1.0/k=2"],
         ["b.BenchmarkX/v1.0/k=1", "b.BenchmarkX/v1.0/k=2"]),
        (["e.org/a/x.F", "e.org/a/y/z.G"], ["x.F", "y/z.G"]),
        (["e.org/lru/v2.Get", "e.org/lru/v2/simple.Add"], ["lru/v2.Get", "lru/v2/simple.Add"]),
        (["e.org/lru/v2.Get"], ["lru/v2.Get"]),
        (["org.apache.text.StrBuilder.append(java.lang.String)",
          "org.apache.text.StrBuilder.append(char[])"],
         ["StrBuilder.append(java.lang.String)", "StrBuilder.append(char[])"]),
        (["org.text.A.a", "org.text.b.B.c"], ["A.a", "b.B.c"]),
        (["ring.Push", "ring.Ring.Pop"], ["ring.Push", "ring.Ring.Pop"]),
        (["", "a"], ["", "a"]),
        ([], []),
    ],
)  # fmt: skip
def test_ids_lose_the_prefix_that_all_share_and_keep_the_class_or_package(ids, short):
    assert list(names.strip_shared_prefix(ids).values()) == short


def test_the_headline_says_how_many_and_how_many_perhaps():
    verdict = examples.audit()
    sure = replace(
        verdict, total=replace(verdict.total, covered=9, counted=14, bounds=(64.0, 64.3))
    )
    open_ = replace(
        verdict, total=replace(verdict.total, covered=9, counted=14, bounds=(64.3, 85.8))
    )

    say = [
        words.format_headline(judged(abs_verdict)).replace("\xa0", " ")
        for abs_verdict in (sure, open_)
    ]

    assert say == [
        "This suite would detect a 60 % slowdown in 9 of 14 methods.",
        "This suite would detect a 60 % slowdown in 9 of 14 methods, and perhaps in 3 more.",
    ]


def test_nothing_judged_is_not_called_a_score_of_zero():
    assert words.format_headline(judged(examples.nothing())).startswith("No method could be judged")
    assert "open for all 3 methods" in words.format_headline(judged(examples.all_crashed()))


def test_an_estimate_is_marked_wherever_its_score_is_told():
    verdict = replace(examples.audit(), caveats=(Caveat("estimate", "predicted"),))
    document = judged(verdict)

    assert words.format_headline(document).startswith("By estimate, this suite would detect")
    assert words.describe_rule(document).startswith("an estimate, nothing was slowed down; rule")
    missed = [finding.text for finding in sorted_findings(document) if finding.kind is MISSED]
    assert missed
    assert all(text.startswith("By estimate, no benchmark would detect") for text in missed)
    report = json.loads(format_mutation(document))
    assert report["config"]["estimate"] is True
    mutants = [mutant for file in report["files"].values() for mutant in file["mutants"]]
    assert all(mutant["description"].startswith("by estimate, slowed") for mutant in mutants)
    _, gate_lines = judge_gates(document, Gates(min_score=1.0), None)
    assert all(text.endswith("(an estimate: nothing was slowed down)") for text in gate_lines)
    code, (line,) = judge_gates(document, Gates(min_score=99.0), None)
    assert code is Exit.NO_VERDICT
    assert line.startswith("gate undecided: at least 99 %")


def test_what_was_measured_is_marked_as_no_estimate():
    document = judged(examples.audit())

    assert not [finding for finding in sorted_findings(document) if "estimate" in finding.text]
    assert json.loads(format_mutation(document))["config"]["estimate"] is False
    assert "estimate" not in format_mutation(document).replace('"estimate": false', "")
    assert "estimate" not in judge_gates(document, Gates(min_score=1.0), None)[1][0]


def test_a_stability_audit_has_a_headline_of_its_own():
    document = document_of_verdict.stability_document(
        examples.audit().stability, examples.context()
    )

    headline = words.format_headline(document).replace("\xa0", " ")

    assert headline == (
        "17 of 30 benchmarks stay within 5 % over 5 runs of the suite; 2 were not measured in all "
        "runs."
    )


def test_benchmarks_without_a_run_count_in_the_headline_of_stability():
    stability = examples.audit().stability
    calm, *rest = (replace(verdict, max_spread=0.01) for verdict in stability.benchmarks[:3])
    incomplete = [replace(verdict, max_spread=None, runs=2, caveats=()) for verdict in rest]

    headlines = [
        words.format_headline(
            document_of_verdict.stability_document(
                replace(stability, benchmarks=(calm, *incomplete[:missing])), examples.context()
            )
        ).replace("\xa0", " ")
        for missing in range(3)
    ]

    assert headlines == [
        "1 of 1 benchmark stays within 5 % over 5 runs of the suite.",
        "1 of 2 benchmarks stays within 5 % over 5 runs of the suite; 1 was not measured in all "
        "runs.",
        "1 of 3 benchmarks stays within 5 % over 5 runs of the suite; 2 were not measured in all "
        "runs.",
    ]


def test_one_run_of_the_suite_is_not_said_to_have_failed():
    benchmarks = examples.audit().stability.benchmarks
    none = [replace(benchmark, max_spread=None, bucket=None) for benchmark in benchmarks]
    none[0] = replace(none[0], means=())
    stability = replace(examples.audit().stability, benchmarks=tuple(none), runs=1)
    document = document_of_verdict.stability_document(stability, examples.context())

    headline = words.format_headline(document).replace("\xa0", " ")

    assert headline == "29 of 30 benchmarks measured, in one run of the suite: a spread needs two."


def test_methods_that_nobody_watches_come_first_and_most_called_first():
    result = step(judged(examples.audit()), "unwatched")
    calls = {method.id: method.calls for method in examples.audit().methods}

    ranked = [calls[target.id] for target in result.targets]
    assert ranked == sorted(ranked, reverse=True)
    assert {target.id for target in result.targets} == {
        method.id
        for method in examples.audit().methods
        if method.outcome in {Verdict.MISSED, Verdict.UNREACHED}
    }


def test_a_method_whose_share_is_only_limited_is_a_small_part_and_not_lost():
    verdict = examples.audit()
    missed = next(method for method in verdict.methods if method.outcome is Verdict.MISSED)
    pairs = [
        replace(pair, share=None, share_at_most=0.125) if pair.method == missed.id else pair
        for pair in verdict.pairs
    ]
    result = step(judged(replace(verdict, pairs=tuple(pairs))), "unwatched")
    (target,) = [target for target in result.targets if target.id == missed.id]

    assert target.note.startswith("at most 12")


def test_crashed_methods_are_not_advised_to_be_measured_again():
    slugs = [step.slug for step in advice.list_advice(judged(examples.all_crashed()))]

    assert slugs == ["broken", "failing"]


def test_caveats_of_benchmarks_are_said_with_their_names():
    verdict = examples.audit()
    summary = table.summarise_document(
        document_of_verdict.stability_document(verdict.stability, examples.context())
    )
    short = [benchmark.id for benchmark in verdict.stability.benchmarks if benchmark.caveats]

    (text,) = [text for slug, text in summary.caveats if slug == "incomplete"]

    assert len(short) == 2
    assert text.endswith(": measured in 3 of 5 runs")
    assert text.count(", ") == 1
    assert all(benchmark_id.rpartition(".")[2] in text for benchmark_id in short)


def test_the_summary_has_a_row_for_each_score_method_and_bucket():
    verdict = examples.audit()
    summary = table.summarise_document(
        document_of_verdict.build_abs_document(verdict, examples.context())
    )

    assert [row.name for row in summary.scores] == ["total", "relative", "absolute"]
    assert summary.scores[0].covered == "7 of 13"
    assert summary.scores[0].percent == "54\xa0%"
    assert [row.id for row in summary.methods] == [method.id for method in verdict.methods]
    assert [row.count for row in summary.stability] == [
        bucket.count for bucket in verdict.stability.buckets
    ]
    assert summary.advice[1].endswith("uuid.NewString, uuid.NewSHA1")
    first = summary.advice[0].splitlines()
    assert first[0] == "Begin with what pays most:"
    assert first[1].startswith("  uuid.NewString: write a benchmark for it ")


def test_the_plan_of_a_result_has_the_runs_of_the_suite_that_were_made():
    verdict = examples.audit()
    fewer = replace(verdict, stability=replace(verdict.stability, runs=2))

    document = document_of_verdict.build_abs_document(fewer, examples.context())

    assert document.plan.stability_runs == 2


def test_the_summary_says_how_small_a_slowdown_is_noticed():
    verdict = examples.audit()
    summary = table.summarise_document(
        document_of_verdict.build_abs_document(verdict, examples.context())
    )
    none = table.summarise_document(
        document_of_verdict.build_abs_document(
            replace(verdict, curve=None, controls=None), examples.context()
        )
    )

    least = {pair.method: 1 + pair.slowdown for pair in verdict.curve.pairs}
    assert summary.curve.startswith("It detects 1.05\xa0\N{MULTIPLICATION SIGN}")
    assert summary.curve.endswith("of 13 methods.")
    assert {row.id: row.notices for row in summary.methods if row.notices} == {
        method: number_format.format_factor(factor) for method, factor in least.items()
    }
    assert summary.controls == (
        "A/A control: 0 of 11 pairs without a delay were detected (false-positive rate at most "
        "24\xa0%, with 95 % confidence); median effect 0.2\xa0%."
    )
    assert (none.curve, none.controls) == ("", "")
    assert {row.notices for row in none.methods} == {""}


@pytest.mark.parametrize(
    ("slowdown", "unnoticed", "short", "message"),
    [
        (0.1, 0.05, "1.1\xa0x", "detects 1.1\xa0x and more, not 1.05\xa0x"),
        (0.05, None, "1.05\xa0x", "detects 1.05\xa0x and more"),
        (None, 5.0, "not 6\xa0x", "6\xa0x is not detected"),
        (None, None, number_format.NO_VALUE, ""),
    ],
)
def test_a_curve_is_told_by_its_ends(slowdown, unnoticed, short, message):
    curve = model.PairCurve(
        method="a", benchmark="b", slowdown=slowdown, unnoticed=unnoticed, steps=()
    )

    sign = "\N{MULTIPLICATION SIGN}"
    assert detection_curve.format_limit(curve) == short.replace("\xa0x", f"\xa0{sign}")
    assert detection_curve.format_pair_curve(curve) == message.replace("\xa0x", f"\xa0{sign}")


def test_a_suite_that_notices_nothing_says_so():
    points = (model.CurvePoint(0.6, 0, 4), model.CurvePoint(5.0, 0, 4))

    message, silent = (
        detection_curve.format_suite_curve(model.DetectionCurve(pairs=(), points=points), open_)
        for open_ in (0, 3)
    )

    assert message == "No slowdown that was tried is detected in any of 4 methods."
    assert silent == ""  # methods are open


def test_a_whole_list_score_is_a_row_of_its_own():
    verdict = replace(examples.audit(), whole_list=examples.audit().total)

    summary = table.summarise_document(
        document_of_verdict.build_abs_document(verdict, examples.context())
    )

    assert [row.name for row in summary.scores][-1] == "whole list"


def test_a_stability_summary_has_no_scores():
    document = document_of_verdict.stability_document(
        examples.audit().stability, examples.context()
    )

    summary = table.summarise_document(document)

    assert (summary.scores, summary.methods, summary.cover, summary.rules) == ((), (), "", "")
    assert "30 benchmarks" in summary.suite


def test_an_empty_audit_has_a_summary():
    summary = table.summarise_document(
        document_of_verdict.build_abs_document(examples.nothing(), examples.context())
    )

    assert summary.scores[0].percent == number_format.NO_VALUE
    assert summary.advice == ()


def with_suite(verdict, **changes):
    return judged(replace(verdict, stability=replace(verdict.stability, **changes)))


def plainly(text):
    return text.replace("\xa0", " ")


def test_the_suite_is_said_with_its_time_beside_a_limit_and_with_what_a_filter_left_out():
    verdict = examples.audit(benchmarks=8)
    filtered_document = with_suite(verdict, filter=Filter("Parse|New", 16))
    anchored = with_suite(verdict, filter=Filter("^Parse", 8, 1))
    failed = with_suite(examples.all_crashed())
    quick = with_suite(verdict, duration=Duration(mean=3.0, sd=None, limit=7200.0))
    first, *remaining_benchmarks = verdict.stability.benchmarks
    partly = with_suite(verdict, benchmarks=(replace(first, means=()), *remaining_benchmarks))

    assert plainly(words.describe_suite(judged(verdict))) == (
        "8 benchmarks; a run of the whole suite takes 2.13 min (± 2.45 s), 1.8 % of a CI limit "
        "of 120 min."
    )
    assert plainly(words.describe_suite(filtered_document)).startswith(
        "8 of the suite's 16 benchmarks (filter 'Parse|New'); a run of these takes 2.13 min"
    )
    assert plainly(words.describe_suite(anchored)).startswith(
        "8 of the suite's benchmarks (filter '^Parse'; 1 package without a match passed over); "
    )
    assert words.describe_suite(failed).startswith(
        "2 benchmarks, 2 of them without a measurement; no run of the whole suite"
    )
    assert plainly(words.describe_suite(partly)).startswith(
        "8 benchmarks, 1 of them without a measurement; a run of the other 7 takes 2.13 min"
    )
    assert "takes 3 s, less than 0.1 % of a CI limit" in plainly(words.describe_suite(quick))


def test_who_is_left_out_for_want_of_a_spread_is_said_with_the_score():
    verdict = examples.audit()
    unknown = next(
        benchmark.id for benchmark in verdict.stability.benchmarks if benchmark.max_spread is None
    )
    out = replace(verdict.absolute, excluded_benchmarks=(unknown,))

    rows = table.score_rows(judged(replace(verdict, absolute=out)))

    assert rows[1].meaning == "without the least stable 5 %"
    assert rows[2].meaning == "without those that spread over 50 % and those without a spread"


def test_a_score_that_nobody_can_tell_is_no_zero():
    verdict = examples.audit()
    none = replace(verdict.absolute, percent=None, bounds=None, covered=0, excluded_benchmarks=())

    row = table.score_rows(judged(replace(verdict, absolute=none)))[2]

    assert (row.percent, row.bounds, row.covered) == (number_format.NO_VALUE, "", "")
    assert row.meaning == "cannot tell: no benchmark has a spread"


def test_methods_called_in_set_up_only_are_advised_as_such():
    document = judged(examples.in_set_up())

    notes = {target.id: target.note for target in step(document, "unwatched").targets}
    rows = {row.id: row for row in table.summarise_document(document).methods}

    (method,) = [method_verdict for method_verdict in document.methods if method_verdict.set_up_in]
    assert notes[method.id].startswith("called in set-up only, by 1 benchmark; ")
    assert (rows[method.id].glyph, rows[method.id].word) == ("s", "set-up only")


@pytest.mark.parametrize(
    ("ending", "reason", "note"),
    [
        (UNLISTED, "it fails: as it must\nand more", "it fails: as it must"),
        ("crashed", "run 1: exit code 1: as it must\nand more", "crashed: exit code 1: as it must"),
        ("not-built", "", "not built"),
    ],
)
def test_a_benchmark_that_fails_is_advised_with_its_reason(ending, reason, note):
    verdict = examples.audit()
    broken = benchmark_verdict_of(
        id="ring.BenchmarkFails", max_spread=None, bucket=None, means=(), runs=0, seconds=None,
        ending=ending, reason=reason,
    )  # fmt: skip

    steps = advice.list_advice(
        with_suite(verdict, benchmarks=(*verdict.stability.benchmarks, broken))
    )

    (failing,) = [step for step in steps if step.slug == "failing"]
    assert ("ring.BenchmarkFails", note) in [(target.id, target.note) for target in failing.targets]


def test_a_method_whose_call_was_removed_needs_its_result_used_and_no_new_benchmark():
    verdict = examples.audit()
    missed_method = next(method for method in verdict.methods if method.outcome is Verdict.MISSED)
    dead = tuple(
        replace(pair, outcome=Verdict.DEAD_CODE, share=3.0)
        if pair.method == missed_method.id
        else pair
        for pair in verdict.pairs
    )
    document = judged(replace(verdict, pairs=dead))

    used = step(document, "removed")
    unwatched_step = step(document, "unwatched")

    first = next(pair.benchmark for pair in verdict.pairs if pair.method == missed_method.id)
    assert [(target.id, target.note) for target in used.targets] == [
        (missed_method.id, f"called in {first}")
    ]
    assert missed_method.id not in {target.id for target in unwatched_step.targets}


def made_of(outcomes, *, spreads=()):
    """Return the facts of a result with these pairs, each share being 90 % of the operation."""
    verdict = examples.audit()
    pattern = verdict.pairs[0]
    pairs = tuple(
        replace(
            pattern,
            method=method,
            benchmark=benchmark,
            outcome=outcome,
            share=0.9,
            share_interval=(0.85, 0.95),
        )
        for (method, benchmark), outcome in outcomes.items()
    )
    methods = tuple(
        replace(
            verdict.methods[0],
            id=name,
            outcome=combine_outcomes(pair.outcome for pair in pairs if pair.method == name),
            detected_by=tuple(
                pair.benchmark
                for pair in pairs
                if pair.method == name and pair.outcome is Verdict.DETECTED
            ),
        )
        for name in dict.fromkeys(name for name, _ in outcomes)
    )
    names = dict.fromkeys(name for _, name in outcomes)
    benchmarks = tuple(
        replace(verdict.stability.benchmarks[0], id=name, unique=(), shared=("k",))
        for name in names
    )
    detecting = [pair.benchmark for pair in pairs if pair.outcome is Verdict.DETECTED]
    changed = replace(
        verdict,
        pairs=pairs,
        methods=methods,
        stability=replace(verdict.stability, benchmarks=benchmarks),
        cover=replace(verdict.cover, benchmarks=(min(detecting),)),
        absolute=replace(verdict.absolute, excluded_benchmarks=tuple(spreads)),
    )
    return ResultFacts(judged(changed))


def test_a_pair_that_could_not_be_slowed_is_open_unless_its_method_does_not_count():
    missed, detected = Verdict.MISSED, Verdict.DETECTED
    outcomes = {("k", "A"): missed, ("l", "A"): detected, ("l", "B"): detected}

    perhaps = made_of({**outcomes, ("k", "B"): Verdict.INVALID})
    never = made_of({**outcomes, ("m", "B"): Verdict.INVALID})

    assert (perhaps.open_pairs, perhaps.is_droppable("B")) == (1, False)
    assert perhaps.find_cause("k") is OpenCause.SCATTER
    assert not perhaps.has_whole_matrix
    assert (never.open_pairs, never.is_droppable("B")) == (0, True)


def test_more_measurements_settle_no_calls_that_overlap():
    facts = made_of({("k", "A"): Verdict.INCONCLUSIVE, ("l", "A"): Verdict.DETECTED})
    overlapping = replace(facts.document.pairs[0], caveats=(Caveat("calls-overlap", "text"),))
    document = msgspec.structs.replace(facts.document, pairs=(overlapping,))

    assert facts.find_cause("k") is OpenCause.SCATTER
    assert ResultFacts(document).find_cause("k") is OpenCause.UNCLASSIFIED


def test_calls_that_only_samples_show_need_longer_blocks():
    facts = made_of({("k", "A"): Verdict.INCONCLUSIVE, ("l", "A"): Verdict.DETECTED})
    sampled = replace(
        facts.document.pairs[0],
        reach=ReachState.UNKNOWN,
        share_interval=(0.001, 0.02),
        caveats=(Caveat("reach-contradicted", "text"),),
    )
    document = msgspec.structs.replace(facts.document, pairs=(sampled,))

    by_slug = {step.slug: step for step in advice.list_advice(document)}

    assert "undecided" not in by_slug
    assert [target.id for target in by_slug["short-blocks"].targets] == ["k"]
    assert "plan.iteration_time" in by_slug["short-blocks"].reason


def test_a_steady_benchmark_is_not_dropped_for_one_whose_runs_lie_far_apart():
    outcomes = {("k", "A"): Verdict.DETECTED, ("k", "B"): Verdict.DETECTED}

    assert made_of(outcomes).is_droppable("B")
    assert not made_of(outcomes, spreads=["A"]).is_droppable("B")
    assert made_of(outcomes, spreads=["A", "B"]).is_droppable("B")


def test_a_largest_share_is_an_upper_bound_and_is_not_known_where_one_is_open():
    facts = made_of({("k", "A"): Verdict.MISSED, ("l", "A"): Verdict.DETECTED})
    assert facts.bound_largest_share("k") == 0.95

    pairs = facts.document.pairs
    timed = replace(pairs[0], share_at_most=0.2)
    timed_document = msgspec.structs.replace(facts.document, pairs=(timed, *pairs[1:]))
    assert ResultFacts(timed_document).bound_largest_share("k") == 0.2
    unknown = replace(pairs[0], share=None, share_interval=None)
    document = msgspec.structs.replace(facts.document, pairs=(*pairs, unknown))

    assert ResultFacts(document).bound_largest_share("k") is None


def test_what_can_be_left_out_is_what_was_examined_and_saves_its_time():
    document = judged(examples.audit())
    benchmarks = {benchmark.id: benchmark for benchmark in document.benchmarks}
    suite_seconds = sum(benchmark.seconds for benchmark in document.benchmarks)
    shares = {
        benchmark_id: max(
            pair.share for pair in document.pairs if pair.benchmark == benchmark_id and pair.share
        )
        for benchmark_id in {pair.benchmark for pair in document.pairs if pair.share}
    }

    result = step(document, "redundant")

    idle = [target.id for target in result.targets]
    assert idle
    assert not {*idle} & {*document.minimal_cover}
    assert all(shares[benchmark_id] >= 0.5 for benchmark_id in idle)
    assert all(
        number_format.format_share(0.8 * shares[target.id]) in target.note
        for target in result.targets
    )
    saved = sum(benchmarks[benchmark_id].seconds for benchmark_id in idle)
    saved_text, suite_text = map(number_format.format_seconds, (saved, suite_seconds))
    assert result.gain == f"saves {saved_text} of {suite_text} a run"


def test_a_benchmark_whose_main_work_was_not_examined_is_not_called_redundant():
    verdict = examples.audit()
    (name, *_) = [target.id for target in step(judged(verdict), "redundant").targets]
    pairs = tuple(
        replace(pair, share=0.1, share_interval=None) if pair.benchmark == name else pair
        for pair in verdict.pairs
    )
    unknown = tuple(
        replace(pair, share=None) if pair.benchmark == name else pair for pair in verdict.pairs
    )

    for judged_pairs, message in (
        (pairs, "its main work is not among the methods that could be slowed"),
        (unknown, "how much of it the methods examined are is not known"),
    ):
        document = judged(replace(verdict, pairs=judged_pairs))
        notes = {target.id: target.note for target in step(document, "unexamined").targets}
        assert notes[name].startswith(message)
        redundant = [
            step_advice
            for step_advice in advice.list_advice(document)
            if step_advice.slug == "redundant"
        ]
        assert name not in {
            target.id for step_advice in redundant for target in step_advice.targets
        }
        assert name not in {change.owner for change in cost_benefit.best_changes(document)}


def test_no_method_is_to_be_named_where_all_are_examined():
    verdict = examples.audit()
    all_caveats = (*verdict.caveats, Caveat("methods-all", "all 9 public methods"))

    assert step(judged(verdict), "unexamined").title.startswith("Name the methods that")
    advised = step(judged(replace(verdict, caveats=all_caveats)), "unexamined")
    assert advised.title.startswith("Check what")
    assert advised.reason.startswith("It is none of the public methods that can be slowed down")


def unexamined_note(verdict, name, **pair):
    """Return what is said of a benchmark all of whose pairs are like this one."""
    pairs = tuple(
        replace(judged_pair, share=None, share_interval=None, **pair)
        if judged_pair.benchmark == name
        else judged_pair
        for judged_pair in verdict.pairs
    )
    notes = {
        target.id: target.note
        for target in step(judged(replace(verdict, pairs=pairs)), "unexamined").targets
    }
    return notes[name]


def test_that_a_benchmark_calls_none_is_said_only_where_it_calls_none():
    verdict = examples.audit()
    name = step(judged(verdict), "redundant").targets[0].id
    slowed = [
        method
        for method in verdict.methods
        if method.outcome not in {Verdict.REFUSED, Verdict.INVALID}
    ]
    abs_verdict = replace(verdict, methods=tuple(slowed))
    unreached = {"outcome": Verdict.UNREACHED}

    none = unexamined_note(abs_verdict, name, reach=ReachState.NOT_AT_ALL, **unreached)
    set_up = unexamined_note(abs_verdict, name, reach=ReachState.SET_UP_ONLY, **unreached)
    dead = unexamined_note(abs_verdict, name, outcome=Verdict.DEAD_CODE, effect=None)
    refused = unexamined_note(verdict, name, reach=ReachState.NOT_AT_ALL, **unreached)

    assert none == "its main work is not among the methods examined: it calls none of them"
    assert "calls none" not in set_up + dead + refused
    assert dead.startswith("the compiler removed its call of")
    assert refused == "its main work is not among the methods that could be slowed"


def test_what_cannot_get_slower_needs_no_benchmark():
    verdict = examples.audit()
    first = step(judged(verdict), "unwatched").targets[0].id
    methods = tuple(
        replace(method, trivial="it returns a field") if method.id == first else method
        for method in verdict.methods
    )
    document = judged(replace(verdict, methods=methods))

    assert first not in {target.id for target in step(document, "unwatched").targets}
    assert first not in {change.owner for change in cost_benefit.best_changes(document)}


def test_what_the_budget_left_open_is_said_to_be_left_by_it_with_the_command_that_goes_on():
    verdict = examples.audit()
    undecided_method = next(
        method for method in verdict.methods if method.outcome is Verdict.INCONCLUSIVE
    )
    pairs = tuple(
        replace(pair, outcome=Verdict.UNMEASURED, runs=(), caveats=())
        if pair.method == undecided_method.id
        else pair
        for pair in verdict.pairs
    )
    noisy = step(judged(verdict), "undecided")
    cut = judged(replace(verdict, pairs=pairs, caveats=(Caveat("budget", "used up"),)))

    result = step(cut, "left-open")

    assert undecided_method.id in {target.id for target in noisy.targets}
    assert undecided_method.id in {target.id for target in result.targets}
    assert result.title.endswith("left open by the budget")
    assert cut.command in result.reason
    assert "quieter" not in result.reason
    assert words.format_headline(cut).endswith("left open by the budget).")


def test_a_method_too_short_to_be_slowed_is_not_promised_a_verdict_by_a_quieter_machine():
    verdict = examples.audit()
    undecided_method = next(
        method for method in verdict.methods if method.outcome is Verdict.INCONCLUSIVE
    )
    short = (Caveat("distorted", "the probe takes as long"),)
    pairs = tuple(
        replace(pair, caveats=short) if pair.method == undecided_method.id else pair
        for pair in verdict.pairs
    )
    document = judged(replace(verdict, pairs=pairs))

    assert undecided_method.id in {target.id for target in step(document, "too-short").targets}
    undecided_steps = [
        step_advice
        for step_advice in advice.list_advice(document)
        if step_advice.slug == "undecided"
    ]
    assert undecided_method.id not in {
        target.id for step_advice in undecided_steps for target in step_advice.targets
    }


def test_a_benchmark_that_the_watchdog_ended_needs_time_and_no_repair():
    verdict = examples.audit()
    slow = [
        benchmark.id
        for benchmark in verdict.stability.benchmarks
        if benchmark.ending == "timed-out"
    ]

    steps = {step_advice.slug: step_advice for step_advice in advice.list_advice(judged(verdict))}

    assert [target.id for target in steps["slow"].targets] == slow
    assert "failing" not in steps


def test_where_a_benchmark_of_the_cover_has_no_time_nothing_is_said_to_be_saved():
    verdict = examples.audit()
    suite = [
        replace(benchmark, seconds=None)
        if benchmark.id == verdict.cover.benchmarks[0]
        else benchmark
        for benchmark in verdict.stability.benchmarks
    ]

    assert advice.format_cover_saving(with_suite(verdict, benchmarks=tuple(suite))) == ""


def test_only_those_are_asked_what_they_are_for_that_surely_detect_nothing():
    verdict = examples.audit()
    document = judged(verdict)

    result = step(document, "unexamined")

    detecting = {benchmark_id for method in verdict.methods for benchmark_id in method.detected_by}
    open_ = {
        pair.benchmark
        for pair in verdict.pairs
        if pair.outcome in {Verdict.INCONCLUSIVE, Verdict.CRASHED, Verdict.TIMED_OUT}
    }
    failing = {
        benchmark.id for benchmark in verdict.stability.benchmarks if benchmark.ending != "measured"
    }
    all_benchmarks = {benchmark.id for benchmark in verdict.stability.benchmarks}
    costs = {benchmark.id: benchmark.seconds for benchmark in verdict.stability.benchmarks}
    unexamined_ids = {target.id for target in result.targets}
    assert open_ - detecting - failing
    assert unexamined_ids >= all_benchmarks - detecting - open_ - failing
    assert not unexamined_ids & {*open_, *failing, *document.minimal_cover}
    ranked = [costs[target.id] for target in result.targets]
    assert ranked == sorted(ranked, reverse=True)
    assert result.gain == f"{number_format.format_seconds(sum(ranked))} a run"


def test_each_half_of_the_rule_is_counted_in_a_line():
    document = judged(examples.audit())
    rules = words.describe_rules(document)

    assert rules.startswith("Methods detected by injected delays: ")
    assert [int(number) for number in re.findall(r" (\d+)", rules)] == [
        rule.covered for rule in document.rules
    ]
    assert re.search(r"by the size of the effect \d+, by both \d+\.$", rules)
    assert words.describe_rules(judged(examples.nothing())) == ""
    sampled = msgspec.structs.replace(
        document,
        pairs=tuple(replace(pair, decided_by="share") for pair in document.pairs),
    )
    assert words.describe_rules(sampled) == ""


def test_pairs_that_were_never_slowed_are_not_decided_by_a_delay():
    document = judged(examples.audit())
    first, second, third, *_ = [pair for pair in document.pairs if pair.runs]
    pairs = (
        replace(first, decided_by="share"),
        replace(second, decided_by="injection"),
        replace(third, decided_by="injection", runs=()),
    )
    described = words.describe_rule(msgspec.structs.replace(document, pairs=pairs))
    slowed = words.describe_rule(msgspec.structs.replace(document, pairs=pairs[:2]))

    assert plainly(described).endswith(
        "; 1 pair decided by CPU samples, 1 by an injected delay, 1 by the time of counted calls"
    )
    assert plainly(slowed).endswith("; 1 pair decided by CPU samples, 1 by an injected delay")


@pytest.mark.parametrize(
    ("reason", "slug"),
    [
        ("it skips itself: not here", None),
        ("it gave no result: it was ended after 4 s", "slow"),
        ("it fails: no", "failing"),
    ],
)
def test_a_benchmark_that_could_not_be_listed_is_repaired_only_where_it_fails(reason, slug):
    verdict = examples.audit()
    (first, *remaining_benchmarks) = [
        benchmark for benchmark in verdict.stability.benchmarks if benchmark.ending == "measured"
    ]
    cut = replace(first, ending=UNLISTED, reason=reason, means=())

    steps = advice.list_advice(with_suite(verdict, benchmarks=(cut, *remaining_benchmarks)))

    owners = {step.slug: [target.id for target in step.targets] for step in steps}
    assert {name for name in ("slow", "failing") if first.id in owners.get(name, ())} == {
        *([slug] if slug else [])
    }


def test_an_estimate_has_measured_nothing():
    verdict = examples.audit()
    guessed = replace(verdict, caveats=(*verdict.caveats, Caveat("estimate", "t")))

    assert any(
        change.effect.endswith("(measured)")
        for change in cost_benefit.best_changes(judged(verdict))
    )
    assert all(
        change.effect.endswith("(predicted)")
        for change in cost_benefit.best_changes(judged(guessed))
    )


def test_a_result_without_methods_says_why_and_fills_in_no_zeros():
    verdict = examples.audit(methods=0)
    cut = judged(replace(verdict, caveats=(Caveat("budget", "used up"),)))

    assert words.format_headline(cut).startswith("The budget ended: no method was examined")
    assert "no method was examined" in words.describe_cover(cut)
    assert detection_curve.format_suite_curve(cut.curve, 0) == ""


def test_the_cover_is_not_called_the_fewest_while_pairs_are_open():
    verdict = examples.audit()
    open_ = {Verdict.INCONCLUSIVE, Verdict.CRASHED, Verdict.TIMED_OUT}
    closed = tuple(pair for pair in verdict.pairs if pair.outcome not in open_)
    suite = tuple(benchmark for benchmark in verdict.stability.benchmarks if benchmark.means)
    decided = with_suite(replace(verdict, pairs=closed), benchmarks=suite)
    many = len(verdict.pairs) - len(closed)

    assert re.search(r"; (fewer cannot|no fewer than \d+ can)\.$", words.describe_cover(decided))
    single = msgspec.structs.replace(
        decided, minimal_cover=decided.minimal_cover[:1], cover_bound=CoverBound(1, exact=True)
    )
    assert words.describe_cover(single).endswith("gives the same score for these methods.")
    cover = words.describe_cover(judged(verdict))
    assert cover.endswith(f"; {many} pairs are open, so others may detect as much.")


@pytest.mark.parametrize(
    ("value", "text"), [(999.6, "1,000"), (999.4, "999"), (1234.5, "1,234"), (0.1234, "0.123")]
)
def test_a_number_has_no_exponent_where_a_reader_expects_none(value, text):
    assert number_format.format_number(value) == text
