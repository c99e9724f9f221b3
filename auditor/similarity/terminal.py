"""The result of `similarity` on a terminal."""

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import tables
from auditor.similarity import page
from auditor.similarity.document import SimilarityDocument

_STYLES = {page.SIMILAR: "green", page.UNKNOWN: "yellow", page.DISSIMILAR: "red"}


def build_table(document: SimilarityDocument) -> RenderableType:
    """Return what a terminal shows."""
    view = page.build_view(document)
    result_table = tables.make_borderless_table(
        "", "benchmark", "", ">runs", ">M1", ">M2", ">M3", ">M4", ">M5", "run apart", ""
    )
    for row in view.rows[: tables.MOST_ROWS]:
        style = _STYLES[row.kind]
        result_table.add_row(
            Text(row.word.glyph, style=style), Text(row.name), Text(row.word.word, style=style),
            row.runs, *row.measures, row.outlier_text,
            Text(tables.shorten_text(row.note), style="dim"),
        )  # fmt: skip
    return Group(
        Text(view.subject, style="dim"),
        Text(view.headline, style="bold"),
        "",
        tables.add_omitted_count(result_table, len(view.rows)),
        *tables.build_caveat_section(document.caveats),
    )
