"""Plain processes among the pairs, in several layouts where those can be drawn."""

from dataclasses import replace

import numpy as np

from auditor.core.plan import Layouts, Purpose, Trial
from auditor.core.suite import Benchmark
from auditor.measure import schedules
from auditor.measure.context import StudyContext
from auditor.measure.suite_runs import SuiteBaseline

_LARGEST_LAYOUT = 2**31 - 1


def reference_trial(
    parts: StudyContext, baseline: SuiteBaseline, benchmark: Benchmark, repetition: int
) -> Trial:
    """Return the plain process of a benchmark in a run of the pairs.

    All benchmarks of a run have the same layout, so that it is built once for each package. The
    runs of the suite, which tell how stable it is, are of the user's own build instead.
    """
    plan = baseline.plans[benchmark.id]
    schedule = schedules.make_plain_schedule(plan, baseline.operations[benchmark.id])
    trial = parts.make_trial(Purpose.REFERENCE, benchmark, schedule)
    layout = 0
    if parts.layouts is Layouts.DRAWN:
        rng = np.random.default_rng([parts.request.seed, 8, repetition])
        layout = int(rng.integers(1, _LARGEST_LAYOUT, endpoint=True))
    return replace(trial, repetition=repetition, layout=layout)
