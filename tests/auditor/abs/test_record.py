import json
from pathlib import Path

import jsonschema
import msgspec
import pytest

import examples
from auditor.abs import document as documents
from auditor.abs import document_of_verdict
from auditor.core.errors import UsageError
from reports import results

SCHEMA = Path(__file__).parents[3] / "reports" / "schema" / "result.schema.json"
VERDICTS = {
    "an ordinary one": examples.audit,
    "a large one": lambda: examples.audit(methods=20, benchmarks=300, java=True),
    "an empty one": examples.nothing,
    "a failed one": examples.all_crashed,
}


def made(**changes):
    return document_of_verdict.document(examples.audit(), examples.context(**changes))


def test_the_promised_names_are_there():
    found = msgspec.to_builtins(made())

    top = "schema subject host seed slowdown rule scores methods pairs benchmarks minimal_cover"
    assert {*top.split(), "caveats"} <= found.keys()
    score = {"percent", "bounds", "covered", "counted", "excluded_benchmarks"}
    assert all(score <= found["scores"][name].keys() for name in ("total", "relative", "absolute"))
    pair = "method benchmark outcome effect interval p threshold achieved_slowdown caveats"
    assert set(pair.split()) <= found["pairs"][0].keys()
    assert {"id", "outcome", "detected_by", "reached_by", "caveats"} <= found["methods"][0].keys()
    benchmark = {"id", "max_spread", "runs", "unique", "shared", "caveats"}
    assert benchmark <= found["benchmarks"][0].keys()
    assert found["caveats"][0].keys() == {"slug", "text"}


def test_numbers_are_those_of_the_verdict():
    verdict = examples.audit()
    found = made(seed=42)

    assert found.seed == 42
    assert found.slowdown == verdict.slowdown
    assert found.scores.total.percent == verdict.total.percent
    assert found.pairs[3].effect == verdict.pairs[3].effect
    assert found.pairs[3].runs[1].slowed == verdict.pairs[3].runs[1].slowed
    assert found.minimal_cover == verdict.cover.benchmarks
    assert found.host_facts["governor"] == "unknown"


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS)
def test_a_result_satisfies_its_schema(verdict):
    written = results.text(document_of_verdict.document(verdict(), examples.context()))

    jsonschema.validate(json.loads(written), json.loads(SCHEMA.read_text()))


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS)
def test_what_was_written_is_read_back_the_same(verdict):
    found = document_of_verdict.document(verdict(), examples.context())

    again = documents.read(results.text(found))

    assert again == found


def test_a_stability_result_satisfies_the_schema_and_is_told_apart():
    found = document_of_verdict.stability_document(examples.audit().stability, examples.context())

    jsonschema.validate(json.loads(results.text(found)), json.loads(SCHEMA.read_text()))
    assert isinstance(documents.read(results.text(found)), documents.StabilityDocument)
    assert not hasattr(found, "scores")


def test_the_schema_that_is_checked_in_is_the_one_of_the_types():
    assert SCHEMA.read_text() == documents.schema()


def test_numbers_that_json_does_not_have_are_null():
    found = document_of_verdict.document(examples.nothing(), examples.context())

    assert found.slowdown is None
    assert "NaN" not in results.text(found)


def test_a_field_is_a_line_and_so_is_an_object_of_a_list_of_them():
    name = "a [{\n1,\n2}] b"
    made = {"values": [1.5, None, -2e-9], "name": name, "list": [{"a": [{}]}, {"b": 2}], "none": []}

    written = results.text(made)

    assert written.splitlines() == [
        "{",
        ' "values": [1.5,null,-2e-9],',
        f' "name": {json.dumps(name)},',
        ' "list": [',
        '  {"a":[{}]},',
        '  {"b":2}',
        " ],",
        ' "none": []',
        "}",
    ]
    assert json.loads(written) == made


def test_the_same_verdict_gives_the_same_bytes():
    one, other = (results.text(made()) for _ in range(2))

    assert one == other


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "bench-audit/abs/99"}', b"\xff\xfe"])
def test_what_is_not_a_result_is_a_usage_error_of_one_line(text):
    with pytest.raises(UsageError, match=r"^not a result of bench-audit[^\n]*$"):
        documents.read(text)


def test_a_missing_field_is_named():
    found = msgspec.to_builtins(made())
    del found["scores"]

    with pytest.raises(UsageError, match="scores"):
        documents.read(results.text(found))


def test_half_characters_are_written_out():
    found = made(subject="a\udc80b")

    assert found.subject == "a\\udc80b"
    assert documents.read(results.text(found)) == found
