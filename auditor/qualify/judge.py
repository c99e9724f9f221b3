"""What a gate's answers say of it; nothing is assumed of how it decides."""

import math
from collections.abc import Iterator, Sequence
from statistics import median

from auditor.core.caveats import Caveat
from auditor.core.contracts.qualify import (
    AlarmRate,
    CheckoutVersion,
    Demand,
    DemandState,
    Diagnosis,
    Flaw,
    GateAnswer,
    GateCase,
    GatePlan,
    GateSubject,
    Qualification,
    ShownCase,
    SlowedSide,
)
from auditor.core.units import percent
from auditor.measure.calibration import TOLERANCE
from auditor.stats.proportions import lower_bound, upper_bound

LEVEL = 0.95
"""Of each bound: a claim that rests on one is wrong in one of twenty gates at most."""
HALF = 0.5
"""A slowdown is seen where the gate fires at it more often than not."""
FALSE_ALARMS = 0.05
"""Above it a gate is noisy, where the user names no limit."""
_LEAST_DEAD = 3
_FEW = {True: DemandState.FAILED, False: DemandState.PASSED, None: DemandState.UNDECIDED}


def rate(case: GateCase, shown_pairs: Sequence[ShownCase], *, skipped: bool = False) -> AlarmRate:
    """Return how often the gate has fired at a case at its first run."""
    mine = [shown_pair for shown_pair in shown_pairs if shown_pair.case == case]
    cases = [shown_pair for shown_pair in mine if shown_pair.answer is not GateAnswer.FAILED]
    alarms = sum(fired(shown_pair) for shown_pair in cases)
    return AlarmRate(
        case=case,
        alarms=alarms,
        shown=len(cases),
        failed=len(mine) - len(cases),
        interval=(lower_bound(alarms, len(cases), LEVEL), upper_bound(alarms, len(cases), LEVEL)),
        seconds=median(shown_pair.seconds / shown_pair.turn for shown_pair in cases)
        if cases
        else None,
        skipped=skipped,
    )


def fired(shown_pair: ShownCase) -> bool:
    """Tell whether a gate has fired when it was run for the first time."""
    return shown_pair.answer is GateAnswer.ALARM and shown_pair.turn == 1


def is_detected(alarm_rate: AlarmRate) -> bool | None:
    """Tell whether the gate fires more often than not; None where that is not known."""
    if alarm_rate.interval[0] > HALF:
        return True
    return False if alarm_rate.interval[1] < HALF else None


def noisy(alarm_rate: AlarmRate, most: float) -> bool | None:
    """Tell whether false alarms come more often than at most; None where that is not known."""
    low, high = alarm_rate.interval
    # The bound of one alarm of one is a hair above the 5 % that it is on paper.
    if low > most and not math.isclose(low, most):
        return True
    return False if high <= most else None


def is_hopeless(case: GateCase, rates: Sequence[AlarmRate]) -> bool:
    """Tell whether a larger slowdown of the method is not seen: then this one is not, either."""
    return any(
        alarm_rate.case.factor > case.factor and is_detected(alarm_rate) is False
        for alarm_rate in _rates_of(rates, SlowedSide.SLOWED, case.method)
    )


def is_settled(alarm_rate: AlarmRate, plan: GatePlan) -> bool:
    """Tell whether more answers would tell no more than is asked."""
    if alarm_rate.shown + alarm_rate.failed >= plan.runs:
        return True
    if alarm_rate.case.side is not SlowedSide.SAME:
        return is_detected(alarm_rate) is not None
    most = FALSE_ALARMS if plan.most_false_alarms is None else plan.most_false_alarms
    too_many = noisy(alarm_rate, most)
    return too_many is False or (too_many is True and is_detected(alarm_rate) is not None)


def judge(
    subjects: Sequence[GateSubject],
    plan: GatePlan,
    shown_pairs: Sequence[ShownCase],
    skipped: Sequence[GateCase] = (),
) -> Qualification:
    """Return what the answers say; `skipped` are cases that were not shown on purpose."""
    cases = list(dict.fromkeys(shown_pair.case for shown_pair in shown_pairs))
    rates = [rate(case, shown_pairs) for case in cases]
    rates += [rate(case, (), skipped=True) for case in skipped]
    rates.sort(
        key=lambda alarm: (
            alarm.case.side is not SlowedSide.SAME,
            alarm.case.side is SlowedSide.SPED,
            alarm.case.method,
            alarm.case.factor,
        )
    )
    times = [shown_pair.seconds / shown_pair.turn for shown_pair in shown_pairs]
    diagnoses = tuple(_diagnoses(subjects, plan, rates, shown_pairs))
    return Qualification(
        subjects=tuple(subjects),
        plan=plan,
        rates=tuple(rates),
        diagnoses=diagnoses,
        demands=tuple(_demands(plan, rates)),
        seen_from={subject.method: _seen_from(subject.method, rates) for subject in subjects},
        seconds=median(times) if times else None,
        shown=tuple(shown_pairs),
        caveats=tuple(_inexact(subjects, rates)),
    )


