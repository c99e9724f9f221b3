"""What the place of code in memory does to a time: a part of the error of q (binary-layout.md)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt

import numpy as np

from auditor.core.caveats import Caveat
from auditor.core.plan import Layouts, Purpose, Run
from auditor.core.schedule import ArmName
from auditor.core.units import percent
from auditor.measure import readings
from auditor.stats.arrays import Array
from auditor.stats.components import Component, component_between

LEAST_FREEDOM = 4
"""With less nothing is said of layouts: with 2 degrees of freedom what scatter can hide would make
an interval four times as wide where layouts do nothing at all, with 4 twice."""


def sizes(plain: Sequence[Run]) -> tuple[int, ...]:
    """Return how many of the processes that measured were of each layout."""
    measured = [run.trial.layout for run in plain if readings.times(run, ArmName.PLAIN)]
    return tuple(Counter(measured).values())


def component(plain: Sequence[Run]) -> Component | None:
    """Return the variance of the logarithms that a layout adds to all processes that have it.

    `plain` are processes of unchanged benchmarks. Two to four layouts of one tell little, so it is
    that of all benchmarks together: where a layout moves some of them more than others, it is that
    of the middle one. None where too few layouts were drawn.
    """
    families: dict[str, dict[int, list[float]]] = {}
    for run in plain:
        values = readings.times(run, ArmName.PLAIN)
        if values and run.trial.benchmark is not None:
            family = families.setdefault(run.trial.benchmark.id, {})
            family.setdefault(run.trial.layout, []).append(min(values))
    found = component_between([_logs(family.values()) for family in families.values()])
    return found if found is not None and found.freedom >= LEAST_FREEDOM else None


def _logs(groups: Iterable[Sequence[float]]) -> list[Array]:
    return [np.log(group) for group in groups]


def caveat(layouts: Layouts, found: Component | None, plain: Sequence[Run]) -> Caveat | None:
    """Say what is known of layouts; None where each process has one of its own.

    Nothing is said either where there is no reference, so that nothing rests on q.
    """
    drawn = [run for run in plain if run.trial.purpose is Purpose.REFERENCE]
    if layouts is Layouts.OF_PROCESS or not drawn:
        return None
    if layouts is Layouts.FIXED:
        text = (
            "the effect of function order on times is unknown and missing from the intervals: "
            "this linker cannot shuffle functions; use Go 1.23 or newer"
        )
    elif found is None:
        text = (
            "the effect of function order on times is unknown and missing from the intervals: "
            f"{len(drawn)} processes with shuffled functions are too few; raise `runs`"
        )
    elif not found.variance:
        text = "no effect of function order on times was found; the intervals allow for a small one"
    else:
        text = (
            "the order of functions in the program changes times by "
            f"{percent(sqrt(found.variance), 1)} (standard deviation); the intervals include it"
        )
    return Caveat("layout", text)
