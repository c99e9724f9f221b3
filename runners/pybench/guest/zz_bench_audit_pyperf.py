"""Lists the benchmarks of a script that uses pyperf, or runs one of them; part of the guest.

    python -m zz_bench_audit_pyperf SCRIPT

The script runs in this process, and pyperf's runner hands each benchmark to us in the place of
its own worker processes.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys
import traceback
from typing import Any

from zz_bench_audit_blocks import run
from zz_bench_audit_fork import leave, members
from zz_bench_audit_hook import tell

_LONGEST = 500


class _ScriptState:
    def __init__(self) -> None:
        self.complaint = ""  # what argparse has against the arguments
        self.names: set[str] = set()


_script_state = _ScriptState()


def main(script: str) -> int:
    """Run the script, with pyperf's runner changed."""
    import pyperf

    pyperf.Runner._main = _handle_task
    pyperf.Runner.bench_command = _command
    argparse.ArgumentParser.error = _keep_complaint
    sys.argv = [script, "--quiet"]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as left:
        if left.code not in (0, None):
            code = left.code if isinstance(left.code, int) else 1
            return _failed(script, f"it ends with {left.code}{_script_state.complaint}", code)
    except Exception as error:
        traceback.print_exc()
        return _failed(script, f"{type(error).__name__}: {error}", 1)
    if "BENCH_AUDIT_BENCHMARK" in os.environ:
        return _failed(script, "it does not run the benchmark", 0)
    return 0


_end_script = argparse.ArgumentParser.error


def _keep_complaint(self: Any, message: str) -> Any:
    """Keep what argparse says; no script is handed arguments of its own."""
    _script_state.complaint = f": {message}; give its own arguments defaults"
    return _end_script(self, message)


def _failed(script: str, reason: str, code: int) -> int:
    text = " ".join(reason.split())[:_LONGEST]
    if "BENCH_AUDIT_LIST" in os.environ:
        _write_entry({"unusable": script, "why": text})
        return 0
    tell("failed", text)
    return code


def _write_entry(entry: dict[str, Any]) -> None:
    with open(os.environ["BENCH_AUDIT_LIST"], "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def _name(name: str) -> str:
    return f"{os.path.relpath(sys.argv[0])}::{name}"


def _handle_task(self: Any, task: Any) -> None:
    """List a task of pyperf's, or run it if it is the one; pyperf's own scripts take no result."""
    name = _name(task.name)
    if "BENCH_AUDIT_LIST" in os.environ:
        if name not in _script_state.names:
            _script_state.names.add(name)
            _write_entry({"benchmark": name})
    elif members.begin(name):
        inner = task.inner_loops or 1
        run(lambda operations: float(task.task_func(task, operations)) / inner)
        leave()
    elif members.are_done:
        leave()


def _command(self: Any, name: str, command: Any) -> None:
    """Say that a command's time is another process's."""
    if "BENCH_AUDIT_LIST" in os.environ:
        reason = "it times a command, in whose process nothing of ours runs"
        _write_entry({"unusable": _name(name), "why": reason})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
