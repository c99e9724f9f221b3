"""One more allocation per call, in one short process for each reached pair."""

from collections.abc import Mapping, Sequence
from math import ceil

from auditor.abs.judge import allocations
from auditor.abs.judge.allocations import PAIRS, AllocationData
from auditor.abs.model import AllocationPair
from auditor.abs.study.pair import PairKey, StudyPair, build_overlay, choose_block_operations
from auditor.core.mutant import OverlayRefusal
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.request import Plan
from auditor.measure import schedules
from auditor.measure.context import BuiltVariant, StudyContext
from auditor.measure.suite_runs import SuiteBaseline
from auditor.measure.trials import measure_trials

BLOCK_SECONDS = 0.01
"""Counts hardly scatter, so blocks are short: an allocation is the same in each call."""
WARM_SHARE = 0.25
"""Of the warm-up of a timed process: code has to be compiled, but not to be as fast as it gets."""


def shorten_plan(plan: Plan) -> Plan:
    """Return the plan of a process in which nothing is timed."""
    block = min(BLOCK_SECONDS, plan.iteration_seconds)
    warm = WARM_SHARE * plan.warmup * plan.iteration_seconds
    return Plan(forks=1, warmup=ceil(warm / block), iterations=PAIRS, iteration_seconds=block)


def study_allocations(
    size: int, pairs: Sequence[StudyPair], baseline: SuiteBaseline, parts: StudyContext
) -> tuple[AllocationPair, ...]:
    """Judge `pairs` by allocations of `size` bytes; what the deadline prevented is unmeasured.

    The variants are those that are slowed down, so nothing is built for this alone.
    """
    built = {key: build_overlay(key, parts) for key in {pair.variant_key: None for pair in pairs}}
    trials = {
        pair.pair_key: _make_trial(size, pair, variant, baseline, parts)
        for pair in pairs
        for variant in [built[pair.variant_key]]
        if isinstance(variant, BuiltVariant)
    }
    ended = _run_trials(trials, parts)
    return tuple(
        allocations.judge_allocation_pair(
            AllocationData(
                method=pair.method.id,
                benchmark=pair.benchmark,
                bytes=size,
                reach=pair.reach,
                refusal=refusal.reason if isinstance(refusal, OverlayRefusal) else None,
                run=ended.get(pair.pair_key),
                plain=baseline.list_runs(pair.benchmark),
            )
        )
        for pair in pairs
        for refusal in [built[pair.variant_key]]
    )


def _make_trial(
    size: int, pair: StudyPair, built: BuiltVariant, baseline: SuiteBaseline, parts: StudyContext
) -> Trial:
    plan = schedules.fit_plan(shorten_plan(parts.request.plan), pair.benchmark)
    schedule = schedules.make_allocation_schedule(
        plan,
        choose_block_operations(pair, baseline, plan),
        size,
        pair.make_rng(parts.request.seed, 0, 0, size),
    )
    return parts.make_trial(Purpose.ALLOCATION, pair.benchmark, schedule, built)


def _run_trials(trials: Mapping[PairKey, Trial], parts: StudyContext) -> dict[PairKey, Run]:
    keys = {trial.id: key for key, trial in trials.items()}
    if not keys:
        return {}
    runs = measure_trials("allocations", list(trials.values()), parts)
    return {keys[run.trial.id]: run for run in runs}
