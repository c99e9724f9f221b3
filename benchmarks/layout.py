"""How much does the order of functions in a Go binary change a benchmark's time?

Builds the unchanged suite with several layouts (`-ldflags=-randlayout=SEED`, Go 1.22 and later) and
measures it in several processes each. Told is how far the least times of two processes lie apart:
of one layout, which is noise, and of two layouts. What the second adds is an error of q, which
compares two binaries, that no number of processes makes smaller.
"""

import argparse
import os
import sqlite3
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import log
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
LEAST = """
SELECT trial.benchmark, series.packed FROM series
JOIN run ON run.id = series.run JOIN trial ON trial.id = run.trial
WHERE trial.purpose = 'suite' AND series.metric = 'time' AND series.phase = 'measurement'
"""

Times = Mapping[str, Sequence[float]]
"""The least time of each process, by benchmark."""


def main() -> int:
    """Measure, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", nargs="?", type=Path, default=ROOT / "examples/uuid.json")
    parser.add_argument("--layouts", type=int, default=6)
    parser.add_argument("--runs", type=int, default=3, help="processes of each layout")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="layout-") as scratch:
        layouts = [
            _measured(asked.config, seed, asked.runs, Path(scratch) / str(seed))
            for seed in range(1, asked.layouts + 1)
        ]
    names = sorted(set.intersection(*(set(one) for one in layouts)))
    print(f"{len(names)} benchmarks, {asked.layouts} layouts, {asked.runs} processes each")
    print("the least times of two processes lie apart by (median of all couples)")
    print(f"{'one layout':>12} {'two layouts':>12}")
    same, other = [], []
    for name in names:
        same.append(median(_apart(one[name], None) for one in layouts))
        couples = combinations(layouts, 2)
        other.append(median(_apart(one[name], another[name]) for one, another in couples))
        print(f"{same[-1]:12.2%} {other[-1]:12.2%}  {name.rsplit('/', 1)[-1]}")
    print(f"{median(same):12.2%} {median(other):12.2%}  in the median of the benchmarks")
    print(f"{max(same):12.2%} {max(other):12.2%}  at most")
    return 0


def _measured(config: Path, seed: int, runs: int, folder: Path) -> Times:
    """Run the suite with one layout; raises CalledProcessError where it fails."""
    flags = f"{os.environ.get('GOFLAGS', '')} -ldflags=-randlayout={seed}".strip()
    command = [sys.executable, "-m", "auditor", "stability", str(config), f"--runs={runs}"]
    subprocess.run(
        [*command, "--quiet", "--output", str(folder)],
        cwd=ROOT,
        check=True,
        env={**os.environ, "GOFLAGS": flags},
        stdout=subprocess.DEVNULL,
    )
    found: dict[str, list[float]] = {}
    with sqlite3.connect(folder / "store.sqlite") as connection:
        for name, packed in connection.execute(LEAST):
            values = struct.unpack(f"<{len(packed) // 8}d", packed)
            found.setdefault(name, []).append(min(values))
    connection.close()
    return found


def _apart(one: Sequence[float], other: Sequence[float] | None) -> float:
    """Return the median distance of two processes, of one group or of two."""
    couples = combinations(one, 2) if other is None else product(one, other)
    return median(abs(log(a / b)) for a, b in couples)


if __name__ == "__main__":
    sys.exit(main())
