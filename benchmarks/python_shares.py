"""How far is a sampled share of a Python function from its part of the operation?

Each case is an operation that calls a function once. Its share is told in two ways beside the
sampler: by an operation whose function runs its body twice, and by one without the call. Times are
those of the processor, the lesser ones of runs that take turns.

    python benchmarks/python_shares.py [CASE ...]
"""

import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "runners" / "pybench" / "guest"))
os.environ["BENCH_AUDIT_PROFILE"] = os.devnull

import zz_bench_audit_profile as guest  # noqa: E402

STEP = "x = (x * 31 + 7) % 1000003"
SETTINGS = """
import json, re
TREE = {"a": [1, 2, 3, {"b": "c" * 20}], "d": 1.5, "e": None}
NUMBERS = [(n * 7919) % 101 for n in range(40)]
ADDRESS = re.compile(r"(\\w+)@(\\w+)\\.com")
TEXT = "foo bar someone@example.com baz" * 3

def helper(x):
    x = (x * 31 + 7) % 1000003
    x = (x * 31 + 7) % 1000003
    return x
"""
CPU_SECONDS = 1.5
CHUNK_SECONDS = 0.003
REPETITIONS = 60


@dataclass(frozen=True)
class Case:
    """An operation: `rest` runs in it, and `body` in the function that it calls."""

    name: str
    body: list[str]
    rest: list[str]


def _loop(turns: int) -> list[str]:
    return [f"for _ in range({turns}):", f"    {STEP}"]


CASES = (
    Case("nothing", ["y = x"], [STEP]),
    Case("one step, alone", [STEP], []),
    Case("one step of 3", [STEP], [STEP] * 2),
    Case("one step of 11", [STEP], [STEP] * 10),
    Case("5 steps of 6", [STEP] * 5, [STEP]),
    Case("5 steps of 11", [STEP] * 5, [STEP] * 6),
    Case("5 steps of 45", [STEP] * 5, [STEP] * 40),
    Case("25 turns, alone", _loop(25), []),
    Case("25 turns of 47", _loop(25), _loop(22)),
    Case("25 turns of 100", _loop(25), _loop(75)),
    Case("500 turns of 1250", _loop(500), _loop(750)),
    Case("json.dumps, of 2", ["y = json.dumps(TREE)"], ["z = json.dumps(TREE)"]),
    Case("re.sub, of 3", ["y = ADDRESS.sub('', TEXT)"], ["z = ADDRESS.sub('', TEXT)"] * 2),
    Case("sorted", ["y = sorted(NUMBERS)"], _loop(12)),
    Case("comprehension", ["y = [n * 2 for n in NUMBERS]"], ["z = [n * 2 for n in NUMBERS]"]),
    Case("generator", ["y = sum(n * 2 for n in NUMBERS)"], ["z = sum(n * 2 for n in NUMBERS)"]),
    Case("helper", ["y = helper(x)"], ["z = helper(x)"]),
    Case("beside another", [STEP] * 2, ["z = helper(x)"]),
)


def _make_loop(case: Case, times: int) -> tuple[FunctionType, FunctionType]:
    """Return what runs operations, and the function; its body runs `times`, at 0 it is absent."""
    lines = [
        "def function(x):",
        *(f"    {line}" for line in case.body * max(1, times)),
        "    return x",
        "def operation(x):",
        *(f"    {line}" for line in case.rest),
        "    function(x)" if times else "    pass",
        "def loop(count):",
        "    for _ in range(count):",
        "        operation(3)",
    ]
    names: dict[str, FunctionType] = {}
    exec(SETTINGS + "\n".join(lines), names)  # noqa: S102 - the text is the one above
    return names["loop"], names["function"]


def _seconds(loop: FunctionType, count: int) -> float:
    began = time.thread_time()
    loop(count)
    return (time.thread_time() - began) / count


def _compare_times(loops: list[FunctionType], count: int) -> list[float]:
    """Return the seconds of an operation of each: a tenth of their runs was shorter."""
    seconds: list[list[float]] = [[] for _ in loops]
    for _ in range(REPETITIONS):
        for number, loop in enumerate(loops):
            seconds[number].append(_seconds(loop, count))
    return [sorted(times)[len(times) // 10] for times in seconds]


def _sample(loop: FunctionType, function: FunctionType, count: int) -> tuple[int, int]:
    """Return the samples in the function, and all."""
    profile = guest.Profile(sys._getframe())
    index = 0
    while profile.thread < CPU_SECONDS:
        profile.run(lambda number: loop(number) or 0.0, count, index)
        index += 1
    profile.end()
    stacks = json.loads(profile.told)["stacks"]
    code = id(function.__code__)
    return sum(stack[-1] for stack in stacks if code in stack[1:-1]), sum(
        stack[-1] for stack in stacks
    )


def main(names: list[str]) -> int:
    """Print a line for each case."""
    print(f"CPython {sys.version.split()[0]}; times in ns")
    print("| case | operation | by the body twice | by leaving it out | sampled | samples |")
    print("| --- | --- | --- | --- | --- | --- |")
    for case in CASES:
        if names and case.name not in names:
            continue
        loop, function = _make_loop(case, 1)
        loops = [loop, _make_loop(case, 2)[0], _make_loop(case, 0)[0]]
        for function_type in loops:
            function_type(300)
        count = max(20, round(CHUNK_SECONDS / _seconds(loop, 100)))
        before = _compare_times(loops, count)
        hits, samples = _sample(loop, function, 10 * count)
        pairs = zip(before, _compare_times(loops, count), strict=True)
        once, twice, without = (min(pair) for pair in pairs)
        shares = (twice - once) / once, (once - without) / once, hits / max(1, samples)
        cells = (
            case.name,
            f"{once * 1e9:.0f}",
            *(f"{share:.3f}" for share in shares),
            str(samples),
        )
        print(f"| {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
