"""Calls per second over the numbers of threads, both versions, as a drawing."""

from collections.abc import Container, Sequence
from math import inf
from statistics import fmean

from markupsafe import Markup

from auditor.concurrency.document import ConcurrencyDocument, MeasuredTest, ThreadsResult
from auditor.core.contracts.concurrency import SEQUENTIAL, TimedScope
from reports import charts, number_format, plots
from reports.charts import Axes, ChartCurve, ChartPoint
from reports.results import NullableRange

WIDE, SMALL = (600, 300), (400, 230)
_UNITS = ((1e6, "million "), (1e3, "thousand "), (1.0, ""))


def list_lanes(document: ConcurrencyDocument) -> tuple[ThreadsResult, ...]:
    """Return the control, where there is one, and the numbers of threads from the least on."""
    ordered = sorted(document.threads, key=lambda thread: thread.threads)
    return (*([document.control] if document.control else []), *ordered)


def lane_name(lane: ThreadsResult) -> str:
    """Return how many threads there are; the control is the one that tells of one thread."""
    return "1 (control)" if lane.threads == SEQUENTIAL else str(lane.threads)


def find_conclusive_tests(document: ConcurrencyDocument) -> frozenset[int]:
    """Return the tests that are conclusive with each number of threads that has such tests.

    Else the points of a curve would be of different tests. A number with which all are open has
    no point.
    """
    all_ = [
        {test.test for test in lane.tests if test.speedup is not None}
        for lane in list_lanes(document)
    ]
    test_sets = [test_numbers for test_numbers in all_ if test_numbers]
    return frozenset[int]().union(*test_sets).intersection(*test_sets)


def draw_curve(
    document: ConcurrencyDocument, tests: Container[int], size: tuple[int, int] = WIDE
) -> Markup:
    """Draw the throughput of tests that are done one after the other.

    NOTHING without a test, and where each suffix was timed by itself: this tells nothing of what
    all threads do together.
    """
    lane_tests = [
        (lane, [test for test in lane.tests if test.test in tests and test.speedup is not None])
        for lane in list_lanes(document)
    ]
    measured_lanes = [
        (lane, measured_tests) for lane, measured_tests in lane_tests if measured_tests
    ]
    if document.plan.scope is not TimedScope.ALL or not measured_lanes:
        return plots.EMPTY_PLOT
    old = [
        _compute_rate(
            index, measured_tests, [(test.old, test.old_interval) for test in measured_tests]
        )
        for index, (_, measured_tests) in enumerate(measured_lanes)
    ]
    new = [
        _compute_rate(
            index, measured_tests, [(test.new, test.new_interval) for test in measured_tests]
        )
        for index, (_, measured_tests) in enumerate(measured_lanes)
    ]
    names = [lane_name(lane) for lane, _ in measured_lanes]
    return _draw_chart(names, (old, new), size)


def _compute_rate(
    position: int,
    tests: Sequence[MeasuredTest],
    times: Sequence[tuple[Sequence[float], NullableRange | None]],
) -> ChartPoint:
    """Return the calls per second at a place, between what both ends of all intervals give."""
    calls = sum(test.calls for test in tests)
    mean = sum(fmean(values) for values, _ in times)
    least, most = (sum(_read_bound(interval, end) for _, interval in times) for end in (0, 1))
    return ChartPoint(position, calls / mean, calls / most, calls / least if least > 0 else inf)


def _read_bound(interval: NullableRange | None, end: int) -> float:
    return (interval[end] if interval else None) or 0.0


def _draw_chart(
    names: Sequence[str], versions: tuple[list[ChartPoint], list[ChartPoint]], size: tuple[int, int]
) -> Markup:
    points = [point for version in versions for point in version]
    most = max(point.high if point.high < inf else point.value for point in points)
    scale, unit = next(
        (unit_choice for unit_choice in _UNITS if most >= unit_choice[0]), _UNITS[-1]
    )
    curves = tuple(
        ChartCurve(name, kind, tuple(_scale_point(point, scale) for point in version))
        for name, kind, version in zip(("old", "new"), ("first", "second"), versions, strict=True)
    )
    axes = Axes(
        size=size,
        ends=(0.0, len(names) - 1.0),
        named=tuple((float(index), name) for index, name in enumerate(names)),
        across="threads",
        units=f"{unit}calls per second",
        most=charts.choose_ticks(most / scale)[-1],
    )
    text = "; ".join(
        f"threads {name}: old {number_format.format_number(old.value)}, "
        f"new {number_format.format_number(new.value)}"
        for name, old, new in zip(names, *versions, strict=True)
    )
    label = f"calls per second with {text}"
    return plots.make_svg(size, label, charts.draw_chart(axes, curves), kind="lines")


def _scale_point(point: ChartPoint, scale: float) -> ChartPoint:
    return ChartPoint(point.x, point.value / scale, point.low / scale, point.high / scale)
