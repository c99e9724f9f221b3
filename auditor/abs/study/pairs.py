"""Measuring pairs of a method and a benchmark."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

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
    StudyPair,
    StudyRuns,
    StudySettings,
    VariantKey,
    count_corrections,
    most_runs,
)
from auditor.abs.study.pair_order import estimate_promise, order_waves
from auditor.abs.study.reusable_delays import ReusableDelays, delays_differ
from auditor.core.mutant import Delay, InjectionKind, OverlayRefusal
from auditor.core.plan import Layouts, Purpose, Run, Trial
from auditor.core.request import DetectionRule, Plan
from auditor.core.result import Verdict
from auditor.core.schedule import EarlyStop
from auditor.core.subject import Method
from auditor.core.suite import Benchmark
from auditor.measure import schedules
from auditor.measure.calibration import CLOSEST, CalibrationRequest
from auditor.measure.context import BuiltVariant, StudyContext
from auditor.measure.suite_runs import SuiteBaseline
from auditor.measure.trials import find_hung_benchmarks, measure_trials

_LARGEST_LAYOUT = 2**31 - 1

RunsByPair = Mapping[PairKey, list[Run]]
"""The processes of each pair that were made so far."""


class PairStudy:
    """Calibrates and measures pairs; a variant is made once for each method."""

    def __init__(
        self,
        analysis: PairAnalysis,
        slowdown: float,
        parts: StudyContext,
        manner: StudySettings = MAIN,
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

    def measure_pairs(self, pairs: Sequence[StudyPair]) -> StudyRuns:
        """Calibrate the pairs, then measure them run by run, in an order drawn for each run.

        For the score alone that is done wave by wave: a method that is detected needs no further.
        """
        refused, pending = [], []
        for pair in pairs:
            built = self.build_variant(pair.variant_key)
            if isinstance(built, OverlayRefusal):
                refused.append(PairRuns(pair=pair, refusal=built.reason))
            else:
                pending.append(self._prepare_pair(pair, built))
        last = {calibrated_pair.pair.pair_key: calibrated_pair for calibrated_pair in pending}
        ended: dict[PairKey, list[Run]] = {key: [] for key in last}
        references: dict[str, Run] = {}
        detected_methods: set[Method] = set()
        reopened = self._calibrating.reopen_pairs(last, ended, references)
        for wave in order_waves(
            pending,
            reopened,
            partial(estimate_promise, baseline=self._baseline),
            detected=detected_methods,
            request=self._request,
            deadline=self._parts.deadline,
        ):
            runs = self._list_references(references)
            calibrated_pairs = self._calibrating.calibrate_pairs(wave, runs)
            last |= {pair.pair.pair_key: pair for pair in calibrated_pairs}
            if not self._request.estimate:
                undecided_pairs = self._calibrating.select_undecided(calibrated_pairs, runs)
                # A calibration that the time cut off may know the delays of another slowdown only.
                undecided_pairs = [pair for pair in undecided_pairs if not pair.needs_calibration]
                self._measure_wave(undecided_pairs, ended, references)
                detected_methods |= self._find_detected_methods(
                    calibrated_pairs, ended, self._list_references(references)
                )
        last |= self._corrected
        measured = (calibrated_pair.pair_runs(ended[key]) for key, calibrated_pair in last.items())
        return StudyRuns(pairs=(*refused, *measured), references=tuple(references.values()))

    def make_first_trial(self, pairs: Sequence[StudyPair], built: BuiltVariant) -> Trial | None:
        """Return the first process that is to be run of some pairs, None if none is."""
        pending = (self._prepare_pair(pair, built) for pair in pairs)
        calibrated_pair = next(
            (pair for pair in pending if not self._calibrating.is_decided(pair)), None
        )
        if calibrated_pair is None:
            return None
        return (
            self._calibrating.make_next_trial(calibrated_pair)
            if calibrated_pair.needs_calibration
            else self._make_pair_trial(calibrated_pair, 1, 1)
        )

    def _prepare_pair(self, pair: StudyPair, built: BuiltVariant) -> CalibratedPair:
        """Return a pair of which nothing is known, with what its calibration is to reach."""
        request = CalibrationRequest(
            slowdown=self._slowdown,
            calls_per_operation=pair.calls_per_operation or 0.0,
            concurrency=pair.benchmark.concurrency,
            wait=self._request.wait,
            verified=self._manner.thorough,
        )
        inlined = built.variant.has_plain_blocks and not self._parts.is_always_called(pair.method)
        calibrated_pair = CalibratedPair(pair=pair, built=built, request=request, inlined=inlined)
        runs = self._manner.stored_runs.get(pair.pair_key)
        return calibrated_pair.with_runs(runs) if runs else calibrated_pair

    def build_variant(self, key: VariantKey) -> BuiltVariant | OverlayRefusal:
        """Return what makes a variant, or why there is none."""
        if key not in self._built:
            self._built[key] = variants.build_overlay(key, self._parts)
        return self._built[key]

    def _find_detected_methods(
        self, missing: Sequence[CalibratedPair], ended: RunsByPair, references: Sequence[Run]
    ) -> set[Method]:
        return {
            pair.pair.method
            for pair in missing
            if self._judge_pair(pair, ended[pair.pair.pair_key], references).outcome
            is Verdict.DETECTED
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
            trial_runs = self._list_references(references)
            ready = [
                pair
                for pair in ready
                if self._is_open(
                    pair, ended[pair.pair.pair_key], trial_runs, asked=repetition <= runs
                )
            ]
            trials = {
                trial.id: (key, trial)
                for key, trial in self._order_trials(ready, ended, trial_runs, repetition)
            }
            if not trials:
                break
            run_label = f"run {repetition} of {runs}"
            run_label = run_label if repetition <= runs else f"further run {repetition - runs}"
            name = f"{self._manner.name}, {run_label}"
            for run in measure_trials(name, [trial for _, trial in trials.values()], self._parts):
                key, _ = trials[run.trial.id]
                if key is None:
                    references[run.trial.id] = run
                else:
                    ended[key].append(run)
            if repetition == 1:
                ready = self._correct_delays(ready, ended, self._list_references(references))

    def _list_references(self, references: Mapping[str, Run]) -> tuple[Run, ...]:
        """Return the references; those of the verdicts are also what layouts are known by."""
        runs = tuple(references.values())
        if self._manner is MAIN:
            self._analysis = self._analysis.with_references(runs)
        return runs

    def _correct_delays(
        self,
        ready: Sequence[CalibratedPair],
        ended: dict[PairKey, list[Run]],
        references: Sequence[Run],
    ) -> list[CalibratedPair]:
        """Measure again, with other turns, what had another slowdown than asked for.

        The blocks of a pair tell what turns give better than those of a calibration.
        """
        pairs_by_key = {pair.pair.pair_key: pair for pair in ready}
        forks = range(1, self._parts.request.plan.forks + 1)
        for _ in range(count_corrections(self._request)):
            wrong_pairs = {
                key: pair.correct_delay(ended[key])
                for key, pair in pairs_by_key.items()
                if self._needs_correction(pair, ended[key], references)
            }
            trials = {
                trial.id: (key, trial)
                for key, pair in wrong_pairs.items()
                for trial in (self._make_pair_trial(pair, 1, fork) for fork in forks)
            }
            corrected_runs: dict[PairKey, list[Run]] = {}
            name = f"{self._manner.name}, turns corrected"
            for run in measure_trials(name, [trial for _, trial in trials.values()], self._parts):
                corrected_runs.setdefault(trials[run.trial.id][0], []).append(run)
            pairs_by_key |= {key: wrong_pairs[key] for key in corrected_runs}
            ended |= corrected_runs
            if not corrected_runs:
                break
        self._corrected |= pairs_by_key
        return list(pairs_by_key.values())

    def _needs_correction(
        self, calibrated: CalibratedPair, runs: Sequence[Run], references: Sequence[Run]
    ) -> bool:
        if self._analysis.control:
            return False
        wait, pair_data = (
            self._request.wait,
            self._analysis.build_pair_data(calibrated.pair_runs(runs), ()),
        )
        if calibrated.choose_delay(wait).wait is not InjectionKind.WORK:
            return False
        verdict = self._judge_pair(calibrated, runs, references)
        thorough = self._manner.thorough
        is_correctable = thorough and extra_runs.may_correction_decide(verdict, self._slowdown)
        has_new_delay = delays_differ(
            calibrated.correct_delay(runs).choose_delay(wait),
            calibrated.choose_delay(wait),
            CLOSEST,
        )
        return has_new_delay and (is_correctable or paired.has_wrong_slowdown(pair_data))

    def _is_open(
        self,
        calibrated: CalibratedPair,
        runs: Sequence[Run],
        references: Sequence[Run],
        *,
        asked: bool,
    ) -> bool:
        """Tell whether another run can matter, one that was `asked` for or a further one."""
        if not runs or find_hung_benchmarks(runs):
            return not runs
        if self._request.is_fixed:
            return True
        pair_data = self._build_pair_data(calibrated, runs, references)
        verdict = detection.judge_pair(pair_data)
        if extra_runs.is_settled(verdict, pair_data):
            return False
        return asked or (extra_runs.may_yet_decide(verdict) and extra_runs.is_within_reach(verdict))

    def _judge_pair(
        self, calibrated: CalibratedPair, runs: Sequence[Run], plain: Sequence[Run]
    ) -> PairVerdict:
        return detection.judge_pair(self._build_pair_data(calibrated, runs, plain))

    def _build_pair_data(
        self, pair: CalibratedPair, runs: Sequence[Run], references: Sequence[Run]
    ) -> PairData:
        pair = self._corrected.get(pair.pair.pair_key, pair)
        trial_runs = [run for run in references if run.trial.benchmark == pair.pair.benchmark]
        return self._analysis.build_pair_data(pair.pair_runs(runs), trial_runs)

    def _order_trials(
        self,
        ready: Sequence[CalibratedPair],
        ended: RunsByPair,
        runs: Sequence[Run],
        repetition: int,
    ) -> list[trial_order.Process]:
        """Return the processes of a run in an order drawn for it; a reference has no key."""
        forks = range(1, self._parts.request.plan.forks + 1)
        groups: list[list[trial_order.Process]] = [
            [(pair.pair.pair_key, self._make_pair_trial(pair, repetition, fork)) for fork in forks]
            for pair in ready
        ]
        seed = (self._parts.request.seed, 7, repetition)
        paper = self._request.rule is DetectionRule.PAPER
        all_pair_data = [
            self._build_pair_data(pair, ended[pair.pair.pair_key], runs) for pair in ready
        ]
        plain_candidates = dict.fromkeys(
            pair_data.benchmark
            for pair_data in all_pair_data
            if paper or extra_runs.needs_plain(pair_data)
        )
        plain = [
            benchmark
            for benchmark in plain_candidates
            if benchmark not in find_hung_benchmarks(runs)
        ]
        number = self._manner.first_run + repetition
        if self._request.is_interleaved:
            baseline_trials = trial_order.make_interleaved_baseline(
                self._parts, self._baseline, plain, number
            )
            return trial_order.interleave_processes(
                [*(process for group in groups for process in group), *baseline_trials], seed
            )
        if not paper:
            groups += [
                [(None, reference_trial(self._parts, self._baseline, benchmark, number))]
                for benchmark in plain
            ]
        return trial_order.shuffle_groups(groups, seed)

    def _make_pair_trial(self, calibrated: CalibratedPair, repetition: int, fork: int) -> Trial:
        """Return a process of a pair; where it is corrected, of no delay that was wrong."""
        delay = calibrated.choose_delay(self._request.wait)
        if self._analysis.control:
            delay = replace(delay, number=0)
        elif not self._request.exact:
            delay = self._near.reuse_delay(
                self._make_delayed_trial(calibrated, delay, 1, 1), delay, calibrated.runs
            )
        return self._make_delayed_trial(calibrated, delay, repetition, fork)

    def _make_delayed_trial(
        self, calibrated: CalibratedPair, delay: Delay, repetition: int, fork: int
    ) -> Trial:
        plan = calibrated.choose_plan(self._baseline, self._request)
        operations = calibrated.fit_operations(plan, self._baseline, self._request.wait)
        repetition += self._manner.first_run
        if self._request.rule is DetectionRule.PAPER:
            purpose, schedule = (
                Purpose.MUTANT,
                schedules.make_slowed_schedule(plan, operations, delay),
            )
        else:
            rng = calibrated.pair.make_rng(self._parts.request.seed, repetition, fork)
            longest = replace(plan, iterations=self._manner.at_most * plan.iterations)
            stop = self._plan_early_stop(calibrated, longest)
            plan = plan if stop is None else longest
            has_plain_blocks = calibrated.built.variant.has_plain_blocks
            schedule = schedules.make_pair_schedule(
                plan, operations, delay, rng, with_plain=has_plain_blocks
            )
            purpose, schedule = Purpose.PAIRS, replace(schedule, stop=stop)
        trial = self._parts.make_trial(
            purpose, calibrated.pair.benchmark, schedule, calibrated.built
        )
        return replace(trial, repetition=repetition, fork=fork)

    def _plan_early_stop(self, calibrated: CalibratedPair, plan: Plan) -> EarlyStop | None:
        if self._request.exact:
            return None
        return paired.plan_early_stop(
            self._analysis.build_pair_data(calibrated.pair_runs(()), ()), plan.iterations
        )


def reference_trial(
    parts: StudyContext, baseline: SuiteBaseline, benchmark: Benchmark, repetition: int
) -> Trial:
    """Return the plain process of a benchmark in a run of the pairs.

    All benchmarks of a run have the same layout, so that it is built once for each package. The
    runs of the suite, which tell how stable it is, are of the user's own build instead.
    """
    plan = baseline.plans[benchmark.id]
    schedule = schedules.make_plain_schedule(plan, baseline.operations[benchmark.id])
    trial = parts.make_trial(Purpose.REFERENCE, benchmark, schedule)
    layout = 0
    if parts.layouts is Layouts.DRAWN:
        rng = np.random.default_rng([parts.request.seed, 8, repetition])
        layout = int(rng.integers(1, _LARGEST_LAYOUT, endpoint=True))
    return replace(trial, repetition=repetition, layout=layout)
