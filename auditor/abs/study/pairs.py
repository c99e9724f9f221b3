"""Measuring pairs of a method and a benchmark.

`ReusableDelays` finds processes of earlier audits whose delays are as good as those that would be
run now. The turns of a delay follow from t(k), which is less by what reading the clock costs, and
that is told by all calibrations of a study: when one of them is new, the turns of all others are a
little other ones. Their processes are as good as before, as each tells itself what its delay gave.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np

from auditor.abs.judge import detection, extra_runs, paired
from auditor.abs.judge.pair import PairData
from auditor.abs.model import PairVerdict
from auditor.abs.study.calibration import (
    CalibratedPair,
    CalibrationStudy,
    group_by_method,
    plan_promising_waves,
)
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
    build_overlay,
    calls_per_second,
    count_corrections,
    most_runs,
)
from auditor.core.mutant import Delay, InjectionKind, OverlayRefusal
from auditor.core.plan import Layouts, Purpose, Run, Trial
from auditor.core.ports import Store
from auditor.core.request import AbsRequest, DetectionRule, Plan
from auditor.core.result import Verdict
from auditor.core.schedule import ArmName, EarlyStop, Schedule
from auditor.core.subject import Method
from auditor.core.suite import Benchmark
from auditor.measure import schedules
from auditor.measure.calibration import CLOSE_ENOUGH, CLOSEST, CalibrationRequest
from auditor.measure.context import BuiltVariant, Deadline, StudyContext
from auditor.measure.suite_runs import SuiteBaseline
from auditor.measure.trials import find_hung_benchmarks, measure_trials


class ReusableDelays:
    """Chooses, for all processes of a pair, the delay that earlier ones had if that is near."""

    def __init__(self, store: Store) -> None:
        """Take where the processes are."""
        self._store = store
        self._chosen: dict[str, Delay] = {}

    def reuse_delay(self, first: Trial, delay: Delay, but: Iterable[Run]) -> Delay:
        """Return what to take for the `delay` of a pair's first trial, and not that of `but`.

        It is the nearest of those whose processes differ in nothing else, and differ by no more
        turns than count as settled.
        """
        if delay.wait is not InjectionKind.WORK or not delay.number:
            return delay
        if first.id not in self._chosen:
            left_out = {run.trial.id for run in but}
            delays = [
                stored_delay
                for run in self._store.find_similar_runs(first)
                if run.trial.id not in left_out and _differ_in_delay_only(run.trial, first)
                for stored_delay in [_find_delay(run.trial.schedule)]
                if stored_delay is not None and not delays_differ(stored_delay, delay, CLOSE_ENOUGH)
            ]
            nearest = min(
                delays,
                key=lambda stored_delay: abs(stored_delay.number - delay.number),
                default=delay,
            )
            self._chosen[first.id] = nearest
        return self._chosen[first.id]


FIRST_WAVE = 2
"""Pairs of a method that are measured before anybody looks whether one detects it."""
FIRST_PAIRS = 6
"""Pairs of a method that are measured before those of the next: where so many promising ones do
not detect it, the others hardly do."""

Process = tuple[PairKey | None, Trial]
"""A process of a pair; without a key one of the unchanged suite."""

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
        for wave in _order_waves(
            pending,
            reopened,
            partial(_estimate_promise, baseline=self._baseline),
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
            self._built[key] = build_overlay(key, self._parts)
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
                    pair, ended[pair.pair.pair_key], trial_runs, is_requested=repetition <= runs
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
        is_requested: bool,
    ) -> bool:
        """Tell whether another run can matter: one of the requested runs, or a further one."""
        if not runs or find_hung_benchmarks(runs):
            return not runs
        if self._request.is_fixed:
            return True
        pair_data = self._build_pair_data(calibrated, runs, references)
        verdict = detection.judge_pair(pair_data)
        if extra_runs.is_settled(verdict, pair_data):
            return False
        return is_requested or (
            extra_runs.may_yet_decide(verdict) and extra_runs.is_within_reach(verdict)
        )

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
    ) -> list[Process]:
        """Return the processes of a run in an order drawn for it; a reference has no key."""
        forks = range(1, self._parts.request.plan.forks + 1)
        groups: list[list[Process]] = [
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
            baseline_trials = _make_interleaved_baseline(self._parts, self._baseline, plain, number)
            return _interleave_processes(
                [*(process for group in groups for process in group), *baseline_trials], seed
            )
        if not paper:
            groups += [
                [(None, _reference_trial(self._parts, self._baseline, benchmark, number))]
                for benchmark in plain
            ]
        return _shuffle_groups(groups, seed)

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


def _reference_trial(
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


def _shuffle_groups(groups: Sequence[Sequence[Process]], seed: Sequence[int]) -> list[Process]:
    """Return groups of processes that follow each other, the order of the groups drawn."""
    order = np.random.default_rng(seed).permutation(len(groups))
    return [process for index in order for process in groups[index]]


def _interleave_processes(processes: Iterable[Process], seed: Sequence[int]) -> list[Process]:
    """Return processes benchmark by benchmark, their order drawn, as that of the benchmarks.

    So what is slowed and what is not are measured near each other, and neither sooner on the whole:
    a machine that becomes slower makes the one no slower than the other.
    """
    groups: dict[Benchmark | None, list[list[Process]]] = {}
    for process in processes:
        groups.setdefault(process[1].benchmark, []).append([process])
    return _shuffle_groups(
        [_shuffle_groups(group, (*seed, place)) for place, group in enumerate(groups.values())],
        seed,
    )


def _make_interleaved_baseline(
    parts: StudyContext, baseline: SuiteBaseline, benchmarks: Iterable[Benchmark], repetition: int
) -> list[Process]:
    """Return the processes of a run of the unchanged suite, for beside those slowed."""
    return [
        (
            None,
            replace(
                _make_plain_trial(parts, baseline, benchmark), repetition=repetition, fork=fork
            ),
        )
        for benchmark in benchmarks
        for fork in range(1, parts.request.plan.forks + 1)
    ]


def _make_plain_trial(parts: StudyContext, baseline: SuiteBaseline, benchmark: Benchmark) -> Trial:
    schedule = schedules.make_plain_schedule(
        baseline.plans[benchmark.id], baseline.operations[benchmark.id]
    )
    return parts.make_trial(Purpose.REFERENCE, benchmark, schedule)


def _estimate_promise(calibrated: CalibratedPair, baseline: SuiteBaseline) -> float:
    """Return how likely a pair is to detect its method: the larger, the likelier."""
    return calls_per_second(calibrated.pair, baseline)


def _order_waves(  # noqa: PLR0913 - the pairs, and what decides their order
    pending: Sequence[CalibratedPair],
    reopened: Iterable[Sequence[CalibratedPair]],
    promise: Callable[[CalibratedPair], float],
    *,
    detected: Container[Method],
    request: AbsRequest,
    deadline: Deadline | None,
) -> Iterator[Sequence[CalibratedPair]]:
    """Yield the pairs that are calibrated and measured together, wave by wave.

    The caller adds to `detected` what a wave has detected. Once the deadline is over no wave
    follows: to plan what cannot be run takes time, too. `reopened` pairs come last.
    """
    matrix = request.estimate or not request.score_only
    first: Iterable[Sequence[CalibratedPair]]
    if not matrix:
        first = plan_promising_waves(pending, promise)
    elif deadline is None:
        first = [pending]
    else:
        first = _plan_deciding_waves(pending, promise, detected)
    for wave in chain(first, reopened):
        if deadline is not None and deadline.is_over:
            return
        if matrix and deadline is not None:
            yield wave
        else:
            yield [pair for pair in wave if pair.pair.method not in detected]


def _plan_deciding_waves(
    pairs: Sequence[CalibratedPair],
    promise: Callable[[CalibratedPair], float],
    detected: Container[Method],
) -> Iterator[Sequence[CalibratedPair]]:
    """Yield waves of pairs: method by method until it is decided, then all that is left.

    A method is decided once it is in `detected`, or has no pairs left. Its pairs of the largest
    `promise` come first, in waves that double. What is left are further pairs of methods that
    nothing has detected, then those of the others.
    """
    rest = []
    for method_pairs in group_by_method(pairs):
        ordered = sorted(method_pairs, key=promise, reverse=True)
        begin, size = 0, FIRST_WAVE
        while begin < min(len(ordered), FIRST_PAIRS):
            if begin and ordered[0].pair.method in detected:
                break
            yield ordered[begin : begin + size]
            begin, size = begin + size, 2 * size
        if begin < len(ordered):
            rest.append(ordered[begin:])
    yield from sorted(
        rest, key=lambda calibrated_pairs: calibrated_pairs[0].pair.method in detected
    )


def delays_differ(first: Delay, second: Delay, share: float) -> bool:
    """Tell whether two delays differ, turns by more than a share."""
    if first.wait is not InjectionKind.WORK or second.wait is not InjectionKind.WORK:
        return first != second
    return abs(first.number - second.number) > share * min(first.number, second.number)


def _differ_in_delay_only(first: Trial, second: Trial) -> bool:
    """Compare all else; when a process may end is not known of one that the store has."""
    arms, stop = second.schedule.arms, second.schedule.stop
    return replace(first, schedule=replace(first.schedule, arms=arms, stop=stop)).id == second.id


def _find_delay(schedule: Schedule) -> Delay | None:
    return next((arm.delay for arm in schedule.arms if arm.name is ArmName.SLOWED), None)
