"""If a method got slower, would the suite detect it? Plan, run, judge."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from auditor.abs.judge import abs_score, binary_layout, detection, indifference_zone, power
from auditor.abs.judge import allocations as allocation_audit
from auditor.abs.judge.abs_score import AbsData, MethodData
from auditor.abs.judge.curve import SlowdownSearch, find_least_detected
from auditor.abs.model import AbsVerdict, Allocations, Controls, PairVerdict
from auditor.abs.study import allocations as allocation_study
from auditor.abs.study.accepted_misses import add_accepted_misses, find_accepted_misses
from auditor.abs.study.cpu_samples import sample_shares
from auditor.abs.study.curve import search_slowdowns
from auditor.abs.study.injection import choose_pairs_to_slow
from auditor.abs.study.pair import (
    PairAnalysis,
    PairRuns,
    StudyPair,
    StudyRuns,
    StudySettings,
    VariantKey,
    most_runs,
)
from auditor.abs.study.pairs import PairStudy
from auditor.abs.study.sampled_calls import add_sampled_calls
from auditor.core.caveats import Caveat
from auditor.core.errors import UsageError
from auditor.core.mutant import OverlayRefusal
from auditor.core.outcome import NotBuilt
from auditor.core.plan import Trial, original_repetition
from auditor.core.request import AbsRequest, CurveMode, DetectionRule
from auditor.core.result import ReachState, Verdict
from auditor.core.stability import Stability
from auditor.core.subject import Method
from auditor.core.suite import Benchmark
from auditor.measure import reach_judge as reach
from auditor.measure.context import StudyContext
from auditor.measure.method_choice import LARGEST_CHOICE, MethodCandidates, choose_candidates
from auditor.measure.planning import budget
from auditor.measure.planning.budget import BudgetedSuite, is_budgeted, measure_suite
from auditor.measure.reach_judge import Reach
from auditor.measure.reach_study import ReachRuns, map_reach
from auditor.measure.stability_judge import slowdown_size, withheld_benchmarks
from auditor.measure.stability_study import judge_baseline
from auditor.measure.suite_runs import SuiteBaseline, run_baseline
from auditor.measure.trials import measure_trials

NOT_COUNTED = Reach(
    state=ReachState.UNKNOWN,
    caveats=(
        Caveat(
            "no-reach",
            "calls of the method were not counted in this benchmark, so the pair is measured",
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenMethods:
    """The methods that are judged, and how the benchmarks call them."""

    methods: tuple[Method, ...]  # in the order of the request
    invalid: Mapping[str, str]  # why a method cannot be instrumented, by method id
    calls: Mapping[str, int]  # usage count by method id; a missing id was not counted
    reach: Mapping[tuple[str, str], Reach]  # by method id and benchmark id
    in_one_call: frozenset[str]  # ids of benchmarks whose harness makes all blocks in one call
    caveats: tuple[Caveat, ...]  # of counting and choosing

    def find_reach(self, method: Method, benchmark: Benchmark) -> Reach:
        """Return how a benchmark reaches a method."""
        return self.reach.get((method.id, benchmark.id), NOT_COUNTED)

    @property
    def method_data(self) -> tuple[MethodData, ...]:
        """Return the methods with what is known of each."""
        return tuple(
            MethodData(
                method=method,
                calls=self.calls.get(method.id),
                invalid=self.invalid.get(method.id),
            )
            for method in self.methods
        )

    @property
    def slowable_methods(self) -> tuple[Method, ...]:
        """Return the methods that a variant can be made of."""
        return tuple(
            method
            for method in self.methods
            if method.refusal is None and method.id not in self.invalid
        )


def audit_suite(request: AbsRequest, parts: StudyContext) -> AbsVerdict:
    """Return the verdict; what the budget prevented is undecided in it."""
    started, method_candidates = parts.clock.now(), choose_candidates(request, parts)
    accepted = find_accepted_misses(request.accepted, parts)
    caveats = _note_caveat(detection.warn_never_significant(request), parts)
    base, budgeted = _run_unchanged(request, method_candidates, parts)
    slowdown = _choose_slowdown(request, steady := judge_baseline(base, parts), parts)
    analysis = PairAnalysis(request=request, baseline=base, slowdown=slowdown)
    study = None if slowdown is None else PairStudy(analysis, slowdown, parts)
    counted = budgeted.counted if budgeted else None
    methods = _choose_methods(request, method_candidates, base, study, parts, counted=counted)
    steady = _add_power(request, steady, pairs := _make_pairs(methods, base), base)
    _note_caveat(power.warn_of_weak_plan(steady, slowdown), parts)
    allocations = _judge_allocations(request, methods, pairs, base, parts)
    analysis, pairs, runs = _measure_pairs(analysis, study, pairs, parts)
    verdicts = _note_unmeasured(_judge_pairs(analysis, pairs, runs), runs, parts)
    checked_controls, searches = _measure_extras(analysis, verdicts, pairs, runs, parts)
    detected_slowdowns = find_least_detected(searches or ())
    steady = power.confirm_detectable_slowdowns(steady, verdicts, slowdown, detected_slowdowns)
    caveats += _describe_verdict_limits(request, steady, slowdown)
    caveats += [*methods.caveats, *analysis.sampling.caveats]
    verdict = abs_score.judge_audit(
        AbsData(
            slowdown=slowdown,
            slowdown_source="auto" if request.slowdown is None else "fixed",
            rule=request.rule,
            score_only=request.score_only,
            estimate=request.estimate,
            methods=methods.method_data,
            pairs=verdicts,
            searched=searches,
            controls=checked_controls,
            stability=steady,
            unfinished=_list_unfinished(base) | withheld_benchmarks(steady),
            stored_failures=base.list_stored_failures(started),
            unsampled=count_unsampled(base, methods.method_data, parts),
            caveats=(
                *caveats,
                *(budgeted.caveats if budgeted else _describe_suite_runs(base, parts)),
                *_describe_layouts(analysis, runs, parts),
                *parts.budget_caveats,
            ),
        )
    )
    return _add_allocations(add_accepted_misses(verdict, accepted, parts), allocations)


def count_unsampled(
    base: SuiteBaseline, methods: Sequence[MethodData], parts: StudyContext
) -> dict[str, int]:
    """Return how many benchmarks outside the sample have each method in their program, by its id.

    A program that does not hold a method can neither call nor detect it.
    """
    groups = Counter(benchmark.group for benchmark in base.unsampled)
    inputs = {group: parts.project.find_group_inputs(group) for group in groups}
    return {
        method_data.method.id: sum(
            count
            for group, count in groups.items()
            if inputs[group].may_contain(method_data.method)
        )
        for method_data in methods
    }


def _list_unfinished(base: SuiteBaseline) -> frozenset[str]:
    return frozenset(benchmark.id for benchmark in base.unfinished)


def _note_unmeasured(
    pairs: tuple[PairVerdict, ...], study_runs: StudyRuns, parts: StudyContext
) -> tuple[PairVerdict, ...]:
    """Return the pairs, and note that the deadline kept some from being measured.

    A stage with a deadline of its own does not note that in the study's. Nobody meant to measure
    pairs of a method that another benchmark detects, nor those whose samples leave the share open
    and whose probe would take too long.
    """
    detected = {pair.method for pair in pairs if pair.outcome is Verdict.DETECTED}
    planned = {runs.pair.pair_key for runs in study_runs.pairs}
    if parts.deadline is not None and any(
        pair.outcome is Verdict.UNMEASURED
        and pair.method not in detected
        and (pair.reason == detection.NOT_MEASURED or (pair.method, pair.benchmark) in planned)
        for pair in pairs
    ):
        parts.deadline.prevented = True
    return pairs


def _add_allocations(verdict: AbsVerdict, allocations: Allocations | None) -> AbsVerdict:
    if allocations is None:
        return verdict
    more = allocation_audit.allocation_caveats(allocations)
    return replace(verdict, allocations=allocations, caveats=(*verdict.caveats, *more))


def _measure_pairs(
    analysis: PairAnalysis, study: PairStudy | None, pairs: list[StudyPair], parts: StudyContext
) -> tuple[PairAnalysis, list[StudyPair], StudyRuns]:
    """Sample the benchmarks of the pairs, then inject delays where the samples do not decide.

    Return the pairs with the calls that only samples show.
    """
    if study is None:
        return analysis.with_references(()), pairs, StudyRuns()
    request = analysis.request
    measurable = _select_measurable(request, pairs)
    if request.asks_shares:
        sampling = sample_shares(measurable, analysis, parts)
        analysis = replace(analysis, sampling=sampling)
        study.take_samples(sampling)
    pairs_to_slow = choose_pairs_to_slow(
        measurable, analysis, parts.mutator.probe_seconds, has_budget=parts.has_budget
    )
    runs = study.measure_pairs(pairs_to_slow)
    pairs, analysis = add_sampled_calls(pairs, analysis)
    return analysis.with_references(runs.references), pairs, runs


def _run_unchanged(
    request: AbsRequest, candidates: MethodCandidates, parts: StudyContext
) -> tuple[SuiteBaseline, BudgetedSuite | None]:
    """Return the runs of the unchanged suite; with a budget also the counts, which come first."""
    if not is_budgeted(request, parts):
        return run_baseline(parts, request.suite_time_limit), None
    slowable = [method for method in candidates.methods if method.refusal is None]
    budgeted = measure_suite(
        request,
        slowable,
        parts,
        judged=candidates.most_slowed,
        with_unit_tests=not candidates.fixed,
    )
    return budgeted.baseline, budgeted


def _describe_suite_runs(base: SuiteBaseline, parts: StudyContext) -> list[Caveat]:
    """Say that the suite was run less often than by default, and how it is run more often."""
    if base.wanted_runs is None:
        return []
    first_runs = [run for run in base.runs if original_repetition(run.trial.repetition) == 1]
    return [
        budget.describe_fewer_runs(
            runs=max(base.wanted_runs.values()),
            usual_runs=parts.request.stability_runs,
            seconds=sum(run.seconds for run in first_runs),
        )
    ]


def _describe_verdict_limits(
    request: AbsRequest, steady: Stability, slowdown: float | None
) -> Iterator[Caveat]:
    """Say what the verdicts leave of the plan's weakness, and by what rule they were reached."""
    if weakness := power.warn_of_weak_plan(steady, slowdown):
        yield weakness
    if slowdown is None and withheld_benchmarks(steady):
        text = (
            'the slowdown "auto" cannot be chosen: the spreads were measured on a busy machine; '
            "repeat on a quiet one, or give a number: --slowdown 0.5"
        )
        yield Caveat("auto-slowdown", text)
    yield from detection.describe_rule_settings(request)


