"""The page that `similarity` writes beside its result."""

import json

import numpy as np
import pytest

from auditor.cli.context import AppContext
from auditor.cli.main import main
from auditor.similarity import document

DAYS = ("monday.csv", "tuesday.csv", "wednesday.csv")


@pytest.fixture
def call(tmp_path, capsys):
    def called(*arguments):
        surroundings = AppContext(environment={"HOME": str(tmp_path)})
        code = main(["similarity", *map(str, arguments)], surroundings=surroundings)
        return code, *capsys.readouterr()

    return called


def series(odd, shift=0.0):
    along = np.arange(300)
    wave = 2 + shift + np.sin(along / (23 if odd else 10))
    return (1e-3 * (10 if odd else 1) * wave).tolist()


def write_series(path, forks):
    rows = [
        f"a.B.c,{fork},{index},{value!r}"
        for fork, values in enumerate(forks)
        for index, value in enumerate(values)
    ]
    path.write_text("\n".join(("benchmark,fork,iteration,seconds", *rows)) + "\n")
    return path


def test_a_page_names_the_file_that_stands_apart(call, tmp_path):
    paths = [
        write_series(tmp_path / day, [series(day == "tuesday.csv", shift)])
        for day, shift in zip(DAYS, (0.0, 0.0, 0.01), strict=True)
    ]

    code, out, err = call(*paths, "-o", tmp_path / "out")

    assert code == 0, err
    assert f"report: {tmp_path / 'out' / 'similarity.html'}" in err + out
    page = (tmp_path / "out" / "similarity.html").read_text()
    assert "Run 2 (tuesday.csv) stands apart" in page
    assert [page.count(f"<li>{day}</li>") for day in DAYS] == [1, 1, 1]


def test_a_page_of_one_file_names_processes(call, tmp_path):
    path = write_series(tmp_path / DAYS[0], [series(odd=index == 2) for index in range(4)])

    code, _, err = call(path, "-o", tmp_path / "out", "--quiet")

    assert (code, err) == (0, "")
    page = (tmp_path / "out" / "similarity.html").read_text()
    assert "Each process of monday.csv is a run" in page
    assert "Run 3 stands apart" in page


def test_a_single_run_has_a_page_that_cannot_tell(call, tmp_path):
    code, _, err = call(
        write_series(tmp_path / DAYS[0], [series(odd=False)]), "-o", tmp_path / "out"
    )

    assert code == 5, err
    assert "no verdict: no benchmark could be judged" in err
    assert "cannot tell" in (tmp_path / "out" / "similarity.html").read_text()
    result = (tmp_path / "out" / "similarity.json").read_text()
    assert document.parse_document(result).benchmarks[0].dissimilar is None
    assert json.loads(result)["benchmarks"][0]["pairs"] == []


def test_a_run_in_which_a_process_failed_is_left_out_and_does_not_stand_apart(tmp_path, call):
    rng = np.random.default_rng(4)
    files = []
    for run in range(3):
        rows = [
            f"a,{fork},{index},{level * (1 + 0.001 * rng.standard_normal())}"
            for fork, level in ((1, 1e-3), (2, 2e-3))
            for index in range(300)
        ]
        if run == 1:
            rows[7] = "a,1,7,0"  # a clock that is too coarse: the process has failed
        files.append(tmp_path / f"r{run}.csv")
        files[-1].write_text("\n".join(("benchmark,fork,iteration,seconds", *rows)) + "\n")

    code, out, _ = call(*files, "--format", "json")

    (benchmark,) = json.loads(out)["benchmarks"]
    assert code == 0
    assert (benchmark["outlier_runs"], benchmark["runs"]) == ([], 2)
    assert "runs-left-out" in [caveat["slug"] for caveat in benchmark["caveats"]]
