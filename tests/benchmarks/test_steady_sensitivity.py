"""The benchmark of KB-KSSD's parameters, run with few samples on a few made-up series."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from auditor.warmup.kbkssd import KbKssd

ROOT = Path(__file__).parents[2]
PARAMETERS = ["window", "step_window", "critical", "probability", "outlier_window"]
SAMPLES = 4
EVALUATIONS = 12 * SAMPLES
INDEX = r" +(-?[\d.]+) \( *(-?[\d.]+), +(-?[\d.]+)\)"


def series(seed):
    """Values that get less, in steps and slowly, with a noise of many outliers."""
    rng = np.random.default_rng(seed)
    iterations = np.arange(1300)
    level = (
        1
        + 0.5 * np.exp(-iterations / rng.uniform(100, 900))
        + 0.3 * (iterations < rng.integers(20, 700))
    )
    return (level * np.exp(0.05 * rng.standard_t(2, len(iterations)))).tolist()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make a corpus of six series, of which people call five steady."""
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "timeseries").mkdir()
    (folder / "judges").mkdir()
    with (folder / "judges/judgements.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("series", "binary", "reference_index"))
        for seed in range(6):
            name = f"system#bench{seed}#.json"
            (folder / "timeseries" / name).write_text(json.dumps([series(seed)]))
            rows.writerow((name, "steady", 100 * seed) if seed < 5 else (name, "unsteady", ""))
    return folder


def run(folder, *words):
    return subprocess.run(
        (sys.executable, "benchmarks/steady_sensitivity.py", "--data", folder, *words),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def sensitivity_run(folder, tmp_path_factory):
    """Run it once, with everything kept and drawn."""
    place = tmp_path_factory.mktemp("made")
    words = ("--samples", str(SAMPLES), "--keep", place / "kept", "--figure", place / "drawn.svg")
    process = run(folder, *words)
    assert process.returncode == 0, process.stderr
    return process, place


def to_evaluate(process):
    assert process.returncode == 0, process.stderr
    return int(re.search(r"(\d+) to evaluate", process.stderr)[1])


def test_indices_of_the_five_parameters_stand_beside_the_published_ones(sensitivity_run):
    process, _ = sensitivity_run

    rows = re.findall(rf"^(\w+) \(\w+\)({5 * f'(?:{INDEX})'})$", process.stdout, re.MULTILINE)

    assert [name for name, *_ in rows] == PARAMETERS
    assert "5 series" in process.stdout
    assert f"{EVALUATIONS} evaluations (published: 24576)" in process.stdout
    indices = {
        name: [float(index) for index, *_ in re.findall(INDEX, row)] for name, row, *_ in rows
    }
    assert [row[1] for row in indices.values()] == [0.197, 0.006, 0.157, 0.111, 0.154]
    assert [row[3:] for row in indices.values()] == [
        [0.463, 0.317], [0.014, 0.012], [0.462, 0.390], [0.357, 0.299], [0.261, 0.196],
    ]  # fmt: skip
    assert any(row[2] > 0 for row in indices.values())
    assert len(re.findall(rf"^\w+ x \w+{INDEX}{INDEX}$", process.stdout, re.MULTILINE)) == 10


def test_what_is_shared_between_configurations_changes_no_evaluation(folder, sensitivity_run):
    _, place = sensitivity_run
    with (folder / "judges/judgements.csv").open() as file:
        judged = [row for row in csv.DictReader(file) if row["binary"] == "steady"]
    judged_series = [
        (json.loads((folder / "timeseries" / row["series"]).read_text())[0], row) for row in judged
    ]
    lines = [json.loads(line) for line in (place / "kept").read_text().splitlines()]

    assert len(lines) == to_evaluate(sensitivity_run[0])
    for line in lines:
        document = {name: line.pop(name) for name in ("data", "squares", "distance", "steady")}
        detector = KbKssd(**line)
        starts = [detector.find_steady_start(np.array(values)).start for values, _ in judged_series]
        errors = [
            int(row["reference_index"]) - (-1 if start is None else start)
            for start, (_, row) in zip(starts, judged_series, strict=True)
        ]
        assert document["squares"] == sum(number**2 for number in errors)
        assert document["steady"] == sum(start is not None for start in starts)
        assert document["distance"] == sum(
            abs(error) for error, start in zip(errors, starts, strict=True) if start is not None
        )


def test_the_parameters_are_drawn_as_the_published_script_draws_them(sensitivity_run):
    lines = [json.loads(line) for line in (sensitivity_run[1] / "kept").read_text().splitlines()]

    assert {line["upper"] for line in lines} == {85.0}
    assert {line["least_steady"] for line in lines} == {0}
    assert all(line["outlier_window"] % 2 == 1 for line in lines)
    assert all(79 <= line["outlier_window"] <= 120 for line in lines)
    assert all(400 <= line["window"] <= 600 for line in lines)
    assert all(50 <= line["step_window"] <= 90 for line in lines)
    assert all(3.5 <= line["critical"] <= 5.5 for line in lines)
    assert all(0.75 <= line["probability"] <= 0.95 for line in lines)


def test_a_second_run_evaluates_nothing_and_says_the_same(folder, sensitivity_run):
    first, place = sensitivity_run
    before = (place / "kept").read_bytes()

    second_run = run(folder, "--samples", str(SAMPLES), "--keep", place / "kept")

    assert to_evaluate(second_run) == 0
    assert second_run.stdout == first.stdout
    assert (place / "kept").read_bytes() == before


@pytest.mark.parametrize("end", [b'{"data": "', b'{"data"\n'])
def test_a_broken_last_line_is_cut_off_and_evaluated_again(folder, sensitivity_run, tmp_path, end):
    content = (sensitivity_run[1] / "kept").read_bytes()
    evaluations_path = tmp_path / "kept"
    *complete_lines, _ = content.splitlines(keepends=True)
    evaluations_path.write_bytes(b"".join(complete_lines) + end)

    second_run = run(folder, "--samples", str(SAMPLES), "--keep", evaluations_path)

    assert to_evaluate(second_run) == 1
    assert second_run.stdout == sensitivity_run[0].stdout
    assert evaluations_path.read_bytes() == content


def test_what_was_kept_of_other_data_is_not_taken(folder, sensitivity_run, tmp_path):
    evaluations_path = tmp_path / "kept"
    text = (sensitivity_run[1] / "kept").read_text()
    digest = json.loads(text.splitlines()[0])["data"]
    evaluations_path.write_text(text.replace(digest, "of other data"))

    second_run = run(folder, "--samples", str(SAMPLES), "--keep", evaluations_path)

    assert to_evaluate(second_run) == to_evaluate(sensitivity_run[0])
    assert second_run.stdout == sensitivity_run[0].stdout


def test_the_figure_says_in_words_what_it_shows(sensitivity_run):
    root = ET.fromstring((sensitivity_run[1] / "drawn.svg").read_text())  # noqa: S314 - our own

    space = "{http://www.w3.org/2000/svg}"
    ids = root.attrib["aria-labelledby"].split()
    title, words = (root.find(f"{space}{kind}") for kind in ("title", "desc"))
    assert root.attrib["role"] == "img"
    assert ids == [title.attrib["id"], words.attrib["id"]]
    assert f"{EVALUATIONS} evaluations" in title.text
    assert [part.split()[0] for part in words.text.split("; ")] == ["n_k", "w_s", "t", "p", "W_o"]
    assert len(root.findall(f"{space}rect")) == 1 + 4 + 4 * len(PARAMETERS)


def test_a_sample_of_the_grid_has_the_published_optimum_beside_its_best(folder):
    process = run(folder, "--grid", "--sample", "12")

    assert process.returncode == 0, process.stderr
    assert "12 of 2500 configurations" in process.stdout
    rows = re.findall(r"^ +(\d+|published, \d+) +(\d+) +([\d.]+) +(\d) +(.+)$", process.stdout,
                      re.MULTILINE)  # fmt: skip
    assert [head for head, *_ in rows[:10]] == [str(number) for number in range(1, 11)]
    totals = [int(total) for _, total, *_ in rows[:10]]
    assert totals == sorted(totals)
    means = [float(mean) for _, _, mean, *_ in rows[11:21]]
    assert means == sorted(means)
    published = [row for row in rows if row[0].startswith("published")]
    assert [row[4].split() for row in published] == 2 * [["100", "500", "4", "70", "0.95"]]


@pytest.mark.parametrize(
    "words",
    [("--samples", "3"), ("--samples", "1"), ("--sample", "5"), ("--grid", "--figure", "x.svg")],
)
def test_what_makes_no_sense_together_is_refused(folder, words):
    process = run(folder, *words)

    assert process.returncode == 2
    assert "error: " in process.stderr
    assert process.stdout == ""


def test_errors_that_are_all_the_same_have_no_indices(tmp_path):
    (tmp_path / "timeseries").mkdir()
    (tmp_path / "judges").mkdir()
    (tmp_path / "timeseries/a#b#.json").write_text(json.dumps([[1.0] * 40]))
    (tmp_path / "judges/judgements.csv").write_text(
        "series,binary,reference_index\na#b#.json,steady,5\n"
    )

    process = run(tmp_path, "--samples", "2")

    assert process.returncode == 1
    assert "no parameter" in process.stderr
