"""How small a slowdown may be to be detected still: which sizes to try, and what they tell.

Where the limit is half of the slowdown, a method that takes more than half of an operation is
detected down to where the noise begins, and one that takes less never. With a fixed limit, as a
gate has, a larger slowdown is detected in any method.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, log
from statistics import stdev

from auditor.abs.judge import extra_runs
from auditor.abs.judge.paired import UNFINISHED
from auditor.abs.model import (
    SHARE,
    CurvePoint,
    CurveStep,
    DetectionCurve,
    PairCurve,
    PairRun,
    PairVerdict,
)
from auditor.core.request import CurveMode
from auditor.core.result import Verdict
from auditor.measure.calibration import TOLERANCE
from auditor.stats.sequential import LEAST_DEVIATION

SIZES = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0)
"""Slowdowns that are tried beside the one asked for."""

Key = tuple[str, str]


@dataclass(slots=True)
class SlowdownSearch:
    """Looks for the least size that a pair detects by halving: few sizes are measured.

    `sizes` go up. It is taken for granted that what detects a slowdown detects a larger one.
    """

    method: str
    benchmark: str
    sizes: tuple[float, ...]
    steps: dict[float, CurveStep] = field(default_factory=dict)

    @property
    def next(self) -> float | None:
        """Return the size to try next; None if there is none, or no trying helps."""
        if any(step.outcome is Verdict.UNMEASURED for step in self.steps.values()):
            return None  # the time was up
        detected_sizes = [size for size, step in self.steps.items() if _is_detected_step(step)]
        high = min((self.sizes.index(size) for size in detected_sizes), default=len(self.sizes))
        below = [self.sizes.index(size) for size in self.steps if size not in detected_sizes]
        low = max((index for index in below if index < high), default=-1)
        return self.sizes[(low + high) // 2] if high - low > 1 else None

    def add_step(self, size: float, pair: PairVerdict) -> None:
        """Take what was found at a size; runs that were not made have found nothing.

        A verdict by a share, or by an effect that was scaled back to the size, is about that size,
        whatever the delays achieved.
        """
        about_size = pair.decided_by == SHARE or any(
            caveat.slug == "scaled-back" for caveat in pair.caveats
        )
        self.steps[size] = CurveStep(
            slowdown=size,
            outcome=Verdict.UNMEASURED if _is_unfinished(pair) else pair.outcome,
            effect=pair.effect,
            interval=pair.interval,
            threshold=pair.threshold,
            achieved_slowdown=None if about_size else pair.achieved_slowdown,
            reason=pair.reason,
        )

    def build_curve(self) -> PairCurve:
        """Return what is known now."""
        detected_sizes = [
            _find_achieved_size(step) for step in self.steps.values() if _is_detected_step(step)
        ]
        least = min(detected_sizes, default=None)
        below = [
            size
            for size, step in self.steps.items()
            if step.outcome in (Verdict.MISSED, Verdict.DEAD_CODE)
            and size < (inf if least is None else least)
        ]
        return PairCurve(
            method=self.method,
            benchmark=self.benchmark,
            slowdown=least,
            unnoticed=max(below, default=None),
            steps=tuple(step for _, step in sorted(self.steps.items())),
        )


def begin_searches(
    pairs: Sequence[PairVerdict], slowdown: float, mode: CurveMode, *, fixed: bool
) -> list[SlowdownSearch]:
    """Return what is to be searched, begun with the verdicts at `slowdown`.

    Of each method the pair whose margin is the largest beside its noise, or all that detect; where
    none detects, the one that comes nearest if a larger slowdown can help it (`fixed`: the limit
    stays as it is), unless runs of one are missing: nobody knows then whether it detects.
    """
    if mode is CurveMode.NONE:
        return []
    by_method: dict[str, list[PairVerdict]] = {}
    for pair in pairs:
        by_method.setdefault(pair.method, []).append(pair)
    searches = []
    for verdicts in by_method.values():
        if any(_is_unfinished(pair) for pair in verdicts) and not any(
            map(_is_detected_pair, verdicts)
        ):
            continue
        detected_pairs = [pair for pair in verdicts if _is_detected_pair(pair) and pair.effect]
        open_ = [pair for pair in verdicts if _may_be_detected_later(pair, fixed=fixed)]
        ranked_pairs = sorted(detected_pairs, key=_measure_margin, reverse=True) or sorted(
            open_, key=lambda pair: pair.effect or 0.0, reverse=True
        )
        searches += [_begin_search(pair, slowdown) for pair in _select_pairs(ranked_pairs, mode)]
    return searches


def _is_detected_pair(pair: PairVerdict) -> bool:
    return pair.outcome is Verdict.DETECTED


def _is_unfinished(pair: PairVerdict) -> bool:
    """Tell whether runs are missing that may yet detect."""
    missing = any(caveat.slug == UNFINISHED for caveat in pair.caveats)
    return pair.outcome is Verdict.INCONCLUSIVE and missing


def most_steps(slowdown: float) -> int:
    """Return at most how many sizes a search measures beside the one that it begins with."""
    ladder = _list_sizes(slowdown)
    below = ladder.index(slowdown)
    return max(below, len(ladder) - 1 - below).bit_length()


def build_suite_curve(
    searches: Iterable[SlowdownSearch], slowdown: float, counted: Sequence[str]
) -> DetectionCurve:
    """Return the curves of the pairs, and the suite's over the `counted` methods."""
    pairs = tuple(search.build_curve() for search in searches)
    least: dict[str, float] = {}
    for pair in pairs:
        if pair.slowdown is not None:
            least[pair.method] = min(pair.slowdown, least.get(pair.method, inf))
    points = tuple(_make_point(size, least, counted) for size in _list_sizes(slowdown))
    return DetectionCurve(pairs=pairs, points=points)


