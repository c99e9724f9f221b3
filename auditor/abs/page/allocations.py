"""Allocations in words: which benchmark would show that a method allocates more."""

from collections.abc import Mapping
from dataclasses import dataclass

from auditor.abs.document import Document
from auditor.abs.model import AllocationMethod, AllocationPair, Allocations
from auditor.abs.page import anchors
from auditor.abs.page.anchors import Links, PageLink
from auditor.abs.page.page_budget import ALLOCATIONS
from auditor.abs.text import words
from auditor.core.result import Verdict
from reports import names, number_format, wording

SHOWS = wording.LegendEntry("▲", "shows", "what it reports rises with one more allocation per call")
HIDDEN = wording.LegendEntry("△", "hidden", "it does not rise")
OPEN = wording.LegendEntry("◇", "open", "whether it rises could not be told")
MARKS = {Verdict.DETECTED: SHOWS, Verdict.MISSED: HIDDEN}
"""The marks in the matrix, told apart by their form; any other outcome is open."""
SILENT = (Verdict.MISSED, Verdict.UNREACHED)
"""Methods that may begin to allocate, and nobody would see it."""


@dataclass(frozen=True, slots=True)
class AllocationPairView:
    """A row: what a benchmark reports without and with the allocation."""

    method: PageLink  # name of the method
    benchmark: PageLink  # name of the benchmark
    mark: wording.LegendEntry  # the verdict
    before: str  # report of probe blocks, with its unit
    after: str  # report of allocating blocks, with its unit
    expected: str  # rise that the counted calls should cause
    reason: str  # reason for the verdict; empty: the numbers tell


@dataclass(frozen=True, slots=True)
class AllocationsView:
    """What the page shows; `silent` are methods that no benchmark covers, and why.

    `hidden` counts the pairs that only the JSON result has.
    """

    headline: str
    pairs: tuple[AllocationPairView, ...]
    hidden: int
    silent: tuple[tuple[PageLink, str], ...]
    legend: tuple[wording.LegendEntry, ...]


def mark_of(pair: AllocationPair) -> wording.LegendEntry:
    """Return the mark of a pair."""
    return MARKS.get(pair.outcome, OPEN)


def index_pairs(document: Document) -> Mapping[tuple[str, str], AllocationPair]:
    """Return the pairs by method and benchmark, but those that turned out not to call it."""
    pairs = document.allocations.pairs if document.allocations else ()
    called = (pair for pair in pairs if pair.outcome is not Verdict.UNREACHED)
    return {(pair.method, pair.benchmark): pair for pair in called}


def format_headline(allocations: Allocations) -> str:
    """Return the answer in one sentence."""
    size = number_format.format_count(allocations.bytes, "byte")
    methods = number_format.format_count(allocations.counted, "method")
    sentence_start = f"One more allocation of {size} per call would show"
    if allocations.counted == 0:
        return f"{sentence_start} in no method that could be judged."
    if allocations.undecided == allocations.counted:
        return (
            f"Whether one more allocation of {size} per call would show is open for all {methods}."
        )
    open_ = f", and perhaps in {allocations.undecided} more" if allocations.undecided else ""
    return f"{sentence_start} in {allocations.noticed} of {methods}{open_}."


def _silent_methods(allocations: Allocations) -> tuple[AllocationMethod, ...]:
    """Return the methods that could start to allocate without anyone noticing."""
    return tuple(method for method in allocations.methods if method.outcome in SILENT)


def format_allocation(method: AllocationMethod) -> str:
    """Return what a table says of a method."""
    if method.outcome is Verdict.UNREACHED:
        return ""
    if method.outcome not in (Verdict.DETECTED, Verdict.MISSED):
        return words.OUTCOMES[method.outcome].word
    return f"{len(method.noticed_by)} of {len(method.reached_by)}"


def format_terminal_lines(document: Document) -> tuple[str, ...]:
    """Return what a terminal shows below its table."""
    allocations = document.allocations
    if allocations is None:
        return ()
    quiet = [silent_method.id for silent_method in _silent_methods(allocations)]
    if not quiet:
        return (format_headline(allocations),)
    shortened = names.strip_shared_prefix(method.id for method in document.methods)
    examples = ", ".join(shortened.get(method_id, method_id) for method_id in quiet[:5])
    more = f" and {len(quiet) - 5} more" if len(quiet) > 5 else ""
    return format_headline(
        allocations
    ), f"Could start to allocate without anyone noticing: {examples}{more}"


def allocations_view(document: Document) -> AllocationsView | None:
    """Put them into words; None where nobody asked."""
    allocations = document.allocations
    if allocations is None:
        return None
    methods, benchmarks = anchors.method_links(document), anchors.benchmark_links(document)
    called = list(index_pairs(document).values())
    met = {mark_of(pair) for pair in called}
    return AllocationsView(
        headline=format_headline(allocations),
        pairs=tuple(_build_pair_view(pair, methods, benchmarks) for pair in called[:ALLOCATIONS]),
        hidden=len(called[ALLOCATIONS:]),
        silent=tuple(
            (anchors.link_of(methods, silent_method.id), words.OUTCOMES[silent_method.outcome].word)
            for silent_method in _silent_methods(allocations)
        ),
        legend=tuple(word for word in (SHOWS, HIDDEN, OPEN) if word in met),
    )


def _build_pair_view(pair: AllocationPair, methods: Links, benchmarks: Links) -> AllocationPairView:
    unit = f" {pair.unit}" if pair.unit else ""
    return AllocationPairView(
        method=anchors.link_of(methods, pair.method),
        benchmark=anchors.link_of(benchmarks, pair.benchmark),
        mark=mark_of(pair),
        before=_format_amount(pair.before) + (unit if pair.before is not None else ""),
        after=_format_amount(pair.after) + (unit if pair.after is not None else ""),
        expected=f"+{_format_amount(pair.expected)}" if pair.expected else number_format.NO_VALUE,
        reason=words.take_first_line(pair.reason or ""),
    )


def _format_amount(value: float | None) -> str:
    """Write a count so that one more allocation shows also where there are thousands."""
    if value is None:
        return number_format.NO_VALUE
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:,.3g}"


def pair_title(pair: AllocationPair) -> str:
    """Return what the mark in the matrix says to those who do not see it."""
    return f"one more allocation per call {mark_of(pair).word}"
