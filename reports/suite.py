"""The suite as the page shows it: how stable it is, and which benchmarks are redundant."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from markupsafe import Markup

from reports import figures, names, plots, table, words
from reports.document import Benchmark, Caveat, Document, Either

_LEAST_LIMIT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadView:
    """A benchmark's row in the table of spreads; `lines` is all that `problem` is the start of."""

    id: str
    name: str
    spread: str
    range: str
    shaky: bool
    plot: Markup = field(repr=False)
    mean: str
    seconds: str
    runs: str
    visible: str
    problem: str
    lines: str
    caveats: tuple[Caveat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityView:
    """The section on stability; `limit` is what the ends of the strips stand for.

    `visible` tells whether it is known what can be seen in each benchmark.
    """

    says: str
    plot: Markup = field(repr=False)
    buckets: tuple[table.StabilityRow, ...]
    incomplete: int
    visible: bool
    limit: str
    benchmarks: tuple[SpreadView, ...]
    durations: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchView:
    """A benchmark's row in the table of redundancy; names are (short, full)."""

    id: str
    name: str
    kept: bool
    unique: tuple[tuple[str, str], ...]
    shared: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DensityRow:
    """How many methods, and which share of the counted ones, so many benchmarks detect."""

    benchmarks: str
    methods: str
    share: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RedundancyView:
    """The section on redundancy; `none` are benchmarks that detect nothing, (short, full).

    `silent` says how many those are.
    """

    says: str
    density: tuple[DensityRow, ...]
    watching: tuple[WatchView, ...]
    none: tuple[tuple[str, str], ...]
    silent: str


def stability(document: Either) -> StabilityView:
    """Return the section on stability, least stable benchmarks first."""
    known = [one.max_spread for one in document.benchmarks if one.max_spread is not None]
    limit = _limit(document.benchmarks)
    short = names.shorten(one.id for one in document.benchmarks)
    ordered = sorted(document.benchmarks, key=_instability)
    return StabilityView(
        says=words.suite(document),
        plot=plots.spreads(known),
        buckets=table.stability_rows(document.stability),
        incomplete=len(document.benchmarks) - len(known),
        visible=any(one.visible is not None for one in document.benchmarks),
        limit=figures.share(limit),
        benchmarks=tuple(_spread(one, short[one.id], limit) for one in ordered),
        durations=tuple(figures.seconds(each) for each in document.stability.suite_seconds),
    )


def _instability(one: Benchmark) -> tuple[bool, float]:
    return one.max_spread is None, -(one.max_spread or 0.0)


def _limit(benchmarks: Iterable[Benchmark]) -> float:
    """Return the half width of the strips: nine of ten fit, the others end at the edge."""
    spreads = sorted(one.max_spread for one in benchmarks if one.max_spread is not None)
    return max(_LEAST_LIMIT, spreads[int(0.9 * len(spreads))]) if spreads else _LEAST_LIMIT


def _spread(one: Benchmark, name: str, limit: float) -> SpreadView:
    known = [mean for mean in one.means if mean is not None]
    failed = one.ending.replace("-", " ") if one.ending != "measured" else ""
    reason = one.reason or ""
    short = words.brief(reason)
    return SpreadView(
        id=one.id,
        name=name,
        spread=figures.share(one.max_spread),
        range=words.BUCKETS[one.bucket] if one.bucket else "incomplete",
        shaky=one.bucket in words.SHAKY,
        plot=plots.strip(one.means, limit),
        mean=figures.seconds(sum(known) / len(known) if known else None),
        seconds=figures.seconds(one.seconds),
        runs=str(one.runs),
        visible=figures.times(1 + one.visible) if one.visible is not None else "",
        problem=": ".join(filter(None, (failed, short))),
        lines=reason if reason != short else "",
        caveats=one.caveats,
    )


def redundancy(document: Document) -> RedundancyView:
    """Return the section on redundancy: the cover first, in the order it was chosen."""
    short = names.shorten(one.id for one in document.benchmarks)
    methods = names.shorten(method.id for method in document.methods)
    order = {kept: at for at, kept in enumerate(document.minimal_cover)}
    watching = [one for one in document.benchmarks if one.unique or one.shared]
    none = [one for one in document.benchmarks if not one.unique and not one.shared]
    silent = figures.count(len(none), "benchmark detects", "benchmarks detect")
    watching.sort(key=lambda one: (order.get(one.id, len(order)), -len(one.unique)))
    return RedundancyView(
        says=words.cover(document),
        density=_density(document),
        watching=tuple(
            WatchView(
                id=one.id,
                name=short[one.id],
                kept=one.id in order,
                unique=tuple((methods.get(each, each), each) for each in one.unique),
                shared=tuple((methods.get(each, each), each) for each in one.shared),
            )
            for one in watching
        ),
        none=tuple((short[one.id], one.id) for one in none),
        silent=f"{silent} none of these methods",
    )


def _density(document: Document) -> tuple[DensityRow, ...]:
    return tuple(
        DensityRow(
            benchmarks=figures.count(one.benchmarks, "benchmark")
            if one.benchmarks
            else "no benchmark",
            methods=figures.number(one.methods),
            share=figures.percent(one.percent),
        )
        for one in document.density
    )
