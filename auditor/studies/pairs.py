"""Calibrating and measuring pairs of a method and a benchmark."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from zlib import crc32

import numpy as np

from auditor.audits import calibration
from auditor.audits.calibration import Calibration
from auditor.core.mutant import Delay, Kind, Refused, Variant, Wait
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.request import AbsRequest
from auditor.core.subject import Method
from auditor.core.suite import Benchmark
from auditor.core.verdict import Rule
from auditor.studies import schedules
from auditor.studies.measure import measure
from auditor.studies.parts import Built, Parts
from auditor.studies.suite import Baseline

CALIBRATION_ROUNDS = 4
"""A guess, two corrections, and a check: the loop's cost is not linear in its turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A pair to be measured. `calls` is None where the reach map could not tell."""

    method: Method
    benchmark: Benchmark
    calls: float | None
    nested: bool

    @property
    def key(self) -> tuple[str, str]:
        """Return the ids of method and benchmark."""
        return self.method.id, self.benchmark.id

    def rng(self, seed: int, *more: int) -> np.random.Generator:
        """Return the generator of this pair's orders, the same whenever it is asked."""
        return np.random.default_rng([seed, *(crc32(one.encode()) for one in self.key), *more])


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRuns:
    """What was run for a pair, so far."""

    pair: Pair
    refusal: str | None = None
    calibrating: tuple[Run, ...] = field(default=(), repr=False)
    calibration: Calibration | None = None
    runs: tuple[Run, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A pair whose variant exists, and its calibration as far as it is."""

    pair: Pair
    built: Built
    asked: calibration.Asked
    runs: tuple[Run, ...] = field(default=(), repr=False)
    calibration: Calibration | None = None

    def unsettled(self, rounds: int) -> bool:
        """Tell whether another round helps, after `rounds`; what failed is not tried again."""
        if not self.pair.calls or len(self.runs) < rounds:
            return False
        return self.calibration is None if not rounds else not self._settled

    @property
    def _settled(self) -> bool:
        return self.calibration is None or self.calibration.settled

    @property
    def may_be_measured(self) -> bool:
        """Tell whether measuring makes sense: a calibration that crashed is the pair's outcome."""
        return not self.runs or self.calibration is not None

    def with_run(self, run: Run) -> "Prepared":
        """Return this with one more calibration run."""
        runs = (*self.runs, run)
        return replace(self, runs=runs, calibration=calibration.judge(runs, self.asked))

    def delay(self, slowdown: float, wait: Wait | None) -> Delay:
        """Return what the slowed blocks wait; without a calibration the clock decides in place."""
        if self.calibration is not None:
            return self.calibration.delay
        return Delay(wait if wait in (Wait.SLEEP, Wait.SPIN) else Wait.SPIN, slowdown)


class PairStudy:
    """Calibrates and measures pairs; a variant is made once for each method."""

    def __init__(
        self, request: AbsRequest, baseline: Baseline, slowdown: float, parts: Parts
    ) -> None:
        """Take what was asked, the plain suite, and v."""
        self._request = request
        self._baseline = baseline
        self._slowdown = slowdown
        self._parts = parts
        self._built: dict[tuple[Method, bool], Built | Refused] = {}

    def run(self, pairs: Sequence[Pair]) -> list[PairRuns]:
        """Calibrate all pairs, then measure them run by run, in an order drawn for each run."""
        refused, rest = [], []
        for pair in pairs:
            built = self._variant(pair)
            if isinstance(built, Refused):
                refused.append(PairRuns(pair=pair, refusal=built.reason))
            else:
                rest.append((pair, built))
        return [*refused, *self._measure(self._calibrate(rest))]

    def asked(self, pair: Pair) -> calibration.Asked:
        """Return what a calibration of this pair is to reach."""
        return calibration.Asked(
            slowdown=self._slowdown,
            calls_per_operation=pair.calls or 0.0,
            concurrency=pair.benchmark.concurrency,
            wait=self._request.wait,
        )

    def _operations(self, pair: Pair) -> int | None:
        plan = schedules.fitted(self._parts.request.plan, pair.benchmark)
        known = self._baseline.operations[pair.benchmark.id]
        plain = self._baseline.plain_seconds(pair.benchmark) or 0.0
        return schedules.probed(known, plan, plain, pair.calls) if plain and pair.calls else known

    def _variant(self, pair: Pair) -> Built | Refused:
        key = (pair.method, pair.nested)
        if key not in self._built:
            variant = Variant(Kind.DELAYED, (pair.method,), guarded=pair.nested)
            overlay = self._parts.mutator.overlay(self._parts.suite.sources, variant)
            made = overlay if isinstance(overlay, Refused) else Built(variant, overlay)
            self._built[key] = made
        return self._built[key]

    def _calibrate(self, pairs: Sequence[tuple[Pair, Built]]) -> list[Prepared]:
        """Measure t(k) and find the turns, round by round; a pair that is settled is left out."""
        known = {
            pair.key: Prepared(pair=pair, built=built, asked=self.asked(pair))
            for pair, built in pairs
        }
        for index in range(CALIBRATION_ROUNDS):
            trials = {
                trial.id: (key, trial)
                for key, prepared in known.items()
                if prepared.unsettled(index)
                for trial in [self._calibration_trial(prepared, index)]
            }
            if not trials:
                break
            name = f"calibration, round {index + 1}"
            for run in measure(name, [trial for _, trial in trials.values()], self._parts):
                key, _ = trials[run.trial.id]
                known[key] = known[key].with_run(run)
        return list(known.values())

    def _calibration_trial(self, prepared: Prepared, index: int) -> Trial:
        pair = prepared.pair
        plain = self._baseline.plain_seconds(pair.benchmark) or 0.0
        found = prepared.calibration
        turns = found.turns if found else calibration.first_turns(plain, prepared.asked)
        schedule = schedules.calibration(
            schedules.fitted(self._parts.request.plan, pair.benchmark),
            self._operations(pair),
            turns,
            pair.rng(self._parts.request.seed, 0, index),
        )
        trial = self._parts.trial(Purpose.CALIBRATION, pair.benchmark, schedule, prepared.built)
        return replace(trial, repetition=index + 1)

    def _measure(self, prepared: Sequence[Prepared]) -> list[PairRuns]:
        seed, plan = self._parts.request.seed, self._parts.request.plan
        gathered: dict[tuple[str, str], list[Run]] = {one.pair.key: [] for one in prepared}
        for repetition in range(1, self._request.runs + 1):
            order = np.random.default_rng([seed, 7, repetition]).permutation(len(prepared))
            trials = {
                trial.id: (one.pair.key, trial)
                for one in (prepared[index] for index in order)
                if one.may_be_measured
                for fork in range(1, plan.forks + 1)
                for trial in [self._pair_trial(one, repetition, fork)]
            }
            name = f"pairs, run {repetition} of {self._request.runs}"
            for run in measure(name, [trial for _, trial in trials.values()], self._parts):
                gathered[trials[run.trial.id][0]].append(run)
        return [
            PairRuns(
                pair=one.pair,
                calibrating=one.runs,
                calibration=one.calibration,
                runs=tuple(gathered[one.pair.key]),
            )
            for one in prepared
        ]

    def _pair_trial(self, one: Prepared, repetition: int, fork: int) -> Trial:
        plan = schedules.fitted(self._parts.request.plan, one.pair.benchmark)
        operations = self._operations(one.pair)
        delay = one.delay(self._slowdown, self._request.wait)
        if self._request.rule is Rule.PAPER:
            purpose, schedule = Purpose.MUTANT, schedules.slowed(plan, operations, delay)
        else:
            rng = one.pair.rng(self._parts.request.seed, repetition, fork)
            purpose, schedule = Purpose.PAIRS, schedules.pairs(plan, operations, delay, rng)
        trial = self._parts.trial(purpose, one.pair.benchmark, schedule, one.built)
        return replace(trial, repetition=repetition, fork=fork)
