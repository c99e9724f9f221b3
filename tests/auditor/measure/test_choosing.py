"""Which benchmarks are chosen by a pattern, and which could be."""

import re

import pytest
import regex

from auditor.core.errors import NoBenchmarks
from auditor.core.stability import Filter
from auditor.core.suite import Benchmark, Suite
from auditor.measure.stability_study import find_unmeasured
from auditor.measure.suite_runs import choose_benchmarks, may_be_chosen

UNIT = "example.org/ring"
SUITE = Suite((Benchmark(group=UNIT, name="BenchmarkPush/deep"),), passed_over=("other",))


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        ".*",
        "Push",
        "deep",  # may be the name of a part
        "Pop$",
        "^BenchmarkPush",
        "^BenchmarkPush$",
        "^BenchmarkPush/deep$",
        "^BenchmarkPushed",  # nothing is said of what comes behind the name
        r"^example\.org/ring\.",
        "^example.org/ring.BenchmarkPush",
        "^example.org/(ring|tree)\\.",
        "^(?:BenchmarkPop|BenchmarkPush)",
        "(?i)^benchmarkpush",
        "^Benchmark(?=Push)",
        "^Benchmark(?!Pop)",
        "^BenchmarkPush(?!$)",
        r"^Benchmark(?!Push\Z)",
        "^(?:(?!Push$).)*$",
        r"^example\.org/ring\.BenchmarkPush(?!$)",
        r"^BenchmarkPush\B",
        "^(?=.*deep$)Benchmark",
        r"^BenchmarkPush\b",
        "x|^BenchmarkPush",
    ],
)
def test_what_may_match_may_be_chosen(pattern):
    re.compile(pattern)

    assert may_be_chosen(pattern, UNIT, "BenchmarkPush")


@pytest.mark.parametrize(
    "pattern",
    [
        "^BenchmarkPop",
        "^Pop",
        r"^example\.org/tree\.",
        r"^example\.org/ring/",
        r"^example\.org/ring\.BenchmarkPop",
        "^BenchmarkPus$",
        "^(BenchmarkPop|BenchmarkPeek)",
        r"\Aexample\.org/tree",
    ],
)
def test_what_cannot_match_cannot_be_chosen(pattern):
    assert not may_be_chosen(pattern, UNIT, "BenchmarkPush")


def test_a_pattern_that_another_engine_does_not_understand_may_choose_anything(monkeypatch):
    def compiled(_pattern):
        raise regex.error("unknown")

    monkeypatch.setattr(regex, "compile", compiled)

    assert may_be_chosen("^BenchmarkPop", UNIT, "BenchmarkPush")


def test_what_was_passed_over_is_left_out_though_all_that_was_listed_matches():
    part = find_unmeasured(SUITE, "^BenchmarkPush", 1)

    assert part.filter == Filter("^BenchmarkPush", 1, 1)
    assert find_unmeasured(Suite(SUITE.benchmarks), "^BenchmarkPush", 1).filter is None


def test_where_nothing_matches_what_was_listed_is_said_to_be_part():
    with pytest.raises(NoBenchmarks, match="the packages that were listed have 1, such as"):
        choose_benchmarks(SUITE, "^BenchmarkPush/shallow")
    with pytest.raises(NoBenchmarks, match="the suite has 1, such as"):
        choose_benchmarks(Suite(SUITE.benchmarks), "^BenchmarkPush/shallow")
