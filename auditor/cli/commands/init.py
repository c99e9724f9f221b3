"""`bench-audit init`: a first configuration, by looking at the project."""

import json
from os.path import relpath
from pathlib import Path
from typing import Any

import click

from auditor.cli import options, output
from auditor.cli.console import Console
from auditor.cli.surroundings import Surroundings
from auditor.core.errors import Exit, UsageError
from auditor.core.paths import is_dir
from reports import figures
from runners.subjects.look import Found, look
from runners.subjects.placed import MARKS

SLOWDOWN = 0.5
"""What a first configuration asks: 1.5 times as long."""


@click.command(short_help="Write a first configuration by looking at the project.")
@options.options(
    click.argument("folder", type=click.Path(path_type=Path), default="."),
    click.option("-o", "--output", type=click.Path(path_type=Path), help="A new file to write."),
    options.SAID[0],
)
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
    """Print a configuration for the project in FOLDER; nothing is built or run.

    With --output it goes to a file, which must not be there yet; its subject is then relative to
    that file's folder.

    \b
    bench-audit init -o bench-audit.json
    """
    surroundings = context.find_object(Surroundings) or Surroundings.real()
    console = Console(surroundings.environment, quiet=given["quiet"])
    folder = given["folder"].absolute()
    if not is_dir(folder):
        raise UsageError(f"there is no folder {folder}")
    found = look(folder)
    if found.harness is None:
        raise UsageError(
            f"{folder} is no project that bench-audit knows: there is no {MARKS} in it; name the "
            "folder that has one"
        )
    target = None if given["output"] is None else given["output"].absolute()
    text = json.dumps(_config(found, folder, target), indent=2) + "\n"
    if target is None:
        console.text(text)
    elif target.exists():
        raise UsageError(f"{target} is there already; choose another name with --output")
    else:
        output.write(target, text)
        console.note(f"written: {target}")
    _say(found, target, console)
    return Exit.OK


def _config(found: Found, folder: Path, target: Path | None) -> dict[str, Any]:
    subject: Any = "." if target is None else relpath(folder, target.parent)
    if found.profiles:
        subject = {"path": subject, "profiles": list(found.profiles)}
    tags = {"tags": list(found.tags)} if found.tags else {}
    return {
        "subject": subject,
        "harness": found.harness,
        **tags,
        "methods": "auto",
        "slowdown": SLOWDOWN,
    }


def _say(found: Found, target: Path | None, console: Console) -> None:
    those = figures.count(found.benchmarks, "benchmark")
    console.note(f"{those} in the sources ({found.harness})")
    if found.others:
        console.note(f"there is also a suite of {' and '.join(found.others)}: name it as harness")
    if not found.benchmarks:
        console.note("without benchmarks there is nothing to audit yet: write one first")
    name = "config.json" if target is None else target.name
    console.note(f"next: bench-audit abs {name} --dry-run")
