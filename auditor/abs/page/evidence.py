"""Method by method: the pairs it was measured in, with their numbers and plots."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

from markupsafe import Markup

from auditor.abs import model
from auditor.abs.document import Document
from auditor.abs.model import MethodVerdict, PairRun, PairVerdict
from auditor.abs.page import anchors, table
from auditor.abs.page.anchors import PageLink
from auditor.abs.page.page_budget import Key, ListedPairs
from auditor.abs.text import detection_curve, words
from auditor.abs.text.claims import OPEN
from auditor.core.caveats import Caveat
from auditor.core.result import Verdict
from reports import number_format, plots, wording


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """A row of a method's table of pairs."""

    anchor: str  # place in the page that links lead to
    benchmark: PageLink  # name of the benchmark
    kind: str  # outcome, as a style
    word: wording.LegendEntry  # outcome, in words
    plot: Markup = field(repr=False)  # effect, its interval and the threshold
    effect: str  # relative effect of the run that decides
    interval: str  # of `effect`, in percent; empty: none
    threshold: str  # effect that has to be exceeded
    p: str  # p-value of the run that decides
    achieved: str  # measured slowdown of the method
    share: str  # part of the operation that the method takes
    evidence: str  # what the verdict rests on; empty: on neither samples nor a delay
    facts: str  # calls, times and samples behind the verdict
    reason: str  # of the verdict; empty: a caveat or the numbers tell
    tried: str  # outcomes at other slowdowns; empty: none was tried
    caveats: tuple[Caveat, ...]  # of the pair
    runs: tuple[str, ...]  # numbers of each run; empty: not drawn
    blocks: Markup = field(repr=False)  # drawing of the blocks of all runs


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodView:
    """A method with its pairs."""

    link: PageLink  # name of the method, and the place of this section
    id: str  # the method's id
    kind: str  # outcome, as a style
    word: wording.LegendEntry  # outcome, in words
    order: int  # place of the outcome in the legend, to sort by
    says: str  # reason for the outcome, or how many benchmarks call and detect it
    location: str  # FILE:LINE; empty: unknown
    calls: str  # usage count; empty: not counted
    called: str  # usage count to sort by; empty: not counted
    slugs: str  # slugs of its caveats
    least: str  # smallest slowdown that is detected; empty: no curve was measured
    from_: str  # smallest slowdown that is detected, to sort by; empty: none
    pairs: tuple[PairView, ...]  # those that the page lists
    hidden: int  # number of pairs that only the JSON result has


def method_views(document: Document, listed_pairs: ListedPairs) -> tuple[MethodView, ...]:
    """Return all methods with the pairs that are listed."""
    links = anchors.method_links(document)
    benchmarks = anchors.benchmark_links(document)
    curves_by_pair = {(curve.method, curve.benchmark): curve for curve in _list_curves(document)}
    pairs: dict[str, list[PairVerdict]] = {}
    for pair in document.pairs:
        if pair.outcome is not Verdict.UNREACHED:
            pairs.setdefault(pair.method, []).append(pair)
    least = detection_curve.most_sensitive_pairs(document.curve)
    views = []
    for method in document.methods:
        verdicts = pairs.get(method.id, [])
        rows = tuple(
            _build_pair_view(
                pair, anchors.link_of(benchmarks, pair.benchmark), listed_pairs, curves_by_pair
            )
            for pair in verdicts
            if (pair.method, pair.benchmark) in listed_pairs.places
        )
        views.append(
            _build_method_view(method, links[method.id], rows, verdicts, least.get(method.id))
        )
    return tuple(views)


def _list_curves(document: Document) -> Iterable[model.PairCurve]:
    return document.curve.pairs if document.curve else ()


def _build_method_view(
    method: MethodVerdict,
    link: PageLink,
    rows: tuple[PairView, ...],
    pairs: Sequence[PairVerdict],
    least: model.PairCurve | None,
) -> MethodView:
    span = method.span
    from_pairs = any(method.reason == pair.reason for pair in pairs)
    least_slowdown = least.slowdown if least else None
    return MethodView(
        link=link,
        id=method.id,
        kind=words.style_of(method),
        word=words.word_of(method),
        order=words.LEGEND.index(words.word_of(method)),
        says=_describe_detection(method) if from_pairs or not method.reason else method.reason,
        location=f"{span.file}:{span.first_line}" if span else "",
        calls=number_format.format_count(method.calls, "call") if method.calls is not None else "",
        called="" if method.calls is None else str(method.calls),
        slugs=", ".join(caveat.slug for caveat in method.caveats),
        least=detection_curve.format_pair_curve(least) if least else "",
        from_="" if least_slowdown is None else f"{least_slowdown:g}",
        pairs=rows,
        hidden=len(pairs) - len(rows),
    )