def _add_power(
    request: AbsRequest, steady: Stability, pairs: Sequence[StudyPair], base: SuiteBaseline
) -> Stability:
    """Return the stability with what the plan can see, now that it is known what is measured."""
    with_plain_blocks = {
        pair.benchmark.id
        for pair in _select_measurable(request, pairs)
        if pair.method.keeps_original
    }
    return power.add_detectable_slowdowns(
        steady, base.benchmarks, base.runs, request, with_plain_blocks
    )


def _judge_allocations(
    request: AbsRequest,
    methods: ChosenMethods,
    pairs: Sequence[StudyPair],
    base: SuiteBaseline,
    parts: StudyContext,
) -> Allocations | None:
    """Judge the reached pairs by allocations, before the times, which take all that is left."""
    size = request.allocation_bytes
    if size is None:
        return None
    reached = [pair for pair in pairs if pair.reach.may_be_in_loop]
    allocation_pairs = allocation_study.study_allocations(size, reached, base, parts)
    return allocation_audit.judge_allocations(size, methods.method_data, allocation_pairs)


def _measure_extras(
    analysis: PairAnalysis,
    verdicts: Sequence[PairVerdict],
    pairs: Sequence[StudyPair],
    study_runs: StudyRuns,
    parts: StudyContext,
) -> tuple[Controls | None, list[SlowdownSearch] | None]:
    """Slow the measured methods by nothing, and by other sizes, where that is asked for."""
    request, slowdown = analysis.request, analysis.slowdown
    checked, searched = None, None
    if slowdown is not None and request.controls and not request.estimate:
        checked = abs_score.judge_controls(
            judge_zero_delays(analysis, slowdown, verdicts, study_runs, parts)
        )
    if slowdown is not None and request.curve is not CurveMode.NONE and not request.estimate:
        searched = search_slowdowns(analysis, verdicts, pairs, study_runs, parts)
    return checked, searched


