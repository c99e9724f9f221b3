"""How often does a gate fail without a cause, and how often does it miss a real change?

Toy suites in Go, Java (JMH) and Python (pytest-benchmark) are checked while other processes keep
the processors busy. Each turn makes four runs of a suite:

* same: `compare --fail-on regression` with a head that differs in a comment;
* added: `abs --baseline` after a benchmark was added;
* slower: `compare --fail-on regression` with a head in which one method takes 30 % longer;
* worse: in odd turns as slower, with 100 %; in even ones `abs --baseline` after the only benchmark
  of a method was removed.

Exit code 1 is expected of slower and worse, and never of same and added.

    python benchmarks/gates.py --times 5 --busy 2 --write benchmarks/results/gates.md

The exit code is 1 where a gate fails without a cause or fewer than 95 % of the changes are caught.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEAST_CAUGHT = 0.95
STEPS = 200
SLOWER = {"slower": 1.3, "worse": 2.0}
GATE_FAILED, NO_VERDICT = 1, 5
NO_RESULT = -1
"""In place of the exit code of a run that left none."""
BUSY = "while True: pass"
CAUSELESS, REAL = ("same", "added"), ("slower", "worse")
LIMIT_SECONDS = 900
"""Of one call of the program."""


@dataclass(frozen=True, slots=True)
class Toy:
    """A suite of two methods, each with a benchmark of its own."""

    harness: str
    methods: tuple[str, str]
    fixed: Mapping[str, str]  # files that no commit changes, by path
    code: tuple[str, str]  # path and text of the library; {steps} and {note} are filled in
    benchmarks: tuple[str, str]  # path and text of the benchmarks; {bodies} is filled in
    body: str  # a benchmark; {name} and {method} are filled in

    def files(
        self, factor: float = 1.0, note: str = "", benchmarks: Sequence[str] = ("First", "Second")
    ) -> dict[str, str]:
        """Return the text of all files by their paths; `factor` slows the first method."""
        bodies = "".join(
            self.body.replace("{name}", name).replace("{method}", _method(name))
            for name in benchmarks
        )
        code = self.code[1].replace("{steps}", str(round(STEPS * factor))).replace("{note}", note)
        return {
            **self.fixed,
            self.code[0]: code,
            self.benchmarks[0]: self.benchmarks[1].replace("{bodies}", bodies),
        }


def _method(benchmark: str) -> str:
    return benchmark.removesuffix("Again")


GO = Toy(
    harness="go",
    methods=("example.org/toy.First", "example.org/toy.Second"),
    fixed={"go.mod": "module example.org/toy\n\ngo 1.20\n"},
    code=(
        "toy.go",
        """package toy

// {note}

func First(x uint64) uint64 {
	for n := {steps}; n > 0; n-- {
		x = (x ^ x<<13) * 5
	}
	return x
}

func Second(x uint64) uint64 {
	for n := 300; n > 0; n-- {
		x = (x ^ x<<7) * 3
	}
	return x
}
""",
    ),
    benchmarks=(
        "toy_test.go",
        'package toy\n\nimport "testing"\n\nvar sink uint64\n{bodies}',
    ),
    body="""
func Benchmark{name}(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = {method}(sink + 1)
	}
}
""",
)
PYTHON = Toy(
    harness="pytest",
    methods=("toy.First", "toy.Second"),
    fixed={
        "pyproject.toml": (
            '[build-system]\nrequires = ["setuptools>=61"]\n'
            'build-backend = "setuptools.build_meta"\n\n'
            '[project]\nname = "toy"\nversion = "1.0"\nrequires-python = ">=3.9"\n\n'
            '[tool.setuptools.packages.find]\nwhere = ["src"]\n'
        )
    },
    code=(
        "src/toy/__init__.py",
        """# {note}


def First(x):
    for _ in range({steps}):
        x = (x * 31 + 7) % 1000003
    return x


def Second(x):
    for _ in range(300):
        x = (x * 17 + 3) % 1000003
    return x
""",
    ),
    benchmarks=("bench/test_toy.py", "import toy\n{bodies}"),
    body="\n\ndef test_{name}(benchmark):\n    benchmark(toy.{method}, 3)\n",
)
JAVA = Toy(
    harness="jmh",
    methods=("org.example.toy.Work.First", "org.example.toy.Work.Second"),
    fixed={
        "pom.xml": (ROOT / "tests" / "subjects" / "java-short" / "pom.xml")
        .read_text()
        .replace("java-short", "toy")
    },
    code=(
        "src/main/java/org/example/toy/Work.java",
        """package org.example.toy;

// {note}
public final class Work {
    private Work() {}

    public static long First(long x) {
        for (int n = {steps}; n > 0; n--) {
            x = (x ^ (x << 13)) * 5;
        }
        return x;
    }

