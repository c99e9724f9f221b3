"""In which order pairs are measured, and when the time is over for further ones."""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import chain

from auditor.abs.study.calibration import CalibratedPair, group_by_method, plan_promising_waves
from auditor.abs.study.pair import calls_per_second
from auditor.core.request import AbsRequest
from auditor.core.subject import Method
from auditor.measure.context import Deadline
from auditor.measure.suite_runs import SuiteBaseline

FIRST_WAVE = 2
"""Pairs of a method that are measured before anybody looks whether one detects it."""
FIRST_PAIRS = 6
"""Pairs of a method that are measured before those of the next: where so many promising ones do
not detect it, the others hardly do."""


def estimate_promise(calibrated: CalibratedPair, baseline: SuiteBaseline) -> float:
    """Return how likely a pair is to detect its method: the larger, the likelier."""
    return calls_per_second(calibrated.pair, baseline)


def order_waves(  # noqa: PLR0913 - the pairs, and what decides their order
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
        first = plan_deciding_waves(pending, promise, detected)
    for wave in chain(first, reopened):
        if deadline is not None and deadline.is_over:
            return
        if matrix and deadline is not None:
            yield wave
        else:
            yield [pair for pair in wave if pair.pair.method not in detected]


def plan_deciding_waves(
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
