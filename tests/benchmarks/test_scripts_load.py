"""All scripts can be loaded: what they import of the product is there."""

import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
LOAD = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def test_each_script_loads():
    names = sorted(path.stem for path in BENCHMARKS.glob("*.py"))

    loaded = subprocess.run(
        [sys.executable, "-c", LOAD, *names],
        cwd=BENCHMARKS.parent,
        env={"PYTHONPATH": f"{BENCHMARKS}:{BENCHMARKS.parent}"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (len(names) > 40, loaded.returncode, loaded.stderr) == (True, 0, "")
