"""What Go's own profile says of a method's share, on a real suite."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.subject
ROOT = Path(__file__).parents[2]
MODULE = "github.com/google/uuid"


def pair(method: str, share: float, effect: float | None) -> dict:
    benchmark = f"{MODULE}.BenchmarkParse"
    return {"method": method, "benchmark": benchmark, "share": share, "effect": effect}


def test_what_a_benchmark_does_all_the_time_is_in_most_samples_and_something_else_in_none(tmp_path):
    config, result = tmp_path / "uuid.json", tmp_path / "result.json"
    config.write_text(json.dumps({"subject": f"go:{MODULE}@v1.6.0"}))
    pairs = [
        pair(f"{MODULE}.Parse", 1.0, 0.6),
        pair(f"{MODULE}.UUID.URN", 0.01, 0.0),
        pair(f"{MODULE}.New", 0.01, None),
    ]
    result.write_text(json.dumps({"subject": MODULE, "slowdown": 0.6, "pairs": pairs}))

    done = subprocess.run(
        (sys.executable, ROOT / "benchmarks" / "sampled_shares.py", config, result),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    rows = dict(
        re.split(r"\s{2,}", one, maxsplit=1) for one in done.stdout.splitlines() if "  " in one
    )
    assert rows["never in a sample"] == "2 of 3"
    assert rows["sampled: on the effect's side of one half"] == "2 of 2"
    _, furthest = map(float, rows["sampled, from the effect"].split(", "))
    assert furthest < 30
