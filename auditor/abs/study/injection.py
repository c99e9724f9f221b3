"""Which pairs a delay is injected in, once the shares of the methods are sampled."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from auditor.abs.judge import share_verdict
from auditor.abs.judge.distortion import allowed_probe
from auditor.abs.judge.indifference_zone import is_borderline
from auditor.abs.judge.pair import PairData
from auditor.abs.judge.prediction import SURELY_MISSED, predict_share
from auditor.abs.study.pair import PairAnalysis, PairRuns, StudyPair
from auditor.core.result import Verdict
from auditor.measure.profiles.cpu_shares import FEWEST_SAMPLES

HOPELESS = 2.0
"""Times the allowed cost of the probe from which on no delay is injected: what a probe costs is
known to a factor of two beforehand."""


def choose_pairs_to_slow(
    pairs: Sequence[StudyPair],
    analysis: PairAnalysis,
    probe_seconds: float,
    *,
    has_budget: bool = False,
) -> list[StudyPair]:
    """Return the pairs in which a delay is to be injected, in their order.

    A delay is injected in each pair that the samples leave open and a delay may decide; not where
    it is near the limit and other benchmarks detect the method. It also confirms each method that
    is detected by share, in one pair whose probe is honest. With a budget, pairs that there was no
    time to sample are left out where the method is detected.
    `probe_seconds` is about what the probe adds to a call.
    """
    if analysis.request.is_fixed or not analysis.sampling.pairs:
        return list(pairs)
    detected = find_detected_methods(pairs, analysis)
    detected_once = find_detected_methods(pairs, analysis, enough=1) if has_budget else ()
    chosen_keys: set[tuple[str, str]] = set()
    witnesses: dict[str, list[StudyPair]] = {}
    for pair in pairs:
        pair_data = analysis.build_pair_data(PairRuns(pair=pair), ())
        judgement = share_verdict.judge_by_share(pair_data)
        if judgement is None and find_largest_effect(pair_data) is None:
            continue  # it surely misses
        if judgement is None:
            settles_nothing = pair.method.id in detected and _is_near(pair, analysis)
            if not _has_share(pair, analysis):
                is_wanted = pair.method.id not in detected_once
            else:
                is_wanted = not settles_nothing and _is_worth_a_delay(pair, analysis, probe_seconds)
            if is_wanted:
                chosen_keys.add(pair.pair_key)
        elif judgement.outcome is Verdict.DETECTED and _is_honest(pair, analysis, probe_seconds):
            witnesses.setdefault(pair.method.id, []).append(pair)
    chosen_keys |= {_choose_witness(pairs, analysis).pair_key for pairs in witnesses.values()}
    return [pair for pair in pairs if pair.pair_key in chosen_keys]


ENOUGH_DETECTING = 2
"""Benchmarks that detect a method by their samples, so that its verdict does not hang on one that a
score may leave out as unstable."""


def find_detected_methods(
    pairs: Iterable[StudyPair], analysis: PairAnalysis, enough: int = ENOUGH_DETECTING
) -> frozenset[str]:
    """Return the ids of the methods that `enough` benchmarks detect by their samples.

    A borderline detection does not count.
    """
    detecting: Counter[str] = Counter()
    for pair in pairs:
        if detecting[pair.method.id] < enough:
            judgement = share_verdict.judge_by_share(
                analysis.build_pair_data(PairRuns(pair=pair), ())
            )
            if (
                judgement is not None
                and judgement.outcome is Verdict.DETECTED
                and not is_borderline(judgement.caveats)
            ):
                detecting[pair.method.id] += 1
    return frozenset(name for name, count in detecting.items() if count >= enough)


SLOW_SECONDS = 0.01
"""Benchmarks with longer operations confirm a detection only if there are no others."""
NEAR_THRESHOLD = 0.25
"""Distance from the limit, relative to it, below which two runs with a delay often differ."""
SAMPLED_SECONDS = 0.05
"""In longer operations no delay decides an open pair. It would take a hundred operations, and ten
seconds of samples tell more."""
UNCONFIRMED_SECONDS = 0.2
"""In longer operations no delay confirms a detection by share."""


def is_decided(data: PairData) -> bool:
    """Tell whether the share decides a pair; near the limit either verdict is right."""
    return share_verdict.judge_by_share(data) is not None


def is_missed_by_share(data: PairData) -> bool:
    """Tell whether the share decides that a pair is missed."""
    judgement = share_verdict.judge_by_share(data)
    return judgement is not None and judgement.outcome is Verdict.MISSED


def find_largest_effect(data: PairData) -> float | None:
    """Return the largest effect that a slowdown may have; None where it is far below the limit.

    It is known from samples, or from the calls that were timed while they were counted.
    """
    prediction = predict_share(data)
    if prediction is not None and prediction.misses:
        return None
    sampled = share_verdict.estimate_share_effect(data)
    if sampled is None:
        return data.slowdown if prediction is None else data.slowdown * prediction.high
    largest = sampled.interval[1]
    return largest if largest > SURELY_MISSED * data.nominal_threshold else None


def more_samples_may_decide(data: PairData) -> bool:
    """Tell whether the share would decide an open pair if it had no sampling error.

    Without it the share lies where it is now, or at either end of its interval.
    """
    share = data.sampled
    if share is None or share.samples < FEWEST_SAMPLES:
        return True
    low, high = share.irreducible
    for shift in (0.0, share.own_interval[0] - low, share.own_interval[1] - high):
        moved = max(0.0, low + shift), min(1.0, high + shift)
        middle = min(1.0, max(0.0, share.share + shift))
        best = replace(share, share=middle, low=moved[0], high=moved[1], own_interval=moved)
        if is_decided(replace(data, sampled=best)):
            return True
    return False


def _is_worth_a_delay(pair: StudyPair, analysis: PairAnalysis, probe_seconds: float) -> bool:
    """Tell whether an injected delay may decide what the samples leave open, in reasonable time."""
    if _operation_seconds(pair, analysis) > SAMPLED_SECONDS:
        return False
    cost = _probe_cost(pair, analysis, probe_seconds)
    return cost is None or cost <= HOPELESS * _allowed_probe_cost(pair, analysis)


def is_surely_shown(pair: StudyPair, analysis: PairAnalysis, probe_seconds: float) -> bool:
    """Tell whether a delay surely decides what the samples leave open, in reasonable time.

    What lies near the limit a delay leaves open as well.
    """
    may_decide = _is_worth_a_delay(pair, analysis, probe_seconds)
    return may_decide and _is_honest(pair, analysis, probe_seconds) and not _is_near(pair, analysis)


def _is_near(pair: StudyPair, analysis: PairAnalysis) -> bool:
    pair_data = analysis.build_pair_data(PairRuns(pair=pair), ())
    effect = share_verdict.estimate_share_effect(pair_data)
    return (
        effect is not None
        and abs(effect.effect - pair_data.nominal_threshold)
        < NEAR_THRESHOLD * pair_data.nominal_threshold
    )


def _is_honest(pair: StudyPair, analysis: PairAnalysis, probe_seconds: float) -> bool:
    """Tell whether a delay may confirm a detection by share."""
    if _operation_seconds(pair, analysis) > UNCONFIRMED_SECONDS:
        return False
    cost = _probe_cost(pair, analysis, probe_seconds)
    return cost is not None and cost <= _allowed_probe_cost(pair, analysis)


def _allowed_probe_cost(pair: StudyPair, analysis: PairAnalysis) -> float:
    slowdown = analysis.build_pair_data(PairRuns(pair=pair), ()).slowdown
    return allowed_probe(slowdown, has_plain_blocks=pair.method.keeps_original)


def _has_share(pair: StudyPair, analysis: PairAnalysis) -> bool:
    sampled = analysis.sampling.pairs.get(pair.pair_key)
    return sampled is not None and not sampled.share.obstacle


def _choose_witness(pairs: Iterable[StudyPair], analysis: PairAnalysis) -> StudyPair:
    """Return the pair with the largest share, of those with short operations if there are any."""

    def rate_pair(pair: StudyPair) -> tuple[bool, float]:
        is_short = _operation_seconds(pair, analysis) < SLOW_SECONDS
        return is_short, analysis.sampling.pairs[pair.pair_key].share.share

    return max(pairs, key=rate_pair)


def _operation_seconds(pair: StudyPair, analysis: PairAnalysis) -> float:
    return analysis.baseline.first_seconds(pair.benchmark) or 0.0


def _probe_cost(pair: StudyPair, analysis: PairAnalysis, probe_seconds: float) -> float | None:
    """Return what the probe adds to an operation, relative to it; None where that is unknown."""
    plain = analysis.baseline.first_seconds(pair.benchmark)
    if plain is None or pair.calls_per_operation is None:
        return None
    return pair.calls_per_operation * probe_seconds / pair.benchmark.concurrency / plain
