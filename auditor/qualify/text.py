"""What a gate is worth, in words."""

from auditor.core.contracts.qualify import GateAnswer, SlowedSide
from auditor.core.units import percent
from auditor.qualify.document import CheckoutPairRate, QualifyDocument, SlowedMethod
from reports import number_format

SIDES = {SlowedSide.SAME: "alike", SlowedSide.SLOWED: "head slower", SlowedSide.SPED: "head faster"}
ANSWERS = {GateAnswer.ALARM: "alarm", GateAnswer.QUIET: "quiet", GateAnswer.FAILED: "no answer"}


def answer(gate_answer: GateAnswer, turn: int) -> str:
    """Return an answer, and of an alarm at which run in the same checkouts it came."""
    return ANSWERS[gate_answer] + (
        f" at run {turn}" if gate_answer is GateAnswer.ALARM and turn > 1 else ""
    )


def headline(document: QualifyDocument) -> str:
    """Return what the gate is worth, in a sentence."""
    flaws = [str(diagnose.flaw) for diagnose in document.diagnoses]
    seen = [
        f"{slowed_method.method} from {slowed_method.seen_from:g}x on"
        for slowed_method in document.methods
        if slowed_method.seen_from is not None
    ]
    if flaws:
        text = f"This gate is {' and '.join(flaws)}"
        return f"{text}; it sees {', '.join(seen)}." if seen else f"{text}."
    if not seen:
        return "Cannot tell what this gate sees: more runs are needed (--runs, --budget)."
    same = [rate for rate in document.rates if rate.side is SlowedSide.SAME]
    alarms = f"{same[0].alarms} false alarms in {same[0].shown} runs" if same else ""
    return f"This gate works: it sees {', '.join(seen)}; {alarms}."


def method(slowed_method: SlowedMethod) -> str:
    """Say what is known of a method that was slowed."""
    if slowed_method.refusal:
        return f"{slowed_method.method} cannot be slowed: {slowed_method.refusal}"
    if not slowed_method.reached_by:
        return f"{slowed_method.method}: no benchmark calls it"
    took = f" takes {number_format.seconds(slowed_method.seconds)}" if slowed_method.seconds else ""
    how = (
        ""
        if slowed_method.calibrated
        else "; slowed by the clock, which is too little for short methods"
    )
    benchmarks = number_format.count(len(slowed_method.reached_by), "benchmark")
    return f"{slowed_method.method}{took}, called by {benchmarks}{how}"


def cells(checkout_pair_rate: CheckoutPairRate) -> tuple[str, str, str, str, str]:
    """Return factor, achieved factor, alarms, rate and its interval."""
    factor = f"{checkout_pair_rate.factor:g}" if checkout_pair_rate.method else ""
    achieved = "" if checkout_pair_rate.achieved is None else f"{checkout_pair_rate.achieved:.2f}"
    if checkout_pair_rate.skipped:
        return factor, achieved, "not shown", "", "larger ones are not seen"
    low, high = checkout_pair_rate.interval
    failed = f" ({checkout_pair_rate.failed} no answer)" if checkout_pair_rate.failed else ""
    rate = "" if checkout_pair_rate.rate is None else f"{percent(checkout_pair_rate.rate)}"
    return (
        factor,
        achieved,
        f"{checkout_pair_rate.alarms} of {checkout_pair_rate.shown}{failed}",
        rate,
        f"{percent(low)} to {percent(high)}",
    )
