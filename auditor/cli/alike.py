"""Whether runs are alike, on a terminal."""

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import tables
from reports import similarity
from reports.similarity_document import SimilarityDocument

_STYLES = {similarity.ALIKE: "green", similarity.UNKNOWN: "yellow", similarity.UNLIKE: "red"}


def table(document: SimilarityDocument) -> RenderableType:
    """Return what a terminal shows."""
    shown = similarity.view(document)
    made = tables.lineless(
        "", "benchmark", "", ">runs", ">M1", ">M2", ">M3", ">M4", ">M5", "run apart", ""
    )
    for row in shown.rows[: tables.MOST_ROWS]:
        style = _STYLES[row.kind]
        made.add_row(
            Text(row.word.glyph, style=style), Text(row.name), Text(row.word.word, style=style),
            row.runs, *row.measures, row.apart, Text(tables.short(row.note), style="dim"),
        )  # fmt: skip
    return Group(
        Text(shown.subject, style="dim"),
        Text(shown.headline, style="bold"),
        "",
        tables.and_more(made, len(shown.rows)),
    )
