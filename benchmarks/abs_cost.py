"""What does a score cost, and is it the same as the exhaustive one?

For each configuration: the audit as it is, without the curve, which the exhaustive way has not; the
same for the score alone (`--mode score`); the estimate, which slows nothing; and with `--exact`
(every method in every benchmark, a fixed number of blocks, nothing predicted or stopped), all of
the same methods. Each has a store and a cache of its own, so all downloads and builds are in it.
The exhaustive one is made twice with different seeds, so that its agreement with itself stands
beside ours with it. The paper's plan is not run but counted: whole suites, 20 (Go) or 30 (JMH and
Python, warm-up included) iterations of a second, 2 x (methods + 1) times; the same with iterations
of our length. With those two runs are made, too: what it takes to start processes is in no count.
"""

import argparse
import json
import os
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).parent
ROOT = BENCHMARKS.parent
ITERATIONS = {"go": 20, "jmh": 30, "pytest": 30, "asv": 30, "pyperf": 30}
"""Iterations of a second in the paper's plan, warm-up included; it has no plan for Python."""
SPENT = "SELECT purpose, sum(seconds) FROM run JOIN trial ON trial.id = run.trial GROUP BY purpose"
WALLS = """
SELECT packed FROM series JOIN run ON run.id = series.run JOIN trial ON trial.id = run.trial
WHERE purpose = 'pairs' AND metric = 'wall'
"""
SCHEDULES = "SELECT schedule FROM trial WHERE purpose = 'pairs'"
SPANS = """
SELECT started, seconds FROM run JOIN trial ON trial.id = run.trial
WHERE purpose IN (SELECT value FROM json_each(?)) ORDER BY started
"""
CHOOSING = ("usage",)
JUDGING = ("calibration", "pairs", "reference")
EXACT = ("--exact", "--controls=0")
UNDECIDED = frozenset({"inconclusive", "unmeasured", "timed-out", "crashed"})


@dataclass(frozen=True, slots=True)
class Audit:
    """One audit: its result, its seconds by the clock and those in processes by their purpose.

    `choosing` is the time by the clock in which unit tests ran, some of them side by side, and
    `judging` that of calibrations and pairs.
    `block` is how long the blocks of its pairs were to last on average, in seconds, and `blocks`
    what they took, all together.
    """

    result: Mapping[str, Any]
    wall: float
    spent: Mapping[str, float]
    choosing: float
    judging: float
    block: float
    blocks: float

    def verdicts(self, kind: str) -> dict[tuple[str, ...], str]:
        """Return the outcomes of `kind`, "methods" or "pairs"."""
        if kind == "methods":
            return {(method["id"],): method["outcome"] for method in self.result["methods"]}
        return {
            (pair["method"], pair["benchmark"]): pair["outcome"] for pair in self.result["pairs"]
        }


@dataclass(frozen=True, slots=True)
class Audits:
    """The audits of one suite."""

    default: Audit
    score: Audit
    estimate: Audit
    exact: Audit | None
    exact_repeat: Audit | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many verdicts are equal, of those that neither side leaves open."""

    equal: int
    decided: int
    all: int

    def __str__(self) -> str:
        """Return the share, and how many were left open."""
        share = f"{self.equal / self.decided:.1%}" if self.decided else "none decided"
        return f"{share} of {self.decided} ({self.all - self.decided} left open)"


def main() -> int:
    """Audit, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "configs", nargs="*", type=Path, default=[BENCHMARKS / "abs-cost/uuid.json"]
    )
    parser.add_argument("--keep", type=Path, help="a folder for results and stores, gone on with")
    parser.add_argument("--once", action="store_true", help="make the exhaustive audit only once")
    parser.add_argument("--cost-only", action="store_true", help="make no exhaustive audit")
    scope_options = parser.add_mutually_exclusive_group()
    scope_options.add_argument(
        "--reached", action="store_true", help="exhaustive audits of methods that are reached only"
    )
    scope_options.add_argument(
        "--decided", action="store_true", help="of those of these only that ours has decided"
    )
    args = parser.parse_args()
    for config in args.configs:
        with tempfile.TemporaryDirectory(prefix="abs-cost-") as scratch:
            folder = (args.keep or Path(scratch)) / config.stem
            default = _audit(config, folder / "ours", "--curve=none")
            # What is called most hangs on how many operations fit: the methods must be the same.
            same = [f"--method={method['id']}" for method in default.result["methods"]]
            score = _audit(config, folder / "score", "--curve=none", "--mode=score", *same)
            guess = _audit(config, folder / "estimate", "--estimate", *same)
            exact = exact_repeat = None
            methods = same
            if args.reached or args.decided:
                methods = _named(default, UNDECIDED if args.decided else frozenset())
            if not args.cost_only:
                exact = _audit(config, folder / "exact", *EXACT, *methods)
            if exact is not None and not args.once:
                exact_repeat = _audit(config, folder / "again", *EXACT, "--seed=2", *methods)
            for line in _table(config.stem, Audits(default, score, guess, exact, exact_repeat)):
                print(line)
            print(_as_short(config, folder / "plan", default))
    return 0


