"""What are usual gates worth? Each recipe of examples/gates, qualified on small projects.

Prints a row for each recipe and subject: false alarms, and how often each slowdown is detected.
Needs benchstat on the PATH, and fetches uuid and xxhash; nothing else should run beside it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
GATES = ROOT / "examples" / "gates"
PROGRAM = ROOT / ".venv" / "bin" / "bench-audit"
LIBRARY = {
    "pyproject.toml": """[project]
name = "lib"
version = "1"

[dependency-groups]
dev = ["pytest", "pytest-benchmark"]

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
""",
    "src/lib/__init__.py": '''"""A library."""


def spin(times: int) -> int:
    """Take some time."""
    found = 0
    for each in range(times):
        found += each * each
    return found
''',
    "tests/test_lib.py": """from lib import spin


def test_spin(benchmark):
    benchmark(spin, 2000)
""",
    "bench_lib.py": """import pyperf
from lib import spin

runner = pyperf.Runner()
runner.bench_func("spin", spin, 2000)
""",
    "benches/__init__.py": "",
    "benches/bench_lib.py": """from lib import spin


def time_spin():
    spin(2000)
""",
    "asv.conf.json": json.dumps(
        {
            "version": 1,
            "project": "lib",
            "project_url": "https://example.org",
            "repo": ".",
            "branches": ["HEAD"],
            "environment_type": "virtualenv",
            "benchmark_dir": "benches",
        }
    ),
}


@dataclass(frozen=True, slots=True)
class Subject:
    """A project, the method that is slowed, and what the recipes are told of its benchmarks."""

    harness: str
    source: str
    method: str
    benchmarks: str
    gates: Mapping[str, tuple[str, ...]]


TOOLS = ("pytest", "pytest-benchmark", "pyperf", "asv", "virtualenv")
GO = ("benchstat", "previous", "compare")
PYTHON = ("pytest-benchmark", "pyperf", "asv", "compare")
JAVA = ("jmh", "compare")


def subjects(folder: Path) -> dict[str, Subject]:
    """Return the projects by their names; the one in Python is written here."""
    for name, text in LIBRARY.items():
        (folder / "lib" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "lib" / name).write_text(text)
    return {
        "uuid": Subject(
            "go",
            "go:github.com/google/uuid@v1.6.0",
            "uuid.UUIDs.Strings",
            "^BenchmarkUUIDs_Strings$",
            dict.fromkeys(GO, ("^BenchmarkUUIDs_Strings$",)),
        ),
        "xxhash": Subject(
            "go",
            "go:github.com/cespare/xxhash/v2@v2.3.0",
            "xxhash/v2.Sum64String",
            "Sum64String/4KB",
            {
                **dict.fromkeys(GO, ("^BenchmarkSum64String$/^4KB$",)),
                "compare": ("Sum64String/4KB",),
            },
        ),
        "lib": Subject(
            "pytest",
            str(folder / "lib"),
            "lib.spin",
            "spin",
            {
                "pytest-benchmark": ("tests/test_lib.py",),
                "pyperf": ("bench_lib.py",),
                "asv": ("time_spin",),
                "compare": ("spin", "--harness", "pytest"),
            },
        ),
        "ring": Subject(
            "jmh",
            str(ROOT / "tests" / "subjects" / "java-ring"),
            "org.example.ring.Work.micros",
            "Durations.micros",
            dict.fromkeys(JAVA, ("Durations.micros",)),
        ),
    }


def main() -> int:
    """Qualify, and print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=20)
    options.add_argument("--slowdowns", default="1.05x,1.1x,1.25x,1.5x,2x")
    options.add_argument("--gates", default=",".join(dict.fromkeys((*GO, *PYTHON, *JAVA))))
    options.add_argument("--subjects", default="uuid,xxhash,lib,ring")
    options.add_argument("--keep", type=Path, help="A folder for stores and results.")
    arguments = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        projects = subjects(folder)
        print(
            f"| gate | subject | {arguments.slowdowns.replace(',', ' x | ')} x | false | s a run |"
        )
        print("| --- " * (len(arguments.slowdowns.split(",")) + 4) + "|")
        for name in arguments.subjects.split(","):
            for gate in arguments.gates.split(","):
                if gate in projects[name].gates:
                    print(_row(gate, name, projects[name], folder, arguments), flush=True)
    return 0


def _row(gate: str, name: str, subject: Subject, folder: Path, args: Any) -> str:
    started = time.monotonic()
    out = folder / f"{gate}-{name}"
    call = [
        *(str(PROGRAM), "qualify", "--subject", subject.source, "--method", subject.method),
        *("--benchmarks", subject.benchmarks, "--runs", str(args.runs)),
        *("--slowdowns", args.slowdowns, "--alarm-codes", "1"),
        *("-o", str(out), "--format", "json"),
        *("--harness", subject.harness),
        *("--", str(GATES / f"{gate}.sh"), "{base}", "{head}", *subject.gates[gate]),
    ]
    python = _python(folder) if subject.harness == "pytest" else sys.executable
    # asv remembers the machine there.
    home = {"HOME": str(folder.absolute())} if gate == "asv" else {}
    path = os.pathsep.join((str(PROGRAM.parent), os.environ["PATH"]))
    process = subprocess.run(
        call,
        env={**os.environ, "PATH": path, "PYTHON": python, **home},
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        return f"| {gate} | {name} | failed: {process.stderr.strip().splitlines()[-1]} |"
    document = json.loads(process.stdout)
    took = f"{document['gate_seconds']:.1f}"
    minutes = (time.monotonic() - started) / 60
    print(f"{gate} on {name}: {minutes:.1f} min", file=sys.stderr)
    return f"| {gate} | {name} | {' | '.join(_cells(document, args.slowdowns))} | {took} |"


def _cells(document: Mapping[str, Any], slowdowns: str) -> Iterator[str]:
    by_case = {(rate["side"], rate["factor"]): rate for rate in document["rates"]}
    for factor in map(float, slowdowns.split(",")):
        yield _cell(by_case.get(("slowed", factor)))
    unslowed = [rate for (side, _), rate in by_case.items() if side in {"same", "sped"}]
    alarms, pairs = (sum(rate[key] for rate in unslowed) for key in ("alarms", "pair_count"))
    yield f"{alarms} of {pairs}"


def _cell(rate: Mapping[str, Any] | None) -> str:
    if rate is None or rate["skipped"]:
        return "not shown"
    failed = f", {rate['failed']} failed" if rate["failed"] else ""
    return f"{rate['alarms']} of {rate['pair_count']}{failed}"


def _python(folder: Path) -> str:
    """Return an interpreter with what the recipes for Python need."""
    venv = folder / "python"
    if not venv.exists():
        _call(sys.executable, "-m", "venv", str(venv))
        _call(str(venv / "bin" / "pip"), "install", "-q", *TOOLS)
    return str(venv / "bin" / "python")


def _call(*words: str) -> None:
    subprocess.run(words, check=True)


if __name__ == "__main__":
    sys.exit(main())
