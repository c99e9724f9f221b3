"""The comparison of forks with processes alone, run with small numbers."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.subject


def test_it_prints_the_ratio_of_forks_to_processes_alone():
    folder = ROOT / "tests" / "subjects" / "python-ring"
    words = ("benchmarks/python_forks.py", str(folder), "--runs", "1", "--most", "3")

    result = subprocess.run(
        (sys.executable, *words), cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert result.returncode == 0, result.stderr
    count, low, high, middle = re.findall(r"\d+(?:\.\d+)?", result.stdout.splitlines()[0])
    assert count == "3"
    assert 0 < float(low) <= float(middle) <= float(high)
