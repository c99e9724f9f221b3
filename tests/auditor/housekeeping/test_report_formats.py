"""`bench-audit report --format`, of results that are made here."""

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest
from cli_acting import CONTEXT, Stage, score, stability, verdict
from comparisons import full_comparison
from test_commands import SUBJECT, store_audit

from auditor.abs import document_of_verdict
from auditor.abs.exports.formats import ExportFormat
from auditor.compare.markdown import render_markdown
from auditor.core.errors import UsageError
from auditor.housekeeping import report
from auditor.store.audits import AuditRecord
from auditor.store.sqlite import SqliteStore
from reports import results

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "outputs.md"


@pytest.fixture
def stage(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir()
    return Stage(home=str(tmp_path / "home"))


@pytest.fixture
def result(tmp_path):
    file = tmp_path / "result.json"
    file.write_text(
        results.format_json(document_of_verdict.build_abs_document(verdict(score()), CONTEXT))
    )
    return str(file)


@pytest.fixture
def steady(tmp_path):
    file = tmp_path / "stability.json"
    file.write_text(
        results.format_json(document_of_verdict.stability_document(stability(), CONTEXT))
    )
    return str(file)


BEGINNINGS = {
    ExportFormat.JSON: "{",
    ExportFormat.HTML: "<!doctype html>",
    ExportFormat.MARKDOWN: "## Benchmark audit of",
    ExportFormat.CSV: "method,benchmark,",
    ExportFormat.SARIF: "{",
    ExportFormat.GITHUB: "::warning ",
    ExportFormat.MUTATION: "{",
    ExportFormat.BENCHSTAT: "Unit ns/op",
    ExportFormat.BADGE: "{",
    ExportFormat.BMF: "{",
}


@pytest.mark.parametrize("format_", ExportFormat)
def test_stdout_gets_the_format_and_nothing_else(stage, result, capsys, format_):
    assert stage.call("report", "--result", result, "--format", format_.value) == 0
    output = capsys.readouterr()

    assert output.out.startswith(BEGINNINGS[format_])
    assert output.err == ""
    if output.out.startswith("{"):
        json.loads(output.out)
    assert stage.opened == []


def test_a_format_of_the_result_in_the_store(stage, capsys):
    document, page = store_audit(stage)
    capsys.readouterr()

    assert stage.call("report", SUBJECT, "--format", "csv", "--rows", "methods") == 0
    output = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(output.out, newline="")))
    assert [row["method"] for row in rows] == [method["id"] for method in document["methods"]]
    assert "the result of bench-audit abs" in output.err
    assert stage.call("report", SUBJECT, "--format", "html", "--quiet") == 0
    assert capsys.readouterr().out == page


def test_a_report_goes_to_a_new_folder_from_the_store_of_the_subject(stage, tmp_path, capsys):
    store_audit(stage)
    capsys.readouterr()

    assert stage.call("report", SUBJECT, "-o", str(tmp_path / "new")) == 0
    assert "the result of bench-audit abs" in capsys.readouterr().err
    assert {"report.html", "result.json"} <= {path.name for path in (tmp_path / "new").iterdir()}

    missing = str(tmp_path / "missing.sqlite")
    assert stage.call("report", SUBJECT, "--store", missing, "-o", str(tmp_path / "new")) == 2
    assert "missing.sqlite" in capsys.readouterr().err


def test_a_file_is_rendered_into_a_folder_only_on_demand(stage, result, tmp_path, capsys):
    Path(result).rename(tmp_path / "given.json")

    assert stage.call("report", "--result", "given.json") == 0
    assert "would detect" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["given.json", "home"]
    assert stage.call("report", "--result", "given.json", "-o", "out") == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "report.html",
        "result.json",
    ]
    assert json.loads((tmp_path / "out" / "result.json").read_text()) == json.loads(
        (tmp_path / "given.json").read_text()
    )


@pytest.mark.parametrize(
    "flags",
    [
        ("--rows", "methods"),
        ("--sources", "."),
        ("--format", "sarif", "--rows", "runs"),
        ("--of", "abs"),
        ("--store", "store.sqlite"),
        ("--format", "mutation", "--sources", "nowhere"),
        ("--format", "xml"),
    ],
)
def test_what_makes_no_sense_is_refused(stage, result, capsys, flags):
    assert stage.call("report", "--result", result, *flags) == 2
    output = capsys.readouterr()

    assert output.out == ""
    assert output.err.startswith("error[usage]: ")


def test_names_of_a_strangers_result_steer_no_terminal(stage, result, capsys):
    odd = "a\n::error::b\x1b[2J\u202e"
    document = json.loads(Path(result).read_text())
    for entry in (*document["methods"], *document["benchmarks"]):
        entry["id"] += odd
    document["methods"][0]["reason"] = odd
    document["caveats"].append({"slug": "few-runs", "text": odd})
    Path(result).write_text(json.dumps({**document, "subject": odd}))

    assert stage.call("report", "--result", result) == 0

    output = capsys.readouterr().out
    assert r"a\n::error::b\x1b[2J\u202e" in output
    assert not any(splitline.lstrip().startswith("::") for splitline in output.splitlines())
    assert not {"\x1b", "\u202e"} & set(output)


def test_a_file_that_is_nested_too_deeply_is_refused(stage, tmp_path, capsys):
    (tmp_path / "deep.json").write_text('{"schema": "bench-audit/abs/1", "x": ' + "[" * 100_000)

    assert stage.call("report", "--result", tmp_path / "deep.json") == 2
    assert capsys.readouterr().err.startswith("error[usage]: ")


