"""A series and its warm-up, judged by a detector; what cannot be judged is said."""

from collections.abc import Sequence
from math import ceil

from auditor.audits.steady.detector import Detector, Values
from auditor.core.caveats import Caveat
from auditor.core.steady import SeriesSteadiness, SteadyLabel, WarmUp
from auditor.stats.arrays import positive


def judge(
    values: Sequence[float],
    detector: Detector,
    *,
    place: tuple[int, int] = (0, 0),
    configured: int | None = None,
    iteration_seconds: float | None = None,
) -> SeriesSteadiness:
    """Judge a series in seconds per operation, in the order measured; nothing is cut from it.

    `place` are the numbers of its run and its process, from zero; the first `configured` values
    are the warm-up that its author asked for.
    """
    run, fork = place
    series = _checked(values, detector)
    if isinstance(series, Caveat):
        return SeriesSteadiness(
            run=run, fork=fork, iterations=len(values), label=SteadyLabel.UNKNOWN, caveats=(series,)
        )
    found = detector.find(series)
    start, warm_up = found.start, None
    if configured is not None and start is not None:
        warm_up = _warm_up(series, configured, start, iteration_seconds)
    return SeriesSteadiness(
        run=run,
        fork=fork,
        iterations=len(series),
        label=SteadyLabel.NOT_STEADY if start is None else SteadyLabel.STEADY,
        steady_from=start,
        changes=found.changes,
        warm_up=warm_up,
        caveats=_unlike(len(series), detector),
    )


def _checked(values: Sequence[float], detector: Detector) -> Values | Caveat:
    """Return a series that can be judged, or why it cannot."""
    if len(values) < detector.least:
        text = f"{len(values)} iterations; {detector.name} needs at least {detector.least}"
        return Caveat("series-short", text)
    if detector.most is not None and len(values) > detector.most:
        text = f"{len(values)} iterations; {detector.name} judges {detector.most} at most"
        return Caveat("series-long", text)
    try:
        series = positive(values)
    except ValueError as error:
        return Caveat("series-unusable", f"not times above zero: {error}")
    if series.min() == series.max():
        text = "all values are the same: the clock is too coarse for them"
        return Caveat("series-unusable", text)
    return series


def _unlike(length: int, detector: Detector) -> tuple[Caveat, ...]:
    if detector.length in {None, length}:
        return ()
    text = f"{length} iterations; {detector.name} was made for series of {detector.length}"
    return (Caveat("series-unlike", text),)


def _warm_up(series: Values, configured: int, start: int, seconds: float | None) -> WarmUp:
    if start > configured:
        off = float(series[configured:].mean() / series[start:].mean()) - 1
        return WarmUp(iterations=configured, early=start - configured, off=off)
    wasted = series[start:configured]
    return WarmUp(
        iterations=configured,
        late=len(wasted),
        wasted_seconds=None if seconds is None else _lasted(wasted, seconds),
    )


def _lasted(series: Values, seconds: float) -> float:
    """Return how long iterations took that end with the first operation after so many seconds."""
    return float(sum(ceil(seconds / one) * one for one in series.tolist()))
