"""CPU samples of unchanged Go benchmarks whose shares are known."""

import gzip
import os
from dataclasses import replace
from types import SimpleNamespace

import pytest
from gobench_making import lab, schedule

from auditor.abs.study.cpu_samples import find_removed_call
from auditor.abs.study.pair import StudyPair
from auditor.core.jobs import NOWHERE
from auditor.core.mutant import Variant, VariantKind
from auditor.core.outcome import Frame, Profiled, Unreadable
from auditor.core.plan import Purpose, Run
from auditor.core.result import ReachState
from auditor.core.schedule import Arm, ArmName
from auditor.measure.profiles.cpu_shares import frames_of, share_of
from auditor.measure.reach_judge import Reach
from runners.gobench.pprof import PprofUnreadable, read_samples

UNIT = "example.org/shares"
SOURCE = """package shares

import "hash/crc32"

var table = crc32.MakeTable(crc32.Castagnoli)

func chain(x uint64, steps int) uint64 {
	for i := 0; i < steps; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

//go:noinline
func Most(x uint64) uint64 { return chain(x, 300) }

//go:noinline
func Least(x uint64) uint64 { return chain(x, 100) }

// Sum is inlined, and its time is in assembly.
func Sum(data []byte) uint32 { return crc32.Checksum(data, table) }

// Half is inlined and has no effect.
func Half(x uint64) uint64 { return x / 2 }

// Step is inlined, and each call needs the result of the one before.
func Step(x uint64) uint64 { return (x ^ x>>29) * 6364136223846793005 }

type Adder struct{ total uint64 }

func (a *Adder) Add(x uint64) { a.total = chain(a.total+x, 200) }

func Map[T any](x T, f func(T) T) T { return f(x) }
"""
TEST = """package shares

import "testing"

var sink uint64

func BenchmarkBoth(b *testing.B) {
	sink = Least(chain(1, 30_000_000)) // set-up, as long as several blocks
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sink = Least(Most(sink))
	}
}

func helper(b *testing.B, paused int) {
	sink = Most(chain(1, 1_000_000))
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		for j := 0; j < paused; j++ {
			sink = Most(sink)
		}
		b.StartTimer()
		for j := 0; j < 300; j++ {
			sink = Least(sink)
		}
	}
}

func BenchmarkPaused(b *testing.B) { helper(b, 300) }

func BenchmarkDropped(b *testing.B) {
	data := make([]byte, 64)
	for i := 0; i < b.N; i++ {
		Sum(data)
	}
}

func BenchmarkDead(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Half(uint64(i))
	}
}

func BenchmarkSteps(b *testing.B) {
	x := uint64(7)
	for i := 0; i < b.N; i++ {
		x = Step(x)
	}
	sink = x
}

func BenchmarkLoop(b *testing.B) {
	var a Adder
	sink = Most(chain(1, 1_000_000))
	for b.Loop() {
		Map(uint64(7), func(x uint64) uint64 { a.Add(x); return x })
	}
	sink = Most(chain(1, 1_000_000))
}

func BenchmarkThreads(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		x := uint64(1)
		for pb.Next() {
			x = Least(Most(x))
		}
	})
}

func BenchmarkTimers(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			b.StartTimer()
			sink = Least(1)
		}
	})
}
"""


@pytest.fixture(scope="module")
def shares(go_home, tmp_path_factory):
    tree = tmp_path_factory.mktemp("shares") / "shares"
    tree.mkdir()
    (tree / "go.mod").write_text(f"module {UNIT}\n\ngo 1.24\n")
    (tree / "shares.go").write_text(SOURCE)
    (tree / "shares_test.go").write_text(TEST)
    return lab(tree, go_home, os.environ)


def profiled(lab, name, operations, blocks=8):
    trial_schedule = schedule([Arm(ArmName.PLAIN)], operations, blocks)
    trial = lab.trial(Purpose.PROFILE, name, trial_schedule, Variant(VariantKind.PROFILED))
    return Run(trial=trial, host=NOWHERE, outcome=lab.run(trial), started="", seconds=1.0)


def share(lab, run, method, calls=1.0):
    result = share_of(
        lab.methods[f"{UNIT}.{method}"], run.trial.benchmark, [run], error=0.01, calls=calls
    )
    assert result is not None, run.outcome
    return result


def test_set_up_is_no_part_of_a_share(shares):
    run = profiled(shares, "BenchmarkBoth", 100_000)

    most, least = share(shares, run, "Most"), share(shares, run, "Least")

    assert most.low < 0.75 < most.high
    assert least.low < 0.25 < least.high
    assert most.samples > 50  # fewer arrive on a busy machine


def test_what_runs_while_the_timer_stands_still_is_no_part_of_it(shares):
    """Half of the processor time is in Most, in a helper that stops the timer."""
    run = profiled(shares, "BenchmarkPaused", 1000)

    assert share(shares, run, "Least").share > 0.9
    assert share(shares, run, "Most").share < 0.1


def test_an_inlined_method_whose_result_is_dropped_has_its_callees_samples(shares):
    run = profiled(shares, "BenchmarkDropped", 5_000_000)

    assert share(shares, run, "Sum").low > 0.6


