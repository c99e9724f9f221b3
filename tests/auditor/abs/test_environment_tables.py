"""Machines side by side: what is drawn and said of their spreads."""

import re

import pytest

import examples
from auditor.abs.document_of_verdict import stability_document
from auditor.abs.page.environments import compare_environments
from reports import violins

MANY = [0.01, 0.02, 0.03, 0.04, 0.2, 0.6]


def numbers(drawing):
    return [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", drawing)]


def test_each_machine_has_a_shape_with_a_dot_for_each_benchmark():
    drawn = violins.draw_violins([("1: here", MANY), ("2: cloud", [value * 3 for value in MANY])])

    assert drawn.count("<polygon") == 2
    assert [
        one.count("M") for one in re.findall(r'<path class="dot spread" d="([^"]*)"', drawn)
    ] == [6, 6]
    assert "in the middle: 1: here 3.5" in drawn
    assert all(
        -1 <= number <= 1000 for number in numbers(re.sub(r"<text.*?</text>|<svg[^>]*>", "", drawn))
    )


@pytest.mark.parametrize("values", [[], [0.1], [0.1, 0.1]])
def test_few_benchmarks_are_dots(values):
    drawn = violins.draw_violins([("1: here", values), ("2: there", MANY)])

    assert drawn.count("<polygon") == 1
    assert ("no spread" in drawn) is (values == [])


@pytest.mark.parametrize("value", [0.0, 1e-9, 5.0, 1e9])
def test_values_beyond_the_axis_stay_on_it(value):
    drawn = violins.draw_spread_pairs("here", "there", [(value, value)])
    x, y = map(float, re.search(r'class="dot spread" d="M([\d.]+) ([\d.]+)h0"', drawn).groups())

    assert 0 <= x <= 400
    assert 0 <= y <= 400


def test_equal_spreads_lie_on_the_line_and_larger_ones_above_it():
    drawn = violins.draw_spread_pairs("here", "there", [(0.1, 0.1), (0.1, 0.3), (0.3, 0.1)])
    left, bottom, right, top = map(
        float, re.search(r'class="needed" d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)"', drawn).groups()
    )
    dots = re.search(r'class="dot spread" d="([^"]*)"', drawn).group(1)
    places = [tuple(map(float, one)) for one in re.findall(r"M([\d.]+) ([\d.]+)h0", dots)]
    above = [(bottom - y) / (bottom - top) - (x - left) / (right - left) for x, y in places]

    assert above[0] == pytest.approx(0.0, abs=0.01)
    assert above[1] > 0.05
    assert above[2] < -0.05
    assert "1 of 3 benchmarks have a larger spread on there than here" in drawn


def test_names_are_text():
    drawn = violins.draw_violins([("<b>&", MANY), ("2", MANY)])

    assert "<b>" not in drawn
    assert "&lt;b&gt;&amp;" in drawn


def test_nothing_is_drawn_of_nothing():
    assert violins.draw_violins([("1", []), ("2", [])]) == ""
    assert violins.draw_spread_pairs("1", "2", []) == ""


def side_by_side(**other):
    """Return what is said of two machines, by what it is about."""
    stability = examples.audit().stability
    both = [
        stability_document(stability, examples.context(**more))
        for more in ({}, {"host": "cloud", **other})
    ]
    view = compare_environments(both[0], both[1:])
    return {one.label: one.cells for one in view.properties}


def test_what_each_machine_is_and_runs_is_shown():
    said = side_by_side(host_facts=(("cpu", "Graviton"), ("virtual", "yes m6g.large")))

    here = "cpu AMD EPYC 7B13, cores 2, memory 8 GiB, kernel 6.1.0-28-amd64"
    assert said["what it is"] == (here, "cpu Graviton, virtual")
    assert said["what it runs"] == ("v1.6.0, git 2.39.5, go go1.23.4, python 3.11.2",) * 2


@pytest.mark.parametrize("other", [{"versions": (("go", "go1.26.1"),)}, {"revision": "v1.5.0"}])
def test_what_is_not_the_machine_s_doing_is_named(other):
    (cells,) = [found for what, found in side_by_side(**other).items() if "it may be that" in what]

    assert cells[0] != cells[1]


def test_one_machine_stands_beside_nothing():
    assert (
        compare_environments(stability_document(examples.audit().stability, examples.context()), ())
        is None
    )
