"""The formats beside JSON and HTML: whole, harmless and the same each time."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from itertools import cycle

import crowds
import jsonschema
import pytest
from builders import replace_fields
from format_schemas import MUTATION, SARIF
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from test_page_names import NASTY, nasty

import examples
from auditor.abs import document_of_verdict
from auditor.abs.document import parse_document
from auditor.abs.exports import long_tables
from auditor.abs.exports import markdown as abs_markdown
from auditor.abs.exports.formats import ExportFormat, format_result
from auditor.core.accepted import AcceptedMiss
from auditor.core.errors import UsageError
from auditor.core.result import Verdict
from auditor.core.subject import Span
from reports import markdown, names
from reports.results import format_json

UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202e\u2066\ufeff]")


def ordinary():
    """A document whose methods have places in the source."""
    document = document_of_verdict.build_abs_document(examples.audit(), examples.context())
    return replace_fields(
        document,
        methods=tuple(
            replace_fields(verdict, span=Span("codec/parse.go", 10 * number, 10 * number + 4))
            for number, verdict in enumerate(document.methods, 1)
        ),
    )


def hostile():
    """A document in which files have nasty names, too, and so have reasons and caveats."""
    document, files = nasty(), cycle(NASTY)
    methods = tuple(
        replace_fields(method, reason=name, span=Span(f"{name}{index % 3}", index + 1, index + 3))
        for index, (method, name) in enumerate(zip(document.methods, files, strict=False))
    )
    accepted_miss = AcceptedMiss(
        method=next(method.id for method in methods if method.outcome is Verdict.MISSED),
        reason=NASTY[1], until=None, location="configuration", expired=False, left_out=True,
    )  # fmt: skip
    caveats = tuple(replace_fields(document.caveats[0], slug=name, text=name) for name in NASTY)
    return replace_fields(document, methods=methods, accepted=(accepted_miss,), caveats=caveats)


def accepting(document, outcome, location="configuration"):
    method = next(
        method_verdict for method_verdict in document.methods if method_verdict.outcome is outcome
    )
    accepted_miss = AcceptedMiss(
        method=method.id, reason="nobody calls it [x](y)", until=None, location=location,
        expired=False, left_out=True,
    )  # fmt: skip
    return method, replace_fields(document, accepted=(accepted_miss,))


def cells(document, rows):
    csv_text = format_result(document, ExportFormat.CSV, rows=rows)
    assert csv_text.endswith("\r\n")
    assert csv_text.count("\r\n") == csv_text.count("\n") == csv_text.count("\r")
    return list(csv.DictReader(io.StringIO(csv_text, newline=""), strict=True))


def test_csv_gives_back_the_numbers_of_the_result():
    document = ordinary()
    pairs, methods = cells(document, "pairs"), cells(document, "methods")

    assert [float(pair["effect"]) if pair["effect"] else None for pair in pairs] == [
        pair.effect for pair in document.pairs
    ]
    assert any(cell["effect"].startswith("-") for cell in cells(_sinking(document), "pairs"))
    assert [method["method"] for method in methods] == [method.id for method in document.methods]
    assert [int(method["detected_by"]) for method in methods] == [
        len(method.detected_by) for method in document.methods
    ]
    assert {cell["in_minimal_cover"] for cell in cells(document, "benchmarks")} == {"0", "1"}


def _sinking(document):
    return replace_fields(
        document, pairs=tuple(replace_fields(pair, effect=-0.5) for pair in document.pairs)
    )


def test_the_runs_of_csv_are_all_values_of_the_result():
    document = ordinary()
    result = cells(document, "runs")

    blocks = sum(len(r.reference) + len(r.slowed) for pair in document.pairs for r in pair.runs)
    assert sum(row["arm"] != "plain" for row in result) == blocks
    assert sum(float(row["seconds"]) for row in result if row["arm"] == "plain") == pytest.approx(
        sum(mean for benchmark in document.benchmarks for mean in benchmark.means)
    )


@pytest.mark.parametrize("rows", long_tables.TABLES)
def test_no_spreadsheet_takes_a_name_in_csv_for_a_formula(rows):
    for row in cells(hostile(), rows):
        assert None not in row
        for key, cell in row.items():
            assert not UNSEEN.search(cell)
            assert not re.search(r"[\r\n\t]", cell)
            if cell[:1] in {"=", "+", "-", "@"}:
                float(cell)
                assert key not in {"method", "benchmark", "reason", "file"}


def test_a_formula_in_csv_is_quoted_and_a_word_is_not():
    result = cells(hostile(), "methods")

    assert any(row["method"].startswith("'=HYPERLINK(") for row in result)
    assert any(row["method"].startswith("'@team") for row in result)
    assert any(row["method"].startswith("| a | b |") for row in result)


def rendered(text):
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    blocks = parser.parse(text)
    return blocks, [child for block in blocks for child in block.children or ()]


def test_names_in_markdown_are_code_and_nothing_else():
    document = hostile()
    text = format_result(document, ExportFormat.MARKDOWN)
    blocks, inline = rendered(text)

    kinds = {block.type for block in (*blocks, *inline)}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "fence", "code_block"}
    assert not UNSEEN.search(text)
    message = "".join(token.content for token in inline if token.type == "text")
    assert not re.search(r"[@#<>&\[\]\\`_~$]|://|www\.", message)
    spans = {token.content for token in inline if token.type == "code_inline"}
    short = names.format_labels(method.id for method in document.methods)
    assert set(short.values()) <= {span.strip() for span in spans} | {
        label.strip(" ") for label in short.values() if not label.strip()
    } | {label for label in short.values() if label in spans}
    rows = [block for block in blocks if block.type == "tr_open"]
    columns = [block for block in blocks if block.type == "td_open"]
    assert len(rows) == 2 + 3 + len(document.methods)
    assert len(columns) == 3 * 5 + 6 * len(document.methods)


@pytest.mark.parametrize("ticks", ["`", "``", "a`b", "`a``b`", "\\|", "\\`|", " a ", "|", "a|`b"])
def test_a_code_span_shows_exactly_the_name(ticks):
    _, inline = rendered(f"| a | b |\n| --- | --- |\n| {markdown.format_code(ticks)} | c |\n")

    (span,) = [token for token in inline if token.type == "code_inline"]
    assert span.content == ticks
    assert inline[-1].content == "c"


@given(st.text(alphabet="`|\\\\ a<@[]_*\n", min_size=1, max_size=12).filter(str.strip))
def test_a_code_span_shows_exactly_any_name(name):
    _, inline = rendered(f"| a | b |\n| --- | --- |\n| {markdown.format_code(name)} | c |\n")

    assert [token.content for token in inline[2:]] == [names.format_label(name), "c"]


@pytest.mark.parametrize("blank", ["", " ", "  "])
def test_a_name_of_nothing_is_said_to_be_so(blank):
    assert markdown.format_code(blank) in {"(empty)", "(blank)"}


def test_markdown_that_is_too_long_loses_the_methods_that_are_watched_best():
    document = crowds.crowd(200, 30, 60)
    text = abs_markdown.format_markdown(document, limit=10_500)

    assert len(text.encode()) <= 10_500
    rows = [line for line in text.splitlines() if line.startswith("| `codec.")]
    more = re.search(r"^(\d+) methods more: there is no room", text, re.MULTILINE)
    assert more is not None
    assert 20 < len(rows) == 200 - int(more[1])
    outcomes = ["missed" in row or "unreached" in row for row in rows]
    assert outcomes == sorted(outcomes, reverse=True)
    assert sum(outcomes) == sum(
        method.outcome is not Verdict.DETECTED for method in document.methods
    )
    assert any(not outcome for outcome in outcomes)
    assert "no room" not in format_result(document, ExportFormat.MARKDOWN)


def test_markdown_has_room_for_methods_whatever_the_names_are():
    awful = "`|" * 70 + "\N{ROCKET}" * 10_000
    document = ordinary()
    called = {method.id: awful + method.id for method in (*document.methods, *document.benchmarks)}
    awful_document = parse_document(
        format_json(crowds.renamed(json.loads(format_json(document)), called))
    )
    caveat = replace_fields(awful_document.caveats[0], slug=awful, text=awful)
    awful_document = replace_fields(awful_document, subject=awful, caveats=(caveat,) * 50)

    text = format_result(awful_document, ExportFormat.MARKDOWN)

    assert len(text.encode()) <= markdown.MAX_COMMENT_BYTES
    assert "### Methods" in text
    assert "and 4" in text.split("### Methods")[0]


def test_sarif_has_a_result_for_each_method_that_nobody_notices():
    document = ordinary()
    log = json.loads(format_result(document, ExportFormat.SARIF))
    jsonschema.validate(log, SARIF)

    (run,) = log["runs"]
    reported_outcomes = {
        Verdict.MISSED, Verdict.UNREACHED, Verdict.INCONCLUSIVE, Verdict.CRASHED, Verdict.TIMED_OUT,
    }  # fmt: skip
    results_by_method = {
        finding["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]: finding
        for finding in run["results"]
    }
    assert results_by_method.keys() == {
        method.id for method in document.methods if method.outcome in reported_outcomes
    }
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for method in document.methods:
        if method.outcome in reported_outcomes:
            result = results_by_method[method.id]
            region = result["locations"][0]["physicalLocation"]["region"]
            assert region == {"startLine": method.span.first_line, "endLine": method.span.last_line}
            assert rules[result["ruleIndex"]] == result["ruleId"]
    assert {finding["level"] for finding in run["results"]} == {"warning", "note"}


def test_a_finding_is_the_same_one_where_its_lines_move():
    document = ordinary()
    moved = replace_fields(
        document,
        methods=tuple(
            replace_fields(method, span=Span("b.go", 1, 2)) for method in document.methods
        ),
    )

    def read_fingerprints(result_document):
        (run,) = json.loads(format_result(result_document, ExportFormat.SARIF))["runs"]
        return [result["partialFingerprints"] for result in run["results"]]

    assert read_fingerprints(document) == read_fingerprints(moved)
    assert len({json.dumps(fingerprint) for fingerprint in read_fingerprints(document)}) == len(
        read_fingerprints(document)
    )


def test_methods_without_a_place_are_counted_in_sarif_and_annotated_without_a_file():
    original_document = ordinary()
    document = replace_fields(
        original_document,
        methods=tuple(replace_fields(method, span=None) for method in original_document.methods),
    )
    log = json.loads(format_result(document, ExportFormat.SARIF))
    jsonschema.validate(log, SARIF)

    assert log["runs"][0]["results"] == []
    (note,) = log["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert "not known: 6 methods" in note["message"]["text"]
    assert len(format_result(document, ExportFormat.GITHUB).splitlines()) == 6
    assert "file=" not in format_result(document, ExportFormat.GITHUB)


@pytest.mark.parametrize(
    ("location", "kind"), [("configuration", "external"), ("a.go:3", "inSource")]
)
def test_an_accepted_miss_is_suppressed(location, kind):
    method, document = accepting(ordinary(), Verdict.MISSED, location)
    (run,) = json.loads(format_result(document, ExportFormat.SARIF))["runs"]

    (suppressed_result,) = [result for result in run["results"] if "suppressions" in result]
    assert method.id in json.dumps(suppressed_result)
    assert suppressed_result["suppressions"][0]["kind"] == kind
    assert method.id not in format_result(document, ExportFormat.GITHUB)
    assert format_result(ordinary(), ExportFormat.GITHUB).count(method.id) == 1


def test_sarif_of_nasty_names_is_sound_and_has_no_links():
    log = format_result(hostile(), ExportFormat.SARIF)
    document = json.loads(log)
    jsonschema.validate(document, SARIF)

    assert log.isascii()
    for result in document["runs"][0]["results"]:
        message = result["message"]["text"]
        assert not UNSEEN.search(message)
        assert not re.search(r"(?<!\\)(?:\\\\)*[\[\]]", message)
        assert not re.search(r"(?<!\{)(?:\{\{)*\{(?!\{)", message)


@pytest.mark.parametrize(
    ("name", "escaped_name"),
    [
        ("a[b](c)", "a\\[b\\](c)"),
        ("a\\[b\\](c)", "a\\\\\\[b\\\\\\](c)"),
        ("{0}", "{{0}}"),
        ("\\d", "\\d"),
    ],
)
def test_brackets_and_braces_are_escaped_in_sarif(name, escaped_name):
    document = ordinary()
    index = next(
        i for i, method in enumerate(document.methods) if method.outcome is Verdict.UNREACHED
    )
    methods = list(document.methods)
    methods[index] = replace_fields(methods[index], id=name)

    assert json.dumps(escaped_name)[1:-1] in format_result(
        replace_fields(document, methods=tuple(methods)), ExportFormat.SARIF
    )


COMMAND = re.compile(r"::(warning|notice) ([^:]*)::(.*)")


def test_annotations_are_commands_whatever_the_names_are():
    document = hostile()
    lines = format_result(document, ExportFormat.GITHUB).split("\n")

    assert lines.pop() == ""
    assert len(lines) >= 5
    for line in lines:
        command = COMMAND.fullmatch(line)
        assert command is not None, line
        assert not UNSEEN.search(line)
        properties = [assignment.split("=", 1)[0] for assignment in command[2].split(",")]
        assert properties == ["file", "line", "endLine", "title"]
        assert "%" not in re.sub("%(25|0A|0D|3A|2C)", "", line)


def test_an_annotation_is_at_the_lines_of_its_method():
    document = ordinary()
    missed = next(method for method in document.methods if method.outcome is Verdict.MISSED)
    relocated_method = replace_fields(missed, span=Span("a,b:c%d.go", 3, 7))
    result = replace_fields(document, methods=(relocated_method,))

    assert format_result(result, ExportFormat.GITHUB).startswith(
        "::warning file=a%2Cb%3Ac%25d.go,line=3,endLine=7,title=bench-audit missed::No benchmark"
    )


def mutants(document, sources=None):
    report = json.loads(format_result(document, ExportFormat.MUTATION, sources=sources))
    jsonschema.validate(report, MUTATION)
    return report, {
        mutant["id"]: mutant for file in report["files"].values() for mutant in file["mutants"]
    }


STATUS = {
    Verdict.DETECTED: "Killed", Verdict.MISSED: "Survived", Verdict.UNREACHED: "NoCoverage",
    Verdict.INCONCLUSIVE: "Pending", Verdict.CRASHED: "RuntimeError", Verdict.TIMED_OUT: "Pending",
    Verdict.INVALID: "CompileError", Verdict.REFUSED: "Ignored",
}  # fmt: skip


@pytest.mark.parametrize("make_document", [ordinary, hostile])
def test_mutants_are_the_methods_and_tests_the_benchmarks(make_document):
    document = make_document()
    report, mutants_by_id = mutants(document)

    assert mutants_by_id.keys() == {method.id for method in document.methods}
    accepted = {accepted_miss.method for accepted_miss in document.accepted}
    for method in document.methods:
        status = "Ignored" if method.id in accepted else STATUS[method.outcome]
        assert mutants_by_id[method.id]["status"] == status
        assert set(mutants_by_id[method.id]["killedBy"]) <= set(
            mutants_by_id[method.id]["coveredBy"]
        )
    tests = {test["id"] for file in report["testFiles"].values() for test in file["tests"]}
    assert tests == {benchmark.id for benchmark in document.benchmarks}
    assert {name for mutant in mutants_by_id.values() for name in mutant["coveredBy"]} <= tests


@pytest.mark.parametrize("make_document", [ordinary, hostile])
def test_positions_of_mutants_are_in_the_text_that_is_shown(make_document):
    report, _ = mutants(make_document())

    for file in report["files"].values():
        lines = file["source"].removesuffix("\n").split("\n")
        for mutant in file["mutants"]:
            start, end = mutant["location"]["start"], mutant["location"]["end"]
            assert (start["line"], start["column"]) < (end["line"], end["column"])
            assert end["line"] <= len(lines)
            assert end["column"] <= len(lines[end["line"] - 1]) + 1


def test_the_source_is_shown_where_it_is_known_and_long_enough():
    source = "".join(f"// line {number}\n" for number in range(1, 201))
    file = "codec/parse.go"

    report, _ = mutants(ordinary(), {file: source})
    assert report["files"][file]["source"] == source
    report, _ = mutants(ordinary(), {file: "package codec\n"})
    assert "uuid.Parse" in report["files"][file]["source"]


def test_a_span_of_nonsense_costs_no_memory():
    document = ordinary()
    huge_method = replace_fields(document.methods[0], span=Span("a.go", 10**12, 10**12 + 5))
    report, _ = mutants(replace_fields(document, methods=(huge_method,)))

    assert len(report["files"]["a.go"]["source"]) < 200_000


LINE = re.compile(r"(Benchmark[^\sa-z]\S*) 1 (\S+) ns/op")


def runs(text):
    """Read the text as benchstat does: names with their package, and nanoseconds."""
    run_means, package = {}, ""
    for line in text.splitlines():
        if line.startswith("pkg:"):
            package = line.removeprefix("pkg:").strip()
        elif match := LINE.fullmatch(line):
            run_means.setdefault(f"{package}.{match[1]}", []).append(float(match[2]))
        else:
            assert re.fullmatch(r"cpu: .*|Unit ns/op better=lower", line), line
    return run_means


def test_benchstat_gets_the_mean_of_each_run_of_each_benchmark():
    document = ordinary()
    result = runs(format_result(document, ExportFormat.BENCHSTAT))

    measured = [benchmark for benchmark in document.benchmarks if benchmark.means]
    assert list(result) == [benchmark.id for benchmark in measured]
    for benchmark in measured:
        assert result[benchmark.id] == pytest.approx(
            [1e9 * mean for mean in benchmark.means], rel=1e-8
        )


def test_benchstat_gets_the_names_of_jmh_as_its_format_has_them():
    verdict = examples.audit(java=True)
    document = document_of_verdict.build_abs_document(
        verdict, examples.context(language="java", harness="jmh")
    )
    benchmark = replace_fields(
        document.benchmarks[0], id="org.acme.BoxBench.push[size=1.5,kind=a b]"
    )
    text = format_result(replace_fields(document, benchmarks=(benchmark,)), ExportFormat.BENCHSTAT)

    assert set(runs(text)) == {"org.acme.BoxBench.Benchmark_push/size=1.5/kind=a\\u0020b"}


def test_nasty_names_break_no_line_of_benchstat():
    document = hostile()
    result = runs(format_result(document, ExportFormat.BENCHSTAT))

    measured = [benchmark for benchmark in document.benchmarks if benchmark.means]
    assert sum(len(run_means) for run_means in result.values()) == sum(
        len(benchmark.means) for benchmark in measured
    )
    assert len(result) == len(measured)


def test_a_result_of_stability_has_no_methods_but_the_rest():
    verdict = examples.audit().stability
    document = document_of_verdict.stability_document(verdict, examples.context())

    for format_ in (
        ExportFormat.SARIF,
        ExportFormat.GITHUB,
        ExportFormat.MUTATION,
        ExportFormat.CSV,
    ):
        with pytest.raises(UsageError, match="bench-audit abs"):
            format_result(document, format_)
    assert "### Methods" not in format_result(document, ExportFormat.MARKDOWN)
    assert len(runs(format_result(document, ExportFormat.BENCHSTAT))) == sum(
        bool(benchmark.means) for benchmark in document.benchmarks
    )
    assert len(cells(document, "benchmarks")) == len(document.benchmarks)


@pytest.mark.parametrize("format_", ExportFormat)
@pytest.mark.parametrize("verdict", [examples.nothing, examples.all_crashed])
def test_results_of_little_have_every_format(format_, verdict):
    assert (
        format_result(
            document_of_verdict.build_abs_document(verdict(), examples.context()), format_
        )
        is not None
    )


RENDER = """
import hashlib, sys
from pathlib import Path
from auditor.abs.document import parse_document
from auditor.abs.exports.formats import ExportFormat, format_result
found = parse_document(Path(sys.argv[1]).read_bytes())
for one in ExportFormat:
    print(one, hashlib.sha256(format_result(found, one).encode()).hexdigest())
"""


def test_the_same_result_gives_the_same_bytes_in_every_process(tmp_path):
    file = tmp_path / "result.json"
    file.write_text(format_json(hostile()), encoding="utf-8")

    outputs = {
        subprocess.run(
            [sys.executable, "-c", RENDER, file],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(outputs) == 1
    assert len(outputs.pop().splitlines()) == len(ExportFormat)
    assert parse_document(file.read_bytes()) == hostile()
