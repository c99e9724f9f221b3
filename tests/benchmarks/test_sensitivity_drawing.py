"""Precision and recall as a drawing of its own."""

import re
import xml.etree.ElementTree as ET

import pytest
import sensitivity_drawing

POINTS = tuple((index / 100, 0.5 + index / 50, 1 - index / 25) for index in range(21))


def heights(drawing, kind):
    (path,) = re.findall(rf'class="way {kind}" d="([^"]*)"', drawing)
    return [float(height) for height in re.findall(r" ([\d.]+)", path)]


def test_a_drawing_is_whole_by_itself():
    root = ET.fromstring(sensitivity_drawing.svg(POINTS, 0.05))  # noqa: S314 - our own text

    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "prefers-color-scheme:dark" in sensitivity_drawing.svg(POINTS, 0.05)


def test_precision_rises_where_recall_falls():
    drawing = sensitivity_drawing.svg(POINTS, 0.05)

    precision, recall = heights(drawing, "first"), heights(drawing, "second")
    assert len(precision) == len(recall) == len(POINTS)
    assert precision == sorted(precision, reverse=True)
    assert recall == sorted(recall)


@pytest.mark.parametrize(("default", "lines"), [(0.05, 1), (0.2, 1), (0.5, 0)])
def test_the_default_is_marked_where_it_is_in_the_picture(default, lines):
    assert sensitivity_drawing.svg(POINTS, default).count('class="needed"') == lines


def test_few_places_are_named():
    drawing = sensitivity_drawing.svg(POINTS, 0.05)

    assert 4 <= len(re.findall(r">[\d.]+\xa0%</text>", drawing)) <= sensitivity_drawing.MOST_NAMED


def test_what_is_not_known_is_not_drawn_and_said_to_be_unknown():
    drawing = sensitivity_drawing.svg([(0.05, 0.8, None), (0.1, None, None)], 0.05)

    assert 'class="way second"' not in drawing
    assert "recall \N{EN DASH}" in drawing
