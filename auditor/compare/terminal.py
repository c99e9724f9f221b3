"""A comparison on a terminal, as files, and in a step of GitHub Actions."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.abs import running
from auditor.cli import output, tables
from auditor.cli.outputs import ResultFiles
from auditor.compare import page
from auditor.compare.document import ComparisonDocument
from auditor.compare.markdown import render_markdown
from auditor.compare.model import PerformanceChange
from auditor.core.errors import Exit
from reports import number_format

_STYLES = {
    PerformanceChange.REGRESSION: "red",
    PerformanceChange.UNKNOWN: "yellow",
    PerformanceChange.IMPROVEMENT: "green",
}


def build_table(document: ComparisonDocument) -> RenderableType:
    """Return what a terminal shows."""
    view = page.build_view(document)
    parts: list[RenderableType] = [
        Text(f"{view.subject}, {view.revisions}", style="dim"),
        Text(view.headline, style="bold"),
        *([Text(view.patch)] if view.patch else []),
        Text(view.counts, style="dim"),
    ]
    if view.rows:
        parts += ["", _build_benchmark_table(view.rows)]
    if view.same:
        same_text = number_format.format_count(view.same, "benchmark is", "benchmarks are")
        parts.append(Text(f"{same_text} built of the same code in both, so not measured"))
    parts += tables.build_section("New benchmarks", view.added)
    parts += tables.build_section("Benchmarks that are gone", view.removed)
    if view.methods:
        parts += ["", _build_method_table(view.methods)]
    parts += tables.build_section("New public methods that no benchmark calls", view.unwatched)
    if view.controls:
        parts += ["", Text(view.controls)]
    parts += tables.build_section("To know", [f"{text} [{slug}]" for slug, text in view.caveats])
    return Group(*parts)


def _build_benchmark_table(rows: Sequence[page.ComparisonRow]) -> RenderableType:
    benchmark_table = tables.make_borderless_table(
        "", "benchmark", "", "what", ">base", ">head", ">times", ">interval", ">visible from", ""
    )
    for row in rows[: tables.MOST_ROWS]:
        style = _STYLES.get(row.change, "")
        benchmark_table.add_row(
            Text(row.word.glyph, style=style), Text(row.name), Text(row.word.word, style=style),
            row.dimension, row.base, row.head, row.times, row.interval, row.visible,
            Text(tables.shorten_text(row.note), style="dim"),
        )  # fmt: skip
    return tables.add_omitted_count(benchmark_table, len(rows))


def _build_method_table(rows: Sequence[page.PatchRow]) -> RenderableType:
    method_table = tables.make_borderless_table("", "method", "", "slowed down", "")
    for row in rows[: tables.MOST_ROWS]:
        glyph, word = (row.word.glyph, row.word.word) if row.word else ("", number_format.NO_VALUE)
        note = Text(tables.shorten_text(row.note), style="dim")
        method_table.add_row(glyph, Text(row.name), row.kind, word, note)
    return tables.add_omitted_count(method_table, len(rows))


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
    paths = FILES.list_paths(folder)
    outputs = {
        "change": document.change.value.replace(" ", "-"),
        "regressions": str(regressions),
        "score": running.percent_of(document.patch.score),
        "report": str(paths[".html"]),
        "result": str(paths[".json"]),
        "verdict": output.VERDICTS[verdict],
    }
    text = render_markdown(document, output.MAX_SUMMARY_BYTES, lines)
    output.append_step_files(text, outputs, folder, environment)


FILES = ResultFiles("compare", build_table, {".html": page.render_html, ".md": render_markdown})
