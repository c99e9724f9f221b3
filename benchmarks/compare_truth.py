"""How often does `compare` call a regression where nothing has changed, and see one that is there?

The subject is a Go module of eight benchmarks, in a repository of its own. Each time a commit is
compared with one in which only a comment differs (A/A; every benchmark is built anew, so all are
measured), and with one in which one method does a tenth more. Each time has another seed, so other
layouts and another order.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
SIZES = (50, 100, 200, 400, 800, 1600, 3200, 6400)
SLOWER = 3
"""Which of them does a tenth more."""
HEAD = "package loops\n\n// {note}\n\nfunc turn(x uint64) uint64 {{ return (x ^ x<<13) * 5 }}\n"
METHOD = """
func Loop{at}(x uint64) uint64 {{
	for n := {turns}; n > 0; n-- {{
		x = turn(x)
	}}
	return x
}}
"""
TEST_HEAD = 'package loops\n\nimport "testing"\n\nvar sink uint64\n'
TEST = """
func BenchmarkLoop{at}(b *testing.B) {{
	for i := 0; i < b.N; i++ {{
		sink = Loop{at}(sink + 1)
	}}
}}
"""


def main() -> int:
    """Compare again and again, print what was said."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--keep", type=Path, help="a folder for results and stores, gone on with")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="compare-truth-") as scratch:
        folder = arguments.keep or Path(scratch)
        project = _repository(folder / "loops")
        for head in ("same", "slower"):
            counter: Counter[str] = Counter()
            alarmed = rounds = 0
            for seed in range(1, arguments.times + 1):
                document = _compared(project, head, seed, folder / f"{head}-{seed}")
                changed = f"BenchmarkLoop{SLOWER}" if head == "slower" else ""
                false = 0
                for benchmark in document["benchmarks"]:
                    right = benchmark["id"].endswith(changed) if changed else False
                    false += benchmark["change"] == "regression" and not right
                    counter[f"{'slower' if right else 'unchanged'}: {benchmark['change']}"] += 1
                    rounds += sum(len(text["rounds"]) for text in benchmark["dimensions"][:1])
                alarmed += false > 0
            benchmarks = arguments.times * len(SIZES)
            print(
                f"{head}: {arguments.times} comparisons, {alarmed} with a false regression;",
                end=" ",
            )
            print(f"{rounds / benchmarks:.1f} first rounds a benchmark")
            for verdict, number in sorted(counter.items()):
                print(f"  {verdict}: {number}")
    return 0


def _repository(folder: Path) -> Path:
    """Make a repository with the commits base, same and slower, unless it is there."""
    if (folder / ".git").exists():
        return folder
    folder.mkdir(parents=True)
    (folder / "go.mod").write_text("module example.org/loops\n\ngo 1.20\n")
    tests = "".join(TEST.format(at=index) for index in range(len(SIZES)))
    (folder / "loops_test.go").write_text(TEST_HEAD + tests)
    _git(folder, "init", "-q")
    for tag, slower in (("base", None), ("same", None), ("slower", SLOWER)):
        methods = (
            METHOD.format(at=index, turns=round(turns * (1.1 if index == slower else 1)))
            for index, turns in enumerate(SIZES)
        )
        (folder / "loops.go").write_text(HEAD.format(note=tag) + "".join(methods))
        _git(folder, "add", "-A")
        _git(folder, "commit", "-q", "-m", tag)
        _git(folder, "tag", tag)
    return folder


def _git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(("git", "-C", str(folder), *identity, *words), check=True, capture_output=True)


def _compared(project: Path, head: str, seed: int, output: Path) -> dict[str, list[dict[str, str]]]:
    call = (sys.executable, "-m", "auditor", "compare", "base", head, str(project), "--methods=0")
    result = output / "compare.json"
    if not result.exists():
        subprocess.run(
            (*call, f"--seed={seed}", "--output", str(output), "--quiet"),
            cwd=ROOT,
            check=True,
            env={**os.environ, "XDG_CACHE_HOME": str(project.parent.absolute() / "cache")},
            stdout=subprocess.DEVNULL,
        )
    document: dict[str, list[dict[str, str]]] = json.loads(result.read_text())
    return document


if __name__ == "__main__":
    sys.exit(main())
