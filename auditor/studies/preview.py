"""What an audit would measure, said before anything is measured.

A study without any time is a rehearsal: it looks up all that it needs, and runs nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from auditor.audits.curve import SIZES, most_steps
from auditor.audits.detection import statement_beforehand
from auditor.core.caveats import Caveat
from auditor.core.mutant import Delay, Wait
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.ports import Store
from auditor.core.request import AbsRequest, CurveMode, SeriesRequest
from auditor.core.schedule import Schedule
from auditor.core.verdict import Rule
from auditor.studies import abs_score, schedules
from auditor.studies.allocations import short
from auditor.studies.calibration import MOST_ROUNDS
from auditor.studies.methods import LARGEST_CHOICE, candidates
from auditor.studies.pair import corrections, most_runs
from auditor.studies.parts import Deadline, Parts
from auditor.studies.series import processes, schedule
from auditor.studies.suite import baseline, chosen
from auditor.studies.trial_times import expected_seconds, schedule_seconds

_CERTAIN = (Purpose.PILOT, Purpose.SUITE, Purpose.USAGE, Purpose.REACH)
"""Which processes of these there are hangs on nothing that is still to be measured."""


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
    """Return what `abs` would measure; nothing is started, the store is only read."""
    seen = _rehearsed(parts, lambda still: abs_score.audit(request, still))
    phases = _suite_phases(parts, seen)
    if request.methods is None:
        phases += (seen.phase("unit tests", Purpose.USAGE),)
    phases += (seen.phase("reach", Purpose.REACH),)
    if request.allocation_bytes is not None and not seen.lacks(*_CERTAIN):
        phases += (seen.phase("allocations", Purpose.ALLOCATION),)
    if seen.lacks(*_CERTAIN):
        phases += _upper_limits(request, parts)
    else:
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
    return Preview(phases, (said,) if said else ())


def preview_suite(parts: Parts) -> Preview:
    """Return what `stability` and `measure` would measure: the unchanged suite."""
    return Preview(_suite_phases(parts, _rehearsed(parts, baseline)), ())


def preview_series(asked: SeriesRequest, parts: Parts) -> Preview:
    """Return what `steady` and `similarity` would measure of a suite."""
    seen = _rehearsed(parts, lambda still: processes(asked, still))
    pilot = seen.phase("pilot", Purpose.PILOT)
    if pilot.known == pilot.trials:
        return Preview((pilot, seen.phase("processes", Purpose.STEADY)), ())
    benchmarks = chosen(parts.suite, parts.request.benchmarks)
    lasting = [schedule(one, asked, None, None) for one in benchmarks]
    return Preview((pilot, _phase("processes (about)", asked.plan.forks, lasting)), ())


def _suite_phases(parts: Parts, seen: "_Lookups") -> tuple[PreviewPhase, ...]:
    runs = seen.phase("suite runs", Purpose.SUITE)
    return (seen.phase("pilot", Purpose.PILOT), runs) if parts.fixed_operations else (runs,)


def _upper_limits(request: AbsRequest, parts: Parts) -> tuple[PreviewPhase, ...]:
    """Return the phases of the pairs as if each benchmark called each method."""
    benchmarks = chosen(parts.suite, request.suite.benchmarks)
    count = _counted(request, parts)
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
    once = _counted(request, parts) * request.suite.plan.forks
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


def _counted(request: AbsRequest, parts: Parts) -> int:
    """Return how many methods are slowed down, at most."""
    found = candidates(request.methods, request.popular, parts)
    methods = sum(method.refusal is None for method in found.methods)
    return methods if found.fixed else min(LARGEST_CHOICE, methods)


def _phase(name: str, times: int, schedule_of_each: Sequence[Schedule]) -> PreviewPhase:
    return PreviewPhase(
        name=name,
        trials=times * len(schedule_of_each),
        known=0,
        seconds=times * sum(map(schedule_seconds, schedule_of_each)),
    )


@dataclass(frozen=True, slots=True)
class _Lookups:
    """A store that keeps nothing, and notes what a study finds in the real one and what not."""

    store: Store
    found: dict[str, Trial] = field(default_factory=dict)
    missing: dict[str, Trial] = field(default_factory=dict)

    def add(self, run: Run) -> None:
        """Keep nothing."""

    def find(self, trial: Trial) -> Run | None:
        """Look a trial up."""
        run = self.store.find(trial)
        (self.missing if run is None else self.found)[trial.id] = trial
        return run

    def alike(self, trial: Trial) -> Sequence[Run]:
        """Look up what is alike: a calibration takes all of it, others only what they ask for."""
        runs = self.store.alike(trial)
        if trial.purpose is Purpose.CALIBRATION:
            self.found.update({run.trial.id: run.trial for run in runs})
        return runs

    def lacks(self, *purposes: Purpose) -> bool:
        """Tell whether some trial was not found."""
        return any(trial.purpose in purposes for trial in self.missing.values())

    def phase(self, name: str, *purposes: Purpose, most: int = 1, again: int = 0) -> PreviewPhase:
        """Return what was looked up; each missing trial may have to be run `most` times.

        One of a first run may have to be made `again` so many times beside that.
        """
        known = sum(trial.purpose in purposes for trial in self.found.values())
        missing = {
            trial: most + (again if trial.repetition == 1 else 0)
            for trial in self.missing.values()
            if trial.purpose in purposes
        }
        return PreviewPhase(
            name=name,
            trials=known + sum(missing.values()),
            known=known,
            seconds=sum(times * expected_seconds(trial) for trial, times in missing.items()),
        )


class _Nobody:
    """Hears nothing of a rehearsal."""

    def phase_started(self, name: str, trials: int, seconds: float) -> None:
        """Hear nothing."""

    def trial_ended(self, run: Run, *, reused: bool) -> None:
        """Hear nothing."""

    def caveat(self, caveat: Caveat) -> None:
        """Hear nothing."""


def _rehearsed(parts: Parts, study: Callable[[Parts], object]) -> _Lookups:
    seen = _Lookups(parts.store)
    study(replace(parts, store=seen, observer=_Nobody(), deadline=Deadline(parts.clock, 0)))
    return seen
