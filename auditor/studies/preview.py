"""What an audit would run, said before anything is run."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auditor.audits.detection import statement_beforehand
from auditor.core.caveats import Caveat
from auditor.core.mutant import Delay, Wait
from auditor.core.plan import Purpose, Trial
from auditor.core.request import AbsRequest
from auditor.core.schedule import Schedule
from auditor.studies import schedules
from auditor.studies.measure import expected_seconds, schedule_seconds
from auditor.studies.methods import LARGEST_CHOICE, candidates
from auditor.studies.pairs import CALIBRATION_ROUNDS
from auditor.studies.parts import Parts
from auditor.studies.suite import chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewPhase:
    """Processes of one kind: how many there are at most, and how long they take, roughly.

    `known` of them are in the store already.
    """

    name: str
    trials: int
    known: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Preview:
    """The phases in their order; those behind the reach map are upper limits."""

    phases: tuple[PreviewPhase, ...]
    caveats: tuple[Caveat, ...]


def preview(request: AbsRequest, parts: Parts) -> Preview:
    """Return what `abs` would run; nothing is started, the store is only read."""
    benchmarks = chosen(parts.suite, request.suite.benchmarks)
    found = candidates(request.methods, parts)
    methods = [method for method in found.methods if method.refusal is None]
    count = len(methods) if found.fixed else min(LARGEST_CHOICE, len(methods))
    plan, forks = request.suite.plan, request.suite.plan.forks
    fits = [schedules.fitted(plan, one) for one in benchmarks]
    rng = np.random.default_rng(request.suite.seed)
    pilots = [
        parts.trial(Purpose.PILOT, one, schedules.pilot(fit))
        for one, fit in zip(benchmarks, fits, strict=True)
    ]
    phases = (
        *([_known("pilot", pilots, parts)] if parts.fixed_operations else []),
        _phase(
            "suite runs",
            request.suite.stability_runs * forks,
            [schedules.plain(fit, None) for fit in fits],
        ),
        _phase("reach", 1, [schedules.counting(fit, None) for fit in fits]),
        _phase(
            "calibration (at most)",
            CALIBRATION_ROUNDS * count,
            [schedules.calibration(fit, None, 1, rng) for fit in fits],
        ),
        _phase(
            "pairs (at most)",
            request.runs * forks * count,
            [schedules.pairs(fit, None, Delay(Wait.WORK, 1), rng) for fit in fits],
        ),
    )
    said = statement_beforehand(plan, request.rule)
    return Preview(phases, (said,) if said else ())


def _known(name: str, trials: Sequence[Trial], parts: Parts) -> PreviewPhase:
    missing = [trial for trial in trials if parts.store.find(trial) is None]
    return PreviewPhase(
        name=name,
        trials=len(trials),
        known=len(trials) - len(missing),
        seconds=sum(map(expected_seconds, missing)),
    )


def _phase(name: str, times: int, schedule_of_each: Sequence[Schedule]) -> PreviewPhase:
    return PreviewPhase(
        name=name,
        trials=times * len(schedule_of_each),
        known=0,
        seconds=times * sum(map(schedule_seconds, schedule_of_each)),
    )
