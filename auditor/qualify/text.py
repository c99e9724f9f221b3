"""What a gate is worth, in words."""

from auditor.core.contracts.qualify import GateAnswer, SlowedSide
from auditor.core.units import format_percent
from auditor.qualify.document import CheckoutPairRate, QualifyDocument, SlowedMethod
from reports import number_format

SIDES = {SlowedSide.SAME: "alike", SlowedSide.SLOWED: "head slower", SlowedSide.SPED: "head faster"}
ANSWER_WORDS = {
    GateAnswer.ALARM: "alarm",
    GateAnswer.QUIET: "quiet",
    GateAnswer.FAILED: "no answer",
}


def format_answer(gate_answer: GateAnswer, turn: int) -> str:
    """Return an answer, and of an alarm at which run in the same checkouts it came."""
    return ANSWER_WORDS[gate_answer] + (
        f" at run {turn}" if gate_answer is GateAnswer.ALARM and turn > 1 else ""
    )


def format_headline(document: QualifyDocument) -> str:
    """Return what the gate is worth, in a sentence."""
    flaws = [str(diagnose.flaw) for diagnose in document.diagnoses]
    detected_texts = [
        f"{slowed_method.method} from {slowed_method.seen_from:g}x on"
        for slowed_method in document.methods
        if slowed_method.seen_from is not None
    ]
    if flaws:
        text = f"This gate is {' and '.join(flaws)}"
        return f"{text}; it sees {', '.join(detected_texts)}." if detected_texts else f"{text}."
    if not detected_texts:
        return "Cannot tell what this gate sees: more runs are needed (--runs, --budget)."
    same_rates = [rate for rate in document.rates if rate.side is SlowedSide.SAME]
    alarms = (
        f"{same_rates[0].alarms} false alarms in {same_rates[0].pair_count} runs"
        if same_rates
        else ""
    )
    return f"This gate works: it sees {', '.join(detected_texts)}; {alarms}."


def describe_method(slowed_method: SlowedMethod) -> str:
    """Say what is known of a method that was slowed."""
    if slowed_method.refusal:
        return f"{slowed_method.method} cannot be slowed: {slowed_method.refusal}"
    if not slowed_method.reached_by:
        return f"{slowed_method.method}: no benchmark calls it"
    time_text = (
        f" takes {number_format.format_seconds(slowed_method.seconds)}"
        if slowed_method.seconds
        else ""
    )
    clock_note = (
        ""
        if slowed_method.calibrated
        else "; slowed by the clock, which is too little for short methods"
    )
    benchmarks = number_format.format_count(len(slowed_method.reached_by), "benchmark")
    return f"{slowed_method.method}{time_text}, called by {benchmarks}{clock_note}"


def format_rate_cells(checkout_pair_rate: CheckoutPairRate) -> tuple[str, str, str, str, str]:
    """Return factor, achieved factor, alarms, rate and its interval."""
    factor = f"{checkout_pair_rate.factor:g}" if checkout_pair_rate.method else ""
    achieved = "" if checkout_pair_rate.achieved is None else f"{checkout_pair_rate.achieved:.2f}"
    if checkout_pair_rate.skipped:
        return factor, achieved, "not shown", "", "larger ones are not seen"
    low, high = checkout_pair_rate.interval
    failed = f" ({checkout_pair_rate.failed} no answer)" if checkout_pair_rate.failed else ""
    rate = "" if checkout_pair_rate.rate is None else f"{format_percent(checkout_pair_rate.rate)}"
    return (
        factor,
        achieved,
        f"{checkout_pair_rate.alarms} of {checkout_pair_rate.pair_count}{failed}",
        rate,
        f"{format_percent(low)} to {format_percent(high)}",
    )
