"""Which pairs a delay is injected in, once the shares of the methods are sampled."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from auditor.audits import by_share
from auditor.audits.distortion import allowed_probe
from auditor.audits.pair import PairData
from auditor.core.result import Result
from auditor.studies.pair import Pair, PairRuns, Question

HOPELESS = 2.0
"""Times the allowed cost of the probe from which on no delay is injected: what a probe costs is
known to a factor of two beforehand."""


def choose_pairs_to_slow(
    pairs: Sequence[Pair], question: Question, probe_seconds: float
) -> list[Pair]:
    """Return the pairs in which a delay is to be injected, in their order.

    These are all that the samples leave open and a delay may decide, and of each method that is
    detected by share the benchmark with the largest share in which the probe is honest.
    `probe_seconds` is about what the probe adds to a call.
    """
    if question.request.is_fixed or not question.sampling.pairs:
        return list(pairs)
    wanted: set[tuple[str, str]] = set()
    witnesses: dict[str, list[Pair]] = {}
    for pair in pairs:
        data = question.data(PairRuns(pair=pair), ())
        judged = by_share.judge_by_share(data)
        if judged is None:
            if not _has_share(pair, question) or is_worth_a_delay(pair, question, probe_seconds):
                wanted.add(pair.key)
        elif judged.outcome is Result.DETECTED and _is_honest(pair, question, probe_seconds):
            witnesses.setdefault(pair.method.id, []).append(pair)
    wanted |= {_best(mine, question).key for mine in witnesses.values()}
    return [pair for pair in pairs if pair.key in wanted]


SLOW_SECONDS = 0.01
"""Time of an operation from which on its processes are long: another benchmark is taken, if any."""
SAMPLED_SECONDS = 0.05
"""Time of an operation from which on samples alone decide what they leave open at first: a delay
takes a hundred operations, and ten seconds give thousands of samples."""
UNCONFIRMED_SECONDS = 0.2
"""Time of an operation from which on a detection by share is not confirmed by a delay."""


def is_decided(data: PairData) -> bool:
    """Tell whether the share decides a pair; near the limit either verdict is right."""
    return by_share.judge_by_share(data) is not None


def can_be_sampled(data: PairData) -> bool:
    """Tell whether samples may decide an open pair: with any number of them its share would."""
    if data.sampled is None or data.sampled.obstacle:
        return True
    low, high = data.sampled.irreducible
    best = replace(data.sampled, low=low, high=high, by_itself=(low, high))
    return is_decided(replace(data, sampled=best))


def is_worth_a_delay(pair: Pair, question: Question, probe_seconds: float) -> bool:
    """Tell whether an injected delay may decide what the samples leave open, in reasonable time."""
    if _operation_seconds(pair, question) > SAMPLED_SECONDS:
        return False
    cost = _probe_cost(pair, question, probe_seconds)
    return cost is None or cost <= HOPELESS * _allowed(pair, question)


def _is_honest(pair: Pair, question: Question, probe_seconds: float) -> bool:
    """Tell whether a delay may confirm a detection by share."""
    if _operation_seconds(pair, question) > UNCONFIRMED_SECONDS:
        return False
    cost = _probe_cost(pair, question, probe_seconds)
    return cost is not None and cost <= _allowed(pair, question)


def _allowed(pair: Pair, question: Question) -> float:
    data = question.data(PairRuns(pair=pair), ())
    return allowed_probe(data.slowdown, beside=pair.method.apart)


def _has_share(pair: Pair, question: Question) -> bool:
    sampled = question.sampling.pairs.get(pair.key)
    return sampled is not None and not sampled.share.obstacle


def _best(pairs: Iterable[Pair], question: Question) -> Pair:
    """Return the pair with the largest share, of those with short operations if there are any."""

    def preference(pair: Pair) -> tuple[bool, float]:
        return _operation_seconds(pair, question) < SLOW_SECONDS, question.sampling.pairs[
            pair.key
        ].share.share

    return max(pairs, key=preference)


def _operation_seconds(pair: Pair, question: Question) -> float:
    return question.baseline.first_seconds(pair.benchmark) or 0.0


def _probe_cost(pair: Pair, question: Question, probe_seconds: float) -> float | None:
    """Return what the probe adds to an operation, relative to it; None where that is unknown."""
    plain = question.baseline.first_seconds(pair.benchmark)
    if plain is None or pair.calls is None:
        return None
    return pair.calls * probe_seconds / pair.benchmark.concurrency / plain
