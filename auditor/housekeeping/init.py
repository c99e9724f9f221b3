"""`bench-audit init`: a first configuration, by looking at the project."""

import json
import shlex
from os.path import normpath, relpath
from pathlib import Path
from typing import Any

import click

from auditor.cli import options, output, purposes
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.config.found import NAMES, find_configuration
from auditor.config.load import foreign_results
from auditor.core.errors import Exit, UsageError
from auditor.core.files.paths import is_dir
from reports import number_format
from runners.subjects.placed import detect_kind
from runners.subjects.suite_detection import detect_suite
from runners.subjects.survey import SuiteFolder, explain_unsupported, find_suites, list_suites

SLOWDOWN = 0.5
"""What a first configuration asks: 1.5 times as long."""


@click.command(
    cls=purposes.GroupedCommand,
    most_used=("--output",),
    short_help="Write a first configuration by looking at the project.",
)
@options.add_options(
    click.argument("folder", type=click.Path(path_type=Path), default="."),
    click.option("-o", "--output", type=click.Path(path_type=Path), help="A new file to write."),
    options.VERBOSITY_OPTIONS[0],
)
@click.pass_context
def command(context: click.Context, /, **option_values: Any) -> int:
    """Print a configuration for the project in FOLDER; nothing is built or run.

    With --output it goes to a file, which must not be there yet; its subject is then relative to
    that file's folder. Each further suite below FOLDER gets a file beside that one.

    \b
    bench-audit init -o bench-audit.json
    """
    surroundings = context.find_object(AppContext) or AppContext.from_process()
    console = Console(surroundings.environment, quiet=option_values["quiet"])
    folder = option_values["folder"].absolute()
    if not is_dir(folder):
        raise UsageError(
            foreign_results(folder, str(option_values["folder"])) or f"there is no folder {folder}"
        )
    folders = _suites_in(folder)
    target = None if option_values["output"] is None else option_values["output"].absolute()
    if target is None:
        console.print_text(_format_configuration(folders[0], folder, folder))
        _describe_suite(folders[0], console)
        _print_saving_command(folders[0], option_values["folder"], console)
        if folders[1:]:
            console.print_note(
                f"more suites: {list_suites(folders[1:])}; -o FILE writes one file for each"
            )
        return Exit.OK
    files = [target, *(_further_file(target, suite) for suite in folders[1:])]
    for file in files:
        if file.exists():
            raise UsageError(f"{file} exists already; choose another name with --output")
    for suite, file in zip(folders, files, strict=True):
        _refuse_second_configuration(folder / suite.path, file)
    for suite, file in zip(folders, files, strict=True):
        output.write_file(file, _format_configuration(suite, folder, file.parent))
        console.print_note(f"written: {normpath(file)}")
        _describe_suite(suite, console)
        console.print_note(f"next: bench-audit abs {shlex.quote(relpath(file))} --dry-run")
    return Exit.OK


def _find_existing_configuration(folder: Path) -> str:
    """Return what configures the project in a folder already, or why that is not usable."""
    try:
        configuration = find_configuration(folder, "")
    except UsageError as error:
        return str(error)
    return f"{configuration.label} configures this project already" if configuration else ""


def _refuse_second_configuration(folder: Path, file: Path) -> None:
    """Refuse a file that `abs FOLDER` would read beside the project's configuration."""
    is_read = file.parent.resolve() == folder.resolve() and file.name in NAMES
    if is_read and (existing := _find_existing_configuration(folder)):
        raise UsageError(f"{existing}; choose another name with --output")


def _suites_in(folder: Path) -> tuple[SuiteFolder, ...]:
    """Return the suites at and below a folder; the folder itself where none has benchmarks."""
    if below := find_suites(folder):
        return below
    suite = detect_suite(folder)
    if suite.harness is None:
        raise UsageError(explain_unsupported(folder, str(folder)))
    return (SuiteFolder(".", suite, detect_kind(folder) or ""),)


def _further_file(target: Path, suite_folder: SuiteFolder) -> Path:
    """Return the file of a further suite, beside the first one's."""
    place = (
        suite_folder.suite.harness
        if suite_folder.path == "."
        else suite_folder.path.replace("/", "-")
    )
    return target.with_name(f"{target.stem}-{place}{target.suffix}")


def _format_configuration(suite_folder: SuiteFolder, folder: Path, base: Path) -> str:
    """Return the configuration of a suite below `folder`, with its path relative to `base`."""
    detected_suite = suite_folder.suite
    subject: Any = relpath(folder / suite_folder.path, base)
    if detected_suite.profiles:
        subject = {"path": subject, "profiles": list(detected_suite.profiles)}
    tags = {"tags": list(detected_suite.tags)} if detected_suite.tags else {}
    keys = {
        "subject": subject,
        "harness": detected_suite.harness,
        **tags,
        "methods": "auto",
        "slowdown": SLOWDOWN,
    }
    return json.dumps(keys, indent=2) + "\n"


def _describe_suite(suite_folder: SuiteFolder, console: Console) -> None:
    benchmark_count = number_format.format_count(suite_folder.suite.benchmarks, "benchmark")
    location = "" if suite_folder.path == "." else f" of {suite_folder.path}"
    console.print_note(f"{benchmark_count} in the sources{location} ({suite_folder.suite.harness})")
    if suite_folder.suite.other_harnesses:
        other_harnesses = " and ".join(suite_folder.suite.other_harnesses)
        console.print_note(f"there is also a suite of {other_harnesses}: name it as harness")
    if not suite_folder.suite.benchmarks:
        console.print_note("without benchmarks there is nothing to audit yet: write one first")


def _print_saving_command(suite_folder: SuiteFolder, folder: Path, console: Console) -> None:
    if existing := _find_existing_configuration(folder / suite_folder.path):
        console.print_note(existing)
        return
    words = "" if str(folder) == "." else f"{shlex.quote(str(folder))} "
    console.print_note(f"save it: bench-audit init {words}-o bench-audit.json")
