"""`bench-audit doctor`: which tools are here, and how to get the missing ones?"""

import os
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from auditor.cli.console import Console
from auditor.cli.machine import caveats, unwritable
from auditor.cli.options import FORMAT
from auditor.cli.surroundings import Surroundings
from auditor.cli.tools import TOOLS, look, usable
from auditor.config.places import home, state
from auditor.core.errors import Exit


@click.command(short_help="Which tools are here, and how to get the missing ones?")
@FORMAT
@click.pass_obj
def command(surroundings: Surroundings, /, **shown: str) -> int:
    """Look for the tools that suites are built and run with; exit with 4 if no suite can be run."""
    console = Console(surroundings.environment, quiet=False)
    document = _document(surroundings)
    if shown["format"] == "json":
        console.document(document)
    else:
        _show(document, console)
    writable = all(folder["problem"] is None for folder in document["folders"])
    return Exit.OK if writable and any(document["harnesses"].values()) else Exit.MACHINE


def _document(surroundings: Surroundings) -> dict[str, Any]:
    environment, host = surroundings.environment, surroundings.host()
    folders = {"cache": home(environment), "results": state(environment)}
    found = {tool.name: look(tool, host, environment, folders["cache"]) for tool in TOOLS}
    facts = dict(host.facts().facts)
    noted = caveats(facts, os.getloadavg()[0])
    return {
        "schema": "bench-audit/doctor/1",
        "tools": [
            {
                "name": one.tool.name,
                "purpose": one.tool.purpose,
                "version": one.version,
                "problem": one.problem,
                "debian": one.tool.debian,
                "macos": one.tool.macos,
            }
            for one in found.values()
        ],
        "harnesses": usable(found),
        "folders": [
            {"name": name, "path": str(path), "problem": unwritable(path)}
            for name, path in folders.items()
        ],
        "host": facts,
        "caveats": [{"slug": caveat.slug, "text": caveat.text} for caveat in noted],
    }


def _show(document: dict[str, Any], console: Console) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    for one in document["tools"]:
        good = one["problem"] is None
        told = "" if good else f"{one['problem']}; Debian: {one['debian']}; macOS: {one['macos']}"
        mark = Text("✓", style="green") if good else Text("✗", style="red")
        table.add_row(mark, one["name"], one["version"] or "", one["purpose"], Text(told))
    for folder in document["folders"]:
        bad = folder["problem"]
        mark = Text("✗", style="red") if bad else Text("✓", style="green")
        table.add_row(mark, folder["name"], "", Text(folder["path"]), Text(bad or ""))
    console.result(table)
    ready = [name for name, works in document["harnesses"].items() if works]
    console.result(Text(f"\nReady for: {', '.join(ready) or 'nothing'}", style="bold"))
    for caveat in document["caveats"]:
        console.result(Text(f"• {caveat['text']} [{caveat['slug']}]"))
