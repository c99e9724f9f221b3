"""Calls per second over the numbers of threads, both versions, as a drawing."""

from collections.abc import Container, Sequence
from math import inf
from statistics import fmean

from markupsafe import Markup

from auditor.concurrency.document import ConcurrencyDocument, MeasuredTest, ThreadsResult
from auditor.core.contracts.concurrency import SEQUENTIAL, TimedScope
from reports import charts, number_format, plots
from reports.charts import Axes, ChartCurve, Point
from reports.results import Range

WIDE, SMALL = (600, 300), (400, 230)
_UNITS = ((1e6, "million "), (1e3, "thousand "), (1.0, ""))


def lanes(document: ConcurrencyDocument) -> tuple[ThreadsResult, ...]:
    """Return the control, where there is one, and the numbers of threads from the least on."""
    ordered = sorted(document.threads, key=lambda thread: thread.threads)
    return (*([document.control] if document.control else []), *ordered)


def lane_name(lane: ThreadsResult) -> str:
    """Return how many threads there are; the control is the one that tells of one thread."""
    return "1 (control)" if lane.threads == SEQUENTIAL else str(lane.threads)


def conclusive_tests(document: ConcurrencyDocument) -> frozenset[int]:
    """Return the tests that are conclusive with each number of threads that has such tests.

    Else the points of a curve would be of different tests. A number with which all are open has
    no point.
    """
    all_ = [
        {test.test for test in lane.tests if test.speedup is not None} for lane in lanes(document)
    ]
    known = [one for one in all_ if one]
    return frozenset[int]().union(*known).intersection(*known)


def curve(
    document: ConcurrencyDocument, tests: Container[int], size: tuple[int, int] = WIDE
) -> Markup:
    """Draw the throughput of tests that are done one after the other.

    NOTHING without a test, and where each suffix was timed by itself: this tells nothing of what
    all threads do together.
    """
    shown = [
        (lane, [test for test in lane.tests if test.test in tests and test.speedup is not None])
        for lane in lanes(document)
    ]
    measured = [(lane, measured_tests) for lane, measured_tests in shown if measured_tests]
    if document.plan.scope is not TimedScope.ALL or not measured:
        return plots.NOTHING
    old = [
        _rate(index, measured_tests, [(test.old, test.old_interval) for test in measured_tests])
        for index, (_, measured_tests) in enumerate(measured)
    ]
    new = [
        _rate(index, measured_tests, [(test.new, test.new_interval) for test in measured_tests])
        for index, (_, measured_tests) in enumerate(measured)
    ]
    names = [lane_name(lane) for lane, _ in measured]
    return _draw_chart(names, (old, new), size)


def _rate(
    at: int, tests: Sequence[MeasuredTest], times: Sequence[tuple[Sequence[float], Range | None]]
) -> Point:
    """Return the calls per second at a place, between what both ends of all intervals give."""
    calls = sum(test.calls for test in tests)
    mean = sum(fmean(values) for values, _ in times)
    least, most = (sum(_end(interval, end) for _, interval in times) for end in (0, 1))
    return Point(at, calls / mean, calls / most, calls / least if least > 0 else inf)


def _end(interval: Range | None, end: int) -> float:
    return (interval[end] if interval else None) or 0.0


def _draw_chart(
    names: Sequence[str], versions: tuple[list[Point], list[Point]], size: tuple[int, int]
) -> Markup:
    points = [point for version in versions for point in version]
    most = max(point.high if point.high < inf else point.value for point in points)
    scale, unit = next((each for each in _UNITS if most >= each[0]), _UNITS[-1])
    curves = tuple(
        ChartCurve(name, kind, tuple(_scaled(point, scale) for point in version))
        for name, kind, version in zip(("old", "new"), ("first", "second"), versions, strict=True)
    )
    axes = Axes(
        size=size,
        ends=(0.0, len(names) - 1.0),
        named=tuple((float(index), name) for index, name in enumerate(names)),
        across="threads",
        units=f"{unit}calls per second",
        most=charts.ticks(most / scale)[-1],
    )
    text = "; ".join(
        f"threads {name}: old {number_format.number(old.value)}, "
        f"new {number_format.number(new.value)}"
        for name, old, new in zip(names, *versions, strict=True)
    )
    label = f"calls per second with {text}"
    return plots.svg(size, label, charts.body(axes, curves), kind="lines")


def _scaled(point: Point, scale: float) -> Point:
    return Point(point.x, point.value / scale, point.low / scale, point.high / scale)
