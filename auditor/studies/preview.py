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
from auditor.studies.measure import expected_seconds
from auditor.studies.methods import LARGEST_CHOICE, candidates
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
    plan = request.suite.plan
    benchmarks = chosen(parts.suite, request.suite.benchmarks)
    found = candidates(request.methods, parts)
    methods = [method for method in found.methods if method.refusal is None]
    count = len(methods) if found.fixed else min(LARGEST_CHOICE, len(methods))
    pairs = count * len(benchmarks)
    rng = np.random.default_rng(request.suite.seed)
    delay = Delay(Wait.WORK, 1)
    pilots = [parts.trial(Purpose.PILOT, one, schedules.pilot(plan)) for one in benchmarks]
    pilot_phase = [_known("pilot", pilots, parts)] if parts.fixed_operations else []
    runs = request.suite.stability_runs * len(benchmarks) * plan.forks
    measured = request.runs * plan.forks * pairs
    phases = (
        *pilot_phase,
        _phase("suite runs", runs, schedules.plain(plan, None)),
        _phase("reach", len(benchmarks), schedules.counting(plan, None)),
        _phase("calibration (at most)", 3 * pairs, schedules.calibration(plan, None, 1, rng)),
        _phase("pairs (at most)", measured, schedules.pairs(plan, None, delay, rng)),
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


def _phase(name: str, trials: int, schedule: Schedule) -> PreviewPhase:
    seconds = trials * (0.5 + len(schedule.blocks) * schedule.seconds)
    return PreviewPhase(name=name, trials=trials, known=0, seconds=seconds)
