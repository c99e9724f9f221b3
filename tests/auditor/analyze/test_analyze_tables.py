"""`bench-audit analyze` in this process: what it prints, leaves and ends with."""

import json

import numpy as np
import pytest
from schema_checks import check_schema

from auditor.cli.context import AppContext
from auditor.cli.main import main

CALM = np.random.default_rng(1).normal(1, 0.01, 20)


def java(method, benchmark, times=1.0, runs=(0, 1)):
    return [
        f"{run};{method};{benchmark};{times * value * (1 + run / 100):.6g}"
        for run in runs
        for value in CALM
    ]


TABLE = [
    "Run;Method altered;Microbenchmark;Result",
    *java("Baseline", "a.B.c"),
    *java("Work.java.seen([int, Map<K, V>])", "a.B.c", 1.5),
    *java("Work.java.unseen([])", "a.B.c"),
]


@pytest.fixture
def call(tmp_path, capsys):
    def called(lines, *arguments):
        path = tmp_path / "in.csv"
        path.write_text("\n".join(lines))
        surroundings = AppContext(environment={"HOME": str(tmp_path)})
        code = main(["analyze", str(path), *arguments], surroundings=surroundings)
        return code, *capsys.readouterr()

    return called


def test_a_file_is_judged_as_an_audit_is(call, tmp_path):
    code, printed, err = call(TABLE, "--unit", "us/op", "--slowdown", "0.6", "-o", str(tmp_path))

    assert code == 0
    assert "This suite would detect a 60\xa0% slowdown in 1 of 2 methods." in printed
    assert 'rule "paper", slowdown 60\xa0% (fixed)\n' in printed
    assert "how long that took is not known" in printed
    assert err.endswith(f"result: {tmp_path / 'analysis.json'}\n")
    assert "Work.java.unseen([])" in (tmp_path / "analysis.html").read_text()


def test_the_document_is_what_its_schema_says(call, tmp_path):
    code, printed, _ = call(
        TABLE, "--unit", "us/op", "--slowdown=.6", "--format=json", "-o", str(tmp_path)
    )

    document = json.loads(printed)
    check_schema("result", document)
    assert code == 0
    assert document == json.loads((tmp_path / "analysis.json").read_text())
    assert (document["language"], document["harness"], document["host"]) == (
        "java",
        "jmh",
        "unknown",
    )
    assert document["seed"] is None
    assert document["plan"] == {
        "forks": None, "warmup": None, "iterations": None, "iteration_seconds": None,
        "longest_seconds": None, "runs": 2, "stability_runs": 2, "wait": "unknown",
    }  # fmt: skip
    assert (
        document["command"] == "bench-audit analyze in.csv --tool=java --unit=us/op --slowdown=60%"
    )


def test_the_call_that_a_result_remembers_gives_it_again(call, tmp_path):
    flags = ("--unit", "us/op", "--slowdown=.6", "--format=json", "-o", str(tmp_path))
    _, printed, _ = call(TABLE, *flags)
    _, _, *remembered = json.loads(printed)["command"].split()

    code, reprinted, _ = call(TABLE, *remembered[1:], "--format=json", "-o", str(tmp_path))

    assert (code, json.loads(reprinted)["scores"]) == (0, json.loads(printed)["scores"])


def test_results_go_below_the_state_folder_by_default(call, tmp_path):
    call(TABLE, "--unit", "us/op", "--slowdown", "0.6", "-q")

    (path,) = tmp_path.glob(".local/state/bench-audit/in-*/analysis.json")
    assert json.loads(path.read_text())["subject"] == "in.csv"


@pytest.mark.parametrize(("limit", "code"), [("50", 0), ("51", 1)])
def test_a_gate_decides_the_exit_code_and_stands_on_the_page(call, tmp_path, limit, code):
    ended, _, _ = call(TABLE, "--unit", "us/op", "--slowdown", "0.6", "--fail-under", limit)

    assert ended == code
    (page,) = tmp_path.glob(".local/state/bench-audit/in-*/analysis.html")
    assert f"exit code {code}</p>" in page.read_text()


