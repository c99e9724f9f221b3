"""`bench-audit analyze` of stored results: what it prints, leaves and ends with."""

import copy
import json
import shlex
from pathlib import Path

import jsonschema
import msgspec
import pytest

from auditor.abs.document import StabilityDocument
from auditor.abs.exports import long_tables
from auditor.cli.context import AppContext
from auditor.cli.main import main
from auditor.compare import document as comparison_document
from auditor.compare import page as comparison

ROOT = Path(__file__).parents[3]
RECORDED = ROOT / "tests/runners/pybench/recorded"
"""Results as pytest-benchmark, asv and pyperf left them; README.md there says how."""
STORED = ROOT / "tests/auditor/importers/recorded"
"""Results of JMH and go test, likewise."""
SCHEMAS = {
    name: json.loads((ROOT / f"reports/schema/{name}.schema.json").read_text())
    for name in ("result", "compare")
}
PYTEST, SAVED = (
    str(RECORDED / "pytest-benchmark" / name)
    for name in ("with-data.json", "Linux-CPython-3.11-64bit")
)
PYPERF_JSON, PYPERF_GZIP = (str(RECORDED / "pyperf" / name) for name in ("one.json", "two.json.gz"))
ASV = str(RECORDED / "asv")


@pytest.fixture
def call(tmp_path, capsys):
    def called(*arguments):
        surroundings = AppContext(environment={"HOME": str(tmp_path)})
        code = main(["analyze", *map(str, arguments)], surroundings=surroundings)
        return code, *capsys.readouterr()

    return called


def sessions(folder, *times):
    """Files of a session of pytest-benchmark, in which all took so many times as long."""
    document = json.loads(Path(PYTEST).read_text())
    paths = []
    for number, factor in enumerate(times):
        deepcopy = copy.deepcopy(document)
        for benchmark in deepcopy["benchmarks"]:
            benchmark["stats"]["data"] = [factor * value for value in benchmark["stats"]["data"]]
        folder.mkdir(exist_ok=True)
        paths.append(folder / f"{number}.json")
        paths[-1].write_text(json.dumps(deepcopy))
    return paths


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ((PYTEST, SAVED), ("pytest", 2, 3)),
        ((PYPERF_JSON, PYPERF_GZIP), ("pyperf", 2, 2)),
        ((PYPERF_JSON,), ("pyperf", 3, 2)),
    ],
)
def test_runs_that_are_there_are_judged_for_their_spread(call, tmp_path, paths, expected):
    harness, runs, spreads = expected

    code, printed, _ = call(*paths, "--format=json", "-o", tmp_path / "out")

    document = json.loads(printed)
    jsonschema.Draft202012Validator(SCHEMAS["result"]).validate(document)
    assert code == 0
    assert (document["language"], document["harness"]) == ("python", harness)
    assert document["schema"] == "bench-audit/stability/1"
    assert document["stability"]["runs"] == runs
    assert (
        sum(benchmark["max_spread"] is not None for benchmark in document["benchmarks"]) == spreads
    )
    assert document["host_facts"]["cpu"] == "AMD EPYC"
    assert json.loads((tmp_path / "out/analysis.json").read_text()) == document
    assert "analysis.html" in {path.name for path in (tmp_path / "out").iterdir()}


@pytest.mark.parametrize(
    ("path", "next_step"),
    [
        (PYPERF_JSON, "nothing can be said of the warm-up: a process holds"),
        ("recorded", "when each process is warm: bench-audit steady"),
    ],
)
def test_what_else_can_be_answered_is_said_with_its_command(call, tmp_path, path, next_step):
    if path == "recorded":
        path = tmp_path / "series.csv"
        lines = [
            f"a,{fork},{index},{1 + index % 7 / 100}" for fork in (1, 2) for index in range(1200)
        ]
        path.write_text("\n".join(["benchmark,fork,iteration,seconds", *lines]) + "\n")

    _, _, err = call(path, "-o", tmp_path / "out")

    assert f"further: {next_step}" in err
    assert ("whether the runs agree: bench-audit similarity" in err) is (path != PYPERF_JSON)


