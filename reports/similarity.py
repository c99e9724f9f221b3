"""Whether runs are alike, in words: a headline, and a row for each benchmark."""

from dataclasses import dataclass

from reports import figures, names
from reports.similarity_document import Benchmark, SimilarityDocument
from reports.words import Word

UNLIKE, UNKNOWN, ALIKE = "unlike", "unknown", "alike"
KINDS = {
    UNLIKE: Word("✗", "dissimilar", "three of the five mean measures are above .25"),
    UNKNOWN: Word("?", "cannot tell", "there are too few runs, or too few values"),
    ALIKE: Word("●", "similar", "the runs may be compared"),
}
"""In the order in which they are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A benchmark: whether its runs are alike, the mean measures, and which run to repeat."""

    name: str
    kind: str
    word: Word
    runs: str
    measures: tuple[str, ...]
    apart: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """All that is shown of a result."""

    subject: str
    headline: str
    rows: tuple[Row, ...]


def view(document: SimilarityDocument) -> View:
    """Put a result into words."""
    short = names.labels(one.id for one in document.benchmarks)
    order = list(KINDS)
    rows = [_row(one, short[one.id]) for one in document.benchmarks]
    return View(
        subject=names.label(document.subject),
        headline=headline(document),
        rows=tuple(sorted(rows, key=lambda row: order.index(row.kind))),
    )


def headline(document: SimilarityDocument) -> str:
    """Say in one line how many benchmarks have runs that are alike."""
    kinds = [kind(one) for one in document.benchmarks]
    unlike = kinds.count(UNLIKE)
    apart = sum(bool(one.apart) for one in document.benchmarks)
    said = f"The runs of {unlike} of {figures.count(len(kinds), 'benchmark')} are dissimilar"
    if kinds.count(UNKNOWN):
        said += f", of {kinds.count(UNKNOWN)} nobody can tell"
    return f"{said}; in {apart} a run stands apart" if apart else said


def kind(one: Benchmark) -> str:
    """Return which of KINDS a benchmark is."""
    if one.dissimilar is None:
        return UNKNOWN
    return UNLIKE if one.dissimilar else ALIKE


def _row(one: Benchmark, name: str) -> Row:
    own = kind(one)
    return Row(
        name=name,
        kind=own,
        word=KINDS[own],
        runs=str(one.runs),
        measures=tuple(f"{value:.2f}" for value in one.means or ()) or ("",) * 5,
        apart=", ".join(str(run + 1) for run in one.apart),
        note=names.line(one.caveats[0].text) if one.caveats else "",
    )
