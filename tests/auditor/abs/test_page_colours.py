"""Contrast as WCAG 2.1 defines it: 4.5 for text, 3 for what has to be seen (AA)."""

import re
from pathlib import Path

import pytest

STYLE = (Path(__file__).parents[3] / "reports" / "templates" / "page.css").read_text()
LIGHT, DARK = (
    dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block))
    for block in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)[:2]
)
TEXT = [
    *((ink, ground) for ink in ("ink", "quiet", "link") for ground in ("paper", "raised", "sunk")),
    *((f"{kind}-ink", f"{kind}-bg") for kind in ("good", "bad", "open", "fail")),
]
MARKS = [
    (kind, ground) for kind in ("good", "bad", "open", "fail") for ground in ("paper", "raised")
]


def luminance(colour):
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(foreground, background):
    dark, light = sorted((luminance(foreground), luminance(background)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read_on_its_ground(colours):
    weak = [pair for pair in TEXT if contrast(colours[pair[0]], colours[pair[1]]) < 4.5]

    assert weak == []


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_marks_of_plots_can_be_seen_on_their_ground(colours):
    weak = [pair for pair in MARKS if contrast(colours[pair[0]], colours[pair[1]]) < 3]

    assert weak == []
