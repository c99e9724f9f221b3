"""A result of `abs` or `stability` on a terminal: the answer, what it rests on, what to do."""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from auditor.abs.document import AbsOrStability, Document
from auditor.abs.page.environments import environments
from auditor.abs.page.table import MethodRow, TerminalSummary, summarise
from auditor.cli.tables import (
    MOST_ROWS,
    NotedTable,
    and_more,
    lineless,
    lines,
    section,
    short,
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


def summary_lines(document: AbsOrStability) -> RenderableType:
    """Return what a terminal shows of an audit."""
    summary = summarise(document)
    parts: list[RenderableType] = [*_head(summary)]
    if summary.scores:
        parts += ["", _scores(summary)]
    if summary.methods:
        parts += ["", _methods(summary)]
        parts += ["", *lines(summary.allocations)] if summary.allocations else []
    elif document.benchmarks:
        parts += ["", _benchmarks(document.benchmarks)]
    parts += ["", Text(summary.suite), Text(_spreads(summary))]
    parts += lines([summary.controls, summary.cover, summary.rules])
    parts += section("Accepted misses", _accepted(document))
    parts += section("Next", summary.advice)
    parts += section("To know", [f"{text} [{slug}]" for slug, text in summary.caveats])
    return Group(*parts)


def _head(summary: TerminalSummary) -> Iterable[Text]:
    yield Text(summary.title, style="dim")
    yield Text(summary.headline, style="bold")
    yield from lines([summary.curve])
    yield from lines([summary.rule_summary], style="dim")


def _scores(summary: TerminalSummary) -> Table:
    table = lineless("score", ">percent", ">may be", "covered", "with")
    for row in summary.scores:
        excluded = f" ({row.excluded})" if row.excluded else ""
        table.add_row(row.name, row.percent, row.bounds, row.covered, row.meaning + excluded)
    return table


def _methods(summary: TerminalSummary) -> RenderableType:
    rows = summary.methods[:MOST_ROWS]
    columns: dict[str, list[Text]] = {
        "": [_colour(row, row.glyph) for row in rows],
        "method": [Text(row.name) for row in rows],
        "outcome": [_colour(row, row.word) for row in rows],
        ">detects from": [Text(row.notices) for row in rows],
        ">detected by": [Text(_detected_by(row)) for row in rows],
        f">{summary.slowdown} adds": [Text(row.effect) for row in rows],
        "by": [Text(row.evidence, style="dim") for row in rows],
        ">allocation shows": [Text(row.allocation) for row in rows],
    }
    noted = NotedTable(columns, [row.note for row in rows])
    return and_more(noted, len(summary.methods))


def _colour(row: MethodRow, text: str) -> Text:
    return Text(text, style=_STYLES.get(row.outcome, ""))


def _detected_by(row: MethodRow) -> str:
    return f"{row.detected_by} of {row.reached_by}" if row.reached_by else ""


def _benchmarks(benchmarks: Sequence[BenchmarkVerdict]) -> RenderableType:
    table = lineless("benchmark", ">mean", ">spread", "")
    known = names.shorten(benchmark.id for benchmark in benchmarks)
    for benchmark in benchmarks[:MOST_ROWS]:
        table.add_row(
            Text(names.line(known[benchmark.id])),
            number_format.score(benchmark.mean_seconds, benchmark.unit),
            number_format.share(benchmark.max_spread),
            Text(
                ""
                if benchmark.ending == "measured"
                else f"{benchmark.ending} {_note(benchmark.reason)}"
            ),
        )
    return and_more(table, len(benchmarks))


def _note(text: str | None) -> str:
    return names.line(short(text or ""))


def _accepted(document: AbsOrStability) -> list[str]:
    accepted = document.accepted if isinstance(document, Document) else ()
    return [
        names.line(f"{miss.method}: {miss.reason} ({_state(miss)}; {miss.where})")
        for miss in accepted
    ]


def _state(miss: AcceptedMiss) -> str:
    """Say whether an accepted miss is left out of the score that gates use."""
    if miss.expired:
        return f"until {miss.until}, so it counts again"
    if not miss.left_out:
        return "it is none"
    return f"until {miss.until}" if miss.until else "for good"


def _spreads(summary: TerminalSummary) -> str:
    filled = [f"{row.range}: {row.count}" for row in summary.stability if row.count]
    return "Spread over the runs, benchmarks: " + "; ".join(filled) if filled else ""


def side_by_side(document: AbsOrStability, others: Sequence[AbsOrStability]) -> RenderableType:
    """Return how stable a suite is on each machine."""
    view = environments(document, others)
    table = Table(box=None, pad_edge=False, title="\nSide by side", title_justify="left")
    table.add_column("")
    for row in view.rows if view else ():
        table.add_column(row.name)
    for environment_property in view.said if view else ():
        table.add_row(Text(environment_property.what), *map(Text, environment_property.cells))
    return table