    public static long Second(long x) {
        for (int n = 300; n > 0; n--) {
            x = (x ^ (x << 7)) * 3;
        }
        return x;
    }
}
""",
    ),
    benchmarks=(
        "src/test/java/org/example/toy/Toys.java",
        """package org.example.toy;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.*;

@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class Toys {
    private long x = 88172645463325252L;
{bodies}}
""",
    ),
    body="""
    @Benchmark
    public long run{name}() {
        return x = Work.{method}(x);
    }
""",
)
TOYS = {"go": GO, "python": PYTHON, "java": JAVA}


@dataclass(frozen=True, slots=True)
class Check:
    """One run of a gate."""

    language: str
    kind: str
    code: int  # exit code, or NO_RESULT
    seconds: float
    message: str  # the last line of stderr

    @property
    def is_right(self) -> bool:
        """Tell whether the gate did what it is for."""
        if self.kind in REAL:
            return self.code == GATE_FAILED
        return self.code in (0, NO_VERDICT)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the gates, print and write what they did."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=5, help="turns, of four runs a language (5)")
    parser.add_argument("--busy", type=int, default=2, help="busy processes beside (2)")
    parser.add_argument("--only", action="append", choices=[*TOYS], help="a language; repeatable")
    parser.add_argument(
        "--kind", action="append", choices=[*CAUSELESS, *REAL], help="of run; repeatable"
    )
    parser.add_argument("--budget", help="of each run, such as 2m")
    parser.add_argument("--minutes", type=float, help="begin no run after so many minutes")
    parser.add_argument("--keep", type=Path, help="a folder for the suites, stores and results")
    parser.add_argument("--write", type=Path, help="a Markdown file for the tables")
    args = parser.parse_args(arguments)
    gate_runs: list[Check] = []
    with tempfile.TemporaryDirectory(prefix="gates-") as scratch, busy(args.busy):
        folder = (args.keep or Path(scratch)).absolute()
        for check in checks(folder, args):
            gate_runs.append(check)
            right = "" if check.is_right else " (wrong)"
            print(
                f"{check.language} {check.kind}: {check.code}, {check.seconds:.0f} s, "
                f"{check.message}{right}",
                flush=True,
            )
    text = table(gate_runs, args)
    print(text)
    if args.write is not None:
        args.write.write_text(text)
    return 0 if is_good(gate_runs) else 1


def checks(folder: Path, args: argparse.Namespace) -> Iterator[Check]:
    """Yield each run, language by language within a turn."""
    end = time.monotonic() + 60 * (args.minutes or 1e9)
    places = {name: _Place(folder / name, name, args.budget) for name in args.only or TOYS}
    for turn in range(1, args.times + 1):
        for place in places.values():
            for kind in args.kind or (*CAUSELESS, *REAL):
                if time.monotonic() > end:
                    return
                yield place.check(kind, turn)


class _Place:
    """A suite in a repository of its own, with a store and results."""

    def __init__(self, folder: Path, language: str, budget: str | None) -> None:
        """Write the commits, unless they are there."""
        self._folder, self._language = folder, language
        self._budget = [] if budget is None else ["--budget", budget]
        self._project = folder / "toy"
        self._config = folder / "config.json"
        toy = TOYS[language]
        if not (self._project / ".git").exists():
            self._project.mkdir(parents=True)
            self._git("init", "-q")
            self._commit("base", toy.files())
            self._commit("same", toy.files(note="Nothing but words."))
            for kind, factor in SLOWER.items():
                self._commit(kind, toy.files(factor))
            self._commit("added", toy.files(benchmarks=("First", "Second", "FirstAgain")))
            self._commit("lost", toy.files(benchmarks=("Second",)))
        keys = {
            "subject": str(self._project),
            "harness": toy.harness,
            "methods": list(toy.methods),
            "slowdown": 0.5,
            "runs": 2,
            "stability_runs": 2,
            "curve": "none",
            "controls": 0,
        }
        self._config.write_text(json.dumps(keys))

    def check(self, kind: str, turn: int) -> Check:
        """Run a gate; `turn` is the seed, so that all is measured anew."""
        started = time.monotonic()
        if kind == "added" or (kind == "worse" and turn % 2 == 0):
            code, message = self._baseline("added" if kind == "added" else "lost", turn)
        else:
            output = self._folder / f"{kind}-{turn}"
            call = ("compare", "base", kind, str(self._config), "--fail-on=regression")
            code, message = self._call(*call, "--methods=0", f"--seed={turn}", output=output)
        return Check(self._language, kind, code, time.monotonic() - started, message)

    def _baseline(self, tag: str, turn: int) -> tuple[int, str]:
        """Audit a commit beside the result of the first one, which is made once."""
        baseline = self._folder / "baseline"
        if not (baseline / "result.json").exists():
            self._git("checkout", "-q", "base")
            code, message = self._call("abs", str(self._config), "--seed=1", output=baseline)
            if code != 0:
                return NO_RESULT, f"no baseline: {message}"
        self._git("checkout", "-q", tag)
        call = ("abs", str(self._config), f"--baseline={baseline / 'result.json'}")
        return self._call(*call, f"--seed={turn}", output=self._folder / f"{tag}-{turn}")

    def _call(self, *words: str, output: Path) -> tuple[int, str]:
        more = ("--store", str(self._folder / "store.sqlite"), "--output", str(output), "--quiet")
        cache = self._folder.parent / "cache"
        try:
            process = subprocess.run(
                (sys.executable, "-m", "auditor", *words, *more, *self._budget),
                cwd=ROOT,
                env={**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(ROOT)},
                capture_output=True,
                text=True,
                check=False,
                timeout=LIMIT_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return NO_RESULT, f"ended after {LIMIT_SECONDS} s"
        lines = [splitline for splitline in process.stderr.splitlines() if splitline.strip()]
        gate = [line for line in lines if line.startswith("gate ")]
        result = output / ("compare.json" if words[0] == "compare" else "result.json")
        code = process.returncode if result.exists() else NO_RESULT
        return code, (gate or lines or [""])[-1]

    def _commit(self, tag: str, files: Mapping[str, str]) -> None:
        for path, text in files.items():
            (self._project / path).parent.mkdir(parents=True, exist_ok=True)
            (self._project / path).write_text(text)
        self._git("add", "-A")
        self._git("commit", "-q", "-m", tag)
        self._git("tag", tag)

    def _git(self, *words: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        call = ("git", "-C", str(self._project), *identity, "-c", "commit.gpgsign=false", *words)
        subprocess.run(call, check=True, capture_output=True)


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep so many processors busy."""
    loops = [subprocess.Popen((sys.executable, "-c", BUSY)) for _ in range(processes)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def is_good(gate_runs: Sequence[Check]) -> bool:
    """Tell whether no gate failed without a cause, and enough of the changes were caught."""
    real = [check.is_right for check in gate_runs if check.kind in REAL]
    causeless = all(check.is_right for check in gate_runs if check.kind in CAUSELESS)
    return causeless and sum(real) >= LEAST_CAUGHT * len(real)


def table(gate_runs: Sequence[Check], args: argparse.Namespace) -> str:
    """Return what came out as Markdown."""
    today = time.strftime("%Y-%m-%d")
    cores = f"{os.cpu_count()} processors ({platform.machine()}), {args.busy} busy processes beside"
    command = f"benchmarks/gates.py --times {args.times} --busy {args.busy}"
    command += f" --budget {args.budget}" if args.budget else ""
    lines = [
        "# Gates on a busy machine",
        "",
        f"{today}, commit {_revision()}, {cores}. Command: `{command}`.",
        "",
        "| suite | run | expected | exit 0 | exit 1 | exit 5 | other | seconds (mean) |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for language in dict.fromkeys(check.language for check in gate_runs):
        for kind in (*CAUSELESS, *REAL):
            kind_runs = [
                check for check in gate_runs if (check.language, check.kind) == (language, kind)
            ]
            if kind_runs:
                lines.append(_row(language, kind, kind_runs))
    causeless = [check for check in gate_runs if check.kind in CAUSELESS]
    real = [check for check in gate_runs if check.kind in REAL]
    caught, false = (
        sum(check.is_right for check in real),
        sum(check.code == 1 for check in causeless),
    )
    lines += [
        "",
        f"* Without a cause: {false} of {len(causeless)} runs ended with exit code 1.",
        f"* Real changes: {caught} of {len(real)} runs ended with exit code 1.",
    ]
    wrong = [check for check in gate_runs if not check.is_right]
    lines += [
        "",
        *(
            f"* {check.language} {check.kind}: exit {check.code}, {check.message}"
            for check in wrong
        ),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _row(language: str, kind: str, kind_runs: Sequence[Check]) -> str:
    codes = Counter(check.code for check in kind_runs)
    other_count = len(kind_runs) - sum(codes[number] for number in (0, GATE_FAILED, NO_VERDICT))
    expected = "1" if kind in REAL else "0 or 5"
    mean = sum(check.seconds for check in kind_runs) / len(kind_runs)
    counts = f"{codes[0]} | {codes[GATE_FAILED]} | {codes[NO_VERDICT]} | {other_count}"
    return f"| {language} | {kind} | {expected} | {counts} | {mean:.0f} |"


def _revision() -> str:
    call = ("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")
    return subprocess.run(call, capture_output=True, text=True, check=False).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
