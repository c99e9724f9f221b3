"""Our rule: probe and slowed blocks of one process in pairs (detection.md).

`check_signs` is a second opinion that takes nothing for granted: how many pairs of blocks exceed
the limit. Means and ranks can be led astray by few pairs of blocks, or by a distribution that is
not what they suppose. Signs cannot, but need more pairs; so they confirm no verdict, but may
contradict one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import expm1, hypot, inf, log, log1p, prod
from statistics import median

from auditor.abs.judge import distortion, pair
from auditor.abs.judge.pair import (
    Judgement,
    PairData,
    method_doubt,
    probe_ratio,
    reference_ratio,
    undecided_judgement,
)
from auditor.abs.judge.prediction import predict_share
from auditor.abs.model import PairRun
from auditor.core.caveats import Caveat
from auditor.core.mutant import InjectionKind
from auditor.core.plan import Purpose, Run
from auditor.core.result import Interval, Verdict
from auditor.core.schedule import ArmName, EarlyStop, Phase
from auditor.core.units import format_percent
from auditor.measure import readings
from auditor.measure.calibration import TOLERANCE, achieved_caveat
from auditor.stats.compare import Ratio
from auditor.stats.sequential import LEAST_DEVIATION, plan_analyses, repeated_critical_value
from auditor.stats.signed_rank import estimate_shift, sign_evidence

BlockPairs = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessJudgement:
    """What one process of a pair shows."""

    least: float  # shortest reference block, seconds per operation
    pairs: BlockPairs  # (reference, slowed) seconds per operation of neighbouring blocks
    middle: float  # centre of the log ratios slowed / reference
    interval: Interval  # confidence interval of `middle`
    p: float  # p-value of the test that slowed and reference blocks do not differ
    trial: str  # id of its trial


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectThreshold:
    """The effect that has to be exceeded, and how far it may itself be wrong."""

    threshold: float  # relative effect that a detection exceeds
    missing: float  # relative effect that a miss stays below; at most `threshold`
    low: float  # least value that `threshold` may really have
    high: float  # largest value that `threshold` may really have
    achieved: float | None  # measured slowdown of the method, relative; None: not verified
    is_off_target: bool = False  # whether `achieved` surely differs from the requested slowdown
    delivered: bool = True  # whether the delay surely slowed the method at all
    caveats: tuple[Caveat, ...] = ()  # of the achieved slowdown


SURE = 100.0
"""The e-value from which the signs speak against a verdict: a chance of one in a hundred."""

Pairs = Sequence[tuple[float, float]]
"""(probe, slowed) of neighbouring blocks."""

MOST_DOUBT = 0.5
"""Share of t(k) that may be in doubt: twice the slowdown asked for would be another question."""
AT_MOST = 2
"""Times `plan.iterations` pairs in a process that may stop early: most need a few, and those near
the threshold or disturbed gain from more."""
FURTHER = 2
"""Times the runs asked for that a pair may have where the first of them leave it near the
threshold: as many clear ones as were asked for then detect, one that misses still decides."""
ENOUGH = 1 / 3
"""What the blocks of a process may leave open beside what q does: the errors add up in squares, so
the verdict's interval is hardly wider for it."""
MOST_LEFT_OPEN = 1 / 4
"""Of the threshold, as a logarithm: where two plain processes lie far apart, any interval would be
hardly wider, but one of three pairs then reaches from far below the threshold to far above."""
UNFINISHED = "unfinished"
"""What is said where runs are missing that a detection needs."""
LARGEST_SHARE = 1.25
"""Share that a clocked method may have: sequential A/A times of one program reach 1.21."""
STOP_MARGIN = 0.1
"""Share of the threshold by which a process that stops must have passed it."""


