"""Series as drawings: iteration against time, warm-up shaded, change points marked."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from markupsafe import Markup

from auditor.core.series.steady import SteadyLabel
from auditor.steady.document import ProcessSteadiness
from reports import number_format
from reports.plots import draw_line, format_place, make_svg

WIDTH, HEIGHT = 300, 64
_ROOM = 0.1
_SPIKE = 5.0
"""Above so many times the distance from the median to the 98th percentile a value is a spike."""


def decimate_values(values: Sequence[float], columns: int) -> list[tuple[float, float]]:
    """Return the least and the greatest value of so many parts of equal length: no spike is lost.

    Of fewer values each is a part.
    """
    number = len(values)
    columns = min(columns, number)
    edges = [part * number // columns for part in range(columns + 1)]
    return [(min(values[start:stop]), max(values[start:stop])) for start, stop in pairwise(edges)]


def draw_series(series: ProcessSteadiness, values: Sequence[float]) -> Markup:
    """Draw a process; what lies far above everything else is a dot at the upper edge."""
    parts = decimate_values(values, WIDTH)
    low, high = _find_range(values)
    width = WIDTH / len(parts)
    scale = HEIGHT * (1 - 2 * _ROOM) / ((high - low) or 1.0)

    def scale_y(value: float) -> str:
        return format_place(HEIGHT * (1 - _ROOM) - scale * (min(value, high) - low))

    path = "".join(
        f"M{format_place((number + 0.5) * width)} {scale_y(least)}V{scale_y(most)}h.1"
        for number, (least, most) in enumerate(parts)
    )
    spikes = "".join(
        f"M{format_place((number + 0.5) * width)} 3h0"
        for number, (_, most) in enumerate(parts)
        if most > high
    )
    step = WIDTH / len(values)
    never = len(values) if series.label is SteadyLabel.NOT_STEADY else 0
    warm = never if series.steady_from is None else series.steady_from
    body = f'<rect class="warm" width="{format_place(warm * step)}" height="{HEIGHT}"/>'
    body += f'<path class="values" d="{path}"/>'
    body += f'<path class="dot slowed" d="{spikes}"/>' if spikes else ""
    body += "".join(
        draw_line((change + 1) * step, 0, HEIGHT, "change") for change in series.changes
    )
    if series.warm_up is not None:
        body += draw_line(min(series.warm_up.iterations * step, WIDTH), 0, HEIGHT, "needed")
    return make_svg((WIDTH, HEIGHT), describe_plot(series, values), body, kind="series")


def _find_range(values: Sequence[float]) -> tuple[float, float]:
    array = np.asarray(values)  # sorted, ten million of them as a list would take 320 MB
    places = (0, array.size // 2, min(array.size * 98 // 100, array.size - 1), array.size - 1)
    least, middle, usual, most = np.partition(array, places)[list(places)].tolist()
    # Where nearly all are the same, nothing but them would be in the picture.
    return least, min(most, middle + _SPIKE * (usual - middle)) if usual > middle else most


def describe_plot(series: ProcessSteadiness, values: Sequence[float]) -> str:
    """Say in words what a drawing shows."""
    number = f"{len(values):,} iterations"
    if series.steady_from is None:
        start = f"{number}, {series.label}"
    else:
        start = f"steady from iteration {series.steady_from:,} of {number}"
    configured = "" if series.warm_up is None else f", warm-up of {series.warm_up.iterations:,}"
    middle = float(np.median(np.asarray(values)))
    times = (
        f"{number_format.format_seconds(min(values))} to "
        f"{number_format.format_seconds(max(values))}, median "
        f"{number_format.format_seconds(middle)}"
    )
    whose = f"run {series.run + 1}, process {series.fork + 1}"
    return f"{whose}: {start}{configured}; {times}"
