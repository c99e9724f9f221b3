"""The head of the page: the scores, and how small a slowdown is detected still."""

from dataclasses import dataclass, field

from markupsafe import Markup

from auditor.abs import model
from auditor.abs.document import Document
from auditor.abs.model import Score
from auditor.abs.page import anchors, table
from auditor.abs.page.anchors import PageLink
from auditor.abs.text import detection_curve, words
from reports import number_format, plots


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


def score_views(document: Document) -> tuple[ScoreView, ...]:
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


def curve_view(document: Document) -> CurveView | None:
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
