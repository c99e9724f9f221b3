"""Sums up what pytest has left of its runs: `scripts/tallies.py EXPECTED-SKIPS FOLDER`.

What failed at first and passed alone has passed, and is named.
"""

import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

BAD = ("failure", "error")


def outcomes(folder: Path, *names: str) -> Iterator[tuple[str, str]]:
    """Yield each test of these runs, and whether it passed, failed, broke or was skipped."""
    for name in names:
        path = folder / f"{name}.xml"
        if path.exists():
            for case in ET.parse(path).iter("testcase"):  # noqa: S314 ours
                found = {part.tag for part in case}
                kind = next((one for one in (*BAD, "skipped") if one in found), "passed")
                yield f"{case.get('classname')}::{case.get('name')}", kind


def main(expected: int, folder: Path) -> int:
    """Print the sums; 1 where a test failed twice, skips are not as expected, or none ran."""
    first = dict(outcomes(folder, "beside", "timed"))
    again = dict(outcomes(folder, "again"))
    last = {**first, **again}
    for name in sorted(name for name, kind in again.items() if kind == "passed"):
        if first.get(name) in BAD:
            sys.stdout.write(f"failed at first, and passed alone: {name}\n")
    counts = [list(last.values()).count(kind) for kind in ("passed", *BAD, "skipped")]
    passed, failed, wrong, skipped = counts
    said = f"{passed} passed, {failed} failed, {wrong} errors, {skipped} skipped"
    sys.stdout.write(f"{said} ({expected} expected)\n")
    return int(bool(failed or wrong or skipped != expected or not passed))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), Path(sys.argv[2])))
