from dataclasses import replace

import pytest

import examples
from auditor.core.verdict import Result
from reports import advice, figures, names, record, table, words
from reports.document import typed


def judged(verdict):
    return typed(record.document(verdict, examples.context()))


@pytest.mark.parametrize(
    ("value", "written"),
    [(None, figures.NONE), (0.6, "60 %"), (0.034, "3.4 %"), (0.03, "3 %"),
     (-0.021, "\N{MINUS SIGN}2.1 %"),
     (0.0999, "10 %"), (2.6, "260 %"), (0.0, "0 %")],
)  # fmt: skip
def test_fractions_are_written_as_percent(value, written):
    assert figures.share(value).replace("\xa0", " ") == written


@pytest.mark.parametrize(
    ("value", "written"),
    [(None, figures.NONE), (58.64e-9, "58.6 ns"), (999.7e-9, "1 µs"), (1.5e-3, "1.5 ms"),
     (0.0, "0 ns"),
     (127.65, "2.13 min"), (7200.0, "2 h"), (0.4e-9, "0.4 ns"), (-2e-6, "\N{MINUS SIGN}2 µs")],
)  # fmt: skip
def test_durations_are_written_in_a_unit_that_fits(value, written):
    assert figures.seconds(value).replace("\xa0", " ") == written


def test_ranges_have_one_unit():
    assert figures.span((43.0, 71.4)).replace("\xa0", " ") == "43 … 71 %"
    assert figures.span((43.0, 43.0)).replace("\xa0", " ") == "43 %"
    assert figures.span(None) == figures.NONE
    assert figures.span((None, 1.0)) == figures.NONE


@pytest.mark.parametrize(
    ("ids", "short"),
    [
        (["github.com/google/uuid.Parse", "github.com/google/uuid.UUID.String"],
         ["uuid.Parse", "uuid.UUID.String"]),
        (["github.com/google/uuid.Parse"], ["uuid.Parse"]),
        (["e.org/a/b.BenchmarkX/v1.0/k=1", "e.org/a/b.BenchmarkX/v1.0/k=2"],
         ["b.BenchmarkX/v1.0/k=1", "b.BenchmarkX/v1.0/k=2"]),
        (["e.org/a/x.F", "e.org/a/y/z.G"], ["x.F", "y/z.G"]),
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
    assert list(names.shorten(ids).values()) == short


def test_the_headline_says_how_many_and_how_many_perhaps():
    verdict = examples.audit()
    sure = replace(
        verdict, total=replace(verdict.total, covered=9, counted=14, bounds=(64.0, 64.3))
    )
    open_ = replace(
        verdict, total=replace(verdict.total, covered=9, counted=14, bounds=(64.3, 85.8))
    )

    say = [words.headline(judged(each)).replace("\xa0", " ") for each in (sure, open_)]

    assert say == [
        "This suite would notice a 60 % slowdown in 9 of 14 methods.",
        "This suite would notice a 60 % slowdown in 9 of 14 methods, and perhaps in 3 more.",
    ]


def test_nothing_judged_is_not_called_a_score_of_zero():
    assert words.headline(judged(examples.nothing())).startswith("No method could be judged")
    assert "open for all 3 methods" in words.headline(judged(examples.all_crashed()))


def test_a_stability_audit_has_a_headline_of_its_own():
    found = record.stability_document(examples.audit().stability, examples.context())

    headline = words.headline(typed(found)).replace("\xa0", " ")

    assert headline == "17 of 28 benchmarks stay within 5 % over 5 runs of the suite."


def test_methods_that_nobody_watches_come_first_and_most_called_first():
    step = advice.advice(judged(examples.audit()))[0]
    calls = {method.id: method.calls for method in examples.audit().methods}

    ranked = [calls[target.id] for target in step.targets]
    assert step.slug == "unwatched"
    assert ranked == sorted(ranked, reverse=True)
    assert {target.id for target in step.targets} == {
        method.id
        for method in examples.audit().methods
        if method.outcome in {Result.MISSED, Result.UNREACHED}
    }


def test_crashed_methods_are_not_advised_to_be_measured_again():
    slugs = [step.slug for step in advice.advice(judged(examples.all_crashed()))]

    assert slugs == ["broken", "failing"]


def test_the_summary_has_a_row_for_each_score_method_and_bucket():
    verdict = examples.audit()
    summary = table.summary(record.document(verdict, examples.context()))

    assert [row.name for row in summary.scores] == ["total", "relative", "absolute"]
    assert summary.scores[0].covered == "7 of 13"
    assert summary.scores[0].percent == "54\xa0%"
    assert [row.id for row in summary.methods] == [method.id for method in verdict.methods]
    assert [row.count for row in summary.stability] == [n for _, n, _ in verdict.stability.buckets]
    assert summary.advice[0].endswith("uuid.NewString, uuid.NewSHA1")


def test_a_whole_list_score_is_a_row_of_its_own():
    verdict = replace(examples.audit(), whole_list=examples.audit().total)

    summary = table.summary(record.document(verdict, examples.context()))

    assert [row.name for row in summary.scores][-1] == "whole list"


def test_a_stability_summary_has_no_scores():
    found = record.stability_document(examples.audit().stability, examples.context())

    summary = table.summary(found)

    assert (summary.scores, summary.methods, summary.cover) == ((), (), "")
    assert "30 benchmarks" in summary.suite


def test_an_empty_audit_has_a_summary():
    summary = table.summary(record.document(examples.nothing(), examples.context()))

    assert summary.scores[0].percent == figures.NONE
    assert summary.advice == ()
