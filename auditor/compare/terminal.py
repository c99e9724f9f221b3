"""A comparison on a terminal, as files, and in a step of GitHub Actions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.abs import github_step
from auditor.cli import github, output, tables
from auditor.cli.console import Console
from auditor.cli.outputs import deliver
from auditor.compare import page
from auditor.compare.document import ComparisonDocument
from auditor.compare.markdown import markdown
from auditor.compare.model import PerformanceChange
from auditor.core.errors import Exit
from reports import number_format, results
from reports.html import GateView

FORMATS = ("table", "json", "markdown")
RESULT, PAGE, TEXT = "compare.json", "compare.html", "compare.md"
_STYLES = {
    PerformanceChange.REGRESSION: "red",
    PerformanceChange.UNKNOWN: "yellow",
    PerformanceChange.IMPROVEMENT: "green",
}


def keep(folder: Path, document: ComparisonDocument) -> None:
    """Write the result, its page and its Markdown; none of them where one cannot be made."""
    texts = {
        RESULT: results.text(document),
        PAGE: page.html(document),
        TEXT: markdown(document),
    }
    output.keep(folder, texts)


def keep_gate(folder: Path, document: ComparisonDocument, gate: GateView | None) -> None:
    """Write the page again, with what the gates said; leave it if they said nothing."""
    if gate is not None:
        output.write(folder / PAGE, page.html(document, gate))


def deliver_files(given: Mapping[str, Any], folder: Path, console: Console) -> None:
    """Write the files that -o names, and open the page if asked."""
    made = {".json": folder / RESULT, ".html": folder / PAGE, ".md": folder / TEXT}
    deliver(given, made, console)


def show(document: ComparisonDocument, format_: str, console: Console) -> None:
    """Print a comparison in one of FORMATS."""
    output.show(document, format_, console, table, markdown=markdown)


def table(document: ComparisonDocument) -> RenderableType:
    """Return what a terminal shows."""
    view = page.view(document)
    parts: list[RenderableType] = [
        Text(f"{view.subject}, {view.revisions}", style="dim"),
        Text(view.headline, style="bold"),
        *([Text(view.patch)] if view.patch else []),
        Text(view.counts, style="dim"),
    ]
    if view.rows:
        parts += ["", _benchmarks(view.rows)]
    if view.same:
        same = number_format.count(view.same, "benchmark is", "benchmarks are")
        parts.append(Text(f"{same} built of the same code in both, so not measured"))
    parts += tables.section("New benchmarks", view.added)
    parts += tables.section("Benchmarks that are gone", view.removed)
    if view.methods:
        parts += ["", _methods(view.methods)]
    parts += tables.section("New public methods that no benchmark calls", view.unwatched)
    if view.controls:
        parts += ["", Text(view.controls)]
    parts += tables.section("To know", [f"{text} [{slug}]" for slug, text in view.caveats])
    return Group(*parts)


def _benchmarks(rows: Sequence[page.ComparisonRow]) -> RenderableType:
    made = tables.lineless(
        "", "benchmark", "", "what", ">base", ">head", ">times", ">interval", ">visible from", ""
    )
    for row in rows[: tables.MOST_ROWS]:
        style = _STYLES.get(row.change, "")
        made.add_row(
            Text(row.word.glyph, style=style), Text(row.name), Text(row.word.word, style=style),
            row.what, row.base, row.head, row.times, row.interval, row.visible,
            Text(tables.short(row.note), style="dim"),
        )  # fmt: skip
    return tables.and_more(made, len(rows))


def _methods(rows: Sequence[page.PatchRow]) -> RenderableType:
    made = tables.lineless("", "method", "", "slowed down", "")
    for row in rows[: tables.MOST_ROWS]:
        glyph, word = (row.word.glyph, row.word.word) if row.word else ("", number_format.NONE)
        note = Text(tables.short(row.note), style="dim")
        made.add_row(glyph, Text(row.name), row.kind, word, note)
    return tables.and_more(made, len(rows))


def write_for_github(
    document: ComparisonDocument,
    gates: tuple[Exit, Sequence[str]],
    folder: Path,
    environment: Mapping[str, str],
) -> None:
    """Append the summary and the outputs of a comparison; raises UsageError and FolderUnusable.

    `gates` has their verdict, whatever `--inconclusive` makes of it, and what they say.
    """
    verdict, lines = gates
    regressions = sum(
        benchmark.change is PerformanceChange.REGRESSION for benchmark in document.benchmarks
    )
    outputs = {
        "change": document.change.value.replace(" ", "-"),
        "regressions": str(regressions),
        "score": github_step.percent_of(document.patch.score),
        "report": str(folder / PAGE),
        "result": str(folder / RESULT),
        "verdict": github.VERDICTS[verdict],
    }
    text = markdown(document, github.LARGEST_SUMMARY, lines)
    github.append_step_files(text, outputs, folder, environment)
