"""Methods that allocate more: what Go prints of it, and what it does not."""

from statistics import median

import pytest
from gobench_making import schedule

from auditor.core.mutant import Delay, InjectionKind
from auditor.core.outcome import Measured, NeverCalled
from auditor.core.schedule import Arm, ArmName
from auditor.core.values import ALLOCATED, ALLOCATIONS, METHOD_CALLS, OPERATIONS

pytestmark = pytest.mark.subject

RING = "example.org/ring."
SIZE = 64
ARMS = (
    Arm(ArmName.PROBE, Delay(InjectionKind.ALLOCATE, 0)),
    Arm(ArmName.ALLOCATING, Delay(InjectionKind.ALLOCATE, SIZE)),
)


def allocating(ring, name, method, operations, guarded=False):
    trial_schedule = schedule(ARMS, operations, 6)
    return ring.run(ring.delayed(name, RING + method, trial_schedule, guarded))


def rises(outcome, metric):
    """Return by how much each allocating block is above the probe in front of it."""
    assert isinstance(outcome, Measured), outcome
    probe, more = (outcome.find_series(metric, arm.name).values for arm in ARMS)
    return [late - early for early, late in zip(probe, more, strict=True)]


@pytest.mark.parametrize(
    ("name", "method", "calls", "guarded"),
    [
        ("BenchmarkSmall", "Small", 1, False),
        ("BenchmarkLoop", "Small", 1, False),
        ("BenchmarkPushPop", "Push", 2, False),
        ("BenchmarkRecovers", "Positive", 1, False),
        ("BenchmarkFib", "Fib", 1, False),
        ("BenchmarkEven", "Even", 1, True),
        ("BenchmarkParallel", "Small", 1, False),
        ("BenchmarkSpread", "Spread", 9, False),
    ],
)
def test_each_outermost_call_is_one_allocation_more(ring, name, method, calls, guarded):
    """Also in several goroutines at once, after panics, and in recursion."""
    outcome = allocating(ring, name, method, 1000, guarded)

    assert median(rises(outcome, ALLOCATIONS)) == calls
    assert median(rises(outcome, ALLOCATED)) == pytest.approx(SIZE * calls, abs=4)


def test_the_probe_and_what_the_guest_writes_allocate_nothing_that_counts(ring):
    """With two operations, a single allocation of the guest's own would nearly be one of each."""
    outcome = allocating(ring, "BenchmarkLarge", "Large", 2)

    assert median(outcome.find_series(ALLOCATIONS, ArmName.PROBE).values) == 0
    assert median(outcome.find_series(ALLOCATIONS, ArmName.ALLOCATING).values) == 1


def test_a_call_in_a_hundred_operations_allocates_and_is_not_printed(ring):
    outcome = allocating(ring, "BenchmarkSeldom", "Positive", 1000)

    assert set(outcome.find_series(METHOD_CALLS, ArmName.ALLOCATING).values) == {10.0}
    assert set(outcome.find_series(OPERATIONS, ArmName.ALLOCATING).values) == {1000.0}
    assert set(rises(outcome, ALLOCATIONS)) == {0.0}


def test_what_the_set_up_calls_does_not_count(ring):
    outcome = allocating(ring, "BenchmarkPushPop", "New", 100)

    assert set(outcome.find_series(METHOD_CALLS, ArmName.ALLOCATING).values) == {0.0}
    assert set(rises(outcome, ALLOCATIONS)) == {0.0}


def test_a_method_that_never_ran_is_never_called(ring):
    assert allocating(ring, "BenchmarkSmall", "Unused", 10) == NeverCalled()


def test_a_process_that_is_timed_says_nothing_of_allocations(ring):
    outcome = ring.slowed(
        "BenchmarkSmall", f"{RING}Small", 100, Delay(InjectionKind.WORK, 10), rounds=2
    )

    assert {values.metric for values in outcome.series} & {
        ALLOCATIONS,
        ALLOCATED,
        METHOD_CALLS,
    } == set()
