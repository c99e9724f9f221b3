"""`bench-audit doctor`: which tools are here, how steady is the machine, and what to change?"""

import os
import re
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table
from rich.text import Text

from auditor.cli import options, purposes
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.cli.machine import explain_unwritable, list_machine_caveats
from auditor.config import Config, Places, load_config
from auditor.config.places import find_cache_folder, find_state_folder
from auditor.core.caveats import Caveat
from auditor.core.errors import Exit, MachineError, ToolMissing, UsageError
from auditor.core.jobs import HostInterference, Invocation
from auditor.core.ports import Host
from auditor.languages.model import RequiredProgram
from auditor.languages.registry import LANGUAGES
from reports import number_format
from runners.jmh.jdks import installed_jdks

if TYPE_CHECKING:
    from auditor.hosts.opened import OpenHost


_SECONDS = 60.0
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_JAVA_OPTIONS = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS")
"""Java announces them in front of its version."""


_GIT = RequiredProgram(
    name="git",
    argument="--version",
    oldest=(2, 20),
    purpose="subjects git:...",
    debian="apt install git",
    macos="brew install git",
)
PROGRAMS = (*(program for language in LANGUAGES for program in language.programs), _GIT)


@dataclass(frozen=True, slots=True)
class ToolCheck:
    """A tool as it is here: its version if it answered, and what is wrong with it."""

    tool: RequiredProgram
    version: str | None
    problem: str | None


_LOOPS = 60
_TUNING_SECONDS = 120.0
_TUNING = {"tune": "tune", "restore": "reset"}
"""Our options, and what pyperf's `system` calls them."""


@click.command(
    cls=purposes.GroupedCommand,
    most_used=("--probe", "--host"),
    short_help="Which tools are here, and how steady is the machine?",
)
@options.add_options(
    *options.SUBJECT[:1],
    options.HOST,
    click.option("--probe", is_flag=True, help="Run a loop for some seconds: how steady is it?"),
    click.option("--tune", is_flag=True, help="Make this machine steadier (pyperf, as root)."),
    click.option("--restore", is_flag=True, help="Undo what --tune has done."),
    options.FORMAT,
)
@click.pass_obj
def command(surroundings: AppContext, /, **option_values: Any) -> int:
    """Look for the tools that suites are built and run with; exit with 4 if no suite can be run.

    With --host the tools and the machine are those of that host; a configuration may say what it
    is like.
    """
    console = Console(surroundings.environment, quiet=False)
    if option_values["tune"] or option_values["restore"]:
        return _run_tuning(surroundings, option_values, console)
    document = _build_document(surroundings, option_values)
    if option_values["format"] == "json":
        console.print_document(document)
    else:
        _print_document(document, console)
    writable = all(folder["problem"] is None for folder in document["folders"])
    return Exit.OK if writable and any(document["harnesses"].values()) else Exit.MACHINE


def _run_tuning(
    surroundings: AppContext, option_values: Mapping[str, Any], console: Console
) -> int:
    """Let pyperf change the machine, or change it back, and say what it says."""
    if option_values["tune"] and option_values["restore"]:
        raise UsageError("--tune and --restore undo each other; choose one")
    if option_values["probe"] or option_values["format"] == "json":
        raise UsageError(
            "--tune and --restore only change the machine; leave out --probe and --format"
        )
    overrides = {"host": option_values["host"]} if option_values["host"] else {}
    config = load_config(option_values["what"], overrides, Path.cwd())
    if config.host != "local" or config.dispatch is not None:
        raise UsageError(
            "--tune works only on this machine; run bench-audit doctor --tune on the other one"
        )
    word = next(action for option, action in _TUNING.items() if option_values[option])
    if find_spec("pyperf") is None:
        raise ToolMissing('pyperf, which tunes machines, is missing; install "bench-audit[tune]"')
    with _open_host(surroundings, config) as opened:
        job = Invocation(
            argv=(sys.executable, "-m", "pyperf", "system", word),
            cwd=Path("/"),
            environment=tuple(sorted(opened.environment.items())),
            timeout_seconds=_TUNING_SECONDS,
        )
        answer = opened.host.run_process(job)
    console.print_result(Text((answer.stdout + answer.stderr).decode(errors="replace").strip()))
    return Exit.OK if answer.exit_code == 0 else Exit.MACHINE


def _open_host(surroundings: AppContext, config: Config) -> "AbstractContextManager[OpenHost]":
    from auditor.hosts import open_host  # noqa: PLC0415 only the doctor needs it
    from runners.hosts.clock import SystemClock  # noqa: PLC0415 as above

    results = find_state_folder(surroundings.environment)
    places = Places(
        output=results,
        store=results / "store.sqlite",
        home=find_cache_folder(surroundings.environment),
    )
    return open_host(config, places, surroundings.environment, SystemClock())


