"""Outputs in the tutorials are those of real audits, whose results are kept."""

import re
from pathlib import Path

import pytest

from auditor.cli.main import main

TUTORIALS = Path(__file__).parents[1] / "docs" / "tutorials"
RESULTS = Path(__file__).parent / "tutorials"
OUTPUT = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
LEFT_OUT = "…"
"""A line in the place of those that a page leaves out."""


def list_outputs(page):
    return OUTPUT.findall(page.read_text())


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=page.name) for page in TUTORIALS.glob("*.md") if list_outputs(page)],
)
def test_an_output_in_a_tutorial_has_the_lines_of_a_real_result_in_their_order(page, capsys):
    ending = main(["report", "--result", str(RESULTS / f"{page.stem}.json")])

    printed = capsys.readouterr().out
    assert ending == 0
    for output in list_outputs(page):
        rest = iter(printed.splitlines())
        for line in output.splitlines():
            assert line == LEFT_OUT or line in rest, (
                f"{line}\n\nis not, or not there, in\n{printed}"
            )
