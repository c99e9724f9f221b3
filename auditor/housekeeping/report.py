"""`bench-audit report`: the report of an audit again, from the store, in any format."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import msgspec

from auditor.abs import running as abs_output
from auditor.abs import stored_result, terminal
from auditor.abs.document import AbsOrStability, Document
from auditor.abs.exports import long_tables
from auditor.abs.exports.formats import ExportFormat, format_result
from auditor.abs.page.report import render_page
from auditor.cli import options, purposes
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.cli.outputs import Outputs, deliver, output_options
from auditor.compare import document as comparison_document
from auditor.compare import terminal as comparison
from auditor.config import places
from auditor.core import caveats
from auditor.core.errors import Exit, UsageError
from auditor.housekeeping import sources
from auditor.series.question import folder_of
from auditor.store.audits import COMPARE, PROFILE, TRACE
from auditor.trace import document as trace_document
from auditor.trace import document_clients, terminal_clients
from auditor.trace import terminal as tracing

_PATH = click.Path(path_type=Path)
_TABLE = "table"
_OTHERS: dict[str, tuple[Callable[[str], Any], ModuleType]] = {
    COMPARE: (comparison_document.read, comparison),
    TRACE: (trace_document.read, tracing),
    PROFILE: (document_clients.read, terminal_clients),
}
"""What reads, keeps and shows the results that time no single revision."""


@click.command(
    cls=purposes.Command,
    most_used=("--output", "--format", "--result"),
    short_help="Write the report of the last audit again; runs nothing.",
)
@options.options(
    *options.WHAT[:1],
    click.option(
        "--of",
        type=click.Choice([*abs_output.BY_COMMAND, *_OTHERS]),
        help="The command whose result is meant; the last one's by default.",
    ),
    click.option("--result", type=_PATH, help="A result as JSON, in the place of a store's."),
    options.STORE,
    *output_options(".json", ".html", ".md", ".csv", ".sarif"),
    click.option(
        "--format",
        type=click.Choice([_TABLE, *(export_format.value for export_format in ExportFormat)]),
        default=_TABLE,
        help="What stdout gets.",
    ),
    click.option(
        "--rows", type=click.Choice(list(long_tables.TABLES)), help="What a row of CSV is."
    ),
    click.option("--sources", type=_PATH, help="The audited tree, for the mutation format."),
    *options.SAID,
)
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
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
    _sensible(given)
    if given["result"]:
        return _of_file(context, given)
    command_line = options.CommandLine.of(context, {})
    if given["store"] is None:
        command_line = _with_filled_store(command_line)
    console = Console(command_line.surroundings.environment, quiet=command_line.quiet)
    wanted = json.loads(command_line.config.text)
    audit = stored_result.last_result(command_line.places.store, wanted, given["of"])
    if audit.command in _OTHERS:
        return _other(command_line, console, audit, given)
    files = abs_output.BY_COMMAND.get(audit.command, abs_output.ABS)
    document, caveat = audit.document(), stored_result.other_configuration(audit, wanted)
    if caveat:
        said = caveats.Caveat(caveat.slug, caveat.text)
        document = msgspec.structs.replace(document, caveats=(said, *document.caveats))
    others = stored_result.results_on_other_hosts(audit.path, audit.command, audit.config, document)
    abs_output.write_result(
        command_line, files, document, partial(render_page, on_other_hosts=others)
    )
    console.note(f"the result of {audit}")
    if caveat:
        console.say(f"note[{caveat.slug}]: {caveat.text}")
    if given["format"] == _TABLE:
        abs_output.show_result(command_line, console, document, files)
    else:
        console.text(_written(document, given))
    abs_output.deliver_result(given, command_line.places.output, files, document, console)
    return Exit.OK


def _with_filled_store(command_line: options.CommandLine) -> options.CommandLine:
    """Return it with the subject's own store where the folder that is written to holds none."""
    if command_line.places.store.exists():
        return command_line
    own = places(command_line.config, command_line.surroundings.environment).store
    return replace(command_line, places=replace(command_line.places, store=own))


def _other(
    command_line: options.CommandLine,
    console: Console,
    audit: stored_result.FinishedAudit,
    given: dict[str, Any],
) -> int:
    """Write a result of another kind again."""
    format_ = given["format"]
    read, module = _OTHERS[audit.command]
    with stored_result.report_damage(command_line.places.store):
        document = read(audit.result())
    if format_ not in module.FORMATS:
        those = ", ".join(module.FORMATS)
        raise UsageError(f"a result of {audit.command} has the formats {those}, not {format_}")
    module.keep(command_line.places.output, document)
    module.show(document, format_, console)
    folder = command_line.places.output
    console.note(f"\nreport: {folder / module.PAGE}")
    made = {".json": folder / module.RESULT, ".html": folder / module.PAGE}
    for file in given["output"].files:
        if file.suffix not in made:
            raise UsageError(
                f"a result of {audit.command} cannot be written as {file.suffix}; leave {file} out"
            )
    deliver(given, made, console)
    return Exit.OK


def _of_file(context: click.Context, given: dict[str, Any]) -> int:
    """Write what a file holds."""
    surroundings = context.find_object(AppContext) or AppContext.real()
    console = Console(surroundings.environment, quiet=given["quiet"])
    document = stored_result.read_result_file(given["result"])
    files = abs_output.ABS if isinstance(document, Document) else abs_output.STABILITY
    outputs: Outputs = given["output"]
    if given["format"] == _TABLE:
        console.result(terminal.summary_lines(document))
    else:
        console.text(_written(document, given))
    if outputs.folder or outputs.files or given["open"]:
        digest = hashlib.sha256(given["result"].read_bytes()).hexdigest()
        folder = outputs.folder or folder_of(given["result"].stem, digest, surroundings.environment)
        abs_output.write_result_in(folder, files, document, render_page)
        abs_output.deliver_result(given, folder, files, document, console)
    return Exit.OK


def _written(found: AbsOrStability, given: dict[str, Any]) -> str:
    chosen = ExportFormat(given["format"])
    texts = {}
    if given["sources"]:
        texts = sources.texts(given["sources"], sources.source_names(found))
    return format_result(found, chosen, rows=given["rows"] or "pairs", sources=texts)


def _sensible(given: dict[str, Any]) -> None:
    """Refuse options that would be without effect; raises UsageError."""
    if given["rows"] and given["format"] != ExportFormat.CSV:
        raise UsageError("--rows works only with CSV; add --format csv")
    if given["sources"] and given["format"] != ExportFormat.MUTATION:
        raise UsageError(
            "--sources works only with the mutation-testing schema; add --format mutation"
        )
    if given["result"] and (given["of"] or given["store"]):
        raise UsageError("--result reads a file, not the store; leave out --of and --store")
