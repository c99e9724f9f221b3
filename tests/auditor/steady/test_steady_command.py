"""`steady` and `similarity` as commands, on series that are written down for them."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from auditor.cli.context import AppContext
from auditor.cli.main import main

ROOT = Path(__file__).parents[3]
STEADY, SIMILARITY = (
    json.loads((ROOT / f"reports/schema/{name}.schema.json").read_text())
    for name in ("steady", "similarity")
)


@pytest.fixture
def call(tmp_path, capsys):
    def called(*arguments):
        surroundings = AppContext(environment={"HOME": str(tmp_path)})
        code = main(list(map(str, arguments)), surroundings=surroundings)
        return code, *capsys.readouterr()

    return called


def falling(warm, length=1200, seed=0, level=1e-3):
    values = level * (1 + 0.01 * np.random.default_rng(seed).standard_normal(length))
    values[:warm] *= 1.5
    return values


def write_series(folder, forks, warmups=0, name="a.B.c"):
    """A table of series: the first so many iterations of each process are warm-up."""
    rows = [
        f"{name},{fork},{index},{value!r},{int(index < warmups)}"
        for fork, values in enumerate(forks)
        for index, value in enumerate(values.tolist())
    ]
    path = folder / "series.csv"
    path.write_text("\n".join(("benchmark,fork,iteration,seconds,warmup", *rows)) + "\n")
    return path


def test_each_process_is_judged_by_the_detector_that_is_asked_for(call, tmp_path):
    path = write_series(tmp_path, [falling(300), falling(50, seed=1)], warmups=100)

    code, out, err = call("steady", path, "--detector", "kb-kssd", "--format", "json")

    assert code == 0, err
    document = json.loads(out)
    jsonschema.validate(document, STEADY)
    first, second = document["series"]
    assert (document["detector"], document["benchmarks"][0]["label"]) == ("kb-kssd", "steady")
    assert (first["fork"], first["label"], first["steady_from"]) == (0, "steady", 300)
    assert (first["warm_up"]["iterations"], first["warm_up"]["early"]) == (100, 200)
    assert first["warm_up"]["relative_error"] == pytest.approx(
        (200 * 1.5 + 900) / 1100 - 1, abs=0.01
    )
    assert (second["steady_from"], second["warm_up"]["late"]) == (50, 50)


@pytest.mark.parametrize("detector", ["learned", "kb-kssd", "cp-ssd"])
def test_all_detectors_judge_many_series_on_all_cores(call, tmp_path, detector):
    forks = [falling(30 * fork, seed=fork, length=1000) for fork in range(11)]
    path = write_series(tmp_path, forks)
    second_folder = tmp_path / "other"
    second_folder.mkdir()
    text = (
        path.read_text()
        + write_series(second_folder, forks, name="d.E.f").read_text().partition("\n")[2]
    )
    path.write_text(text)

    code, out, err = call("steady", path, "--detector", detector, "--format", "json", "--quiet")

    assert (code, err) == (0, "")
    document = json.loads(out)
    assert [(process["benchmark"], process["fork"]) for process in document["series"]] == [
        (name, fork) for name in ("a.B.c", "d.E.f") for fork in range(11)
    ]
    assert document["series"][:11] == [
        {**process, "benchmark": "a.B.c"} for process in document["series"][11:]
    ]
    unlike = ["series-unlike"] * (detector == "learned")
    assert [caveat["slug"] for caveat in document["caveats"]] == ["warm-up-unknown", *unlike]


def test_too_little_to_judge_by_is_said(call, tmp_path):
    path = write_series(tmp_path, [falling(3, length=20)])

    code, out, err = call("steady", path, "-o", tmp_path / "out")

    assert code == 5, err
    assert "no verdict: no benchmark could be judged; " in err
    assert "Of 1 benchmark: 1 cannot tell" in out
    assert "20 iterations; learned needs at least 1000" in out
    assert json.loads((tmp_path / "out" / "steady.json").read_text())["series"][0][
        "steady_from"
    ] is None  # fmt: skip


def test_the_run_that_stands_apart_is_named(call, tmp_path):
    along = np.arange(600)
    base = 1e-3 * (2 + np.sin(along / 10))
    noise = np.random.default_rng(1).normal(1, 0.001, (4, 600))
    forks = [base * factors for factors in noise] + [1e-2 * (2 + np.sin(along / 23 + 1))]
    path = write_series(tmp_path, forks)

    code, out, err = call("similarity", path, "--format", "json")

    assert code == 0, err
    document = json.loads(out)
    jsonschema.validate(document, SIMILARITY)
    (benchmark,) = document["benchmarks"]
    assert (benchmark["runs"], benchmark["values"], benchmark["outlier_runs"]) == (5, 600, [4])
    assert len(benchmark["pairs"]) == 10
    assert {
        (pair["first"], pair["second"]) for pair in benchmark["pairs"] if pair["dissimilar"]
    } == {(fork, 4) for fork in range(4)}

    code, out, _ = call("similarity", path)

    assert "in 1 a run stands apart" in out
    assert [line.split()[-1] for line in out.splitlines() if "B.c" in line] == ["5"]


@pytest.mark.parametrize("command", ["steady", "similarity"])
@pytest.mark.parametrize(
    ("text", "message"),
    [("", "empty"), ("benchmark,fork,iteration,seconds\nb,0,0,nan\n", "nan"), ("{", "cut off")],
)
def test_bad_files_are_refused_in_one_line(call, tmp_path, command, text, message):
    path = tmp_path / "series.csv"
    path.write_text(text)

    code, out, err = call(command, path)

    (line,) = err.splitlines()
    assert (code, out) == (2, "")
    assert line.startswith("error[usage]: ")
    assert str(path) in line
    assert message in line.lower()


def jmh_document(warmup_iterations):
    values = [[100.0] * 20 + [50.0 + index % 7 for index in range(80)]] * 2
    return [
        {
            "benchmark": "a.B.c", "mode": "avgt", "warmupIterations": warmup_iterations,
            "measurementTime": "100 ms", "forks": 2,
            "primaryMetric": {"scoreUnit": "ns/op", "rawData": values},
        }
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("warmup_iterations", "caveats", "proposed"),
    [
        (
            10,
            [
                "the warm-up of 2 of 2 processes was run but not kept, so iterations count from "
                "its end, and no warm-up is proposed; for JMH give its log"
            ],
            None,
        ),
        (0, [], 20),
        (
            None,
            [
                "the warm-up iterations are unknown, so the configured warm-up cannot be checked; "
                "for JMH give its log"
            ],
            20,
        ),
    ],
)
def test_no_warm_up_is_proposed_behind_the_end_of_a_lost_warm_up(
    call, tmp_path, warmup_iterations, caveats, proposed
):
    path = tmp_path / "jmh.json"
    path.write_text(json.dumps(jmh_document(warmup_iterations)))

    code, out, err = call("steady", path, "--detector", "kb-kssd", "--format", "json")

    assert code == 0, err
    document = json.loads(out)
    jsonschema.validate(document, STEADY)
    (benchmark,) = document["benchmarks"]
    assert [process["steady_from"] for process in document["series"]] == [20, 20]
    assert [caveat["text"] for caveat in document["caveats"]] == caveats
    assert (benchmark["warm_iterations"], (benchmark["needed"] or {}).get("iterations")) == (
        proposed,
        None if proposed is None else 2,
    )
    _, out, _ = call("steady", path, "--detector", "kb-kssd")
    assert ("@Warmup" in out) is (proposed is not None)


def test_a_warm_up_of_another_tool_is_no_question_for_a_log_of_jmh(call, tmp_path):
    path = write_series(tmp_path, [falling(30, length=100)])
    path.write_text("\n".join(line.rpartition(",")[0] for line in path.read_text().splitlines()))

    _, out, _ = call("steady", path, "--detector", "kb-kssd", "--format", "json")

    assert "JMH" not in json.dumps(json.loads(out)["caveats"])