def _named(audit: Audit, but: frozenset[str]) -> list[str]:
    """Return the flags for the methods that are reached, but those with one of these outcomes.

    They are still measured in all benchmarks. Where an exhaustive audit of all methods takes hours,
    those that nothing reaches are the ones whose verdict is the least in doubt, and with those that
    ours leaves open it can hardly agree.
    """
    methods = audit.result["methods"]
    return [
        f"--method={method['id']}"
        for method in methods
        if method["outcome"] not in {"unreached", *but}
    ]


def _audit(config: Path, folder: Path, *flags: str) -> Audit:
    """Run one audit, unless it was run before; raises CalledProcessError where it fails."""
    clock = folder / "seconds"
    if not clock.exists():
        began = time.monotonic()
        _run(folder, "abs", str(config), *flags)
        clock.write_text(str(time.monotonic() - began))
    with sqlite3.connect(folder / "store.sqlite") as connection:
        spent = dict(connection.execute(SPENT).fetchall())
        choosing, judging = (
            _covered(connection.execute(SPANS, (json.dumps(purposes),)).fetchall())
            for purposes in (CHOOSING, JUDGING)
        )
        lengths = [json.loads(schedule)["seconds"] for (schedule,) in connection.execute(SCHEDULES)]
        walls = b"".join(packed for (packed,) in connection.execute(WALLS))
    connection.close()
    result = json.loads((folder / "result.json").read_text())
    block = sum(lengths) / len(lengths) if lengths else result["plan"]["iteration_seconds"]
    blocks = sum(value for (value,) in struct.iter_unpack("<d", walls))
    return Audit(result, float(clock.read_text()), spent, choosing, judging, block, blocks)


def _run(folder: Path, *words: str) -> None:
    """Run the program into a folder, with a cache of its own there."""
    subprocess.run(
        [sys.executable, "-m", "auditor", *words, "--quiet", "--output", str(folder)],
        cwd=ROOT,
        check=True,
        env={**os.environ, "XDG_CACHE_HOME": str(folder.absolute() / "cache")},
        stdout=subprocess.DEVNULL,
    )


