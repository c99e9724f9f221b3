"""The formats of shields.io and Bencher."""

import json

import jsonschema
import pytest
from builders import replace_fields
from format_schemas import BADGE, BMF

import examples
from auditor.abs import document_of_verdict
from auditor.abs.exports.formats import ExportFormat, format_result
from auditor.core.caveats import Caveat


@pytest.fixture
def audit():
    return document_of_verdict.build_abs_document(examples.audit(), examples.context())


@pytest.fixture
def stability():
    return document_of_verdict.stability_document(examples.audit().stability, examples.context())


def badge(document):
    badge_fields = json.loads(format_result(document, ExportFormat.BADGE))
    jsonschema.validate(badge_fields, BADGE)
    return badge_fields


def bmf(document):
    metrics = json.loads(format_result(document, ExportFormat.BMF))
    jsonschema.validate(metrics, BMF)
    return metrics


def scored(document, covered, counted, bounds):
    total = replace_fields(
        document.scores.total, percent=100 * covered / counted, bounds=bounds, covered=covered,
        counted=counted,
    )  # fmt: skip
    return replace_fields(document, scores=replace_fields(document.scores, total=total), caveats=())


@pytest.mark.parametrize(
    ("covered", "highest", "message", "colour"),
    [
        (8, 80, "8 of 10", "brightgreen"),
        (7, 70, "7 of 10", "yellow"),
        (5, 50, "5 of 10", "red"),
        (5, 70, "5 of 10, 2 open", "red"),
        (0, 100, "unknown", "lightgrey"),
    ],
)
def test_a_badge_shows_what_is_detected_and_what_is_open(audit, covered, highest, message, colour):
    badge_fields = badge(scored(audit, covered, 10, (10 * covered, highest)))

    assert (badge_fields["message"], badge_fields["color"]) == (message, colour)
    assert badge_fields["label"].endswith("slowdowns detected")


def test_a_badge_says_that_a_score_is_an_estimate(audit):
    document = scored(audit, 8, 10, (80, 80))
    estimate = replace_fields(document, caveats=(Caveat("estimate", "no method was slowed"),))

    assert badge(estimate)["message"] == "estimated 8 of 10"


def test_a_badge_of_nothing_is_unknown():
    document = document_of_verdict.build_abs_document(examples.nothing(), examples.context())

    assert badge(document)["message"] == "unknown"


def test_a_badge_of_stability_counts_benchmarks(stability):
    badge_fields = badge(stability)
    small = sum(
        benchmark.max_spread is not None and benchmark.max_spread < 0.1
        for benchmark in stability.benchmarks
    )
    measured_count = sum(benchmark.max_spread is not None for benchmark in stability.benchmarks)

    assert badge_fields["message"] == f"{small} of {measured_count}"


def test_bencher_gets_nanoseconds_with_the_range_of_the_runs(audit):
    metrics = bmf(audit)

    measured = [benchmark for benchmark in audit.benchmarks if benchmark.means]
    assert measured
    assert metrics.keys() == {benchmark.id for benchmark in measured} | {"bench-audit"}
    for benchmark in measured:
        latency = metrics[benchmark.id]["latency"]
        assert latency["value"] == pytest.approx(1e9 * benchmark.mean_seconds)
        assert latency["lower_value"] == pytest.approx(1e9 * min(benchmark.means))
        assert latency["lower_value"] <= latency["value"] <= latency["upper_value"]


def test_bencher_gets_the_score_with_its_bounds(audit):
    metrics = bmf(scored(audit, 5, 10, (50, 70)))

    assert metrics["bench-audit"] == {
        "api-benchmarking-score": {"value": 50, "lower_value": 50, "upper_value": 70}
    }


def test_bencher_gets_no_score_of_stability(stability):
    assert "bench-audit" not in bmf(stability)


def test_long_names_for_bencher_are_short_and_different(audit):
    measured = next(benchmark for benchmark in audit.benchmarks if benchmark.means)
    twins = tuple(replace_fields(measured, id=f"{'x' * 2000}{end}") for end in "ab")
    metrics = bmf(replace_fields(audit, benchmarks=twins))

    assert len(metrics) == 3
    assert max(map(len, metrics)) == 1024


def test_the_schema_of_bencher_takes_the_example_of_its_manual():
    example = {
        "benchmark_name": {"latency": {"value": 88.0, "lower_value": 87.42, "upper_value": 88.88}},
        "my_binary": {"file-size": {"value": 42.0}},
    }

    jsonschema.validate(example, BMF)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"a": {"latency": {"lower_value": 1}}}, BMF)


def test_the_schema_of_shields_takes_the_example_of_its_manual():
    jsonschema.validate(
        {"schemaVersion": 1, "label": "hello", "message": "sweet world", "color": "orange"}, BADGE
    )
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schemaVersion": 1, "label": "hello", "message": ""}, BADGE)
