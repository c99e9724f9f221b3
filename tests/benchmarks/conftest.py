"""What tests of `benchmarks/` share."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))  # last: scripts there have everyday names


@pytest.fixture
def printed() -> Callable[..., str]:
    """Return what runs code that may import what `benchmarks/` has, and returns what it prints."""

    def run(code: str, stdin: str = "") -> str:
        process = subprocess.run(
            (sys.executable, "-c", code),
            env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'benchmarks'}"},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.returncode == 0, process.stderr[-2000:]
        return process.stdout

    return run