def test_a_single_run_of_asv_has_no_spread_and_says_what_is_there(call, tmp_path):
    code, printed, err = call(ASV, "-o", tmp_path / "out")

    assert code == 5
    assert "it failed or timed out when asv ran it" in printed
    assert "rings.mem_list, rings.track_size [no-times]" in printed
    assert "[chosen-commit]" in printed
    assert "no verdict" in err
    assert call(ASV, "--inconclusive=pass")[0] == 0


def test_results_go_below_the_state_folder_by_default(call, tmp_path):
    call(ASV, "-q")

    (path,) = tmp_path.glob(".local/state/bench-audit/asv-*/analysis.json")
    assert json.loads(path.read_text())["revision"].startswith("be57ad87")


def test_two_commits_of_a_folder_are_compared_and_one_run_of_each_tells_nothing(call, tmp_path):
    code, printed, _ = call(
        ASV, "--against-commit", "b9749b2e", "--format=json", "-o", tmp_path / "out"
    )

    document = json.loads(printed)
    jsonschema.Draft202012Validator(SCHEMAS["compare"]).validate(document)
    assert code == 5
    assert document["base"].startswith("b9749b2e")
    assert document["revision"].startswith("be57ad87")
    assert {benchmark["change"] for benchmark in document["benchmarks"]} == {"cannot tell"}


def test_a_slower_head_is_a_regression_that_was_not_confirmed(call, tmp_path):
    base = sessions(tmp_path / "base", 1, 1.01, 0.99)
    head = sessions(tmp_path / "head", 1.5, 1.51, 1.49)

    code, printed, err = call(
        *head, *(word for path in base for word in ("--against", path)),
        "--fail-on", "regression", "-o", tmp_path / "out",
    )  # fmt: skip

    assert code == 1
    assert "3 benchmarks have a regression" in printed
    assert "method" not in printed
    assert "[not-in-turns]" in printed
    assert "[not-confirmed]" in printed
    assert "gate failed: 3 regressions called, not confirmed" in err
    page = (tmp_path / "out/compare.html").read_text()
    assert "it read what another tool has stored" in page
    assert "which fresh runs confirm" not in page
    assert "Methods that changed" not in (tmp_path / "out/compare.md").read_text()


def test_the_call_that_a_result_remembers_gives_it_again(call, tmp_path):
    base = sessions(tmp_path / "base", 1, 1.01, 0.99)
    (head, *more) = sessions(tmp_path / "head", 1.2, 1.21, 1.19)
    _, printed, _ = call(
        head, *more, "--against", base[0].parent, "--min-delta", "8%", "--format=json"
    )
    first = json.loads(printed)

    _, reprinted, _ = call(*shlex.split(first["command"])[2:], "--format=json")

    assert json.loads(reprinted)["benchmarks"] == first["benchmarks"]
    assert first["min_delta"] == 0.08
    assert {benchmark["change"] for benchmark in first["benchmarks"]} == {"regression"}


