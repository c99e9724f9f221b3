"""Many blocks in one call of testing's, where nothing of other processes is compared with them.

Before each call testing collects garbage, twice for each block that it is asked for: how often that
was done tells how often it has called.
"""

import pytest
from gobench_making import write_lab

from auditor.core.mutant import Delay, InjectionKind
from auditor.core.outcome import Counted, Crashed, Measured
from auditor.core.schedule import ArmName, EarlyStop
from auditor.core.values import TIME

pytestmark = pytest.mark.subject
WORK = "example.org/again.Work"
SOURCE = """package again

import "os"

//go:noinline
func Work(n int) int {
	sum := n
	for i := 0; i < 500; i++ {
		sum = sum*31 + i
	}
	return sum
}

func Note(line string) {
	file, err := os.OpenFile("{notes}", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0666)
	if err != nil {
		panic(err)
	}
	file.WriteString(line + "\\n")
	file.Close()
}
"""
TEST = """package again

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

var (
	sink, open, calls int
	started           bool
	left              []byte
)

func collected() uint32 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.NumForcedGC
}

func note(what string, n int) { Note(fmt.Sprint(what, " ", n, " ", collected())) }

func TestMain(m *testing.M) {
	code := m.Run()
	note("end", 0)
	os.Exit(code)
}

func BenchmarkCalm(b *testing.B) {
	note("call", b.N)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sink += Work(i)
	}
}

func BenchmarkTidies(b *testing.B) {
	note("call", b.N)
	if open++; open > 1 {
		b.Fatal("the one before has not tidied up")
	}
	b.Cleanup(func() { open-- })
	for i := 0; i < b.N; i++ {
		sink += Work(i)
	}
}

// BenchmarkLater leaves something to do from its fifth call on only.
func BenchmarkLater(b *testing.B) {
	note("call", b.N)
	if calls++; calls > 4 {
		b.Cleanup(func() { calls++ })
	}
	for i := 0; i < b.N; i++ {
		sink += Work(i)
	}
}

func BenchmarkFails(b *testing.B) {
	note("call", b.N)
	defer func() { open-- }()
	if open++; open > 1 {
		b.Fatal("the one before is not over")
	}
	if calls++; calls > 7 {
		b.Fatal("enough of that")
	}
	for i := 0; i < b.N; i++ {
		sink += Work(i)
	}
}

// BenchmarkHoards makes garbage that nobody collects but testing.
func BenchmarkHoards(b *testing.B) {
	note("call", b.N)
	debug.SetGCPercent(-1)
	left = make([]byte, 100<<20)
	for i := 0; i < b.N; i++ {
		sink += Work(i)
	}
}

func BenchmarkOnce(b *testing.B) {
	b.Run("inner", func(c *testing.B) {
		note("call", c.N)
		if started {
			c.StopTimer()
		}
		started = true
		c.StartTimer()
		for i := 0; i < c.N; i++ {
			sink += Work(i)
		}
		c.StopTimer()
	})
}

func BenchmarkLoops(b *testing.B) {
	note("call", b.N)
	for b.Loop() {
		sink += Work(1)
	}
}

func BenchmarkParallel(b *testing.B) {
	note("call", b.N)
	b.RunParallel(func(pb *testing.PB) {
		sum := 0
		for pb.Next() {
			sum += Work(1)
		}
	})
}
"""
DELAY = Delay(InjectionKind.WORK, 2_000)
OPERATIONS = 50
ROUNDS = 6
BLOCKS = 1 + 3 * ROUNDS
"""With plain blocks beside the others, and one to warm up."""


@pytest.fixture(name="notes", scope="module")
def _notes(tmp_path_factory):
    return tmp_path_factory.mktemp("again") / "notes"


@pytest.fixture(name="repeat_lab", scope="module")
def _repeat_lab(go_home, notes):
    return write_lab(notes.parent, go_home, "again", SOURCE, TEST)


@pytest.fixture(name="record_run")
def _record_run(repeat_lab, notes):
    """Return what a run of a benchmark has left: its outcome, its calls, its forced collections."""

    def run(make):
        notes.unlink(missing_ok=True)
        outcome = make(repeat_lab)
        lines = [line.split() for line in notes.read_text().splitlines()]
        calls = [(int(n), int(forced)) for word, n, forced in lines if word == "call"]
        return outcome, calls, int(lines[-1][2])

    return run


def slowed(name, *, has_plain_blocks=True, stop=None):
    return lambda repeat_lab: repeat_lab.slowed(
        name, WORK, OPERATIONS, DELAY, rounds=ROUNDS, stop=stop, has_plain_blocks=has_plain_blocks
    )


def blocks(outcome):
    assert isinstance(outcome, Measured), outcome
    arms = (ArmName.PLAIN, ArmName.PROBE, ArmName.SLOWED)
    return [
        len(series.values) for arm in arms if (series := outcome.find_series(TIME, arm)) is not None
    ]


def of_testing(calls):
    """Return how many calls were testing's that ask for a block: it collects before each."""
    return len({forced for n, forced in calls if n == OPERATIONS})