def _make_point(size: float, least: Mapping[str, float], counted: Sequence[str]) -> CurvePoint:
    covered = sum(least.get(method, inf) <= size for method in counted)
    return CurvePoint(size, covered, len(counted))


def _list_sizes(slowdown: float) -> tuple[float, ...]:
    return tuple(sorted({*SIZES, slowdown}))


def _begin_search(pair: PairVerdict, slowdown: float) -> SlowdownSearch:
    search = SlowdownSearch(
        method=pair.method, benchmark=pair.benchmark, sizes=_list_sizes(slowdown)
    )
    search.add_step(slowdown, pair)
    return search


def _select_pairs(pairs: Sequence[PairVerdict], mode: CurveMode) -> Sequence[PairVerdict]:
    return pairs if mode is CurveMode.PAIRS else pairs[:1]


def _is_detected_step(step: CurveStep) -> bool:
    return step.outcome is Verdict.DETECTED


def find_least_detected(searched: Iterable[SlowdownSearch]) -> dict[str, float]:
    """Return the least slowdown that each benchmark was seen to detect."""
    least_sizes: dict[str, float] = {}
    for search in searched:
        least = search.build_curve().slowdown
        if least is not None:
            least_sizes[search.benchmark] = min(least, least_sizes.get(search.benchmark, least))
    return least_sizes


def _find_achieved_size(step: CurveStep) -> float:
    """Return the slowdown that was noticed: what came of it where that was far more than asked."""
    achieved = step.achieved_slowdown or 0.0
    return achieved if achieved > (1 + TOLERANCE) * step.slowdown else step.slowdown


def _measure_margin(pair: PairVerdict) -> float:
    """Return how far the effect lies above the limit, beside the noise of single blocks.

    The interval is no measure of it: a process ends as soon as it is narrow enough.
    """
    if pair.effect is None or pair.threshold is None:
        return 0.0
    noise = max((_measure_noise(run) for run in pair.runs), default=0.0)
    return (pair.effect - pair.threshold) / max(noise, LEAST_DEVIATION)


def _measure_noise(run: PairRun) -> float:
    logs = [log(slowed / probe) for probe, slowed in zip(run.reference, run.slowed, strict=False)]
    return stdev(logs) if len(logs) > 1 else 0.0


def _may_be_detected_later(pair: PairVerdict, *, fixed: bool) -> bool:
    """Tell whether a larger slowdown may be detected although this one was not."""
    if fixed:
        takes_part = bool(pair.share or pair.share_at_most)
        return takes_part and pair.outcome in (Verdict.MISSED, Verdict.INCONCLUSIVE)
    return extra_runs.may_yet_decide(pair)