def _seen_from(method: str, rates: Sequence[AlarmRate]) -> float | None:
    """Return the least factor from which on all that is known is seen."""
    found = None
    if _always(rates):
        return None
    for alarm_rate in sorted(
        _rates_of(rates, SlowedSide.SLOWED, method), key=lambda one: -one.case.factor
    ):
        if is_detected(alarm_rate) is not True:
            break
        found = alarm_rate.case.factor
    return found


def _always(rates: Sequence[AlarmRate]) -> bool:
    """Tell whether what a gate says of slowdowns means nothing: it fires without them."""
    return any(is_detected(alarm_rate) for alarm_rate in _rates_of(rates, SlowedSide.SAME))


def _rates_of(
    rates: Sequence[AlarmRate], side: SlowedSide, method: str | None = None
) -> list[AlarmRate]:
    return [
        alarm_rate
        for alarm_rate in rates
        if alarm_rate.case.side is side and (method is None or alarm_rate.case.method == method)
    ]


def _largest(
    rates: Sequence[AlarmRate], side: SlowedSide, method: str | None = None
) -> list[AlarmRate]:
    alarm_rates = [alarm_rate for alarm_rate in _rates_of(rates, side, method) if alarm_rate.shown]
    most = max((alarm_rate.case.factor for alarm_rate in alarm_rates), default=0.0)
    return [alarm_rate for alarm_rate in alarm_rates if alarm_rate.case.factor == most]


def _diagnoses(
    subjects: Sequence[GateSubject],
    plan: GatePlan,
    rates: Sequence[AlarmRate],
    shown_pairs: Sequence[ShownCase],
) -> Iterator[Diagnosis]:
    cases = [shown_pair for shown_pair in shown_pairs if shown_pair.answer is not GateAnswer.FAILED]
    if (diagnosis := _unrun(cases)) is not None:
        yield diagnosis
    same = _rates_of(rates, SlowedSide.SAME)
    if _always(rates):
        text = f"it fired {_times(same[0])} at base and head that are alike"
        yield Diagnosis(Flaw.ALWAYS, text)
        return
    limit = FALSE_ALARMS if plan.most_false_alarms is None else plan.most_false_alarms
    if same and noisy(same[0], limit):
        text = (
            f"it fired {_times(same[0])} at base and head that are alike, at least "
            f"{percent(same[0].interval[0])} of the time"
        )
        yield Diagnosis(Flaw.NOISY, text)
    yield from _blindness(subjects, rates, cases)


def _unrun(shown_pairs: Sequence[ShownCase]) -> Diagnosis | None:
    """Say whether the gate has run both versions at all: what runs leaves a trace."""
    if not shown_pairs:
        return None
    both = sum(set(shown_pair.ran) == set(CheckoutVersion) for shown_pair in shown_pairs)
    if both:
        return None
    sides = {side for shown_pair in shown_pairs for side in shown_pair.ran}
    if not sides:
        text = f"in none of {len(shown_pairs)} runs the slowed code of base or of head was run"
        return Diagnosis(Flaw.NOT_RUN, text)
    (side,) = sides if len(sides) == 1 else (None,)
    named = f"only the code of {side} was run" if side else "the code of one side only was run"
    return Diagnosis(Flaw.SELF_COMPARISON, f"in all {len(shown_pairs)} runs {named}")


def _blindness(
    subjects: Sequence[GateSubject], rates: Sequence[AlarmRate], shown_pairs: Sequence[ShownCase]
) -> Iterator[Diagnosis]:
    slowed = _largest(rates, SlowedSide.SLOWED)
    fires = sum(alarm_rate.alarms for alarm_rate in slowed) > 0
    backwards = [
        alarm_rate for alarm_rate in _largest(rates, SlowedSide.SPED) if is_detected(alarm_rate)
    ]
    if backwards:
        text = f"it fired {_times(backwards[0])} where head is {_factor(backwards[0])} as fast"
        if fires:
            yield Diagnosis(Flaw.TWO_SIDED, text)
        else:
            more = [
                f"{_times(alarm_rate)} where it is {_factor(alarm_rate)} as slow"
                for alarm_rate in slowed[:1]
            ]
            yield Diagnosis(Flaw.INVERTED, ", and ".join((text, *more)))
            return
    later = [
        shown_pair.turn
        for shown_pair in shown_pairs
        if shown_pair.answer is GateAnswer.ALARM and shown_pair.turn > 1
    ]
    if not fires:
        yield from _silence(rates, slowed, later)
        return
    for subject in subjects:
        alarm_rates = _largest(rates, SlowedSide.SLOWED, subject.method)
        if (
            alarm_rates
            and is_detected(alarm_rates[0]) is False
            and any(is_detected(alarm_rate) for alarm_rate in slowed)
        ):
            many = len(subject.reached_by)
            reason = f"{many} benchmarks call it" if many > 1 else "one benchmark calls it"
            reason = reason if many else "no benchmark calls it"
            rate = alarm_rates[0]
            shown = f"it fired {_times(rate)} at {subject.method} {_factor(rate)} as slow"
            yield Diagnosis(Flaw.BLIND, f"{shown}; {reason}")


