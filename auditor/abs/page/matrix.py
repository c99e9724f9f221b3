"""Methods against benchmarks: which benchmark detects which method."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from auditor.abs.document import Document
from auditor.abs.model import PairVerdict
from auditor.abs.page import allocations, anchors
from auditor.abs.page.anchors import PageLink
from auditor.abs.page.page_budget import Key
from auditor.abs.text import words
from auditor.core.result import Verdict
from reports import number_format, wording

WIDE = 40
"""With more benchmarks than this the longer list runs down the page, not across."""
MANY = 4_000
"""With more cells than this a stretch of blank ones is written as one."""
TITLED = 20_000
"""With more pairs than this only those that are described say their numbers in the matrix."""


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A pair: `kind` is for the style sheet, `anchor` where its numbers are (or empty).

    `title` says what the glyph stands for, `mark` whether an allocation shows.
    """

    kind: str
    glyph: str
    title: str
    anchor: str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class MatrixGap:
    """So many cells side by side whose benchmark does not call the method at all.

    `kind` is "na" where the method could not be slowed.
    """

    span: int
    kind: str = ""


@dataclass(frozen=True, slots=True)
class MatrixHead:
    """A method or benchmark at the edge; methods have an outcome, benchmarks have not."""

    id: str
    link: PageLink
    kind: str
    glyph: str
    word: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A row. `noticed` is what `total` is sorted by.

    `allocation_total` says in how many of its pairs an allocation shows.
    """

    head: MatrixHead
    cells: tuple[MatrixCell | MatrixGap, ...]
    total: str
    noticed: int
    allocation_total: str = ""


@dataclass(frozen=True, slots=True)
class PairMatrix:
    """The table of all pairs."""

    corner: str  # what rows and columns are
    heads: tuple[MatrixHead, ...]  # of the columns
    lines: tuple[MatrixRow, ...]  # the rows
    legend: tuple[wording.LegendEntry, ...]  # outcomes that occur, with their glyphs
    kinds: tuple[tuple[str, str], ...]  # (style, word) of each outcome that occurs
    marks: tuple[wording.LegendEntry, ...]  # legend of the allocation marks; empty: not requested
    idle: tuple[PageLink, ...]  # measured benchmarks that call none of the methods
    silent: str  # number of `idle` benchmarks, in words
    refused: bool  # whether a cell belongs to a method that cannot be slowed


_UNSLOWED = (Verdict.REFUSED, Verdict.INVALID)
Grid = Mapping[Key, MatrixCell]


def pair_matrix(document: Document, places: Mapping[Key, str]) -> PairMatrix:
    """Lay out the pairs; `places` says where in the page a pair's numbers are."""
    pairs = [pair for pair in document.pairs if words.style_of(pair) != Verdict.UNREACHED]
    grid = _build_grid(document, pairs, places)
    reaching = {pair.benchmark for pair in pairs}
    methods = _method_heads(document)
    benchmarks = _benchmark_heads(document, reaching)
    measured = [benchmark.id for benchmark in document.benchmarks if benchmark.means]
    links = anchors.benchmark_links(document)
    idle = tuple(links[benchmark_id] for benchmark_id in measured if benchmark_id not in reaching)
    silent = number_format.format_count(len(idle), "benchmark calls", "benchmarks call")
    turned = len(benchmarks) > max(WIDE, len(methods))
    lay = _build_benchmark_rows if turned else _build_method_rows
    lines = tuple(lay(grid, methods, benchmarks))
    return PairMatrix(
        corner="benchmark / method" if turned else "method / benchmark",
        heads=methods if turned else benchmarks,
        lines=lines,
        legend=_build_legend(pairs),
        kinds=tuple({words.style_of(pair): words.word_of(pair).word for pair in pairs}.items()),
        marks=_list_marks(document),
        idle=idle,
        silent=f"{silent} none of these methods",
        refused=any(
            isinstance(cell, MatrixGap) and cell.kind for line in lines for cell in line.cells
        ),
    )


