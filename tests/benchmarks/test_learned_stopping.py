"""Segments, trees and the replay of ways to stop, on a corpus in which all of it is known."""

import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
LENGTH = 3000
FORKS = 10
SECONDS = 0.11
"""Of an iteration, which is one operation."""
SYSTEMS = {f"{letter}__{letter}#B.run#": 150 + 40 * index for index, letter in enumerate("abcdefg")}
"""The last warm-up iteration of the benchmark of each system: twice as slow so far."""
SETTINGS = [49, 99]


def _series(name, fork):
    rng = np.random.default_rng([fork, SYSTEMS[name]])
    values = SECONDS * np.exp(0.01 * rng.standard_normal(LENGTH))
    values[: SYSTEMS[name] + 1] *= 2
    return values.tolist()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    for name, last in SYSTEMS.items():
        file = f"{name}.json"
        _write(folder / "timeseries" / file, [_series(name, fork) for fork in range(FORKS)])
        _write(folder / "classification" / file, {"steady_state_starts": [last] * FORKS})
        _write(folder / "devconfig" / file, [SETTINGS] * FORKS)
        for technique in ("Cov", "Ci", "Divergence"):
            _write(folder / "dynconfig" / technique / file, [[last, last + 100]] * 2)
    with (folder / "subjects.csv").open("w") as file:
        rows = csv.writer(file)
        rows.writerow(
            (
                *("project", "benchmark", "params", "warmupIterations", "warmupTimeSec"),
                *("measurementIterations", "measurementTimeSec", "forks"),
            )
        )
        for name in SYSTEMS:
            project, benchmark, params = name.split("#")
            rows.writerow((project.replace("__", "/"), benchmark, params, 5, 1, 5, 1, 5))
    _write_rows(folder / "cfg_assessment.csv", ("classification", "benchmark"))
    return folder


def _write(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))


def _write_rows(path, heads):
    with path.open("w") as file:
        csv.writer(file).writerow(heads)


def printed(script, corpus, *options):
    """Return the last column of each row by the row's first."""
    answer = subprocess.run(
        (sys.executable, ROOT / "benchmarks" / script, "--data", corpus, *options),
        capture_output=True, text=True, check=True, timeout=200,
    )  # fmt: skip
    rows = [re.split(r"\s{2,}", line.strip()) for line in answer.stdout.splitlines() if line]
    return {row[0]: row[-1] for row in rows}


def test_segments_are_counted_and_trees_judged_on_systems_they_have_not_seen(corpus):
    words = ("--model", "retrain", "--forks", "1", "--share", "1", "--resamples", "100")
    result = printed("learned_stopping.py", corpus, *words)

    assert result["steady forks"] == str(len(SYSTEMS) * FORKS)
    assert result["segments"] == str(100 * len(SYSTEMS) * FORKS)
    assert result["systems"] == str(len(SYSTEMS))
    (best,) = [text for name, text in result.items() if name.startswith("learned, at its best")]
    _, _, f1, balanced = map(float, best.split(", "))
    assert balanced > 0.9
    assert f1 > 0.9
    places = [text.split(", ") for name, text in result.items() if name.endswith("of all wrong")]
    assert len(places) == 7
    assert sum(float(share) for share, *_ in places) == pytest.approx(1, abs=0.005)
    assert sum(float(part) for *_, part in places) == pytest.approx(1, abs=0.005)
    systems = result["learned: balanced accuracy of systems, five quartiles"].split(", ")
    assert [*map(float, systems)] == sorted(map(float, systems))
    # The settings stop long before the one change that there is, so whoever sees it gains.
    a12, r = map(float, result["learned, beside SOP: A12, r of errors"].split(", "))
    assert a12 > 0.8
    assert r > 0.8
    assert float(result["learned, beside SOP: net (text), %"].split(" ")[0]) > 50
    label = "learned, beside SOP, 7 systems"
    least, *_ = map(float, result[f"{label}: A12, quartiles and ends"].split(", "))
    assert least > 0.7
    _, _, middle, *_ = map(float, result[f"{label}: net (code), quartiles and ends"].split(", "))
    assert middle == 100
    # It is sure some time after the change, and tells then where that was.
    assert "learned, beside SOP: A12, r of what is left out" in result
    errors = result["learned: error of the warm-up, s, quartiles"].split(", ")
    assert max(map(float, errors)) < 1


