"""Gates of small real projects, qualified by the real program."""

import json
import os
import sys
from pathlib import Path
from statistics import median

import pytest
from real_program import JAVA_RING, config, everything, left_behind, write

pytestmark = pytest.mark.subject

GATES = Path(__file__).parents[3] / "examples" / "gates"
RATIO = """#!/bin/sh
# Alarms where the best of five in {head} is more than half as long again as in {base}.
best() {
    cd "$1" && go test -bench 'Add$' -run none -benchtime 20000x -count 5 . |
        awk '/^BenchmarkAdd/ { print $3 }' | sort -n | head -n 1
}
base=$(best "$1") head=$(best "$2")
echo "$base $head" >> "${SEEN:-/dev/null}"
awk "BEGIN { exit ${head:-0} > 1.5 * ${base:-0} }"
"""
FAST = {
    "stability_runs": 2,
    "plan": {"forks": 1, "warmup": 1, "iterations": 8, "iteration_time": "3ms"},
}
LIBRARY = '''"""A library."""


def spin(times: int) -> int:
    """Take some time."""
    found = 0
    for each in range(times):
        found += each * each
    return found
'''
TEST = """from lib import spin


def test_spin(benchmark):
    benchmark(spin, 2000)
"""
# Both sides live side by side on one processor and take turns, so what slows the machine for a
# while slows both. Twice as long is less than that where the machine has become slower since the
# calibration.
PYTHON_RATIO = """
import os, subprocess, sys

SIDE = '''
import sys, time
sys.path.insert(0, sys.argv[1])
import lib
for _ in sys.stdin:
    took = []
    for _ in range(5):
        begun = time.perf_counter()
        lib.spin(2000)
        took.append(time.perf_counter() - begun)
    print(min(took), flush=True)
'''
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
sides = [
    subprocess.Popen([sys.executable, "-c", SIDE, folder + "/src"], **pipes)
    for folder in sys.argv[1:3]
]

def time_of(side):
    side.stdin.write("next\\n")
    return float(side.stdout.readline())

turns = [[time_of(side) for side in sides] for _ in range(200)]
for side in sides:
    side.stdin.close()
    side.wait()
base, head = map(min, zip(*turns))
print("slower:", head / base)
sys.exit(head > 1.3 * base)
"""
PROJECT = """[project]
name = "lib"
version = "1"
dependencies = []

[dependency-groups]
dev = ["pytest", "pytest-benchmark"]

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
"""


def gate(folder, text):
    path = folder / "gate.sh"
    path.write_text(text)
    path.chmod(0o755)
    return path


def qualified(program, folder, subject, *words, expected=0, environment=None, **more):
    config_file = config(folder / "config.json", subject=str(subject), **FAST, **more)
    out = folder / "out"
    call = ("qualify", "--subject", config_file, "-o", out, "--format", "json")
    answer = program.call(*call, *words, **(environment or {}))
    assert answer.returncode == expected, answer
    return json.loads(answer.stdout), answer.stderr


def rates(document):
    return {
        (rate["side"], rate["factor"]): (rate["alarms"], rate["pair_count"])
        for rate in document["rates"]
    }


@pytest.mark.timed
def test_a_ratio_of_a_go_benchmark_sees_twice_as_long(program, module, tmp_path):
    before = everything(module)
    ratio_file = tmp_path / "seen"
    words = (
        *("--method", "tiny.Add", "--slowdowns", "2x", "--runs", "5", "--must-see", "2x"),
        *("--", gate(tmp_path, RATIO), "{base}", "{head}"),
    )

    document, messages = qualified(
        program, tmp_path, module, *words, environment={"SEEN": ratio_file}
    )

    assert rates(document) == {
        ("same", 1.0): (0, 5),
        ("slowed", 2.0): (5, 5),
        ("sped", 2.0): (0, 5),
    }
    assert document["diagnoses"] == []
    assert "gate passed: 2x is seen more often than not" in messages
    (method,) = document["methods"]
    assert (method["calibrated"], method["seen_from"]) == (True, 2.0)
    # What was injected is what was asked for, as the gate itself has measured it.
    ratios = [
        float(head) / float(base)
        for base, head in map(str.split, ratio_file.read_text().splitlines())
    ]
    gate_answers = document["answers"]
    for side, factor, expected in (("slowed", 2.0, 2.0), ("sped", 2.0, 0.5), ("same", 1.0, 1.0)):
        values = [
            ratio
            for ratio, gate_answer in zip(ratios, gate_answers, strict=True)
            if (gate_answer["side"], gate_answer["factor"]) == (side, factor)
        ]
        assert median(values) == pytest.approx(expected, rel=0.25)
    assert everything(module) == before
    assert left_behind(program.cache) == []
    assert list(program.cache.rglob("pair")) == []

    repeated_document, messages = qualified(
        program, tmp_path, module, *words, environment={"SEEN": ratio_file}
    )
    assert len(ratio_file.read_text().splitlines()) == len(ratios)
    assert repeated_document["rates"] == document["rates"]
    assert f"known from an earlier call: {len(ratios)} answers" in messages

    gate(tmp_path, "#!/bin/sh\nexit 0\n")
    changed, messages = qualified(program, tmp_path, module, *words, expected=1)
    assert rates(changed)["slowed", 2.0] == (0, 5)
    assert "known from an earlier call" not in messages


