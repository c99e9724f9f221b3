"""Trained models at work on Java that runs, and what processes may do that are looked at."""

import json
import shlex
import sqlite3
import time

import pytest
from real_program import JAVA_RING, config, left_behind, running

pytestmark = pytest.mark.subject

# What the models have seen: JMH's iterations of a tenth of a second, a hundred of them.
WARMUP = {"iteration_time": "100ms", "min_measured_blocks": 10, "limit": "60s", "iterations": 130}
COMMAS = {"JAVA_TOOL_OPTIONS": "-Duser.language=de -Duser.country=DE"}
STALLS = """package tiny

import (
	"testing"
	"time"
)

var calls int

func BenchmarkStalls(b *testing.B) {
	calls++
	if calls == 8 {
		time.Sleep(15 * time.Second)
	}
	for i := 0; i < b.N; i++ {
		Add(uint64(i))
	}
}
"""


@pytest.mark.parametrize("method", ["learned", "rocket", "oscnn", "fcn"])
def test_a_model_looks_at_java_while_it_runs(program, tmp_path, method):
    """Also where numbers are printed with decimal commas."""
    config_path = config(
        tmp_path / "c.json", subject=str(JAVA_RING), warmup={**WARMUP, "method": method}
    )

    document, _ = program.audited(
        *(
            "stability",
            "--stability-runs",
            "1",
            config_path,
            "--benchmarks",
            "Durations.micros",
            "-o",
            tmp_path / "out",
        ),
        **COMMAS,
    )

    assert "watched-otherwise" not in [caveat["slug"] for caveat in document["caveats"]]
    (benchmark,) = document["benchmarks"]
    caveat_texts = {caveat["slug"]: caveat["text"] for caveat in benchmark["caveats"]}
    assert (f" by {method}" in caveat_texts.get("warm-after", "")) != (
        "not-seen-warm" in caveat_texts
    )
    assert len(benchmark["means"]) == 1
    iteration_count = iterations(tmp_path / "out" / "store.sqlite")
    assert 0 < iteration_count <= 130
    # None says anything of fewer; ours looks twenty times.
    assert iteration_count >= (119 if method == "learned" else 100)
    assert left_behind(program.cache) == []


def test_ours_looks_at_go_in_iterations_that_it_has_been_shown_to_judge(program, module, tmp_path):
    config_path = config(tmp_path / "c.json", subject=str(module), warmup={"method": "learned"})

    document, _ = program.audited(
        "stability",
        "--stability-runs",
        "1",
        config_path,
        "--benchmarks",
        "Add",
        "-o",
        tmp_path / "out",
    )

    assert "watched-otherwise" not in [caveat["slug"] for caveat in document["caveats"]]
    (benchmark,) = document["benchmarks"]
    caveat_texts = {caveat["slug"]: caveat["text"] for caveat in benchmark["caveats"]}
    assert (" by learned" in caveat_texts.get("warm-after", "")) != (
        "not-seen-warm" in caveat_texts
    )
    assert iterations(tmp_path / "out" / "store.sqlite") >= 119
    with sqlite3.connect(tmp_path / "out" / "store.sqlite") as connection:
        (schedule,) = connection.execute(
            "SELECT schedule FROM trial WHERE purpose = 'suite'"
        ).fetchone()
    assert json.loads(schedule)["seconds"] == 0.03
    assert left_behind(program.cache) == []


def iterations(store):
    """Return how many iterations of the one benchmark were kept."""
    with sqlite3.connect(store) as connection:
        row = connection.execute(
            "SELECT sum(length(packed)) / 8 FROM series JOIN run ON run.id = series.run"
            " JOIN trial ON trial.id = run.trial WHERE purpose = 'suite' AND metric = 'time'"
        ).fetchone()
    return row[0]


def test_an_auditor_that_is_killed_leaves_no_java_that_it_looked_at(program, tmp_path):
    """What it ran is run again by itself, and looked at while it prints."""
    warmup = {**WARMUP, "method": "learned", "iterations": 3000, "min_measured_blocks": 2900}
    config_path = config(tmp_path / "c.json", subject=str(JAVA_RING), warmup=warmup)
    words = ("stability", "--stability-runs", "1", config_path, "--benchmarks", "Durations.micros")
    process = program.start(*words, "-q", "-o", tmp_path / "out")
    while not (result := forked(program.cache)):
        assert process.poll() is None
        time.sleep(0.1)
    process.kill()
    process.communicate()

    assert left_behind(program.cache, within=90.0) == []
    java_command = shlex.split(result[0])
    path = java_command[
        1 + next(n for n, word in enumerate(java_command) if word in {"-cp", "-classpath"})
    ]
    jmh = ("java", "-cp", path, "org.openjdk.jmh.Main", "Durations.micros", "-foe", "true")
    answer = program.call(
        *("steady", "--warmup", "cov", "--", *jmh),
        *("-f", "1", "-wi", "0", "-i", "12", "-r", "20ms", "-bm", "avgt", "-tu", "us"),
    )

    assert answer.returncode == 0, answer
    assert answer.stdout.count("us/op") >= 12
    assert "0 of 1 processes were seen warm." in answer.stdout
    assert "not seen warm in 12 iterations" in answer.stdout


def forked(cache):
    """Return the command lines of JVMs that run benchmarks."""
    return [line for line in running() if "ForkedMain" in line and str(cache) in line]


def test_an_iteration_of_fifteen_seconds_is_one_iteration(program, module, tmp_path):
    (module / "tiny_test.go").write_text(STALLS)
    warmup = {**WARMUP, "iteration_time": "20ms", "method": "rciw", "min_measured_blocks": 5}
    config_path = config(tmp_path / "c.json", subject=str(module), warmup=warmup)

    document, _ = program.audited(
        "stability", "--stability-runs", "1", config_path, "-o", tmp_path / "out"
    )

    (benchmark,) = document["benchmarks"]
    assert benchmark["ending"] == "measured"
    assert {caveat["slug"] for caveat in benchmark["caveats"]} & {"warm-after", "not-seen-warm"}
    with sqlite3.connect(tmp_path / "out" / "store.sqlite") as connection:
        (seconds,) = connection.execute(
            "SELECT max(seconds) FROM run JOIN trial ON trial.id = run.trial"
            " WHERE purpose = 'suite'"
        ).fetchone()
    assert seconds > 15
    assert left_behind(program.cache) == []
