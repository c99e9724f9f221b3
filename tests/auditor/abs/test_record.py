import json

import msgspec
import pytest
from schema_checks import check_schema

import examples
from auditor.abs import document as documents
from auditor.abs import document_of_verdict
from auditor.core.errors import UsageError
from reports import results

VERDICTS = {
    "an ordinary one": examples.audit,
    "a large one": lambda: examples.audit(methods=20, benchmarks=300, java=True),
    "an empty one": examples.nothing,
    "a failed one": examples.all_crashed,
}


def make_document(**changes):
    return document_of_verdict.build_abs_document(examples.audit(), examples.context(**changes))


def test_the_promised_names_are_there():
    builtins = msgspec.to_builtins(make_document())

    top = "schema subject host seed slowdown rule scores methods pairs benchmarks minimal_cover"
    assert {*top.split(), "caveats"} <= builtins.keys()
    score = {"percent", "bounds", "covered", "counted", "excluded_benchmarks"}
    assert all(
        score <= builtins["scores"][name].keys() for name in ("total", "relative", "absolute")
    )
    pair = "method benchmark outcome effect interval p threshold achieved_slowdown caveats"
    assert set(pair.split()) <= builtins["pairs"][0].keys()
    assert {"id", "outcome", "detected_by", "reached_by", "caveats"} <= builtins["methods"][
        0
    ].keys()
    benchmark = {"id", "max_spread", "runs", "unique", "shared", "caveats"}
    assert benchmark <= builtins["benchmarks"][0].keys()
    assert builtins["caveats"][0].keys() == {"slug", "text"}


def test_numbers_are_those_of_the_verdict():
    verdict = examples.audit()
    result = make_document(seed=42)

    assert result.seed == 42
    assert result.slowdown == verdict.slowdown
    assert result.scores.total.percent == verdict.total.percent
    assert result.pairs[3].effect == verdict.pairs[3].effect
    assert result.pairs[3].runs[1].slowed == verdict.pairs[3].runs[1].slowed
    assert result.minimal_cover == verdict.cover.benchmarks
    assert result.host_facts["governor"] == "unknown"


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS)
def test_a_result_satisfies_its_schema(verdict):
    text = results.format_json(
        document_of_verdict.build_abs_document(verdict(), examples.context())
    )

    check_schema("result", text)


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS)
def test_what_was_written_is_read_back_the_same(verdict):
    document = document_of_verdict.build_abs_document(verdict(), examples.context())

    parsed_document = documents.parse_document(results.format_json(document))

    assert parsed_document == document


def test_a_stability_result_satisfies_the_schema_and_is_told_apart():
    document = document_of_verdict.stability_document(
        examples.audit().stability, examples.context()
    )

    check_schema("result", results.format_json(document))
    assert isinstance(
        documents.parse_document(results.format_json(document)), documents.StabilityDocument
    )
    assert not hasattr(document, "scores")


def test_numbers_that_json_does_not_have_are_null():
    document = document_of_verdict.build_abs_document(examples.nothing(), examples.context())

    assert document.slowdown is None
    assert "NaN" not in results.format_json(document)


def test_a_field_is_a_line_and_so_is_an_object_of_a_list_of_them():
    name = "a [{\n1,\n2}] b"
    fields = {
        "values": [1.5, None, -2e-9],
        "name": name,
        "list": [{"a": [{}]}, {"b": 2}],
        "none": [],
    }

    text = results.format_json(fields)

    assert text.splitlines() == [
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
    assert json.loads(text) == fields


def test_the_same_verdict_gives_the_same_bytes():
    text, second_text = (results.format_json(make_document()) for _ in range(2))

    assert text == second_text


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "bench-audit/abs/99"}', b"\xff\xfe"])
def test_what_is_not_a_result_is_a_usage_error_of_one_line(text):
    with pytest.raises(
        UsageError, match=r"^this is not a result of bench-audit abs or stability: [^\n]*$"
    ):
        documents.parse_document(text)


def test_a_missing_field_is_named():
    builtins = msgspec.to_builtins(make_document())
    del builtins["scores"]

    with pytest.raises(UsageError, match="scores"):
        documents.parse_document(results.format_json(builtins))


def test_half_characters_are_written_out():
    result = make_document(subject="a\udc80b")

    assert result.subject == "a\\udc80b"
    assert documents.parse_document(results.format_json(result)) == result
