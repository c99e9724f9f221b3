"""Methods against benchmarks: which benchmark notices which method."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from auditor.core.verdict import Result
from reports import allocations, figures, names, words
from reports.document import Document, Pair

WIDE = 40
"""With more benchmarks than this the longer list runs down the page, not across."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A pair: `kind` is for the style sheet, `anchor` where its numbers are (or empty).

    `mark` says whether an allocation shows.
    """

    kind: str
    glyph: str
    title: str
    anchor: str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """A method or benchmark at the edge; methods have an outcome, benchmarks have not."""

    id: str
    name: str
    kind: str
    glyph: str
    word: str


@dataclass(frozen=True, slots=True)
class Line:
    """A row: None is a pair in which the benchmark does not call the method at all.

    `shown` says in how many of its pairs an allocation shows.
    """

    head: Head
    cells: tuple[Cell | None, ...]
    total: str
    shown: str = ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The table. `idle` are measured benchmarks that call none, (short, full).

    `silent` says how many those are.
    """

    corner: str
    heads: tuple[Head, ...]
    lines: tuple[Line, ...]
    legend: tuple[words.Word, ...]
    marks: tuple[words.Word, ...]
    idle: tuple[tuple[str, str], ...]
    silent: str


_CANNOT = Cell("na", "", "this method could not be slowed", "")
_UNSLOWED = (Result.REFUSED, Result.INVALID)
Grid = Mapping[tuple[str, str], Cell]


def matrix(document: Document, anchors: Mapping[tuple[str, str], str]) -> Matrix:
    """Lay out the pairs; `anchors` says where in the page a pair's numbers are."""
    pairs = [pair for pair in document.pairs if words.kind(pair) != Result.UNREACHED]
    grid = _grid(document, pairs, anchors)
    reaching = {pair.benchmark for pair in pairs}
    methods = _method_heads(document)
    benchmarks = _benchmark_heads(document, reaching)
    measured = [one.id for one in document.benchmarks if one.means]
    short = names.shorten(one.id for one in document.benchmarks)
    idle = tuple((short[one], one) for one in measured if one not in reaching)
    silent = figures.count(len(idle), "benchmark calls", "benchmarks call")
    turned = len(benchmarks) > max(WIDE, len(methods))
    return Matrix(
        corner="benchmark / method" if turned else "method / benchmark",
        heads=methods if turned else benchmarks,
        lines=_across(grid, methods, benchmarks) if turned else _down(grid, methods, benchmarks),
        legend=_legend(pairs),
        marks=_marks(document),
        idle=idle,
        silent=f"{silent} none of these methods",
    )


def _grid(
    document: Document, pairs: Iterable[Pair], anchors: Mapping[tuple[str, str], str]
) -> Grid:
    methods = names.shorten(method.id for method in document.methods)
    benchmarks = names.shorten(one.id for one in document.benchmarks)
    allocated = allocations.by_pair(document)
    cells = {}
    for pair in pairs:
        key = (pair.method, pair.benchmark)
        title, more = _title(pair, methods, benchmarks), allocated.get(key)
        cells[key] = Cell(
            words.kind(pair),
            words.word(pair).glyph,
            f"{title}; {allocations.title(more)}" if more else title,
            anchors.get(key, ""),
            allocations.mark(more).glyph if more else "",
        )
    return cells


def _title(pair: Pair, methods: Mapping[str, str], benchmarks: Mapping[str, str]) -> str:
    method = methods.get(pair.method, pair.method)
    benchmark = benchmarks.get(pair.benchmark, pair.benchmark)
    said = words.word(pair).word
    if pair.effect is not None:
        said += f", effect {figures.effect(pair.effect)}, needed {figures.share(pair.threshold)}"
    return f"{method} in {benchmark}: {said}"


def _method_heads(document: Document) -> tuple[Head, ...]:
    short = names.shorten(method.id for method in document.methods)
    return tuple(
        Head(
            method.id,
            short[method.id],
            words.kind(method),
            words.word(method).glyph,
            words.word(method).word,
        )
        for method in document.methods
    )


def _benchmark_heads(document: Document, reaching: set[str]) -> tuple[Head, ...]:
    short = names.shorten(one.id for one in document.benchmarks)
    known = [one.id for one in document.benchmarks if one.id in reaching]
    return tuple(Head(each, short[each], "", "", "") for each in known)


def _down(grid: Grid, methods: tuple[Head, ...], across: tuple[Head, ...]) -> tuple[Line, ...]:
    lines = []
    for method in methods:
        blank = _CANNOT if method.kind in _UNSLOWED else None
        cells = tuple(grid.get((method.id, head.id), blank) for head in across)
        lines.append(Line(method, cells, _total(cells), _shown(cells)))
    return tuple(lines)


def _across(grid: Grid, methods: tuple[Head, ...], down: tuple[Head, ...]) -> tuple[Line, ...]:
    blanks = [_CANNOT if method.kind in _UNSLOWED else None for method in methods]
    lines = []
    for head in down:
        cells = tuple(
            grid.get((method.id, head.id), blank)
            for method, blank in zip(methods, blanks, strict=True)
        )
        lines.append(Line(head, cells, _total(cells), _shown(cells)))
    return tuple(lines)


def _total(cells: Iterable[Cell | None]) -> str:
    known = [cell for cell in cells if cell is not None and cell is not _CANNOT]
    pairs = [cell for cell in known if cell.glyph != words.SET_UP_ONLY.glyph]
    noticed = sum(cell.kind == Result.DETECTED.value for cell in pairs)
    return f"{noticed} of {len(pairs)}" if pairs else figures.NONE


def _shown(cells: Iterable[Cell | None]) -> str:
    marks = [cell.mark for cell in cells if cell is not None and cell.mark]
    return f"{marks.count(allocations.SHOWS.glyph)} of {len(marks)}" if marks else figures.NONE


def _marks(document: Document) -> tuple[words.Word, ...]:
    known = allocations.view(document)
    return known.legend if known else ()


def _legend(pairs: Iterable[Pair]) -> tuple[words.Word, ...]:
    met = {words.word(pair) for pair in pairs}
    return tuple(word for word in words.LEGEND if word in met)
