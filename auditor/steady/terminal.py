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


def build_table(document: SteadyDocument) -> RenderableType:
    """Return what a terminal shows."""
    view = page.build_view(document)
    result_table = tables.make_borderless_table(
        "", "benchmark", "", ">processes", ">steady from", "warm-up", "set", ">in each run"
    )
    for row in view.rows[: tables.MOST_ROWS]:
        style = _STYLES[row.label]
        result_table.add_row(
            Text(row.word.glyph, style=style), Text(row.name), Text(row.word.word, style=style),
            row.steady, row.start, Text(row.warm_up),
            Text(row.setting or tables.shorten_text(row.note), style="dim"), row.saves,
        )  # fmt: skip
    return Group(
        Text(view.subject, style="dim"),
        Text(view.headline, style="bold"),
        Text(view.counts, style="dim"),
        "",
        tables.add_omitted_count(result_table, len(view.rows)),
        *tables.build_caveat_section(document.caveats),
    )