def test_one_file_of_pyperf_tells_nothing_however_many_processes_it_has(call, tmp_path):
    code, printed, message = call(PYPERF_GZIP, "--against", PYPERF_JSON, "-o", tmp_path / "out")

    assert code == 5
    assert "no verdict: every benchmark is inconclusive" in message
    assert "2 benchmarks (cannot tell: 2)" in printed
    assert "3 files of each side, made at different times, are needed" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((PYTEST, "--slowdown", "0.6"), "--slowdown works only with tables of GoABS and JavaABS"),
        ((PYTEST, "--fail-under", "50"), "--fail-under works only with tables"),
        ((PYTEST, "--fail-on", "regression"), "--fail-on works only with a comparison"),
        ((PYTEST, "--min-delta", "5%"), "--min-delta works only with a comparison"),
        ((PYTEST, "--unlike-machines"), "--unlike-machines works only with a comparison"),
        (
            (PYPERF_JSON, "--against", PYPERF_GZIP, "--min-delta", "x"),
            "--min-delta x is not a change: write 5%, 0.05 or 1.05x",
        ),
        (
            (PYPERF_JSON, "--against", PYPERF_GZIP, "--min-delta", "0"),
            "--min-delta 0 is out of range",
        ),
        (
            (PYPERF_JSON, "--against", PYPERF_GZIP, "--min-delta", "5"),
            "--min-delta 5 is ambiguous: write 5% or 500%",
        ),
        (
            (PYPERF_JSON, "--against", PYPERF_GZIP, "--min-delta", "nan"),
            "--min-delta nan is not a change: write",
        ),
        ((PYPERF_JSON, "--against", PYTEST), "give results of one tool"),
        ((PYPERF_JSON, "--against", PYPERF_JSON), "base and head are the same results"),
        ((PYPERF_JSON, PYTEST), "give the results of one tool"),
        ((ASV, "--commit", "0"), "no stored commit begins with '0'"),
        (("a.csv", "b.csv"), "only one table can be read at a time"),
        (("a.csv", "--commit", "b"), "--commit works only with stored results"),
        (("a.csv", "--against", PYPERF_JSON), "cannot read a.csv"),
        (("absent",), "cannot read absent"),
    ],
)
def test_what_is_wrong_is_one_line(call, arguments, message):
    code, printed, errors = call(*arguments)

    assert (code, printed) == (2, "")
    assert errors.startswith("error[usage]: ")
    assert message in errors
    assert errors.count("\n") == 1


def test_names_that_no_terminal_can_show_are_escaped(call, tmp_path):
    document = json.loads(Path(PYTEST).read_text())
    document["benchmarks"][0]["fullname"] = "a\ud800\u202eb\x1b[31m"
    document["machine_info"]["node"] = "\udfff"
    (tmp_path / "in.json").write_text(json.dumps(document))

    code, printed, errors = call(tmp_path / "in.json", SAVED, "-o", tmp_path / "out")

    assert code in (0, 5)
    assert "a\\ud800\\u202eb\\x1b[31m" in printed
    assert "Traceback" not in errors


FORMATS = {
    "JMH's JSON": (STORED / "jmh/small.json", ("java", "jmh", 2, 5)),
    "JMH's log": (STORED / "jmh/small.log", ("java", "jmh", 2, 4)),
    "JMH's CSV": (STORED / "jmh/small.csv", ("java", "jmh", 1, 0)),
    "Go": (STORED / "go/small.txt", ("go", "go", 1, 0)),
    "Go's events": (STORED / "go/small.json", ("go", "go", 1, 0)),
}


@pytest.mark.parametrize(("path", "expected"), FORMATS.values(), ids=FORMATS)
def test_each_fork_of_a_single_file_is_a_run(call, tmp_path, path, expected):
    language, harness, runs, spreads = expected

    code, printed, _ = call(path, "--format=json", "-o", tmp_path / "out")

    document = json.loads(printed)
    jsonschema.Draft202012Validator(SCHEMAS["result"]).validate(document)
    assert code == (0 if spreads else 5)
    assert (document["language"], document["harness"]) == (language, harness)
    assert document["stability"]["runs"] == runs
    assert (
        sum(benchmark["max_spread"] is not None for benchmark in document["benchmarks"]) == spreads
    )


def test_two_files_of_go_are_two_runs(call, tmp_path):
    first, second = STORED / "go/small.txt", tmp_path / "second.txt"
    second.write_text(first.read_text().replace("2.855 ns/op", "3.855 ns/op"))

    code, printed, _ = call(first, second, "--format=json", "-o", tmp_path / "out")

    document = json.loads(printed)
    spreads = {benchmark["id"]: benchmark["max_spread"] for benchmark in document["benchmarks"]}
    assert code == 0
    assert spreads["example.org/small/deep.BenchmarkSum"] > 0
    assert spreads["example.org/small.BenchmarkFails"] is None


