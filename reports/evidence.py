"""Method by method: the pairs it was measured in, with their numbers and plots."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from auditor.core.verdict import Result
from reports import curve, figures, names, plots, words
from reports.document import Caveat, Document, Method, Pair, PairRun

LISTED = 4000
"""Pairs with numbers in the page: more would make it too large to open."""
PLOTTED = 1000
"""Pairs whose blocks are drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """One run of a pair."""

    label: str
    plot: Markup = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """A row of a method's table."""

    anchor: str
    id: str
    name: str
    kind: str
    word: words.Word
    plot: Markup = field(repr=False)
    effect: str
    interval: str
    threshold: str
    p: str
    achieved: str
    share: str
    facts: str
    reason: str
    caveats: tuple[Caveat, ...]
    runs: tuple[RunView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodView:
    """A method with its pairs; `hidden` counts those that only the JSON result has."""

    id: str
    name: str
    kind: str
    word: words.Word
    says: str
    where: str
    calls: str
    slugs: str
    least: str
    pairs: tuple[PairView, ...]
    hidden: int


def anchors(document: Document) -> dict[tuple[str, str], str]:
    """Choose the pairs that are listed, those that are hardest to believe first."""
    reached = [pair for pair in document.pairs if pair.outcome is not Result.UNREACHED]
    chosen = sorted(reached, key=_doubt)[:LISTED]
    return {(pair.method, pair.benchmark): f"p{at}" for at, pair in enumerate(chosen)}


def _doubt(pair: Pair) -> tuple[int, float]:
    order = {Result.INCONCLUSIVE: 0, Result.DETECTED: 1, Result.MISSED: 2, Result.UNMEASURED: 4}
    if pair.effect is None or not pair.threshold:
        return order.get(pair.outcome, 3), 0.0
    return order.get(pair.outcome, 3), abs(pair.effect / pair.threshold - 1)


def methods(document: Document, places: Mapping[tuple[str, str], str]) -> tuple[MethodView, ...]:
    """Return all methods with the pairs that `places` lists."""
    drawn = set(list(places)[:PLOTTED])
    short = names.shorten(method.id for method in document.methods)
    benchmarks = names.shorten(one.id for one in document.benchmarks)
    pairs: dict[str, list[Pair]] = {}
    for pair in document.pairs:
        if pair.outcome is not Result.UNREACHED:
            pairs.setdefault(pair.method, []).append(pair)
    least = curve.least(document.curve)
    views = []
    for method in document.methods:
        mine = pairs.get(method.id, [])
        rows = tuple(
            _pair(
                pair,
                benchmarks.get(pair.benchmark, pair.benchmark),
                places[pair.method, pair.benchmark],
                _runs(pair.runs) if (pair.method, pair.benchmark) in drawn else (),
            )
            for pair in mine
            if (pair.method, pair.benchmark) in places
        )
        views.append(_method(method, short[method.id], rows, mine, least.get(method.id)))
    return tuple(views)


def _method(
    method: Method,
    name: str,
    rows: tuple[PairView, ...],
    mine: Sequence[Pair],
    least: curve.PairCurve | None,
) -> MethodView:
    span = method.span
    from_pairs = any(method.reason == pair.reason for pair in mine)
    return MethodView(
        id=method.id,
        name=name,
        kind=words.kind(method),
        word=words.word(method),
        says=_counted(method) if from_pairs or not method.reason else method.reason,
        where=f"{span.file}:{span.first_line}" if span else "",
        calls=figures.count(method.calls, "call") if method.calls is not None else "",
        slugs=", ".join(caveat.slug for caveat in method.caveats),
        least=curve.told(least) if least else "",
        pairs=rows,
        hidden=len(mine) - len(rows),
    )


def _counted(method: Method) -> str:
    reached = len(method.reached_by)
    if not reached:
        return "which benchmark calls it is not known"
    by = figures.count(reached, "benchmark calls it", "benchmarks call it")
    seen = len(method.detected_by)
    if not seen:
        open_ = method.outcome is Result.INCONCLUSIVE
        return f"{by}, whether one notices is open" if open_ else f"{by}, none notices"
    return f"{by}, {seen} {'notices' if seen == 1 else 'notice'}"


def _pair(pair: Pair, name: str, anchor: str, runs: tuple[RunView, ...]) -> PairView:
    return PairView(
        anchor=anchor,
        id=pair.benchmark,
        name=name,
        kind=pair.outcome.value,
        word=words.OUTCOMES[pair.outcome],
        plot=plots.forest(pair.effect, pair.interval, pair.threshold),
        effect=figures.effect(pair.effect),
        interval=figures.span(pair.interval, scale=100),
        threshold=figures.share(pair.threshold),
        p=figures.chance(pair.p),
        achieved=figures.share(pair.achieved_slowdown),
        share=figures.share(pair.share) + (" (!)" if _too_large(pair) else ""),
        facts=_facts(pair),
        reason="" if any(one.text == pair.reason for one in pair.caveats) else pair.reason or "",
        caveats=pair.caveats,
        runs=runs,
    )


def _too_large(pair: Pair) -> bool:
    """Tell whether a part would be larger than the whole, as it is shown; dead code may be."""
    large = pair.share is not None and pair.share >= 1.005
    return large and pair.outcome is not Result.DEAD_CODE


def _facts(pair: Pair) -> str:
    known = []
    if pair.calls_per_operation is not None:
        unit = "call" if pair.calls_per_operation == 1 else "calls"
        known.append(f"{figures.number(pair.calls_per_operation)} {unit} per operation")
    if pair.method_seconds is not None:
        known.append(f"{figures.seconds(pair.method_seconds)} a call")
    if pair.wait:
        known.append(f"slowed by {pair.wait}")
    if _too_large(pair):
        known.append(f"a share of {figures.share(pair.share)}: the time of a call must be too long")
    return ", ".join(known)


def _runs(runs: Sequence[PairRun]) -> tuple[RunView, ...]:
    return tuple(
        RunView(label=_run(at, run), plot=plots.blocks(run.reference, run.slowed))
        for at, run in enumerate(runs, start=1)
    )


def _run(at: int, run: PairRun) -> str:
    said = f"Run {at}: effect {figures.effect(run.effect)}, p {figures.chance(run.p)}"
    return said + (", significant" if run.significant else ", not significant")


def gathered(document: Document) -> Iterable[tuple[Caveat, str]]:
    """Return the caveats of pairs, with the word for what has them; a method has its pairs'."""
    for pair in document.pairs:
        yield from ((caveat, "pair") for caveat in pair.caveats)
