"""What does an audit cost as a suite grows? Suites in memory, whose machine starts nothing.

A method is reached by one to five benchmarks, in a part of the operation drawn between none and
all. The study is the real one; processes and blocks are counted, those of the exhaustive audit
(every method in every benchmark, all blocks) follow from the plan. The last columns are what the
auditor itself takes, which measures nothing here.
"""

import argparse
import resource
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/support")]

import toy_language  # noqa: E402
from toy_language import Machine, Memory, blocks_done, parts, request  # noqa: E402

from auditor.abs.study import abs_audit  # noqa: E402
from auditor.core.plan import Purpose  # noqa: E402

SIZES = ((10, 5), (30, 10), (100, 20), (300, 60), (1000, 200))
MOST_REACHING = 5


def main() -> int:
    """Audit suites of growing size, print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=SIZES[-1][0], help="benchmarks")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    head = ("suite", "reached", "near", "suite runs", "reach", "judging", "exhaustive", "less")
    print("".join(f"{name:>12}" for name in (*head, "seconds", "MB")))
    for benchmarks, methods in SIZES:
        if benchmarks <= arguments.largest:
            print("".join(f"{text:>12}" for text in _line(benchmarks, methods, arguments.seed)))
    return 0


def _line(benchmarks: int, methods: int, seed: int) -> tuple[str, ...]:
    """Return the cells: pairs, then blocks by what they were for, then the auditor itself."""
    shares = _suite(benchmarks, methods, np.random.default_rng(seed))
    store, audit_request = Memory(), request(methods=toy_language.METHODS)
    began = time.process_time()
    abs_audit.audit_suite(audit_request, parts(audit_request, store=store, machine=Machine()))
    took = time.process_time() - began
    blocks: Counter[Purpose] = Counter()
    for run in store.values():
        blocks[run.trial.purpose] += blocks_done(run)
    plan = audit_request.suite.plan
    method_blocks = plan.warmup + 2 * plan.iterations
    exhaustive = (
        audit_request.runs * benchmarks * (methods * method_blocks + plan.warmup + plan.iterations)
    )
    judging = sum(
        blocks[purpose] for purpose in (Purpose.CALIBRATION, Purpose.PAIRS, Purpose.REFERENCE)
    )
    near_half = sum(0.4 < share < 0.6 for share in shares.values())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{benchmarks} x {methods}",
        str(len(shares)),
        str(near_half),
        str(blocks[Purpose.SUITE] + blocks[Purpose.PILOT]),
        str(blocks[Purpose.REACH]),
        str(judging),
        str(exhaustive),
        f"{exhaustive / judging:.0f} x",
        f"{took:.1f}",
        f"{memory:.0f}",
    )


def _suite(benchmarks: int, methods: int, rng: np.random.Generator) -> dict[tuple[str, str], float]:
    """Make the suite that the toy's machine knows; return the share of each reached pair."""
    toy_language.BENCHMARKS = tuple(f"b{index}" for index in range(benchmarks))
    toy_language.METHODS = tuple(f"m{index}" for index in range(methods))
    toy_language.SET_UP = set()
    toy_language.SHARES = {
        (method, f"b{index}"): float(rng.uniform(0.01, 0.99))
        for method in toy_language.METHODS
        for index in rng.choice(benchmarks, int(rng.integers(1, MOST_REACHING + 1)), replace=False)
    }
    return dict(toy_language.SHARES)


if __name__ == "__main__":
    sys.exit(main())
