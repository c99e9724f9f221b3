"""How long each method takes in each benchmark, and what delay makes it as slow as asked."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, zip_longest
from statistics import median

from auditor.abs.judge import distortion
from auditor.abs.judge.prediction import predict_share
from auditor.abs.study.pair import (
    PairAnalysis,
    PairKey,
    PairRuns,
    StudyPair,
    choose_block_operations,
)
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.outcome import Measured
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.request import AbsRequest, Plan
from auditor.core.schedule import ArmName
from auditor.core.subject import Method
from auditor.core.suite import Benchmark
from auditor.measure import calibration, readings, schedules
from auditor.measure.calibration import Calibration, CalibrationRequest, achieved_caveat
from auditor.measure.context import BuiltVariant, StudyContext
from auditor.measure.suite_runs import SuiteBaseline
from auditor.measure.trials import measure_trials

ROUNDS = 4
"""A guess, two corrections, and a check: the loop's cost is not linear in its turns."""
MOST_ROUNDS = 2 * ROUNDS
"""Where the turns that came nearest are still far from what was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedPair:
    """A pair whose variant is built, and the state of its calibration."""

    pair: StudyPair  # the method and the benchmark
    built: BuiltVariant  # its variant
    request: CalibrationRequest  # the requested slowdown
    inlined: bool = False  # whether the unchanged program may inline calls of the method
    runs: tuple[Run, ...] = field(default=(), repr=False)
    """Calibration runs so far, failed ones included."""
    calibration: Calibration | None = None  # calibration that they give; None: none gave one yet

    @property
    def needs_calibration(self) -> bool:
        """Tell whether another process helps; after one that failed none does.

        The answer follows from the pair's own processes, those of earlier audits included, so an
        audit that is repeated makes none, nor one in which other pairs have new processes: the
        clock's cost, too, is taken as they tell it.
        """
        if not self.pair.calls_per_operation:
            return False
        if not self.runs:
            return True
        own_calibration = calibration.judge_calibration(
            self.runs, replace(self.request, clock_seconds=None)
        )
        if own_calibration is None or not isinstance(self.runs[-1].outcome, Measured):
            return False
        far = achieved_caveat(own_calibration.achieved, self.request.slowdown) is not None
        return not own_calibration.settled and len(self.runs) < (MOST_ROUNDS if far else ROUNDS)

    @property
    def may_be_measured(self) -> bool:
        """Tell whether measuring makes sense: a calibration that crashed is the pair's outcome."""
        return not self.runs or self.calibration is not None

    def choose_plan(self, baseline: SuiteBaseline, request: AbsRequest) -> Plan:
        """Return the plan of the pair's processes: shorter blocks where one call holds them all."""
        benchmark = self.pair.benchmark
        fit = baseline.plans[benchmark.id]
        if not self._in_one_call(request):
            return fit
        return schedules.plan_single_call(fit, request.suite.plan, benchmark)

    def choose_calibration_plan(self, baseline: SuiteBaseline, request: AbsRequest) -> Plan:
        """Return the plan of its calibration, of which the same holds."""
        benchmark = self.pair.benchmark
        operation = baseline.first_seconds(benchmark)
        fit = schedules.plan_calibration(baseline.plans[benchmark.id], benchmark, operation)
        if not self._in_one_call(request):
            return fit
        finest = schedules.plan_calibration(request.suite.plan, benchmark, operation)
        shorter = schedules.CALIBRATION_IN_ONE_CALL
        return schedules.plan_single_call(fit, finest, benchmark, shorter)

    def _in_one_call(self, request: AbsRequest) -> bool:
        return (
            not request.is_fixed and self.pair.in_one_call and self.built.variant.has_plain_blocks
        )

    def with_runs(self, more: Sequence[Run]) -> "CalibratedPair":
        """Return this with more processes."""
        runs = (*self.runs, *more)
        return replace(
            self, runs=runs, calibration=calibration.judge_calibration(runs, self.request)
        )

    def correct_delay(self, runs: Sequence[Run]) -> "CalibratedPair":
        """Return this with other turns, by what those of its pair's `runs` were seen to give."""
        return replace(self, request=replace(self.request, verified=False)).with_runs(runs)

    def pair_runs(self, runs: Sequence[Run]) -> PairRuns:
        """Return all that was run for the pair, `runs` being those that measured it."""
        return PairRuns(
            pair=self.pair,
            has_plain_blocks=self.built.variant.has_plain_blocks,
            inlined=self.inlined,
            calibrating=self.runs,
            calibration=self.calibration,
            runs=tuple(runs),
        )

    def choose_delay(self, wait: InjectionKind | None) -> Delay:
        """Return what the slowed blocks wait; without a calibration the clock decides in place."""
        if self.calibration is not None:
            return self.calibration.delay
        return Delay(
            wait if wait in (InjectionKind.SLEEP, InjectionKind.SPIN) else InjectionKind.SPIN,
            self.request.slowdown,
        )

    def fit_operations(
        self, plan: Plan, baseline: SuiteBaseline, wait: InjectionKind | None
    ) -> int | None:
        """Return the operations of a block by the time that one takes with the probe.

        Blocks of a calibration hold fewer, since the clock makes some of them many times as long;
        where the delay itself reads the clock, so do these. The first process of a pair stays the
        first, whatever other audits add.
        """
        default_operations = baseline.operations[self.pair.benchmark.id]
        uses_clock = self.choose_delay(wait).wait is not InjectionKind.WORK
        arm = ArmName.CLOCKED if uses_clock else ArmName.PROBE
        probes = readings.list_block_medians(self.runs[:1], arm)
        if default_operations is None or not probes:
            return choose_block_operations(self.pair, baseline, plan)
        return schedules.fit_operations(
            default_operations,
            plan.iteration_seconds / median(probes),
            self.pair.benchmark.concurrency,
        )


