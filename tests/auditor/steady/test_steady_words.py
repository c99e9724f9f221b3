"""When benchmarks are warm, in words."""

import json

import msgspec
import pytest

from auditor.core.caveats import Caveat
from auditor.core.provenance import Context
from auditor.core.series.steady import (
    BenchmarkSteadiness,
    NeededWarmup,
    SeriesSteadiness,
    SteadyLabel,
    SuiteSteadiness,
    WarmupEffect,
)
from auditor.steady import document as steady_document
from auditor.steady import page

CONTEXT = Context(
    subject="jmh.log",
    revision="sha256:0",
    language="java",
    harness="jmh",
    host="here",
    host_facts=(),
    runs=1,
    stability_runs=1,
    version="1",
    command="bench-audit steady jmh.log",
    started="2026-01-01T00:00:00Z",
    ended="2026-01-01T00:00:01Z",
)


def warm_up(*, early=0, relative_error=0.0, late=0, wasted=0.0):
    return WarmupEffect(
        iterations=10, early=early, relative_error=relative_error, late=late, wasted_seconds=wasted
    )


def series(fork, start, warm_up=None, label=SteadyLabel.STEADY, caveats=()):
    return SeriesSteadiness(
        run=0, fork=fork, iterations=50, label=label, steady_from=start, warm_up=warm_up,
        caveats=caveats,
    )  # fmt: skip


EARLY = BenchmarkSteadiness(
    id="org.example.Early.warms",
    series=(
        series(0, 30, warm_up(early=20, relative_error=0.25)),
        series(1, 12, warm_up(early=2, relative_error=0.01)),
    ),
    iteration_seconds=0.1,
    needed=NeededWarmup(
        seconds=2.9,
        operations=40,
        iterations=3,
        iteration_seconds=1.0,
        saved_seconds=-2.0,
        measured_seconds=None,
    ),
)
LATE = BenchmarkSteadiness(
    id="org.example.Late.wastes",
    series=(series(0, 3, warm_up(late=7, wasted=0.75)),),
    iteration_seconds=0.1,
    needed=NeededWarmup(
        seconds=0.3,
        operations=3,
        iterations=3,
        iteration_seconds=0.1,
        saved_seconds=0.75,
        measured_seconds=None,
    ),
)
NEVER = BenchmarkSteadiness(
    id="org.example.Never<b>.ends",
    series=(
        series(0, None, label=SteadyLabel.NOT_STEADY),
        series(1, None, label=SteadyLabel.UNKNOWN, caveats=(Caveat("series-short", "3 only"),)),
    ),
)
STEADINESS = SuiteSteadiness(
    detector="kb-kssd", benchmarks=(EARLY, LATE, NEVER), caveats=(Caveat("series-unequal", "x"),)
)


@pytest.fixture
def document():
    return steady_document.steady_document(STEADINESS, CONTEXT)


def test_the_document_has_each_process(document):
    result = json.loads(msgspec.json.encode(document))

    keys = ("benchmark", "fork", "label", "steady_from")
    assert [tuple(process[key] for key in keys) for process in result["series"]] == [
        ("org.example.Early.warms", 0, "steady", 30),
        ("org.example.Early.warms", 1, "steady", 12),
        ("org.example.Late.wastes", 0, "steady", 3),
        ("org.example.Never<b>.ends", 0, "no steady state", None),
        ("org.example.Never<b>.ends", 1, "cannot tell", None),
    ]  # fmt: skip
    assert [benchmark["warm_iterations"] for benchmark in result["benchmarks"]] == [30, 3, None]
    assert result["series"][0]["warm_up"]["relative_error"] == 0.25
    assert steady_document.parse_document(json.dumps(result)) == document


def test_what_gets_no_steady_state_comes_first(document):
    view = page.build_view(document)

    assert [(row.name, row.word.word) for row in view.rows] == [
        ("Never<b>.ends", "no steady state"),
        ("Early.warms", "steady"),
        ("Late.wastes", "steady"),
    ]
    assert view.headline == "Of 3 benchmarks: 2 steady, 1 no steady state"


def test_a_row_says_what_to_write(document):
    never, early, late = page.build_view(document).rows

    assert (early.steady, early.start) == ("2 of 2", "21 (at most 30)")
    assert early.warm_up == "20 measured cold, +25.0%"
    assert early.setting == "@Warmup(iterations = 3, time = 1)"
    assert late.warm_up == "7 too many, 750\u00a0ms"
    assert (early.saves, late.saves, never.saves) == ("costs 2\u00a0s", "saves 750\u00a0ms", "")
    assert (never.steady, never.start, never.setting, never.note) == ("0 of 2", "", "", "3 only")


def test_the_counts_are_of_the_suite(document):
    counts = page.build_view(document).counts

    assert counts == (
        "Judged by kb-kssd, 5 processes, 1 of them not judged; the configured warm-up is too short "
        "in 1 benchmark, in 1 longer than needed, by 750\u00a0ms in each run"
    )


NEEDED = {
    "seconds": 1.24,
    "operations": 31,
    "iterations": 4,
    "iteration_seconds": 0.1,
    "saved_seconds": None,
    "measured_seconds": 0.5,
}


@pytest.mark.parametrize(
    ("harness", "needed", "message"),
    [
        ("jmh", None, "@Warmup(iterations = 4)"),
        ("jmh", {}, "@Warmup(iterations = 4, time = 100, timeUnit = TimeUnit.MILLISECONDS)"),
        ("jmh", {"iteration_seconds": 10.0}, "@Warmup(iterations = 4, time = 10)"),
        (
            "jmh",
            {"iteration_seconds": 0.0004},
            "@Warmup(iterations = 4, time = 400, timeUnit = TimeUnit.MICROSECONDS)",
        ),
        ("jmh", {"iteration_seconds": None}, "@Warmup(iterations = 4)"),
        ("pyperf", None, "--warmups=4"),
        ("pyperf", {}, "--warmups=13"),
        ("go", {}, "-benchtime=500ms -count=10"),
        ("go", {"measured_seconds": None}, ""),
        ("pytest", {}, "--benchmark-warmup=on --benchmark-warmup-iterations=31"),
        ("pytest", {"operations": 0}, "--benchmark-warmup=off"),
        ("asv", {}, "warmup_time = 1.24"),
        ("asv", None, ""),
        ("series", {}, ""),
    ],
)
def test_settings_are_the_harness_own(harness, needed, message):
    benchmark = steady_document.SteadyBenchmark(
        id="b",
        label=SteadyLabel.STEADY,
        warm_iterations=4,
        iteration_seconds=0.1,
        needed=None if needed is None else NeededWarmup(**NEEDED | needed),
    )

    assert page.find_warmup_option(harness, benchmark) == message
    assert (
        page.find_warmup_option(harness, msgspec.structs.replace(benchmark, warm_iterations=None))
        == ""
    )
