"""Whether runs are alike: judged, on a terminal and as a page."""

from collections.abc import Callable

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import tables
from auditor.core.provenance import Context
from auditor.core.series.stored import StoredResults
from auditor.series.question import Told
from auditor.series.stored import caveats
from auditor.similarity import page as similarity
from auditor.similarity import study
from auditor.similarity.document import SimilarityDocument, similarity_document

_STYLES = {similarity.ALIKE: "green", similarity.UNKNOWN: "yellow", similarity.UNLIKE: "red"}


def alike(found: StoredResults, context: Callable[[], Context], told: Told) -> SimilarityDocument:
    """Return whether the runs of each benchmark are alike."""
    judged = study.similarity(found, told)
    return similarity_document(judged, tuple(caveats(found)), context())


def page(document: SimilarityDocument, found: StoredResults) -> str:
    """Return the page; of several runs each has its name, of a single one each process is a run."""
    called = [run.name for run in found.runs]
    return similarity.html(document, called if len(called) > 1 else ())


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
        *tables.section(
            "To know", [f"{caveat.text} [{caveat.slug}]" for caveat in document.caveats]
        ),
    )
