"""The density curve and the run means of one machine: charts, and the same numbers as tables."""

import re
from dataclasses import replace

import pytest

import examples
from auditor.abs import document_of_verdict
from auditor.abs.model import BestChoice
from auditor.abs.page import suite as suite_page
from auditor.abs.page.suite import density_curve
from reports import violins


def document(**changes):
    verdict = replace(examples.audit(), **changes)
    return document_of_verdict.build_abs_document(verdict, examples.context())


def choice(benchmarks, methods, most):
    name = examples.audit().stability.benchmarks[benchmarks].id
    return BestChoice(
        benchmarks=benchmarks, benchmark=name, methods=methods, percent=10.0 * methods, most=most
    )


def suite(*means, runs=3):
    """A document whose benchmarks have these means of runs."""
    stability = examples.audit().stability
    benchmarks = tuple(
        replace(benchmark, means=values, runs=len(values))
        for benchmark, values in zip(stability.benchmarks, means, strict=False)
    )
    return document(stability=replace(stability, benchmarks=benchmarks, runs=runs))


def points(plot, kind):
    way = re.search(rf'class="way {kind}" d="M([^"]*)"', plot)[1]
    return [tuple(map(float, place.split())) for place in way.split("L")]


def test_the_density_curve_rises_from_nothing_to_all_that_is_detected():
    curve = density_curve(document())
    choices = examples.audit().density_curve

    places = points(curve.plot, "first")
    assert len(places) == len(choices) + 1
    heights = [height for _, height in places]
    assert heights == sorted(heights, reverse=True)
    assert [row.methods for row in curve.rows] == [str(step.methods) for step in choices]
    assert f'aria-label="{curve.says}"' in curve.plot


def test_a_bound_above_the_choice_is_a_second_curve():
    tight = density_curve(document(density_curve=(choice(1, 4, 4), choice(2, 6, 6))))
    loose = density_curve(document(density_curve=(choice(1, 4, 5), choice(2, 6, 6))))

    assert "second" not in tight.plot
    assert points(loose.plot, "second")[1][1] < points(loose.plot, "first")[1][1]
    assert loose.rows[0].most == "5"


def test_the_density_curve_says_how_few_benchmarks_detect_half():
    steps = (choice(1, 4, 4), choice(2, 6, 6), choice(3, 7, 7))

    assert density_curve(document(density_curve=steps)).says == (
        "1 benchmark detects 4 of the 7 methods that the suite detects; "
        "3 benchmarks detect all of them."
    )
    assert density_curve(document(density_curve=steps[:1])).says == (
        "1 benchmark detects all 4 methods that the suite detects."
    )
    assert density_curve(document(density_curve=())) is None


def test_a_run_that_was_disturbed_lies_aside():
    means = [(1e-6, 1e-6, 1.3e-6)] * 9

    view = suite_page.run_means(suite(*means))

    middles = [row.middle.replace("\N{MINUS SIGN}", "-") for row in view.rows]
    assert middles[0].startswith("-9.1")
    assert middles[2].startswith("+18")
    assert [row.benchmarks for row in view.rows] == ["9", "9", "9"]
    assert view.plot.count('class="violin"') == 3
    assert view.left_out == ""


def test_benchmarks_without_all_runs_are_left_out_and_counted():
    view = suite_page.run_means(suite((1.0, 1.0, 1.0), (1.0, 2.0)))

    assert view.left_out == "Left out: 1 benchmark without values of all runs."
    assert suite_page.run_means(suite((1.0,), runs=1)) is None
    assert suite_page.run_means(suite((1.0, 2.0))) is None


def test_many_runs_are_drawn_in_part():
    view = suite_page.run_means(suite(*[tuple([1.0] * 30)] * 4, runs=30))

    assert len(view.rows) == suite_page.MOST_RUNS
    assert view.left_out == f"The first {suite_page.MOST_RUNS} of 30 runs are drawn."


def test_a_deviation_beyond_the_axis_ends_at_its_edge():
    plot = violins.draw_deviations([("run 1", [-9.0, 0.0, 9.0])], 0.1)

    dots = re.search(r'class="dot spread" d="([^"]*)"', plot)[1]
    places = [float(place) for place in re.findall(r"M([\d.]+) ", dots)]
    assert places == [70.0, 330.0, 590.0]


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 800, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_charts_fit_and_have_names_and_tables(visit, width, scheme):
    tab, _ = visit(document(), color_scheme=scheme, viewport={"width": width, "height": 900})

    for place in (".density-curve", ".run-means"):
        figure = tab.locator(place)
        drawing = figure.locator("svg")
        box = drawing.bounding_box()
        assert box["x"] + box["width"] <= width
        assert len(drawing.get_attribute("aria-label")) > 20
        figure.locator("summary").click()
        assert figure.locator("table tbody tr").first.is_visible()


@pytest.mark.browser
def test_the_charts_are_printed_with_their_tables(visit):
    tab, _ = visit(document())

    tab.emulate_media(media="print")

    assert tab.locator(".density-curve svg").is_visible()
    assert tab.locator(".density-curve table").is_visible()
