"""Processes of the unchanged suite: what they give, and how they fail."""

import pytest
from gobench_making import HANGING_SECONDS, schedule

from auditor.core.outcome import Crashed, Measured, Skipped, TimedOut, Unreadable
from auditor.core.plan import Purpose
from auditor.core.schedule import Arm, ArmName
from auditor.core.values import ALLOCATIONS, OPERATIONS, TIME

pytestmark = pytest.mark.subject


@pytest.mark.parametrize(
    "name",
    ["BenchmarkSmall", "BenchmarkSub/a", "BenchmarkSub/a/b", "BenchmarkSub/a|b(c", "BenchmarkLoop"],
)
def test_a_block_has_the_operations_asked_for(ring, name):
    outcome = ring.plain(name, 50, blocks=3)

    assert outcome.find_series(OPERATIONS, ArmName.PLAIN).values == (50.0, 50.0, 50.0)
    assert outcome.find_series(TIME, ArmName.PLAIN).block_positions == (1, 2, 3)
    assert outcome.find_series(ALLOCATIONS, ArmName.PLAIN).values == (0.0, 0.0, 0.0)


def test_a_metric_of_the_benchmark_is_a_series_of_its_own(ring):
    assert ring.plain("BenchmarkMetric", 7).find_series("turns", ArmName.PLAIN).values == (
        7.0,
        7.0,
        7.0,
    )


@pytest.mark.parametrize("name", ["BenchmarkSmall", "BenchmarkLoop"])
def test_a_pilot_finds_out_how_many_operations_fit(ring, name):
    trial = ring.trial(Purpose.PILOT, name, schedule([Arm(ArmName.PLAIN)], None, 1))
    outcome = ring.run(trial)

    assert outcome.find_series(OPERATIONS, ArmName.PLAIN).values[0] > 100


def test_output_of_the_program_around_the_results_does_no_harm(ring):
    assert isinstance(ring.plain("BenchmarkPrints", 20), Measured)


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("BenchmarkFailsLater", Crashed, "with more operations"),
        (
            "BenchmarkTwins/second",
            Crashed,
            "BenchmarkTwins fails when only this benchmark in it is",
        ),
        ("BenchmarkPanicsLater", Crashed, "panic: with more operations"),
        ("BenchmarkExitsLater", Crashed, "os.Exit(0)"),
        ("BenchmarkSkipsLater", Skipped, "more than one operation"),
        ("BenchmarkNoTime", Unreadable, "no time per operation"),
        ("BenchmarkFloods", Unreadable, "printed more than is kept"),
    ],
)
def test_what_does_not_end_well_is_no_measurement(ring, name, kind, words):
    outcome = ring.plain(name, 20)

    assert isinstance(outcome, kind)
    assert words in str(outcome)


def test_the_watchdog_ends_what_hangs(ring):
    assert isinstance(ring.plain("BenchmarkHangsLater", 20, seconds=HANGING_SECONDS), TimedOut)
