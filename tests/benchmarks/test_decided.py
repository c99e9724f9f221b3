"""What the benchmark of decided methods counts, and that it audits and runs a real suite."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = """
import json, sys
from decided import Summary, summarize
found = summarize(*json.load(sys.stdin))
print(json.dumps({name: getattr(found, name) for name in Summary.__slots__}))
"""
PROGRESS = """
import json, sys
from decided import progress
print(json.dumps([progress(*words) for words in json.load(sys.stdin)]))
"""


EXPECTED = """
import json, sys
from decided import expected_range
print(json.dumps([expected_range(text) for text in json.load(sys.stdin)]))
"""


def pair(outcome, share=None, decided_by="injection", effect=None, **more):
    """Return a pair as results have it: slowed by 0.5, with a limit of 0.25."""
    return {
        "method": "m",
        "benchmark": f"b{len(more)}",
        "outcome": outcome,
        "decided_by": decided_by,
        "share_interval": share,
        "interval": effect,
        "threshold": 0.25,
        "runs": [{}] if effect else [],
        "reason": None,
        **more,
    }


def summary(printed, pairs, methods=(), *, injected=None):
    results = [{"methods": list(methods), "pairs": pairs}]
    results += [{"methods": [], "pairs": injected}] if injected else []
    return json.loads(printed(CODE, json.dumps(results)))


def test_undecided_methods_are_counted_by_reasons_without_their_numbers(printed):
    methods = [
        {"id": "m", "outcome": "inconclusive", "reason": None},
        {"id": "n", "outcome": "inconclusive", "reason": "takes 7.1 ns, give or take 3"},
        {"id": "o", "outcome": "missed", "reason": None},
        {"id": "p", "outcome": "unreached", "reason": None},
    ]
    open_pair = pair("inconclusive", reason="takes 31 ns, give or take 23")

    counted = summary(printed, [open_pair], methods)

    assert (counted["methods"], counted["decided"]) == (4, 2)
    assert counted["reasons"] == {"inconclusive: takes N ns, give or take N": 2}


def test_verdicts_by_share_and_by_injection_are_compared_where_both_exist(printed):
    counted = summary(
        printed,
        [
            pair("detected", (0.8, 0.9), effect=(0.4, 0.5)),  # alike
            pair("missed", (0.8, 0.9), effect=(0.0, 0.1)),  # different
            pair("detected", (0.8, 0.9), decided_by="share", effect=(0.3, 0.4)),  # alike
            pair("detected", (0.8, 0.9), decided_by="share", effect=(0.2, 0.4)),  # injection: open
            pair("detected", (0.8, 0.9), decided_by="share"),  # nothing was injected
            pair("missed", (0.4, 0.6), effect=(0.0, 0.1)),  # the share leaves it open
            pair("missed", None, effect=(0.0, 0.1)),  # no share
        ],
    )

    assert (counted["by_share"], counted["compared"], counted["agreeing"]) == (3, 3, 2)


def test_another_audit_without_shares_has_the_verdict_by_injection(printed):
    counted = summary(
        printed,
        [pair("detected", (0.8, 0.9), decided_by="share")],
        injected=[pair("missed", effect=(0.0, 0.1))],
    )

    assert (counted["compared"], counted["agreeing"]) == (1, 0)


def test_a_result_without_shares_is_counted_too(printed):
    old = pair("detected", effect=(0.4, 0.5))
    del old["decided_by"], old["share_interval"]

    counted = summary(printed, [old])

    assert (counted["by_share"], counted["compared"]) == (0, 0)


def test_the_progress_of_a_plain_run_is_in_what_it_prints(printed):
    texts = [
        ("go", "goos: linux\nBenchmarkA-2   \t 75\t 18.4 ns/op\nBenchmarkB-2\n", 4),
        ("pytest", "bench/test_a.py::test_b PASSED   [ 25%]\n", 8),
        ("pytest", "bench/test_a.py::test_b SKIPPED  [ 25%]\n", 8),
        ("jmh", "# Run progress: 0.00% complete\n# Run progress: 12.50% complete, ETA\n", 8),
        ("jmh", "", 8),
    ]

    assert json.loads(printed(PROGRESS, json.dumps(texts))) == [0.25, 0.25, 0, 0.125, 0]


def test_the_time_that_an_audit_expects_is_as_wide_as_it_is_rounded(printed):
    note = "note[expected-time]: "
    texts = [
        f"{note}expected 69 s to 6 min",
        f"{note}at most 12 min (budget); expected 2 to 5 min",
        f"{note}expected 1 h 40 min to 2 h 10 min",
        f"{note}expected 3 min",
        "pilot: 1 of 3",
    ]

    assert json.loads(printed(EXPECTED, json.dumps(texts))) == [
        [68.5, 390],
        [90, 330],
        [5970, 7830],
        [150, 210],
        None,
    ]


def test_a_stopped_run_of_jmh_without_progress_takes_what_jmh_expects(printed, tmp_path):
    program = tmp_path / "java"
    program.write_text(
        "#!/bin/sh\necho '# Run progress: 0.00% complete, ETA 1+00:26:40'\nexec sleep 60\n"
    )
    program.chmod(0o755)
    work = tmp_path / "cache" / "bench-audit" / "work" / "suite"
    work.mkdir(parents=True)
    (work / "resolved.json").write_text(json.dumps({"files": {}, "class_path": ["a.jar"]}))
    code = f"""
import os
from pathlib import Path
from decided import run_plain
folder = Path({str(tmp_path)!r})
os.environ["PATH"] = f"{{folder}}:{{os.environ['PATH']}}"
plain = run_plain({{"harness": "jmh", "benchmarks": [{{"id": "b"}}]}}, "maven:g:a:1", folder, 1)
print(plain.seconds, plain.extrapolated)
"""

    assert printed(code).split() == [str(86400 + 26 * 60 + 40), "True"]


def test_an_unknown_suite_is_refused_with_the_known_ones():
    command = (sys.executable, ROOT / "benchmarks" / "decided.py", "--only", "nothing")

    process = subprocess.run(command, capture_output=True, text=True, check=False)

    assert process.returncode == 2
    assert "no suite nothing in" in process.stderr
    assert "decimal" in process.stderr


@pytest.mark.subject
def test_a_suite_is_audited_and_run_by_its_harness(tmp_path):
    suites = tmp_path / "suites.json"
    suites.write_text(
        json.dumps(
            [
                {
                    "name": "uuid",
                    "subject": "go:github.com/google/uuid@v1.6.0",
                    "benchmarks": "BenchmarkParse$",
                    "methods": ["github.com/google/uuid.Parse"],
                    "stability_runs": 2,
                    "curve": "none",
                    "controls": 0,
                }
            ]
        )
    )
    command = (sys.executable, ROOT / "benchmarks" / "decided.py", "--list", suites)

    process = subprocess.run(
        (*command, "--limit-minutes", "4"), capture_output=True, text=True, check=False
    )

    assert process.returncode in (0, 1), process.stderr[-2000:]
    assert "uuid (go): " in process.stdout
    assert " of 1 methods decided" in process.stdout
    assert "the audit takes" in process.stdout
