"""The page of two versions of a class: curves to read, names that mean harm, no barrier."""

import re
from dataclasses import replace

import pytest
from axe_playwright_python.sync_playwright import Axe
from concurrencies import PLAN, document, full_verdict, lane, timed, verdict
from test_page_names import NASTY

from auditor.concurrency import page as concurrency
from auditor.concurrency.document import Origin
from auditor.concurrency.judge import oracle
from auditor.core.caveats import Caveat
from auditor.core.contracts.concurrency import SEQUENTIAL, FocusMethod, TimedScope
from reports import charts, plots
from reports.charts import Axes, ChartCurve, ChartPoint


def draw_curve(result, tests=(1,)):
    return concurrency.draw_curve(document(result), tests)


def axes(**more):
    defaults = {
        "size": (400, 200),
        "ends": (0.0, 2.0),
        "named": ((0.0, "1"), (2.0, "8")),
        "across": "threads",
        "units": "calls",
        "most": 10.0,
    }
    return Axes(**defaults | more)


def noisy(threads, times):
    judged = [oracle.judge_test(timed(1, threads, times=times, noise=0.01), PLAN)]
    return oracle.judge_threads(threads, judged, PLAN)


@pytest.mark.parametrize("most", [0.0, 1e-9, 0.3, 1.0, 9.0, 10.0, 11.0, 99.9, 12345.0])
def test_ticks_are_few_and_round_and_reach_the_greatest_value(most):
    ticks = charts.choose_ticks(most)

    assert ticks[0] == 0.0
    assert ticks[-1] >= most
    assert 2 <= len(ticks) <= 6
    assert charts.choose_ticks(ticks[-1]) == ticks


def test_names_of_curves_that_end_together_do_not_cover_each_other():
    curves = [
        ChartCurve(name, kind, (ChartPoint(2.0, 5.0, 5.0, 5.0),))
        for name, kind in (("old", "first"), ("new", "second"))
    ]

    body = charts.draw_chart(axes(), curves)

    heights = [
        float(height) for height in re.findall(r'class="(?:first|second)"[^>]* y="([\d.]+)"', body)
    ]
    assert len(heights) == 2
    assert abs(heights[0] - heights[1]) >= 14


@pytest.mark.parametrize("high", [5.0, 50.0, float("inf")])
def test_what_lies_beyond_the_picture_is_cut_off(high):
    body = charts.draw_chart(
        axes(), [ChartCurve("old", "first", (ChartPoint(0.0, 5.0, 1.0, high),))]
    )

    (top,) = re.findall(r'class="whisker first" d="M[\d.]+ [\d.]+V([\d.]+)"', body)
    assert charts.TOP_MARGIN <= float(top) <= 200 - charts.BOTTOM_MARGIN


def test_a_curve_says_in_words_what_it_shows():
    svg = draw_curve(verdict(lane(8, 2.0), control=lane(SEQUENTIAL, 1.0)))

    # A repetition of 800 calls takes 30 ms, one of 800 in one thread 12.5 ms; each 0.1 % more.
    assert 'aria-label="calls per second with threads 1 (control): old 63,936, new 63,936; ' in svg
    assert 'threads 8: old 26,640, new 13,320"' in svg
    assert "thousand calls per second" in svg


def test_intervals_are_drawn_for_both_versions():
    svg = draw_curve(verdict(noisy(2, 1.0), noisy(8, 1.2)))

    paths = re.findall(r'class="whisker \w+" d="([^"]*)"', svg)
    assert [path.count("M") for path in paths] == [2, 2]


@pytest.mark.parametrize(
    "result",
    [
        verdict(),
        verdict(lane(8, None)),
        verdict(lane(8, 2.0), plan=replace(PLAN, scope=TimedScope.EACH)),
    ],
)
def test_no_curve_is_drawn_where_it_would_mean_nothing(result):
    assert draw_curve(result) == plots.EMPTY_PLOT


def test_a_suffix_timed_by_itself_is_no_throughput():
    page = concurrency.render_html(
        document(verdict(lane(8, 2.0), plan=replace(PLAN, scope=TimedScope.EACH)))
    )

    assert "which tells nothing of the throughput of all" in page


@pytest.mark.parametrize("result", [verdict(), verdict(lane(8, None)), verdict(lane(8, 1.0))])
def test_a_page_is_made_of_whatever_there_is(result):
    page = concurrency.render_html(document(result))

    assert page.count("<h1>") == 1
    assert page == concurrency.render_html(document(result))


def nasty():
    """Return a comparison in which all that a subject names is hostile."""
    result = full_verdict()
    suite = replace(
        result.suite,
        methods=NASTY,
        focus=tuple(FocusMethod(method=name, distance=0, reason=name) for name in NASTY),
        dropped=tuple((name, 2) for name in NASTY),
        files=tuple((name, "") for name in NASTY),
        caveats=tuple(Caveat("no-source", name) for name in NASTY),
    )
    hung = oracle.judge_threads(
        64, [oracle.judge_test(timed(threads=64, reason="".join(NASTY)), PLAN)], PLAN
    )
    result = replace(result, subject="".join(NASTY), suite=suite, threads=(*result.threads, hung))
    return document(result, old=Origin(NASTY[0], NASTY[1]), new=Origin(NASTY[7]), command=NASTY[2])


@pytest.mark.browser
def test_hostile_names_leave_no_markup(visit_hostile):
    tab = visit_hostile(concurrency.render_html(nasty()))
    assert tab.locator("#made tbody tr").count() == len(NASTY)


OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1400])
def test_axe_finds_nothing(visit, scheme, width):
    tab, _ = visit(
        concurrency.render_html(document()),
        color_scheme=scheme,
        viewport={"width": width, "height": 900},
    )
    tab.evaluate(OPEN_ALL)

    assert Axe().run(tab).response["violations"] == []


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 1400])
@pytest.mark.parametrize("result_document", [document(), nasty()], ids=["whole", "nasty"])
def test_the_page_never_scrolls_sideways(visit, width, result_document):
    tab, _ = visit(
        concurrency.render_html(result_document), viewport={"width": width, "height": 900}
    )
    tab.evaluate(OPEN_ALL)

    assert tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.browser
def test_the_curves_are_seen_and_differ_in_more_than_colour(visit):
    tab, _ = visit(concurrency.render_html(document()))

    ways = tab.locator("#throughput svg.lines path.way")
    dashes = ways.evaluate_all("all => all.map((one) => getComputedStyle(one).strokeDasharray)")
    assert ways.count() == 2
    assert len(set(dashes)) == 2
    assert tab.locator("#throughput svg.lines").get_attribute("role") == "img"