def judge_processes(data: PairData) -> Judgement:
    """Judge the processes of a pair, each by itself: what lies between them is no noise of pairs.

    Log ratios against log(1 + v / 2q) is the same as (mutant - probe) / plain against v / 2 once q
    turns a ratio to the probe into an effect on the plain time; q's interval enters there. Where
    plain blocks lie beside the two, (mutant - probe) / plain is had from neighbours.
    """
    judgements = [
        _judge_process(run, data) for run in readings.of_purpose(data.runs, Purpose.PAIRS)
    ]
    processes = [
        process_judgement for process_judgement in judgements if process_judgement is not None
    ]
    if len(processes) < len(judgements):
        return undecided_judgement(
            "few-pairs", "a process has too few block pairs to be judged; raise `plan.iterations`"
        )
    scale, probed = reference_ratio(data), probe_ratio(data)
    if scale is None or probed is None:
        text = (
            "too few runs of the plain suite and of the pair to show how much they vary; raise "
            "`runs`"
        )
        return undecided_judgement("few-runs", text)
    aimed = find_effect_threshold(data, processes)
    runs = tuple(_make_pair_run(process, scale, aimed, data.significance) for process in processes)
    judgement = _check_probe(_decide_outcome(data, runs, aimed), data, probed, aimed)
    judgement = check_signs(judgement, [process.pairs for process in processes], scale.estimate)
    return scale_back_effect(judgement, data) if aimed.is_off_target else judgement


def scale_back_effect(judgement: Judgement, data: PairData) -> Judgement:
    """Return a judgement of another slowdown than asked for, with the effect scaled back to v.

    What such a slowdown proves is a share. So the verdict stands only where the scaled effect lies
    on one side of the limit together with the scatter of the unchanged benchmark.
    """
    achieved, run = judgement.achieved, judgement.weakest
    decided = judgement.outcome in (Verdict.DETECTED, Verdict.MISSED)
    if not decided or not achieved or run is None or run.interval is None:
        return judgement
    factor, half = data.slowdown / achieved, pair.estimate_half_interval(data)
    effect, (low, high) = factor * run.effect, (factor * end for end in run.effect_bounds)
    interval = (effect - hypot(effect - low, half), effect + hypot(high - effect, half))
    requested_slowdown = format_percent(data.slowdown)
    text = (
        f"the slowdown achieved is {format_percent(achieved)}; its effect is scaled back to "
        f"{requested_slowdown}"
    )
    judgement = replace(
        judgement,
        weakest=replace(run, effect=effect, interval=interval),
        threshold=data.nominal_threshold,
        caveats=(*judgement.caveats, Caveat("scaled-back", text)),
    )
    is_unsure_detection = (
        judgement.outcome is Verdict.DETECTED and interval[0] <= data.nominal_threshold
    )
    missed = judgement.outcome is Verdict.MISSED and interval[1] >= data.nominal_threshold
    return (
        _leave_open(judgement, "near-threshold", _describe_open_runs(0, len(judgement.runs)))
        if is_unsure_detection or missed
        else judgement
    )


def has_wrong_slowdown(data: PairData) -> bool:
    """Tell whether the turns gave surely another slowdown than they were to give."""
    judgements = [
        _judge_process(run, data) for run in readings.of_purpose(data.runs, Purpose.PAIRS)
    ]
    processes = [judgement for judgement in judgements if judgement is not None]
    return (
        bool(processes)
        and data.wait_kind == InjectionKind.WORK
        and find_effect_threshold(data, processes).is_off_target
    )


def plan_early_stop(data: PairData, most: int) -> EarlyStop | None:
    """Return when a process of `most` pairs has decided, by what is known before it runs.

    None where nothing is known of q, unless plain blocks make it needless. The limits are drawn
    apart, as the verdict knows q and the slowdown achieved better than this.
    """
    probed = reference_ratio(data)
    if probed is None:
        return None
    achieved = data.calibration.achieved if data.calibration else None
    far = not data.control and achieved_caveat(achieved, data.slowdown) is not None
    ends = [data.nominal_threshold]
    if far and achieved is not None and achieved > 0 and data.method_seconds:
        doubt = method_doubt(data) / data.method_seconds
        likely = _scale_threshold(data, achieved)
        ends += [likely / (1 + doubt), likely / (1 - doubt) if doubt < MOST_DOUBT else likely]
    above = (1 + STOP_MARGIN) * max(ends) / probed.low
    below = (1 - STOP_MARGIN) * max(0.0, min(ends)) / probed.high
    return EarlyStop(
        above=log1p(above),
        below=log1p(below),
        looks=tuple((look.pairs, look.critical) for look in plan_analyses(most, data.test_level)),
        least_deviation=LEAST_DEVIATION,
        enough=min(
            ENOUGH * min(ends) * log(probed.high / probed.low) / 2,
            MOST_LEFT_OPEN * log1p(min(ends)),
        ),
    )


