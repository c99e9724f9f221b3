"""Does a benchmark detect the slowdown of a method? (detection.md)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from statistics import fmean

from auditor.abs.judge import distortion, paired, share_verdict
from auditor.abs.judge.pair import Judgement, PairData, undecided_judgement
from auditor.abs.judge.prediction import predict_share
from auditor.abs.model import SHARE, PairRun, PairVerdict
from auditor.core import busy
from auditor.core.caveats import Caveat
from auditor.core.jobs import HostInterference
from auditor.core.outcome import Measured, NeverCalled
from auditor.core.plan import Purpose, Run, original_repetition
from auditor.core.request import SIGNIFICANCE, AbsRequest, DetectionRule
from auditor.core.result import ReachState, Verdict
from auditor.core.schedule import ArmName
from auditor.core.units import format_percent
from auditor.measure import readings
from auditor.measure.calibration import achieved_caveat
from auditor.measure.failures import find_failure
from auditor.stats.compare import rank_sum_p, smallest_rank_sum_p
from auditor.stats.sequential import LOOKS
from auditor.stats.signed_rank import smallest_p

Values = tuple[float, ...]
ByRun = Mapping[int, Values]


def judge_pair(data: PairData) -> PairVerdict:
    """Judge a pair by all that was run for it.

    A failure comes first, then whether there is anything to judge, then the rule. A pair that was
    measured although its benchmark does not call the method is unreached unless it is detected.
    """
    injected = _judge_failure(data) or _judge_unmeasured(data) or _judge_measured(data)
    judgement, decided_by = share_verdict.combine_evidence(data, injected)
    weakest = judgement.weakest
    effect, interval, p = (
        (weakest.effect, weakest.interval, weakest.p) if weakest else (None, None, None)
    )
    share_effect = share_verdict.estimate_share_effect(data) if decided_by == SHARE else None
    if share_effect is not None:
        effect, interval, p = share_effect.effect, share_effect.interval, None
    share = data.sampled
    caveats = (
        *(data.reach.caveats if data.reach else ()),
        *(data.calibration.caveats if data.calibration else ()),
    )
    return PairVerdict(
        method=data.method,
        benchmark=data.benchmark.id,
        outcome=judgement.outcome,
        reach=data.reach.state if data.reach else ReachState.UNKNOWN,
        effect=effect,
        interval=interval,
        p=p,
        threshold=judgement.threshold,
        achieved_slowdown=judgement.achieved,
        method_seconds=data.method_seconds,
        calls_per_operation=data.calls_per_operation,
        share=share.share if share else data.method_share,
        share_at_most=_share_at_most(data),
        wait=data.wait_kind,
        decided_by=decided_by,
        share_interval=(share.low, share.high) if share else None,
        samples=share.samples if share else None,
        runs=judgement.runs,
        reason=judgement.reason,
        caveats=tuple(dict.fromkeys((*caveats, *judgement.caveats))),
    )


def warn_never_significant(request: AbsRequest) -> Caveat | None:
    """Return what must be said before the time is spent: that no outcome could be significant."""
    plan = request.suite.plan
    if request.rule is not DetectionRule.PAPER and not request.exact:
        most = paired.AT_MOST * plan.iterations
        if most >= LOOKS[0]:
            return None
        reason = f"{most} block pairs in a process do not show how much they vary"
        return Caveat("never-significant", f"{reason}; raise `plan.iterations`")
    if request.rule is DetectionRule.PAPER:
        size = plan.forks * plan.iterations
        least = smallest_rank_sum_p(size, size)
        sample_sizes = f"{size} iterations against {size}"
    else:
        least = smallest_p(plan.iterations)
        sample_sizes = f"{plan.iterations} pairs of blocks in a process"
    level = request.significance
    if least < level:
        return None
    text = (
        f"{sample_sizes} cannot give a p-value below {least:.4f}, so nothing can be detected at "
        f"{level}"
    )
    return Caveat("never-significant", f"{text}; raise `plan.iterations`")


def describe_rule_settings(request: AbsRequest) -> Iterator[Caveat]:
    """Say what a detection means where the user has asked for another one than the paper's."""
    limit = request.min_delta
    if limit is not None and request.rule is DetectionRule.GATE:
        text = (
            f'"detected" means: surely slower than the gate\'s limit of '
            f"{format_percent(limit, 1)}; how often the gate fails on noise is not measured"
        )
        yield Caveat("gate-rule", text)
    elif limit is not None:
        text = (
            f'"detected" means: slower by at least {format_percent(limit, 1)}, instead of '
            "half of the slowdown"
        )
        yield Caveat("effect-given", text)
    if request.significance != SIGNIFICANCE:
        text = f"the significance level is {100 * request.significance:g} % instead of 1 %"
        if request.rule is not DetectionRule.PAPER:
            text += ", for tests and intervals alike"
        yield Caveat("significance-given", text)


