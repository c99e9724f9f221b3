"""The comparison of configured and dynamic warm-ups, on a corpus in which all of it is known."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
LENGTH = 600
FAST, SLOW = 0.11, 0.22
"""Seconds of an iteration, which is one operation."""
NEEDED = {"a__a#X.slow#": 29, "b__b#Y.fast#k=1": 0}
"""The last warm-up iteration of each benchmark: so far its iterations are slow."""
SETTINGS = {"a__a#X.slow#": [9, 24], "b__b#Y.fast#k=1": [18, 48]}
"""Two and three iterations of a second: five slow ones or ten fast ones (nine and the slow one)."""
RUN = {"Dev": 10, "Cov": 2, "Ci": 5, "Divergence": 5}
"""Forks of each technique."""
WRONG = ("a__a#X.slow#", "Dev")
"""A row of which the tables have other seconds."""


def _series(name):
    fork = np.full(LENGTH, FAST)
    fork[: NEEDED[name] + 1] = SLOW
    fork[1::2] *= 1.002
    fork[::2] *= 0.998
    return fork


def _pair(name, technique):
    ends = {"Cov": [29, 129], "Ci": [99, 199], "Divergence": [99, 199]}
    return ends.get(technique, SETTINGS[name])


@pytest.fixture
def corpus(tmp_path):
    for name, needed in NEEDED.items():
        file = f"{name}.json"
        _write(tmp_path / "timeseries" / file, [_series(name).tolist()] * 10)
        _write(tmp_path / "changepoints" / file, [[needed, LENGTH - 1]] * 10)
        _write(tmp_path / "classification" / file, {"steady_state_starts": [needed] * 10})
        _write(tmp_path / "devconfig" / file, [SETTINGS[name]] * 9 + [[0, 0]])
        for technique in ("Cov", "Ci", "Divergence"):
            pairs = [_pair(name, technique)] * RUN[technique]
            _write(tmp_path / "dynconfig" / technique / file, pairs)
    _subjects(tmp_path / "subjects.csv")
    _tables(tmp_path)
    return tmp_path


def _write(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))


def _rows_to(path, rows):
    with path.open("w") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def _subjects(path):
    settings = {"warmupIterations": 2, "measurementIterations": 3, "forks": 1}
    seconds = {"warmupTimeSec": 1.0, "measurementTimeSec": 1.0}
    parts = [name.replace("__", "/").split("#") for name in NEEDED]
    keys = ("project", "benchmark", "params")
    _rows_to(path, [dict(zip(keys, part, strict=True)) | settings | seconds for part in parts])


def _tables(folder):
    forks, benchmark_rows = [], []
    for name, needed in NEEDED.items():
        series = _series(name)
        for technique, run in RUN.items():
            warm, last = _pair(name, technique)
            wasted = series[: warm + 1].sum() - series[: needed + 1].sum()
            wrong = (name, technique) == WRONG
            used = 1 if technique == "Dev" else run
            keys = {"benchmark": name, "technique": technique}
            execution_time = used * series[: last + 1].sum() + wrong
            benchmark_rows.append(
                keys | {"ci": "(1.2, 1.4)" if wrong else "(0.9, 1.1)", "exectime": execution_time}
            )
            forks += [
                keys
                | {
                    "fork": fork,
                    "classification": "steady state",
                    "steady_state_starts": needed,
                    "last_warmup_it": warm,
                    "timewaste": wasted + (wrong and fork == 0),
                    "interval": "(0.9, 1.1)",
                }
                for fork in range(run)
            ]
    _rows_to(folder / "cfg_assessment.csv", forks)
    _rows_to(folder / "whole_cfg_assessment.csv", benchmark_rows)


def test_stored_and_measured_figures_stand_beside_each_other(corpus):
    words = ("benchmarks/steady_assessment.py", "--data", str(corpus), "--resamples", "200")
    process = subprocess.run(
        (sys.executable, *words), cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert process.returncode == 0, process.stderr
    lines = (re.split(r" {2,}", line) for line in process.stdout.splitlines())
    figures = {line[0]: tuple(line[2:]) for line in lines if len(line) == 4}
    expected = {
        "benchmarks, forks": ("2, 20", "-"),
        "forks steady, not": ("20, 0", "-"),
        "last warm-up iteration": ("0.0, 14.5, 29.0", "-"),
        "forks: settings as iterations": ("-", "18 of 20"),
        "forks: change points are no outliers": ("-", "20 of 20"),
        "steady forks: time wasted": ("-", "43 of 44"),
        "benchmarks: testing time": ("-", "7 of 8"),
        "settings: deviates or not": ("-", "2 of 2"),
        "COV: deviates or not": ("-", "2 of 2"),
        "settings: warm-up longer, shorter, exact, %": ("50.0, 50.0, 0.0", "50.0, 50.0, 0.0"),
        "COV: warm-up longer, shorter, exact, %": ("50.0, 0.0, 50.0", "50.0, 0.0, 50.0"),
        "RCIW: warm-up error, s": ("7.70, 9.30, 10.89", "7.70, 9.30, 10.89"),
        "settings: benchmarks that deviate": ("1 of 2", "1 of 2"),
        "settings: deviation of these, %": ("30.0, 30.0, 30.0", "100.0, 100.0, 100.0"),
        "settings: error where longer, shorter, s": ("1.98, 4.40", "1.98, 4.40"),
        "warm-up error": ("0.750, 0.000, 0.000", "0.750, 0.000, 0.000"),
        "warm-up error, 0 if below 5 s": ("0.500, 0.000, 0.000", "0.500, 0.000, 0.000"),
        "testing time of a benchmark": ("0.000, 0.000, 0.000", "0.000, 0.000, 0.000"),
    }
    assert {name: figures[name] for name in expected} == expected
