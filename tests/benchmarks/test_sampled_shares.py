"""What Go's own profile says of a method's share, on a real suite."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULE = "github.com/google/uuid"


def pair(method: str, share: float, effect: float | None) -> dict:
    benchmark = f"{MODULE}.BenchmarkParse"
    return {"method": method, "benchmark": benchmark, "share": share, "effect": effect}


@pytest.mark.subject
def test_what_a_benchmark_does_all_the_time_is_in_most_samples_and_something_else_in_none(tmp_path):
    config, result = tmp_path / "uuid.json", tmp_path / "result.json"
    config.write_text(json.dumps({"subject": f"go:{MODULE}@v1.6.0"}))
    pairs = [
        pair(f"{MODULE}.Parse", 1.0, 0.6),
        pair(f"{MODULE}.UUID.URN", 0.01, 0.0),
        pair(f"{MODULE}.New", 0.01, None),
    ]
    result.write_text(json.dumps({"subject": MODULE, "slowdown": 0.6, "pairs": pairs}))

    process = subprocess.run(
        (sys.executable, ROOT / "benchmarks" / "sampled_shares.py", config, result),
        capture_output=True,
        text=True,
        check=False,
    )

    assert process.returncode == 0, process.stderr[-2000:]
    rows = dict(
        re.split(r"\s{2,}", splitline, maxsplit=1)
        for splitline in process.stdout.splitlines()
        if "  " in splitline
    )
    assert rows["never in a sample"] == "2 of 3"
    assert rows["sampled: on the effect's side of one half"] == "2 of 2"
    _, furthest = map(float, rows["sampled, from the effect"].split(", "))
    assert furthest < 30


PRINTED = """\
File: program.test
Type: cpu
Showing nodes accounting for 2.20s, 100% of 2.20s total
      flat  flat%   sum%        cum   cum%
         0     0%     0%         2s 90.91%  testing.(*B).runN
     0.40s 18.18% 18.18%      1.50s 68.18%  example.com/p.(*T[go.shape.int]).M (partial-inline)
     0.20s  9.09% 27.27%      500ms 22.73%  example.com/p.T.M
      10ms  0.45% 27.73%       10ms  0.45%  example.com/p.F (inline)
"""
"""As Go 1.26's `go tool pprof -top -cum` prints a profile; names and times are made up."""
CODE = """
import json, sys
from sampled_shares import cumulated, parts
below = cumulated(sys.stdin.read())
print(json.dumps(parts(below, below["testing.(*B).runN"])))
"""


def test_what_is_inlined_in_places_is_one_function_and_of_wrappers_the_most_counts(printed):
    assert json.loads(printed(CODE, PRINTED)) == pytest.approx(
        {"testing.B.runN": 1.0, "example.com/p.T.M": 0.75, "example.com/p.F": 0.005}
    )
