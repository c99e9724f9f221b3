"""The study's networks: where jax has been imported no other test may fork, so they run apart."""

import os
import subprocess
import sys
from pathlib import Path

ALONE = Path(__file__).with_name("networks_alone.py")
NUMBER = 6
"""Tests in there."""


def test_the_studys_networks_in_a_process_of_their_own():
    answer = subprocess.run(
        (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", ALONE),
        cwd=Path(__file__).parents[3],
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTEST")},
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )

    assert answer.returncode == 0, answer.stdout
    assert f"{NUMBER} passed" in answer.stdout
