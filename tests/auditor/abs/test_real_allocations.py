"""Whole audits of real suites: which of their benchmarks would show one more allocation."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from real_program import JAVA_RING, Program, config, ring, runs

pytestmark = [pytest.mark.subject, pytest.mark.timed]

GO = {
    "harness": "go",
    "benchmarks": "^Benchmark(Small|Seldom|PushPop|Parallel)$",
    "methods": ["ring.Small", "ring.Push", "ring.Positive", "ring.New", "ring.Unused"],
    "estimate": True,
    "stability_runs": 1,
    "runs": 1,
}
JAVA = {
    "benchmarks": r"\.(Threads\.two|Rings\.pushAndPop)",
    "methods": [
        f"org.example.ring.{method}"
        for method in ("Shared.add", "Ring.pop", "Ring.fill", "Ring.clear")
    ],
    "estimate": True,
    "stability_runs": 1,
    "runs": 1,
    "plan": {"forks": 1, "warmup": 10, "iterations": 2, "iteration_time": "10ms"},
}


@dataclass(frozen=True, slots=True)
class Audited:
    """An audit that has ended, and how to repeat it."""

    program: Program
    call: tuple[object, ...]
    document: dict

    @property
    def methods(self):
        """Return the outcome of each method by the end of its id."""
        document = self.document["allocations"]["methods"]
        return {method["id"].rpartition(".")[2]: method["outcome"] for method in document}

    @property
    def pairs(self):
        """Return the pairs by the ends of their ids."""
        return {
            tuple(pair[key].rpartition(".")[2] for key in ("method", "benchmark")): pair
            for pair in self.document["allocations"]["pairs"]
        }


def audited(shared_cache, folder, subject, **keys):
    program = Program.below(folder, shared_cache)
    config_file = config(folder / "c.json", subject=str(subject), **keys)
    call = ("abs", config_file, "--store", folder / "s.sqlite", "-o", folder / "out")
    document, _ = program.audited(*call, "--allocations")
    return Audited(program, call, document)


@pytest.fixture(scope="module")
def go(shared_cache, tmp_path_factory):
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    folder = tmp_path_factory.mktemp("go")
    return audited(shared_cache, folder, ring(folder / "go-ring"), **GO)


@pytest.fixture(scope="module")
def java(shared_cache, tmp_path_factory):
    for tool in ("java", "javac", "mvn"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    folder = tmp_path_factory.mktemp("java")
    subject = Path(shutil.copytree(JAVA_RING, folder / "java-ring"))
    return audited(shared_cache, folder, subject, **JAVA)


def test_go_prints_an_allocation_of_each_method_that_is_called_in_each_operation(go):
    assert go.methods == {
        "Small": "detected",
        "Push": "detected",
        "Positive": "missed",
        "New": "unreached",
        "Unused": "unreached",
    }
    assert (go.document["allocations"]["noticed"], go.document["allocations"]["counted"]) == (2, 5)


def test_go_counts_right_in_several_goroutines_and_for_two_calls(go):
    for key, calls in {
        ("Small", "BenchmarkSmall"): 1,
        ("Small", "BenchmarkParallel"): 1,
        ("Push", "BenchmarkPushPop"): 2,
    }.items():
        pair = go.pairs[key]
        assert (pair["outcome"], pair["unit"], pair["rise"]) == ("detected", "allocs/op", calls)
        assert pair["calls_per_operation"] == pytest.approx(calls, rel=0.01)
        assert pair["plain"] == 0


def test_a_call_in_a_hundred_operations_is_reached_and_shows_in_nothing(go):
    pair = go.pairs["Positive", "BenchmarkSeldom"]

    assert pair["calls_per_operation"] == pytest.approx(0.01, rel=0.1)
    assert (pair["outcome"], pair["interval"]) == ("missed", [0, 0])
    assert "does not rise" in pair["reason"]


def test_the_same_again_measures_nothing_and_shows_a_column(go):
    stored_runs = runs(go.call[3])

    answer = go.program.call(*go.call, "--allocations")

    assert runs(go.call[3]) == stored_runs
    assert sum(purpose == "allocation" for purpose, *_ in stored_runs.values()) == len(go.pairs)
    assert "One more allocation of 64 bytes per call would show in 2 of 5 methods." in answer.stdout
    assert "allocation shows" in answer.stdout
    assert "without anyone noticing: " in answer.stdout


def test_jmh_reports_the_bytes_of_all_threads(java):
    assert java.methods == {
        "add": "detected",
        "pop": "detected",
        "fill": "unreached",
        "clear": "unreached",
    }
    shared = java.pairs["add", "two"]
    assert (shared["unit"], shared["plain"]) == ("B/op", None)
    assert shared["calls_per_operation"] == pytest.approx(1.0, rel=0.01)
    assert shared["rise"] == pytest.approx(64, rel=0.1)


def test_jmh_shows_it_in_each_choice_of_parameters(java):
    pairs = [
        pair for pair in java.document["allocations"]["pairs"] if "pushAndPop" in pair["benchmark"]
    ]

    assert len(pairs) == 2
    for pair in pairs:
        assert pair["outcome"] == "detected"
        assert pair["rise"] == pytest.approx(64, rel=0.1)
