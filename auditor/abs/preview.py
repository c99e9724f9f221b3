"""What `abs` would measure, and what the commands that run the unchanged suite would."""

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
from auditor.abs.study.inventory import take_inventory
from auditor.abs.study.pair import count_corrections, most_runs
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.plan import Purpose
from auditor.core.request import AbsRequest, CurveMode, DetectionRule
from auditor.measure import schedules
from auditor.measure.context import StudyContext
from auditor.measure.planning.preview import (
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
                "pairs (at most)", Purpose.PAIRS, Purpose.MUTANT, again=correction_runs
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
