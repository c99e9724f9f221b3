"""Audits of a small suite with and without other work beside them: the machine is blamed, only."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.abs.document import parse_document
from auditor.abs.page.report import render_page
from auditor.abs.text.words import format_headline

ROOT = Path(__file__).parents[2]
BUSY = 2 * (os.cpu_count() or 1)
MODULE = """package toy

//go:noinline
func Work(x uint64) uint64 {
	for n := 400; n > 0; n-- {
		x ^= x << 13
		x ^= x >> 7
	}
	return x
}

//go:noinline
func Aside(x uint64) uint64 {
	for n := 8; n > 0; n-- {
		x ^= x << 13
		x ^= x >> 7
	}
	return x
}

func Unused(x uint64) uint64 { return x + 1 }
"""
BENCHMARKS = """package toy

import "testing"

var sink uint64

func BenchmarkBoth(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Aside(Work(sink + 1))
	}
}
"""
WRONG = {"Work": {"missed", "unreached"}, "Aside": {"detected", "unreached"}, "Unused": {"missed"}}
CONFIG = {
    "stability_runs": 2,
    "runs": 2,
    "slowdown": 0.6,
    "controls": 0,
    "curve": "none",
    "methods": [f"example.org/toy.{name}" for name in WRONG],
    "plan": {"forks": 1, "warmup": 1, "iterations": 8, "iteration_time": "20ms"},
}
COUNTED = """
import json, sys
from busy import Load, show
alone, beside = Load(), Load()
audits = json.load(sys.stdin)
alone.add(audits[0])
beside.add(audits[1])
print(show("toy", {0: alone, 4: beside}, {"work": ["detected"], "aside": ["missed"]}))
"""


@pytest.fixture(scope="module")
def audits(tmp_path_factory):
    """Return the results with nothing and with BUSY processes beside the audit."""
    folder = tmp_path_factory.mktemp("toy")
    (folder / "go.mod").write_text("module example.org/toy\n\ngo 1.21\n")
    (folder / "toy.go").write_text(MODULE)
    (folder / "toy_test.go").write_text(BENCHMARKS)
    config = folder.with_suffix(".json")
    config.write_text(json.dumps({**CONFIG, "subject": str(folder)}))
    results_folder = folder.with_suffix(".kept")
    words = [
        "--suite",
        str(config),
        "--busy",
        f"0,{BUSY}",
        "--times",
        "1",
        "--keep",
        str(results_folder),
    ]
    ran = subprocess.run(
        [sys.executable, "benchmarks/busy.py", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    files = [results_folder / f"{config.name}-{load}-0/result.json" for load in (0, BUSY)]
    assert all(file.exists() for file in files), ran.stdout + ran.stderr
    return [parse_document(file.read_text()) for file in files]


@pytest.mark.subject
@pytest.mark.timed
def test_no_verdict_is_wrong_and_no_benchmark_is_blamed(audits):
    for document in audits:
        outcomes = {method.id.rpartition(".")[2]: method.outcome for method in document.methods}
        assert outcomes.keys() == WRONG.keys()
        assert not [name for name, outcome in outcomes.items() if outcome in WRONG[name]]
        assert [
            benchmark.bucket for benchmark in document.benchmarks if benchmark.max_spread is None
        ] in ([], [None])
        assert "Steady " not in render_page(document)


@pytest.mark.subject
@pytest.mark.timed
def test_the_headline_names_the_busy_machine(audits):
    busy = audits[1]
    if busy.strain.waited is None:  # this kernel does not count who waits: nothing is claimed
        assert not format_headline(busy).startswith("Busy machine")
        return

    assert busy.strain.foreign > 0.3
    assert format_headline(busy).startswith("Busy machine (processes waited ")
    assert "busy-machine" in [caveat.slug for caveat in busy.caveats]


def test_busy_processes_end_with_who_started_them(printed):
    left = printed(
        """
import os, subprocess, sys
code = "import busy, os\\nwith busy.busy_processes(1):\\n    os.kill(os.getpid(), 9)"
child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
print(len(child.stdout.read()))
"""
    )

    assert left == "0\n"  # the pipe that both held is closed, so neither is there


def test_wrong_verdicts_and_blamed_benchmarks_are_counted(printed):
    def audit(bucket, work, *slugs):
        return {
            "methods": [{"id": "work", "outcome": work}, {"id": "aside", "outcome": "missed"}],
            "benchmarks": [{"id": "b", "bucket": bucket}],
            "caveats": [{"slug": slug} for slug in slugs],
            "strain": {"waited": 0.5},
        }

    good = printed(
        COUNTED,
        json.dumps([audit("[0, .05)", "detected"), audit(None, "detected", "busy-machine")]),
    )
    assert good.splitlines()[-1] == "0"
    assert good.splitlines()[-2].split() == ["4", "1", "50%", "1", "0", "0", "2.0"]
    bad = printed(
        COUNTED, json.dumps([audit("[0, .05)", "detected"), audit("(.50, inf)", "missed")])
    )
    assert bad.splitlines()[-1] == "2"
    assert "✗ wrong: work: missed (1)" in bad
    assert "✗ called unstable: b" in bad
    few = printed(COUNTED, json.dumps([audit(None, "detected"), audit(None, "inconclusive")]))
    assert few.splitlines()[-1] == "1"
