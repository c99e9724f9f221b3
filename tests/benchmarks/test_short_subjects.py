"""The subjects of short methods are what their truth says of them."""

import json
import re
import subprocess
from pathlib import Path

import pytest

SUBJECTS = Path(__file__).parents[1] / "subjects"
DEAD = {"DroppedBits", "DroppedRoot"}


def truth(subject: str) -> dict:
    return json.loads((SUBJECTS / subject / "truth.json").read_text())


def run(*command: str, folder: Path) -> str:
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr[-2000:]
    return process.stdout + process.stderr


@pytest.mark.subject
def test_go_keeps_of_each_short_method_what_its_truth_says(tmp_path):
    folder, program = SUBJECTS / "go-short", tmp_path / "short.test"
    inlining = run("go", "test", "-c", "-gcflags=-m", "-o", str(program), folder=folder)
    inlined = set(
        re.findall(r"inlining call to (?:.*\.)?(\w+)(?:\[[^]]*\])?$", inlining, re.MULTILINE)
    )
    code = run(
        "go",
        "tool",
        "objdump",
        "-s",
        r"^example\.org/short\.Benchmark",
        str(program),
        folder=folder,
    )
    bodies = dict(
        re.findall(r"^TEXT \S+\.Benchmark(\w+)\(SB\).*\n((?:[ \t]+.*\n)+)", code, re.MULTILINE)
    )
    methods = {name.rsplit(".", 1)[-1] for name in truth("go-short")["methods"]}

    assert set(bodies) == methods
    assert {name for name in methods if "Called" in name or name == "DroppedCall"} == {
        name for name in methods - inlined if "Interface" not in name
    }
    removed = {name for name, body in bodies.items() if not re.search(r"\bshort\.go:|CALL ", body)}
    assert removed == DEAD


def test_each_short_method_of_java_has_a_benchmark_with_its_name():
    text = next((SUBJECTS / "java-short").rglob("Shares.java")).read_text()
    benchmarks = set(re.findall(r"@Benchmark\n +public \S+ (\w+)\(", text))
    methods = {name for name in truth("java-short")["methods"] if ".Work." in name}

    assert benchmarks == {name.rsplit(".", 1)[-1] for name in methods} | {"mixers"}


@pytest.mark.parametrize("subject", ["go-short", "java-short"])
def test_a_share_above_one_half_is_to_be_detected_and_one_below_missed(subject):
    shares = {
        name: (int(share[1]), expected["outcomes"][0])
        for name, expected in truth(subject)["methods"].items()
        if (share := re.search(r"Share(\d+)$", name))
    }

    assert len(shares) >= 12
    assert all(
        ("detected" if share > 50 else "missed") == outcome for share, outcome in shares.values()
    )
