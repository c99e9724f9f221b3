"""`bench-audit doctor`: which tools are here, how steady is the machine, and what to change?"""

import os
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table
from rich.text import Text

from auditor.cli import options, purposes
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.cli.machine import caveats, unwritable
from auditor.config import Config, Places, load
from auditor.config.places import home, state
from auditor.core.caveats import Caveat
from auditor.core.errors import Exit, ToolMissing, UsageError
from auditor.core.jobs import HostInterference, Invocation
from auditor.housekeeping.tools import PROGRAMS, check_tool, usable_harnesses
from reports import number_format
from runners.jmh.jdks import installed_jdks

if TYPE_CHECKING:
    from auditor.hosts.opened import OpenHost

_LOOPS = 60
_TUNING_SECONDS = 120.0
_TUNING = {"tune": "tune", "restore": "reset"}
"""Our options, and what pyperf's `system` calls them."""


@click.command(
    cls=purposes.Command,
    most_used=("--probe", "--host"),
    short_help="Which tools are here, and how steady is the machine?",
)
@options.options(
    *options.SUBJECT[:1],
    options.HOST,
    click.option("--probe", is_flag=True, help="Run a loop for some seconds: how steady is it?"),
    click.option("--tune", is_flag=True, help="Make this machine steadier (pyperf, as root)."),
    click.option("--restore", is_flag=True, help="Undo what --tune has done."),
    options.FORMAT,
)
@click.pass_obj
def command(surroundings: AppContext, /, **given: Any) -> int:
    """Look for the tools that suites are built and run with; exit with 4 if no suite can be run.

    With --host the tools and the machine are those of that host; a configuration may say what it
    is like.
    """
    console = Console(surroundings.environment, quiet=False)
    if given["tune"] or given["restore"]:
        return _tuned(surroundings, given, console)
    document = _document(surroundings, given)
    if given["format"] == "json":
        console.document(document)
    else:
        _show(document, console)
    writable = all(folder["problem"] is None for folder in document["folders"])
    return Exit.OK if writable and any(document["harnesses"].values()) else Exit.MACHINE


def _tuned(surroundings: AppContext, given: Mapping[str, Any], console: Console) -> int:
    """Let pyperf change the machine, or change it back, and say what it says."""
    if given["tune"] and given["restore"]:
        raise UsageError("--tune and --restore undo each other; choose one")
    if given["probe"] or given["format"] == "json":
        raise UsageError(
            "--tune and --restore only change the machine; leave out --probe and --format"
        )
    asked = {"host": given["host"]} if given["host"] else {}
    config = load(given["what"], asked, Path.cwd())
    if config.host != "local" or config.dispatch is not None:
        raise UsageError(
            "--tune works only on this machine; run bench-audit doctor --tune on the other one"
        )
    word = next(theirs for ours, theirs in _TUNING.items() if given[ours])
    if find_spec("pyperf") is None:
        raise ToolMissing('pyperf, which tunes machines, is missing; install "bench-audit[tune]"')
    with _open_host(surroundings, config) as opened:
        job = Invocation(
            argv=(sys.executable, "-m", "pyperf", "system", word),
            cwd=Path("/"),
            environment=tuple(sorted(opened.environment.items())),
            timeout_seconds=_TUNING_SECONDS,
        )
        done = opened.host.run(job)
    console.result(Text((done.stdout + done.stderr).decode(errors="replace").strip()))
    return Exit.OK if done.exit_code == 0 else Exit.MACHINE


def _open_host(surroundings: AppContext, config: Config) -> "AbstractContextManager[OpenHost]":
    from auditor.hosts import open_host  # noqa: PLC0415 only the doctor needs it
    from runners.hosts.clock import SystemClock  # noqa: PLC0415 as above

    results = state(surroundings.environment)
    places = Places(
        output=results, store=results / "store.sqlite", home=home(surroundings.environment)
    )
    return open_host(config, places, surroundings.environment, SystemClock())


