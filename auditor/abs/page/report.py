"""The page of a result of `abs` or `stability`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from auditor.abs import model
from auditor.abs.document import AbsOrStability, Document
from auditor.abs.model import Score
from auditor.abs.page import allocations, anchors, evidence, suite, table
from auditor.abs.page.anchors import PageLink
from auditor.abs.page.environments import EnvironmentsView, compare_environments
from auditor.abs.page.matrix import PairMatrix, pair_matrix
from auditor.abs.page.page_budget import choose_listed_pairs
from auditor.abs.text import advice, detection_curve, words
from auditor.core.caveats import Caveat
from reports import number_format, plots
from reports.html import CaveatView, ClosingSection, Facts, GateView, build_closing, render_template
from reports.wording import LegendEntry


@dataclass(frozen=True, slots=True)
class ScoreView:
    """A score with its bar, and the benchmarks that it leaves out."""

    row: table.ScoreRow
    plot: Markup = field(repr=False)
    excluded: tuple[PageLink, ...]


@dataclass(frozen=True, slots=True)
class PointView:
    """In how many methods a slowdown is detected."""

    size: str
    covered: str
    share: str


@dataclass(frozen=True, slots=True)
class SmallestSlowdownView:
    """The least slowdown of a method that was seen to be detected, and by which benchmark."""

    method: PageLink
    benchmark: PageLink
    size: str
    sentence: str
    order: str


@dataclass(frozen=True, slots=True)
class CurveView:
    """How small a slowdown is detected still, in how many pairs that was tried, and by method."""

    says: str
    plot: Markup = field(repr=False)
    points: tuple[PointView, ...]
    tried: str
    least: tuple[SmallestSlowdownView, ...]


@dataclass(frozen=True, slots=True)
class TargetView:
    """What an advice is about, and why."""

    link: PageLink
    note: str


@dataclass(frozen=True, slots=True)
class StepView:
    """One thing to do."""

    slug: str
    title: str
    reason: str
    gain: str
    targets: tuple[TargetView, ...]


@dataclass(frozen=True, slots=True)
class PartView:
    """How many methods came out in one way."""

    kind: str
    word: LegendEntry
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsView:
    """What only an ABS audit has."""

    rule_summary: str  # how a detection is decided
    scores: tuple[ScoreView, ...]  # the scores that exist
    parts: tuple[PartView, ...]  # number of methods by outcome
    parts_plot: Markup = field(repr=False)  # drawing of `parts`
    kinds: Facts  # (style, word) of each outcome that occurs
    rules: Facts  # (rule, number of methods that it covers)
    controls: str  # result of the A/A control; empty: not requested
    curve: CurveView | None  # smallest detected slowdowns; None: not requested
    matrix: PairMatrix  # all pairs
    axis: Markup = field(repr=False)  # axis of the drawn effects
    scale: Markup = field(repr=False)  # axis of the drawn scores
    rows: tuple[tuple[PageLink, table.MethodRow], ...]  # methods as on a terminal
    adds: str  # head of the column of effects
    methods: tuple[evidence.MethodView, ...]  # methods with their pairs
    redundancy: suite.RedundancyView  # benchmarks that may be dropped
    allocations: allocations.AllocationsView | None  # detection of allocations; None: not requested


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsPage:
    """Everything the template shows, in words."""

    subject: str  # name of the audited code
    headline: str  # the answer in one sentence
    abs: AbsView | None  # sections on methods; None: a stability audit
    steps: tuple[StepView, ...]  # what to do about the result
    stability: suite.StabilityView  # section on the spreads
    environments: EnvironmentsView | None  # comparison of machines; None: there is one machine
    closing: ClosingSection  # caveats and circumstances


def render_page(
    document: AbsOrStability,
    on_other_hosts: Sequence[AbsOrStability] = (),
    gate: GateView | None = None,
) -> str:
    """Render a document; the same document gives the same bytes.

    `on_other_hosts` are results of the same suite on other machines, `gate` is what the gates said.
    """
    return render_template("page.html.j2", page=abs_page(document, on_other_hosts), gate=gate)


def abs_page(document: AbsOrStability, on_other_hosts: Sequence[AbsOrStability] = ()) -> AbsPage:
    """Put a document into words."""
    return AbsPage(
        subject=words.subject_name(document),
        headline=words.headline_without_machine(document),
        abs=_build_abs_view(document) if isinstance(document, Document) else None,
        steps=_build_step_views(document),
        stability=suite.stability_view(document),
        environments=compare_environments(document, on_other_hosts),
        closing=build_closing(document, _build_caveat_views(document)),
    )


def _build_abs_view(document: Document) -> AbsView:
    listed_pairs, links = choose_listed_pairs(document), anchors.method_links(document)
    counts = Counter((words.style_of(method), words.word_of(method)) for method in document.methods)
    met = sorted(counts.items(), key=lambda part: words.LEGEND.index(part[0][1]))
    parts = tuple(PartView(kind, word, count) for (kind, word), count in met)
    return AbsView(
        rule_summary=words.describe_rule(document),
        scores=_score_views(document),
        parts=parts,
        parts_plot=plots.draw_part_bar([(part.kind, part.count) for part in parts]),
        kinds=tuple((part.kind, part.word.word) for part in parts),
        rules=tuple((rule.name, str(rule.covered)) for rule in document.rules),
        controls=words.format_controls(document.controls),
        curve=_curve_view(document),
        matrix=pair_matrix(document, listed_pairs.places),
        axis=plots.draw_forest_axis("threshold"),
        scale=plots.draw_forest_scale(),
        rows=tuple((links[row.id], row) for row in table.method_rows(document)),
        adds=f"{number_format.format_share(document.slowdown)} adds",
        methods=evidence.method_views(document, listed_pairs),
        redundancy=suite.redundancy_view(document),
        allocations=allocations.allocations_view(document),
    )


def _build_step_views(document: AbsOrStability) -> tuple[StepView, ...]:
    links = dict(anchors.benchmark_links(document))
    if isinstance(document, Document):
        links |= anchors.method_links(document)
    return tuple(
        StepView(
            step.slug,
            step.title,
            step.reason,
            step.gain,
            tuple(
                TargetView(anchors.link_of(links, target.id), target.note)
                for target in step.targets
            ),
        )
        for step in advice.list_advice(document)
    )


def _build_caveat_views(document: AbsOrStability) -> tuple[CaveatView, ...]:
    audit_caveats = dict.fromkeys((*document.caveats, *document.stability.caveats))
    views = [CaveatView(caveat.slug, caveat.text, "") for caveat in audit_caveats]
    groups: dict[tuple[str, str], list[str]] = {}
    for caveat, owner in _list_local_caveats(document):
        groups.setdefault((caveat.slug, owner), []).append(caveat.text)
    for (slug, owner), texts in groups.items():
        example = texts[0] if len(set(texts)) == 1 else f"{texts[0]}, for example"
        views.append(CaveatView(slug, example, number_format.format_count(len(texts), owner)))
    return tuple(views)


def _list_local_caveats(document: AbsOrStability) -> Iterable[tuple[Caveat, str]]:
    if isinstance(document, Document):
        yield from evidence.pair_caveats(document)
    for benchmark in document.benchmarks:
        yield from ((caveat, "benchmark") for caveat in benchmark.caveats)


def _score_views(document: Document) -> tuple[ScoreView, ...]:
    """Return the scores that there are."""
    rows = table.score_rows(document)
    scores = [score for _, score in table.list_named_scores(document)]
    links = anchors.benchmark_links(document)
    return tuple(
        ScoreView(
            row,
            _draw_bar(score),
            tuple(
                anchors.link_of(links, excluded_benchmark)
                for excluded_benchmark in score.excluded_benchmarks
            ),
        )
        for row, score in zip(rows, scores, strict=True)
    )


def _draw_bar(score: Score) -> Markup:
    if score.percent is None:
        return plots.EMPTY_PLOT
    low, high = score.bounds or (score.percent, score.percent)
    return plots.draw_score_bar(low, high)


def _curve_view(document: Document) -> CurveView | None:
    """Return the curve of the suite; None where none was measured, or nothing can be said yet."""
    curve = document.curve
    says = detection_curve.format_suite_curve(curve, words.count_undecided(document.scores.total))
    if curve is None or not says:
        return None
    counted = [point for point in curve.points if point.counted]
    methods, benchmarks = anchors.method_links(document), anchors.benchmark_links(document)
    least = detection_curve.most_sensitive_pairs(curve).values()
    return CurveView(
        says=says,
        plot=plots.draw_staircase(
            [
                (
                    number_format.format_factor(1 + point.slowdown),
                    100 * point.covered / point.counted,
                )
                for point in counted
            ]
        ),
        points=tuple(
            PointView(
                number_format.format_factor(1 + point.slowdown),
                f"{point.covered} of {point.counted}",
                number_format.format_percent(100 * point.covered / point.counted),
            )
            for point in counted
        ),
        tried=number_format.format_count(len(curve.pairs), "pair"),
        least=tuple(
            SmallestSlowdownView(
                method=anchors.link_of(methods, pair_curve.method),
                benchmark=anchors.link_of(benchmarks, pair_curve.benchmark),
                size=detection_curve.format_limit(pair_curve),
                sentence=detection_curve.format_pair_curve(pair_curve),
                order="" if pair_curve.slowdown is None else f"{pair_curve.slowdown:g}",
            )
            for pair_curve in sorted(least, key=_make_sort_key)
        ),
    )


def _make_sort_key(pair: model.PairCurve) -> tuple[float, str]:
    return float("inf") if pair.slowdown is None else pair.slowdown, pair.method