def _judge_process(run: Run, data: PairData) -> ProcessJudgement | None:
    """Judge the pairs of a process; None if there are too few.

    With a fixed number of pairs each pair is tested by itself, as in the paper; where stopping
    early is a choice, all looks at all benchmarks of a method share the level.
    """
    pairs = readings.pair_block_times(run)
    logs = [log(slowed / probe) for probe, slowed in pairs]
    if not logs:
        return None
    if run.trial.schedule.stop is not None:
        log_ratio = repeated_critical_value(logs, _planned_pairs(run), data.test_level)
        p = min(1.0, log_ratio.p * data.family)
    else:
        log_ratio = estimate_shift(logs, data.confidence)
        p = log_ratio.p
    if log_ratio.interval is None:
        return None
    return ProcessJudgement(
        least=min(reference for reference, _ in pairs),
        pairs=pairs,
        middle=log_ratio.estimate,
        interval=log_ratio.interval,
        p=p,
        trial=run.trial.id,
    )


def _planned_pairs(run: Run) -> int:
    """Return the pairs that a process was to have had if nothing had stopped it."""
    schedule = run.trial.schedule
    arms = [schedule.arms[b.arm].name for b in schedule.blocks if b.phase is Phase.MEASUREMENT]
    return arms.count(ArmName.SLOWED)


def _make_pair_run(
    process: ProcessJudgement, probed: Ratio, aimed: EffectThreshold, significance: float
) -> PairRun:
    effect = probed.estimate * expm1(process.middle)
    return PairRun(
        effect=effect,
        interval=_make_interval(effect, process, probed),
        p=process.p,
        significant=process.p < significance,
        large=effect >= aimed.threshold,
        reference=tuple(reference for reference, _ in process.pairs),
        slowed=tuple(slowed for _, slowed in process.pairs),
        trials=(process.trial,),
    )


def _make_interval(effect: float, process: ProcessJudgement, probed: Ratio) -> Interval:
    """Return the effect's interval: two independent errors, of one level, add up in squares.

    One is of the blocks in the process, the other of q between processes.
    """
    low, high = (probed.estimate * expm1(end) for end in process.interval)
    by_q = sorted(effect * end / probed.estimate for end in (probed.low, probed.high))
    return (
        effect - hypot(effect - low, effect - by_q[0]),
        effect + hypot(high - effect, by_q[1] - effect),
    )


def _decide_outcome(data: PairData, runs: tuple[PairRun, ...], aimed: EffectThreshold) -> Judgement:
    below = [run for run in runs if run.effect_bounds[1] < aimed.low]
    least = min(runs, key=lambda run: run.effect_bounds[0])
    judgement = Judgement(
        outcome=Verdict.INCONCLUSIVE,
        weakest=least,
        runs=runs,
        threshold=aimed.threshold,
        achieved=aimed.achieved,
        caveats=aimed.caveats,
    )
    if not aimed.delivered:
        return _leave_open(judgement, None, "the delay did not make the operation slower")
    if below:
        weakest = min(below, key=lambda run: run.effect)
        missed = replace(
            judgement, outcome=Verdict.MISSED, weakest=weakest, threshold=aimed.missing
        )
        if weakest.significant and weakest.effect > 0:
            text = (
                f"significant, but too small: the effect is {format_percent(weakest.effect, 1)}, "
                f"the threshold {format_percent(aimed.missing, 1)}"
            )
            missed = replace(missed, reason=text)
        return missed
    clear = [run for run in runs if run.significant and run.effect_bounds[0] > aimed.high]
    if len(clear) >= data.process_count:
        weakest = min(clear, key=lambda run: run.effect_bounds[0])
        return replace(judgement, outcome=Verdict.DETECTED, weakest=weakest)
    if len(clear) == len(runs):
        text = (
            f"only {len(runs)} of {data.process_count} runs exist; a detection needs all of "
            "them; repeat the audit"
        )
        return _leave_open(judgement, UNFINISHED, text)
    return _leave_open(judgement, "near-threshold", _describe_open_runs(len(clear), len(runs)))


