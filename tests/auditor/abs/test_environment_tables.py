"""Machines side by side: what is drawn and said of their spreads."""

import re

import pytest

import examples
from auditor.abs.document_of_verdict import stability_document
from auditor.abs.page.environments import compare_environments
from reports import violins

MANY = [0.01, 0.02, 0.03, 0.04, 0.2, 0.6]


def numbers(drawing):
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", drawing)]


def test_each_machine_has_a_shape_with_a_dot_for_each_benchmark():
    drawing = violins.draw_violins([("1: here", MANY), ("2: cloud", [value * 3 for value in MANY])])

    assert drawing.count("<polygon") == 2
    assert [
        path_data.count("M")
        for path_data in re.findall(r'<path class="dot spread" d="([^"]*)"', drawing)
    ] == [6, 6]
    assert "in the middle: 1: here 3.5" in drawing
    assert all(
        -1 <= number <= 1000
        for number in numbers(re.sub(r"<text.*?</text>|<svg[^>]*>", "", drawing))
    )


@pytest.mark.parametrize("values", [[], [0.1], [0.1, 0.1]])
def test_few_benchmarks_are_dots(values):
    drawing = violins.draw_violins([("1: here", values), ("2: there", MANY)])

    assert drawing.count("<polygon") == 1
    assert ("no spread" in drawing) is (values == [])


@pytest.mark.parametrize("value", [0.0, 1e-9, 5.0, 1e9])
def test_values_beyond_the_axis_stay_on_it(value):
    drawing = violins.draw_spread_pairs("here", "there", [(value, value)])
    x, y = map(float, re.search(r'class="dot spread" d="M([\d.]+) ([\d.]+)h0"', drawing).groups())

    assert 0 <= x <= 400
    assert 0 <= y <= 400


def test_equal_spreads_lie_on_the_line_and_larger_ones_above_it():
    drawing = violins.draw_spread_pairs("here", "there", [(0.1, 0.1), (0.1, 0.3), (0.3, 0.1)])
    left, bottom, right, top = map(
        float,
        re.search(r'class="needed" d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)"', drawing).groups(),
    )
    dots = re.search(r'class="dot spread" d="([^"]*)"', drawing).group(1)
    places = [tuple(map(float, dot)) for dot in re.findall(r"M([\d.]+) ([\d.]+)h0", dots)]
    above = [(bottom - y) / (bottom - top) - (x - left) / (right - left) for x, y in places]

    assert above[0] == pytest.approx(0.0, abs=0.01)
    assert above[1] > 0.05
    assert above[2] < -0.05
    assert "1 of 3 benchmarks have a larger spread on there than here" in drawing


def test_names_are_text():
    drawing = violins.draw_violins([("<b>&", MANY), ("2", MANY)])

    assert "<b>" not in drawing
    assert "&lt;b&gt;&amp;" in drawing


def test_nothing_is_drawn_of_nothing():
    assert violins.draw_violins([("1", []), ("2", [])]) == ""
    assert violins.draw_spread_pairs("1", "2", []) == ""


def side_by_side(**changes):
    """Return what is said of two machines, by what it is about."""
    stability = examples.audit().stability
    machine_documents = [
        stability_document(stability, examples.context(**more))
        for more in ({}, {"host": "cloud", **changes})
    ]
    view = compare_environments(machine_documents[0], machine_documents[1:])
    return {row.label: row.cells for row in view.properties}


def test_what_each_machine_is_and_runs_is_shown():
    cells = side_by_side(host_facts=(("cpu", "Graviton"), ("virtual", "yes m6g.large")))

    local_facts = "cpu AMD EPYC 7B13, cores 2, memory 8 GiB, kernel 6.1.0-28-amd64"
    assert cells["what it is"] == (local_facts, "cpu Graviton, virtual")
    assert cells["what it runs"] == ("v1.6.0, git 2.39.5, go go1.23.4, python 3.11.2",) * 2


@pytest.mark.parametrize("changes", [{"versions": (("go", "go1.26.1"),)}, {"revision": "v1.5.0"}])
def test_what_is_not_the_machine_s_doing_is_named(changes):
    (cells,) = [
        row_cells
        for label, row_cells in side_by_side(**changes).items()
        if "it may be that" in label
    ]

    assert cells[0] != cells[1]


def test_one_machine_stands_beside_nothing():
    assert (
        compare_environments(stability_document(examples.audit().stability, examples.context()), ())
        is None
    )
