"""Does a busy machine make verdicts wrong, or benchmarks look unstable?

Audits the subjects of known truth, and real suites, with 0, 2, 4 and 6 processes beside them that
only use the processor. Each audit is the real command with a store and a seed of its own.

    python benchmarks/busy.py --subject python-ring --times 3
    python benchmarks/busy.py --suite go:github.com/google/uuid@v1.6.0 --busy 0,4

A verdict is wrong where the truth of the subject says so. Of a real suite it is wrong where it
contradicts the one that most audits with nothing beside them reach. A benchmark is blamed where it
is called unstable (a spread above 25 %), and is not with nothing beside it. The exit code is 1
where a verdict is wrong, a benchmark is blamed, or fewer than DECIDED of the methods are decided.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from known_truth import BENCHMARKS, ROOT, SUBJECTS, expected_outcomes

from auditor.core.stability import Bucket

LOADS = (0, 2, 4, 6)
DECIDED = 0.8
"""Least part of the methods decided with nothing beside that is decided with other work beside."""
OPEN = {"inconclusive", "unmeasured"}
UNSTABLE = {Bucket.BELOW_50, Bucket.ABOVE_50}
_SPIN = """
import os, sys
while os.getppid() == int(sys.argv[1]):
    for _ in range(100_000):
        pass
"""
"""Ends with its parent, however that ends."""

Truth = Mapping[str, Sequence[str]]
"""The right outcomes of methods, by their ids."""


@dataclass(slots=True)
class Load:
    """What audits with so many busy processes beside them came to."""

    audits: int = 0
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)  # by method
    unstable: set[str] = field(default_factory=set)  # benchmarks called so in some audit
    busy: int = 0  # audits that say that the machine was busy
    waited: list[float] = field(default_factory=list)  # share of time, an audit each
    broken: list[str] = field(default_factory=list)  # messages of audits that failed

    def add(self, result: Mapping[str, Any]) -> None:
        """Count what one audit says."""
        self.audits += 1
        for method in result["methods"]:
            self.outcomes.setdefault(method["id"], Counter())[method["outcome"]] += 1
        self.unstable |= {
            benchmark["id"] for benchmark in result["benchmarks"] if benchmark["bucket"] in UNSTABLE
        }
        self.busy += any(caveat["slug"] == "busy-machine" for caveat in result["caveats"])
        self.waited.append(result["strain"]["waited"] or 0.0)

    @property
    def decided(self) -> float:
        """Return the decided methods of an audit, on average."""
        counts = (
            n
            for outcomes in self.outcomes.values()
            for text, n in outcomes.items()
            if text not in OPEN
        )
        return sum(counts) / max(1, self.audits)

    def wrong(self, truth: Truth) -> Counter[str]:
        """Return how often the verdict on each method was wrong."""
        counter: Counter[str] = Counter()
        for method, right in truth.items():
            for outcome, times in self.outcomes.get(method, Counter()).items():
                if outcome not in OPEN and outcome not in right:
                    counter[f"{method}: {outcome}"] += times
        return counter


def truth_of(alone: Load) -> dict[str, list[str]]:
    """Return the decided verdict on each method that most audits with nothing beside reach."""
    truth = {}
    for method, outcomes in alone.outcomes.items():
        decided = Counter({text: n for text, n in outcomes.items() if text not in OPEN})
        if decided:
            truth[method] = [decided.most_common(1)[0][0]]
    return truth


@contextmanager
def busy_processes(number: int) -> Iterator[None]:
    """Keep so many processes busy meanwhile."""
    processes = [
        subprocess.Popen([sys.executable, "-c", _SPIN, str(os.getpid())]) for _ in range(number)
    ]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def audit(subject: str, options: Sequence[str], load: int, folder: Path, totals: Load) -> None:
    """Audit beside busy processes; an audit that ended well in an earlier call is counted."""
    result_path = folder / "result.json"
    if not result_path.exists():
        command = [sys.executable, "-m", "auditor", "abs", subject, *options]
        with busy_processes(load):
            ended = subprocess.run(
                [*command, "--output", str(folder), "--quiet", "--inconclusive", "pass"],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=False,
            )
        if ended.returncode:
            totals.broken.append(f"{folder.name}: exit {ended.returncode}: {ended.stderr[-300:]}")
            return
    totals.add(json.loads(result_path.read_text()))


def show(name: str, loads: Mapping[int, Load], truth: Truth | None) -> int:
    """Print a line for each load; return how many goals are missed."""
    alone, missed = loads[min(loads)], 0
    expected = truth_of(alone) if truth is None else truth
    print(f"\n{name}\nbusy  audits  waited  said  wrong  blamed  decided")
    for number, load in loads.items():
        wrong, blamed = load.wrong(expected), load.unstable - alone.unstable
        few = load.decided < DECIDED * alone.decided
        missed += bool(wrong) + bool(blamed) + few + bool(load.broken)
        waited = sum(load.waited) / max(1, len(load.waited))
        print(
            f"{number:4}  {load.audits:6}  {waited:6.0%}  {load.busy:4}  {wrong.total():5}"
            f"  {len(blamed):6}  {load.decided:7.1f}"
        )
        for line in (*(f"wrong: {verdict} ({n})" for verdict, n in wrong.items()), *load.broken):
            print(f"✗ {line}")
        for text in sorted(blamed):
            print(f"✗ called unstable: {text}")
    return missed


def main() -> int:
    """Audit, count, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subject", choices=sorted(SUBJECTS), action="append", default=[])
    parser.add_argument("--suite", action="append", default=[], help="a subject or configuration")
    parser.add_argument("--busy", default=",".join(map(str, LOADS)), help="numbers of processes")
    parser.add_argument("--times", type=int, default=20, help="audits with each number")
    parser.add_argument("--option", action="append", default=[], help="a further word for abs")
    parser.add_argument("--keep", type=Path, help="a folder for results, gone on with")
    arguments = parser.parse_args()
    subjects = arguments.subject or ([] if arguments.suite else sorted(SUBJECTS))
    missed = 0
    with tempfile.TemporaryDirectory(prefix="busy-") as scratch:
        for name in (*subjects, *arguments.suite):
            truth, words = None, []
            if name in SUBJECTS:
                methods = [
                    expected_outcome
                    for expected_outcome in expected_outcomes(name)
                    if expected_outcome.benchmark is None
                ]
                truth = {method.method: method.outcomes for method in methods}
                words = [word for method in truth for word in ("--method", method)]
            loads = {int(number): Load() for number in arguments.busy.split(",")}
            for number in range(arguments.times):  # in turns: other work on the machine meets all
                for load, totals in loads.items():
                    folder = (
                        arguments.keep or Path(scratch)
                    ) / f"{Path(name).name}-{load}-{number}"
                    options = [*words, *arguments.option, "--seed", str(number + 1)]
                    subject = str(BENCHMARKS / f"{name}.json") if truth else name
                    audit(subject, options, load, folder, totals)
                    print(f"{name}, {load} busy, seed {number + 1}", file=sys.stderr)
            missed += show(name, loads, truth)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
