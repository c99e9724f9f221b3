"""What an audit would measure, said before anything is measured.

A study without any time is a rehearsal (`rehearsal`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from auditor.audits.comparison import LOOKS
from auditor.audits.curve import SIZES, most_steps
from auditor.audits.detection import statement_beforehand
from auditor.audits.expected_time import ExpectedTime
from auditor.core.caveats import Caveat
from auditor.core.mutant import Delay, Wait
from auditor.core.plan import Purpose
from auditor.core.request import AbsRequest, CompareRequest, CurveMode, Rule, SeriesRequest
from auditor.core.schedule import Schedule
from auditor.core.verdict import AbsVerdict
from auditor.studies import abs_score, patch, schedules
from auditor.studies.allocations import short
from auditor.studies.calibration import MOST_ROUNDS
from auditor.studies.comparison import ComparisonStudy
from auditor.studies.cpu_samples import FURTHER_ROUND_SECONDS, ROUND_SECONDS
from auditor.studies.expectation import (
    CERTAIN,
    expected_of,
    expected_of_phases,
    expected_of_suite,
    rehearse_counts,
    slowed_methods,
)
from auditor.studies.inventory import NOTHING, Inventory, inventory, places_of
from auditor.studies.pair import corrections, most_runs
from auditor.studies.parts import Parts
from auditor.studies.rehearsal import Lookups, PreviewPhase, rehearse
from auditor.studies.series import processes, schedule
from auditor.studies.suite import baseline, chosen
from auditor.studies.trial_times import schedule_seconds


@dataclass(frozen=True, slots=True)
class Preview:
    """The phases in their order; those behind the reach map are upper limits."""

    phases: tuple[PreviewPhase, ...]
    caveats: tuple[Caveat, ...]
    expected: ExpectedTime
    """The time that it is likely to take; the phases tell the most that it may."""
    inventory: Inventory = NOTHING


def preview(request: AbsRequest, parts: Parts) -> Preview:
    """Return what `abs` would measure; nothing is started, the store is only read."""
    seen, verdicts = rehearse_counts(request, parts), list[AbsVerdict]()
    if not seen.lacks(*CERTAIN):
        seen = rehearse(parts, lambda still: verdicts.append(abs_score.audit(request, still)))
    phases = _suite_phases(parts, seen)
    if request.methods is None:
        phases += (seen.phase("unit tests", Purpose.USAGE),)
    phases += (seen.phase("reach", Purpose.REACH),)
    if request.allocation_bytes is not None and not seen.lacks(*CERTAIN):
        phases += (seen.phase("allocations", Purpose.ALLOCATION),)
    sampled = request.asks_shares and not parts.unprofiled
    if seen.lacks(*CERTAIN):
        phases += _profile_limits(request, parts) if sampled else ()
        phases += _upper_limits(request, parts)
    else:
        phases += (seen.phase("profile", Purpose.PROFILE),) if sampled else ()
        # Of a pair that was not run all runs are asked for, the further ones too.
        again = corrections(request)
        phases += (
            seen.phase("calibration (at most)", Purpose.CALIBRATION, most=MOST_ROUNDS),
            seen.phase("pairs (at most)", Purpose.PAIRS, Purpose.MUTANT, again=again),
        )
        if request.rule is not Rule.PAPER or request.is_interleaved:
            named = "plain among the pairs (at most)"
            phases += (seen.phase(named, Purpose.REFERENCE),)
        if seen.lacks(Purpose.PAIRS, Purpose.MUTANT, Purpose.CALIBRATION):
            phases += _further_limits(request, parts)
    said = statement_beforehand(request)
    expected, unlimited = (expected_of(request, one, seen) for one in (parts, _unlimited(parts)))
    listed = inventory(request, parts, unlimited, verdicts[-1] if verdicts else None)
    return Preview(phases, (said,) if said else (), expected, listed)


def _unlimited(parts: Parts) -> Parts:
    """Return the parts without a budget."""
    return replace(parts, deadline=None, request=replace(parts.request, budget_seconds=None))


def preview_suite(parts: Parts) -> Preview:
    """Return what `stability` and `measure` would measure: the unchanged suite."""
    seen = rehearse(parts, baseline)
    benchmarks = chosen(parts.suite, parts.request.benchmarks)
    listed = Inventory(benchmarks=places_of(benchmarks), unusable=parts.suite.unusable)
    return Preview(_suite_phases(parts, seen), (), expected_of_suite(parts, seen), listed)


def preview_series(asked: SeriesRequest, parts: Parts) -> Preview:
    """Return what `steady` and `similarity` would measure of a suite."""
    seen = rehearse(parts, lambda still: processes(asked, still))
    pilot = seen.phase("pilot", Purpose.PILOT)
    if pilot.known == pilot.trials:
        phases = pilot, seen.phase("processes", Purpose.STEADY)
        return Preview(phases, (), expected_of_phases(parts, phases))
    benchmarks = chosen(parts.suite, parts.request.benchmarks)
    lasting = [schedule(one, asked, None, None) for one in benchmarks]
    phases = pilot, _phase("processes (about)", asked.plan.forks, lasting)
    return Preview(phases, (), expected_of_phases(parts, phases))


def preview_comparison(
    base: Parts, head: Parts, request: CompareRequest, audit: AbsRequest
) -> Preview:
    """Return what `compare` would measure at most; nothing is started, the stores are only read.

    `audit` is what the audit of the patch asks. Where nothing is suspected, four rounds are enough.
    """

    def compare(still: Parts) -> None:
        before = replace(base, store=still.store, observer=still.observer, deadline=still.deadline)
        ComparisonStudy(before, still, request).compare()

    seen = rehearse(head, compare)
    pilot = seen.phase("pilot", Purpose.PILOT)
    rounds = seen.phase("rounds (at most)", Purpose.COMPARISON)
    phases, lows, highs = [pilot, rounds], [pilot.seconds], [pilot.seconds]
    lows.append(rounds.seconds * min(1.0, LOOKS[0] / request.rounds))
    highs.append(rounds.seconds * (1 + request.fresh / request.rounds))
    names = patch.names(patch.differing(base, head)[0], request.methods, head)
    if names and head.suite.benchmarks:
        of_patch = preview(replace(audit, methods=names), replace(head, request=audit.suite))
        phases += [replace(one, name=f"patch: {one.name}") for one in of_patch.phases]
        lows.append(of_patch.expected.low)
        highs.append(of_patch.expected.high)
    budget = None if head.deadline is None else head.deadline.seconds
    both = {one.id for one in base.suite.benchmarks} & {one.id for one in head.suite.benchmarks}
    reason = "" if both else "no benchmark is in both revisions"
    listed = Inventory(reason=reason, unusable=head.suite.unusable)
    return Preview(tuple(phases), (), ExpectedTime(sum(lows), sum(highs), budget), listed)


def _suite_phases(parts: Parts, seen: "Lookups") -> tuple[PreviewPhase, ...]:
    runs = seen.phase("suite runs", Purpose.SUITE)
    return (seen.phase("pilot", Purpose.PILOT), runs) if parts.fixed_operations else (runs,)


def _profile_limits(request: AbsRequest, parts: Parts) -> tuple[PreviewPhase, ...]:
    """Return the profiles as if each benchmark called a method near the limit."""
    benchmarks = chosen(parts.suite, request.suite.benchmarks)
    fits = [schedules.fitted(request.suite.plan, one) for one in benchmarks]
    lengths = [*chain.from_iterable((*ROUND_SECONDS, *FURTHER_ROUND_SECONDS))]
    profiles = [
        schedules.profile_schedule(fit, None, seconds) for fit in fits for seconds in lengths
    ]
    return (_phase("profile (at most)", 1 if slowed_methods(request, parts) else 0, profiles),)


def _upper_limits(request: AbsRequest, parts: Parts) -> tuple[PreviewPhase, ...]:
    """Return the phases of the pairs as if each benchmark called each method."""
    benchmarks = chosen(parts.suite, request.suite.benchmarks)
    count = slowed_methods(request, parts)
    fits = [schedules.fitted(request.suite.plan, one) for one in benchmarks]
    rng, delay = np.random.default_rng(request.suite.seed), Delay(Wait.WORK, 1)
    finer = [schedules.calibrating(fit, one) for fit, one in zip(fits, benchmarks, strict=True)]
    calibrating = [schedules.calibration(plan, None, 1, rng) for plan in finer]
    allocating = []
    if request.allocation_bytes is not None:
        shortened = short(request.suite.plan)
        schedule_of = [schedules.fitted(shortened, one) for one in benchmarks]
        made = [schedules.allocating(fit, None, 1, rng) for fit in schedule_of]
        allocating = [_phase("allocations (at most)", count, made)]
    paper = request.rule is Rule.PAPER
    judged = [
        schedules.slowed(fit, None, delay) if paper else schedules.pairs(fit, None, delay, rng)
        for fit in fits
    ]
    runs = most_runs(request)
    times = (runs + corrections(request)) * request.suite.plan.forks * count
    phases = (
        *allocating,
        _phase("calibration (at most)", MOST_ROUNDS * count, calibrating),
        _phase("pairs (at most)", times, judged),
        *_further_limits(request, parts),
    )
    if paper and not request.is_interleaved:
        return phases
    plain = [schedules.plain(fit, None) for fit in fits]
    named = "plain among the pairs (at most)"
    each = runs * request.suite.plan.forks if paper else runs
    return (*phases, _phase(named, each if count else 0, plain))


def _further_limits(request: AbsRequest, parts: Parts) -> tuple[PreviewPhase, ...]:
    """Return controls and curve as if each method were noticed, in the slowest benchmark."""
    if request.estimate:
        return ()
    benchmarks = chosen(parts.suite, request.suite.benchmarks)
    fits = [schedules.fitted(request.suite.plan, one) for one in benchmarks]
    rng = np.random.default_rng(request.suite.seed)
    judged = [schedules.pairs(fit, None, Delay(Wait.WORK, 1), rng) for fit in fits]
    slowest = [max(judged, key=schedule_seconds)]
    once = slowed_methods(request, parts) * request.suite.plan.forks
    found = []
    if request.controls:
        times = once * most_runs(request) * request.controls
        found.append(_phase("controls (at most)", times, slowest))
    if request.curve is not CurveMode.NONE:
        sizes = most_steps(request.slowdown or SIZES[0])
        of_all = request.curve is CurveMode.PAIRS
        times = once * (request.runs + corrections(request)) * sizes
        found.append(_phase("curve (at most)", times, judged if of_all else slowest))
    return tuple(found)


def _phase(name: str, times: int, schedule_of_each: Sequence[Schedule]) -> PreviewPhase:
    return PreviewPhase(
        name=name,
        trials=times * len(schedule_of_each),
        known=0,
        seconds=times * sum(map(schedule_seconds, schedule_of_each)),
    )
