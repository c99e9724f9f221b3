"""Processes of real suites that end once they are warm and measured."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys

import pytest
from real_program import (
    JAVA_RING,
    PYTHON_RING,
    commit,
    config,
    everything,
    git,
    left_behind,
    runs,
)

pytestmark = pytest.mark.subject

# The rule looks at a second of iterations at a time, and five times at least.
SHORT = {"iteration_time": "20ms", "min_measured_blocks": 10, "limit": "30s", "iterations": 3000}


def slugs(benchmark):
    return [caveat["slug"] for caveat in benchmark["caveats"]]


def caveat_slugs(document):
    return {
        benchmark["id"].rpartition(".")[2]: slugs(benchmark) for benchmark in document["benchmarks"]
    }


@pytest.mark.timed
def test_a_go_suite_is_measured_when_it_is_warm(program, module, tmp_path):
    config_path = config(tmp_path / "config.json", subject=str(module), warmup=SHORT)
    before = everything(module)
    call = (
        "stability",
        "--stability-runs",
        "1",
        config_path,
        "--warmup",
        "rciw",
        "--benchmarks",
        "Add",
        "-o",
        tmp_path / "out",
    )

    document, _ = program.audited(*call)

    (benchmark,) = document["benchmarks"]
    (text,) = [caveat["text"] for caveat in benchmark["caveats"] if caveat["slug"] == "warm-after"]
    assert " iterations by rciw, " in text
    assert len(benchmark["means"]) == 1
    assert not {"not-seen-warm", "watched-time"} & {
        caveat["slug"] for caveat in document["caveats"]
    }
    assert everything(module) == before
    assert left_behind(program.cache) == []

    store = tmp_path / "out" / "store.sqlite"
    first_runs = runs(store)
    second_document, _ = program.audited(*call)
    assert runs(store) == first_runs
    assert second_document["benchmarks"][0]["means"] == benchmark["means"]


def test_what_the_limit_ends_is_marked(program, module, tmp_path):
    warmup = {**SHORT, "method": "kbkssd", "limit": "200ms"}
    config_path = config(tmp_path / "config.json", subject=str(module), warmup=warmup)

    document, _ = program.audited(
        "stability", "--stability-runs", "1", config_path, "-o", tmp_path / "out"
    )

    assert caveat_slugs(document) == {
        name: ["not-seen-warm"] for name in ("BenchmarkAdd", "BenchmarkTwice")
    }
    (text,) = [
        caveat["text"] for caveat in document["caveats"] if caveat["slug"] == "not-seen-warm"
    ]
    assert text.startswith("2 of 2 benchmarks have processes that did not reach steady state (")
    assert all(len(benchmark["means"]) == 1 for benchmark in document["benchmarks"])


def test_java_benchmarks_that_go_wrong_do_not_keep_the_others_from_it(program, tmp_path):
    warmup = {**SHORT, "method": "rciw", "limit": "20s"}
    config_path = config(tmp_path / "c.json", subject=str(JAVA_RING), warmup=warmup, timeout="5s")

    document, _ = program.audited(
        *("stability", "--stability-runs", "1", config_path, "-o", tmp_path / "out"),
        *("--benchmarks", "Durations.micros|Naughty.(hangs|fails|talks)"),
    )

    ended = {
        benchmark["id"].rpartition(".")[2]: benchmark["ending"]
        for benchmark in document["benchmarks"]
    }
    assert ended == {
        "micros": "measured",
        "talks": "measured",
        "hangs": "timed-out",
        "fails": "crashed",
    }
    watched = {
        name
        for name, benchmark_slugs in caveat_slugs(document).items()
        if {"warm-after", "not-seen-warm"} & {*benchmark_slugs}
    }
    assert watched == {"micros", "talks"}
    (text,) = [caveat["text"] for caveat in document["caveats"] if caveat["slug"] == "watched-time"]
    assert text.startswith("2 processes with a stopping rule ran ")
    assert left_behind(program.cache) == []


@pytest.mark.timed
def test_a_python_benchmark_is_watched_for_its_stability(program, tmp_path):
    config_path = config(tmp_path / "config.json", subject=str(PYTHON_RING), warmup=SHORT)

    document, _ = program.audited(
        *("stability", config_path, "--warmup", "rciw", "-o", tmp_path, "--benchmarks", "push"),
        *("--stability-runs", "2"),
    )

    watched = [
        benchmark for benchmark in document["benchmarks"] if "warm-after" in slugs(benchmark)
    ]
    assert watched
    assert all(benchmark["max_spread"] is not None for benchmark in watched)


@pytest.mark.timed
def test_an_audit_warms_all_its_processes_up_alike(program, module, tmp_path):
    warmup = {**SHORT, "method": "rciw"}
    config_path = config(tmp_path / "config.json", subject=str(module), warmup=warmup, runs=1)

    document, _ = program.audited(
        *("abs", config_path, "-o", tmp_path / "out", "--benchmarks", "Add"),
        *("--method", "example.org/tiny.Add"),
    )

    assert [slugs(benchmark) for benchmark in document["benchmarks"]] == [["warm-after"]]
    assert [method["outcome"] for method in document["methods"]] == ["detected"]
    planned = warm_ups(tmp_path / "out" / "store.sqlite")
    # What is compared warms up as long as the watched processes did, not as the plan has it.
    assert planned["suite"] == {0}
    assert planned.get("reference", planned["pairs"]) == planned["pairs"]
    assert min(planned["pairs"]) >= 1
    assert planned["pairs"] != {1}


def warm_ups(store):
    """Return how many blocks of warm-up processes have, by what they are for."""
    block_counts = {}
    with sqlite3.connect(store) as connection:
        for purpose, schedule in connection.execute("SELECT purpose, schedule FROM trial"):
            phases = re.findall(r"warmup", schedule)
            block_counts.setdefault(purpose, set()).add(len(phases))
    return block_counts


def test_both_sides_of_a_comparison_are_watched(program, module, tmp_path):
    git(module, "init", "-q", "-b", "main")
    commit(module, "base")
    (module / "tiny.go").write_text((module / "tiny.go").read_text().replace("200", "400"))
    commit(module, "slower")
    compare = {"rounds": 4, "confirm": 5, "min_delta": 0.2}
    warmup = {**SHORT, "limit": "2s", "iterations": 100}
    config_path = config(tmp_path / "c.json", subject=str(module), warmup=warmup, compare=compare)
    words = ("HEAD~1", "HEAD", config_path, "--warmup", "rciw", "--methods", "0")
    store = tmp_path / "s.sqlite"

    document, _ = program.audited("compare", *words, "--store", store, "-o", tmp_path / "out")

    assert {"watched-time", "not-seen-warm"} & {caveat["slug"] for caveat in document["caveats"]}
    with sqlite3.connect(store) as connection:
        watched = connection.execute(
            "SELECT DISTINCT subject FROM trial WHERE watch <> '' AND purpose = 'suite'"
        ).fetchall()
    assert len(watched) == 2


def test_another_model_than_the_one_that_comes_with_it(program, module, tmp_path):
    """What a file has to be is tested where files are read; here that it is asked for it."""
    path = tmp_path / "mine.npz"
    path.write_bytes(b"something else")
    warmup = {"method": "learned", "model": "mine.npz"}
    config_path = config(tmp_path / "config.json", subject=str(module), warmup=warmup)

    line = program.refused(
        "stability", "--stability-runs", "1", config_path, code=2, slug="model-unusable"
    )

    assert f"the model {path} is damaged" in line
    assert not program.state.exists()


@pytest.mark.timed
def test_a_model_that_has_not_seen_such_processes_leaves_them_to_a_rule(program, module, tmp_path):
    warmup = {**SHORT, "iteration_time": "10ms", "iterations": 1500}
    config_path = config(tmp_path / "config.json", subject=str(module), warmup=warmup)

    document, _ = program.audited(
        *(
            "stability",
            "--stability-runs",
            "1",
            config_path,
            "--warmup",
            "learned",
            "-o",
            tmp_path,
            "--benchmarks",
            "Add",
        )
    )

    (text,) = [
        caveat["text"] for caveat in document["caveats"] if caveat["slug"] == "watched-otherwise"
    ]
    assert text.startswith(
        "learned is validated only for iterations of about 100 ms (jmh) and 30 ms (go); rciw"
    )
    (benchmark,) = document["benchmarks"]
    (after,) = [caveat["text"] for caveat in benchmark["caveats"] if caveat["slug"] == "warm-after"]
    assert " iterations by rciw, " in after


def test_what_runs_elsewhere_is_looked_at_while_it_prints(program, module):
    call = f"cd {module} && exec go test -bench Add -run none -count 12 -benchtime 100x ."

    answer = program.call("steady", "--warmup", "cov", "--", "sh", "-c", call)

    assert answer.returncode == 0, answer
    assert answer.stdout.count("ns/op") == 12
    assert "example.org/tiny.BenchmarkAdd" in answer.stdout.rpartition("PASS")[2]
    assert "0 of 1 processes were seen warm." in answer.stdout
    assert "not seen warm in 12 iterations" in answer.stdout


def test_what_comes_through_a_pipe_is_looked_at_too(program, tmp_path):
    printed = tmp_path / "printed"
    line = "BenchmarkFast-2\t1000\t1000000.0 ns/op\n"
    printed.write_text("goos: linux\npkg: example.org/x\n" + 40 * line)
    words = [sys.executable, "-m", "auditor", "steady", "-", "--warmup", "cov", "--format", "json"]

    with printed.open() as file:
        answer = subprocess.run(
            words, stdin=file, env=program.environment(), capture_output=True, text=True, check=True
        )

    document = json.loads(answer.stdout)
    assert document["schema"] == "bench-audit/steady-live/1"
    (process,) = document["processes"]
    assert (process["benchmark"], process["iterations"]) == ("example.org/x.BenchmarkFast-2", 40)
    assert 0 < process["warm"] <= 40
    assert process["set"] is None


def test_an_interrupt_ends_what_is_watched_and_shows_what_was_seen(program, tmp_path):
    pid_path = tmp_path / "there"
    lines = "while :; do echo 'BenchmarkA 10 5000 ns/op'; sleep 0.05; done"
    printing = f"echo $$ > {pid_path}; {lines}"
    with program.start("steady", "--warmup", "cov", "--", "sh", "-c", printing) as process:
        first = process.stdout.readline()
        # What is shown is looked at right after: another line follows when that is done.
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)

    assert first == "BenchmarkA 10 5000 ns/op\n"
    assert process.returncode == 130, stderr
    assert "0 of 1 processes were seen warm." in stdout
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_path.read_text()), 0)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "error[usage]: no input given"),
        (("--", "true"), 5, "no verdict: it printed no iteration of JMH"),
        (("--", "sh", "-c", "echo broken >&2; exit 7"), 3, "sh failed (exit code 7)"),
        (("--", "no-such-program"), 4, "error[tool-missing]: no-such-program was not found"),
        (("--model", "none.npz", "--", "true"), 2, "error[model-unusable]: cannot read the model"),
    ],
)
def test_what_cannot_be_watched_is_said(program, words, code, message):
    answer = program.call("steady", *words)

    assert answer.returncode == code, answer
    assert message in answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize(
    ("warmup", "message"),
    [
        ({"method": "magic"}, '"fixed", "cov", "rciw", "kld", "kbkssd", "fcn", "oscnn", "rocket"'),
        ({"method": "rciw", "model": "x.npz"}, "rciw needs no model; remove warmup.model"),
        ({"method": "rciw", "limit": "long"}, "at warmup.limit"),
        ({"method": "rciw", "iteration_time": "soon"}, "at warmup.iteration_time"),
        ({"width": 0}, "warmup.width"),
        (
            {"method": "cov", "min_measured_blocks": 9, "iterations": 9},
            "9 at warmup.min_measured_blocks",
        ),
    ],
)
def test_what_no_warm_up_can_be_is_said_in_a_line(program, module, tmp_path, warmup, message):
    config_path = config(tmp_path / "config.json", subject=str(module), warmup=warmup)

    slug = "model-unusable" if "model" in warmup else "usage"
    assert message in program.refused(
        "stability", "--stability-runs", "1", config_path, code=2, slug=slug
    )
