"""What the benchmark of gates counts, and that it runs one beside a busy process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COUNTED = """
import json, sys
from argparse import Namespace
from gates import Check, is_good, table
made = [Check("go", kind, code, 2.0, "said") for kind, code in json.load(sys.stdin)]
asked = Namespace(busy=2, times=1, budget=None)
print(json.dumps([is_good(made), table(made, asked)]))
"""


def counted(printed, *gate_runs):
    """Return whether runs (kind, exit code) are good, and the table of them."""
    return json.loads(printed(COUNTED, json.dumps(gate_runs)))


@pytest.mark.parametrize(
    ("gate_runs", "good"),
    [
        ([("same", 0), ("added", 5), ("slower", 1), ("worse", 1)], True),
        ([("same", 1), ("added", 0), ("slower", 1), ("worse", 1)], False),
        ([("same", 0), ("added", 1), ("slower", 1), ("worse", 1)], False),
        ([("same", 0), ("added", 3)], False),  # no answer is no good answer
        ([*[("slower", 1)] * 19, ("worse", 5)], True),
        ([*[("slower", 1)] * 18, ("slower", 0), ("worse", 5)], False),
    ],
)
def test_no_failure_without_a_cause_and_nineteen_of_twenty_changes(printed, gate_runs, good):
    is_good, _ = counted(printed, *gate_runs)

    assert is_good is good


def test_the_table_counts_exit_codes_and_names_what_was_wrong(printed):
    _, text = counted(printed, ("same", 0), ("same", 5), ("same", 1), ("slower", 1), ("slower", -1))

    assert "| go | same | 0 or 5 | 1 | 1 | 1 | 0 | 2 |" in text
    assert "| go | slower | 1 | 0 | 1 | 0 | 1 | 2 |" in text
    assert "* Without a cause: 1 of 3 runs ended with exit code 1." in text
    assert "* Real changes: 1 of 2 runs ended with exit code 1." in text
    assert "* go same: exit 1, said" in text


@pytest.mark.subject
def test_a_gate_is_run_beside_a_busy_process_and_does_not_fail_without_a_cause(tmp_path):
    words = ("--only=go", "--kind=same", "--times=1", "--busy=1", "--budget=60s")
    table_path = tmp_path / "gates.md"

    process = subprocess.run(
        (
            sys.executable,
            str(ROOT / "benchmarks" / "gates.py"),
            *words,
            f"--write={table_path}",
            f"--keep={tmp_path / 'kept'}",
        ),
        capture_output=True,
        text=True,
        check=False,
    )

    assert process.returncode == 0, process.stdout + process.stderr
    assert "* Without a cause: 0 of 1 runs ended with exit code 1." in table_path.read_text()
    compared = json.loads((tmp_path / "kept/go/same-1/compare.json").read_text())
    assert len(compared["benchmarks"]) == 2