def test_models_of_the_package_are_judged_as_they_are(corpus):
    words = ("--model", "shipped", "--forks", "1", "--share", "0.5", "--resamples", "100")
    result = printed("learned_stopping.py", corpus, *words)

    (line,) = [text for name, text in result.items() if name.startswith("learned, at 0.500")]
    *_, balanced = map(float, line.split(", "))
    assert balanced > 0.6
    longer, shorter, exact = map(
        float, result["learned: warm-up longer, shorter, exact, %"].split(", ")
    )
    # Nothing changes for more than a window: whoever looks at a run so far stops before the step.
    assert (longer, shorter, exact) == (0.0, 100.0, 0.0)


def test_a_benchmark_that_is_never_steady_is_left_out_and_counted(corpus, tmp_path):
    folder = shutil.copytree(corpus, tmp_path / "corpus")
    first, *_ = SYSTEMS
    _write(folder / "classification" / f"{first}.json", {"steady_state_starts": [-1] * FORKS})

    result = printed("stopping_replay.py", folder, "--resamples", "50")

    assert "1 benchmarks are left out: none of their forks is steady" in result
    assert result["perfect, beside SOP: A12, r of errors"] == "1.000, 1.000"


def test_who_stops_where_it_is_steady_has_no_error_and_beats_settings_that_stop_too_early(corpus):
    result = printed("stopping_replay.py", corpus, "--resamples", "200")

    assert result["perfect, beside SOP: A12, r of errors"] == "1.000, 1.000"
    # As good as rules that are right, too: nothing is less, and nothing takes less time.
    assert result["perfect, beside CV: A12, r of errors"] == "0.500, 0.000"
    assert result["perfect, beside CV: net (text), %"] == "+0.0 (0.0, 0.0, 0.0, 0.0)"
    net = result["perfect, beside SOP: net (text), %"]
    assert net == "+100.0 (100.0, 0.0, 0.0, 0.0)"
    # Nor does it take much longer to be right than to be steady: of a window some are slow at most.
    a12, _ = result["right within 0.5%, beside SOP: A12, r of errors"].split(", ")
    assert float(a12) == 1
    late, early = (result[f"{way} iterations, beside SOP: A12, r of errors"] for way in (300, 0))
    assert float(late.split(",")[0]) > 0.5 > float(early.split(",")[0])


def _scored(folder, forks):
    """Write scores as learned_baselines.py does, of a model that knows when a run is steady."""
    folder.mkdir()
    with (folder / "benchmark-fcn-figures.csv").open("w") as file:
        rows = csv.writer(file)
        rows.writerow(("folds", "model", "fold", "tuned_on", "threshold"))
        rows.writerow(("benchmark", "fcn", 0, "all windows", 0.5))
    steady_masks = {f"{name}.json": np.arange(500) > last for name, last in SYSTEMS.items()}
    scores = {name: np.tile(mask.astype(float), (forks, 1)) for name, mask in steady_masks.items()}
    np.savez(folder / "benchmark-fcn-scores-0.npz", **scores)
    return folder


def test_models_that_were_trained_fold_by_fold_are_replayed_by_their_scores(corpus, tmp_path):
    folder = _scored(tmp_path / "scores", FORKS)

    result = printed("learned_stopping.py", corpus, "--scores", folder, "--resamples", "50")

    assert result["fcn: warm-up longer, shorter, exact, %"] == "0.0, 0.0, 100.0"
    assert result["fcn, beside SOP: A12, r of errors"] == "1.000, 1.000"


def test_scores_of_some_forks_only_are_refused_in_a_line(corpus, tmp_path):
    folder = _scored(tmp_path / "scores", 1)

    script = ROOT / "benchmarks" / "learned_stopping.py"
    answer = subprocess.run(
        (sys.executable, script, "--data", corpus, "--scores", folder),
        capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip

    assert answer.returncode == 1
    assert answer.stderr.startswith(f"fcn has scores of 1 of the {FORKS} forks of ")
    assert "Traceback" not in answer.stderr