def _describe_detection(method: MethodVerdict) -> str:
    reached = len(method.reached_by)
    if not reached:
        return "which benchmark calls it is not known"
    callers = number_format.format_count(
        reached, "benchmark that calls it", "benchmarks that call it"
    )
    if method.outcome is Verdict.DETECTED:
        return f"by {len(method.detected_by)} of {callers}"
    if method.outcome is Verdict.MISSED:
        return f"detected by {len(method.detected_by)} of {callers}"
    calling = number_format.format_count(reached, "benchmark calls it", "benchmarks call it")
    return f"{calling}, whether one detects it is open" if method.outcome in OPEN else calling


def _build_pair_view(
    pair: PairVerdict,
    benchmark: PageLink,
    listed_pairs: ListedPairs,
    tried: Mapping[Key, model.PairCurve],
) -> PairView:
    key = (pair.method, pair.benchmark)
    runs = pair.runs if key in listed_pairs.plotted else ()
    return PairView(
        anchor=listed_pairs.places[key],
        benchmark=benchmark,
        kind=pair.outcome.value,
        word=words.OUTCOMES[pair.outcome],
        plot=plots.draw_forest(pair.effect, pair.interval, pair.threshold),
        effect=number_format.format_effect(pair.effect),
        interval=number_format.format_range(pair.interval, scale=100),
        threshold=number_format.format_share(pair.threshold),
        p=number_format.format_p_value(pair.p),
        achieved=number_format.format_share(pair.achieved_slowdown),
        share=_format_share(pair),
        evidence=table.EVIDENCE[pair.decided_by],
        facts=_format_facts(pair),
        reason=""
        if any(caveat.text == pair.reason for caveat in pair.caveats)
        else pair.reason or "",
        tried=_describe_steps(tried[key]) if key in tried else "",
        caveats=pair.caveats,
        runs=tuple(_describe_run(number, run) for number, run in enumerate(runs, start=1)),
        blocks=plots.draw_arms([(run.reference, run.slowed) for run in runs]),
    )


def _describe_steps(pair: model.PairCurve) -> str:
    """Say what came of each slowdown that was tried."""
    return ", ".join(
        f"{number_format.format_factor(1 + step.slowdown)} {words.OUTCOMES[step.outcome].word}"
        for step in pair.steps
    )


def _format_share(pair: PairVerdict) -> str:
    if pair.share is None and pair.share_at_most is not None and pair.share_at_most < 1:
        return f"at most {number_format.format_share(ceil(100 * pair.share_at_most) / 100)}"
    if pair.share_interval is not None:
        interval = number_format.format_range(pair.share_interval, scale=100)
        return f"{number_format.format_share(pair.share)} ({interval})"
    return number_format.format_share(pair.share) + (" (!)" if _too_large(pair) else "")


def _too_large(pair: PairVerdict) -> bool:
    """Tell whether a part would be larger than the whole, as it is shown; dead code may be."""
    large = pair.share is not None and pair.share >= 1.005
    return large and pair.outcome is not Verdict.DEAD_CODE


def _format_facts(pair: PairVerdict) -> str:
    facts = []
    if pair.calls_per_operation is not None:
        unit = "call" if pair.calls_per_operation == 1 else "calls"
        facts.append(
            f"{number_format.format_number(pair.calls_per_operation)} {unit} per operation"
        )
    if pair.method_seconds is not None:
        facts.append(f"{number_format.format_seconds(pair.method_seconds)} a call")
    if pair.samples is not None:
        facts.append(f"share by {pair.samples} CPU samples")
    if pair.wait:
        facts.append(f"slowed by {pair.wait}")
    if _too_large(pair):
        facts.append(
            f"a share of {number_format.format_share(pair.share)}: the time of a call must be "
            "too long"
        )
    return ", ".join(facts)


def _describe_run(number: int, run: PairRun) -> str:
    text = (
        f"Run {number}: effect {number_format.format_effect(run.effect)}, p "
        f"{number_format.format_p_value(run.p)}"
    )
    text += ", significant" if run.significant else ", not significant"
    return f"{text} (trial {run.trials[0][:12]})" if len(run.trials) == 1 else text


def pair_caveats(document: Document) -> Iterable[tuple[Caveat, str]]:
    """Return the caveats of pairs, with the word for what has them; a method has its pairs'."""
    for pair in document.pairs:
        yield from ((caveat, "pair") for caveat in pair.caveats)
