from dataclasses import replace
from math import hypot, log, sqrt

import numpy as np
import pytest
from builders import benchmark, calibration_run, crashed, run, series
from test_detection import pair

from auditor.abs.judge import binary_layout
from auditor.abs.judge.pair import probe_ratio
from auditor.core.outcome import Measured
from auditor.core.plan import Layouts, Purpose
from auditor.stats.components import VarianceComponent

MOVED = VarianceComponent(0.05**2, 0.0, 12)


def plain(value, number=0, *, benchmark_name="BenchmarkPush", repetition=1):
    """Return a plain process of a layout; its least block counts."""
    purpose = Purpose.REFERENCE if number else Purpose.SUITE
    blocks = Measured((series([1.1 * value, value, 1.2 * value]),))
    trial_run = run(
        blocks, purpose=purpose, of_benchmark=benchmark(benchmark_name), repetition=repetition
    )
    return replace(trial_run, trial=replace(trial_run.trial, layout=number))


def suite(*moved):
    """Return processes of two benchmarks, of three layouts: the same, 0, `moved`."""
    return [
        plain(middle * np.exp(log_shift), number, benchmark_name=name, repetition=repetition)
        for name, middle in (("BenchmarkPush", 1e-6), ("BenchmarkPop", 1e-3))
        for repetition, (log_shift, number) in enumerate(
            [(-0.01, 0), (0.01, 0), *((shift, 7 + index) for index, shift in enumerate(moved))], 1
        )
    ]


def test_a_layout_is_told_from_the_scatter_of_all_benchmarks_together():
    """By hand: squares between 0, 0 | .3 | -.3 are .18, own .0002; the factor is 4 - 6 / 4."""
    component = binary_layout.estimate_layout_variance(suite(0.3, -0.3))

    assert component == VarianceComponent(
        pytest.approx(0.18 / 2.5), pytest.approx(2 * 0.0002 / 2.5), 4
    )


def test_too_few_layouts_tell_nothing():
    assert binary_layout.estimate_layout_variance(suite(0.3)) is None
    assert binary_layout.estimate_layout_variance([]) is None


def test_a_process_that_failed_is_no_draw():
    runs = [*suite(0.3, -0.3), replace(plain(1.0, 9), outcome=crashed())]

    assert binary_layout.estimate_layout_variance(runs) == binary_layout.estimate_layout_variance(
        suite(0.3, -0.3)
    )
    assert binary_layout.count_layouts(runs) == (4, 2, 2)


def test_what_layouts_do_widens_q_by_what_its_two_sides_share():
    """Two probe processes of one binary, and plain ones of the user's build and of two others."""
    probes = [
        calibration_run(probe=value, slowed=2, turns=1, method_seconds=1)
        for value in (1.001, 1.002)
    ]
    plain_runs = [plain(1.0), plain(1.001), plain(1.0, 5), plain(1.002, 6)]
    data = replace(pair(runs=()), calibrating=tuple(probes), plain=tuple(plain_runs))

    blind, ratio = (probe_ratio(replace(data, layout=component)) for component in (None, MOVED))

    assert ratio.estimate == blind.estimate
    inside = (4 - 6 / 4) / 4 * (1 / 2 + 1 / 4)
    shared = 3.0545396 * 0.05 * sqrt(1 + 6 / 16 - inside)
    assert log(ratio.high / ratio.estimate) == pytest.approx(
        hypot(log(blind.high / blind.estimate), shared)
    )


@pytest.mark.parametrize(
    ("layouts", "layout_variance", "moved", "words"),
    [
        (Layouts.OF_PROCESS, None, (0.1, -0.1), None),
        (Layouts.DRAWN, MOVED, (), None),
        (Layouts.FIXED, None, (0.1,), "this linker cannot shuffle"),
        (Layouts.DRAWN, None, (0.1,), "2 processes with shuffled functions are too few"),
        (Layouts.DRAWN, VarianceComponent(1.0, 2.0, 9), (0.1,), "no effect of function order"),
        (Layouts.DRAWN, MOVED, (0.1,), "by 5.0\N{NO-BREAK SPACE}% "),
    ],
)
def test_it_is_said_what_is_known_of_layouts(layouts, layout_variance, moved, words):
    caveat = binary_layout.describe_layout_effect(layouts, layout_variance, suite(*moved))

    assert (caveat is None) == (words is None)
    assert words is None or (caveat.slug == "layout" and words in caveat.text)
