"""Are calibrations disturbed where two run at a time?

    python benchmarks/calibrating_beside.py [CONFIG ...]

Each configuration is estimated (`--estimate`: all but the pairs) four times, each with a store of
its own: twice with one process at a time, twice with as many as an audit runs of what need not be
alone. The methods are those that the first one has chosen, and what it has built is there for all
after it. Printed are the seconds of each, and how far shares lie apart between two that ran alike
and between two that did not: if these are the same, nothing is disturbed by it.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).parent
ROOT = BENCHMARKS.parent
PROGRAM = """
import sys
from auditor import session
session.MAX_JOBS = int(sys.argv.pop(1))
from auditor.__main__ import entry
entry()
"""
"""The program, with another number of processes at a time."""
MANY = 4


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one found, and how long it took."""

    result: Mapping[str, Any]
    seconds: float

    @property
    def shares(self) -> dict[tuple[str, str], float]:
        """Return the share of each method in each benchmark, where it was timed."""
        return {
            (pair["method"], pair["benchmark"]): pair["share"]
            for pair in self.result["pairs"]
            if pair["share"]
        }

    @property
    def outcomes(self) -> dict[tuple[str, str], str]:
        """Return the verdict of each pair."""
        return {
            (pair["method"], pair["benchmark"]): pair["outcome"] for pair in self.result["pairs"]
        }


def estimated(config: Path, folder: Path, jobs: int, methods: Sequence[str]) -> Estimate:
    """Run one; raises CalledProcessError where it fails."""
    words = ("abs", str(config), "--estimate", "--quiet", "--output", str(folder))
    started = time.monotonic()
    subprocess.run(
        (
            sys.executable,
            "-c",
            PROGRAM,
            str(jobs),
            *words,
            *(f"--method={method}" for method in methods),
        ),
        cwd=ROOT,
        check=True,
        env={**os.environ, "XDG_CACHE_HOME": str(folder.parent / "cache")},
        stdout=subprocess.DEVNULL,
    )
    took = time.monotonic() - started
    return Estimate(json.loads((folder / "result.json").read_text()), took)


def describe_distance(first: Estimate, second: Estimate) -> str:
    """Say how far the shares of two lie apart, and how many verdicts differ."""
    first_shares, second_shares = first.shares, second.shares
    logs = [
        math.log(second_shares[key] / value)
        for key, value in first_shares.items()
        if key in second_shares
    ]
    sizes = sorted(map(abs, logs))
    differ = sum(second.outcomes[key] != value for key, value in first.outcomes.items())
    middle, typical = statistics.median(logs), statistics.median(sizes)
    return (
        f"{len(logs)} shares, {middle:+.1%} in the middle, {typical:.1%} apart in the median, 90 % "
        f"of them at most {sizes[int(0.9 * len(sizes))]:.1%}; {differ} verdicts differ"
    )


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "configs", nargs="*", type=Path, default=[BENCHMARKS / "abs-cost/uuid.json"]
    )
    for config in parser.parse_args().configs:
        with tempfile.TemporaryDirectory(prefix="beside-") as scratch:
            folder = Path(scratch)
            warm = estimated(config.absolute(), folder / "warm", MANY, ())
            methods = [method["id"] for method in warm.result["methods"]]
            by_jobs: dict[int, list[Estimate]] = {1: [], MANY: []}
            for number in range(2):
                for jobs, estimates in by_jobs.items():
                    name = folder / f"{jobs}-{number}"
                    estimates.append(estimated(config.absolute(), name, jobs, methods))
        sequential_estimates, concurrent_estimates = by_jobs.values()
        print(f"\n{config.stem}")
        for name, estimates in (
            ("one at a time", sequential_estimates),
            ("several", concurrent_estimates),
        ):
            print(f"  {name}: {', '.join(f'{estimate.seconds:.0f} s' for estimate in estimates)}")
        compared = {
            "one at a time, twice": sequential_estimates,
            "several, twice": concurrent_estimates,
            "one at a time and several": (sequential_estimates[0], concurrent_estimates[0]),
            "the same once more": (sequential_estimates[1], concurrent_estimates[1]),
        }
        for name, (first, second) in compared.items():
            print(f"  {name}: {describe_distance(first, second)}")


if __name__ == "__main__":
    main()
