"""Past commits and whether they would have been noticed: as a document, in words, as Markdown."""

import pytest
from rich.console import Console
from schema_checks import check_schema

from auditor.backtest import assemble as assembly
from auditor.backtest.document import backtest_document
from auditor.backtest.judge import make_failed_result, make_unmeasured_result, summarise_backtest
from auditor.backtest.model import (
    BenchmarkShift,
    CommitDetection,
    CommitKind,
    CommitResult,
    PastChange,
)
from auditor.backtest.text import (
    describe_agreement,
    describe_methods,
    detecting_benchmarks,
    format_commit_line,
    format_headline,
    render_markdown,
)
from auditor.compare.model import Dimension
from auditor.core.contracts.history import Commit
from reports import results


def change(title="Speed up Push"):
    commit = Commit(
        id="a" * 40, parent="b" * 40, title=title, message="", day="2024-01-02", files=()
    )
    return PastChange(commit=commit, kind=CommitKind.FIX)


def moved(name, ratio=0.8, dimension=Dimension.TIME):
    return BenchmarkShift(benchmark=name, dimension=dimension, ratio=ratio)


NOTICED = CommitResult(
    change=change(),
    noticed=CommitDetection.DETECTED,
    detected_by=(
        moved("BenchmarkPush", 0.9),
        moved("BenchmarkPop", 0.5),
        moved("BenchmarkPeek", 0.95),
    ),
    benchmarks=3,
    visible=0.02,
    methods=("Push", "Pop"),
    watched=("Push",),
    seconds=12.0,
)
MISSED = CommitResult(
    change=change("Use <b>less</b> @all"),
    noticed=CommitDetection.MISSED,
    reason="no benchmark changed as it should have",
    methods=("Peek",),
    unwatched=("Peek",),
)
FAILED = make_failed_result(change(), "it does not build", 1.0)


def make_document(*tried):
    return backtest_document(summarise_backtest(tried), "{}", "1.2")


def test_the_document_is_what_its_schema_says():
    document = make_document(NOTICED, MISSED, FAILED, make_unmeasured_result(change()))

    check_schema("backtest", results.format_json(document))


@pytest.mark.parametrize(
    ("tried", "message"),
    [
        ((NOTICED, MISSED), "The suite would have detected 1 of 2 commits."),
        (
            (NOTICED, FAILED, make_unmeasured_result(change())),
            "The suite would have detected 1 of 1 commit; 2 more are inconclusive.",
        ),
        ((FAILED,), "Cannot tell: no commit could be judged."),
    ],
)
def test_the_answer_is_a_sentence(tried, message):
    assert format_headline(make_document(*tried)) == message


def test_who_noticed_it_most_comes_first():
    (commit,) = make_document(NOTICED).commits

    message = (
        detecting_benchmarks(commit)
        .replace("\N{NO-BREAK SPACE}", " ")
        .replace("\N{MULTIPLICATION SIGN}", "x")
    )
    assert message == "BenchmarkPop (time, 0.5 x), BenchmarkPush (time, 0.9 x) and 1 more"


@pytest.mark.parametrize(
    ("tried", "message"),
    [
        (NOTICED, "1 of 2 covered, 1 open"),
        (MISSED, "0 of 1 covered"),
        (FAILED, ""),
        (CommitResult(change=change(), noticed=CommitDetection.MISSED), "none"),
    ],
)
def test_changed_methods_are_counted(tried, message):
    (commit,) = make_document(tried).commits

    assert describe_methods(commit) == message


def test_agreement_is_said_only_where_something_is_known():
    assert describe_agreement(make_document(FAILED).agreement) == []
    counts, correlation = describe_agreement(make_document(NOTICED, MISSED).agreement)
    assert counts.startswith("covered and detected: 1; ")
    assert counts.endswith("neither: 1")
    assert correlation == "correlation 1.00"
    assert describe_agreement(make_document(NOTICED).agreement)[1] == "one of both never varies"


def test_a_line_for_those_who_watch():
    assert format_commit_line(NOTICED).replace("\N{NO-BREAK SPACE}", " ") == (
        "aaaaaaaaaaaa detected (12 s; Speed up Push)"
    )
    assert "failed: it does not build (" in format_commit_line(FAILED)


def test_titles_of_strangers_are_shown_as_they_are():
    text = render_markdown(make_document(MISSED))
    console = Console(width=200)
    with console.capture() as captured:
        console.print(assembly.build_table(make_document(MISSED)))

    assert "`Use <b>less</b> @all`" in text
    assert "Use <b>less</b> @all" in captured.get()
