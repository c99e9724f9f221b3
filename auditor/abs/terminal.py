"""A result of `abs` or `stability` on a terminal: the answer, what it rests on, what to do."""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from auditor.abs.document import AbsOrStability, Document
from auditor.abs.page.environments import compare_environments
from auditor.abs.page.table import MethodRow, TerminalSummary, summarise_document
from auditor.cli.tables import (
    MOST_ROWS,
    NotedTable,
    add_omitted_count,
    build_section,
    make_borderless_table,
    make_paragraphs,
    shorten_text,
)
from auditor.core.accepted import AcceptedMiss
from auditor.core.result import Verdict
from auditor.core.stability import BenchmarkVerdict
from reports import names, number_format

_STYLES = {
    Verdict.DETECTED: "green",
    Verdict.MISSED: "red",
    Verdict.UNREACHED: "red",
    Verdict.INCONCLUSIVE: "yellow",
}


def format_summary(document: AbsOrStability) -> RenderableType:
    """Return what a terminal shows of an audit."""
    summary = summarise_document(document)
    parts: list[RenderableType] = [*_format_head(summary)]
    if summary.scores:
        parts += ["", _build_score_table(summary)]
    if summary.methods:
        parts += ["", _build_method_table(summary)]
        parts += ["", *make_paragraphs(summary.allocations)] if summary.allocations else []
    elif document.benchmarks:
        parts += ["", _build_benchmark_table(document.benchmarks)]
    parts += ["", Text(summary.suite)]
    spreads = _format_spreads(summary)
    parts += make_paragraphs([spreads, summary.controls, summary.cover, summary.rules])
    parts += build_section("Accepted misses", _list_accepted(document))
    parts += build_section("Next", summary.advice)
    parts += build_section("To know", [f"{text} [{slug}]" for slug, text in summary.caveats])
    return Group(*parts)


def _format_head(summary: TerminalSummary) -> Iterable[Text]:
    yield Text(summary.title, style="dim")
    yield Text(summary.headline, style="bold")
    yield from make_paragraphs([summary.curve])
    yield from make_paragraphs([summary.rule_summary], style="dim")


def _build_score_table(summary: TerminalSummary) -> Table:
    table = make_borderless_table("score", ">percent", ">may be", "covered", "with")
    for row in summary.scores:
        excluded = f" ({row.excluded})" if row.excluded else ""
        table.add_row(row.name, row.percent, row.bounds, row.covered, row.meaning + excluded)
    return table


def _build_method_table(summary: TerminalSummary) -> RenderableType:
    rows = summary.methods[:MOST_ROWS]
    columns: dict[str, list[Text]] = {
        "": [_colour_text(row, row.glyph) for row in rows],
        "method": [Text(row.name) for row in rows],
        "outcome": [_colour_text(row, row.word) for row in rows],
        ">detects from": [Text(row.notices) for row in rows],
        ">detected by": [Text(_format_detected_by(row)) for row in rows],
        f">{summary.slowdown} adds": [Text(row.effect) for row in rows],
        "by": [Text(row.evidence, style="dim") for row in rows],
        ">allocation shows": [Text(row.allocation) for row in rows],
    }
    method_table = NotedTable(columns, [row.note for row in rows])
    return add_omitted_count(method_table, len(summary.methods))


def _colour_text(row: MethodRow, text: str) -> Text:
    return Text(text, style=_STYLES.get(row.outcome, ""))


def _format_detected_by(row: MethodRow) -> str:
    return f"{row.detected_by} of {row.reached_by}" if row.reached_by else ""


def _build_benchmark_table(benchmarks: Sequence[BenchmarkVerdict]) -> RenderableType:
    table = make_borderless_table("benchmark", ">mean", ">spread", "")
    short_names = names.strip_shared_prefix(benchmark.id for benchmark in benchmarks)
    for benchmark in benchmarks[:MOST_ROWS]:
        table.add_row(
            Text(names.escape_line(short_names[benchmark.id])),
            number_format.format_operation_time(benchmark.mean_seconds, benchmark.unit),
            number_format.format_share(benchmark.max_spread),
            Text(
                ""
                if benchmark.ending == "measured"
                else f"{benchmark.ending} {_shorten_note(benchmark.reason)}"
            ),
        )
    return add_omitted_count(table, len(benchmarks))


def _shorten_note(text: str | None) -> str:
    return names.escape_line(shorten_text(text or ""))


def _list_accepted(document: AbsOrStability) -> list[str]:
    accepted = document.accepted if isinstance(document, Document) else ()
    return [
        names.escape_line(
            f"{miss.method}: {miss.reason} ({_describe_state(miss)}; {miss.location})"
        )
        for miss in accepted
    ]


def _describe_state(miss: AcceptedMiss) -> str:
    """Say whether an accepted miss is left out of the score that gates use."""
    if miss.expired:
        return f"until {miss.until}, so it counts again"
    if not miss.left_out:
        return "it is none"
    return f"until {miss.until}" if miss.until else "for good"


def _format_spreads(summary: TerminalSummary) -> str:
    filled = [f"{row.range}: {row.count}" for row in summary.stability if row.count]
    return "Spread over the runs, benchmarks: " + "; ".join(filled) if filled else ""


def compare_machines(
    document: AbsOrStability, other_documents: Sequence[AbsOrStability]
) -> RenderableType:
    """Return how stable a suite is on each machine."""
    view = compare_environments(document, other_documents)
    table = Table(box=None, pad_edge=False, title="\nSide by side", title_justify="left")
    table.add_column("")
    for row in view.rows if view else ():
        table.add_column(row.name)
    for environment_property in view.properties if view else ():
        table.add_row(Text(environment_property.label), *map(Text, environment_property.cells))
    return table