def plan_promising_waves(
    pairs: Sequence[CalibratedPair], promise: Callable[[CalibratedPair], float]
) -> list[list[CalibratedPair]]:
    """Return the most promising pair of each method, then the next of each, and so on."""
    ordered = (
        sorted(calibrated_pairs, key=promise, reverse=True)
        for calibrated_pairs in group_by_method(pairs)
    )
    return [[pair for pair in wave if pair] for wave in zip_longest(*ordered)]


def group_by_method(pairs: Iterable[CalibratedPair]) -> list[list[CalibratedPair]]:
    """Return the pairs of each method, the methods in their order: those called most are first."""
    groups: dict[Method, list[CalibratedPair]] = {}
    for pair in pairs:
        groups.setdefault(pair.pair.method, []).append(pair)
    return list(groups.values())


def _alternate_methods(pairs: Iterable[CalibratedPair]) -> list[CalibratedPair]:
    """Return the first pair of each method, then the second: who waits for a build waits alone."""
    numbers: dict[Method, Iterator[int]] = defaultdict(count)
    return sorted(pairs, key=lambda pair: next(numbers[pair.pair.method]))


class CalibrationStudy:
    """Measures t(k) and finds the turns, round by round, beginning with what the store knows.

    Neither depends on the slowdown asked for, so what was measured for one is a beginning for
    another.
    """

    def __init__(self, analysis: PairAnalysis, parts: StudyContext) -> None:
        """Take what is asked."""
        self._analysis = analysis
        self._baseline = analysis.baseline
        self._parts = parts
        self._seen: dict[PairKey, tuple[Run, ...]] = {}

    def calibrate_pairs(
        self, pairs: Sequence[CalibratedPair], references: Sequence[Run] = ()
    ) -> list[CalibratedPair]:
        """Return `pairs` as far as they could be calibrated; one that is settled is left alone.

        `references` are the plain processes among those of the pairs, so far.
        """
        pairs_by_key = self._share_clock_cost(self._load_stored_runs(pairs))
        for index in range(MOST_ROUNDS):
            trials = {
                trial.id: (in_turn.pair.pair_key, trial)
                for in_turn in _alternate_methods(pairs_by_key.values())
                if in_turn.needs_calibration and not self.is_decided(in_turn, references)
                for trial in [self.make_next_trial(in_turn)]
            }
            if not trials:
                break
            name = f"calibration, round {index + 1}"
            for run in measure_trials(name, [trial for _, trial in trials.values()], self._parts):
                key, _ = trials[run.trial.id]
                pairs_by_key[key] = pairs_by_key[key].with_runs([run])
            pairs_by_key = self._share_clock_cost(pairs_by_key)
        return list(pairs_by_key.values())

    def select_undecided(
        self, pairs: Iterable[CalibratedPair], references: Sequence[Run]
    ) -> list[CalibratedPair]:
        """Return those that have to be measured, and may be."""
        return [
            pair for pair in pairs if pair.may_be_measured and not self.is_decided(pair, references)
        ]

    def reopen_pairs(
        self,
        calibrated: Mapping[PairKey, CalibratedPair],
        ended: Mapping[PairKey, Sequence[Run]],
        references: Mapping[str, Run],
    ) -> Iterator[list[CalibratedPair]]:
        """Yield pairs that seemed decided until a plain process among the others was shorter.

        All that is `calibrated` and has `ended` meanwhile counts; each pair comes once.
        """
        reopened_keys: set[PairKey] = set()
        while True:
            plain = tuple(references.values())
            rest = [
                pair
                for key, pair in calibrated.items()
                if not ended[key] and key not in reopened_keys
            ]
            reopened_pairs = [
                pair for pair in self.select_undecided(rest, plain) if self.is_decided(pair)
            ]
            if not reopened_pairs:
                break
            reopened_keys |= {pair.pair.pair_key for pair in reopened_pairs}
            yield reopened_pairs

    def is_decided(self, calibrated: CalibratedPair, references: Sequence[Run] = ()) -> bool:
        """Tell whether what is known says all: then the delay of a method need not be exact.

        Its share of the operation may, or that the probe surely distorts it.
        """
        request = self._analysis.request
        if request.is_fixed:
            return False
        plain = [run for run in references if run.trial.benchmark == calibrated.pair.benchmark]
        pair_data = self._analysis.build_pair_data(calibrated.pair_runs(()), plain)
        prediction = predict_share(pair_data)
        is_predicted = prediction is not None and (
            prediction.misses or (request.estimate and bool(calibrated.runs))
        )
        return is_predicted or distortion.judge_distortion(pair_data) is not None

    def make_next_trial(self, calibrated: CalibratedPair) -> Trial:
        """Return the next process of a pair, numbered by how many there are."""
        pair, number = calibrated.pair, len(calibrated.runs)
        plain = self._baseline.first_seconds(pair.benchmark) or 0.0
        turn_seconds = self._parts.mutator.turn_seconds
        turns = (
            calibrated.calibration.turns
            if calibrated.calibration
            else calibration.first_turns(plain, calibrated.request, turn_seconds)
        )
        plan = calibrated.choose_calibration_plan(self._baseline, self._analysis.request)
        schedule = schedules.make_calibration_schedule(
            plan,
            choose_block_operations(pair, self._baseline, plan),
            turns,
            pair.make_rng(self._parts.request.seed, 0, number),
            with_plain=calibrated.built.variant.has_plain_blocks,
        )
        fixed = self._analysis.request.is_fixed
        if not fixed:
            schedule = replace(schedule, quiet=schedules.QUIET)
        trial = self._parts.make_trial(
            Purpose.CALIBRATION, pair.benchmark, schedule, calibrated.built
        )
        # What a pair is detected by is measured in the pair itself, and a share that is too small
        # for that is so with all doubt.
        rough = not fixed and self._needs_one_processor(pair.benchmark)
        return replace(trial, repetition=number + 1, rough=rough)

    def _needs_one_processor(self, benchmark: Benchmark) -> bool:
        """Tell whether nothing of a benchmark's process runs beside its own code.

        Else what others take of the other processors would be in its times: of threads, and of
        collecting garbage (such blocks are longer than others).
        """
        plan = schedules.fit_plan(self._parts.request.plan, benchmark)
        is_single_threaded = max(benchmark.threads, benchmark.concurrency) == 1
        base_plan = self._baseline.plans[benchmark.id]  # a watched warm-up may be another
        keeps_iteration_time = base_plan.iteration_seconds == plan.iteration_seconds
        return is_single_threaded and keeps_iteration_time and self._parts.one_processor

    def _load_stored_runs(self, pairs: Sequence[CalibratedPair]) -> dict[PairKey, CalibratedPair]:
        """Return `pairs` with the processes that the store has of them."""
        stored_runs = {
            pair.pair.pair_key: self._parts.store.find_similar_runs(self.make_next_trial(pair))
            if pair.needs_calibration
            else ()
            for pair in pairs
        }
        runs = [run for trial_runs in stored_runs.values() for run in trial_runs]
        if runs:
            self._parts.observer.phase_started("stored calibrations", len(runs), 0.0)
        for run in runs:
            self._parts.observer.trial_ended(run, reused=True)
        return {
            pair.pair.pair_key: pair.with_runs(stored_runs[pair.pair.pair_key]) for pair in pairs
        }

    def _share_clock_cost(
        self, calibrated: Mapping[PairKey, CalibratedPair]
    ) -> dict[PairKey, CalibratedPair]:
        """Return `calibrated` with the clock's cost by all processes of the study so far."""
        self._seen |= {key: calibrated_pair.runs for key, calibrated_pair in calibrated.items()}
        cost = readings.clock_cost(run for runs in self._seen.values() for run in runs)
        pairs_by_key = {}
        for key, pair in calibrated.items():
            request = replace(pair.request, clock_seconds=cost)
            pairs_by_key[key] = replace(pair, request=request).with_runs(())
        return pairs_by_key