def _document(surroundings: AppContext, given: Mapping[str, Any]) -> dict[str, Any]:
    environment = surroundings.environment
    folders = {"cache": home(environment), "results": state(environment)}
    asked = {"host": given["host"]} if given["host"] else {}
    config = load(given["what"], asked, Path.cwd())
    with _open_host(surroundings, config) as opened:
        there = opened.environment
        found = {
            tool.name: check_tool(tool, opened.host, there, opened.home.root) for tool in PROGRAMS
        }
        jdks = installed_jdks(opened.host, tuple(sorted(there.items())))
        facts = dict(opened.host.facts().facts)
        probe = _probe(opened) if given["probe"] else None
    local = config.host == "local"
    noted = [*caveats(facts, os.getloadavg()[0] if local else None), *_advice(probe)]
    return {
        "schema": "bench-audit/doctor/1",
        "tools": [
            {
                "name": check.tool.name,
                "purpose": check.tool.purpose,
                "version": check.version,
                "problem": check.problem,
                "debian": check.tool.debian,
                "macos": check.tool.macos,
            }
            for check in found.values()
        ],
        "harnesses": usable_harnesses(found),
        "jdks": [{"version": jdk.version, "path": str(jdk.home)} for jdk in jdks],
        "folders": [
            {"name": name, "path": str(path), "problem": unwritable(path)}
            for name, path in folders.items()
        ],
        "host": facts,
        "probe": probe,
        "caveats": [{"slug": caveat.slug, "text": caveat.text} for caveat in noted],
    }


def _advice(probe: Mapping[str, Any] | None) -> list[Caveat]:
    from auditor.measure import interference as strain  # noqa: PLC0415 numpy takes a while to import

    return [*strain.advice(probe["rating"], HostInterference(**probe["strain"]))] if probe else []


def _probe(opened: "OpenHost") -> dict[str, Any]:
    """Run the loop for a while."""
    from auditor.measure import interference as strain  # noqa: PLC0415 numpy takes a while to import
    from runners.hosts.reference_workload import ReferenceWorkload  # noqa: PLC0415 only here

    path = opened.environment.get("PATH", os.defpath)
    return asdict(
        strain.probed(
            *ReferenceWorkload(opened.host, opened.home, path, opened.clock).probe(_LOOPS)
        )
    )


def _show(document: dict[str, Any], console: Console) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    for one in document["tools"]:
        good = one["problem"] is None
        told = "" if good else f"{one['problem']}; Debian: {one['debian']}; macOS: {one['macos']}"
        mark = Text("✓", style="green") if good else Text("✗", style="red")
        table.add_row(mark, one["name"], one["version"] or "", one["purpose"], Text(told))
    for jdk in document["jdks"]:
        table.add_row("", "JDK", jdk["version"], Text(jdk["path"]), "")
    for folder in document["folders"]:
        bad = folder["problem"]
        mark = Text("✗", style="red") if bad else Text("✓", style="green")
        table.add_row(mark, folder["name"], "", Text(folder["path"]), Text(bad or ""))
    console.result(table)
    ready = [name for name, works in document["harnesses"].items() if works]
    console.result(Text(f"\nReady for: {', '.join(ready) or 'nothing'}", style="bold"))
    if probe := document["probe"]:
        console.result(Text(_probe_line(probe), style="bold"))
    for caveat in document["caveats"]:
        console.result(Text(f"• {caveat['text']} [{caveat['slug']}]"))


def _probe_line(probe: Mapping[str, Any]) -> str:
    strain = HostInterference(**probe["strain"])
    also = [
        f"{name} {number_format.share(value)} of the time"
        for name, value in asdict(strain).items()
        if value is not None
    ]
    return (
        f"The machine is {probe['rating']}: {probe['loops']} loops of "
        f"{number_format.seconds(probe['seconds'])} lie {number_format.share(probe['jitter'])} "
        "apart (10th to 90th percentile), the longest is "
        f"{number_format.share(probe['worst'])} longer"
        f"{'; ' if also else ''}{', '.join(also)}"
    )