def _choose_slowdown(request: AbsRequest, steady: Stability, parts: StudyContext) -> float | None:
    """Return v; None where the runs that it is sized by were prevented by the deadline.

    None, too, where the machine was so busy that most spreads are its own.
    """
    if request.slowdown is not None:
        return request.slowdown
    spreads = [
        benchmark.max_spread for benchmark in steady.benchmarks if benchmark.max_spread is not None
    ]
    busy = len(withheld_benchmarks(steady))
    size = slowdown_size(spreads) if busy <= len(spreads) else None
    prevented = parts.deadline is not None and parts.deadline.prevented
    if size is None and not prevented and not busy:
        raise UsageError(
            'the slowdown "auto" cannot be chosen: no benchmark has a spread over all '
            f"{steady.runs} runs; give a number: --slowdown 0.5"
        )
    return size


def _choose_methods(  # noqa: PLR0913 - what is asked, what is known, and who finds out the rest
    request: AbsRequest,
    candidates: MethodCandidates,
    base: SuiteBaseline,
    study: PairStudy | None,
    parts: StudyContext,
    *,
    counted: ReachRuns | None,
) -> ChosenMethods:
    """Count the calls of all candidates; where the user named none, keep the most called.

    With a budget they were `counted` before, and no variant is built ahead of its verdict.
    """
    slowable = [method for method in candidates.methods if method.refusal is None]
    looks_ahead = counted is None
    by_shares = request.asks_shares and not parts.unprofiled
    if counted is None:
        counted = map_reach(slowable, base, parts, with_unit_tests=not candidates.fixed)
    if candidates.methods_to_judge:
        return _make_methods(candidates.methods_to_judge, counted, candidates.caveats)
    by_id = {method.id: method for method in candidates.methods}
    countable = {method.id for method in slowable}
    counting_text = reach.describe_counting(
        counted.runs, counted.usage, len(counted.counted_benchmarks), counted.tests
    )
    good: set[str] = set()
    left_out: dict[str, str] = {}
    while True:
        names, caveats = reach.most_called(
            _count_usage(counted), LARGEST_CHOICE, left_out, counting_text, countable
        )
        new = [by_id[name] for name in names if name not in good]
        if not new:
            all_caveats = (*candidates.caveats, *caveats)
            return _make_methods([by_id[name] for name in names], counted, all_caveats)
        if study and looks_ahead:
            pairs = _select_measurable(request, _make_pairs(_make_methods(new, counted), base))
            left_out |= _find_obstacles(study, new, pairs, parts, by_shares=by_shares)
        good |= {method.id for method in new} - left_out.keys()


