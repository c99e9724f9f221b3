"""What a performance gate is worth: what is shown of it, and the page."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from markupsafe import Markup

from auditor.core.contracts.qualify import DemandState, SlowedSide
from auditor.qualify import text as words
from auditor.qualify.document import CheckoutPairAnswer, CheckoutPairRate, QualifyDocument
from reports import charts, names, number_format, plots
from reports.charts import Axes, ChartCurve, ChartPoint
from reports.html import (
    ClosingSection,
    Facts,
    GateView,
    build_closing,
    make_caveat_views,
    render_template,
)

PLOT_SIZE = (520, 280)
MOST_ANSWERS = 500
"""Single answers that a page lists; qualify.json has all."""
_DEMAND_STYLES = {
    DemandState.PASSED: ("detected", "✓"),
    DemandState.FAILED: ("missed", "✗"),
    DemandState.UNDECIDED: ("inconclusive", "?"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QualifyRow:
    """A kind of pair, and how often the gate fired at it."""

    pair: str
    method: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmCurveView:
    """How the alarms about a method grow with its slowdown; `description` is the same in words."""

    method: str
    description: str
    plot: Markup = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemandRow:
    """What is asked of the gate, and whether it does it."""

    kind: str
    glyph: str
    requirement: str
    answer: DemandState
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QualifyView:
    """All that is shown of a gate."""

    subject: str  # name of the audited code
    gate: str  # its command
    headline: str  # the answer in one sentence
    took: str  # time of a run of the gate; empty: none was measured
    demands: tuple[DemandRow, ...]  # what was asked of the gate, and whether it does it
    flaws: Facts  # (flaw, evidence) of each
    rows: tuple[QualifyRow, ...]  # alarms by kind of checkout pair
    curves: tuple[AlarmCurveView, ...]  # alarms by slowdown, for each slowed method
    method_descriptions: tuple[str, ...]  # each slowed method, in words
    answers: tuple[tuple[str, ...], ...]  # cells of each answer that is shown
    left_out: int  # number of answers that only the JSON result has
    closing: ClosingSection  # caveats and circumstances


def build_view(document: QualifyDocument) -> QualifyView:
    """Put a document into words."""
    gate_seconds = document.gate_seconds
    return QualifyView(
        subject=names.format_label(document.subject),
        gate=names.escape_line(document.gate),
        headline=words.format_headline(document),
        took=f"A run takes {number_format.format_seconds(gate_seconds)}." if gate_seconds else "",
        demands=tuple(
            DemandRow(
                kind=kind,
                glyph=glyph,
                requirement=demand.requirement,
                answer=demand.answer,
                reason=demand.reason,
            )
            for demand in document.demands
            for kind, glyph in (_DEMAND_STYLES[demand.answer],)
        ),
        flaws=tuple(
            (str(diagnose.flaw), names.escape_line(diagnose.evidence))
            for diagnose in document.diagnoses
        ),
        rows=tuple(
            QualifyRow(
                pair=words.SIDES[rate.side],
                method=names.format_label(rate.method),
                cells=words.format_rate_cells(rate),
            )
            for rate in document.rates
        ),
        curves=tuple(_build_curves(document)),
        method_descriptions=tuple(
            names.escape_line(words.describe_method(method)) for method in document.methods
        ),
        answers=tuple(_format_answer_cells(answer) for answer in document.answers[:MOST_ANSWERS]),
        left_out=max(0, len(document.answers) - MOST_ANSWERS),
        closing=build_closing(document, make_caveat_views(document.caveats)),
    )


def render_html(document: QualifyDocument, gate: GateView | None = None) -> str:
    """Render what an external gate is worth as one page, with the verdict on the demands."""
    return render_template("qualify.html.j2", page=build_view(document), gate=gate)


def _format_answer_cells(answer: CheckoutPairAnswer) -> tuple[str, ...]:
    return (
        words.SIDES[answer.side],
        names.format_label(answer.method),
        f"{answer.factor:g}" if answer.method else "",
        str(answer.number),
        words.format_answer(answer.answer, answer.turn),
        "" if answer.exit_code is None else str(answer.exit_code),
        " and ".join(answer.ran),
        number_format.format_seconds(answer.seconds),
    )


def _build_curves(document: QualifyDocument) -> Iterator[AlarmCurveView]:
    """Yield a drawing for each method that was slowed by something."""
    same_rates = [
        rate for rate in document.rates if rate.side is SlowedSide.SAME and rate.pair_count
    ]
    for method in document.methods:
        rates = [
            rate for rate in document.rates if rate.method == method.method and rate.pair_count
        ]
        slowed_rates = sorted(_select_rates(rates, SlowedSide.SLOWED), key=lambda rate: rate.factor)
        sped_rates = sorted(_select_rates(rates, SlowedSide.SPED), key=lambda rate: rate.factor)
        if slowed_rates:
            yield _draw_rates(method.method, same_rates, slowed_rates, sped_rates)


def _select_rates(rates: list[CheckoutPairRate], side: SlowedSide) -> list[CheckoutPairRate]:
    return [rate for rate in rates if rate.side is side]


def _draw_rates(
    method: str,
    same_rates: list[CheckoutPairRate],
    slowed_rates: list[CheckoutPairRate],
    sped_rates: list[CheckoutPairRate],
) -> AlarmCurveView:
    """Draw the rates over the factors, which stand evenly apart behind the pairs that are alike."""
    factors = sorted({rate.factor for rate in (*slowed_rates, *sped_rates)})
    places = {factor: number for number, factor in enumerate(factors, 1)}
    slower_points = tuple(_make_point(0, rate) for rate in same_rates) + tuple(
        _make_point(places[rate.factor], rate) for rate in slowed_rates
    )
    curves = [ChartCurve("slower", "first", slower_points)]
    if sped_rates:
        faster_points = tuple(_make_point(places[rate.factor], rate) for rate in sped_rates)
        curves.append(ChartCurve("faster", "second", faster_points))
    axes = Axes(
        size=PLOT_SIZE,
        ends=(0.0, float(len(factors))),
        named=(
            (0.0, words.SIDES[SlowedSide.SAME]),
            *(
                (float(position), number_format.format_factor(slowdown_factor))
                for slowdown_factor, position in places.items()
            ),
        ),
        across="how many times as long the method takes",
        units="alarms in percent",
        most=100.0,
    )
    text = "; ".join(
        f"{number_format.format_factor(rate.factor) + ' ' if rate.method else ''}"
        f"{words.SIDES[rate.side]} {rate.alarms} of {rate.pair_count}"
        for rate in (*same_rates, *slowed_rates, *sped_rates)
    )
    label = f"alarms about {names.format_label(method)}: {text}"
    plot = plots.make_svg(PLOT_SIZE, label, charts.draw_chart(axes, curves), kind="lines")
    return AlarmCurveView(method=names.format_label(method), description=text, plot=plot)


def _make_point(place: float, rate: CheckoutPairRate) -> ChartPoint:
    low, high = rate.interval
    return ChartPoint(place, 100 * (rate.rate or 0.0), 100 * low, 100 * high)
