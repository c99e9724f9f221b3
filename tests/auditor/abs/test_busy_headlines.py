"""What is said of numbers that a busy machine has made."""

from dataclasses import replace

import msgspec
import pytest
from builders import CONTEXT
from comparisons import full_comparison
from rich.console import Console
from test_similarity_words import SIMILARITY_DOCUMENT as OF_RUNS
from test_steady_words import CONTEXT as OF_SERIES
from test_steady_words import STEADINESS

import examples
from auditor.abs import document_of_verdict
from auditor.abs.exports.markdown import format_markdown
from auditor.abs.gates import judge_stability
from auditor.abs.page import report
from auditor.abs.terminal import format_summary
from auditor.abs.text import advice, words
from auditor.compare import page as comparison
from auditor.compare.markdown import render_markdown as comparison_markdown
from auditor.core.busy import JITTER_SLUG, SLUG
from auditor.core.caveats import Caveat
from auditor.core.jobs import HostInterference
from auditor.similarity import page as similarity
from auditor.steady import document as steady_document
from auditor.steady import page as steady

BUSY = HostInterference(waited=0.9, foreign=0.6)
BUSY_PREFIX = "Busy machine (processes waited 90 % of the time): "
WITHHELD = Caveat(SLUG, "5 of 5 runs were made on a busy machine")


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ")


def terminal(document):
    console = Console(width=200, record=True)
    with console.capture() as captured:
        console.print(format_summary(document))
    return plain(captured.get())


def audit(strain):
    """Return an audit whose spreads are withheld where the machine was busy."""
    verdict = examples.audit()
    if strain is BUSY:
        benchmarks = tuple(
            replace(benchmark, max_spread=None, bucket=None, caveats=(WITHHELD,))
            for benchmark in verdict.stability.benchmarks
        )
        verdict = replace(verdict, stability=replace(verdict.stability, benchmarks=benchmarks))
    return verdict, examples.context(strain=strain)


def test_no_benchmark_is_blamed_for_its_spread_on_a_machine_that_varied():
    document = document_of_verdict.build_abs_document(*audit(HostInterference()))
    varied = msgspec.structs.replace(
        document, caveats=(*document.caveats, Caveat(JITTER_SLUG, "the machine is noisy"))
    )

    (blamed,) = [step for step in advice.list_advice(document) if step.slug == "unstable"]
    (excused,) = [step for step in advice.list_advice(varied) if step.slug == "unstable"]

    assert blamed.title.startswith("Steady ")
    assert excused.title.startswith("Repeat ")
    assert excused.targets == blamed.targets


def test_terminal_page_and_markdown_of_an_audit_say_it_first():
    document = document_of_verdict.build_abs_document(*audit(BUSY))

    page = plain(report.render_page(document))
    for text in (terminal(document), plain(format_markdown(document))):
        assert f"{BUSY_PREFIX}This suite would detect" in text
        assert "Steady " not in text
    assert page.index(f"{BUSY_PREFIX.removesuffix(': ')}. ") < page.index(
        "<h1>This suite would detect"
    )
    assert "Steady " not in page
    quiet = document_of_verdict.build_abs_document(
        *audit(HostInterference(waited=0.02, foreign=0.6))
    )
    for text in (terminal(quiet), plain(report.render_page(quiet)), plain(format_markdown(quiet))):
        assert "usy machine" not in text
    assert any(step.slug == "unstable" for step in advice.list_advice(quiet))


def test_what_a_busy_machine_hides_is_not_called_unstable():
    document = document_of_verdict.build_abs_document(*audit(BUSY))

    assert not any(step.slug == "unstable" for step in advice.list_advice(document))
    meaning = words.describe_score("absolute", document.scores.absolute, document)
    assert meaning.endswith("unknown, as the machine was busy")


def test_no_benchmark_is_blamed_under_a_headline_that_names_the_machine():
    """The suite's own runs may have been quiet enough for spreads, the others were not."""
    verdict, _ = audit(HostInterference())
    documents = [
        document_of_verdict.build_abs_document(verdict, examples.context(strain=strain))
        for strain in (HostInterference(), BUSY)
    ]

    steps = [{step.slug for step in advice.list_advice(document)} for document in documents]
    assert steps[0] - steps[1] == {"unstable"}


def test_a_result_about_stability_tells_how_many_spreads_are_hidden():
    verdict, context = audit(BUSY)
    document = document_of_verdict.stability_document(verdict.stability, context)
    assert plain(words.format_headline(document)) == (
        f"{BUSY_PREFIX}No spread is shown: the runs were made on a busy machine."
    )

    assert judge_stability(document)[1] == [
        "no verdict: the runs were made on a busy machine; repeat on a quiet one"
    ]

    shown_benchmark = replace(verdict.stability.benchmarks[0], max_spread=0.01, caveats=())
    partial_stability = replace(
        verdict.stability, benchmarks=(shown_benchmark, *verdict.stability.benchmarks[1:])
    )
    text = plain(
        words.format_headline(
            document_of_verdict.stability_document(
                partial_stability, replace(context, strain=HostInterference())
            )
        )
    )
    assert text.startswith("1 of 1 benchmark stays within 5 %")
    assert text.endswith(
        f"; {len(partial_stability.benchmarks) - 1} more were measured on a busy machine."
    )


def test_page_and_comment_of_a_comparison_say_it_first():
    quiet = full_comparison()
    busy = msgspec.structs.replace(quiet, strain=BUSY)

    assert plain(comparison.build_view(busy).headline).startswith(
        f"{BUSY_PREFIX}2 benchmarks have a regression"
    )
    page = plain(comparison.render_html(busy))
    assert page.index(f"{BUSY_PREFIX.removesuffix(': ')}. ") < page.index("<h1>2 benchmarks have")
    assert BUSY_PREFIX in plain(comparison_markdown(busy)).splitlines()[0]
    assert "usy machine" not in comparison_markdown(quiet)


@pytest.mark.parametrize("strain", [BUSY, HostInterference()])
def test_a_judged_series_says_it_first(strain):
    document = steady_document.steady_document(STEADINESS, replace(OF_SERIES, strain=strain))

    assert plain(steady.build_view(document).headline).startswith(BUSY_PREFIX) is (strain is BUSY)


def test_runs_that_are_not_alike_on_a_busy_machine_say_it_first():
    view = similarity.build_view(msgspec.structs.replace(OF_RUNS, strain=BUSY))

    assert plain(view.headline).startswith(BUSY_PREFIX)
    assert not similarity.build_view(OF_RUNS).headline.startswith("Busy machine")


def test_the_circumstances_of_an_audit_carry_what_kept_the_machine_busy():
    document = document_of_verdict.stability_document(
        examples.audit().stability, replace(CONTEXT, strain=BUSY)
    )

    assert document.strain == BUSY
