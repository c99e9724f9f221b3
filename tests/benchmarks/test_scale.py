"""What a cluster costs: a small version of benchmarks/scale.py, guarded by ratios alone."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

pytestmark = [pytest.mark.subject, pytest.mark.timed]
ROOT = Path(__file__).parents[2]
LEAST_EFFICIENCY = 90.0
"""Percent of the workers' time at trials of one second; results/cluster.md has what it is."""


def read_drawing(path):
    """Return what a drawing says, and how many points its curves have."""
    root = ET.parse(path).getroot()  # noqa: S314 - our own text
    names = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    dots = [
        element.get("d").count("M")
        for element in root.iter("{http://www.w3.org/2000/svg}path")
        if "dot" in element.get("class", "").split()
    ]
    return names, dots


def test_trials_of_a_second_use_most_of_the_workers_time_and_a_killed_controller_goes_on(tmp_path):
    words = ("--trials", "400", "--workers", "1,2", "--cores", "2", "--seconds", "10")
    words += ("--draw", tmp_path)
    process = subprocess.run(
        (sys.executable, ROOT / "benchmarks" / "scale.py", *words),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert process.returncode == 0, process.stderr[-2000:]
    efficiency = float(re.search(r"efficiency ([\d.]+)%", process.stdout).group(1))
    assert efficiency > LEAST_EFFICIENCY
    stored, many = re.search(r"with (\d+) of (\d+) trials stored", process.stdout).groups()
    assert 0 < int(stored) < int(many)
    assert f"and {many} are stored at the end" in process.stdout
    names, dots = read_drawing(tmp_path / "scale-throughput.svg")
    assert {"1", "2", "trials a second"} <= {*names}
    assert dots == [2]
    names, dots = read_drawing(tmp_path / "scale-memory.svg")
    assert {"400", "trials that are done"} <= {*names}
    assert dots == [10, 10]
