"""What is left out of a calibration that ends once all its arms were quiet, and what it changes.

    python benchmarks/quiet_blocks.py STORE.sqlite ...

Of stores whose calibrations ran to their end (`bench-audit abs CONFIG --exact`) each process is cut
off where it would have ended. Printed are, by how much the second least block of an arm may be
longer than the least: the part of the measured blocks that is left out; by how much what is left
makes a clocked call longer; and how much it changes what the delay adds, as a part of the probe's
operation. Both are zero where the least blocks are among those that are left.
"""

import argparse
import json
import sqlite3
import struct
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from auditor.measure.schedules import QUIET

SHARES = (0.01, 0.02, QUIET.share, 0.05)
SERIES = """
SELECT run.id, trial.schedule, metric, arm, packed
FROM series JOIN run ON run.id = series.run JOIN trial ON trial.id = run.trial
WHERE purpose = 'calibration' AND phase = 'measurement'
  AND metric IN ('time', 'method-time', 'method-calls')
"""
Values = dict[tuple[str, str], tuple[float, ...]]


def main() -> None:
    """Print a line for each store and share."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stores", nargs="+", type=Path)
    print(f"from {QUIET.blocks} blocks of each arm on")
    print(f"{'store':30} {'processes':>9} {'share':>6} {'left out':>9}  call longer, delay off")
    for store in parser.parse_args().stores:
        processes = list(_processes(store))
        if not processes:
            print(f"{str(store)[-30:]:30} no calibration that ran to its end")
            continue
        for share in SHARES:
            cut = [_cut(process, share) for process in processes]
            left_out, longer, delay_error = (np.array(column) for column in zip(*cut, strict=True))
            print(
                f"{str(store)[-30:]:30} {len(processes):9} {share:6.0%} {left_out.mean():9.0%}  "
                f"{_spread(longer)}, {_spread(delay_error)}",
                flush=True,
            )


def _spread(values: np.ndarray) -> str:
    middle, most, worst = np.quantile(values, (0.5, 0.9, 1.0))
    return f"{middle:.1%} (nine of ten {most:.1%}, at most {worst:.1%})"


def _processes(store: Path) -> Iterator[Values]:
    """Return the series of each process that has all that its schedule asks for."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        rows = connection.execute(SERIES).fetchall()
    by_run: dict[int, Values] = {}
    rounds = {}
    for run, schedule, metric, arm, packed in rows:
        values = struct.unpack(f"<{len(packed) // 8}d", packed)
        by_run.setdefault(run, {})[metric, arm] = values
        blocks = [arm for phase, arm in json.loads(schedule)["blocks"] if phase == "measurement"]
        rounds[run] = len(blocks) // len(set(blocks))
    for run, series in by_run.items():
        if all(len(values) == rounds[run] for values in series.values()):
            yield series


def _cut(series: Values, share: float) -> tuple[float, float, float]:
    """Return the part left out, and by what part a call and what the delay adds are then off."""
    arms = [values for (metric, _), values in series.items() if metric == "time"]
    block_count = len(arms[0])
    stop = next(
        (n for n in range(QUIET.blocks, block_count) if _quiet(arms, n, share)), block_count
    )
    clocked = zip(series["method-time", "clocked"], series["method-calls", "clocked"], strict=True)
    calls = [time / count for time, count in clocked if count]
    probe, slowed = series["time", "probe"], series["time", "slowed"]
    added, least = min(slowed) - min(probe), min(probe)
    delay_error = abs(min(slowed[:stop]) - min(probe[:stop]) - added) / least
    longer = min(calls[:stop]) / min(calls) - 1 if calls else 0.0
    return 1 - stop / block_count, longer, delay_error


def _quiet(arms: Sequence[Sequence[float]], blocks: int, share: float) -> bool:
    lows = [sorted(values[:blocks])[:2] for values in arms]
    return all(second <= least * (1 + share) for least, second in lows)


if __name__ == "__main__":
    main()
