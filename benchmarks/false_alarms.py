"""How often is a method detected that was slowed by nothing?

Audits a subject with many controls: each is a pair of the audit with a delay of nothing, measured
and judged as all others, with fresh processes. Prints the false alarms with the one-sided 95 %
bound of Clopper and Pearson. The exit code is 1 where more than one in a hundred is one.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import median

from auditor.stats.proportions import upper_bound

ROOT = Path(__file__).parent.parent
MOST = 0.01
"""The share of false alarms that is allowed."""


def main() -> int:
    """Audit, count, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("configs", nargs="*", type=Path, default=[ROOT / "examples/uuid.json"])
    parser.add_argument("--controls", type=int, default=60, help="of each measured method")
    parser.add_argument("--small", action="store_true", help="2 controls of each method")
    parser.add_argument("--slowdown", default=None, help="smaller ones are easier to mistake")
    parser.add_argument("--keep", type=Path, help="a folder for results and stores, gone on with")
    arguments = parser.parse_args()
    controls = 2 if arguments.small else arguments.controls
    judged, alarms = 0, 0
    with tempfile.TemporaryDirectory(prefix="false-alarms-") as scratch:
        for config in arguments.configs:
            result = _audit(
                config, (arguments.keep or Path(scratch)) / config.stem, controls, arguments
            )
            judged, alarms = judged + result[0], alarms + result[1]
    bound = upper_bound(alarms, judged, 0.95)
    print(f"{alarms} of {judged} false alarms; at most {bound:.2%} with 95 % confidence")
    return int(alarms > MOST * judged)


def _audit(config: Path, folder: Path, controls: int, args: argparse.Namespace) -> tuple[int, int]:
    """Return how many controls were judged and detected; raises CalledProcessError."""
    command = [sys.executable, "-m", "auditor", "abs", str(config), "--quiet", "--curve=none"]
    command += [f"--controls={controls}", "--stability-runs=2", "--output", str(folder)]
    command += [f"--slowdown={args.slowdown}"] if args.slowdown else []
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    result = json.loads((folder / "result.json").read_text())
    tally = result["controls"]
    sizes = sorted(abs(effect) for effect in tally["effects"])
    print(
        f"{config.stem} at {result['slowdown']:g}: {len(tally['alarms'])} of {tally['judged']} "
        f"controls detected; effects of nothing: median {median(sizes):.2%}, "
        f"95 % below {sizes[int(0.95 * len(sizes))]:.2%}, largest {sizes[-1]:.2%}"
    )
    for (method, benchmark), times in Counter(map(tuple, tally["alarms"])).most_common():
        print(f"  {method} in {benchmark}: {times}")
    return tally["judged"], len(tally["alarms"])


if __name__ == "__main__":
    sys.exit(main())
