"""A real audit, written as a research tool's file, and that file judged."""

import json
import shutil

import pytest
from real_program import JAVA_RING, config

pytestmark = pytest.mark.subject


def outcomes(document):
    return {(pair["method"], pair["benchmark"]): pair["outcome"] for pair in document["pairs"]}


def judged(program, folder, *flags):
    table = folder / "out" / "result.csv"
    document, _ = program.audited("analyze", table, "-o", folder / "judged", *flags)
    return document


@pytest.mark.timed
def test_a_go_audit_by_the_papers_rule_is_judged_the_same_from_its_file(program, module, tmp_path):
    # 400 % of a method that is all of the operation, and of one that nobody calls: no close call.
    config_file = config(
        tmp_path / "c.json",
        subject=str(module),
        methods=["tiny.Add", "tiny.Unused"],
        slowdown="400%",
    )
    places = ("--store", tmp_path / "s.sqlite", "-o", tmp_path / "out")
    plain, _ = program.audited("abs", config_file, "--paper", "--wait", "spin", *places)
    assert not (tmp_path / "out" / "result.csv").exists()

    plain, document, _ = program.audited_again(
        tmp_path / "s.sqlite", "abs", config_file, "--paper", "--wait", "spin", "--csv", *places,
        before=plain,
    )  # fmt: skip
    result = judged(program, tmp_path, "--slowdown", "400%")

    assert document["pairs"] == plain["pairs"]
    reached = {key: out for key, out in outcomes(document).items() if out != "unreached"}
    assert set(reached.values()) == {"detected"}
    assert outcomes(result) == reached
    for figure in ("effect", "p"):
        audit_figures, file_figures = (
            {
                pair["benchmark"]: pair[figure]
                for pair in judged_document["pairs"]
                if pair[figure] is not None
            }
            for judged_document in (document, result)
        )
        assert file_figures == pytest.approx(audit_figures, rel=1e-9)
    spreads = [
        {benchmark["id"]: benchmark["max_spread"] for benchmark in judged_document["benchmarks"]}
        for judged_document in (document, result)
    ]
    assert spreads[1] == pytest.approx(spreads[0], rel=1e-9)


def test_the_rows_of_a_go_audit_are_laid_out_as_goabs_does(program, module, tmp_path):
    config_file = config(
        tmp_path / "c.json",
        subject=str(module),
        methods=["tiny.Add"],
        slowdown="400%",
        curve="pairs",
    )

    program.audited("abs", config_file, "--exact", "--csv", "-o", tmp_path / "out")

    rows = [line.split(";") for line in (tmp_path / "out/result.csv").read_text().splitlines()]
    assert {len(row) for row in rows} == {5}
    assert {row[0] for row in rows} == {"0-0-0", "1-0-0"}
    add, twice = "example.org/tiny.BenchmarkAdd", "example.org/tiny.BenchmarkTwice"
    assert {tuple(row[1:3]) for row in rows} == {
        (method, name) for method in ("Baseline", "example.org/tiny.Add") for name in (add, twice)
    }
    # with --exact no process ends early: 8 blocks, 2 runs, 2 benchmarks
    assert sum(row[1] == "Baseline" for row in rows) == 32
    assert sum(row[1] != "Baseline" for row in rows) == 32
    assert all(int(row[3]) >= 2 and float(row[4]) > 0 for row in rows)


@pytest.mark.timed
def test_a_jmh_audit_by_the_papers_rule_is_judged_the_same_from_its_file(program, tmp_path):
    if shutil.which("mvn") is None or shutil.which("java") is None:
        pytest.skip("a JDK or Maven is not installed")
    subject = shutil.copytree(JAVA_RING, tmp_path / "ring")
    truth = json.loads((JAVA_RING / "truth.json").read_text())
    (pair, *_) = [
        known_pair for known_pair in truth["pairs"] if known_pair["outcomes"] == ["detected"]
    ]
    name = pair["benchmark"].rpartition(".")[2]
    config_file = config(
        tmp_path / "c.json",
        subject=str(subject),
        harness="jmh",
        benchmarks=f"{name}$",
        methods=[pair["method"]],
        slowdown="400%",
    )

    document, _ = program.audited(
        "abs", config_file, "--paper", "--wait", "spin", "--csv", "-o", tmp_path / "out"
    )
    result = judged(program, tmp_path, "--slowdown", "400%", "--unit", "ns/op")

    header = (tmp_path / "out/result.csv").read_text().splitlines()[0]
    assert header == "Run;Method altered;Microbenchmark;Result"
    assert result["language"] == "java"
    assert outcomes(result) == outcomes(document)
    assert result["pairs"][0]["effect"] == pytest.approx(document["pairs"][0]["effect"], rel=1e-9)
