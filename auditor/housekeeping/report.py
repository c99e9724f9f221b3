"""`bench-audit report`: the report of an audit again, from the store, in any format."""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from auditor.abs import running, stored_result, terminal
from auditor.abs.document import AbsOrStability, Document
from auditor.abs.exports import long_tables
from auditor.abs.exports.formats import ExportFormat, format_result
from auditor.abs.page.report import render_page
from auditor.cli import options, purposes
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.cli.outputs import (
    Outputs,
    ResultFiles,
    make_format_option,
    make_output_options,
)
from auditor.compare import document as comparison_document
from auditor.compare import terminal as comparison
from auditor.config import choose_places
from auditor.core import caveats
from auditor.core.errors import Exit, UsageError
from auditor.series.question import choose_output_folder
from auditor.store.audits import COMPARE, PROFILE, TRACE
from auditor.trace import document as trace_document
from auditor.trace import document_clients, terminal_clients
from auditor.trace import terminal as tracing

LARGEST = 4 * 1024 * 1024
"""Bytes; a source that people read is smaller."""

_PATH = click.Path(path_type=Path)
_TABLE = "table"
_OTHER_KINDS: dict[str, tuple[Callable[[str], Any], ResultFiles[Any]]] = {
    COMPARE: (comparison_document.parse_document, comparison.FILES),
    TRACE: (trace_document.parse_document, tracing.FILES),
    PROFILE: (document_clients.parse_document, terminal_clients.FILES),
}
"""What reads, and what keeps and shows the results that time no single revision."""


@click.command(
    cls=purposes.GroupedCommand,
    most_used=("--output", "--format", "--result"),
    short_help="Write the report of the last audit again; runs nothing.",
)
@options.add_options(
    *options.SUITE_OPTIONS[:1],
    click.option(
        "--of",
        type=click.Choice([*running.BY_COMMAND, *_OTHER_KINDS]),
        help="The command whose result is meant; the last one's by default.",
    ),
    click.option("--result", type=_PATH, help="A result as JSON, in the place of a store's."),
    options.STORE,
    *make_output_options(".json", ".html", ".md", ".csv", ".sarif"),
    make_format_option([_TABLE, *(export_format.value for export_format in ExportFormat)]),
    click.option(
        "--rows", type=click.Choice(list(long_tables.TABLES)), help="What a row of CSV is."
    ),
    click.option("--sources", type=_PATH, help="The audited tree, for the mutation format."),
    *options.VERBOSITY_OPTIONS,
)
@click.pass_context
def command(context: click.Context, /, **option_values: Any) -> int:
    """Write the report of the last finished audit with this configuration again; runs nothing.

    CONFIG_OR_SUBJECT is as for abs. The result is the one that the store holds. Where no audit was
    asked for exactly this, with flags for example, it is that of the subject's last one, which is
    said. To judge again, repeat the audit: what is in the store is not measured again. With
    --result nothing is read but that file, and files are written with --output only.

    \b
    bench-audit report .                                          report.html again
    bench-audit report . --format markdown >> "$GITHUB_STEP_SUMMARY"
    bench-audit report . --format csv --rows methods > methods.csv
    """
    _refuse_useless_options(option_values)
    if option_values["result"]:
        return _write_from_file(context, option_values)
    command_line = options.CommandLine.from_context(context, {})
    if option_values["store"] is None:
        command_line = _with_filled_store(command_line)
    console = Console(command_line.surroundings.environment, quiet=command_line.quiet)
    requested_config = json.loads(command_line.config.text)
    places = command_line.places
    audit = stored_result.find_last_result(places.store, requested_config, option_values["of"])
    if audit.command_name in _OTHER_KINDS:
        return _write_other_kind(command_line, console, audit, option_values)
    files = running.BY_COMMAND.get(audit.command_name, running.ABS)
    document = audit.read_document()
    caveat = stored_result.describe_other_configuration(audit, requested_config)
    if caveat:
        document_caveat = caveats.Caveat(caveat.slug, caveat.text)
        document = msgspec.structs.replace(document, caveats=(document_caveat, *document.caveats))
    other_results = stored_result.list_results_on_other_hosts(
        audit.path, audit.command_name, audit.config, document
    )
    page = partial(render_page, on_other_hosts=other_results)
    running.write_result(places.output, files, document, page)
    console.print_note(f"the result of {audit}")
    if caveat:
        console.print_message(f"note[{caveat.slug}]: {caveat.text}")
    if option_values["format"] == _TABLE:
        running.show_result(command_line, console, document, files)
    else:
        console.print_text(_format_document(document, option_values))
    running.deliver_result(option_values, places.output, files, document, console)
    return Exit.OK