@pytest.mark.timed
def test_gates_that_cannot_work_are_told_why(program, module, tmp_path):
    """One gate is dead, as it looks for what is never printed; one measures head twice."""
    (tmp_path / "dead").mkdir()
    dead = gate(tmp_path / "dead", RATIO.replace("^BenchmarkAdd/", "^BenchmarkAdd:/"))
    twice = gate(tmp_path, RATIO.replace('best "$1"', 'best "$2"'))
    options = ("--method", "tiny.Add", "--slowdowns", "10x", "--runs", "5", "--turns", "1", "--")

    document, messages = qualified(
        program, tmp_path, module, "--must-see", "10x", *options, dead, "{base}", "{head}",
        expected=1,
    )  # fmt: skip
    assert [diagnose["flaw"] for diagnose in document["diagnoses"]] == ["dead"]
    assert "gate failed: 10x is seen more often than not" in messages

    document, _ = qualified(program, tmp_path, module, *options, twice, "{base}", "{head}")
    assert [diagnose["flaw"] for diagnose in document["diagnoses"]] == ["self-comparison", "dead"]
    assert document["diagnoses"][0]["evidence"].endswith("only the code of head was run")


@pytest.mark.timed
def test_our_own_gate_fires_at_twice_as_long_and_only_then(program, module, tmp_path):
    """benchmarks/qualify.py is the whole of it."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    words = (
        *("--method", "tiny.Add", "--slowdowns", "2x", "--runs", "1", "--alarm-codes", "1"),
        *("--", "env", f"PATH={path}", GATES / "compare.sh", "{base}", "{head}", "Add$"),
    )

    document, _ = qualified(program, tmp_path, module, *words)

    assert rates(document) == {
        ("same", 1.0): (0, 1),
        ("slowed", 2.0): (1, 1),
        ("sped", 2.0): (0, 1),
    }
    assert {tuple(answer["ran"]) for answer in document["answers"]} == {("base", "head")}


@pytest.mark.timed
def test_a_python_gate(program, tmp_path):
    subject = write(
        tmp_path / "lib",
        {"pyproject.toml": PROJECT, "src/lib/__init__.py": LIBRARY, "tests/test_lib.py": TEST},
    )
    script = tmp_path / "gate.py"
    script.write_text(PYTHON_RATIO)
    words = ("--method", "lib.spin", "--slowdowns", "2x", "--runs", "5", "--")

    document, _ = qualified(
        program, tmp_path, subject, *words, sys.executable, script, "{base}", "{head}",
        harness="pytest",
    )  # fmt: skip

    assert rates(document) == {
        ("same", 1.0): (0, 5),
        ("slowed", 2.0): (5, 5),
        ("sped", 2.0): (0, 5),
    }
    assert {tuple(answer["ran"]) for answer in document["answers"]} == {("base", "head")}


def test_what_cannot_be_qualified_is_one_line(program, module, tmp_path):
    def refused(*words, code, slug):
        return program.refused("qualify", *words, "-o", tmp_path / "out", code=code, slug=slug)

    assert "write its command after --" in refused(code=2, slug="usage")
    line = refused("--subject", str(module), "--", "true", code=2, slug="usage")
    assert "no method given: name one with --method" in line
    line = refused("--subject", str(JAVA_RING), "--host", "docker", "--", "x", code=2, slug="usage")
    assert "qualify runs gates on this machine only" in line


@pytest.mark.timed
def test_a_ratio_of_jmhs_results_sees_a_java_method_three_times_as_long(program, tmp_path):
    before = everything(JAVA_RING)
    output_file = tmp_path / "seen"
    script = f'#!/bin/bash\nset -o pipefail\n{GATES / "jmh.sh"} "$@" | tee -a {output_file}\n'
    config_file = config(tmp_path / "config.json", subject=str(JAVA_RING), stability_runs=2)
    words = (
        *("--method", "org.example.ring.Work.micros", "--benchmarks", "Durations.micros"),
        *("--slowdowns", "3x", "--runs", "1", "-o", tmp_path / "out"),
        *("--format", "json", "--", gate(tmp_path, script), "{base}", "{head}"),
        *("Durations.micros", "1.5"),
    )

    answer = program.call(
        *("qualify", "--subject", config_file, *words),
        JMH_OPTIONS="-f 1 -wi 3 -i 4 -w 100ms -r 100ms",
    )

    assert answer.returncode == 0, answer
    document = json.loads(answer.stdout)
    assert rates(document) == {
        ("same", 1.0): (0, 1),
        ("slowed", 3.0): (1, 1),
        ("sped", 3.0): (0, 1),
    }
    assert [gate_answer["ran"] for gate_answer in document["answers"]] == [["base", "head"]] * 3
    ratios = dict(
        zip(
            (gate_answer["side"] for gate_answer in document["answers"]),
            (float(line.rpartition(" ")[2]) for line in output_file.read_text().splitlines()),
            strict=True,
        )
    )
    assert ratios["same"] == pytest.approx(1.0, rel=0.4)
    assert ratios["slowed"] == pytest.approx(3.0, rel=0.4)
    assert ratios["sped"] == pytest.approx(1 / 3, rel=0.4)
    assert everything(JAVA_RING) == before
    assert left_behind(program.cache) == []


def test_a_gate_that_gives_no_answer_is_no_measurement(program, module, tmp_path):
    config_file = config(tmp_path / "config.json", subject=str(module), **FAST)
    words = ("--subject", config_file, "--method", "tiny.Add", "-q", "-o", tmp_path / "out", "--")

    line = program.refused("qualify", *words, "no-such-gate", code=4, slug="tool-missing")

    assert "no-such-gate" in line
    gate = ("sh", "-c", "echo oh $OF_MINE; exit 127")  # it gets all that its user has
    line = program.refused("qualify", *words, *gate, code=3, slug="subject", OF_MINE="mine")
    assert "the gate gives no verdict: it ended with 127 3 times (oh mine)" in line
    assert list(program.cwd.iterdir()) == []
