"""What a performance gate is worth: what is shown of it, and the page."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from markupsafe import Markup

from auditor.core.contracts.qualify import DemandState, SlowedSide
from auditor.qualify import text as words
from auditor.qualify.document import CheckoutPairAnswer, CheckoutPairRate, QualifyDocument
from reports import charts, names, number_format, plots
from reports.charts import Axes, ChartCurve, Point
from reports.html import Closing, Facts, GateView, closing, of_whole, rendered

SIZE = (520, 280)
MOST_ANSWERS = 500
"""Single answers that a page lists; qualify.json has all."""
_DEMANDS = {
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
class Drawn:
    """How the alarms about a method grow with its slowdown; `told` is the same in words."""

    method: str
    told: str
    plot: Markup = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemandRow:
    """What is asked of the gate, and whether it does it."""

    kind: str
    glyph: str
    asked: str
    answer: DemandState
    why: str


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
    curves: tuple[Drawn, ...]  # alarms by slowdown, for each slowed method
    told: tuple[str, ...]  # each slowed method, in words
    answers: tuple[tuple[str, ...], ...]  # cells of each answer that is shown
    left_out: int  # number of answers that only the JSON result has
    closing: Closing  # caveats and circumstances


def view(document: QualifyDocument) -> QualifyView:
    """Put a document into words."""
    took = document.gate_seconds
    return QualifyView(
        subject=names.label(document.subject),
        gate=names.line(document.gate),
        headline=words.headline(document),
        took=f"A run takes {number_format.seconds(took)}." if took else "",
        demands=tuple(
            DemandRow(
                kind=kind, glyph=glyph, asked=demand.asked, answer=demand.answer, why=demand.why
            )
            for demand in document.demands
            for kind, glyph in (_DEMANDS[demand.answer],)
        ),
        flaws=tuple(
            (str(diagnose.flaw), names.line(diagnose.evidence)) for diagnose in document.diagnoses
        ),
        rows=tuple(
            QualifyRow(
                pair=words.SIDES[rate.side],
                method=names.label(rate.method),
                cells=words.cells(rate),
            )
            for rate in document.rates
        ),
        curves=tuple(_curves(document)),
        told=tuple(names.line(words.method(method)) for method in document.methods),
        answers=tuple(_answer(answer) for answer in document.answers[:MOST_ANSWERS]),
        left_out=max(0, len(document.answers) - MOST_ANSWERS),
        closing=closing(document, of_whole(document.caveats)),
    )


def html(document: QualifyDocument, gate: GateView | None = None) -> str:
    """Render what an external gate is worth as one page, with the verdict on the demands."""
    return rendered("qualify.html.j2", page=view(document), gate=gate)


def _answer(answer: CheckoutPairAnswer) -> tuple[str, ...]:
    return (
        words.SIDES[answer.side],
        names.label(answer.method),
        f"{answer.factor:g}" if answer.method else "",
        str(answer.number),
        words.answer(answer.answer, answer.turn),
        "" if answer.exit_code is None else str(answer.exit_code),
        " and ".join(answer.ran),
        number_format.seconds(answer.seconds),
    )


def _curves(document: QualifyDocument) -> Iterator[Drawn]:
    """Yield a drawing for each method that was slowed by something."""
    same = [rate for rate in document.rates if rate.side is SlowedSide.SAME and rate.shown]
    for method in document.methods:
        rates = [rate for rate in document.rates if rate.method == method.method and rate.shown]
        slowed = sorted(_rates_of(rates, SlowedSide.SLOWED), key=lambda rate: rate.factor)
        sped = sorted(_rates_of(rates, SlowedSide.SPED), key=lambda rate: rate.factor)
        if slowed:
            yield _draw_rates(method.method, same, slowed, sped)


def _rates_of(cells: list[CheckoutPairRate], side: SlowedSide) -> list[CheckoutPairRate]:
    return [cell for cell in cells if cell.side is side]


def _draw_rates(
    method: str,
    same: list[CheckoutPairRate],
    slowed: list[CheckoutPairRate],
    sped: list[CheckoutPairRate],
) -> Drawn:
    """Draw the rates over the factors, which stand evenly apart behind the pairs that are alike."""
    factors = sorted({rate.factor for rate in (*slowed, *sped)})
    places = {factor: number for number, factor in enumerate(factors, 1)}
    slower = tuple(_point(0, rate) for rate in same) + tuple(
        _point(places[rate.factor], rate) for rate in slowed
    )
    curves = [ChartCurve("slower", "first", slower)]
    if sped:
        faster = tuple(_point(places[rate.factor], rate) for rate in sped)
        curves.append(ChartCurve("faster", "second", faster))
    axes = Axes(
        size=SIZE,
        ends=(0.0, float(len(factors))),
        named=(
            (0.0, words.SIDES[SlowedSide.SAME]),
            *((float(at), number_format.times(one)) for one, at in places.items()),
        ),
        across="how many times as long the method takes",
        units="alarms in percent",
        most=100.0,
    )
    text = "; ".join(
        f"{number_format.times(rate.factor) + ' ' if rate.method else ''}{words.SIDES[rate.side]} "
        f"{rate.alarms} of {rate.shown}"
        for rate in (*same, *slowed, *sped)
    )
    label = f"alarms about {names.label(method)}: {text}"
    plot = plots.svg(SIZE, label, charts.body(axes, curves), kind="lines")
    return Drawn(method=names.label(method), told=text, plot=plot)


def _point(place: float, rate: CheckoutPairRate) -> Point:
    low, high = rate.interval
    return Point(place, 100 * (rate.rate or 0.0), 100 * low, 100 * high)