def _describe_open_runs(clear: int, runs: int) -> str:
    if clear:
        return f"the effect is surely above the threshold in only {clear} of {runs} runs"
    run_text = "the run" if runs == 1 else f"each of the {runs} runs"
    return f"the interval of the effect contains the threshold in {run_text}"


def _check_probe(
    judgement: Judgement, data: PairData, probed: Ratio, aimed: EffectThreshold
) -> Judgement:
    """Take back what cannot be said because of what the probe did or what was not calibrated."""
    if (not data.has_plain_blocks or data.inlined) and _exceeds_operation(data):
        text = (
            "the calibration failed: the method's timed calls take longer than the whole unchanged "
            "operation, as timing may change what the compiler inlines"
        )
        return _leave_open(judgement, "calibration-failed", text)
    # Where more runs would not do, whether all were made is beside the point.
    other_caveats = tuple(caveat for caveat in judgement.caveats if caveat.slug != UNFINISHED)
    if distortion.is_distorted(probed, data):
        return _leave_open(
            replace(judgement, caveats=other_caveats),
            "distorted",
            distortion.describe_distortion(probed),
        )
    doubtful = _calibration_doubt(data, aimed)
    if doubtful is None or not _hangs_on_calibration(judgement, data):
        return judgement
    return _leave_open(replace(judgement, caveats=other_caveats), "unverified", doubtful)


def _calibration_doubt(data: PairData, aimed: EffectThreshold) -> str | None:
    """Return why the slowdown achieved is not known well enough to rest a verdict on it.

    Where no call was counted in the loop, any effect at all is more than there can be.
    """
    if data.control or (data.reach is not None and not data.reach.may_be_in_loop):
        return None
    if aimed.achieved is None or data.method_seconds is None:
        return (
            "the slowdown achieved is unknown: the time or the calls of the method were not "
            "measured"
        )
    if not _is_vague(data):
        return None
    seconds, doubt = data.method_seconds * 1e9, method_doubt(data) * 1e9
    return (
        f"the method takes {seconds:.1f} ± {doubt:.1f} ns, so the slowdown achieved cannot be "
        "verified"
    )


def carries_no_verdict(data: PairData) -> bool:
    """Tell whether no runs can decide, as t(k) is in doubt, to which turns are in proportion."""
    return not data.control and data.wait_kind == InjectionKind.WORK and _is_vague(data)


def _exceeds_operation(data: PairData) -> bool:
    """Tell whether the calls surely seem to take longer than the operation that makes them."""
    plain = readings.list_block_minima(data.plain, ArmName.PLAIN)
    if data.seconds_in_method is None or data.method_seconds is None or data.benchmark.threads != 1:
        return False
    if not plain or (data.reach is not None and data.reach.nested):
        return False  # t(k) holds the probes of the inner calls, which the operation has not
    share = data.seconds_in_method / max(plain)
    return share * (1 - method_doubt(data) / data.method_seconds) > LARGEST_SHARE


def _is_vague(data: PairData) -> bool:
    """Tell whether t(k) is known, but not well enough."""
    seconds = data.method_seconds
    return seconds is not None and method_doubt(data) > MOST_DOUBT * seconds


