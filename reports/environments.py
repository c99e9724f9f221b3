"""The same suite on several machines: how stable it is on each, side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from reports import anchors, figures
from reports.anchors import Link
from reports.document import Benchmark, Either

_FACTS = ("cpu", "cores", "memory")


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    """A machine, and how stable the suite is on it."""

    name: str
    machine: str
    benchmarks: str
    middle: str
    worst: str
    seconds: str


@dataclass(frozen=True, slots=True)
class BesideRow:
    """A benchmark: on each machine its spread and its mean."""

    link: Link
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class EnvironmentsView:
    """All machines, the first of which the rest of the page is about."""

    rows: tuple[EnvironmentRow, ...]
    benchmarks: tuple[BesideRow, ...]


def environments(document: Either, beside: Sequence[Either]) -> EnvironmentsView | None:
    """Return the machines side by side; None where there is only one."""
    if not beside:
        return None
    every = (document, *beside)
    links = dict(anchors.benchmarks(document))
    known = [{one.id: one for one in each.benchmarks} for each in every]
    return EnvironmentsView(
        rows=tuple(_row(at, each) for at, each in enumerate(every, start=1)),
        benchmarks=tuple(
            BesideRow(links[one.id], tuple(_cell(one.id, each) for each in known))
            for one in document.benchmarks
        ),
    )


def _row(at: int, document: Either) -> EnvironmentRow:
    spreads = [one.max_spread for one in document.benchmarks if one.max_spread is not None]
    facts = document.host_facts
    seconds = [one for one in document.stability.suite_seconds if one is not None]
    return EnvironmentRow(
        name=f"{at}: {document.host}",
        machine=", ".join(f"{key} {facts[key]}" for key in _FACTS if key in facts),
        benchmarks=f"{len(spreads)} of {len(document.benchmarks)}",
        middle=figures.share(median(spreads) if spreads else None),
        worst=figures.share(max(spreads, default=None)),
        seconds=figures.seconds(fmean(seconds) if seconds else None),
    )


def _cell(name: str, known: Mapping[str, Benchmark]) -> tuple[str, str]:
    if name not in known:
        return figures.NONE, figures.NONE
    means = [one for one in known[name].means if one is not None]
    spread = figures.share(known[name].max_spread)
    return spread, figures.seconds(fmean(means) if means else None)
