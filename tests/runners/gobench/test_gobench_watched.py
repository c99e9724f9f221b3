"""Test binaries that are ended once a watcher has seen enough."""

import pytest
from watchers import MOST, NEVER, Patient, Watched, assert_told_apart, blocks

from auditor.core.outcome import Crashed, Measured, Skipped, TimedOut, Unreadable
from auditor.core.schedule import ArmName, Phase
from auditor.core.stop_rules import Criterion, WarmupResult
from auditor.core.values import ALLOCATIONS, OPERATIONS, TIME
from runners.gobench.harness import GoBench

pytestmark = pytest.mark.subject

MANY = 100 * MOST
"""Blocks that take long enough to be ended among them, short as they are."""


@pytest.fixture(scope="module")
def watched(ring, tmp_path_factory):
    place = Watched(ring.project, GoBench(), tmp_path_factory.mktemp("watched"))
    return lambda name, watcher, schedule, timeout=100.0: place.run(
        ring.benchmark(name), watcher, schedule, timeout
    )


@pytest.mark.parametrize("name", ["BenchmarkSmall", "BenchmarkSub/a/b", "BenchmarkPrints"])
def test_a_program_is_ended_once_it_has_shown_enough(watched, name):
    watcher = Patient(8)

    outcome = watched(name, watcher, blocks(seconds=0.03))

    assert_told_apart(outcome, watcher)
    assert (
        outcome.find_series(ALLOCATIONS, ArmName.PLAIN).block_positions
        == outcome.find_series(TIME, ArmName.PLAIN).block_positions
    )


def test_a_block_may_be_a_number_of_operations(watched):
    watcher = Patient(8)

    outcome = watched("BenchmarkSmall", watcher, blocks(MANY, operations=2000))

    assert_told_apart(outcome, watcher, MANY)
    assert {*outcome.find_series(OPERATIONS, ArmName.PLAIN).values} == {2000.0}


def test_one_that_is_never_enough_does_all_of_its_schedule(watched):
    outcome = watched("BenchmarkSmall", Patient(NEVER), blocks(10, operations=50))

    assert outcome.warmed == WarmupResult(method=Criterion.COV, warm=None, enough=False)
    assert outcome.find_series(TIME, ArmName.PLAIN, Phase.WARMUP).block_positions == tuple(range(7))
    assert outcome.find_series(TIME, ArmName.PLAIN).block_positions == (7, 8, 9)


def test_the_last_block_is_looked_at_too(watched):
    watcher = Patient(10)

    outcome = watched("BenchmarkSmall", watcher, blocks(10, operations=50))

    assert len(watcher.iterations) == 10
    assert outcome.warmed == WarmupResult(method=Criterion.COV, warm=7, enough=True)


def test_a_long_block_is_broken_off(watched):
    outcome = watched("BenchmarkSlower", Patient(3), blocks(operations=60))

    assert isinstance(outcome, Measured), outcome
    assert outcome.find_series(TIME, ArmName.PLAIN).block_positions == (0, 1, 2)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("BenchmarkFailsLater", Crashed),
        ("BenchmarkPanicsLater", Crashed),
        ("BenchmarkSkipsLater", Skipped),
        ("BenchmarkNoTime", Unreadable),
        ("BenchmarkFloods", Unreadable),
    ],
)
def test_what_does_not_end_well_is_no_measurement(watched, name, kind):
    assert isinstance(watched(name, Patient(NEVER), blocks(3, operations=20)), kind)


def test_the_watchdog_ends_what_hangs(watched):
    schedule = blocks(3, operations=20)

    assert isinstance(watched("BenchmarkHangsLater", Patient(3), schedule, 4.0), TimedOut)