@pytest.mark.parametrize("format_", ["sarif", "github", "mutation", "csv"])
def test_a_result_without_methods_has_no_findings(stage, steady, capsys, format_):
    assert stage.call("report", "--result", steady, "--format", format_) == 2
    assert "bench-audit abs" in capsys.readouterr().err


def test_a_result_of_stability_has_benchmarks(stage, steady, capsys):
    flags = ("--format", "csv", "--rows", "benchmarks")

    assert stage.call("report", "--result", steady, *flags) == 0
    assert "example.org/ring.BenchmarkPush" in capsys.readouterr().out


def test_the_commands_of_the_page_run(stage, result, capsys):
    lines = re.findall(r"^\$ (bench-audit .*)$", PAGE.read_text(), re.MULTILINE)
    formats = set()

    for line in lines:
        words = shlex.split(line.partition(">")[0])
        assert stage.call(*words[1:]) == 0, line
        assert capsys.readouterr().out, line
        formats.add(words[words.index("--format") + 1])
    assert formats == {str(format_) for format_ in ExportFormat} - {"json"}


def test_texts_are_read_from_the_folder_and_nowhere_else(tmp_path):
    root, outside = tmp_path / "tree", tmp_path / "secret.go"
    (root / "codec").mkdir(parents=True)
    outside.write_text("secret")
    (root / "codec" / "a.go").write_bytes(b"package codec // \xff\n")
    (root / "link.go").symlink_to(outside)
    (root / "loop.go").symlink_to(root / "loop.go")
    (root / "large.go").write_bytes(b"x" * (report.LARGEST + 1))
    paths = ["codec/a.go", "../secret.go", str(outside), "link.go", "loop.go", "large.go",
              "codec", "none.go", "nul\0.go", "x" * 5000]  # fmt: skip

    texts = report.read_texts(root, paths)

    assert texts == {"codec/a.go": "package codec // \N{REPLACEMENT CHARACTER}\n"}
    with pytest.raises(UsageError, match="is not a folder"):
        report.read_texts(tmp_path / "none", paths)


def test_machines_of_a_merged_store_stand_side_by_side(stage, capsys):
    quick = {"host": "quick", "host_facts": {"cpu": "Fast 9000", "cores": "8"}}
    store_audit(stage, command="stability", **quick)
    store_audit(stage, command="stability", **quick)
    store_audit(
        stage, "--seed", "7", command="stability", host="other", host_facts={"cpu": "Other"}
    )
    store_audit(
        stage, "--host", "docker", command="stability", host="third", host_facts={"cpu": "Third"}
    )
    store_audit(stage, command="stability")

    assert stage.call("report", SUBJECT, "--of", "stability") == 0

    _, places = stage.opened[-1]
    page = (places.output / "stability.html").read_text()
    assert "Side by side" in page
    assert page.count("cpu Third") == 1
    assert page.count("Fast 9000") == 1
    assert "1: abc" in page
    assert "2: quick" in page
    assert "Other" not in page  # which was asked something else


def test_one_machine_has_nothing_beside_it(stage):
    store_audit(stage, command="stability")
    store_audit(stage, command="stability")  # an older one of the same machine is nothing beside it

    assert stage.call("report", SUBJECT, "--of", "stability") == 0

    _, places = stage.opened[-1]
    assert "Side by side" not in (places.output / "stability.html").read_text()


def test_a_comparison_is_written_again_as_each_kind_of_file_that_its_command_writes(
    stage, tmp_path, capsys
):
    store_audit(stage)
    config, places = stage.opened[-1]
    record = AuditRecord(
        command="compare", subject="", config=config.text, tools=(), version="1.0", started="2026"
    )
    with SqliteStore(places.store) as store:
        store.end_audit(store.add_audit(record), "2026", results.format_json(full_comparison()))

    call = ("report", SUBJECT, "--of", "compare", "-o")
    assert stage.call(*call, str(tmp_path / "again.md")) == 0
    assert (tmp_path / "again.md").read_text() == render_markdown(full_comparison())
    assert "compare.html" in capsys.readouterr().err
    assert stage.call(*call, str(tmp_path / "again.csv")) == 2
    assert "a result of compare cannot be written as .csv; leave" in capsys.readouterr().err


def _damage_means(document):
    document["benchmarks"][0]["means"] = [1e308, 1e308]


def _damage_count(document):
    document["scores"]["total"] |= {"covered": 0, "counted": 0}


def _damage_bounds(document):
    document["scores"]["total"]["bounds"] = [0, 1e30]


@pytest.mark.parametrize(
    "damage_and_field",
    [
        (_damage_means, "$.benchmarks"),
        (_damage_count, "$.scores.total"),
        (_damage_bounds, "$.scores.total"),
    ],
)
@pytest.mark.parametrize("format_", [ExportFormat.HTML, ExportFormat.BMF])
def test_impossible_numbers_of_a_damaged_file_are_refused_in_a_line(
    stage, result, capsys, damage_and_field, format_
):
    damage, field = damage_and_field
    path = Path(result)
    document = json.loads(path.read_text())
    damage(document)
    path.write_text(json.dumps(document))

    assert stage.call("report", "--result", result, "--format", format_.value) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert field in captured.err
    assert len(captured.err.strip().splitlines()) == 1
