"""Prints the `AuditFigures` of `auditor/languages/*.py` from stores of audits.

Each store should hold one finished audit (`abs`). A figure is the mean over the stores of a
harness; `low` and `high` are the least and the greatest quotient of measured and expected time,
where the expected one is had with these means.

    .venv/bin/python benchmarks/audit_figures.py uuid/store.sqlite chi/store.sqlite
"""

import json
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import fmean, median

TIMED = ("pilot", "suite", "reach")
"""Purposes whose processes do all of their blocks."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process of an audit."""

    purpose: str
    seconds: float
    planned: float
    """Seconds of its planned blocks."""
    delays: bool
    """Whether a block waits; the processes of a control do not."""


@dataclass(frozen=True, slots=True)
class Audit:
    """A finished audit."""

    harness: str
    seconds: float
    benchmarks: int
    pairs: int
    """Pairs in which the benchmark may call the method."""
    processes: tuple[Process, ...]

    def processes_for(self, *purposes: str) -> list[Process]:
        """Return the processes of some purposes."""
        return [process for process in self.processes if process.purpose in purposes]


def read(path: Path) -> Audit:
    """Read a store; raises ValueError where it holds no finished audit."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    with connection:
        row = connection.execute(
            "SELECT document, started, ended FROM audit WHERE command = 'abs' AND ended IS NOT NULL"
            " ORDER BY id DESC"
        ).fetchone()
        if row is None:
            raise ValueError(f"{path} holds no finished audit")
        processes = connection.execute(
            "SELECT purpose, seconds, schedule FROM run JOIN trial ON trial.id = run.trial"
            " WHERE benchmark IS NOT NULL"
        ).fetchall()
    connection.close()
    document = json.loads(row[0])
    started, ended = (datetime.fromisoformat(timestamp) for timestamp in row[1:])
    return Audit(
        harness=document["harness"],
        seconds=(ended - started).total_seconds(),
        benchmarks=len(document["benchmarks"]),
        pairs=sum(pair["outcome"] != "unreached" for pair in document["pairs"]),
        processes=tuple(_process(*process) for process in processes),
    )


def _process(purpose: str, seconds: float, text: str) -> Process:
    schedule = json.loads(text)
    delays = any(len(arm) > 2 and arm[2] for arm in schedule["arms"])
    return Process(purpose, seconds, len(schedule["blocks"]) * schedule["seconds"], delays)


def figures(audits: Sequence[Audit]) -> dict[str, float]:
    """Return the figures of audits of a harness, but for the builds, the result and the range."""
    start = median(
        max(0.0, process.seconds - process.planned)
        for audit in audits
        for process in audit.processes_for(*TIMED)
    )
    judging = [process for audit in audits for process in audit.processes_for("pairs", "mutant")]
    pairs = sum(audit.pairs for audit in audits) or 1
    return {
        "start_seconds": start,
        "pairs_per_benchmark": fmean(audit.pairs / audit.benchmarks for audit in audits),
        "calibrations": sum(len(audit.processes_for("calibration")) for audit in audits) / pairs,
        "processes for each pair, controls and curve included": len(judging) / pairs,
        "of these without a delay": sum(not process.delays for process in judging) / pairs,
        "used_part": sum(max(0.0, process.seconds - start) for process in judging)
        / (sum(process.planned for process in judging) or 1.0),
        "seconds of an audit beside its processes": fmean(
            audit.seconds - sum(process.seconds for process in audit.processes) for audit in audits
        ),
    }


def main(paths: Sequence[str]) -> int:
    """Print the figures of each harness."""
    by_harness: dict[str, list[Audit]] = {}
    for path in paths:
        audit = read(Path(path))
        by_harness.setdefault(audit.harness, []).append(audit)
    for harness, audits in by_harness.items():
        print(f"{harness}: {len(audits)} audits")
        for name, value in figures(audits).items():
            print(f"  {name}: {value:.3g}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
