"""RunParallel: goroutines take as many operations at a time as they do under `go test`.

Go's testing has them take some 100 microseconds of operations, by the run before. Behind a run of
one operation that would be a few, and a benchmark of nanoseconds would time the shared counter.
"""

from dataclasses import replace

import pytest
from gobench_making import schedule, write_lab

from auditor.core.mutant import Delay, InjectionKind
from auditor.core.outcome import Counted, Measured
from auditor.core.plan import Purpose
from auditor.core.schedule import Arm, ArmName
from auditor.core.values import OPERATIONS
from runners.gobench.launching import fixes_operations

pytestmark = pytest.mark.subject

NEXT = "example.org/shared.Next"
SOURCE = """package shared

func Next(x uint64) uint64 {
	x ^= x << 13
	x ^= x >> 7
	return x ^ x<<17
}

// Deep calls itself in some goroutines only, so that counting it has to tell which.
//go:noinline
func Deep(n int) int {
	if n == 0 {
		return 1
	}
	return Deep(n-1) + 1
}
"""
TEST = """package shared

import (
	"fmt"
	"os"
	"reflect"
	"sync/atomic"
	"testing"
)

var sink, started atomic.Uint64

func note(b *testing.B, grain uint64) {
	file, err := os.OpenFile("{notes}", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0666)
	if err != nil {
		b.Fatal(err)
	}
	file.WriteString(fmt.Sprintln(b.N, grain))
	file.Close()
}

func BenchmarkShort(b *testing.B) {
	var grain atomic.Uint64
	b.RunParallel(func(pb *testing.PB) {
		grain.Store(reflect.ValueOf(pb).Elem().FieldByName("grain").Uint())
		x := uint64(1)
		for pb.Next() {
			x = Next(x)
		}
		sink.Store(x)
	})
	note(b, grain.Load())
}

func BenchmarkDeep(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		depth := int(started.Add(1)%2) * 32
		for pb.Next() {
			sink.Store(uint64(Deep(depth)))
		}
	})
}
"""
OPERATIONS_OF_A_BLOCK = 2_000_000
"""About as many as last as long as the schedule's blocks."""


@pytest.fixture(name="notes", scope="module")
def _notes(tmp_path_factory):
    return tmp_path_factory.mktemp("shared") / "notes"


@pytest.fixture(name="shared", scope="module")
def _shared(go_home, notes):
    return write_lab(notes.parent, go_home, "shared", SOURCE, TEST)


@pytest.mark.parametrize(
    ("operations", "seconds", "fixed"),
    [
        (20, 0.003, True),  # 150 microseconds each: goroutines take one at a time
        (64, 0.003, True),  # the fewest of 16 processors, which may last far longer
        (65, 0.003, False),
        (65, 0.03, True),
    ],
)
def test_only_what_is_short_and_more_than_the_fewest_is_taken_in_chunks(
    shared, operations, seconds, fixed
):
    plain_schedule = replace(schedule([Arm(ArmName.PLAIN)], operations, 3), seconds=seconds)
    trial = shared.trial(Purpose.SUITE, "BenchmarkShort", plain_schedule)
    trial = replace(trial, benchmark=replace(trial.benchmark, concurrency=16))

    assert fixes_operations(trial) is fixed


def read_grains(notes, least_operations):
    """Return how many operations were taken at a time, in the runs that long."""
    pairs = (map(int, line.split()) for line in notes.read_text().splitlines())
    return [grain for operations, grain in pairs if operations >= least_operations]


def test_plain_blocks_grow_up_to_their_length(shared, notes):
    """A goroutine of the last run takes far more than one of a run behind a single operation."""
    notes.unlink(missing_ok=True)

    outcome = shared.plain("BenchmarkShort", OPERATIONS_OF_A_BLOCK, blocks=5)

    assert isinstance(outcome, Measured), outcome
    operations = outcome.find_series(OPERATIONS, ArmName.PLAIN).values
    assert len(operations) == 5
    last_grains = read_grains(notes, min(operations))
    assert sorted(last_grains)[len(last_grains) // 2] > 1_000


def test_a_fixed_number_stays_where_an_operation_is_longer_than_what_is_taken_at_a_time(shared):
    outcome = shared.plain("BenchmarkShort", 20, blocks=3)

    assert set(outcome.find_series(OPERATIONS, ArmName.PLAIN).values) == {20.0}


@pytest.mark.parametrize("with_plain", [True, False])
def test_blocks_of_the_guest_take_what_100_microseconds_hold(shared, notes, with_plain):
    notes.unlink(missing_ok=True)

    outcome = shared.slowed(
        "BenchmarkShort",
        NEXT,
        200_000,
        Delay(InjectionKind.WORK, 5),
        rounds=3,
        has_plain_blocks=with_plain,
    )

    assert isinstance(outcome, Measured), outcome
    grains = read_grains(notes, 200_000)
    assert grains
    assert set(grains) == {2_000}  # 1 % of a block of 10 ms


def test_counting_ends_early_where_counters_make_it_many_times_as_long(shared):
    """Of two goroutines that count, each waits for the other: all blocks would last far longer."""
    outcome = shared.counted("BenchmarkDeep", 6_000_000, blocks=12)

    assert isinstance(outcome, Counted), outcome
    assert outcome.in_one_call
    sampled = outcome.windows[-1].operations // 6_000_000
    assert 1 < sampled < 12
