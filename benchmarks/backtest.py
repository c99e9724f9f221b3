"""Is what the audit calls watched what a suite detects? Known commits of real projects.

    .venv/bin/python benchmarks/backtest.py [--clones FOLDER] [--only NAME,NAME]

Clones each project (or takes FOLDER/NAME), tries its commits with `bench-audit backtest`, and
prints a row for each and the counts of all together.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditor.backtest.document import BacktestDocument
from auditor.backtest.judge import correlate_counts
from auditor.backtest.text import describe_agreement, describe_methods, detecting_benchmarks
from reports.results import decode_document

PROGRAM = Path(sys.executable).with_name("bench-audit")


@dataclass(frozen=True, slots=True)
class Subject:
    """A project, those of its benchmarks that take microseconds, and commits that say: faster."""

    url: str
    benchmarks: str
    fixes: tuple[str, ...]


SUBJECTS: Mapping[str, Subject] = {
    "uuid": Subject(
        "https://github.com/google/uuid", "Parse", ("574e68749437", "85223faccf99", "edef28d0c8ac")
    ),
    "decimal": Subject(
        "https://github.com/shopspring/decimal",
        "NewFromString|NewFromFloat$|NumDigits10|RoundCash|_different|UnmarshalJSON|IsInteger",
        (
            "08afb3551736",
            "645a76e5b0ae",
            "bf7794e1a84f",
            "bc96f543c22f",
            "483a047db9d0",
            "0cada0bdfec0",
            "408a2507e114",
        ),
    ),
    "bitset": Subject(
        "https://github.com/bits-and-blooms/bitset",
        "GetTest|SetExpand|BenchmarkCount|BenchmarkIterate|BitsetOps|ReadWrite|len=1000$",
        ("3d1d26c379f8", "dbb95273c073", "5df2e1c2d298", "99be40fb27db"),
    ),
    "zerolog": Subject(
        "https://github.com/rs/zerolog",
        "LogEmpty|Disabled|Info|LogFields$|ContextFields|AppendString|Sampl",
        ("14dcf38e7dc7", "ffd0e9625da4"),
    ),
}
"""The commits that `backtest --list` finds in these, as far as they can be built as modules."""


def main() -> int:
    """Try all commits, and print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--clones", type=Path)
    options.add_argument("--only", default=",".join(SUBJECTS))
    options.add_argument("--keep", type=Path, help="A folder for stores and results.")
    arguments = options.parse_args()
    counts = [0, 0, 0, 0]
    print("| project | commit | detected | by | changed methods | what it was |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as scratch:
        for name in arguments.only.split(","):
            document = _run_backtest(name, arguments, arguments.keep or Path(scratch))
            agreed = document.agreement
            project_counts = (
                agreed.agreed,
                agreed.watched_only,
                agreed.noticed_only,
                agreed.neither,
            )
            counts = [sum(pair) for pair in zip(counts, project_counts, strict=True)]
            for commit in document.commits:
                message = detecting_benchmarks(commit) or commit.reason
                print(
                    f"| {name} | {commit.commit[:12]} | {commit.noticed} | {message} "
                    f"| {describe_methods(commit)} | {commit.title} |",
                    flush=True,
                )
    print()
    print("; ".join(describe_agreement(correlate_counts(*counts))))
    return 0


def _run_backtest(name: str, args: Any, folder: Path) -> BacktestDocument:
    subject = SUBJECTS[name]
    clone = (args.clones or folder) / name
    if not clone.exists():
        subprocess.run(["git", "clone", "--quiet", subject.url, str(clone)], check=True)
    call = [
        *(str(PROGRAM), "backtest", str(clone), "-o", str(folder / f"{name}-out")),
        *(word for fix in subject.fixes for word in ("--fix", fix)),
        *(("--benchmarks", subject.benchmarks) if subject.benchmarks else ()),
        *("--format", "json"),
    ]
    process = subprocess.run(call, stdout=subprocess.PIPE, check=True)
    return decode_document(BacktestDocument, "backtest", process.stdout)


if __name__ == "__main__":
    sys.exit(main())
