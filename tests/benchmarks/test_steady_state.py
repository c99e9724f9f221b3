"""The comparison of detectors with people, on a corpus in which all that is said is known."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
LENGTH = 1000
STEPS = {"a__a#X.early#.json": 300, "a__a#X.middle#.json": 200, "b__b#Y.late#k=1.json": 600}
"""The first fast iteration of each benchmark's forks; the late one leaves too few for CP-SSD."""
BEFORE = 3
"""So much earlier CP-SSD sees the last slow one: two in a window of 200 are outliers to it."""
LABELS = {
    "a__a#X.early#.json": (300, 310, 290, 305, 295),  # all near each other: 300
    "a__a#X.middle#.json": (100, 200, 300, 400, 500),  # none near another: 300, the middle
}
WRONG = "a__a#X.early#.json_9"
"""A fork of which an index is stored that nobody finds."""


@pytest.fixture
def corpus(tmp_path):
    noise = 1 + 0.01 * np.sin(np.arange(LENGTH) ** 2)  # as good as drawn, and the same everywhere
    for name, step in STEPS.items():
        last = step - BEFORE
        start = last if name in LABELS else -1
        fork = np.where(np.arange(LENGTH) < step, 2e-3, 1e-3) * noise
        _write(tmp_path / "timeseries" / name, [fork.tolist()] * 10)
        _write(tmp_path / "changepoints" / name, [[last, LENGTH - 1]] * 10)
        _write(tmp_path / "classification" / name, {"steady_state_starts": [start] * 10})
    indices = {f"{name}_{fork}": step for name, step in STEPS.items() for fork in range(10)}
    indices[WRONG] = 20
    _write(tmp_path / "judges" / "kbkssd_index_by_fork.json", indices)
    with (tmp_path / "judges" / "judgements.csv").open("w") as file:
        judges = [f"judge{number}" for number in range(1, 6)]
        table = csv.writer(file)
        table.writerow(("series", "binary", *judges, "agreement", "reference_index"))
        for name in STEPS:
            labels = LABELS.get(name)
            consensus = ("clustered", "scattered")[name == "a__a#X.middle#.json"], 300
            row = ("steady", *labels, *consensus) if labels else ("not steady", *7 * [""])
            table.writerow((name, *row))
    return tmp_path


def _write(path, document):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document))


def _ran(corpus, *words):
    command = (sys.executable, "benchmarks/steady_state.py", "--data", str(corpus), *words)
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return process.stdout


def _rows(text):
    """Return the last two columns of each row: what is stored, and what is measured."""
    lines = (re.split(r" {2,}", line) for line in text.splitlines())
    return {line[0]: tuple(line[2:]) for line in lines if len(line) == 4}


def test_people_and_both_detectors_stand_beside_each_other(corpus):
    text = _ran(corpus, "--forks", "3")

    rows = _rows(text)
    assert "CP-SSD in 3 forks" in rows
    equal_columns = {
        "compared: clustered, scattered": "1, 1",
        "total error": "100, 106",
        "total error, clustered": "0, 3",
        "total error, scattered": "100, 103",
        "signed error: mean": "50.00, 53.00",
        "is nearer to people": "2, 0",
        "the best constant": "300",
        "total error: the best constant": "0",
        "total error: always 0": "600",
        "series, steady to people": "3, 2",
        "steady": "3, 2",
        "agrees with people": "2, 3",
        "false steady": "1, 0",
        "unsteady series that it finds": "0, 1",
        "balanced accuracy": "0.500, 1.000",
        "all three agree": "2",
    }
    assert {name: rows[name] for name in equal_columns} == {
        name: (x, x) for name, x in equal_columns.items()
    }
    measured_figures = {
        "KB-KSSD: indices of all forks": "29 of 30",
        "CP-SSD: starts of first forks": "3 of 3",
        "people: references": "2 of 2",
        "same start": "3 of 3",
        "same change points": "3 of 3",
        "same class, from stored change points": "3 of 3",
    }
    assert {name: rows[name] for name in measured_figures} == {
        name: ("-", x) for name, x in measured_figures.items()
    }


def test_times_are_those_of_each_detector_and_of_the_command(corpus):
    (corpus / "timeseries" / "b__b#Y.late#k=1.json").unlink()

    text = _ran(corpus, "--times")

    alone = re.findall(r"^(\S+): [\d.]+ ms a series, [\d.]+ x .* median of (\d+)$", text, re.M)
    assert alone == [("kb-kssd", "2"), ("learned", "2"), ("cp-ssd", "2")]
    message = r"^(\S+): the command judges (\d+) series in [\d.]+ s, \d+ cores$"
    assert re.findall(message, text, re.M) == [("kb-kssd", "20"), ("learned", "20")]
