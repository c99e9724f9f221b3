"""The page of `steady`: strips that lose no spike, names that mean harm, no barrier."""

import re

import pytest
from test_page_names import NASTY
from test_steady_words import CONTEXT, STEADINESS

from auditor.core.series.steady import (
    BenchmarkSteadiness,
    SeriesSteadiness,
    SteadyLabel,
    SuiteSteadiness,
    WarmupEffect,
)
from auditor.steady import page as steady
from auditor.steady.document import steady_document


def process(start, changes=(), warm_up=None):
    label = SteadyLabel.NOT_STEADY if start is None else SteadyLabel.STEADY
    steadiness = SuiteSteadiness(
        detector="kb-kssd",
        benchmarks=(
            BenchmarkSteadiness(
                id="b",
                series=(
                    SeriesSteadiness(
                        run=0, fork=0, iterations=3000, label=label, steady_from=start,
                        changes=changes, warm_up=warm_up,
                    ),
                ),
            ),
        ),
    )  # fmt: skip
    return steady_document(steadiness, CONTEXT).series[0]


def test_no_spike_is_lost():
    values = [1.0] * 3000
    values[1234] = 9.0
    values[77] = 0.5

    parts = steady.decimate_values(values, 300)

    assert len(parts) == 300
    assert [index for index, (_, most) in enumerate(parts) if most == 9.0] == [123]
    assert [index for index, (least, _) in enumerate(parts) if least == 0.5] == [7]
    assert steady.decimate_values([1.0, 2.0], 300) == [(1.0, 1.0), (2.0, 2.0)]


def test_a_strip_shades_the_warm_up_and_marks_changes():
    values = [1.5e-3] * 750 + [1e-3] * 2250

    drawing = steady.draw_series(
        process(
            750,
            (749,),
            WarmupEffect(iterations=300, early=0, relative_error=0.0, late=0, wasted_seconds=0.0),
        ),
        values,
    )

    assert '<rect class="warm" width="75" ' in drawing
    assert '<path class="change" d="M75 ' in drawing
    assert '<path class="needed" d="M30 ' in drawing
    assert 'aria-label="run 1, process 1: steady from iteration 750 of 3,000 iterations' in drawing
    assert "1\u00a0ms to 1.5\u00a0ms" in drawing


def test_what_is_never_steady_is_shaded_all_along():
    drawing = steady.draw_series(process(None), [1.0, 2.0] * 1500)

    assert '<rect class="warm" width="300" ' in drawing
    assert "no steady state" in drawing


@pytest.mark.parametrize("values", [[1.0], [1e-300] * 5, [1e300, 1e-300] * 50])
def test_odd_values_are_drawn_within_the_strip(values):
    drawing = steady.draw_series(process(0), values)

    (path,) = re.findall(r'class="values" d="([^"]*)"', drawing)
    heights = [float(height) for height in re.findall(r"[MV][\d.]* ?(-?[\d.]+)", path)]
    assert all(0 <= height <= steady.HEIGHT for height in heights)


def values_of(steadiness):
    return {
        (benchmark.id, series.run, series.fork): [1.0, 2.0, 1.5] * 20
        for benchmark in steadiness.benchmarks
        for series in benchmark.series
    }


def test_a_page_has_a_strip_for_each_process_that_has_values(tmp_path):
    values = values_of(STEADINESS)
    del values["org.example.Late.wastes", 0, 0]

    page = steady.render_html(steady_document(STEADINESS, CONTEXT), values)

    assert page.count('<svg class="series"') == 4
    assert "Early.warms" in page


def test_hostile_names_leave_no_markup():
    steadiness = SuiteSteadiness(
        detector="kb-kssd",
        benchmarks=tuple(
            BenchmarkSteadiness(id=text, series=STEADINESS.benchmarks[0].series) for text in NASTY
        ),
    )

    page = steady.render_html(steady_document(steadiness, CONTEXT), values_of(steadiness))

    assert "<b>" not in page.replace("<b>" + str(len(NASTY)), "")
    assert page.count("<script>") == 1


@pytest.mark.browser
def test_axe_finds_nothing(faults_of):
    assert (
        faults_of(steady.render_html(steady_document(STEADINESS, CONTEXT), values_of(STEADINESS)))
        == []
    )
