"""Measuring pairs of a method and a benchmark."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from auditor.abs.judge import detection, extra_runs, paired
from auditor.abs.judge.pair import PairData
from auditor.abs.model import PairVerdict
from auditor.abs.study import trial_order, variants
from auditor.abs.study.calibration import CalibratedPair, CalibrationStudy
from auditor.abs.study.pair import (
    MAIN,
    PairAnalysis,
    PairKey,
    PairRuns,
    SampledPairs,
    StudyManner,
    StudyPair,
    StudyRuns,
    VariantKey,
    corrections,
    most_runs,
)
from auditor.abs.study.pair_order import detection_promise, ordered_waves
from auditor.abs.study.reference_trials import reference_trial
from auditor.abs.study.reusable_delays import ReusableDelays, delays_differ
from auditor.core.mutant import Delay, InjectionKind, OverlayRefusal
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.request import DetectionRule, Plan
from auditor.core.result import Verdict
from auditor.core.schedule import EarlyStop
from auditor.core.subject import Method
from auditor.measure import schedules
from auditor.measure.calibration import CLOSEST, CalibrationRequest
from auditor.measure.context import BuiltVariant, StudyContext
from auditor.measure.trials import hung, measure

Ended = Mapping[PairKey, list[Run]]
"""The processes of each pair that were made so far."""


class PairStudy:
    """Calibrates and measures pairs; a variant is made once for each method."""

    def __init__(
        self,
        analysis: PairAnalysis,
        slowdown: float,
        parts: StudyContext,
        manner: StudyManner = MAIN,
    ) -> None:
        """Take what was asked, and v."""
        self._manner = manner
        self._analysis = analysis
        self._request = analysis.request
        self._baseline = analysis.baseline
        self._slowdown = slowdown
        self._parts = parts
        self._built: dict[VariantKey, BuiltVariant | OverlayRefusal] = {}
        self._corrected: dict[PairKey, CalibratedPair] = {}
        self._calibrating = CalibrationStudy(analysis, parts)
        self._near = ReusableDelays(parts.store)

    def take_samples(self, sampling: SampledPairs) -> None:
        """Judge from now on by the samples of the unchanged benchmarks, too."""
        self._analysis = replace(self._analysis, sampling=sampling)
        self._calibrating = CalibrationStudy(self._analysis, self._parts)

    def run(self, pairs: Sequence[StudyPair]) -> StudyRuns:
        """Calibrate the pairs, then measure them run by run, in an order drawn for each run.

        For the score alone that is done wave by wave: a method that is detected needs no further.
        """
        refused, pending = [], []
        for pair in pairs:
            built = self.variant(pair.variant)
            if isinstance(built, OverlayRefusal):
                refused.append(PairRuns(pair=pair, refusal=built.reason))
            else:
                pending.append(self._pending(pair, built))
        last = {calibrated_pair.pair.key: calibrated_pair for calibrated_pair in pending}
        ended: dict[PairKey, list[Run]] = {key: [] for key in last}
        references: dict[str, Run] = {}
        detected: set[Method] = set()
        reopened = self._calibrating.reopened(last, ended, references)
        for wanted in ordered_waves(
            pending,
            reopened,
            partial(detection_promise, baseline=self._baseline),
            detected=detected,
            request=self._request,
            deadline=self._parts.deadline,
        ):
            runs = self._so_far(references)
            missing = self._calibrating.run(wanted, runs)
            last |= {calibrated_pair.pair.key: calibrated_pair for calibrated_pair in missing}
            if not self._request.estimate:
                ready = self._calibrating.undecided(missing, runs)
                # A calibration that the time cut off may know the delays of another slowdown only.
                ready = [
                    calibrated_pair for calibrated_pair in ready if not calibrated_pair.unsettled
                ]
                self._measure_wave(ready, ended, references)
                detected |= self._detected(missing, ended, self._so_far(references))
        last |= self._corrected
        measured = (calibrated_pair.pair_runs(ended[key]) for key, calibrated_pair in last.items())
        return StudyRuns(pairs=(*refused, *measured), references=tuple(references.values()))

    def first_trial(self, pairs: Sequence[StudyPair], built: BuiltVariant) -> Trial | None:
        """Return the first process that is to be run of some pairs, None if none is."""
        pending = (self._pending(pair, built) for pair in pairs)
        calibrated_pair = next(
            (pair for pair in pending if not self._calibrating.is_decided(pair)), None
        )
        if calibrated_pair is None:
            return None
        return (
            self._calibrating.next_trial(calibrated_pair)
            if calibrated_pair.unsettled
            else self._pair_trial(calibrated_pair, 1, 1)
        )

    def _pending(self, pair: StudyPair, built: BuiltVariant) -> CalibratedPair:
        """Return a pair of which nothing is known, with what its calibration is to reach."""
        request = CalibrationRequest(
            slowdown=self._slowdown,
            calls_per_operation=pair.calls or 0.0,
            concurrency=pair.benchmark.concurrency,
            wait=self._request.wait,
            verified=self._manner.thorough,
        )
        inlined = built.variant.beside and not self._parts.is_always_called(pair.method)
        calibrated_pair = CalibratedPair(pair=pair, built=built, asked=request, inlined=inlined)
        runs = self._manner.known.get(pair.key)
        return calibrated_pair.with_runs(runs) if runs else calibrated_pair

    def variant(self, key: VariantKey) -> BuiltVariant | OverlayRefusal:
        """Return what makes a variant, or why there is none."""
        if key not in self._built:
            self._built[key] = variants.build_overlay(key, self._parts)
        return self._built[key]

    def _detected(
        self, missing: Sequence[CalibratedPair], ended: Ended, references: Sequence[Run]
    ) -> set[Method]:
        return {
            pair.pair.method
            for pair in missing
            if self._judged(pair, ended[pair.pair.key], references).outcome is Verdict.DETECTED
        }

    def _measure_wave(
        self,
        ready: Sequence[CalibratedPair],
        ended: dict[PairKey, list[Run]],
        references: dict[str, Run],
    ) -> None:
        """Measure pairs run by run; what hung in a run is left out of the next."""
        runs = self._request.runs
        most = most_runs(self._request) if self._manner.thorough else runs
        for repetition in range(1, most + 1):
            trial_runs = self._so_far(references)
            ready = [
                pair
                for pair in ready
                if self._is_open(pair, ended[pair.pair.key], trial_runs, asked=repetition <= runs)
            ]
            trials = {
                trial.id: (key, trial)
                for key, trial in self._trials(ready, ended, trial_runs, repetition)
            }
            if not trials:
                break
            asked = f"run {repetition} of {runs}"
            asked = asked if repetition <= runs else f"further run {repetition - runs}"
            name = f"{self._manner.name}, {asked}"
            for run in measure(name, [trial for _, trial in trials.values()], self._parts):
                key, _ = trials[run.trial.id]
                if key is None:
                    references[run.trial.id] = run
                else:
                    ended[key].append(run)
            if repetition == 1:
                ready = self._correct(ready, ended, self._so_far(references))

    def _so_far(self, references: Mapping[str, Run]) -> tuple[Run, ...]:
        """Return the references; those of the verdicts are also what layouts are known by."""
        runs = tuple(references.values())
        if self._manner is MAIN:
            self._analysis = self._analysis.with_references(runs)
        return runs

    def _correct(
        self,
        ready: Sequence[CalibratedPair],
        ended: dict[PairKey, list[Run]],
        references: Sequence[Run],
    ) -> list[CalibratedPair]:
        """Measure again, with other turns, what had another slowdown than asked for.

        The blocks of a pair tell what turns give better than those of a calibration.
        """
        found = {pair.pair.key: pair for pair in ready}
        forks = range(1, self._parts.request.plan.forks + 1)
        for _ in range(corrections(self._request)):
            off = {
                key: pair.corrected(ended[key])
                for key, pair in found.items()
                if self._missed_its_aim(pair, ended[key], references)
            }
            trials = {
                trial.id: (key, trial)
                for key, pair in off.items()
                for trial in (self._pair_trial(pair, 1, fork) for fork in forks)
            }
            again: dict[PairKey, list[Run]] = {}
            name = f"{self._manner.name}, turns corrected"
            for run in measure(name, [trial for _, trial in trials.values()], self._parts):
                again.setdefault(trials[run.trial.id][0], []).append(run)
            found |= {key: off[key] for key in again}
            ended |= again
            if not again:
                break
        self._corrected |= found
        return list(found.values())

    def _missed_its_aim(
        self, calibrated: CalibratedPair, runs: Sequence[Run], references: Sequence[Run]
    ) -> bool:
        if self._analysis.control:
            return False
        wait, data = self._request.wait, self._analysis.data(calibrated.pair_runs(runs), ())
        if calibrated.delay(wait).wait is not InjectionKind.WORK:
            return False
        verdict = self._judged(calibrated, runs, references)
        thorough = self._manner.thorough
        near = thorough and extra_runs.is_off_near_the_threshold(verdict, self._slowdown)
        other = delays_differ(
            calibrated.corrected(runs).delay(wait), calibrated.delay(wait), CLOSEST
        )
        return other and (near or paired.missed_its_aim(data))

    def _is_open(
        self,
        calibrated: CalibratedPair,
        runs: Sequence[Run],
        references: Sequence[Run],
        *,
        asked: bool,
    ) -> bool:
        """Tell whether another run can matter, one that was `asked` for or a further one."""
        if not runs or hung(runs):
            return not runs
        if self._request.is_fixed:
            return True
        data = self._data(calibrated, runs, references)
        verdict = detection.judge_pair(data)
        if extra_runs.is_settled(verdict, data):
            return False
        return asked or (extra_runs.may_yet_decide(verdict) and extra_runs.is_within_reach(verdict))

    def _judged(
        self, calibrated: CalibratedPair, runs: Sequence[Run], plain: Sequence[Run]
    ) -> PairVerdict:
        return detection.judge_pair(self._data(calibrated, runs, plain))

    def _data(
        self, pair: CalibratedPair, runs: Sequence[Run], references: Sequence[Run]
    ) -> PairData:
        pair = self._corrected.get(pair.pair.key, pair)
        trial_runs = [run for run in references if run.trial.benchmark == pair.pair.benchmark]
        return self._analysis.data(pair.pair_runs(runs), trial_runs)

    def _trials(
        self, ready: Sequence[CalibratedPair], ended: Ended, runs: Sequence[Run], repetition: int
    ) -> list[trial_order.Process]:
        """Return the processes of a run in an order drawn for it; a reference has no key."""
        forks = range(1, self._parts.request.plan.forks + 1)
        groups: list[list[trial_order.Process]] = [
            [(pair.pair.key, self._pair_trial(pair, repetition, fork)) for fork in forks]
            for pair in ready
        ]
        seed = (self._parts.request.seed, 7, repetition)
        paper = self._request.rule is DetectionRule.PAPER
        data = [self._data(pair, ended[pair.pair.key], runs) for pair in ready]
        wanted = dict.fromkeys(
            pair_data.benchmark for pair_data in data if paper or extra_runs.needs_plain(pair_data)
        )
        plain = [benchmark for benchmark in wanted if benchmark not in hung(runs)]
        number = self._manner.first_run + repetition
        if self._request.is_interleaved:
            among = trial_order.interleaved_baseline(self._parts, self._baseline, plain, number)
            return trial_order.interleave_processes(
                [*(each for group in groups for each in group), *among], seed
            )
        if not paper:
            groups += [
                [(None, reference_trial(self._parts, self._baseline, benchmark, number))]
                for benchmark in plain
            ]
        return trial_order.shuffle_groups(groups, seed)

    def _pair_trial(self, calibrated: CalibratedPair, repetition: int, fork: int) -> Trial:
        """Return a process of a pair; where it is corrected, of no delay that was wrong."""
        delay = calibrated.delay(self._request.wait)
        if self._analysis.control:
            delay = replace(delay, number=0)
        elif not self._request.exact:
            delay = self._near.of(self._with_delay(calibrated, delay, 1, 1), delay, calibrated.runs)
        return self._with_delay(calibrated, delay, repetition, fork)

    def _with_delay(
        self, calibrated: CalibratedPair, delay: Delay, repetition: int, fork: int
    ) -> Trial:
        plan = calibrated.plan(self._baseline, self._request)
        done = calibrated.operations(plan, self._baseline, self._request.wait)
        repetition += self._manner.first_run
        if self._request.rule is DetectionRule.PAPER:
            purpose, schedule = Purpose.MUTANT, schedules.slowed(plan, done, delay)
        else:
            rng = calibrated.pair.rng(self._parts.request.seed, repetition, fork)
            longest = replace(plan, iterations=self._manner.at_most * plan.iterations)
            stop = self._stop(calibrated, longest)
            plan = plan if stop is None else longest
            beside = calibrated.built.variant.beside
            schedule = schedules.pairs(plan, done, delay, rng, beside=beside)
            purpose, schedule = Purpose.PAIRS, replace(schedule, stop=stop)
        trial = self._parts.trial(purpose, calibrated.pair.benchmark, schedule, calibrated.built)
        return replace(trial, repetition=repetition, fork=fork)

    def _stop(self, calibrated: CalibratedPair, plan: Plan) -> EarlyStop | None:
        if self._request.exact:
            return None
        return paired.stopping_rule(
            self._analysis.data(calibrated.pair_runs(()), ()), plan.iterations
        )
