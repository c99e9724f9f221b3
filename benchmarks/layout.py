"""How much does the order of functions in a Go binary change a benchmark's time?

Builds the unchanged suite with several layouts (`-ldflags=-randlayout=SEED`, Go 1.23 and later) and
measures it in several processes each. Told is how far the least times of two processes lie apart:
of one layout, which is noise, and of two layouts. What the second adds is an error of q, which
compares two binaries, that no number of processes makes smaller. Told is also how much slower the
drawn layouts are, on average, than the one that the linker makes unasked.

With --audit the configuration is audited, and told is half of the interval of q of each method
whose slowed version was run: without and with what layouts do. With --simulate nothing is run:
told is how often these intervals hold the true q where it is known.
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
from math import inf, log, sqrt
from pathlib import Path
from statistics import median

import numpy as np

from auditor.stats.arrays import Array
from auditor.stats.compare import estimate_ratio
from auditor.stats.components import VarianceComponent, component_between

ROOT = Path(__file__).parent.parent
LEAST = """
SELECT trial.benchmark, series.packed FROM series
JOIN run ON run.id = series.run JOIN trial ON trial.id = run.trial
WHERE trial.purpose = 'suite' AND series.metric = 'time' AND series.phase = 'measurement'
"""
PROCESSES = """
SELECT trial.purpose, trial.benchmark, trial.overlay, trial.layout, series.arm, series.packed
FROM series JOIN run ON run.id = series.run JOIN trial ON trial.id = run.trial
WHERE trial.purpose IN ('suite', 'reference', 'calibration', 'pairs')
AND series.metric = 'time' AND series.phase = 'measurement'
"""

LEVEL = 0.99
"""Confidence of the intervals, as `abs` has it."""
SIMULATED = (5, 1, 1)
"""Plain processes of each layout: five runs of the suite, two references."""

Times = Mapping[str, Sequence[float]]
"""The least time of each process, by benchmark."""


def main() -> int:
    """Measure, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", nargs="?", type=Path, default=ROOT / "examples/uuid.json")
    parser.add_argument("--layouts", type=int, default=6)
    parser.add_argument("--runs", type=int, default=3, help="processes of each layout")
    parser.add_argument("--audit", action="store_true", help="tell the intervals of q")
    parser.add_argument("--keep", type=Path, help="a folder for the audit that is to be kept")
    parser.add_argument("--simulate", action="store_true", help="tell how often they are right")
    args = parser.parse_args()
    if args.simulate:
        return _simulated()
    if args.audit:
        with tempfile.TemporaryDirectory(prefix="layout-") as scratch:
            return _intervals(args.config, args.keep or Path(scratch))
    with tempfile.TemporaryDirectory(prefix="layout-") as scratch:
        layouts = [
            _measured(args.config, seed, args.runs, Path(scratch) / str(seed))
            for seed in range(args.layouts + 1)
        ]
    unasked, *layouts = layouts
    names = sorted(set.intersection(*(set(layout) for layout in (unasked, *layouts))))
    print(f"{len(names)} benchmarks, {args.layouts} layouts, {args.runs} processes each")
    print("the least times of two processes lie apart by (median of all couples)")
    print(f"{'one layout':>12} {'two layouts':>12}")
    same, different = [], []
    for name in names:
        same.append(median(_median_distance(layout[name], None) for layout in layouts))
        couples = combinations(layouts, 2)
        different.append(
            median(_median_distance(first[name], second[name]) for first, second in couples)
        )
        print(f"{same[-1]:12.2%} {different[-1]:12.2%}  {name.rsplit('/', 1)[-1]}")
    print(f"{median(same):12.2%} {median(different):12.2%}  in the median of the benchmarks")
    print(f"{max(same):12.2%} {max(different):12.2%}  at most")
    slower = [
        median(log(min(layout[name])) for layout in layouts) - log(min(unasked[name]))
        for name in names
    ]
    print(f"drawn layouts are slower by {median(slower):.2%} in the median of the benchmarks")
    return 0


def _measured(config: Path, seed: int, runs: int, folder: Path) -> Times:
    """Run the suite with one layout; raises CalledProcessError where it fails."""
    layout_flag = f" -ldflags=-randlayout={seed}" if seed else ""
    flags = f"{os.environ.get('GOFLAGS', '')}{layout_flag}".strip()
    command = [
        sys.executable,
        "-m",
        "auditor",
        "stability",
        str(config),
        f"--stability-runs={runs}",
    ]
    subprocess.run(
        [*command, "--quiet", "--output", str(folder)],
        cwd=ROOT,
        check=True,
        env={**os.environ, "GOFLAGS": flags},
        stdout=subprocess.DEVNULL,
    )
    least_times: dict[str, list[float]] = {}
    with sqlite3.connect(folder / "store.sqlite") as connection:
        for name, packed in connection.execute(LEAST):
            values = struct.unpack(f"<{len(packed) // 8}d", packed)
            least_times.setdefault(name, []).append(min(values))
    connection.close()
    return least_times