def _share_at_most(data: PairData) -> float | None:
    """Return the upper limit of a share that is not known itself."""
    prediction = predict_share(data) if data.sampled is None else None
    return prediction.high if prediction is not None and prediction.share is None else None


NOT_MEASURED = "not measured"
"""The reason of a pair that nothing is known of."""

_SAMPLED_CALLS = (
    "no call was counted, but CPU samples of longer blocks are in the method: give blocks more "
    "operations by a longer plan.iteration_time"
)

_NOT_IN_LOOP = (ReachState.NOT_AT_ALL, ReachState.SET_UP_ONLY)


def _judge_failure(data: PairData) -> Judgement | None:
    if data.refusal is not None:
        return Judgement(outcome=Verdict.REFUSED, reason=data.refusal)
    runs = (*data.calibrating, *data.runs)
    if runs and all(isinstance(run.outcome, NeverCalled) for run in runs):
        return _judge_never_called(data)
    # a calibration that failed decides only where nothing else was run
    failure_verdict = find_failure(data.runs or data.calibrating)
    if failure_verdict is None:
        return None
    state = ReachState.UNKNOWN if data.reach is None else data.reach.state
    silent = not any(isinstance(run.outcome, Measured) for run in runs)
    if silent and failure_verdict[0] is Verdict.INCONCLUSIVE and state in _NOT_IN_LOOP:
        # `exact` measures such pairs, too; where that says nothing, what was counted stands. (Go:
        # a program of another package, of which the method is no part.)
        reason = f"{state}; of the slowed program nothing is known: {failure_verdict[1]}"
        return Judgement(outcome=Verdict.UNREACHED, reason=reason)
    if (
        failure_verdict[0] is Verdict.INVALID
        and data.reach is not None
        and state is ReachState.UNKNOWN
    ):
        return undecided_judgement(
            "not-instrumented", f"no change can be built into its program: {failure_verdict[1]}"
        )
    return Judgement(outcome=failure_verdict[0], reason=failure_verdict[1])


def _judge_never_called(data: PairData) -> Judgement:
    """Believe the processes of a pair, unless calls in the loop were counted.

    Calls are counted as they begin and slowed as they end, so both can be true of a call that
    never ends; neither of the two may then be taken for the whole truth.
    """
    if data.reach is not None and data.reach.state is ReachState.IN_LOOP:
        text = "calls in the loop were counted, but not one of the slowed method was seen"
        return undecided_judgement("reach-contradicted", text)
    return Judgement(outcome=Verdict.UNREACHED, reason="run, and never called")


