"""What a gate's answers say of it; nothing is assumed of how it decides."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from auditor.core.caveats import Caveat
from auditor.core.contracts.qualify import (
    CONFIDENCE_LEVEL,
    DETECTION_RATE,
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
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.units import format_percent
from auditor.measure.calibration import TOLERANCE
from auditor.stats.proportions import lower_bound, upper_bound

MAX_FALSE_ALARMS = 0.05
"""Above it a gate is noisy, where the user names no limit."""
_MIN_DEAD_RUNS = 3
_STATE_BY_NOISE = {True: DemandState.FAILED, False: DemandState.PASSED, None: DemandState.UNDECIDED}


def make_delay(subject: GateSubject, factor: float, *, waits: bool) -> Delay:
    """Return what makes a method take `factor` times as long, or waits alike for no time at all.

    A factor of 1 is that of pairs that are alike.
    """
    injected_delay = (
        subject.find_delay(factor) if factor != 1.0 else next(iter(subject.injected), None)
    )
    delay = injected_delay.delay if injected_delay else Delay(InjectionKind.SPIN, factor - 1.0)
    return delay if waits and factor != 1.0 else replace(delay, number=0.0)


def measure_alarm_rate(
    case: GateCase, shown_pairs: Sequence[ShownCase], *, skipped: bool = False
) -> AlarmRate:
    """Return how often the gate has fired at a case at its first run."""
    case_pairs = [shown_pair for shown_pair in shown_pairs if shown_pair.case == case]
    answered_pairs = [
        shown_pair for shown_pair in case_pairs if shown_pair.answer is not GateAnswer.FAILED
    ]
    alarms = sum(_is_immediate_alarm(shown_pair) for shown_pair in answered_pairs)
    return AlarmRate(
        case=case,
        alarms=alarms,
        pair_count=len(answered_pairs),
        failed=len(case_pairs) - len(answered_pairs),
        interval=(
            lower_bound(alarms, len(answered_pairs), CONFIDENCE_LEVEL),
            upper_bound(alarms, len(answered_pairs), CONFIDENCE_LEVEL),
        ),
        seconds=median(shown_pair.seconds / shown_pair.turn for shown_pair in answered_pairs)
        if answered_pairs
        else None,
        skipped=skipped,
    )


def _is_immediate_alarm(shown_pair: ShownCase) -> bool:
    """Tell whether a gate has fired when it was run for the first time."""
    return shown_pair.answer is GateAnswer.ALARM and shown_pair.turn == 1


def is_detected(alarm_rate: AlarmRate) -> bool | None:
    """Tell whether the gate fires more often than not; None where that is not known."""
    if alarm_rate.interval[0] > DETECTION_RATE:
        return True
    return False if alarm_rate.interval[1] < DETECTION_RATE else None


def _is_noisy(alarm_rate: AlarmRate, max_rate: float) -> bool | None:
    """Tell whether false alarms come more often than at most; None where that is not known."""
    low, high = alarm_rate.interval
    # The bound of one alarm of one is a hair above the 5 % that it is on paper.
    if low > max_rate and not math.isclose(low, max_rate):
        return True
    return False if high <= max_rate else None


def is_hopeless(case: GateCase, rates: Sequence[AlarmRate]) -> bool:
    """Tell whether a larger slowdown of the method is not seen: then this one is not, either."""
    return any(
        alarm_rate.case.factor > case.factor and is_detected(alarm_rate) is False
        for alarm_rate in _select_rates(rates, SlowedSide.SLOWED, case.method)
    )


def is_settled(alarm_rate: AlarmRate, plan: GatePlan) -> bool:
    """Tell whether more answers would tell no more than is asked."""
    if alarm_rate.pair_count + alarm_rate.failed >= plan.runs:
        return True
    if alarm_rate.case.side is not SlowedSide.SAME:
        return is_detected(alarm_rate) is not None
    max_false_alarms = (
        MAX_FALSE_ALARMS if plan.most_false_alarms is None else plan.most_false_alarms
    )
    is_too_noisy = _is_noisy(alarm_rate, max_false_alarms)
    return is_too_noisy is False or (is_too_noisy is True and is_detected(alarm_rate) is not None)


def judge_gate(
    subjects: Sequence[GateSubject],
    plan: GatePlan,
    shown_pairs: Sequence[ShownCase],
    skipped: Sequence[GateCase] = (),
) -> Qualification:
    """Return what the answers say; `skipped` are cases that were not shown on purpose."""
    cases = list(dict.fromkeys(shown_pair.case for shown_pair in shown_pairs))
    rates = [measure_alarm_rate(case, shown_pairs) for case in cases]
    rates += [measure_alarm_rate(case, (), skipped=True) for case in skipped]
    rates.sort(
        key=lambda alarm: (
            alarm.case.side is not SlowedSide.SAME,
            alarm.case.side is SlowedSide.SPED,
            alarm.case.method,
            alarm.case.factor,
        )
    )
    times = [shown_pair.seconds / shown_pair.turn for shown_pair in shown_pairs]
    diagnoses = tuple(_diagnose_gate(subjects, plan, rates, shown_pairs))
    return Qualification(
        subjects=tuple(subjects),
        plan=plan,
        rates=tuple(rates),
        diagnoses=diagnoses,
        demands=tuple(
            _withhold_pass(demand, diagnoses) for demand in _judge_demands(plan, rates, subjects)
        ),
        seen_from={
            subject.method: _find_least_detected(subject.method, rates) for subject in subjects
        },
        seconds=median(times) if times else None,
        cases=tuple(shown_pairs),
        caveats=tuple(_warn_of_inexact_delays(subjects, rates)),
    )


def _find_least_detected(method: str, rates: Sequence[AlarmRate]) -> float | None:
    """Return the least factor from which on all that is known is seen."""
    least_factor = None
    if _always_fires(rates):
        return None
    for alarm_rate in sorted(
        _select_rates(rates, SlowedSide.SLOWED, method),
        key=lambda candidate: -candidate.case.factor,
    ):
        if is_detected(alarm_rate) is not True:
            break
        least_factor = alarm_rate.case.factor
    return least_factor


def _always_fires(rates: Sequence[AlarmRate]) -> bool:
    """Tell whether what a gate says of slowdowns means nothing: it fires without them."""
    return any(is_detected(alarm_rate) for alarm_rate in _select_rates(rates, SlowedSide.SAME))


def _select_rates(
    rates: Sequence[AlarmRate], side: SlowedSide, method: str | None = None
) -> list[AlarmRate]:
    return [
        alarm_rate
        for alarm_rate in rates
        if alarm_rate.case.side is side and (method is None or alarm_rate.case.method == method)
    ]


def _select_largest(
    rates: Sequence[AlarmRate], side: SlowedSide, method: str | None = None
) -> list[AlarmRate]:
    alarm_rates = [
        alarm_rate for alarm_rate in _select_rates(rates, side, method) if alarm_rate.pair_count
    ]
    largest_factor = max((alarm_rate.case.factor for alarm_rate in alarm_rates), default=0.0)
    return [alarm_rate for alarm_rate in alarm_rates if alarm_rate.case.factor == largest_factor]


def _diagnose_gate(
    subjects: Sequence[GateSubject],
    plan: GatePlan,
    rates: Sequence[AlarmRate],
    shown_pairs: Sequence[ShownCase],
) -> Iterator[Diagnosis]:
    answered_pairs = [
        shown_pair for shown_pair in shown_pairs if shown_pair.answer is not GateAnswer.FAILED
    ]
    if (diagnosis := _diagnose_unrun_code(answered_pairs)) is not None:
        yield diagnosis
    same_rates = _select_rates(rates, SlowedSide.SAME)
    if _always_fires(rates):
        text = f"it fired {_format_alarms(same_rates[0])} at base and head that are alike"
        yield Diagnosis(Flaw.ALWAYS, text)
        return
    max_false_alarms = (
        MAX_FALSE_ALARMS if plan.most_false_alarms is None else plan.most_false_alarms
    )
    if same_rates and _is_noisy(same_rates[0], max_false_alarms):
        text = (
            f"it fired {_format_alarms(same_rates[0])} at base and head that are alike, at least "
            f"{format_percent(same_rates[0].interval[0])} of the time"
        )
        yield Diagnosis(Flaw.NOISY, text)
    yield from _diagnose_blindness(subjects, rates, answered_pairs)


def _diagnose_unrun_code(shown_pairs: Sequence[ShownCase]) -> Diagnosis | None:
    """Say whether the gate has run both versions at all: what runs leaves a trace."""
    if not shown_pairs:
        return None
    complete_runs = sum(set(shown_pair.ran) == set(CheckoutVersion) for shown_pair in shown_pairs)
    if complete_runs:
        return None
    sides = {side for shown_pair in shown_pairs for side in shown_pair.ran}
    if not sides:
        text = f"in none of {len(shown_pairs)} runs the slowed code of base or of head was run"
        return Diagnosis(Flaw.NOT_RUN, text)
    (side,) = sides if len(sides) == 1 else (None,)
    side_text = f"only the code of {side} was run" if side else "the code of one side only was run"
    return Diagnosis(Flaw.SELF_COMPARISON, f"in all {len(shown_pairs)} runs {side_text}")


def _describe_reach(benchmark_count: int) -> str:
    if benchmark_count > 1:
        return f"{benchmark_count} benchmarks call it"
    return "one benchmark calls it" if benchmark_count else "no benchmark calls it"


def _diagnose_blindness(
    subjects: Sequence[GateSubject], rates: Sequence[AlarmRate], shown_pairs: Sequence[ShownCase]
) -> Iterator[Diagnosis]:
    slowed_rates = _select_largest(rates, SlowedSide.SLOWED)
    fires_when_slowed = sum(alarm_rate.alarms for alarm_rate in slowed_rates) > 0
    speedup_rates = [rate for rate in _select_largest(rates, SlowedSide.SPED) if is_detected(rate)]
    if speedup_rates:
        text = (
            f"it fired {_format_alarms(speedup_rates[0])} where head is "
            f"{_format_factor(speedup_rates[0])} as fast"
        )
        if fires_when_slowed:
            yield Diagnosis(Flaw.TWO_SIDED, text)
        else:
            slower_texts = [
                f"{_format_alarms(alarm_rate)} where it is {_format_factor(alarm_rate)} as slow"
                for alarm_rate in slowed_rates[:1]
            ]
            yield Diagnosis(Flaw.INVERTED, ", and ".join((text, *slower_texts)))
            return
    later_turns = [
        case.turn for case in shown_pairs if case.answer is GateAnswer.ALARM and case.turn > 1
    ]
    if not fires_when_slowed:
        yield from _diagnose_silence(rates, slowed_rates, later_turns)
        return
    for subject in subjects:
        alarm_rates = _select_largest(rates, SlowedSide.SLOWED, subject.method)
        if (
            alarm_rates
            and is_detected(alarm_rates[0]) is False
            and any(is_detected(alarm_rate) for alarm_rate in slowed_rates)
        ):
            reason = _describe_reach(len(subject.reached_by))
            rate = alarm_rates[0]
            claim = (
                f"it fired {_format_alarms(rate)} at {subject.method} {_format_factor(rate)} as "
                "slow"
            )
            yield Diagnosis(Flaw.BLIND, f"{claim}; {reason}")


def _diagnose_silence(
    rates: Sequence[AlarmRate], slowed: Sequence[AlarmRate], turns: Sequence[int]
) -> Iterator[Diagnosis]:
    """Say why a gate never fired at once."""
    if turns:
        text = (
            f"it fired when it was run {median(turns):g} times in the same checkouts, and never at "
            "once"
        )
        yield Diagnosis(Flaw.LATE, text)
        return
    pairs = sum(
        alarm_rate.pair_count for alarm_rate in rates if alarm_rate.case.side is SlowedSide.SLOWED
    )
    if slowed and pairs >= _MIN_DEAD_RUNS:
        text = (
            f"it fired at none of {pairs} slowdowns, {_format_factor(slowed[0])} and less, also "
            "when it was run again in the same checkouts"
        )
        yield Diagnosis(Flaw.DEAD, text)


def _judge_demands(
    plan: GatePlan, rates: Sequence[AlarmRate], subjects: Sequence[GateSubject]
) -> Iterator[Demand]:
    if plan.most_false_alarms is not None:
        yield _judge_false_alarms(plan.most_false_alarms, rates)
    if plan.must_see is not None:
        demand = _judge_detection(plan.must_see, rates)
        refused = next((subject for subject in subjects if subject.refusal), None)
        if refused is not None and demand.answer is DemandState.PASSED:
            reason = f"{demand.reason}; {refused.method} cannot be slowed: {refused.refusal}"
            demand = replace(demand, answer=DemandState.UNDECIDED, reason=reason)
        yield demand


_NOTHING_SHOWN = frozenset({Flaw.NOT_RUN, Flaw.SELF_COMPARISON})
"""Flaws of a gate that does not compare what it is shown, so that none of its answers counts."""


def _withhold_pass(demand: Demand, diagnoses: Sequence[Diagnosis]) -> Demand:
    """Return a demand; undecided where it is met by a gate that did not compare anything."""
    flaw = next((item for item in diagnoses if item.flaw in _NOTHING_SHOWN), None)
    if flaw is None or demand.answer is not DemandState.PASSED:
        return demand
    return replace(demand, answer=DemandState.UNDECIDED, reason=flaw.evidence)


def _judge_false_alarms(max_rate: float, rates: Sequence[AlarmRate]) -> Demand:
    demand_text = f"at most {format_percent(max_rate)} false alarms"
    same_rates = [
        alarm_rate for alarm_rate in _select_rates(rates, SlowedSide.SAME) if alarm_rate.pair_count
    ]
    if not same_rates:
        return Demand(demand_text, DemandState.UNDECIDED, "no pair that is alike was shown")
    low, high = (format_percent(bound, 1) for bound in same_rates[0].interval)
    reason = f"{_format_alarms(same_rates[0])}: between {low} and {high}"
    return Demand(demand_text, _STATE_BY_NOISE[_is_noisy(same_rates[0], max_rate)], reason)


def _judge_detection(factor: float, rates: Sequence[AlarmRate]) -> Demand:
    demand_text = f"{factor:g}x is seen more often than not"
    if _always_fires(rates):
        reason = "it fires at base and head that are alike, too"
        return Demand(demand_text, DemandState.FAILED, reason)
    alarm_rates = [
        alarm_rate
        for alarm_rate in _select_rates(rates, SlowedSide.SLOWED)
        if alarm_rate.case.factor == factor
    ]
    hopeless_flags = [
        alarm_rate.skipped or is_hopeless(alarm_rate.case, rates) for alarm_rate in alarm_rates
    ]
    answers = [
        False if is_lost else is_detected(alarm_rate)
        for alarm_rate, is_lost in zip(alarm_rates, hopeless_flags, strict=True)
    ]
    answer = DemandState.PASSED if answers and all(answers) else DemandState.UNDECIDED
    if False in answers:
        answer = DemandState.FAILED
    reason = "; ".join(
        f"{alarm_rate.case.method}: "
        + ("larger ones are not seen" if is_lost else _format_alarms(alarm_rate))
        for alarm_rate, is_lost in zip(alarm_rates, hopeless_flags, strict=True)
    )
    return Demand(demand_text, answer, reason or "no such pair was shown")


def _warn_of_inexact_delays(
    subjects: Sequence[GateSubject], rates: Sequence[AlarmRate]
) -> Iterator[Caveat]:
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
                    f"{subject.method} took {injected.achieved:.2f} times as long instead of "
                    f"{injected.factor:g}, in the benchmark that measured it"
                )
                yield Caveat("slowdown-inexact", text)
        if clocked_factors := sorted(
            factor for factor in factors if subject.find_delay(factor) is None
        ):
            numbers = ", ".join(f"{clocked_factor:g}" for clocked_factor in clocked_factors)
            text = (
                f"{subject.method} is slowed by a clock loop ({numbers} times) and not verified by "
                "a benchmark; the delay is too small for methods below a microsecond"
            )
            yield Caveat("slowdown-clocked", text)


def _format_alarms(alarm_rate: AlarmRate) -> str:
    return f"{alarm_rate.alarms} of {alarm_rate.pair_count} times"


def _format_factor(alarm_rate: AlarmRate) -> str:
    return f"{alarm_rate.case.factor:g} times"
