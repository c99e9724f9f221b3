"""What do the parts of an audit of a Python suite cost: the hook, the two calls, the listing?

Each figure is a median of repetitions in which what is compared takes turns, in this interpreter.
Times are those of the processor, in which what else runs on the machine has no part. The module
whose start-up is timed is a copy of the standard library's argparse, the package whose functions
are listed is rich, or the folder given.
"""

import argparse
import ast
import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from statistics import median
from types import ModuleType

ROOT = Path(__file__).parents[1]
GUEST = ROOT / "runners" / "pybench" / "guest"
sys.path[:0] = [str(ROOT), str(GUEST)]

import libcst  # noqa: E402
import zz_bench_audit as guest  # noqa: E402 - as changed modules import it

from auditor.core.mutant import Overlay, Variant, VariantKind  # noqa: E402
from auditor.core.subject import SourceFile, SourceRole  # noqa: E402
from mutators.python.mutator import PythonMutator  # noqa: E402
from runners.pybench import library  # noqa: E402

EMPTY = b"def called():\n    return None\n"
TURNS = 1000


def main() -> int:
    """Measure the three, one after the other, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", type=Path, default=_folder("rich"), help="what is listed")
    parser.add_argument("--times", type=int, default=25, help="repetitions of each")
    parser.add_argument("--calls", type=int, default=20_000, help="calls in a repetition")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="python-overhead-") as scratch:
        _start_up(Path(scratch), arguments.times)
    _calls(arguments.times, arguments.calls)
    _listing(arguments.package, max(1, arguments.times // 8))
    return 0


def _folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{package} is not installed")
    return Path(spec.origin).parent


def _in_turns(ways: Mapping[str, Callable[[], float]], times: int) -> dict[str, float]:
    """Return the median seconds of each way; the first turn only warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(times + 1):
        for name, way in ways.items():
            seconds[name].append(way())
    return {name: median(values[1:]) for name, values in seconds.items()}


def _timed(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def _started(words: Sequence[str], variables: Mapping[str, str]) -> float:
    """Run a program to its end; return the seconds that it computed."""
    process = subprocess.Popen(words, env={**os.environ, **variables})
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{words[0]} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime


def _source(unit: str, text: bytes) -> SourceFile:
    return SourceFile(path=f"{unit}.py", unit=unit, role=SourceRole.LIBRARY, text=text)


def _changed(source: SourceFile, name: str, *, guarded: bool = False) -> bytes:
    """Return the text of a module in which one function is slowed."""
    methods = {method.id: method for method in PythonMutator().find_methods([source])}
    overlay = PythonMutator().build_overlay(
        [source], Variant(VariantKind.DELAYED, (methods[name],), guarded=guarded)
    )
    if not isinstance(overlay, Overlay):
        raise SystemExit(overlay.reason)
    return overlay.files[0].text


def _start_up(folder: Path, times: int) -> None:
    text = Path(argparse.__file__).read_bytes()
    source = _source("slowed", text)
    changed = _changed(source, "slowed.ArgumentParser.parse_args")
    (folder / "slowed.py").write_bytes(text)
    (folder / "changed.py").write_bytes(changed)
    digest = hashlib.sha256(text).hexdigest()
    path = folder / "instructions"
    path.write_text(f"module\tslowed\t{folder / 'changed.py'}\t{digest}\n")
    with_guest = {"PYTHONPATH": f"{GUEST}:{folder}"}
    with_change = {**with_guest, "BENCH_AUDIT_INSTRUCTIONS": str(path)}

    def start(**variables: str) -> float:
        return _started((sys.executable, "-c", "import slowed"), variables)

    took = _in_turns(
        {
            "without": lambda: start(PYTHONPATH=str(folder)),
            "guest": lambda: start(**with_guest),
            "changed": lambda: start(**with_change),
            "parse": lambda: _timed(lambda: ast.parse(changed)),
        },
        times,
    )
    plain, more, total, parse = (1000 * took[way] for way in took)
    lines = len(text.splitlines())
    print(f"start of an interpreter that imports {lines:,} lines: {plain:.1f} ms")
    print(f"  with the guest, nothing changed   {more - plain:+.1f} ms")
    print(f"  with the module changed           {total - plain:+.1f} ms")
    print(f"  one parse of the changed module    {parse:.1f} ms")
    print(f"  the hook beside that parse        {total - plain - parse:+.1f} ms")


def _module(text: bytes) -> ModuleType:
    module = ModuleType("slowed")
    exec(compile(text, "slowed.py", "exec"), module.__dict__)  # noqa: S102 - it is the text above
    return module


def _calls(times: int, calls: int) -> None:
    source = _source("slowed", EMPTY)
    plain, probe, guarded = (
        _module(text).called
        for text in (
            EMPTY,
            _changed(source, "slowed.called"),
            _changed(source, "slowed.called", guarded=True),
        )
    )

    def loop(call: Callable[[], object], number: int, turns: int = 0) -> float:
        def run() -> None:
            for _ in numbers:
                call()

        numbers = range(number)
        guest.set_arm("work", turns)
        return _timed(run) / number

    few = max(1, calls // 100)
    took = _in_turns(
        {
            "plain": lambda: loop(plain, calls),
            "probe": lambda: loop(probe, calls),
            "guarded": lambda: loop(guarded, calls),
            "slowed": lambda: loop(probe, few, TURNS),
        },
        times,
    )
    call, two, look_up, slowed = (1e9 * took[text] for text in took)
    print(f"a call of an empty function: {call:.0f} ns")
    print(f"  the two calls around its body     {two - call:+.0f} ns")
    print(f"  where it may call itself          {look_up - call:+.0f} ns")
    print(f"  each turn of the loop             {(slowed - two) / TURNS:+.1f} ns")


def _listing(package: Path, times: int) -> None:
    sources: Sequence[SourceFile] = [
        _source(f"{number}.{path.stem}", path.read_bytes())
        for number, path in enumerate(library.list_python_files(package))
    ]
    turn = count()

    def list_methods() -> object:
        # Of the same sources the answer is remembered.
        first = replace(sources[0], text=sources[0].text + b"\n# %d" % next(turn))
        return PythonMutator().find_methods((first, *sources[1:]))

    took = _in_turns(
        {
            "ast": lambda: _timed(list_methods),
            "libcst": lambda: _timed(
                lambda: [libcst.parse_module(source.text) for source in sources]
            ),
        },
        times,
    )
    lines = sum(len(source.text.splitlines()) for source in sources)
    ratio = took["libcst"] / took["ast"]
    print(f"the functions of {package.name}, {lines:,} lines:")
    print(f"  found with ast                     {took['ast']:.2f} s")
    print(f"  parsed with libcst                 {took['libcst']:.2f} s, {ratio:.1f} times as long")


if __name__ == "__main__":
    sys.exit(main())
