"""The page of `qualify`: alarms over slowdowns, names that mean harm, no barrier."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from test_page_names import NASTY
from test_qualify_words import GOOD, NATIVE, PARSE, UNSEEN, answers, build_document

from auditor.core.contracts.qualify import GateSubject, SlowedSide
from auditor.qualify import page as qualify
from reports import number_format
from reports.charts import BOTTOM_MARGIN, TOP_MARGIN


def view(*document_parts, **more):
    return qualify.build_view(build_document(*document_parts, **more))


def test_alarms_are_drawn_from_alike_to_the_largest_slowdown():
    (curve,) = view().curves

    assert curve.method == "a.Parse"
    slow, much = number_format.format_factor(1.5), number_format.format_factor(10.0)
    assert curve.description == (
        f"alike 0 of 20; {slow} head slower 5 of 5; {much} head slower 5 of 5; "
        f"{much} head faster 0 of 5"
    )
    low, high = qualify.PLOT_SIZE[1] - BOTTOM_MARGIN, TOP_MARGIN
    slower, faster = re.findall(r'class="way \w+" d="M([^"]*)"', curve.plot)
    assert [float(point.split()[1]) for point in slower.split("L")] == [low, high, high]
    assert [float(point.split()[1]) for point in faster.split("L")] == [low]
    across = [float(point.split()[0]) for point in (slower.split("L")[2], faster)]
    assert abs(across[0] - across[1]) <= 6  # one beside the other


def test_a_method_that_was_not_shown_is_told_and_not_drawn():
    qualify_view = view(GOOD, (PARSE, NATIVE, UNSEEN))

    assert [curve.method for curve in qualify_view.curves] == ["a.Parse"]
    assert "a.Native cannot be slowed: it has no body" in qualify_view.method_descriptions


def test_demands_and_flaws_are_told():
    quiet = [
        answer for factor in (1.5, 10.0) for answer in answers(SlowedSide.SLOWED, factor, quiet=5)
    ]
    qualify_view = view(quiet, must_see=1.5)

    assert [flaw for flaw, _ in qualify_view.flaws] == ["dead"]
    assert [(demand.glyph, demand.answer) for demand in qualify_view.demands] == [("✗", "failed")]


def test_a_page_lists_so_many_answers_and_says_how_many_more(monkeypatch):
    monkeypatch.setattr(qualify, "MOST_ANSWERS", 4)
    qualify_view = view()

    assert len(qualify_view.answers) == 4
    assert qualify_view.left_out == len(GOOD) - 4
    assert f"{len(GOOD) - 4} more are in" in qualify.render_html(build_document())


def test_nothing_shown_yet_is_a_page_too():
    page = qualify.render_html(build_document(()))

    assert "It was shown no slowdown yet." in page
    assert "It was shown nothing." in page


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_there_is_no_barrier_and_nasty_names_do_no_harm(visit, scheme):
    subjects = (PARSE, *(GateSubject(method=text) for text in NASTY))
    gate_answers = (
        *GOOD,
        *(
            answer
            for text in NASTY
            for answer in answers(SlowedSide.SPED, 1.5, alarms=2, method=text)
        ),
    )
    page = qualify.render_html(build_document(gate_answers, subjects))

    tab, noise = visit(page, color_scheme=scheme)
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    assert noise == []
    assert Axe().run(tab).response["violations"] == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= tab.viewport_size["width"]