def test_a_corpus_and_a_table_of_series_are_judged_fork_by_fork(call, tmp_path):
    series = {"a__b#c.D.one#": [[1.0, 1.0], [1.1, 1.1]], "a__b#c.D.two#k=1": [[2.0], [2.0]]}
    (tmp_path / "corpus/timeseries").mkdir(parents=True)
    rows = ["benchmark,fork,iteration,seconds\n"]
    for name, forks in series.items():
        (tmp_path / f"corpus/timeseries/{name}.json").write_text(json.dumps(forks))
        rows += [
            f"{name},{fork},{index},{value}\n"
            for fork, values in enumerate(forks)
            for index, value in enumerate(values)
        ]
    (tmp_path / "series.csv").write_text("".join(rows))

    max_spreads = {}
    for path, language in (("corpus", "java"), ("series.csv", "unknown")):
        code, printed, _ = call(tmp_path / path, "--format=json", "-o", tmp_path / "out")
        document = json.loads(printed)
        assert (code, document["language"]) == (0, language)
        max_spreads[path] = {
            benchmark["id"]: benchmark["max_spread"] for benchmark in document["benchmarks"]
        }

    assert max_spreads["corpus"] == max_spreads["series.csv"]
    assert max_spreads["corpus"] == {
        "a__b#c.D.one#": pytest.approx(0.1 / 1.05), "a__b#c.D.two#k=1": 0.0,
    }  # fmt: skip


def test_a_figure_without_values_says_how_to_keep_them(call, tmp_path):
    _, printed, _ = call(STORED / "jmh/small.csv", "-o", tmp_path / "out")

    assert "-rf json keeps these [figures-only]" in printed


def test_warm_ups_that_a_tool_kept_decide_nothing(call, tmp_path):
    document = json.loads(Path(PYPERF_JSON).read_text())
    for benchmark in document["benchmarks"]:
        for run in benchmark["runs"]:
            run["warmups"] = [[64, 1.0]]
    (tmp_path / "other.json").write_text(json.dumps(document))

    spreads = []
    for path in (PYPERF_JSON, tmp_path / "other.json"):
        _, printed, _ = call(path, "--format=json", "-o", tmp_path / "out")
        spreads.append([benchmark["max_spread"] for benchmark in json.loads(printed)["benchmarks"]])

    assert spreads[0] == spreads[1]


@pytest.mark.parametrize("end", ["json", "log", "csv"])
def test_a_score_of_jmh_is_shown_in_its_own_unit_by_its_own_mean(call, tmp_path, end):
    path = STORED / f"jmh/small.{end}"
    score = {"json": 38444.18, "log": 38444.18, "csv": 41852.85}[end]  # as JMH says it

    _, printed, _ = call(path, "-o", tmp_path / "out")
    _, json_text, _ = call(path, "--format=json", "-o", tmp_path / "out")

    assert f"{score:,.0f}\N{NO-BREAK SPACE}ops/ms" in printed
    assert f"{score:,.0f}\N{NO-BREAK SPACE}ops/ms" in (tmp_path / "out/analysis.html").read_text()
    document = json.loads(json_text)
    (throughput,) = (
        benchmark for benchmark in document["benchmarks"] if benchmark["unit"] == "ops/ms"
    )
    table = long_tables.format_table(msgspec.convert(document, StabilityDocument), "benchmarks")
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert rows[throughput["id"]]["score"] == pytest.approx(score, rel=1e-6)
    assert throughput["means"] == pytest.approx([1e-3 / mean for mean in forks(path)], rel=1e-6)


def forks(path):
    """Return the mean of each fork, in operations per millisecond."""
    if path.suffix == ".csv":
        return [41852.851495]
    metrics = [
        load["primaryMetric"] for load in json.loads((STORED / "jmh/small.json").read_text())
    ]
    (raw,) = (metric["rawData"] for metric in metrics if metric["scoreUnit"] == "ops/ms")
    return [sum(values) / len(values) for values in raw]


def throughputs(folder, *factors):
    """Files of JMH whose throughput is so many times as large."""
    folder.mkdir()
    for index, factor in enumerate(factors):
        document = json.loads((STORED / "jmh/small.json").read_text())
        throughput = next(benchmark for benchmark in document if benchmark["mode"] == "thrpt")
        raw = throughput["primaryMetric"]["rawData"]
        throughput["primaryMetric"]["rawData"] = [[factor * x for x in fork] for fork in raw]
        (folder / f"{index}.json").write_text(json.dumps([throughput]))
    return folder