def _count_usage(counted: ReachRuns) -> dict[str, int]:
    return reach.count_method_calls((*counted.runs, *counted.usage))


def _make_methods(
    methods: Sequence[Method], counted: ReachRuns, caveats: tuple[Caveat, ...] = ()
) -> ChosenMethods:
    return ChosenMethods(
        methods=tuple(methods),
        invalid={method.id: message for method, message in counted.invalid},
        calls=_count_usage(counted),
        reach=counted.build_reach_map(methods),
        in_one_call=reach.find_single_call_benchmarks(counted.runs),
        caveats=caveats,
    )


def _make_pairs(methods: ChosenMethods, base: SuiteBaseline) -> list[StudyPair]:
    """Return all pairs of methods that can be slowed and benchmarks that can be measured."""
    pairs = []
    for method in methods.slowable_methods:
        reaches = [(benchmark, methods.find_reach(method, benchmark)) for benchmark in base.usable]
        family = max(1, sum(reach.may_be_in_loop for _, reach in reaches))
        pairs += [
            StudyPair(
                method=method,
                benchmark=benchmark,
                reach=reach,
                family=family,
                in_one_call=benchmark.id in methods.in_one_call,
            )
            for benchmark, reach in reaches
        ]
    return pairs


def _select_measurable(request: AbsRequest, pairs: Sequence[StudyPair]) -> list[StudyPair]:
    """Return the pairs reached in the loop, with `exact` all."""
    return [pair for pair in pairs if request.exact or pair.reach.may_be_in_loop]


