"""What a gate is worth, in words."""

from auditor.core.contracts.qualify import GateAnswer, SlowedSide
from auditor.core.units import percent
from auditor.qualify.document import CheckoutPairRate, QualifyDocument, SlowedMethod
from reports import number_format

SIDES = {SlowedSide.SAME: "alike", SlowedSide.SLOWED: "head slower", SlowedSide.SPED: "head faster"}
ANSWERS = {GateAnswer.ALARM: "alarm", GateAnswer.QUIET: "quiet", GateAnswer.FAILED: "no answer"}


def answer(one: GateAnswer, turn: int) -> str:
    """Return an answer, and of an alarm at which run in the same checkouts it came."""
    return ANSWERS[one] + (f" at run {turn}" if one is GateAnswer.ALARM and turn > 1 else "")


def headline(document: QualifyDocument) -> str:
    """Return what the gate is worth, in a sentence."""
    flaws = [str(diagnose.flaw) for diagnose in document.diagnoses]
    seen = [
        f"{one.method} from {one.seen_from:g}x on"
        for one in document.methods
        if one.seen_from is not None
    ]
    if flaws:
        said = f"This gate is {' and '.join(flaws)}"
        return f"{said}; it sees {', '.join(seen)}." if seen else f"{said}."
    if not seen:
        return "Cannot tell what this gate sees: more runs are needed (--runs, --budget)."
    same = [rate for rate in document.rates if rate.side is SlowedSide.SAME]
    alarms = f"{same[0].alarms} false alarms in {same[0].shown} runs" if same else ""
    return f"This gate works: it sees {', '.join(seen)}; {alarms}."


def method(one: SlowedMethod) -> str:
    """Say what is known of a method that was slowed."""
    if one.refusal:
        return f"{one.method} cannot be slowed: {one.refusal}"
    if not one.reached_by:
        return f"{one.method}: no benchmark calls it"
    took = f" takes {number_format.seconds(one.seconds)}" if one.seconds else ""
    how = "" if one.calibrated else "; slowed by the clock, which is too little for short methods"
    benchmarks = number_format.count(len(one.reached_by), "benchmark")
    return f"{one.method}{took}, called by {benchmarks}{how}"


def cells(one: CheckoutPairRate) -> tuple[str, str, str, str, str]:
    """Return factor, achieved factor, alarms, rate and its interval."""
    factor = f"{one.factor:g}" if one.method else ""
    achieved = "" if one.achieved is None else f"{one.achieved:.2f}"
    if one.skipped:
        return factor, achieved, "not shown", "", "larger ones are not seen"
    low, high = one.interval
    failed = f" ({one.failed} no answer)" if one.failed else ""
    rate = "" if one.rate is None else f"{percent(one.rate)}"
    return (
        factor,
        achieved,
        f"{one.alarms} of {one.shown}{failed}",
        rate,
        f"{percent(low)} to {percent(high)}",
    )