def _judge_unmeasured(data: PairData) -> Judgement | None:
    if data.runs:
        return None
    if data.reach is not None and not data.reach.may_be_in_loop:
        return Judgement(outcome=Verdict.UNREACHED, reason=str(data.reach.state))
    if data.reach is not None and data.reach.is_sampled:
        return undecided_judgement("reach-contradicted", _SAMPLED_CALLS)
    # Without a slowdown there is no effect to predict.
    predictable = data.slowdown > 0 and data.rule is not DetectionRule.PAPER
    predicted = predict_share(data) if predictable else None
    if predicted is not None and predicted.misses:
        text = (
            "not measured: the method takes at most "
            f"{format_percent(ceil(100 * predicted.high) / 100)} "
            "of the operation, so the slowdown cannot exceed the threshold"
        )
        return Judgement(outcome=Verdict.MISSED, reason=text, caveats=(Caveat("predicted", text),))
    if predicted is not None and data.estimate:
        text = (
            f"not measured: the method takes an estimated {format_percent(predicted.low)} to "
            f"{format_percent(predicted.high)} of the operation"
        )
        return Judgement(
            outcome=predicted.expected, reason=text, caveats=(Caveat("predicted", text),)
        )
    surely = None if data.rule is DetectionRule.PAPER else distortion.judge_distortion(data)
    return surely or Judgement(outcome=Verdict.UNMEASURED, reason=NOT_MEASURED)


def _judge_measured(data: PairData) -> Judgement:
    purpose, rule = Purpose.PAIRS, paired.judge_processes
    if data.rule is DetectionRule.PAPER:
        purpose, rule = Purpose.MUTANT, _judge_pooled
    if any(run.trial.purpose is not purpose for run in data.runs):
        raise ValueError(f"rule {data.rule} judges processes made for {purpose}")
    judgement = rule(data)
    if data.reach is None or data.reach.state in (ReachState.IN_LOOP, ReachState.UNKNOWN):
        return judgement
    if judgement.outcome is not Verdict.DETECTED:
        return replace(
            judgement,
            outcome=Verdict.UNREACHED,
            achieved=None,
            reason=str(data.reach.state),
            caveats=(),
        )
    text = f"a slowdown was detected, although the benchmark calls the method {data.reach.state}"
    return replace(judgement, caveats=(*judgement.caveats, Caveat("reach-contradicted", text)))


def _judge_pooled(data: PairData) -> Judgement:
    """Detected when, in every run, the test rejects and the mean is at least the limit above.

    That is v / 2, unless the user names another (Section 6.2). Iterations of all forks of a run are
    pooled although they are not independent: the rule is for comparison with the literature only.
    """
    mutant_runs = readings.of_purpose(data.runs, Purpose.MUTANT)
    slowed = _pool_values(mutant_runs, ArmName.SLOWED)
    purpose = Purpose.REFERENCE if data.interleaved else Purpose.SUITE
    suite = readings.of_purpose(data.plain, purpose)
    if machine := _describe_busy_machine([*mutant_runs, *suite]):
        return undecided_judgement(busy.SLUG, machine)
    plain_by_run = _pair_with_plain_runs(slowed, _pool_values(suite, ArmName.PLAIN), data)
    if not slowed or len(plain_by_run) < len(slowed):
        missing_runs = sorted(set(slowed) - set(plain_by_run))
        return undecided_judgement(
            "no-plain",
            f"the plain suite has no values in the runs {missing_runs or 'made'}; repeat the audit",
        )
    least = {
        repetition: smallest_rank_sum_p(len(slowed[repetition]), len(plain))
        for repetition, (_, plain) in plain_by_run.items()
    }
    runs = {
        repetition: replace(
            _make_pair_run(plain, slowed[repetition], data),
            trials=(*_list_trial_ids(number, suite), *_list_trial_ids(repetition, mutant_runs)),
        )
        for repetition, (number, plain) in plain_by_run.items()
    }
    forks = Counter(run.trial.repetition for run in mutant_runs)
    complete_runs = [run for run in runs if forks[run] >= data.forks]
    informative_runs = [runs[run] for run in complete_runs if least[run] < data.significance]
    most = max((least[repetition] for repetition in complete_runs), default=0.0)
    if most >= data.significance and all(map(_is_detection, informative_runs)):
        text = f"a run has too few values for a p-value below {most:.3f}; runs need more iterations"
        return undecided_judgement("few-values", text)
    finished = len(mutant_runs) >= data.process_count
    return _make_judgement(data, tuple(runs.values()), informative_runs, finished=finished)


