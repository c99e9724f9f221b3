"""Do the tests notice a fault in the code that decides verdicts?

    pip install cosmic-ray          in an environment of its own; --tool names its command
    python benchmarks/mutants.py --tool FOLDER/bin/cosmic-ray --seed 1 --count 40

cosmic-ray makes the mutants. Drawn is a place, then a mutation of it. Left out are mutations that
fail wherever they run (`None < 1`), or change nothing (`is` for `==`), and those of annotations.
Everything happens in a clone of the commit that is checked out. Each mutant faces the quick tests
of its package until the first fails. Prints a line for each mutant, and the kill rate.
"""

import argparse
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).parents[1]
MODULES = (
    *("auditor/abs/judge/*.py", "auditor/measure/reach_judge.py", "auditor/compare/judge.py"),
    *("auditor/analyze/judge.py", "auditor/stats/*.py"),
)
UNDRAWN = re.compile(r"/(cover|curve|extra_runs|dissimilarity|ratios|zero_one)\.py$")
"""Modules among them that decide no verdict."""
STATS, ABS, COMPARE = (
    "tests/auditor/stats/test_[!dz]*.py tests/auditor/abs/test_detection.py",
    "tests/auditor/abs/test_[!flpr]*.py tests/auditor/abs/test_p[lor]*.py "
    "tests/auditor/measure/test_[acnprt]*.py tests/auditor/measure/test_b[lu]*[hs].py",
    "tests/auditor/compare/test_comparison_[rs]*.py tests/auditor/analyze/test_[!r]*.py",
)
TESTS = {"stats": STATS, "abs": ABS, "measure": ABS, "compare": COMPARE, "analyze": COMPARE}
"""Quick tests of each package, as patterns."""
SLOW = re.compile(r"test_(cost|cover|toy_language|busy_headlines|inventory|environment_tables)\.py")
OPERATORS = re.compile(
    r"core/(ReplaceComparisonOperator_(Lt|LtE|Gt|GtE)_(Lt|LtE|Gt|GtE)|"
    r"ReplaceComparisonOperator_(Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is)|"
    r"ReplaceBinaryOperator_(Add|Sub|Mul|Div|Pow)_(Add|Sub|Mul|Div)|ReplaceUnaryOperator_USub_UAdd|"
    r"ReplaceUnaryOperator_Delete_Not|AddNot|Replace(TrueWithFalse|FalseWithTrue|AndWithOr|"
    r"OrWithAnd|BreakWithContinue|ContinueWithBreak)|NumberReplacer|ZeroIterationForLoop)"
)
MOST_SECONDS = 180
"""A mutant whose tests take longer is killed: it waits for ever."""


class Mutant(NamedTuple):
    """A module with a fault."""

    module: str
    line: int
    text: str


def main() -> int:
    """Draw, mutate, test, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default="cosmic-ray", help="the command of cosmic-ray")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        copy = Path(scratch) / "copy"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(copy)], check=True)
        for package in ("abs", "compare", "stats"):
            if failure := _find_failure(copy, package):
                sys.exit(f"without a mutant fails {failure}")
        print("| place | mutation | killed by |\n| --- | --- | --- |", flush=True)
        mutants = _draw_mutants(arguments.tool, copy, np.random.default_rng(arguments.seed))
        killed = sum(_try_mutant(copy, next(mutants)) for _ in range(arguments.count))
    print(f"\n{killed} of {arguments.count} killed, seed {arguments.seed}")
    return 0


def _try_mutant(copy: Path, mutant: Mutant) -> bool:
    """Print what a mutant meets, and tell whether it is killed."""
    path = copy / mutant.module
    original = path.read_text()
    path.write_text(mutant.text)
    failure = _find_failure(copy, Path(mutant.module).parts[1])
    path.write_text(original)
    lines = list(difflib.ndiff(original.splitlines(), mutant.text.splitlines()))
    before, after = ("".join(line[2:].strip() for line in lines if line[0] == s) for s in "-+")
    change = f"`{before}` → `{after}`".replace("|", "\\|")
    result = failure or "**survived**"
    print(f"| `{mutant.module}:{mutant.line}` | {change} | {result} |", flush=True)
    return bool(failure)


def _call(folder: Path, *command: str, seconds: float | None = None) -> str:
    # Without compiled files a mutant of the same size and second is not mistaken for the original.
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    options: dict[str, Any] = {"cwd": folder, "env": environment, "timeout": seconds}
    process = subprocess.run(command, check=False, text=True, capture_output=True, **options)
    status = process.returncode
    if status and command[0] != sys.executable:
        raise RuntimeError(f"{command}: {process.stderr[-2000:]}")
    return f"{process.stdout}\nERROR ({status})" if status else str(process.stdout)


def _draw_mutants(tool: str, copy: Path, rng: np.random.Generator) -> Iterator[Mutant]:
    """Yield mutants of different places, in random order."""
    config, session = copy.parent / "config.toml", copy.parent / "session.sqlite"
    files = [str(file.relative_to(copy)) for name in MODULES for file in copy.glob(name)]
    judges = sorted(file for file in files if not UNDRAWN.search(file))
    config.write_text(f"[cosmic-ray]\nmodule-path = {json.dumps(judges)}\n")
    _call(copy, tool, "init", str(config), str(session))
    places: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    work = map(json.loads, _call(copy, tool, "dump", str(session)).splitlines())
    mutations = [work_item["mutations"][0] for work_item, _ in work]
    for mutation in sorted(mutations, key=lambda item: (item["operator_name"], item["occurrence"])):
        if OPERATORS.fullmatch(mutation["operator_name"]):
            places[mutation["module_path"], *mutation["start_pos"]].append(mutation)
    ordered = [places[place] for place in sorted(places)]
    for index in rng.permutation(len(ordered)):
        choice = ordered[index][rng.integers(len(ordered[index]))]
        module = choice["module_path"]
        original = (copy / module).read_text()
        _call(copy, tool, "apply", module, choice["operator_name"], str(choice["occurrence"]))
        mutant = Mutant(module, choice["start_pos"][0], (copy / module).read_text())
        (copy / module).write_text(original)
        with suppress(SyntaxError):  # cosmic-ray makes some that are no Python
            compile(mutant.text, mutant.module, "exec")
            yield mutant


def _find_failure(copy: Path, package: str) -> str:
    """Return the first test that fails; empty where all pass."""
    files = [file for pattern in TESTS[package].split() for file in sorted(copy.glob(pattern))]
    quick = [str(file.relative_to(copy)) for file in files if not SLOW.search(file.name)]
    marked = "not subject and not browser and not long and not timed"
    options = ("-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "-m", marked)
    try:
        report = _call(copy, sys.executable, "-m", "pytest", *options, *quick, seconds=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return f"(more than {MOST_SECONDS} s)"
    first = re.search(r"^(?:FAILED|ERROR) (?:\S*/)?(\S+)", report, re.MULTILINE)
    return first[1] if first else ""


if __name__ == "__main__":
    sys.exit(main())