def _with_filled_store(command_line: options.CommandLine) -> options.CommandLine:
    """Return it with the subject's own store where the folder that is written to holds none."""
    if command_line.places.store.exists():
        return command_line
    subject_store = choose_places(command_line.config, command_line.surroundings.environment).store
    return replace(command_line, places=replace(command_line.places, store=subject_store))


def _write_other_kind(
    command_line: options.CommandLine,
    console: Console,
    audit: stored_result.FinishedAudit,
    option_values: dict[str, Any],
) -> int:
    """Write a result of another kind again."""
    format_ = option_values["format"]
    read, result_files = _OTHER_KINDS[audit.command_name]
    with stored_result.report_damage(command_line.places.store):
        document = read(audit.read_result_text())
    if format_ not in result_files.formats:
        format_list = ", ".join(result_files.formats)
        raise UsageError(
            f"a result of {audit.command_name} has the formats {format_list}, not {format_}"
        )
    folder = command_line.places.output
    endings = result_files.list_paths(folder)
    for file in option_values["output"].files:
        if file.suffix not in endings:
            raise UsageError(
                f"a result of {audit.command_name} cannot be written as {file.suffix}; leave "
                f"{file} out"
            )
    result_files.write_results(folder, document)
    result_files.print_result(document, format_, console)
    result_files.deliver_files(option_values, folder, console)
    return Exit.OK


def _write_from_file(context: click.Context, option_values: dict[str, Any]) -> int:
    """Write what a file holds."""
    surroundings = context.find_object(AppContext) or AppContext.from_process()
    console = Console(surroundings.environment, quiet=option_values["quiet"])
    document = stored_result.read_result_file(option_values["result"])
    files = running.ABS if isinstance(document, Document) else running.STABILITY
    outputs: Outputs = option_values["output"]
    if option_values["format"] == _TABLE:
        console.print_result(terminal.format_summary(document))
    else:
        console.print_text(_format_document(document, option_values))
    if outputs.folder or outputs.files or option_values["open"]:
        digest = hashlib.sha256(option_values["result"].read_bytes()).hexdigest()
        folder = outputs.folder or choose_output_folder(
            option_values["result"].stem, digest, surroundings.environment
        )
        running.write_result(folder, files, document, render_page)
        running.deliver_result(option_values, folder, files, document, console)
    return Exit.OK


def _format_document(document: AbsOrStability, option_values: dict[str, Any]) -> str:
    export_format = ExportFormat(option_values["format"])
    texts = {}
    if option_values["sources"]:
        texts = read_texts(option_values["sources"], _source_names(document))
    return format_result(
        document, export_format, rows=option_values["rows"] or "pairs", sources=texts
    )


def _refuse_useless_options(option_values: dict[str, Any]) -> None:
    """Refuse options that would be without effect; raises UsageError."""
    if option_values["rows"] and option_values["format"] != ExportFormat.CSV:
        raise UsageError("--rows works only with CSV; add --format csv")
    if option_values["sources"] and option_values["format"] != ExportFormat.MUTATION:
        raise UsageError(
            "--sources works only with the mutation-testing schema; add --format mutation"
        )
    if option_values["result"] and (option_values["of"] or option_values["store"]):
        raise UsageError("--result reads a file, not the store; leave out --of and --store")


def _source_names(document: AbsOrStability) -> tuple[str, ...]:
    """Return the files in which methods of a result are."""
    methods = document.methods if isinstance(document, Document) else ()
    return tuple(dict.fromkeys(method.span.file for method in methods if method.span))


def read_texts(folder: Path, files: Iterable[str]) -> dict[str, str]:
    """Return the texts of those files that are there; raises UsageError without the folder.

    A result may come from anybody: no name in it leads out of the folder, by links neither.
    """
    root = folder.resolve()
    if not root.is_dir():
        raise UsageError(f"{folder} is not a folder")
    text_by_file = {file: _read_text(root, file) for file in files}
    return {file: text for file, text in text_by_file.items() if text is not None}


def _read_text(root: Path, file: str) -> str | None:
    try:
        path = (root / file).resolve()
        if not path.is_relative_to(root) or not path.is_file() or path.stat().st_size > LARGEST:
            return None
        return path.read_bytes().decode(errors="replace")
    except (OSError, ValueError, RuntimeError):  # a name that no file can have; a loop of links
        return None