def test_two_throughputs_and_how_many_times_as_long_an_operation_takes(call, tmp_path):
    base = throughputs(tmp_path / "base", 1.0, 1.001, 0.999)
    head = throughputs(tmp_path / "head", 0.5, 0.501, 0.499)

    _, printed, _ = call(head, "--against", base, "--format=json", "-o", tmp_path / "out")

    jsonschema.Draft202012Validator(SCHEMAS["compare"]).validate(json.loads(printed))
    (row,) = comparison.build_view(comparison_document.parse_document(printed)).rows
    cells = [text.replace("\N{NO-BREAK SPACE}", " ") for text in (row.base, row.head, row.times)]
    assert (row.word.word, row.dimension) == ("regression", "throughput")
    assert cells == ["38,444 ops/ms", "19,222 ops/ms", "2 \N{MULTIPLICATION SIGN} as long"]


def test_times_of_go_are_shown_as_go_shows_them(call, tmp_path):
    _, printed, _ = call(STORED / "go/small.txt", "-o", tmp_path / "out")

    assert "1,997\N{NO-BREAK SPACE}ns/op" in printed


@pytest.mark.parametrize(
    ("broken_side", "expected"),
    [
        ("head", (5, "gate undecided: 1 benchmark cannot run in head")),
        ("base", (0, "gate passed: no regression; 1 benchmark inconclusive")),
    ],
)
def test_a_benchmark_that_fails_in_head_alone_leaves_the_gate_undecided(
    call, tmp_path, broken_side, expected
):
    for side in ("base", "head"):
        (tmp_path / side).mkdir()
        for number in range(3):
            is_broken = number == 2 and side == broken_side
            last = "--- FAIL: BenchmarkZ-8" if is_broken else f"BenchmarkZ-8 1000 9.{number} ns/op"
            (tmp_path / side / f"{number}.txt").write_text(
                f"pkg: ex.org/a\nBenchmarkSame-8 1000 100.{number} ns/op\n{last}\nPASS\n"
                f"ok ex.org/a 1.{'01'[side == 'head']}s\n"
            )

    code, _, messages = call(
        tmp_path / "head", "--against", tmp_path / "base", "--fail-on", "regression"
    )

    assert (code, messages.splitlines()[-1]) == expected


@pytest.mark.parametrize(("counts", "is_offered"), [((250,), False), ((250, 250), True)])
def test_runs_are_compared_only_where_there_are_two(call, tmp_path, counts, is_offered):
    lines = [
        f"a,{fork},{index},{1 + index % 7 / 100}"
        for fork, count in enumerate(counts)
        for index in range(count)
    ]
    path = tmp_path / "series.csv"
    path.write_text("\n".join(["benchmark,fork,iteration,seconds", *lines]) + "\n")

    _, printed, messages = call(path)

    assert ("whether the runs agree" in messages) is is_offered
    assert "stability_runs" not in printed
    assert ("needs at least 2; make 5 runs [few-runs]" in printed) is not is_offered


def test_a_process_with_a_single_value_is_counted_as_such(call, tmp_path):
    path = tmp_path / "series.csv"
    path.write_text("benchmark,fork,iteration,seconds\na,0,0,1.0\n")

    assert "a process holds 1 value at most" in call(path)[2]


def test_the_spread_of_a_throughput_is_that_of_its_scores(call, tmp_path):
    for number, scores in enumerate(([100.0, 100.0], [50.0, 150.0], [120.0, 120.0])):
        metric = {"scoreUnit": "ops/s", "rawData": [scores]}
        document = [{"benchmark": "a.B.c", "mode": "thrpt", "forks": 1, "primaryMetric": metric}]
        (tmp_path / f"{number}.json").write_text(json.dumps(document))

    code, printed, _ = call(tmp_path, "--format=json", "-o", tmp_path / "out")

    assert code == 0
    (benchmark,) = json.loads(printed)["benchmarks"]
    assert benchmark["max_spread"] == pytest.approx(20 / (320 / 3))
