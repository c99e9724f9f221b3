"""What does an audit of the next commit cost, beside the first one?

A copy of a folder is audited, then again after each change: one line more at the end of a file
(a comment in Go and Java), one file at a time, all into one store. Printed are seconds by the
clock, builds and listing included, and how many processes of benchmarks were run. What our caches
have of the same content is not built again: for the first audit to be one, it must be new there.
"""

import argparse
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main() -> int:
    """Audit a copy after each change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path, help="of an audit; its subject is not looked at")
    parser.add_argument("folder", type=Path, help="the subject")
    parser.add_argument("changes", nargs="+", help="files below the folder to change in turn")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="next-commit-") as scratch:
        copy, config = Path(scratch) / arguments.folder.name, Path(scratch) / "config.json"
        shutil.copytree(arguments.folder, copy)
        keys = json.loads(arguments.config.read_text()) | {"subject": str(copy)}
        config.write_text(json.dumps(keys))
        store = Path(scratch) / "store.sqlite"
        print(f"{'':40} {'seconds':>8} {'run':>5} {'of':>5}")
        for changed in ("", *arguments.changes):
            if changed:
                with (copy / changed).open("a") as file:
                    file.write("\n// one line more\n")
            print(_audited(config, store, changed or "the first audit"), flush=True)
    return 0


def _audited(config: Path, store: Path, name: str) -> str:
    """Return a line of the table: `run` is how many processes, `of` how many the result has."""
    before, started = _runs(store), time.monotonic()
    call = [sys.executable, "-m", "auditor", "abs", str(config), "--store", str(store)]
    answer = subprocess.run(
        [*call, "--format", "json"], capture_output=True, text=True, check=False
    )
    if answer.returncode not in (0, 5):
        raise SystemExit(answer.stderr)
    seconds, new = time.monotonic() - started, _runs(store) - before
    reused = [
        int(caveat["text"].partition(" ")[0])
        for caveat in json.loads(answer.stdout)["caveats"]
        if caveat["slug"] == "other-revision"
    ]
    return f"{name:40} {seconds:8.1f} {new:5} {new + sum(reused):5}"


def _runs(store: Path) -> int:
    if not store.exists():
        return 0
    with sqlite3.connect(store) as connection:
        return int(connection.execute("SELECT count(*) FROM run").fetchone()[0])


if __name__ == "__main__":
    sys.exit(main())
