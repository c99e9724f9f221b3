"""How often is each verdict right? Audits the subjects of known truth again and again.

Each audit is the real command with a store and a seed of its own; caches and copies are shared.
What must come out stands in the `truth.json` of a subject, how it is measured in the configuration
beside this file. The exit code is 1 if something is right less often than 19 times in 20.
"""

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).parent
ROOT = BENCHMARKS.parent
SUBJECTS = {
    name: f"tests/subjects/{name}"
    for name in ("go-ring", "go-short", "java-ring", "java-short", "python-ring")
}
SMALL = 3
ALLOWED = 20
"""One verdict in so many may be wrong."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A method, or a method and a benchmark, and the outcomes that are right."""

    method: str
    benchmark: str | None
    outcomes: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return what it is called in the table: the end of the ids."""
        short = _short(self.method)
        return f"{short} in {_short(self.benchmark)}" if self.benchmark else short


@dataclass(slots=True)
class Tally:
    """What came out, audit by audit."""

    outcomes: dict[Expected, Counter[str]] = field(default_factory=dict)
    blocks: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def add(self, expected: Sequence[Expected], result: Mapping[str, Any]) -> None:
        """Count the verdicts of one audit."""
        methods = {method["id"]: method["outcome"] for method in result["methods"]}
        pairs = {(pair["method"], pair["benchmark"]): pair["outcome"] for pair in result["pairs"]}
        for expectation in expected:
            pair_outcome = (
                pairs.get((expectation.method, expectation.benchmark))
                if expectation.benchmark
                else None
            )
            outcome = pair_outcome if expectation.benchmark else methods.get(expectation.method)
            self.outcomes.setdefault(expectation, Counter())[outcome or "absent"] += 1


def main() -> int:
    """Audit, count, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subject", choices=sorted(SUBJECTS), action="append")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--small", action="store_true", help=f"{SMALL} times")
    parser.add_argument("--seed", type=int, default=1, help="of the first audit")
    parser.add_argument("--keep", type=Path, help="a folder for results and stores, gone on with")
    arguments = parser.parse_args()
    times = min(arguments.times, SMALL) if arguments.small else arguments.times
    wrong = 0
    for subject in arguments.subject or sorted(SUBJECTS):
        expected = list(expected_outcomes(subject))
        tally = Tally()
        with tempfile.TemporaryDirectory(prefix="known-truth-") as scratch:
            for seed in range(arguments.seed, arguments.seed + times):
                folder = (arguments.keep or Path(scratch)) / f"{subject}-{seed}"
                _audit(subject, seed, folder, expected, tally)
                print(f"{subject}, seed {seed}", file=sys.stderr)
        wrong += _show(subject, expected, tally, times)
    return 1 if wrong else 0


def expected_outcomes(subject: str) -> Iterator[Expected]:
    """Yield what has to come out of a subject of known truth."""
    truth = json.loads((ROOT / SUBJECTS[subject] / "truth.json").read_text())
    for method, method_truth in truth["methods"].items():
        yield Expected(method, None, tuple(method_truth["outcomes"]))
    for pair_truth in truth["pairs"]:
        yield Expected(pair_truth["method"], pair_truth["benchmark"], tuple(pair_truth["outcomes"]))


def _audit(
    subject: str, seed: int, folder: Path, expected: Sequence[Expected], tally: Tally
) -> None:
    """Audit and count; an audit that ended well in an earlier call is counted as it is."""
    result_path = folder / "result.json"
    error = None if result_path.exists() else _ended(subject, seed, folder, expected)
    if error is not None:
        tally.broken.append(f"seed {seed}: {error}")
        return
    result = json.loads(result_path.read_text())
    tally.add(expected, result)
    tally.blocks.append(_blocks(folder / "store.sqlite"))
    began, ended = (datetime.fromisoformat(result[key]) for key in ("started", "ended"))
    tally.seconds.append((ended - began).total_seconds())


def _ended(subject: str, seed: int, folder: Path, expected: Sequence[Expected]) -> str | None:
    names = [expectation.method for expectation in expected if expectation.benchmark is None]
    methods = [flag for name in names for flag in ("--method", name)]
    command = [
        sys.executable,
        "-m",
        "auditor",
        "abs",
        str(BENCHMARKS / f"{subject}.json"),
        *methods,
    ]
    ended = subprocess.run(
        [*command, "--seed", str(seed), "--output", str(folder), "--quiet"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode == 0:
        return None
    return f"exit {ended.returncode}: {ended.stderr[-500:]}"


def _blocks(store: Path) -> int:
    with sqlite3.connect(store) as connection:
        rows = connection.execute("SELECT schedule FROM trial").fetchall()
    connection.close()
    return sum(len(json.loads(schedule)["blocks"]) for (schedule,) in rows)


def _short(name: str) -> str:
    return name.rsplit("/", 1)[-1].removeprefix("org.example.")


def _show(subject: str, expected: Sequence[Expected], tally: Tally, times: int) -> int:
    """Print the table of a subject; return how many lines are right too seldom."""
    wrong = len(tally.broken)
    width = max(len(expectation.name) for expectation in expected)
    print(f"\n{subject}: {times} audits")
    for expectation in expected:
        outcomes = tally.outcomes.get(expectation, Counter())
        right = sum(count for outcome, count in outcomes.items() if outcome in expectation.outcomes)
        wrong_outcomes = {
            outcome: count
            for outcome, count in outcomes.items()
            if outcome not in expectation.outcomes
        }
        bad = times - right > times // ALLOWED
        wrong += bad
        instead = "; instead " + ", ".join(f"{n} {name}" for name, n in wrong_outcomes.items())
        text = " or ".join(expectation.outcomes) + (instead if wrong_outcomes else "")
        print(f"{'✗' if bad else '✓'} {expectation.name:{width}}  {right:2} of {times}  {text}")
    for line in tally.broken:
        print(f"✗ {line}")
    if tally.blocks:
        blocks, seconds = sorted(tally.blocks), sorted(tally.seconds)
        middle = len(blocks) // 2
        print(f"an audit: {blocks[middle]} blocks, {seconds[middle]:.0f} s (medians)")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
