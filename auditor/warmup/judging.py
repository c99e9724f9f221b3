"""A process judged by a detector, and what the configured warm-up does about it."""

from math import ceil

from auditor.core.caveats import Caveat
from auditor.core.series.steady import SeriesSteadiness, SteadyLabel, WarmupEffect
from auditor.core.series.stored import StoredProcess
from auditor.core.suite import IterationSettings
from auditor.stats.arrays import Array, check_positive
from auditor.warmup.configured import place_warmup, read_iteration_times
from auditor.warmup.detector import Detector, Values
from auditor.warmup.validity import is_about_as_long


def judge_process(
    process: StoredProcess, detector: Detector, place: tuple[int, int] = (0, 0)
) -> SeriesSteadiness:
    """Judge the values of a process, warm-up included, in the order measured.

    `place` is its run and its fork, from zero.
    """
    run, fork = place
    length = len(process.warmups) + len(process.seconds)
    series = _check_series(process, detector)
    if isinstance(series, Caveat):
        return SeriesSteadiness(
            run=run, fork=fork, iterations=length, label=SteadyLabel.UNKNOWN, caveats=(series,)
        )
    steadiness = detector.find_steady_start(series)
    iteration_times = read_iteration_times(process)
    measured_range = _find_measured_range(process, iteration_times)
    warm_up = None
    if measured_range is not None and steadiness.start is not None:
        warm_up = _judge_warm_up(series, measured_range, steadiness.start, iteration_times)
    return SeriesSteadiness(
        run=run,
        fork=fork,
        iterations=length,
        label=SteadyLabel.NOT_STEADY if steadiness.start is None else SteadyLabel.STEADY,
        steady_from=steadiness.start,
        changes=steadiness.changes,
        warm_up=warm_up,
        caveats=_describe_series_mismatch(length, process.iteration_seconds, detector),
    )


def _check_series(process: StoredProcess, detector: Detector) -> Values | Caveat:
    """Return a series that can be judged, or why it cannot."""
    if process.failure is not None:
        return Caveat("series-unusable", process.failure.reason)
    length = len(process.warmups) + len(process.seconds)
    if length < detector.min_iterations:
        text = f"{length} iterations; {detector.name} needs at least {detector.min_iterations}"
        return Caveat("series-short", text)
    if detector.max_iterations is not None and length > detector.max_iterations:
        text = (
            f"{length} iterations; {detector.name} judges at most {detector.max_iterations}; "
            "choose another detector"
        )
        return Caveat("series-long", text)
    try:
        series = check_positive(process.all_values)
    except ValueError as error:
        return Caveat("series-unusable", f"values that are not positive times: {error}")
    if series.min() == series.max():
        text = "all values are equal: the clock is too coarse"
        return Caveat("series-unusable", text)
    return series


def _describe_series_mismatch(
    length: int, seconds: float | None, detector: Detector
) -> tuple[Caveat, ...]:
    usual = detector.iteration_seconds
    differences = []
    if detector.trained_length not in {None, length}:
        differences.append(f"has {length} iterations, not {detector.trained_length}")
    if seconds and usual and not is_about_as_long(seconds, usual):
        differences.append(f"has iterations of {seconds:g} s, not {usual:g}")
    if not differences:
        return ()
    text = f"{detector.name} was trained on other series: this one {' and '.join(differences)}"
    return (Caveat("series-unlike", text),)


def _find_measured_range(process: StoredProcess, lasts: Array | None) -> range | None:
    """Return which iterations the configuration measures, None where it is not known.

    They may lie behind the end of the series.
    """
    if process.configured is not None and lasts is not None:
        return _map_measured_range(lasts, process.configured)
    if process.warmups:
        return range(len(process.warmups), len(process.warmups) + len(process.seconds))
    return None


def _map_measured_range(lasts: Array, configured: IterationSettings) -> range:
    beyond = configured.warmup_iterations * configured.warmup_seconds - float(lasts.sum())
    if beyond >= 0:
        # What comes after the end is taken to be as what comes before it.
        first = len(lasts) + ceil(beyond / float(lasts[-1]))
        return range(first, first)
    last_warm_up, last = place_warmup(lasts, configured)
    return range(last_warm_up + 1, last + 1)


def _judge_warm_up(
    series: Values, measured: range, start: int, lasts: Array | None
) -> WarmupEffect:
    first = measured.start
    if start > first:
        deviation = float(series[first : measured.stop].mean() / series[start:].mean()) - 1
        early = min(start, measured.stop) - first
        return WarmupEffect(
            iterations=first, early=early, relative_error=deviation, late=0, wasted_seconds=0.0
        )
    wasted = None
    if lasts is not None:
        beyond = max(0, first - len(series)) * float(lasts[-1])
        wasted = float(lasts[start:first].sum()) + beyond
    return WarmupEffect(
        iterations=first, early=0, relative_error=0.0, late=first - start, wasted_seconds=wasted
    )
