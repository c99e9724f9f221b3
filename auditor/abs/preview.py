"""What `abs` would measure, and what the commands that run the unchanged suite would."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from auditor.abs.judge.curve import SIZES, most_steps
from auditor.abs.judge.detection import warn_never_significant
from auditor.abs.model import AbsVerdict
from auditor.abs.study import abs_audit
from auditor.abs.study.allocations import shorten_plan
from auditor.abs.study.calibration import MOST_ROUNDS
from auditor.abs.study.cpu_samples import FURTHER_ROUND_SECONDS, ROUND_SECONDS
from auditor.abs.study.expectation import (
    CERTAIN,
    count_slowed_methods,
    estimate_time,
    rehearse_counts,
)
from auditor.abs.study.pair import count_corrections, most_runs
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.plan import Purpose
from auditor.core.request import AbsRequest, CurveMode, DetectionRule
from auditor.core.units import format_duration
from auditor.measure import schedules
from auditor.measure.context import StudyContext
from auditor.measure.method_choice import choose_candidates
from auditor.measure.planning.expected_time import ExpectedTime
from auditor.measure.planning.preview import (
    CountedMethod,
    Inventory,
    Preview,
    expected_of_suite,
    places_of,
    planned_phase,
    suite_phases,
)
from auditor.measure.planning.rehearsal import PreviewPhase, rehearse_study
from auditor.measure.suite_runs import choose_benchmarks, run_baseline
from auditor.measure.trial_times import schedule_seconds

LONG_SECONDS = 8 * 3600.0
"""An audit without a budget that takes longer than this is told what to leave out."""
_LARGE_PART = 0.5
_MOST_PLACES = 6
_REMEDY = "name one with --method, or the library's folder"


def preview_abs(request: AbsRequest, parts: StudyContext) -> Preview:
    """Return what `abs` would measure; nothing is started, the store is only read."""
    lookups, verdicts = rehearse_counts(request, parts), list[AbsVerdict]()
    if not lookups.has_missing(*CERTAIN):
        lookups = rehearse_study(
            parts, lambda still: verdicts.append(abs_audit.audit_suite(request, still))
        )
    phases = suite_phases(parts, lookups, is_limited=request.suite_time_limit is not None)
    if request.methods is None:
        phases += (lookups.build_phase("unit tests", Purpose.USAGE),)
    phases += (lookups.build_phase("reach", Purpose.REACH),)
    if request.allocation_bytes is not None and not lookups.has_missing(*CERTAIN):
        phases += (lookups.build_phase("allocations", Purpose.ALLOCATION),)
    sampled = request.asks_shares and not parts.unprofiled
    if lookups.has_missing(*CERTAIN):
        phases += _profile_limits(request, parts) if sampled else ()
        phases += _plan_upper_limits(request, parts)
    else:
        phases += (lookups.build_phase("profile", Purpose.PROFILE),) if sampled else ()
        # Of a pair that was not run all runs are asked for, the further ones too.
        correction_runs = count_corrections(request)
        phases += (
            lookups.build_phase("calibration (at most)", Purpose.CALIBRATION, most=MOST_ROUNDS),
            lookups.build_phase(
                "pairs (at most)", Purpose.PAIRS, Purpose.MUTANT, first_run_repeats=correction_runs
            ),
        )
        if request.rule is not DetectionRule.PAPER or request.is_interleaved:
            named = "plain among the pairs (at most)"
            phases += (lookups.build_phase(named, Purpose.REFERENCE),)
        if lookups.has_missing(Purpose.PAIRS, Purpose.MUTANT, Purpose.CALIBRATION):
            phases += _further_limits(request, parts)
    caveat = warn_never_significant(request)
    expected, unlimited = (
        estimate_time(request, context, lookups) for context in (parts, _without_budget(parts))
    )
    inventory = take_inventory(request, parts, unlimited, verdicts[-1] if verdicts else None)
    return Preview(phases, (caveat,) if caveat else (), expected, inventory)


def _without_budget(parts: StudyContext) -> StudyContext:
    """Return the parts without a budget."""
    return replace(parts, deadline=None, request=replace(parts.request, budget_seconds=None))


def preview_suite(parts: StudyContext) -> Preview:
    """Return what `stability` would measure: the unchanged suite."""
    lookups = rehearse_study(parts, run_baseline)
    benchmarks = choose_benchmarks(parts.suite, parts.request.benchmarks)
    inventory = Inventory(benchmarks=places_of(benchmarks), unusable=parts.suite.unusable)
    return Preview(suite_phases(parts, lookups), (), expected_of_suite(parts, lookups), inventory)


def _profile_limits(request: AbsRequest, parts: StudyContext) -> tuple[PreviewPhase, ...]:
    """Return the profiles as if each benchmark called a method near the limit."""
    benchmarks = choose_benchmarks(parts.suite, request.suite.benchmarks)
    fits = [schedules.fit_plan(request.suite.plan, benchmark) for benchmark in benchmarks]
    lengths = [*chain.from_iterable((*ROUND_SECONDS, *FURTHER_ROUND_SECONDS))]
    profiles = [
        schedules.make_profile_schedule(fit, None, seconds) for fit in fits for seconds in lengths
    ]
    return (
        planned_phase(
            "profile (at most)", 1 if count_slowed_methods(request, parts) else 0, profiles
        ),
    )


def _plan_upper_limits(request: AbsRequest, parts: StudyContext) -> tuple[PreviewPhase, ...]:
    """Return the phases of the pairs as if each benchmark called each method."""
    benchmarks = choose_benchmarks(parts.suite, request.suite.benchmarks)
    count = count_slowed_methods(request, parts)
    fits = [schedules.fit_plan(request.suite.plan, benchmark) for benchmark in benchmarks]
    rng, delay = np.random.default_rng(request.suite.seed), Delay(InjectionKind.WORK, 1)
    finer = [
        schedules.plan_calibration(fit, benchmark)
        for fit, benchmark in zip(fits, benchmarks, strict=True)
    ]
    calibrating = [schedules.make_calibration_schedule(plan, None, 1, rng) for plan in finer]
    allocating = []
    if request.allocation_bytes is not None:
        shortened = shorten_plan(request.suite.plan)
        schedule_of = [schedules.fit_plan(shortened, benchmark) for benchmark in benchmarks]
        allocation_schedules = [
            schedules.make_allocation_schedule(fit, None, 1, rng) for fit in schedule_of
        ]
        allocating = [planned_phase("allocations (at most)", count, allocation_schedules)]
    paper = request.rule is DetectionRule.PAPER
    judged = [
        schedules.make_slowed_schedule(fit, None, delay)
        if paper
        else schedules.make_pair_schedule(fit, None, delay, rng)
        for fit in fits
    ]
    runs = most_runs(request)
    times = (runs + count_corrections(request)) * request.suite.plan.forks * count
    phases = (
        *allocating,
        planned_phase("calibration (at most)", MOST_ROUNDS * count, calibrating),
        planned_phase("pairs (at most)", times, judged),
        *_further_limits(request, parts),
    )
    if paper and not request.is_interleaved:
        return phases
    plain = [schedules.make_plain_schedule(fit, None) for fit in fits]
    named = "plain among the pairs (at most)"
    plain_count = runs * request.suite.plan.forks if paper else runs
    return (*phases, planned_phase(named, plain_count if count else 0, plain))


def _further_limits(request: AbsRequest, parts: StudyContext) -> tuple[PreviewPhase, ...]:
    """Return controls and curve as if each method were detected, in the slowest benchmark."""
    if request.estimate:
        return ()
    benchmarks = choose_benchmarks(parts.suite, request.suite.benchmarks)
    fits = [schedules.fit_plan(request.suite.plan, benchmark) for benchmark in benchmarks]
    rng = np.random.default_rng(request.suite.seed)
    pair_schedules = [
        schedules.make_pair_schedule(fit, None, Delay(InjectionKind.WORK, 1), rng) for fit in fits
    ]
    slowest = [max(pair_schedules, key=schedule_seconds)]
    once = count_slowed_methods(request, parts) * request.suite.plan.forks
    further_limits = []
    if request.controls:
        times = once * most_runs(request) * request.controls
        further_limits.append(planned_phase("controls (at most)", times, slowest))
    if request.curve is not CurveMode.NONE:
        sizes = most_steps(request.slowdown or SIZES[0])
        of_all = request.curve is CurveMode.PAIRS
        times = once * (request.runs + count_corrections(request)) * sizes
        further_limits.append(
            planned_phase("curve (at most)", times, pair_schedules if of_all else slowest)
        )
    return tuple(further_limits)


def take_inventory(
    request: AbsRequest, parts: StudyContext, unlimited: ExpectedTime, verdict: AbsVerdict | None
) -> Inventory:
    """Return what `abs` would audit.

    `unlimited` is its time without a budget, `verdict` what a rehearsal says once calls are
    counted.
    """
    benchmarks = choose_benchmarks(parts.suite, parts.request.benchmarks)
    method_candidates = choose_candidates(request, parts)
    methods = method_candidates.methods_to_judge or method_candidates.methods
    slowable = [method.id for method in methods if method.refusal is None]
    places, budget = places_of(benchmarks), parts.request.budget_seconds
    hints = (
        _suggest_omission(places, unlimited, budget),
        _describe_fit(unlimited, budget, method_candidates.most_slowed),
        *(caveat.text for caveat in method_candidates.caveats),
    )
    return Inventory(
        benchmarks=places,
        methods=_list_methods(slowable, verdict),
        reason=_explain_no_methods(
            request, parts, [method.refusal for method in methods], slowable
        ),
        unusable=parts.suite.unusable,
        hints=tuple(filter(None, hints)),
    )


def _list_methods(slowable: Sequence[str], verdict: AbsVerdict | None) -> tuple[CountedMethod, ...]:
    if verdict is None:
        return tuple(CountedMethod(id=method_id) for method_id in slowable)
    return tuple(
        CountedMethod(id=method.id, calls=method.calls, benchmarks=len(method.reached_by))
        for method in verdict.methods
    )


def _explain_no_methods(
    request: AbsRequest,
    parts: StudyContext,
    refusals: Sequence[str | None],
    slowable: Sequence[str],
) -> str:
    """Say why no method can be audited, empty where one can."""
    if slowable:
        return ""
    if refusal := next(filter(None, refusals), None):
        return f"none of the {len(refusals)} methods can be slowed; the first: {refusal}"
    text = f"{parts.project.name} has no public method that can be slowed"
    if request.methods:
        return text
    return f"{text}; {parts.hidden[0] if parts.hidden else _REMEDY}"


def _describe_fit(unlimited: ExpectedTime, budget: float | None, methods: int) -> str:
    """Say how many methods a budget decides, empty where it decides all."""
    if budget is None or unlimited.high <= budget or not methods:
        return ""
    least = int(methods * budget / unlimited.high)
    most = min(methods, max(1, round(methods * budget / max(unlimited.low, 1.0))))
    count = f"{least} to {most}" if least < most else f"{most}"
    return (
        f"the budget of {format_duration(budget)} decides about {count} of {methods} methods; "
        f"without it: {unlimited.range_text}"
    )


def _suggest_omission(
    places: Sequence[tuple[str, int]], unlimited: ExpectedTime, budget: float | None
) -> str:
    """Say what to leave out of a suite that takes too long, empty where nothing stands out."""
    total, (place, count) = sum(number for _, number in places), places[0]
    is_long = unlimited.low > (LONG_SECONDS if budget is None else budget)
    if not is_long or len(places) == 1 or count < _LARGE_PART * total:
        return ""
    few = len(places) <= _MOST_PLACES + 1
    other_places = "|".join(re.escape(name) for name, _ in places[1:]) if few else ""
    option_text = (
        f": --benchmarks {shlex.quote(other_places)}"
        if other_places
        else " with --benchmarks PATTERN"
    )
    return f"{place} has {count} of {total} benchmarks; leave it out{option_text}"
