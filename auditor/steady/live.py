"""`bench-audit steady -- COMMAND`: when is a benchmark warm that another program runs?"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import tables
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.core.errors import Exit, UsageError
from auditor.core.jobs import CompletedProcess, Invocation, OutputMonitor
from auditor.core.stop_rules import Criterion, StoppingRule
from auditor.importers.streams import BenchmarkOutputReader
from auditor.measure import warmup_results
from auditor.steady.judge import ProcessStreams, WatchedIterations
from auditor.warmup.scorers import files
from auditor.warmup.stop_rules import WatcherFactory
from reports import names
from runners.hosts.local import LocalHost

STREAM = "-"
"""The input that stands for standard input."""
_FOREVER = 14 * 24 * 3600.0
"""Seconds; what selects output takes no more than three weeks."""
_CHUNK = 1 << 16
_SEED = 1


def is_pipe(files: Sequence[str]) -> bool:
    """Tell whether standard input is to be read."""
    return [*files] == [STREAM]


def watch_command(
    words: Sequence[str], option_values: Mapping[str, Any], surroundings: AppContext
) -> int:
    """Run a command, or read standard input for "-", and tell when each process is warm.

    Nothing is changed and nothing is ended. The command has no standard input; what it writes to
    stderr follows at its end.
    """
    console = Console(
        surroundings.environment, quiet=option_values["quiet"] or option_values["format"] == "json"
    )
    method = Criterion(option_values["warmup"] or Criterion.LEARNED)
    model = option_values["model"]
    scorer_model = files.choose_model(method, model)
    rule = StoppingRule(
        method=method,
        measured=1,
        seconds=_FOREVER,
        model=None if scorer_model is None else scorer_model.digest,
    )
    streams = ProcessStreams(rule, WatcherFactory(model), _SEED)
    stream = BenchmarkOutputReader(
        lambda iteration: _report_warm_process(streams.observe_iteration(iteration), console)
    )
    code = _watch_stream(words, stream, console, surroundings)
    stream.finish_reading()
    problems = [*stream.problems, *_left_out(streams.left_out)]
    if option_values["format"] == "json":
        console.print_document(_build_document(rule, streams.watched_processes, problems))
    elif streams.watched_processes:
        console.print_result(_build_table(rule, streams.watched_processes))
    for problem in problems:
        console.print_message(f"not understood: {problem}")
    return _choose_exit_code(code, streams, console)


def _choose_exit_code(code: Exit, streams: ProcessStreams, console: Console) -> Exit:
    """Return the exit code; without any iteration there is no verdict."""
    if code is not Exit.OK:
        return code
    if not streams.watched_processes and not streams.left_out:
        console.print_message(
            "no verdict: it printed no iteration of JMH (single shots have none that lasts a "
            "time), and no result of go test -bench"
        )
    return Exit.OK if streams.watched_processes else Exit.NO_VERDICT


def _watch_stream(
    words: Sequence[str], stream: BenchmarkOutputReader, console: Console, surroundings: AppContext
) -> Exit:
    """Look at it until it ends or is interrupted: what was seen by then is told all the same."""
    try:
        if is_pipe(words):
            _read_pipe(stream, console)
            return Exit.OK
        ended = _run_command(words, stream, console, surroundings)
    except KeyboardInterrupt:
        console.print_message("interrupted")
        return Exit.INTERRUPTED
    if ended.exit_code != 0:
        console.print_message(f"{words[0]} failed (exit code {ended.exit_code})")
        return Exit.SUBJECT
    return Exit.OK


def _run_command(
    words: Sequence[str], stream: BenchmarkOutputReader, console: Console, surroundings: AppContext
) -> CompletedProcess:
    def read_chunk(data: bytes) -> Sequence[tuple[float, float]]:
        if not console.quiet:
            console.print_bytes(data)
        stream.read_data(data)
        return ()

    ended = LocalHost().run_process(
        Invocation(
            argv=tuple(words),
            cwd=Path.cwd(),
            environment=tuple(surroundings.environment.items()),
            timeout_seconds=_FOREVER,
            follow=OutputMonitor(read=read_chunk),
        )
    )
    if ended.stderr:
        console.print_error_bytes(ended.stderr.rstrip() + b"\n")
    return ended


def _left_out(many: int) -> Sequence[str]:
    if not many:
        return ()
    text = "iterations have no time that can be read; another unit may show it (-tu ns, or -tu s)"
    return (f"{many} {text}",)


def _read_pipe(stream: BenchmarkOutputReader, console: Console) -> None:
    if sys.stdin is None:
        raise UsageError("standard input is closed; pipe the output of a benchmark run into it")
    while data := os.read(sys.stdin.fileno(), _CHUNK):
        if not console.quiet:
            console.print_bytes(data)
        stream.read_data(data)


def _report_warm_process(process: WatchedIterations | None, console: Console) -> None:
    if process is not None:
        console.print_note(f"warm: {_name_process(process)}, {_describe_warmup(process)}")


def _name_process(process: WatchedIterations) -> str:
    run = f", run {process.run}" if process.run > 1 else ""
    return f"{names.escape_line(process.benchmark)}{run}, fork {process.fork}"


def _describe_warmup(process: WatchedIterations) -> str:
    if process.warm is None:
        return f"not seen warm in {len(process.lasted)} iterations"
    since = "" if process.since is None else f", steady since iteration {process.since}"
    return f"after {process.warm} iterations ({process.warm_seconds:.3g} s){since}"


def _describe_setting(process: WatchedIterations) -> str:
    if process.warmups == 0:
        return "none"
    if process.warmups is None or process.warmup_seconds is None:
        return ""
    return f"{process.warmups} iterations ({process.warmup_seconds:.3g} s)"


def _build_table(
    stopping_rule: StoppingRule, processes: Sequence[WatchedIterations]
) -> RenderableType:
    table = tables.make_borderless_table("benchmark", ">run", ">fork", "warm", "set", "by")
    for process in processes:
        style = "yellow" if process.warm is None else "green"
        table.add_row(
            Text(process.benchmark), str(process.run), str(process.fork),
            Text(_describe_warmup(process), style=style), _describe_setting(process),
            str(process.watch.method),
        )  # fmt: skip
    warm = sum(iterations.warm is not None for iterations in processes)
    head = Text(f"{warm} of {len(processes)} processes were seen warm.", style="bold")
    return Group("", head, "", table, *_list_caveats(stopping_rule, processes))


def _list_caveats(
    stopping_rule: StoppingRule, processes: Sequence[WatchedIterations]
) -> list[RenderableType]:
    caveats = warmup_results.describe_substitution(
        stopping_rule, (process.watch for process in processes)
    )
    return tables.build_caveat_section(caveats)


def _build_document(
    stopping_rule: StoppingRule, processes: Sequence[WatchedIterations], problems: Sequence[str]
) -> Mapping[str, Any]:
    return {
        "schema": "bench-audit/steady-live/1",
        "processes": [
            {
                "benchmark": process.benchmark,
                "run": process.run,
                "fork": process.fork,
                "method": str(process.watch.method),
                "instead_of": None
                if process.watch.method is stopping_rule.method
                else str(stopping_rule.method),
                "iterations": len(process.lasted),
                "warm": process.warm,
                "warm_seconds": None if process.warm is None else process.warm_seconds,
                "since": process.since,
                "set": process.warmups,
                "set_seconds": process.warmup_seconds,
            }
            for process in processes
        ],
        "problems": [*problems],
    }
