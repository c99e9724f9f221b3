"""When benchmarks are warm: judged, on a terminal and as a page."""

from collections.abc import Callable

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import tables
from auditor.core.provenance import Context
from auditor.core.series.steady import SteadyLabel
from auditor.core.series.stored import StoredResults
from auditor.series.question import Told
from auditor.steady import page as steady
from auditor.steady.document import SteadyDocument, steady_document
from auditor.steady.study import steady as when_steady
from auditor.warmup.detector import Detector

_STYLES = {
    SteadyLabel.STEADY: "green",
    SteadyLabel.INCONSISTENT: "yellow",
    SteadyLabel.UNKNOWN: "yellow",
    SteadyLabel.NOT_STEADY: "red",
}


def warm(
    found: StoredResults, detector: Detector, context: Callable[[], Context], told: Told
) -> SteadyDocument:
    """Return when each process is warm; `told` hears how many benchmarks of how many are done.

    `context` tells the circumstances once it is done.
    """
    judged = when_steady(found, detector, told)
    return steady_document(judged, context())


def page(document: SteadyDocument, found: StoredResults) -> str:
    """Return the page, with the values that were read."""
    values = {
        (name, run, fork): one.whole
        for run, each in enumerate(found.runs)
        for name, processes in each.processes.items()
        for fork, one in enumerate(processes)
    }
    return steady.html(document, values)


def table(document: SteadyDocument) -> RenderableType:
    """Return what a terminal shows."""
    shown = steady.view(document)
    made = tables.lineless(
        "", "benchmark", "", ">processes", ">steady from", "warm-up", "set", ">in each run"
    )
    for row in shown.rows[: tables.MOST_ROWS]:
        style = _STYLES[row.label]
        made.add_row(
            Text(row.word.glyph, style=style), Text(row.name), Text(row.word.word, style=style),
            row.steady, row.start, Text(row.warm_up),
            Text(row.setting or tables.short(row.note), style="dim"), row.saves,
        )  # fmt: skip
    return Group(
        Text(shown.subject, style="dim"),
        Text(shown.headline, style="bold"),
        Text(shown.counts, style="dim"),
        "",
        tables.and_more(made, len(shown.rows)),
        *tables.section(
            "To know", [f"{caveat.text} [{caveat.slug}]" for caveat in document.caveats]
        ),
    )
