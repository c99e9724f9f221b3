"""The way of the research tools beside ours: verdicts, achieved slowdowns, time.

Three functions of google/uuid are audited twice, each time with a store of its own. Once as the
research tools do it, as a plan of ours: the whole suite for each slowed function, the plain suite
as the reference, `sleep` as the delay, 20 iterations and no warm-up, two runs, pooled iterations
(rule `paper`). Once as bench-audit does it. The research tools' iterations last a second; here
they last `--iteration-time`, so that it ends today, and what a second would take is counted. They
hold as many operations as fit the unchanged code, so slowed ones last longer than the tools' do.
"""

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parent.parent
SUBJECT = "go:github.com/google/uuid@v1.6.0"
METHODS = ("uuid.Parse", "uuid.UUID.String", "uuid.UUIDs.Strings")
SLOWDOWN = 0.6
ITERATIONS, RUNS = 20, 2
"""Of the research tools (MSR 2018, Section 6.2)."""
SMALL = "^Benchmark(Parse|UUID_String|UUIDs_Strings)$"


@dataclass(frozen=True, slots=True)
class Audit:
    """One audit: its result, and seconds by the clock and in measuring processes."""

    result: Mapping[str, Any]
    wall: float
    measured: float

    def pairs(self, method: str) -> list[Mapping[str, Any]]:
        """Return the pairs of a method that count: those of benchmarks that call it."""
        method_pairs = [pair for pair in self.result["pairs"] if pair["method"] == method]
        return [pair for pair in method_pairs if pair["outcome"] != "unreached"]


def main() -> int:
    """Audit both ways, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iteration-time", default="10ms", help="of the research tools' way")
    parser.add_argument("--small", action="store_true", help="three benchmarks, 2 ms")
    parser.add_argument("--keep", type=Path, help="a folder for results and stores, gone on with")
    parser.add_argument(
        "--only", choices=("theirs", "ours"), help="make one of the audits, and end"
    )
    arguments = parser.parse_args()
    length = "2ms" if arguments.small else arguments.iteration_time
    with tempfile.TemporaryDirectory(prefix="ancestors-") as scratch:
        folder = arguments.keep or Path(scratch)
        plans = {"theirs": _research_config(length), "ours": _common()}
        if arguments.small:
            plans = {name: {**plan, "benchmarks": SMALL} for name, plan in plans.items()}
        names = [arguments.only] if arguments.only else list(plans)
        audits = {name: _audit(plans[name], folder / name) for name in names}
    if not arguments.only:
        for line in _table(audits["theirs"], audits["ours"], length):
            print(line)
    return 0


def _common() -> dict[str, Any]:
    """Return what is the same in both; what the research tools do not ask is left out of ours."""
    document = {"subject": SUBJECT, "methods": METHODS, "slowdown": SLOWDOWN, "runs": RUNS}
    return {**document, "curve": "none", "controls": 0, "seed": 1}


def _research_config(length: str) -> dict[str, Any]:
    plan = {"forks": 1, "warmup": 0, "iterations": ITERATIONS, "iteration_time": length}
    # A sleep of nanoseconds lasts up to a millisecond: what takes a minute more has not hung.
    way = {"rule": "paper", "wait": "sleep", "exact": True, "stability_runs": RUNS, "timeout": "5m"}
    return {**_common(), **way, "plan": plan}


def _audit(plan: Mapping[str, Any], folder: Path) -> Audit:
    """Run one audit, unless it was run before; raises CalledProcessError where it fails."""
    clock = folder / "seconds"
    if not clock.exists():
        folder.mkdir(parents=True, exist_ok=True)
        config = folder / "config.json"
        config.write_text(json.dumps(plan))
        began = time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "auditor", "abs", config, "--quiet", "--output", folder],
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        clock.write_text(str(time.monotonic() - began))
    with sqlite3.connect(folder / "store.sqlite") as connection:
        (measured,) = connection.execute("SELECT sum(seconds) FROM run").fetchone()
    connection.close()
    result = json.loads((folder / "result.json").read_text())
    return Audit(result, float(clock.read_text()), measured)


def _table(research: Audit, product: Audit, length: str) -> Iterator[str]:
    benchmarks = len(research.result["benchmarks"])
    yield f"{SUBJECT}, {benchmarks} benchmarks, slowdown asked for: +{SLOWDOWN:.0%}"
    yield f"{'':28}{'the way of the research tools':42}ours"
    for method in (method_result["id"] for method_result in research.result["methods"]):
        left, right = _method(research, method), _method(product, method)
        yield f"{method.rpartition('/')[2]:28}{left[0]:42}{right[0]}"
        yield f"{'  achieved':28}{left[1]:42}{right[1]}"
    for name, value in (("by the clock", "wall"), ("in processes", "measured")):
        times = [f"{getattr(audit, value):.0f} s" for audit in (research, product)]
        yield f"{name:28}{times[0]:42}{times[1]}"
    processes = RUNS * (len(METHODS) + 1) * benchmarks
    yield (
        f"The research tools' way at {length} an iteration: {research.wall / product.wall:.1f} x "
        f"the time of ours; at a second (counted, without builds: {processes * ITERATIONS} s): "
        f"{processes * ITERATIONS / product.wall:.0f} x."
    )


def _method(audit: Audit, method: str) -> tuple[str, str]:
    """Return the verdict of a method, and the slowdowns achieved in the benchmarks calling it."""
    (outcome,) = (
        method_result["outcome"]
        for method_result in audit.result["methods"]
        if method_result["id"] == method
    )
    pairs = audit.pairs(method)
    detected = sum(pair["outcome"] == "detected" for pair in pairs)
    slowdowns = [
        pair["achieved_slowdown"] for pair in pairs if pair["achieved_slowdown"] is not None
    ]
    return f"{outcome} (by {detected} of {len(pairs)})", _range(slowdowns)


def _range(slowdowns: Sequence[float]) -> str:
    if not slowdowns:
        return "nothing measured"
    return f"median +{median(slowdowns):,.0%} ({min(slowdowns):+,.0%} ... {max(slowdowns):+,.0%})"


if __name__ == "__main__":
    sys.exit(main())
