"""Lists the benchmarks of an asv suite, or runs one of them; part of the guest.

    python -m zz_bench_audit_asv FOLDER

asv's own runner finds them and makes what they need; the blocks are ours.
"""

from __future__ import annotations

import itertools
import json
import os
import pickle
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from zz_bench_audit import Pause
from zz_bench_audit_blocks import run
from zz_bench_audit_fork import leave, members
from zz_bench_audit_hook import tell
from zz_bench_audit_profile import timed as timed_region

_LONGEST = 500


def main(folder: str) -> int:
    """List or run, as the environment says."""
    root = os.path.abspath(folder)
    sys.path.insert(0, os.path.dirname(root))
    if "BENCH_AUDIT_LIST" in os.environ:
        _list(root, os.environ["BENCH_AUDIT_LIST"])
        return 0
    if members.is_parent and not _fork_members(root):
        leave()
    try:
        return _run(root)
    except Exception as error:
        traceback.print_exc()
        tell("failed", " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST])
        return 1


def _fork_members(root: str) -> bool:
    """Import what each of several benchmarks needs, and fork for it; True in a fork."""
    for name, (_, member) in list(members.waiting.items()):
        with suppress(Exception):  # it says so itself, when it runs by itself
            _find(root, name, member["variables"].get("BENCH_AUDIT_INDEX", ""))
        if members.begin(name):
            return True
    return False


def _list(root: str, path: str) -> None:
    from asv_runner.discovery import disc_benchmarks

    _import_all(root, path)
    for benchmark in disc_benchmarks(root, ignore_import_errors=True):
        for entry in _entries(benchmark):
            _write_entry(path, entry)


def _import_all(root: str, path: str) -> None:
    """Import each module once, to tell why one cannot be."""
    import importlib
    import pkgutil

    top = os.path.basename(root)
    for module_info in pkgutil.walk_packages([root], f"{top}."):
        try:
            importlib.import_module(module_info.name)
        except Exception as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST]
            _write_entry(path, {"unusable": module_info.name.partition(".")[2], "why": reason})


def _entries(benchmark: Any) -> Any:
    if benchmark.type != "time":
        return  # memory and tracked numbers are no times
    if "timeraw" in type(benchmark).__name__.lower():
        reason = "each sample is a process of its own, in which nothing of ours runs"
        yield {"unusable": benchmark.name, "why": reason}
        return
    if not benchmark.params:
        yield {"benchmark": benchmark.name}
        return
    for number, parameters in enumerate(itertools.product(*benchmark.params)):
        yield {"benchmark": f"{benchmark.name}({', '.join(parameters)})", "index": number}


def _write_entry(path: str, entry: dict[str, Any]) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def _find(root: str, name: str, index: str) -> Any:
    """Return a benchmark as asv has it; `index` is the number of its parameters, or empty."""
    from asv_runner.discovery import get_benchmark_from_name

    function = name.partition("(")[0] if index else name
    return get_benchmark_from_name(root, f"{function}-{index}" if index else function)


def _run(root: str) -> int:
    name, index = os.environ["BENCH_AUDIT_BENCHMARK"], os.environ.get("BENCH_AUDIT_INDEX", "")
    benchmark = _find(root, name, index)
    arguments = _with_cache(benchmark)
    if benchmark.do_setup():
        tell("skipped", "its set-up says that it is not for these parameters")
        return 0
    try:
        run(_timed(benchmark, arguments()))
    finally:
        benchmark.do_teardown()
    return 0


def _with_cache(benchmark: Any) -> Callable[[], tuple[Any, ...]]:
    """Give the benchmark its cache as asv does: pickled, and in front of its parameters."""
    cache = None
    if benchmark.setup_cache_key is not None:
        pickled_cache = pickle.dumps(benchmark.do_setup_cache())
        cache = pickle.loads(pickled_cache)  # noqa: S301 - what this process has just pickled
    if hasattr(benchmark, "set_cache"):
        benchmark.set_cache(cache)
        return lambda: tuple(benchmark._build_params())
    if cache is not None:
        benchmark.insert_param(cache)
    return lambda: tuple(benchmark._current_params)


def _timed(benchmark: Any, arguments: tuple[Any, ...]) -> Callable[[int], float]:
    """Return what times operations; with a set-up each call has its own, which does not count."""
    original_redo = benchmark.redo_setup

    def redo_setup() -> None:
        with Pause():
            original_redo()

    benchmark.redo_setup = redo_setup
    timer = benchmark._get_timer(*arguments)
    timer.timer = timed_region(timer.timer)
    if not benchmark._setups:
        return lambda operations: float(timer.timeit(operations))
    return lambda operations: sum(float(timer.timeit(1)) for _ in range(operations))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
