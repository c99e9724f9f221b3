"""Which pairs a page describes and which it draws, so that it stays small enough to be opened."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from auditor.abs.document import Document
from auditor.abs.model import PairVerdict
from auditor.abs.page import anchors
from auditor.core.result import Verdict
from reports import names

SMALL, LARGE = 940_000, 9_300_000
"""Bytes of a page with at most _FEW pairs, and of any page: a little less than is promised."""
_FEW = 2_000
_BYTES_PER_PAIR = 42
"""Bytes more for each further pair, reached or not: LARGE with 200,000 of them."""
_FRAME, _ROW, _CELL, _ALLOCATION = 60_000, 1_400, 105, 400
"""Bytes of what every page has, of a benchmark or a method, of a cell of the matrix, and of a row
of the table of allocations."""
_DESCRIBED, _RUN, _DOT = 740, 370, 10
"""Bytes of a pair's numbers, of the frame of a run's plot, and of a block in it."""
_FOR_NUMBERS = 0.7
"""The part of what is left that numbers may fill; plots get the rest."""

ALLOCATIONS = 1_000
"""Rows that the table of allocations has at most."""

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ListedPairs:
    """Fragments of the pairs that are described, by (method, benchmark), and those with a plot."""

    places: Mapping[Key, str]
    plotted: frozenset[Key]


def choose_listed_pairs(document: Document) -> ListedPairs:
    """Choose the pairs, those that are hardest to believe first."""
    reached = [pair for pair in document.pairs if pair.outcome is not Verdict.UNREACHED]
    ranked = sorted(reached, key=_rank_doubt)
    room = _estimate_room(document, len(reached))
    described, left = _take_pairs(ranked, room * _FOR_NUMBERS, _estimate_number_bytes)
    plotted_pairs, _ = _take_pairs(
        [pair for pair in described if pair.runs],
        left + room * (1 - _FOR_NUMBERS),
        _estimate_plot_bytes,
    )
    places = {_make_key(pair): anchors.pair_fragment(*_make_key(pair)) for pair in described}
    return ListedPairs(places, frozenset(_make_key(pair) for pair in plotted_pairs))


def _make_key(pair: PairVerdict) -> Key:
    return pair.method, pair.benchmark


def _rank_doubt(pair: PairVerdict) -> tuple[int, float]:
    order = {Verdict.INCONCLUSIVE: 0, Verdict.DETECTED: 1, Verdict.MISSED: 2, Verdict.UNMEASURED: 4}
    if pair.effect is None or not pair.threshold:
        return order.get(pair.outcome, 3), 0.0
    return order.get(pair.outcome, 3), abs(pair.effect / pair.threshold - 1)


def _estimate_room(document: Document, reached: int) -> float:
    """Return how many bytes are left for pairs once all else is written, by estimate."""
    rows = len(document.methods) + len(document.benchmarks)
    cells = len(document.methods) * len(document.benchmarks)
    page_bytes = min(SMALL + _BYTES_PER_PAIR * max(0, cells - _FEW), LARGE)
    allocated = len(document.allocations.pairs) if document.allocations else 0
    fixed = _FRAME + _ALLOCATION * min(allocated, ALLOCATIONS)
    return max(0.0, page_bytes - fixed - _ROW * rows - _CELL * reached)


def _take_pairs(
    pairs: Iterable[PairVerdict], room: float, cost: Callable[[PairVerdict], int]
) -> tuple[list[PairVerdict], float]:
    """Take pairs in their order as long as there is room; return them with what is left of it."""
    chosen_pairs = []
    for pair in pairs:
        needed = cost(pair)
        if needed > room:
            break
        room -= needed
        chosen_pairs.append(pair)
    return chosen_pairs, room


def _estimate_number_bytes(pair: PairVerdict) -> int:
    caveat_bytes = sum(len(caveat.slug) + len(caveat.text) + 40 for caveat in pair.caveats)
    name = min(len(pair.benchmark), names.MAX_LABEL_LENGTH)
    return _DESCRIBED + name + caveat_bytes + len(pair.reason or "")


def _estimate_plot_bytes(pair: PairVerdict) -> int:
    return sum(_RUN + _DOT * (len(run.reference) + len(run.slowed)) for run in pair.runs)