def _build_grid(
    document: Document, pairs: Sequence[PairVerdict], places: Mapping[Key, str]
) -> Grid:
    allocated = allocations.index_pairs(document)
    cells = {}
    for pair in pairs:
        key = (pair.method, pair.benchmark)
        more = allocated.get(key)
        title = _format_title(pair) if key in places or len(pairs) <= TITLED else ""
        cells[key] = MatrixCell(
            words.style_of(pair),
            words.word_of(pair).glyph,
            f"{title}; {allocations.pair_title(more)}" if more else title,
            places.get(key, ""),
            allocations.mark_of(more).glyph if more else "",
        )
    return cells


def _format_title(pair: PairVerdict) -> str:
    text = words.word_of(pair).word
    if pair.effect is not None:
        threshold_text = number_format.format_share(pair.threshold)
        text += f", effect {number_format.format_effect(pair.effect)}, needed {threshold_text}"
        text += ", decided by share" if pair.decided_by == "share" else ""
    return text


def _method_heads(document: Document) -> tuple[MatrixHead, ...]:
    links = anchors.method_links(document)
    heads = []
    for method in document.methods:
        word = words.word_of(method)
        heads.append(
            MatrixHead(method.id, links[method.id], words.style_of(method), word.glyph, word.word)
        )
    return tuple(heads)


def _benchmark_heads(document: Document, reaching: set[str]) -> tuple[MatrixHead, ...]:
    links = anchors.benchmark_links(document)
    benchmark_ids = [benchmark.id for benchmark in document.benchmarks if benchmark.id in reaching]
    return tuple(
        MatrixHead(benchmark_id, links[benchmark_id], "", "", "") for benchmark_id in benchmark_ids
    )


def _build_method_rows(
    grid: Grid, methods: Sequence[MatrixHead], benchmarks: Sequence[MatrixHead]
) -> Iterable[MatrixRow]:
    """Yield a row for each method."""
    is_small = len(methods) * len(benchmarks) <= MANY
    for method in methods:
        kind = "na" if method.kind in _UNSLOWED else ""
        cells = (grid.get((method.id, head.id)) or MatrixGap(1, kind) for head in benchmarks)
        yield _build_row(method, cells, separates_gaps=is_small)


def _build_benchmark_rows(
    grid: Grid, methods: Sequence[MatrixHead], benchmarks: Sequence[MatrixHead]
) -> Iterable[MatrixRow]:
    """Yield a row for each benchmark; in a large table the head alone says what was refused."""
    is_small = len(methods) * len(benchmarks) <= MANY
    kinds = ["na" if is_small and method.kind in _UNSLOWED else "" for method in methods]
    for head in benchmarks:
        cells = (
            grid.get((method.id, head.id)) or MatrixGap(1, kind)
            for method, kind in zip(methods, kinds, strict=True)
        )
        yield _build_row(head, cells, separates_gaps=is_small)


def _build_row(
    head: MatrixHead, entries: Iterable[MatrixCell | MatrixGap], *, separates_gaps: bool
) -> MatrixRow:
    cells: list[MatrixCell | MatrixGap] = []
    for gap in entries:
        last = cells[-1] if cells else None
        if (
            separates_gaps
            or isinstance(gap, MatrixCell)
            or not isinstance(last, MatrixGap)
            or last.kind != gap.kind
        ):
            cells.append(gap)
        else:
            cells[-1] = MatrixGap(last.span + 1, last.kind)
    matrix_cells = [cell for cell in cells if isinstance(cell, MatrixCell)]
    pairs = [cell for cell in matrix_cells if cell.glyph != wording.SET_UP_ONLY.glyph]
    noticed = sum(cell.kind == Verdict.DETECTED.value for cell in pairs)
    total = f"{noticed} of {len(pairs)}" if pairs else number_format.NO_VALUE
    return MatrixRow(
        head, tuple(cells), total, noticed if pairs else -1, _format_allocation_total(matrix_cells)
    )


def _format_allocation_total(cells: Iterable[MatrixCell]) -> str:
    marks = [cell.mark for cell in cells if cell.mark]
    return (
        f"{marks.count(allocations.SHOWS.glyph)} of {len(marks)}"
        if marks
        else number_format.NO_VALUE
    )


def _list_marks(document: Document) -> tuple[wording.LegendEntry, ...]:
    view = allocations.allocations_view(document)
    return view.legend if view else ()


def _build_legend(pairs: Iterable[PairVerdict]) -> tuple[wording.LegendEntry, ...]:
    met = {words.word_of(pair) for pair in pairs}
    return tuple(word for word in words.LEGEND if word in met)