@pytest.mark.parametrize("name", ["BenchmarkCalm", "BenchmarkOnce/inner", "BenchmarkParallel"])
def test_one_call_of_testing_holds_all_blocks(record_run, name):
    outcome, calls, forced = record_run(slowed(name))

    assert blocks(outcome) == [ROUNDS] * 3
    assert [n for n, _ in calls] == [1] + [OPERATIONS] * BLOCKS
    assert of_testing(calls) == 1
    assert forced == calls[-1][1]
    plain, probe, delayed = (
        min(outcome.find_series(TIME, arm).values)
        for arm in (ArmName.PLAIN, ArmName.PROBE, ArmName.SLOWED)
    )
    assert plain < delayed > probe


def test_a_body_that_leaves_something_to_do_is_called_by_testing_each_time(record_run):
    outcome, calls, _ = record_run(slowed("BenchmarkTidies"))

    assert blocks(outcome) == [ROUNDS] * 3
    assert [n for n, _ in calls] == [1, OPERATIONS] * BLOCKS
    assert of_testing(calls) == BLOCKS


def test_one_that_begins_to_do_so_later_is_from_then_on(record_run):
    outcome, calls, _ = record_run(slowed("BenchmarkLater"))

    assert blocks(outcome) == [ROUNDS] * 3
    sizes = [n for n, _ in calls]
    assert sizes[:5] == [1] + [OPERATIONS] * 4
    assert sizes[5:] == [1, OPERATIONS] * (BLOCKS - 4)
    assert of_testing(calls) == 1 + BLOCKS - 4


def test_garbage_that_only_testing_collects_is_no_hoard(record_run):
    outcome, calls, _ = record_run(slowed("BenchmarkHoards"))

    assert blocks(outcome) == [ROUNDS] * 3
    assert 1 < of_testing(calls) < BLOCKS
    assert len({forced for _, forced in calls}) == 2 * of_testing(calls)


def test_a_loop_of_testing_s_own_is_called_for_each_block(record_run):
    outcome, calls, _ = record_run(slowed("BenchmarkLoops"))

    assert blocks(outcome) == [ROUNDS] * 3
    assert len(calls) == len({forced for _, forced in calls}) == BLOCKS


def test_blocks_that_stand_beside_those_of_other_processes_are_called_as_these_are(record_run):
    outcome, calls, _ = record_run(slowed("BenchmarkCalm", has_plain_blocks=False))

    assert blocks(outcome) == [ROUNDS] * 2
    assert [n for n, _ in calls] == [1, OPERATIONS] * (1 + 2 * ROUNDS)


@pytest.mark.parametrize("has_plain_blocks", [True, False])
def test_nothing_is_called_after_the_pairs_have_decided(record_run, has_plain_blocks):
    """Four times as long lies far above: three pairs are enough, or some more if disturbed."""
    looks = ((3, 3.0), (4, 3.0), (5, 3.0))
    stop = EarlyStop(above=-5.0, below=-9.0, looks=looks, least_deviation=0.005)
    outcome, calls, forced = record_run(
        slowed("BenchmarkCalm", stop=stop, has_plain_blocks=has_plain_blocks)
    )

    measured = blocks(outcome)
    assert max(measured) < ROUNDS
    assert len([n for n, _ in calls if n > 1]) == 1 + sum(measured)
    assert forced == calls[-1][1]  # nor does testing prepare to


def test_a_failure_in_a_later_block_is_one_of_the_benchmark(record_run):
    outcome, calls, _ = record_run(slowed("BenchmarkFails"))

    assert isinstance(outcome, Crashed)
    assert "enough of that" in outcome.tail
    assert [n for n, _ in calls][:8] == [1] + [OPERATIONS] * 7


def test_calls_are_counted_alike_in_one_call_and_in_many(record_run):
    calm, calls, _ = record_run(
        lambda repeat_lab: repeat_lab.counted("BenchmarkCalm", OPERATIONS, blocks=5)
    )
    tidies, tidies_calls, _ = record_run(
        lambda repeat_lab: repeat_lab.counted("BenchmarkTidies", OPERATIONS, blocks=5)
    )

    assert isinstance(calm, Counted)
    assert [dict(window.calls)[WORK] / window.operations for window in calm.windows] == [1.0, 1.0]
    assert [window.operations for window in calm.windows] == [
        window.operations for window in tidies.windows
    ]
    assert calm.windows[0].calls == tidies.windows[0].calls
    assert len(calls) < len(tidies_calls)


@pytest.mark.parametrize(
    ("name", "in_one_call"),
    [
        ("BenchmarkCalm", True),
        ("BenchmarkOnce/inner", True),
        ("BenchmarkParallel", True),
        ("BenchmarkTidies", False),
        ("BenchmarkLater", False),
        ("BenchmarkHoards", False),
        ("BenchmarkLoops", False),
    ],
)
def test_counting_tells_whether_one_call_held_all_that_it_counted(record_run, name, in_one_call):
    """As it does of blocks that lie beside plain ones."""
    counted, _, _ = record_run(
        lambda repeat_lab: repeat_lab.counted(name, OPERATIONS, blocks=BLOCKS)
    )
    _, calls, _ = record_run(slowed(name))

    assert counted.in_one_call is (of_testing(calls) == 1) is in_one_call


def test_a_single_block_does_not_tell_whether_a_call_may_hold_more(record_run):
    counted, _, _ = record_run(
        lambda repeat_lab: repeat_lab.counted("BenchmarkCalm", OPERATIONS, blocks=1)
    )

    assert isinstance(counted, Counted)
    assert not counted.in_one_call
