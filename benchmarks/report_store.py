"""How long does a report take, and how much memory, from a store of a million measured values?

The store is made up: one run for each of so many reached pairs of 1,000 benchmarks and 200 methods,
with the values that the result has of it, and that result. Then `bench-audit report` and `store
verify` are called as a user would, and what they took is told. The values are of no meaning.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "support")]

import builders  # noqa: E402 - the tests' own makers
import crowds  # noqa: E402

from auditor.config import load_config  # noqa: E402
from auditor.store.audits import AuditRecord  # noqa: E402
from auditor.store.sqlite import SqliteStore  # noqa: E402
from reports import results  # noqa: E402

METHODS, BENCHMARKS = 200, 1000
GO_MOD = "module example.org/team\n\ngo 1.21\n"


def main() -> int:
    """Make the store, call the commands, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10_000, help="reached pairs")
    parser.add_argument("--keep", type=Path, help="a folder for the store and the report")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="report-store-") as scratch:
        folder = arguments.keep or Path(scratch)
        subject, path = folder / "team", folder / "store.sqlite"
        subject.mkdir(parents=True, exist_ok=True)
        (subject / "go.mod").write_text(GO_MOD)
        # Made in another process: what a process holds when it starts one counts as that one's.
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            values = pool.apply(_store, (path, subject, arguments.pairs))
        print(f"{values:,} values of {arguments.pairs:,} pairs, {path.stat().st_size / 1e6:.0f} MB")
        for words in (
            ("report", str(subject), "--output", str(folder / "out")),
            ("report", str(subject), "--format", "csv"),
            ("store", "verify"),
        ):
            _time_command((*words, "--store", str(path)))
    return 0


def _store(path: Path, subject: Path, pairs: int) -> int:
    """Return how many values the store then holds."""
    document = crowds.crowd(METHODS, BENCHMARKS, METHODS * BENCHMARKS // pairs)
    values = 0
    with SqliteStore(path) as store:
        number = store.add_audit(
            AuditRecord(
                command="abs",
                subject="digest",
                config=load_config(str(subject), {}, subject).text,
                tools=(),
                version="1",
                started="2026-01-01T00:00:00+00:00",
            )
        )
        reached = [pair for pair in document.pairs if pair.runs]
        for index, pair in enumerate(reached):
            for repetition, run in enumerate(pair.runs, 1):
                benchmark = builders.benchmark(f"{pair.benchmark}-{index}")
                store.add_run(
                    builders.pair_run(
                        run.reference, run.slowed, of=benchmark, repetition=repetition
                    )
                )
                values += len(run.reference) + len(run.slowed)
        store.end_audit(number, "2026-01-01T01:00:00+00:00", results.format_json(document))
    return values


def _time_command(words: Sequence[str]) -> None:
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "auditor", *words],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    took = time.monotonic() - began
    if status:
        raise SystemExit(f"{words[0]} ended with {os.waitstatus_to_exitcode(status)}")
    print(
        f"  {' '.join(words[:1]):7} {took:5.1f} s  {used.ru_maxrss / 1024:5.0f} MB  ({words[-4:]})"
    )


if __name__ == "__main__":
    sys.exit(main())
