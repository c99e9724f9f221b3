"""The result of `steady` on a terminal."""

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import tables
from auditor.core.series.steady import SteadyLabel
from auditor.steady import page
from auditor.steady.document import SteadyDocument

_STYLES = {
    SteadyLabel.STEADY: "green",
    SteadyLabel.INCONSISTENT: "yellow",
    SteadyLabel.UNKNOWN: "yellow",
    SteadyLabel.NOT_STEADY: "red",
}


def table(document: SteadyDocument) -> RenderableType:
    """Return what a terminal shows."""
    view = page.view(document)
    made = tables.lineless(
        "", "benchmark", "", ">processes", ">steady from", "warm-up", "set", ">in each run"
    )
    for row in view.rows[: tables.MOST_ROWS]:
        style = _STYLES[row.label]
        made.add_row(
            Text(row.word.glyph, style=style), Text(row.name), Text(row.word.word, style=style),
            row.steady, row.start, Text(row.warm_up),
            Text(row.setting or tables.short(row.note), style="dim"), row.saves,
        )  # fmt: skip
    return Group(
        Text(view.subject, style="dim"),
        Text(view.headline, style="bold"),
        Text(view.counts, style="dim"),
        "",
        tables.and_more(made, len(view.rows)),
        *tables.section(
            "To know", [f"{caveat.text} [{caveat.slug}]" for caveat in document.caveats]
        ),
    )
