"""What does a sampling profile say of a method's share in a benchmark, beside clocked calls?

    python benchmarks/sampled_shares.py CONFIG RESULT [CONFIG RESULT ...]

RESULT is what an audit of that configuration found (`bench-audit abs CONFIG --out FOLDER`), of Go
and of a published module. Each benchmark in which a method was timed is run again as it is, with
the profile that Go's `testing` takes (a hundred samples a second), and a method's share is the part
of the samples within the benchmark that are in it or below it. Printed are how far these shares lie
from the clocked ones, and from what a slowdown of the method did to the benchmark, as a part of
what it was: that is what a share is to predict.
"""

import argparse
import json
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quantities import format_numbers

SECONDS = 2
"""That a benchmark is asked to run; its shorter beginnings are in the profile, too."""
AROUND = ("testing.(*B).runN", "testing.(*B).RunParallel.func1")
"""What is below them is the benchmark; of one in parallel the second has most of it."""
INLINED = re.compile(r" \((partial-)?inline\)$")
ROW = re.compile(
    r"\s*\S+\s+\S+%\s+\S+%\s+(?P<time>[\d.]+)(?P<unit>m?s|us|mins)\s+\S+%\s+(?P<of>.+)"
)
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "mins": 60.0}


@dataclass(frozen=True, slots=True)
class Share:
    """One method in one benchmark: its share as it was clocked and sampled, and what it predicts.

    `effect` is what the slowdown did to the benchmark, as a part of the slowdown; None: not known.
    """

    clocked: float
    sampled: float
    effect: float | None


def shares(config: Mapping[str, Any], result: Mapping[str, Any]) -> tuple[list[Share], float]:
    """Profile each benchmark in which a method was timed; return shares, and seconds it took."""
    pairs = [pair for pair in result["pairs"] if pair["share"]]
    method_shares, took = [], 0.0
    with tempfile.TemporaryDirectory(prefix="bench-audit-profiles-") as scratch:
        tree = Path(scratch) / "tree"
        shutil.copytree(module_folder(config["subject"]), tree)
        for path in (tree, *tree.rglob("*")):
            path.chmod(0o755)
        for benchmark in sorted({pair["benchmark"] for pair in pairs}):
            started = time.monotonic()
            profile = _profiled(tree, Path(scratch), result["subject"], benchmark)
            took += time.monotonic() - started
            for pair in pairs:
                if profile and pair["benchmark"] == benchmark:
                    sampled = profile.get(pair["method"], 0.0)
                    effect = pair["effect"] and pair["effect"] / result["slowdown"]
                    method_shares.append(Share(pair["share"], sampled, effect))
    return method_shares, took


def module_folder(subject: str) -> Path:
    """Return where Go keeps a published module, `go:PATH@VERSION`."""
    texts = ["go", "mod", "download", "-json", subject.removeprefix("go:")]
    process = subprocess.run(texts, check=True, capture_output=True, text=True)
    return Path(json.loads(process.stdout)["Dir"])


def _profiled(tree: Path, scratch: Path, module: str, benchmark: str) -> dict[str, float]:
    """Return the part of the samples of a benchmark that are in or below each function."""
    name = re.search(r"\.(Benchmark\w*(?:/.*)?)$", benchmark)
    if name is None:
        return {}
    package = "." + benchmark[: name.start()].removeprefix(module)
    pattern = "/".join(f"^{re.escape(part)}$" for part in name[1].split("/"))
    profile, program = scratch / "profile", scratch / "program.test"
    texts = ["go", "test", "-run=^$", f"-bench={pattern}", f"-benchtime={SECONDS}s"]
    texts += [f"-cpuprofile={profile}", "-o", str(program), package]
    subprocess.run(texts, cwd=tree, check=True, capture_output=True)
    texts = ["go", "tool", "pprof", "-top", "-cum", "-nodefraction=0", "-nodecount=100000"]
    process = subprocess.run(
        [*texts, str(program), str(profile)], check=True, capture_output=True, text=True
    )
    below = cumulated(process.stdout)
    total = max((below.get(text, 0.0) for text in AROUND), default=0.0)
    return parts(below, total) if total else {}


def cumulated(text: str) -> dict[str, float]:
    """Return the seconds in or below each function that pprof's `-top` has printed."""
    seconds = {}
    for line in text.splitlines():
        if row := ROW.fullmatch(line):
            function = INLINED.sub("", row["of"])
            seconds[function] = float(row["time"]) * UNITS[row["unit"]]
    return seconds


def parts(below: Mapping[str, float], total: float) -> dict[str, float]:
    """Return parts of a whole by methods as results call them: `p.(*T[...]).M` is `p.T.M`.

    Of several functions that are one method, a wrapper and what it calls, the most counts.
    """
    fractions: dict[str, float] = {}
    for function, seconds in below.items():
        method = re.sub(r"\(\*?(\w+)\)", r"\1", re.sub(r"\[.*?\]", "", function))
        fractions[method] = max(fractions.get(method, 0.0), seconds / total)
    return fractions


def _distances(pairs: Iterable[tuple[float, float]]) -> str:
    """Return how far two shares of the operation lie apart: the median and nine tenths."""
    distances = sorted(100 * abs(first - second) for first, second in pairs)
    if len(distances) < 2:
        return "-"
    return format_numbers(
        [statistics.median(distances), statistics.quantiles(distances, n=10)[8]], 1
    )


def _right(pairs: Sequence[tuple[float, float]]) -> str:
    """Return how often a share lies on the side of one half where the effect lies."""
    return f"{sum((first > 0.5) == (second > 0.5) for first, second in pairs)} of {len(pairs)}"


def describe_differences(method_shares: Sequence[Share]) -> list[tuple[str, str]]:
    """Return how far clocked and sampled shares lie from each other, and from what they predict."""
    with_effect = [(share, share.effect) for share in method_shares if share.effect is not None]
    clocked = [(share.clocked, effect) for share, effect in with_effect]
    sampled = [(share.sampled, effect) for share, effect in with_effect]
    pairs = [(share.clocked, share.sampled) for share in method_shares]
    never = sum(share.sampled == 0 for share in method_shares)
    return [
        (f"clocked and sampled, of {len(pairs)} pairs", _distances(pairs)),
        ("never in a sample", f"{never} of {len(pairs)}"),
        (f"clocked, from the effect, of {len(with_effect)} measured pairs", _distances(clocked)),
        ("sampled, from the effect", _distances(sampled)),
        ("clocked: on the effect's side of one half", _right(clocked)),
        ("sampled: on the effect's side of one half", _right(sampled)),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table for each configuration."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="CONFIG RESULT")
    args = parser.parse_args(arguments)
    if len(args.files) % 2:
        parser.error("a RESULT belongs to each CONFIG")
    for config, result in zip(args.files[::2], args.files[1::2], strict=True):
        document = json.loads(result.read_text())
        method_shares, took = shares(json.loads(config.read_text()), document)
        title = f"{config.stem}: apart, % of the operation (median, nine tenths)"
        print(f"\n{title}; profiles took {took:.0f} s")
        for name, value in describe_differences(method_shares):
            print(f"{name:<60}{value}")


if __name__ == "__main__":
    main()