def test_a_file_with_a_lost_run_has_no_verdict(call):
    lines = [line for line in TABLE if not line.startswith("1;Work")]

    ended, printed, err = call(lines, "--unit", "us/op", "--slowdown", "0.6", "--runs", "2")

    assert ended == 5
    assert "the table lacks 1 of 2 runs, the first: 2" in printed
    assert "no verdict: the outcome of each method is open" in err


def test_a_file_of_the_plain_suite_alone_is_one_of_stability(call, tmp_path):
    ended, printed, _ = call(
        java("Baseline", "a.B.c"), "--unit", "us/op", "--format=json", "-o", str(tmp_path)
    )

    document = json.loads(printed)
    check_schema("result", document)
    assert ended == 0
    assert document["schema"] == "bench-audit/stability/1"
    assert document["benchmarks"][0]["max_spread"] == pytest.approx(0.01, abs=1e-3)


@pytest.mark.parametrize(("inconclusive", "code"), [((), 5), (("fail",), 1), (("pass",), 0)])
def test_a_gate_on_a_plain_suite_cannot_tell(call, inconclusive, code):
    instead = [f"--inconclusive={policy}" for policy in inconclusive]

    ended, _, err = call(java("Baseline", "a.B.c"), "--unit=us/op", "--fail-under=80", *instead)

    assert ended == code
    assert "gate undecided: at least 80 %; no method was slowed down" in err


def test_what_stands_in_for_no_verdict_counts_without_methods_too(call):
    lines = java("Baseline", "a.B.c", runs=(0,))

    codes = [
        call(lines, "--unit=us/op", *more)[0]
        for more in ((), ("--inconclusive=fail",), ("--inconclusive=pass",))
    ]

    assert codes == [5, 1, 0]


@pytest.mark.parametrize(
    ("lines", "flags", "message"),
    [
        (["0;Baseline;b;NaN"], ["--unit=us/op"], "in.csv, line 1: 'NaN' is not a result"),
        (["0;Baseline;b;1"], [], "in.csv, line 1: the unit of 'b' is not in the file"),
        (["0;Baseline;b;1"], ["--unit=us"], "'us' is not a unit of a result"),
        (
            ["0;Baseline;b;1"],
            ["--unit=us/op", "--slowdown=0"],
            "--slowdown 0 is out of range",
        ),
        (
            ["0;Baseline;b;1"],
            ["--unit=us/op", "--slowdown=nan"],
            "--slowdown nan is not a change: write 5%",
        ),
        (TABLE[:1], [], "in.csv holds no results"),
        (TABLE, ["--fail-under=nan"], "nan is not a percentage from 0 to 100"),
        (TABLE, ["--fail-under=100.5"], "100.5 is not a percentage from 0 to 100"),
        (
            ["0;Baseline;b;1", "0;m;b;1"],
            ["--unit=us/op"],
            "no benchmark has a spread over 1 run; give a number: --slowdown 0.6",
        ),
        (
            ["0;Baseline;b;1", "1;Baseline;b;1", "0;m;b;1"],
            ["--unit=us/op"],
            "the spreads are zero over 2 runs; give a number: --slowdown 0.6",
        ),
    ],
)
def test_what_is_wrong_is_one_line(call, lines, flags, message):
    code, printed, errors = call(lines, *flags)

    assert (code, printed) == (2, "")
    assert errors.startswith("error[usage]: ")
    assert message in errors
    assert errors.count("\n") == 1


def test_a_value_that_no_benchmark_takes_is_no_time(call):
    lines = [f"{run};Baseline;b;1e308" for run in (0, 0, 1, 1)]

    code, printed, _ = call(lines, "--unit=s/op")

    assert code == 5
    assert "2 of 2 values cannot be times: 1e+308" in printed


def test_no_advice_names_a_setting_that_a_table_does_not_have(call):
    lines = ["0;Baseline;b;1", "0;m;b;2"]

    _, printed, _ = call(lines, "--unit=us/op", "--slowdown=0.5")

    assert "too few values" in printed
    assert "plan.iterations" not in printed
    assert "stability_runs" not in printed
    assert "a spread needs at least 2; make 5 runs [few-runs]" in printed
