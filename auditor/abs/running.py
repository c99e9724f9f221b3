"""Ask for a result of `abs` or `stability`, write it and show it."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.abs import terminal
from auditor.abs.document import AbsOrStability, Document
from auditor.abs.exports import markdown
from auditor.abs.model import Score
from auditor.abs.page.report import render_page
from auditor.cli import output
from auditor.cli.console import Console
from auditor.cli.options import CommandLine
from auditor.cli.outputs import write_output_files
from auditor.cli.running import open_work, show_plan
from auditor.core.errors import Exit
from reports import results
from reports.html import GateView

if TYPE_CHECKING:  # `--help` needs no numpy
    from auditor.abs.assemble import AbsAudit
    from auditor.measure.planning.preview import Preview


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """Where a command leaves its result and its report, in the output folder."""

    result: str
    report: str


ABS = OutputFiles("result.json", "report.html")
STABILITY = OutputFiles("stability.json", "stability.html")
ANALYZED = OutputFiles("analysis.json", "analysis.html")
BY_COMMAND = {"abs": ABS, "stability": STABILITY}


def open_with_progress(
    command_line: CommandLine,
) -> "AbstractContextManager[tuple[AbsAudit, Console]]":
    """Make the subject ready, with a log and progress."""
    from auditor.abs.assemble import open_audit  # noqa: PLC0415 numpy and scipy come with it

    return open_work(command_line, open_audit)


def make_result(
    command_line: CommandLine, answer: "Callable[[AbsAudit], AbsOrStability]", files: OutputFiles
) -> tuple[AbsOrStability, Console]:
    """Return the document that `answer` makes, once it and its report are written."""
    with open_with_progress(command_line) as (audit, console):
        document = answer(audit)
        write_result(command_line.places.output, files, document, audit.render_report)
    return document, console


def write_result(
    folder: Path,
    files: OutputFiles,
    document: AbsOrStability,
    page: Callable[[AbsOrStability], str],
) -> None:
    """Write the result, then its report; neither where one of them cannot be made."""
    report = page(document)  # first, as the text of a large result is much larger
    output.write_file(folder / files.result, results.format_json_parts(document))
    output.write_file(folder / files.report, report)


def write_gate_report(folder: Path, document: AbsOrStability, gate: GateView | None) -> None:
    """Write the report again, with what the gates said; leave it if they said nothing."""
    if gate is not None:
        output.write_file(folder / ABS.report, render_page(document, gate=gate))


def show_result(
    command_line: CommandLine, console: Console, document: AbsOrStability, files: OutputFiles
) -> None:
    """Print a result, and where its files are."""
    show_result_in(
        command_line.places.output, files, document, console, as_json=command_line.as_json
    )
    if any(caveat.slug == "budget" for caveat in document.caveats):
        console.print_note(f"go on: bench-audit {shlex.join(command_line.surroundings.arguments)}")


def show_result_in(
    folder: Path, files: OutputFiles, document: AbsOrStability, console: Console, *, as_json: bool
) -> None:
    """Print what `show` prints of a folder."""
    if as_json:
        console.print_document(document)
    else:
        console.print_result(terminal.format_summary(document))
    console.print_note(f"\nreport: {folder / files.report}")
    console.print_note(f"result: {folder / files.result}")


def deliver_result(
    option_values: Mapping[str, Any],
    folder: Path,
    files: OutputFiles,
    document: AbsOrStability,
    console: Console,
) -> None:
    """Write the files that -o names, and open the report if asked."""
    from auditor.abs.exports.formats import ExportFormat, format_result  # noqa: PLC0415 for --help

    rows = "pairs" if isinstance(document, Document) else "benchmarks"
    write_output_files(
        option_values,
        {
            ".json": folder / files.result,
            ".html": folder / files.report,
            ".md": partial(format_result, document, ExportFormat.MARKDOWN),
            ".csv": partial(format_result, document, ExportFormat.CSV, rows=rows),
            ".sarif": partial(format_result, document, ExportFormat.SARIF),
        },
        console,
    )


def dry_run(
    command_line: CommandLine, ask: "Callable[[AbsAudit], Preview]", judged: str = ""
) -> Exit:
    """Say what would be measured, and how it would be judged."""
    with open_with_progress(command_line) as (audit, console):
        plan = ask(audit)
    return show_plan(console, plan, judged, as_json=command_line.as_json)


def write_for_github(
    document: Document,
    gates: tuple[Exit, Sequence[str]],
    folder: Path,
    environment: Mapping[str, str],
) -> None:
    """Append the summary and the outputs of an audit; raises UsageError and FolderUnusable.

    `gates` has their verdict, whatever `--inconclusive` makes of it, and what they say.
    """
    verdict, lines = gates
    outputs = {
        "score": percent_of(document.without_accepted or document.scores.total),
        "report": str(folder / ABS.report),
        "result": str(folder / ABS.result),
        "verdict": output.VERDICTS[verdict],
    }
    text = markdown.format_markdown(document, output.MAX_SUMMARY_BYTES, lines)
    output.append_step_files(text, outputs, folder, environment)


def percent_of(score: Score | None) -> str:
    """Return a score as a number of percent; an empty text where there is none."""
    return "" if score is None or score.percent is None else f"{score.percent:.4g}"