def _as_short(config: Path, folder: Path, default: Audit) -> str:
    """Run the suite twice by the paper's plan with blocks of our length; say what it all takes."""
    iterations = ITERATIONS[default.result["harness"]]
    length = f"{max(1, round(1000 * default.block))}ms"
    plan = {"warmup": iterations - 20, "iterations": 20, "iteration_time": length}
    if not (folder / "result.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        config_path = folder / "config.json"
        config_path.write_text(json.dumps(json.loads(config.read_text()) | {"plan": plan}))
        _run(folder, "stability", str(config_path), "--stability-runs=2")
    with sqlite3.connect(folder / "store.sqlite") as connection:
        run = dict(connection.execute(SPENT).fetchall())["suite"] / 2
    connection.close()
    plan_seconds = 2 * (len(default.result["methods"]) + 1) * run
    return (
        f"  a run of the suite with {iterations} iterations of {length} took {run:.1f} s in "
        f"processes; the plan's runs would take {plan_seconds:.0f} s so, without builds: ours is "
        f"{plan_seconds / default.wall:.1f} x less, "
        f"{plan_seconds / (default.wall - default.choosing):.1f} x with methods that are named"
    )


def _covered(spans: Iterable[tuple[str, float]]) -> float:
    """Return the seconds in which at least one of some processes ran, in order of their starts."""
    covered = end = 0.0
    for started, seconds in spans:
        begin = datetime.fromisoformat(started).timestamp()
        covered += max(0.0, begin + seconds - max(begin, end))
        end = max(end, begin + seconds)
    return covered


def _table(name: str, audits: Audits) -> Iterator[str]:
    default, exact = audits.default, audits.exact
    result = default.result
    methods, benchmarks = len(result["methods"]), len(result["benchmarks"])
    paper = 2 * (methods + 1) * benchmarks * ITERATIONS[result["harness"]]
    yield f"\n{name}: {methods} methods, {benchmarks} benchmarks"
    named = (("ours", default), ("score", audits.score), ("estimate", audits.estimate))
    for label, audit in (*named, ("exact", exact)):
        if audit is not None:
            yield _line(label, audit)
    parts = sorted(default.spent.items(), key=lambda part: -part[1])
    yield "  ours in processes: " + ", ".join(f"{name} {took:.0f} s" for name, took in parts)
    if default.blocks:
        between = default.spent["pairs"] - default.blocks
        yield f"  of pairs, {between:.0f} s lie before, between and behind their blocks"
    yield f"  {_causes(result)}"
    left = default.wall - default.choosing - default.judging
    yield (
        f"  all but calibrations, pairs and unit tests takes {left:.0f} s: were those nothing, "
        f"{paper / left:.0f} x less than the paper's plan"
    )
    short = paper * default.block
    covers_all = exact is not None and len(exact.result["methods"]) == methods
    for label, audit in named:
        yield (
            f"  {label}: {paper / audit.wall:.0f} x less than the paper's plan (counted, "
            f"{paper / 3600:.1f} h), {short / audit.wall:.1f} x less than that with iterations as "
            f"long as ours ({1000 * default.block:.0f} ms on average; counted, {short:.0f} s)"
            + (f", {exact.wall / audit.wall:.1f} x less than exact" if exact and covers_all else "")
        )
    without = default.wall - default.choosing
    yield (
        "  ours without the unit tests by which methods were chosen "
        f"({default.choosing:.0f} s), that neither the plan nor score and estimate have: "
        f"{without:.0f} s, {paper / without:.0f} x less"
    )
    for kind in ("methods", "pairs"):
        yield f"  {kind}: estimate agrees with ours in {_agreement(kind, audits.estimate, default)}"
    if exact is not None:
        yield from _agreements(audits, exact)


def _agreements(audits: Audits, exact: Audit) -> Iterator[str]:
    default, exact_repeat = audits.default, audits.exact_repeat
    for kind in ("methods", "pairs"):
        yield f"  {kind}: ours agrees with exact in {_agreement(kind, default, exact)}"
        if kind == "methods":
            yield f"  methods: score agrees with exact in {_agreement(kind, audits.score, exact)}"
        if exact_repeat is not None:
            yield f"  {kind}: exact agrees with itself in {_agreement(kind, exact, exact_repeat)}"
        for line in _differences(kind, default, exact):
            yield f"    {line}"


def _line(label: str, audit: Audit) -> str:
    score = audit.result["scores"]["total"]
    low, high = score["bounds"]
    return (
        f"  {label:8} {audit.wall:7.0f} s by the clock, {sum(audit.spent.values()):7.0f} s in "
        f"processes; {len(audit.result['methods'])} methods, score {score['percent']:.0f} % "
        f"({low:.0f} ... {high:.0f})"
    )


def _causes(result: Mapping[str, Any]) -> str:
    """Return what made it shorter: pairs not reached, pairs predicted, blocks left out."""
    pairs = result["pairs"]
    reached = [pair for pair in pairs if pair["outcome"] != "unreached"]
    predicted = [pair for pair in reached if any(c["slug"] == "predicted" for c in pair["caveats"])]
    runs = [run for pair in reached for run in pair["runs"]]
    planned = 2 * result["plan"]["iterations"] * len(runs)
    block_pairs = sum(len(run["reference"]) for run in runs)
    measured = len(reached) - len(predicted)
    return (
        f"by cause: {len(reached)} of {len(pairs)} pairs are reached "
        f"({len(pairs) / max(1, len(reached)):.1f} x), {len(predicted)} of them predicted "
        f"({len(reached) / max(1, measured):.1f} x); {len(runs)} runs of pairs made "
        f"{block_pairs} of at most {planned} pairs of blocks "
        f"({planned / max(1, block_pairs):.1f} x)"
    )


def _agreement(kind: str, first: Audit, second: Audit) -> Agreement:
    outcome_pairs = _together(first.verdicts(kind), second.verdicts(kind))
    decided = [pair for pair in outcome_pairs.values() if not UNDECIDED & set(pair)]
    return Agreement(sum(a == b for a, b in decided), len(decided), len(outcome_pairs))


def _differences(kind: str, default: Audit, exact: Audit) -> Sequence[str]:
    outcome_pairs = _together(default.verdicts(kind), exact.verdicts(kind))
    return [
        f"{' in '.join(name.rsplit('/', 1)[-1] for name in key)}: {default_outcome}, "
        f"exact: {exact_outcome}"
        for key, (default_outcome, exact_outcome) in sorted(outcome_pairs.items())
        if default_outcome != exact_outcome and not UNDECIDED & {default_outcome, exact_outcome}
    ]


def _together(
    first: Mapping[tuple[str, ...], str], second: Mapping[tuple[str, ...], str]
) -> dict[tuple[str, ...], tuple[str, str]]:
    return {key: (first[key], second[key]) for key in first if key in second}


if __name__ == "__main__":
    sys.exit(main())
