"""Who learns from what: no trees have seen the system that they judge."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = """
import json
from types import SimpleNamespace
import numpy as np
import left_out
every = np.array(["a__a#steady#.json", "a__a#never#.json", "b__b#steady#.json"])
left_out.model = lambda stable, names, looked, known: every[known(every)].tolist()
judging = {(str(every[0]),): None, (str(every[2]),): None}
print(json.dumps(left_out.models(SimpleNamespace(names=()), judging, None)))
"""


def test_nothing_is_learned_from_a_benchmark_of_the_system_also_where_it_is_never_steady():
    done = subprocess.run(
        (sys.executable, "-c", CODE),
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'benchmarks'}"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert json.loads(done.stdout) == {
        "a__a#steady#.json": ["b__b#steady#.json"],
        "b__b#steady#.json": ["a__a#steady#.json", "a__a#never#.json"],
    }
