"""What the place of code in memory does to a time: a part of the error of q (binary-layout.md)."""

from collections import Counter
from collections.abc import Sequence
from math import sqrt

import numpy as np

from auditor.core.caveats import Caveat
from auditor.core.plan import Layouts, Purpose, Run
from auditor.core.schedule import ArmName
from auditor.core.units import format_percent
from auditor.measure import readings
from auditor.stats.components import VarianceComponent, component_between

LEAST_FREEDOM = 4
"""With less nothing is said of layouts: with 2 degrees of freedom what scatter can hide would make
an interval four times as wide where layouts do nothing at all, with 4 twice."""


def count_layouts(plain: Sequence[Run]) -> tuple[int, ...]:
    """Return how many of the processes that measured were of each layout."""
    layouts = [run.trial.layout for run in plain if readings.list_block_times(run, ArmName.PLAIN)]
    return tuple(Counter(layouts).values())


def estimate_layout_variance(plain: Sequence[Run]) -> VarianceComponent | None:
    """Return the variance of the logarithms that a layout adds to all processes that have it.

    `plain` are processes of unchanged benchmarks. Two to four layouts of one tell little, so it is
    that of all benchmarks together: where a layout moves some of them more than others, it is that
    of the middle one. None where too few layouts were drawn.
    """
    families: dict[str, dict[int, list[float]]] = {}
    for run in plain:
        values = readings.list_block_times(run, ArmName.PLAIN)
        if values and run.trial.benchmark is not None:
            family = families.setdefault(run.trial.benchmark.id, {})
            family.setdefault(run.trial.layout, []).append(min(values))
    layout_component = component_between(
        [[np.log(group) for group in family.values()] for family in families.values()]
    )
    return (
        layout_component
        if layout_component is not None and layout_component.freedom >= LEAST_FREEDOM
        else None
    )


def describe_layout_effect(
    layouts: Layouts, layout_component: VarianceComponent | None, plain: Sequence[Run]
) -> Caveat | None:
    """Say what is known of layouts; None where each process has one of its own.

    Nothing is said either where there is no reference, so that nothing rests on q.
    """
    references = [run for run in plain if run.trial.purpose is Purpose.REFERENCE]
    if layouts is Layouts.OF_PROCESS or not references:
        return None
    if layouts is Layouts.FIXED:
        text = (
            "the effect of function order on times is unknown and missing from the intervals: "
            "this linker cannot shuffle functions; use Go 1.23 or newer"
        )
    elif layout_component is None:
        text = (
            "the effect of function order on times is unknown and missing from the intervals: "
            f"{len(references)} processes with shuffled functions are too few; raise `runs`"
        )
    elif not layout_component.variance:
        text = "no effect of function order on times was found; the intervals allow for a small one"
    else:
        text = (
            "the order of functions in the program changes times by "
            f"{format_percent(sqrt(layout_component.variance), 1)} (standard deviation); the "
            "intervals include it"
        )
    return Caveat("layout", text)