def _silence(
    rates: Sequence[AlarmRate], slowed: Sequence[AlarmRate], later: Sequence[int]
) -> Iterator[Diagnosis]:
    """Say why a gate never fired at once."""
    if later:
        text = (
            f"it fired when it was run {median(later):g} times in the same checkouts, and never at "
            "once"
        )
        yield Diagnosis(Flaw.LATE, text)
        return
    shown = sum(
        alarm_rate.shown for alarm_rate in rates if alarm_rate.case.side is SlowedSide.SLOWED
    )
    if slowed and shown >= _LEAST_DEAD:
        text = (
            f"it fired at none of {shown} slowdowns, {_factor(slowed[0])} and less, also when it "
            "was run again in the same checkouts"
        )
        yield Diagnosis(Flaw.DEAD, text)


def _demands(plan: GatePlan, rates: Sequence[AlarmRate]) -> Iterator[Demand]:
    if plan.most_false_alarms is not None:
        yield _few_false(plan.most_false_alarms, rates)
    if plan.must_see is not None:
        yield _sees(plan.must_see, rates)


def _few_false(most: float, rates: Sequence[AlarmRate]) -> Demand:
    asked = f"at most {percent(most)} false alarms"
    same = [alarm_rate for alarm_rate in _rates_of(rates, SlowedSide.SAME) if alarm_rate.shown]
    if not same:
        return Demand(asked, DemandState.UNDECIDED, "no pair that is alike was shown")
    low, high = (percent(one, 1) for one in same[0].interval)
    reason = f"{_times(same[0])}: between {low} and {high}"
    return Demand(asked, _FEW[noisy(same[0], most)], reason)


def _sees(factor: float, rates: Sequence[AlarmRate]) -> Demand:
    asked = f"{factor:g}x is seen more often than not"
    if _always(rates):
        reason = "it fires at base and head that are alike, too"
        return Demand(asked, DemandState.FAILED, reason)
    alarm_rates = [
        alarm_rate
        for alarm_rate in _rates_of(rates, SlowedSide.SLOWED)
        if alarm_rate.case.factor == factor
    ]
    beyond = [
        alarm_rate.skipped or is_hopeless(alarm_rate.case, rates) for alarm_rate in alarm_rates
    ]
    answers = [
        False if lost else is_detected(alarm_rate)
        for alarm_rate, lost in zip(alarm_rates, beyond, strict=True)
    ]
    answer = DemandState.PASSED if answers and all(answers) else DemandState.UNDECIDED
    if False in answers:
        answer = DemandState.FAILED
    reason = "; ".join(
        f"{alarm_rate.case.method}: " + ("larger ones are not seen" if lost else _times(alarm_rate))
        for alarm_rate, lost in zip(alarm_rates, beyond, strict=True)
    )
    return Demand(asked, answer, reason or "no such pair was shown")


def _inexact(subjects: Sequence[GateSubject], rates: Sequence[AlarmRate]) -> Iterator[Caveat]:
    """Say where a slowdown is not the one that was asked for, or nobody knows."""
    for subject in subjects:
        factors = {
            alarm_rate.case.factor
            for alarm_rate in rates
            if alarm_rate.case.method == subject.method
        }
        for injected in subject.injected:
            if injected.factor not in factors or injected.achieved is None:
                continue
            ratio = (injected.achieved - 1.0) / (injected.factor - 1.0)
            if abs(ratio - 1.0) > TOLERANCE:
                text = (
                    f"{subject.method} took {injected.achieved:.2f} times as long where "
                    f"{injected.factor:g} was asked for, in the benchmark that it was measured in"
                )
                yield Caveat("slowdown-inexact", text)
        if clocked := sorted(factor for factor in factors if subject.at(factor) is None):
            named = ", ".join(f"{one:g}" for one in clocked)
            text = (
                f"{subject.method} is slowed by the clock ({named} times): nothing tells how much "
                "that comes to; below a microsecond it is too little"
            )
            yield Caveat("slowdown-clocked", text)


def _times(alarm_rate: AlarmRate) -> str:
    return f"{alarm_rate.alarms} of {alarm_rate.shown} times"


def _factor(alarm_rate: AlarmRate) -> str:
    return f"{alarm_rate.case.factor:g} times"