def test_samples_are_of_the_instruction_that_the_processor_waited_for(shares):
    """The next one, at which it is interrupted, is often the loop's: half of the samples."""
    run = profiled(shares, "BenchmarkSteps", 20_000_000)

    assert share(shares, run, "Step").share > 0.8


def test_of_a_removed_call_there_is_no_sample_and_no_instruction(shares):
    run = profiled(shares, "BenchmarkDead", 200_000_000)
    half = shares.methods[f"{UNIT}.Half"]

    result = share(shares, run, "Half")

    assert result.unchanged[0] == 0
    assert result.seconds_between_calls < 2e-9
    assert run.outcome.code
    assert not frames_of(half, run.outcome.code)
    dropped_outcome = profiled(shares, "BenchmarkDropped", 1_000_000).outcome
    assert frames_of(shares.methods[f"{UNIT}.Sum"], dropped_outcome.code)


def removed(lab, run, method, *, hits=0, always_called=False, trivial=None):
    """Return where the call of a method was removed, taking its share for none."""
    result = replace(share(lab, run, method), unchanged=(hits, 1000), seconds_per_call=1e-11)
    pair = StudyPair(
        method=replace(lab.methods[f"{UNIT}.{method}"], trivial=trivial),
        benchmark=run.trial.benchmark,
        reach=Reach(state=ReachState.IN_LOOP, calls_per_operation=1.0),
    )
    parts = SimpleNamespace(suite=lab.suite, is_always_called=lambda _method: always_called)
    return find_removed_call(pair, result, [run], parts)


def test_the_line_of_a_removed_call_is_found(shares):
    # Some processors do two of these in a cycle.
    run = profiled(shares, "BenchmarkDead", 600_000_000)
    line = 1 + TEST.splitlines().index("\t\tHalf(uint64(i))")

    assert removed(shares, run, "Half") == f"at shares_test.go:{line}"
    assert removed(shares, run, "Half", hits=1) == ""
    assert removed(shares, run, "Half", always_called=True) == ""
    assert removed(shares, run, "Half", trivial="its body is empty") == ""
    assert removed(shares, run, "Most") == ""  # the benchmark does not name it
    callee = Frame(function=f"{UNIT}.Other", file="shares.go", line=3)
    stacks = tuple(
        replace(stack, frames=(len(run.outcome.frames), *stack.frames))
        for stack in run.outcome.stacks
    )
    frames = (*run.outcome.frames, callee)
    deeper_run = replace(run, outcome=replace(run.outcome, frames=frames, stacks=stacks))
    assert removed(shares, deeper_run, "Half") == ""  # its code may lie in that of the callee


def test_a_call_whose_instructions_are_there_was_not_removed(shares):
    run = profiled(shares, "BenchmarkDropped", 1_000_000)

    assert removed(shares, run, "Sum") == ""


def test_methods_of_types_and_generic_functions_are_found_behind_b_loop(shares):
    run = profiled(shares, "BenchmarkLoop", 200_000)

    assert share(shares, run, "Adder.Add").low > 0.6
    assert share(shares, run, "Map").low > 0.6
    assert share(shares, run, "Most").share < 0.1


def test_goroutines_that_the_benchmark_starts_belong_to_it(shares):
    run = profiled(shares, "BenchmarkThreads", 200_000)

    most = share(shares, run, "Most")

    assert abs(most.share - 0.75) < 0.15
    assert run.outcome.cpu_seconds > 0


def test_goroutines_may_all_use_the_timer(shares):
    outcome = profiled(shares, "BenchmarkTimers", 20_000).outcome

    assert isinstance(outcome, Profiled), outcome


def test_processor_time_and_operations_are_those_of_the_measured_blocks(shares):
    run = profiled(shares, "BenchmarkBoth", 100_000)

    outcome = run.outcome
    assert isinstance(outcome, Profiled)
    assert outcome.operations == 8 * 100_000
    assert 0 < outcome.cpu_seconds <= 1.3 * outcome.timed_seconds
    assert {stack.block for stack in outcome.stacks} <= set(range(1, 9))


def test_a_damaged_profile_is_no_measurement(shares, monkeypatch):
    monkeypatch.setattr(
        "runners.gobench.reading.read_samples",
        lambda data, _leaves: read_samples(data[: len(data) // 2]),
    )

    outcome = profiled(shares, "BenchmarkDead", 1000).outcome

    assert isinstance(outcome, Unreadable)
    assert "profile" in outcome.reason


@pytest.mark.parametrize(
    "message",
    [
        b"\xff" * 100,
        b"\x12\x7f\x0a",
        b"\x12\x02\x08\x07",  # a sample at a place that is not there
        b"\x0b",
    ],
    ids=["endless number", "cut off", "no such place", "unknown kind"],
)
def test_what_is_no_profile_is_refused(message):
    with pytest.raises(PprofUnreadable):
        read_samples(gzip.compress(message))


@pytest.mark.parametrize("data", [b"", b"no profile"], ids=["empty", "text"])
def test_what_is_not_compressed_is_refused(data):
    with pytest.raises(PprofUnreadable):
        read_samples(data)


def test_a_profile_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr("runners.gobench.pprof.MOST_BYTES", 1000)

    with pytest.raises(PprofUnreadable, match="larger"):
        read_samples(gzip.compress(bytes(100_000)))
