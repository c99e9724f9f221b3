"""Forks of the real JMH that end once a watcher has seen enough."""

import time
from dataclasses import replace

import pytest
from jmh_making import plain, torn_down
from watchers import MOST, NEVER, Patient, Watched, assert_told_apart, blocks, times

from auditor.core.outcome import Crashed
from auditor.core.schedule import ArmName, Phase
from auditor.core.stop_rules import Criterion, WarmupResult
from auditor.core.values import TIME, WALL

pytestmark = pytest.mark.subject


def watched(suited, name, watcher, *schedule):
    place = Watched(suited.project, suited.harness, suited.folder / "watched")
    return place.run(suited.benchmark(f"Watched.{name}"), watcher, blocks(*schedule))


@pytest.mark.timed
@pytest.mark.parametrize("name", ["calm", "together", "single", "chatty"])
def test_a_fork_ends_with_its_tear_down_once_it_has_shown_enough(jmh, name):
    watcher = Patient(8)

    outcome = watched(jmh, name, watcher)

    assert_told_apart(outcome, watcher)
    assert torn_down(jmh) == 5 + len(times(outcome)) + 1


@pytest.mark.timed
def test_an_old_jmh_ends_so_too(old_jmh):
    outcome = watched(old_jmh, "calm", Patient(8))

    assert torn_down(old_jmh) == 5 + len(times(outcome)) + 1


@pytest.mark.timed
def test_a_long_iteration_is_done_and_one_operation_more(jmh):
    began = time.monotonic()
    watcher = Patient(4)

    outcome = watched(jmh, "lengthy", watcher)

    assert 3 <= len(times(outcome)) <= 5
    assert torn_down(jmh) == 1 + len(times(outcome)) + 1
    assert min(lasted for _, lasted in watcher.iterations) > 0.3
    assert time.monotonic() - began < MOST * 0.4


@pytest.mark.parametrize(
    ("warmup", "slow_seconds", "recorded", "iterations"),
    [(3, 1e-6, 2, 2), (1, 1e-6, 2, 2), (0, 1e-6, 1, 2), (3, 1e6, 7, 7), (3, 0.0, 7, 7)],
)
def test_a_fork_whose_blocks_are_slow_ends_with_its_tear_down(
    any_jmh, warmup, slow_seconds, recorded, iterations
):
    """The rest of the warm-up is left out; a measured iteration is followed by a brief one."""
    schedule = replace(plain(blocks=4, warmup=warmup), slow_seconds=slow_seconds)

    outcome = any_jmh.run("Watched.calm", schedule)

    assert sum(len(times(outcome, phase)) for phase in Phase) == recorded
    assert torn_down(any_jmh) == iterations


def test_seconds_by_the_clock_are_told_apart_as_well(jmh):
    outcome = watched(jmh, "calm", Patient(6))

    assert outcome.find_series(WALL, ArmName.PLAIN, Phase.WARMUP).block_positions == (0, 1, 2)
    assert outcome.find_series(WALL, ArmName.PLAIN).block_positions[:3] == (3, 4, 5)


def test_one_that_is_never_enough_does_all_of_its_schedule(jmh):
    outcome = watched(jmh, "calm", Patient(NEVER), 10, 0.02)

    assert outcome.warmed == WarmupResult(method=Criterion.COV, warm=None, enough=False)
    assert outcome.find_series(TIME, ArmName.PLAIN, Phase.WARMUP).block_positions == tuple(range(7))
    assert outcome.find_series(TIME, ArmName.PLAIN).block_positions == (7, 8, 9)
    assert torn_down(jmh) == 10


def test_enough_at_the_last_iteration_is_no_other_end(jmh):
    outcome = watched(jmh, "calm", Patient(10), 10, 0.02)

    assert outcome.warmed == WarmupResult(method=Criterion.COV, warm=7, enough=True)
    assert torn_down(jmh) == 10


def test_one_that_fails_in_the_middle_has_crashed(jmh):
    watcher = Patient(NEVER)

    outcome = watched(jmh, "breaks", watcher)

    assert isinstance(outcome, Crashed), outcome
    assert "this one fails later" in outcome.tail
    assert len(watcher.iterations) == 4