def _hangs_on_calibration(judgement: Judgement, data: PairData) -> bool:
    """Tell whether another slowdown than was asked for could have another verdict.

    A wait on the clock is never shorter than asked for, so what it leaves unseen is missed; so is
    what a method is too little of the operation for, if no run shows anything else.
    """
    if judgement.outcome is Verdict.MISSED:
        predicted = predict_share(data, by_counting=False)
        unseen = all(run.effect < data.nominal_threshold for run in judgement.runs)
        surely = unseen and predicted is not None and predicted.misses
        return data.wait_kind == InjectionKind.WORK and not surely
    return judgement.outcome is Verdict.DETECTED or any(
        caveat.slug == UNFINISHED for caveat in judgement.caveats
    )


def _leave_open(judgement: Judgement, slug: str | None, text: str) -> Judgement:
    more = (Caveat(slug, text),) if slug else ()
    return replace(
        judgement, outcome=Verdict.INCONCLUSIVE, reason=text, caveats=(*judgement.caveats, *more)
    )


def check_signs(judgement: Judgement, processes: Sequence[Pairs], q: float) -> Judgement:
    """Return a verdict unless the signs speak against it; `q` is probe over plain.

    A detection says that the limit is exceeded in the middle, a miss that in one process at least
    it is not.
    """
    if judgement.threshold is None or judgement.outcome not in (Verdict.DETECTED, Verdict.MISSED):
        return judgement
    limit = log1p(judgement.threshold / q)
    above = [[log(slowed / probe) for probe, slowed in pairs] for pairs in processes]
    if judgement.outcome is Verdict.DETECTED:
        against = prod(
            sign_evidence([-log_ratio for log_ratio in log_ratios], -limit) for log_ratios in above
        )
    else:
        against = min(sign_evidence(log_ratios, limit) for log_ratios in above)
    if against < SURE:
        return judgement
    text = (
        f"{judgement.outcome} by its mean or ranks, but most block pairs say the opposite; look "
        "for outliers in the report"
    )
    more = (*judgement.caveats, Caveat("signs-disagree", text))
    return replace(judgement, outcome=Verdict.INCONCLUSIVE, reason=text, caveats=more)


def _scale_threshold(data: PairData, achieved: float) -> float:
    """Return the limit for a slowdown other than v: what is judged is the share of the method."""
    return data.nominal_threshold * achieved / data.slowdown


def find_effect_threshold(data: PairData, processes: Sequence[ProcessJudgement]) -> EffectThreshold:
    """Return what has to be exceeded: the limit, in proportion to what was achieved if far from v.

    What was achieved is the middle of the processes: the loop of one may take half as long again.
    Where the method is a small part of the operation, what was achieved is mostly noise: only an
    interval wholly beyond the tolerance lowers the threshold. A detection always has to exceed
    what is in proportion to what was achieved.
    """
    limit = data.nominal_threshold
    if data.control or data.seconds_in_method is None or data.method_seconds is None:
        return EffectThreshold(threshold=limit, missing=limit, low=limit, high=limit, achieved=None)
    inside = data.seconds_in_method
    achieved = median(process.least * expm1(process.middle) / inside for process in processes)
    low = min(process.least * expm1(process.interval[0]) / inside for process in processes)
    high = max(process.least * expm1(process.interval[1]) / inside for process in processes)
    caveat = achieved_caveat(achieved, data.slowdown, (low, high))
    caveats = (caveat,) if caveat else ()
    if low <= (1 + TOLERANCE) * data.slowdown and high >= (1 - TOLERANCE) * data.slowdown:
        most = max(limit, _scale_threshold(data, achieved)) if caveat else limit
        return EffectThreshold(
            threshold=most, missing=limit, low=limit, high=most, achieved=achieved, caveats=caveats
        )
    doubt = method_doubt(data) / data.method_seconds
    threshold = _scale_threshold(data, achieved)
    return EffectThreshold(
        threshold=threshold,
        missing=threshold,
        low=threshold / (1 + doubt),
        high=threshold / (1 - doubt) if doubt < 1 else inf,
        achieved=achieved,
        is_off_target=True,
        delivered=low > 0,
        caveats=caveats,
    )
