"""A process judged by a detector, and what the configured warm-up does about it."""

from math import ceil

from auditor.core.caveats import Caveat
from auditor.core.series.steady import SeriesSteadiness, SteadyLabel, WarmupEffect
from auditor.core.series.stored import StoredProcess
from auditor.core.suite import Configured
from auditor.stats.arrays import Array, positive
from auditor.warmup.configured import lengths_of, place_warmup
from auditor.warmup.detector import Detector, Values

_ALIKE = 2.0
"""Iterations no more than so many times as long or short are about as long."""


def judge(
    process: StoredProcess, detector: Detector, place: tuple[int, int] = (0, 0)
) -> SeriesSteadiness:
    """Judge the values of a process, warm-up included, in the order measured.

    `place` is its run and its fork, from zero.
    """
    run, fork = place
    length = len(process.warmups) + len(process.seconds)
    series = _checked(process, detector)
    if isinstance(series, Caveat):
        return SeriesSteadiness(
            run=run, fork=fork, iterations=length, label=SteadyLabel.UNKNOWN, caveats=(series,)
        )
    steadiness = detector.find(series)
    lasts = lengths_of(process)
    measured = _measured(process, lasts)
    warm_up = None
    if measured is not None and steadiness.start is not None:
        warm_up = _warm_up(series, measured, steadiness.start, lasts)
    return SeriesSteadiness(
        run=run,
        fork=fork,
        iterations=length,
        label=SteadyLabel.NOT_STEADY if steadiness.start is None else SteadyLabel.STEADY,
        steady_from=steadiness.start,
        changes=steadiness.changes,
        warm_up=warm_up,
        caveats=_unlike(length, process.iteration_seconds, detector),
    )


def _checked(process: StoredProcess, detector: Detector) -> Values | Caveat:
    """Return a series that can be judged, or why it cannot."""
    if process.failure is not None:
        return Caveat("series-unusable", process.failure.reason)
    length = len(process.warmups) + len(process.seconds)
    if length < detector.least:
        text = f"{length} iterations; {detector.name} needs at least {detector.least}"
        return Caveat("series-short", text)
    if detector.most is not None and length > detector.most:
        text = (
            f"{length} iterations; {detector.name} judges at most {detector.most}; choose another "
            "detector"
        )
        return Caveat("series-long", text)
    try:
        series = positive(process.whole)
    except ValueError as error:
        return Caveat("series-unusable", f"values that are not positive times: {error}")
    if series.min() == series.max():
        text = "all values are equal: the clock is too coarse"
        return Caveat("series-unusable", text)
    return series


def _unlike(length: int, seconds: float | None, detector: Detector) -> tuple[Caveat, ...]:
    usual = detector.iteration_seconds
    said = []
    if detector.length not in {None, length}:
        said.append(f"has {length} iterations, not {detector.length}")
    if seconds and usual and not usual / _ALIKE <= seconds <= usual * _ALIKE:
        said.append(f"has iterations of {seconds:g} s, not {usual:g}")
    if not said:
        return ()
    text = f"{detector.name} was trained on other series: this one {' and '.join(said)}"
    return (Caveat("series-unlike", text),)


def _measured(process: StoredProcess, lasts: Array | None) -> range | None:
    """Return which iterations the configuration measures, None where it is not known.

    They may lie behind the end of the series.
    """
    if process.configured is not None and lasts is not None:
        return _mapped(lasts, process.configured)
    if process.warmups:
        return range(len(process.warmups), len(process.warmups) + len(process.seconds))
    return None


def _mapped(lasts: Array, configured: Configured) -> range:
    beyond = configured.warmup_iterations * configured.warmup_seconds - float(lasts.sum())
    if beyond >= 0:
        # What comes after the end is taken to be as what comes before it.
        first = len(lasts) + ceil(beyond / float(lasts[-1]))
        return range(first, first)
    last_warm_up, last = place_warmup(lasts, configured)
    return range(last_warm_up + 1, last + 1)


def _warm_up(series: Values, measured: range, start: int, lasts: Array | None) -> WarmupEffect:
    first = measured.start
    if start > first:
        off = float(series[first : measured.stop].mean() / series[start:].mean()) - 1
        early = min(start, measured.stop) - first
        return WarmupEffect(iterations=first, early=early, off=off, late=0, wasted_seconds=0.0)
    wasted = None
    if lasts is not None:
        beyond = max(0, first - len(series)) * float(lasts[-1])
        wasted = float(lasts[start:first].sum()) + beyond
    return WarmupEffect(
        iterations=first, early=0, off=0.0, late=first - start, wasted_seconds=wasted
    )
