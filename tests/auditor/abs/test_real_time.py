"""Time-outs, budgets and listings of the real program, on tiny modules that take their time."""

import json
import sqlite3
import time
from datetime import datetime

import pytest
from real_program import PLAN, config, runs, tiny

pytestmark = pytest.mark.subject

SHORT = {**PLAN, "warmup": 0, "iterations": 2}
FULL = """package tiny

import (
	"os"
	"testing"
	"time"
)

func BenchmarkAdd(b *testing.B) {
	sink := uint64(0)
	for i := 0; i < b.N; i++ {
		sink = Add(sink + 1)
	}
	if file, err := os.OpenFile("NOTES", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		file.WriteString("x")
		file.Close()
	}
}

func BenchmarkSlow(b *testing.B) {
	if WHEN {
		time.Sleep(PAUSE)
	}
	for i := 0; i < b.N; i++ {
		Add(uint64(i))
	}
}
"""


def slow(folder, pause, when="b.N > 1"):
    """Write a module with a benchmark that pauses, and one that notes when it is run."""
    notes = folder.parent / "notes"
    text = FULL.replace("PAUSE", pause).replace("WHEN", when).replace("NOTES", str(notes))
    tiny(folder, tests=text)
    return notes


def endings(store):
    """Return how the runs of the slow benchmark ended."""
    connection = sqlite3.connect(store)
    rows = connection.execute(
        "SELECT ending FROM run JOIN trial ON trial.id = run.trial"
        " WHERE benchmark LIKE '%Slow' ORDER BY run.id"
    )
    run_endings = [ending for (ending,) in rows]
    connection.close()
    return run_endings


def test_a_longer_time_out_takes_effect_on_what_is_known_to_have_timed_out(
    program, module, tmp_path
):
    slow(module, "time.Second")
    store = tmp_path / "s.sqlite"
    call = ("--store", store, "-o", tmp_path / "out")
    short, long = (
        config(tmp_path / f"{limit}.json", subject=str(module), plan=SHORT, timeout=limit)
        for limit in ("400ms", "60s")
    )

    before, _ = program.audited("stability", "--stability-runs", "1", short, *call)
    first = endings(store)
    program.audited_again(store, "stability", "--stability-runs", "1", short, *call)
    after, _ = program.audited("stability", "--stability-runs", "1", long, *call)

    assert first == ["timed-out"]
    assert set(endings(store)) == {"measured"}
    means = [
        {benchmark["id"]: benchmark["means"] for benchmark in document["benchmarks"]}
        for document in (before, after)
    ]
    assert [bool(mean["example.org/tiny.BenchmarkSlow"]) for mean in means] == [False, True]


def test_a_longer_time_out_takes_effect_on_what_could_not_even_be_listed(program, module, tmp_path):
    slow(module, "time.Second", when="b.N == 1")
    call = ("--store", tmp_path / "s.sqlite", "-o", tmp_path / "out", "--dry-run")
    counts = []
    for limit in ("400ms", "400ms", "60s"):
        config_file = config(tmp_path / "c.json", subject=str(module), plan=SHORT, timeout=limit)
        document, _ = program.audited("stability", "--stability-runs", "1", config_file, *call)
        counts.append(document["phases"][0]["trials"])

    assert counts == [1, 1, 2]


def test_a_suite_is_listed_once_and_the_clock_runs_from_the_start(program, module, tmp_path):
    notes = slow(module, "2 * time.Second", when="b.N == 1")
    config_file = config(tmp_path / "c.json", subject=str(module), plan=SHORT)
    call = ("--store", tmp_path / "s.sqlite", "-o", tmp_path / "out")

    first, _ = program.audited("stability", "--stability-runs", "1", config_file, *call)
    first_notes = notes.read_text()
    plan, _ = program.audited("stability", "--stability-runs", "1", config_file, *call, "--dry-run")
    first, second, _ = program.audited_again(
        tmp_path / "s.sqlite",
        "stability",
        "--stability-runs",
        "1",
        config_file,
        *call,
        before=first,
    )

    assert notes.read_text() == first_notes
    assert [(phase["known"], phase["seconds"]) for phase in plan["phases"]] == [(2, 0), (2, 0)]
    assert second["benchmarks"] == first["benchmarks"]
    first_start = min(started for _, _, started in runs(tmp_path / "s.sqlite").values())
    listing = datetime.fromisoformat(first_start) - datetime.fromisoformat(first["started"])
    assert listing.total_seconds() > 2


@pytest.mark.timed
def test_a_budget_ends_a_benchmark_that_hangs_and_it_has_not_timed_out(program, module, tmp_path):
    slow(module, "time.Hour")
    config_file = config(
        tmp_path / "c.json", subject=str(module), plan=SHORT, methods=["tiny.Add"], slowdown="auto"
    )
    store, output = tmp_path / "s.sqlite", tmp_path / "out"
    call = ("abs", config_file, "--store", store, "-o", output)
    program.call(*call, "--dry-run")  # what is built and listed takes no time of the budget
    started = time.monotonic()

    answer = program.call(*call, "--budget", "5s", "--format", "json")

    assert time.monotonic() - started < 30
    assert answer.returncode == 5, answer
    assert "no verdict: nothing was measured" in answer.stderr
    document = json.loads(answer.stdout)
    assert (document["slowdown"], document["scores"]["total"]["bounds"]) == (None, [0.0, 100.0])
    assert "budget" in {caveat["slug"] for caveat in document["caveats"]}
    assert endings(store) == []


def test_a_budget_ends_a_listing_that_hangs(program, module):
    slow(module, "time.Hour", when="b.N == 1")
    started = time.monotonic()

    line = program.refused("abs", module, "--budget", "4s", code=5, slug="out-of-time")

    assert time.monotonic() - started < 30
    assert "the budget ended before the subject was built and its suite listed" in line