def _judge_pairs(
    analysis: PairAnalysis, pairs: Sequence[StudyPair], study_runs: StudyRuns
) -> tuple[PairVerdict, ...]:
    pair_runs_by_key = {pair.pair.pair_key: pair for pair in study_runs.pairs}
    verdicts = (
        detection.judge_pair(
            analysis.build_pair_data(
                pair_runs_by_key.get(pair.pair_key, PairRuns(pair=pair)),
                study_runs.references_of(pair.benchmark),
            )
        )
        for pair in pairs
    )
    if analysis.request.is_fixed:
        return tuple(verdicts)
    return tuple(map(indifference_zone.settle_borderline, verdicts))


def _note_caveat(caveat: Caveat | None, parts: StudyContext) -> list[Caveat]:
    """Say what must be said before the time is spent, and return it."""
    if caveat is None:
        return []
    parts.observer.report_caveat(caveat)
    return [caveat]


def _describe_layouts(
    analysis: PairAnalysis, study_runs: StudyRuns, parts: StudyContext
) -> list[Caveat]:
    if (
        analysis.request.rule is DetectionRule.PAPER
    ):  # whose references, if any, are of the user's build
        return []
    caveat = binary_layout.describe_layout_effect(
        parts.layouts, analysis.layout, study_runs.references
    )
    return [caveat] if caveat else []


def judge_zero_delays(
    analysis: PairAnalysis,
    slowdown: float,
    verdicts: Sequence[PairVerdict],
    study_runs: StudyRuns,
    parts: StudyContext,
) -> list[PairVerdict]:
    """Return the verdicts on zero-delay pairs, one of each measured method at each turn."""
    request = replace(analysis.request, score_only=False)
    pair_analysis = replace(analysis, request=request, control=True)
    by_key = {pair.pair.pair_key: pair.pair for pair in study_runs.pairs}
    pair_verdicts = []
    for turn in range(request.controls):
        manner = StudySettings(name="controls", first_run=turn * most_runs(request))
        study = PairStudy(pair_analysis, slowdown, parts, manner)
        pairs = [
            by_key[control.method, control.benchmark]
            for control in abs_score.choose_controls(verdicts, turn)
        ]
        control_runs = study.measure_pairs(pairs)
        pair_verdicts += [
            detection.judge_pair(
                pair_analysis.build_pair_data(pair, control_runs.references_of(pair.pair.benchmark))
            )
            for pair in control_runs.pairs
        ]
    return pair_verdicts


def _find_obstacles(
    study: PairStudy,
    methods: Sequence[Method],
    pairs: Sequence[StudyPair],
    parts: StudyContext,
    *,
    by_shares: bool,
) -> dict[str, str]:
    """Return, by id, why those of `methods` that cannot be slowed at all cannot.

    `pairs` are theirs. The first process of each variant tells, one that is to be run anyway. If
    methods are judged `by_shares` first, most need no such process, and only refusals count.
    For a method that nothing reaches nothing is built, nor for one that is surely missed wherever
    it is called; nor where counting failed, since there it may be the benchmark that cannot be
    changed.
    """
    pairs_by_variant: dict[VariantKey, list[StudyPair]] = {}
    for pair in pairs:
        if pair.calls_per_operation is not None:
            pairs_by_variant.setdefault(pair.variant_key, []).append(pair)
    reached_methods = {method for method, _ in pairs_by_variant}
    pairs_by_variant |= {(method, False): [] for method in methods if method not in reached_methods}
    obstacles: dict[VariantKey, str] = {}
    trials: dict[str, tuple[VariantKey, Trial]] = {}
    for key, study_pairs in pairs_by_variant.items():
        built = study.build_variant(key)
        if isinstance(built, OverlayRefusal):
            obstacles[key] = built.reason
        elif not by_shares and (trial := study.make_first_trial(study_pairs, built)) is not None:
            trials[trial.id] = key, trial
    for run in measure_trials("first builds", [trial for _, trial in trials.values()], parts):
        if isinstance(run.outcome, NotBuilt):
            obstacles[trials[run.trial.id][0]] = run.outcome.message
    slowable = {method for method, _ in pairs_by_variant.keys() - obstacles.keys()}
    return {
        method.id: reason for (method, _), reason in obstacles.items() if method not in slowable
    }
