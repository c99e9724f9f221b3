"""Slowed methods: they are slower by what was asked, and only outermost calls wait."""

import pytest
from gobench_making import ROUNDS, least

from auditor.core.measure import CLOCK_COST, METHOD_CALLS, METHOD_TIME, OPERATIONS, TIME
from auditor.core.mutant import Delay, Wait
from auditor.core.outcome import Crashed, NotBuilt, Unreadable
from auditor.core.schedule import ArmName

pytestmark = pytest.mark.subject

RING = "example.org/ring."


def _ratio(outcome):
    return least(outcome, TIME, ArmName.SLOWED) / least(outcome, TIME, ArmName.PROBE)


@pytest.mark.parametrize(
    ("name", "method", "operations"),
    [
        ("BenchmarkLarge", "Large", 5),
        ("BenchmarkSmall", "Small", 300),
        ("BenchmarkLoop", "Small", 300),
        ("BenchmarkParallel", "Small", 600),
        ("BenchmarkSub/a|b(c", "Small", 300),
    ],
)
def test_a_method_that_is_the_whole_operation_slows_it_by_as_much(ring, name, method, operations):
    outcome = ring.slowed(name, RING + method, operations, Delay(Wait.SPIN, 2.0))

    assert 2.0 < _ratio(outcome) < 6.0


def test_a_tenth_of_an_operation_slows_it_by_a_tenth_of_that(ring):
    outcome = ring.slowed("BenchmarkSlight", f"{RING}Slight", 150, Delay(Wait.SPIN, 2.0))

    assert 1.03 < _ratio(outcome) < 1.8


def test_sleeping_waits_at_least_as_long_as_asked(ring):
    outcome = ring.slowed("BenchmarkLarge", f"{RING}Large", 10, Delay(Wait.SLEEP, 1.0))

    assert _ratio(outcome) > 1.8


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("BenchmarkTiny", "Tiny"),
        ("BenchmarkSmall", "Small"),
        ("BenchmarkDivide", "Divide"),
        ("BenchmarkStack", "Stack.Put"),
        ("BenchmarkPushPop", "Ring.Pop"),
        ("BenchmarkRecovers", "Safe"),
        ("BenchmarkRecovers", "Positive"),
        ("BenchmarkFib", "Fib"),
        ("BenchmarkSum", "Tree.Sum"),
    ],
)
def test_turns_of_the_loop_are_added_to_each_outermost_call(ring, name, method):
    outcome = ring.slowed(name, RING + method, 1000, Delay(Wait.WORK, 3000))
    more = least(outcome, TIME, ArmName.SLOWED) - least(outcome, TIME, ArmName.PROBE)

    assert 0.5e-6 < more < 20e-6


def test_arms_alternate_as_scheduled_and_blocks_are_whole(ring):
    outcome = ring.slowed("BenchmarkSmall", f"{RING}Small", 500, Delay(Wait.WORK, 3000))

    assert outcome.of(TIME, ArmName.PROBE).at == tuple(range(1, 2 * ROUNDS, 2))
    assert outcome.of(TIME, ArmName.SLOWED).at == tuple(range(2, 2 * ROUNDS + 1, 2))
    assert set(outcome.of(OPERATIONS, ArmName.SLOWED).values) == {500.0}


@pytest.mark.parametrize(
    ("name", "method", "calls"),
    [
        ("BenchmarkSmall", "Small", 1),
        ("BenchmarkFib", "Fib", 1),
        ("BenchmarkTotal", "Total", 2),
        ("BenchmarkPushPop", "Push", 2),
        ("BenchmarkLoop", "Push", 1),
        ("BenchmarkEven", "Even", 6),
    ],
)
def test_the_clock_counts_calls_since_the_timer_was_reset(ring, name, method, calls):
    outcome = ring.clocked(name, RING + method, 200)

    assert set(outcome.of(METHOD_CALLS, ArmName.CLOCKED).values) == {200.0 * calls}


def test_a_guarded_delay_waits_once_where_methods_call_each_other(ring):
    outcome = ring.clocked("BenchmarkEven", f"{RING}Even", 200, guarded=True)

    assert set(outcome.of(METHOD_CALLS, ArmName.CLOCKED).values) == {200.0}


def test_the_clock_and_its_own_cost_give_the_methods_time(ring):
    outcome = ring.clocked("BenchmarkLarge", f"{RING}Large", 20)
    shown = least(outcome, METHOD_TIME, ArmName.CLOCKED) / 20
    cost = least(outcome, CLOCK_COST, ArmName.CLOCKED)

    assert 0 < cost < shown / 10
    assert shown < 1.5 * least(outcome, TIME, ArmName.CLOCKED)


def test_a_method_that_never_ran_is_no_measurement(ring):
    outcome = ring.slowed("BenchmarkSmall", f"{RING}Unused", 10, Delay(Wait.WORK, 1))

    assert isinstance(outcome, Unreadable)
    assert outcome.reason == "the slowed method was never called"


def test_a_mutant_that_does_not_compile_says_so_in_the_compilers_words(ring):
    outcome = ring.slowed("BenchmarkInvalid", f"{RING[:-1]}/clash.Invalid", 10, Delay(Wait.WORK, 1))

    assert isinstance(outcome, NotBuilt)
    assert "zzBenchAudit already declared" in outcome.message


def test_a_slowed_process_that_breaks_off_is_no_measurement(ring):
    touch = f"{RING[:-1]}/naughty.Touch"
    outcome = ring.slowed("BenchmarkExitsLater", touch, 10, Delay(Wait.WORK, 1))

    assert isinstance(outcome, Crashed)


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("BenchmarkParse", "Parse"),
        ("BenchmarkUUID_String", "UUID.String"),
        ("BenchmarkUUID_New", "NewRandom"),
    ],
)
def test_functions_of_a_real_module_can_be_slowed(uuid, name, method):
    """Its go.mod names no version, so the guest has to do with the language of Go 1.16."""
    method = f"github.com/google/uuid.{method}"
    outcome = uuid.slowed(name, method, 1000, Delay(Wait.WORK, 3000))
    more = least(outcome, TIME, ArmName.SLOWED) - least(outcome, TIME, ArmName.PROBE)

    assert 0.5e-6 < more < 20e-6