def _intervals(config: Path, folder: Path) -> int:
    """Audit, and compare the intervals of q; raises CalledProcessError where the audit fails."""
    command = [sys.executable, "-m", "auditor", "abs", str(config), "--curve=none", "--quiet"]
    subprocess.run(
        [*command, "--output", str(folder)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL
    )
    plain: dict[str, dict[int, list[float]]] = {}
    probes: dict[tuple[str, str], list[float]] = {}
    with sqlite3.connect(folder / "store.sqlite") as connection:
        for purpose, name, overlay, layout, arm, packed in connection.execute(PROCESSES):
            least = min(struct.unpack(f"<{len(packed) // 8}d", packed))
            if purpose in ("suite", "reference"):
                plain.setdefault(name, {}).setdefault(layout, []).append(least)
            elif arm == "probe":
                probes.setdefault((name, overlay), []).append(least)
    connection.close()
    families = [[np.log(group) for group in groups.values()] for groups in plain.values()]
    component = component_between(families)
    if component is None:
        print("no layout was drawn")
        return 1
    print(
        f"layouts move times by {sqrt(component.variance):.2%}, "
        f"by {component.freedom} degrees of freedom"
    )
    halves = [_halves(times, plain[name], component) for (name, _), times in probes.items()]
    print(f"{'without':>9} {'with':>9}  half of the interval of q")
    for label, aggregate in (("in the median of", median), ("at most, of", max)):
        blind, informed = (aggregate(column) for column in zip(*halves, strict=True))
        print(f"{blind:9.2%} {informed:9.2%}  {label} {len(halves)} pairs")
    return 0


def _halves(
    probes: Sequence[float], plain: Mapping[int, Sequence[float]], component: VarianceComponent
) -> tuple[float, float]:
    """Return half of the interval of log q without and with what layouts do."""
    below = [value for group in plain.values() for value in group]
    sizes = [len(group) for group in plain.values()]
    intervals = [
        estimate_ratio(probes, below, LEVEL, assumed, sizes) for assumed in (None, component)
    ]
    blind, informed = (
        log(interval.high / interval.low) / 2 if interval else inf for interval in intervals
    )
    return blind, informed


def _simulated() -> int:
    """Draw audits as an audit has them: S is estimated from all benchmarks, and used for each."""
    rng = np.random.default_rng(1)
    print("intervals of 99 % that hold q, by how much more layouts scatter than processes do")
    print(f"{'benchmarks':>10} {'times':>8} {'without':>8} {'with':>8} {'half':>8} {'with':>8}")
    for benchmarks, times in product((2, 3, 6, 15), (0.0, 0.5, 1.0, 3.0)):
        coverage, halves = [], []
        for _ in range(6000 // benchmarks):
            families = [_draw_logs(rng, SIMULATED, times) for _ in range(benchmarks)]
            component = component_between(families)
            for family in families:
                (probes,) = _draw_logs(rng, (4,), times)
                below = np.exp(np.concatenate(family))
                intervals = [
                    estimate_ratio(np.exp(probes), below, LEVEL, assumed, SIMULATED)
                    for assumed in (None, component)
                ]
                coverage.append(
                    [
                        interval is not None and interval.low <= 1 <= interval.high
                        for interval in intervals
                    ]
                )
                halves.append(
                    [
                        log(interval.high / interval.low) / 2 if interval else inf
                        for interval in intervals
                    ]
                )
        right, half = np.mean(coverage, axis=0), np.median(halves, axis=0)
        print(
            f"{benchmarks:10} {times:8g} {right[0]:8.1%} {right[1]:8.1%} {half[0]:8.1%} "
            f"{half[1]:8.1%}"
        )
    return 0


def _draw_logs(rng: np.random.Generator, sizes: Sequence[int], times: float) -> list[Array]:
    """Return logarithms of times of processes that scatter by 1 %, of layouts of these sizes."""
    return [rng.normal(0, times * 0.01) + rng.normal(0, 0.01, size) for size in sizes]


def _median_distance(first: Sequence[float], second: Sequence[float] | None) -> float:
    """Return the median distance of two processes, of one group or of two."""
    couples = combinations(first, 2) if second is None else product(first, second)
    return median(abs(log(a / b)) for a, b in couples)


if __name__ == "__main__":
    sys.exit(main())