def _build_document(surroundings: AppContext, option_values: Mapping[str, Any]) -> dict[str, Any]:
    environment = surroundings.environment
    folders = {"cache": find_cache_folder(environment), "results": find_state_folder(environment)}
    overrides = {"host": option_values["host"]} if option_values["host"] else {}
    config = load_config(option_values["what"], overrides, Path.cwd())
    with _open_host(surroundings, config) as opened:
        host_environment = opened.environment
        checks = {
            tool.name: _check_tool(tool, opened.host, host_environment, opened.home.root)
            for tool in PROGRAMS
        }
        jdks = installed_jdks(opened.host, tuple(sorted(host_environment.items())))
        facts = dict(opened.host.read_facts().facts)
        probe = _probe_machine(opened) if option_values["probe"] else None
    local = config.host == "local"
    host_caveats = [
        *list_machine_caveats(facts, os.getloadavg()[0] if local else None),
        *_list_advice(probe),
    ]
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
            for check in checks.values()
        ],
        "harnesses": _usable_harnesses(checks),
        "jdks": [{"version": jdk.version, "path": str(jdk.home)} for jdk in jdks],
        "folders": [
            {"name": name, "path": str(path), "problem": explain_unwritable(path)}
            for name, path in folders.items()
        ],
        "host": facts,
        "probe": probe,
        "caveats": [{"slug": caveat.slug, "text": caveat.text} for caveat in host_caveats],
    }


def _list_advice(probe: Mapping[str, Any] | None) -> list[Caveat]:
    from auditor.measure import interference as strain  # noqa: PLC0415 numpy takes a while to import

    return (
        [*strain.advise_on_noise(probe["rating"], HostInterference(**probe["strain"]))]
        if probe
        else []
    )


def _probe_machine(opened: "OpenHost") -> dict[str, Any]:
    """Run the loop for a while."""
    from auditor.measure import interference as strain  # noqa: PLC0415 numpy takes a while to import
    from runners.hosts.reference_workload import ReferenceWorkload  # noqa: PLC0415 only here

    path = opened.environment.get("PATH", os.defpath)
    return asdict(
        strain.rate_noise(
            *ReferenceWorkload(opened.host, opened.home, path, opened.clock).measure_loops(_LOOPS)
        )
    )


def _print_document(document: dict[str, Any], console: Console) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    for tool in document["tools"]:
        good = tool["problem"] is None
        problem_text = (
            "" if good else f"{tool['problem']}; Debian: {tool['debian']}; macOS: {tool['macos']}"
        )
        mark = Text("✓", style="green") if good else Text("✗", style="red")
        table.add_row(
            mark, tool["name"], tool["version"] or "", tool["purpose"], Text(problem_text)
        )
    for jdk in document["jdks"]:
        table.add_row("", "JDK", jdk["version"], Text(jdk["path"]), "")
    for folder in document["folders"]:
        bad = folder["problem"]
        mark = Text("✗", style="red") if bad else Text("✓", style="green")
        table.add_row(mark, folder["name"], "", Text(folder["path"]), Text(bad or ""))
    console.print_result(table)
    ready = [name for name, works in document["harnesses"].items() if works]
    console.print_result(Text(f"\nReady for: {', '.join(ready) or 'nothing'}", style="bold"))
    if probe := document["probe"]:
        console.print_result(Text(_probe_line(probe), style="bold"))
    for caveat in document["caveats"]:
        console.print_result(Text(f"• {caveat['text']} [{caveat['slug']}]"))


def _probe_line(probe: Mapping[str, Any]) -> str:
    strain = HostInterference(**probe["strain"])
    also = [
        f"{name} {number_format.format_share(value)} of the time"
        for name, value in asdict(strain).items()
        if value is not None
    ]
    return (
        f"The machine is {probe['rating']}: {probe['loops']} loops of "
        f"{number_format.format_seconds(probe['seconds'])} lie "
        f"{number_format.format_share(probe['jitter'])} "
        "apart (10th to 90th percentile), the longest is "
        f"{number_format.format_share(probe['worst'])} longer"
        f"{'; ' if also else ''}{', '.join(also)}"
    )


def _check_tool(
    tool: RequiredProgram, host: Host, environment: Mapping[str, str], folder: Path
) -> ToolCheck:
    """Ask a tool for its version; `folder` takes what it may want to write."""
    program = tool.name
    if tool.name in ("java", "javac") and environment.get("JAVA_HOME"):
        program = f"{environment['JAVA_HOME']}/bin/{tool.name}"
    invocation = Invocation(
        argv=(program, tool.argument),
        cwd=Path("/"),
        environment=_isolate_environment(environment, folder),
        timeout_seconds=_SECONDS,
    )
    try:
        answer = host.run_process(invocation)
    except ToolMissing:
        return ToolCheck(
            tool, None, f"{program} was not found" if program != tool.name else "missing"
        )
    except MachineError as error:
        return ToolCheck(tool, None, str(error))
    text = _COLOURS.sub("", (answer.stdout + answer.stderr).decode(errors="replace"))
    version = re.search(r"\d+(\.\d+)+|\d{2}", text)
    if answer.exit_code != 0 or version is None:
        return ToolCheck(tool, None, f"does not work: {answer.format_tail(1) or 'no answer'}")
    numbers = tuple(int(number) for number in version[0].split("."))
    old = f"too old, {'.'.join(map(str, tool.oldest))} is needed" if numbers < tool.oldest else None
    return ToolCheck(tool, version[0], old)


def _isolate_environment(
    environment: Mapping[str, str], folder: Path
) -> tuple[tuple[str, str], ...]:
    """Keep counters that tools make of their use out of the user's configuration folder."""
    clean_environment = {
        key: value for key, value in environment.items() if key not in _JAVA_OPTIONS
    }
    return tuple(sorted({**clean_environment, "XDG_CONFIG_HOME": str(folder / "config")}.items()))


def _usable_harnesses(checks: Mapping[str, ToolCheck]) -> dict[str, bool]:
    """Tell of each language's main harness whether all its programs are here."""
    return {
        language.main_harness: all(
            checks[program.name].problem is None for program in language.programs
        )
        for language in LANGUAGES
    }