def _describe_busy_machine(runs: Sequence[Run]) -> str:
    """Return what else the machine did during all these runs; empty where it was quiet."""
    strain = HostInterference.combine_processes((run.seconds, run.strain) for run in runs)
    machine = busy.describe_machine(strain)
    if not machine:
        return ""
    return (
        f"{machine}: this rule compares processes that follow each other; "
        "repeat the command on a quiet machine with another --store"
    )


def _pair_with_plain_runs(
    slowed: ByRun, plain: ByRun, data: PairData
) -> dict[int, tuple[int, Values]]:
    """Return with which run of the plain suite each run is compared: its number, and its values.

    Controls have runs of their own behind those of the pair: they begin with the first one again.
    """
    latest = {original_repetition(repetition): repetition for repetition in plain}
    plain_numbers = {
        repetition: latest[repetition] for repetition in slowed if repetition in latest
    }
    if data.control and plain and not data.interleaved:
        plain_repetitions = sorted(plain)
        plain_numbers = {
            repetition: plain_repetitions[(repetition - 1) % len(plain_repetitions)]
            for repetition in slowed
        }
    return {repetition: (number, plain[number]) for repetition, number in plain_numbers.items()}


def _list_trial_ids(repetition: int, runs: Sequence[Run]) -> tuple[str, ...]:
    return tuple(run.trial.id for run in runs if run.trial.repetition == repetition)


def _is_detection(run: PairRun) -> bool:
    return run.significant and run.large


def _make_judgement(
    data: PairData,
    runs: tuple[PairRun, ...],
    informative_runs: Sequence[PairRun],
    *,
    finished: bool,
) -> Judgement:
    """Judge the runs: one of those that tell enough decides a miss; a detection needs all.

    A run that lacks some of its forks may yet come to more than it has shown so far.
    """
    decided = Verdict.INCONCLUSIVE
    if not all(map(_is_detection, informative_runs)):
        decided = Verdict.MISSED
    elif finished and all(map(_is_detection, runs)):
        decided = Verdict.DETECTED
    achieved = None if data.control else _achieved_slowdown(data, runs)
    caveat = achieved_caveat(achieved, data.slowdown)
    return Judgement(
        outcome=decided,
        weakest=min(runs, key=lambda run: (_is_detection(run), run.effect)),
        runs=runs,
        threshold=data.nominal_threshold,
        achieved=achieved,
        reason="not all runs were made" if decided is Verdict.INCONCLUSIVE else None,
        caveats=(caveat,) if caveat else (),
    )


def _pool_values(runs: Iterable[Run], arm: ArmName) -> ByRun:
    values: dict[int, tuple[float, ...]] = {}
    for run in runs:
        times = readings.list_block_times(run, arm)
        if times:
            values[run.trial.repetition] = values.get(run.trial.repetition, ()) + times
    return values


def _make_pair_run(plain: tuple[float, ...], slowed: tuple[float, ...], data: PairData) -> PairRun:
    effect = (fmean(slowed) - fmean(plain)) / fmean(plain)
    p = rank_sum_p(slowed, plain)
    return PairRun(
        effect=effect,
        interval=None,
        p=p,
        significant=p < data.significance,
        large=effect >= data.nominal_threshold,
        reference=plain,
        slowed=slowed,
    )


def _achieved_slowdown(data: PairData, runs: Sequence[PairRun]) -> float | None:
    """Return what was achieved, the plain suite in the place of the probe that this rule lacks."""
    if data.seconds_in_method is None:
        return None
    return fmean(run.effect * fmean(run.reference) for run in runs) / data.seconds_in_method
