"""Files of sampled stacks, as the guest writes them and as a hostile subject may.

The frames are those that async-profiler 4.0 gave of a benchmark of these tests (JDK 17, JMH 1.37).
"""

from pathlib import Path

import pytest

from auditor.core.jobs import CompletedProcess
from auditor.core.mutant import Variant, VariantKind
from auditor.core.outcome import Crashed, Profiled, Unreadable
from auditor.core.plan import Purpose, Trial
from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule
from auditor.core.suite import Benchmark
from runners.jmh import profiles
from runners.jmh.commandline import records_name, stacks_name
from runners.jmh.profiles import StacksUnreadable, read_stacks

HEADER = "bench-audit-stacks 1"
TIMED = ("timed\t1\t1000\t1.0E-7", "timed\t2\t3000\t1.0E-7")
STUB = "org/example/jmh_generated/Bench_turns_jmhTest.turns_{}_jmhStub(Lorg/openjdk/jmh|I)V_[j]"
TURNS = "org/example/Bench.turns()I_[i]"
WORK = "org/example/Work.text(Ljava/lang/String|[Ljava/lang/Object|)Ljava/lang/String|_[i]"
SETUP = "org/example/Bench$Fresh.call()V_[j]"
BLACKHOLE = "org/openjdk/jmh/infra/Blackhole.consume(I)V_[i]"


def stack(*frames, block=1, thread=7, samples=1, mode="avgt"):
    return "\t".join(
        ("stack", str(block), str(thread), str(samples), ";".join((STUB.format(mode), *frames)))
    )


def a_trial(threads=1):
    phases = (Phase.WARMUP, Phase.MEASUREMENT, Phase.MEASUREMENT)
    return Trial(
        subject="s",
        purpose=Purpose.PROFILE,
        variant=Variant(VariantKind.PROFILED),
        benchmark=Benchmark(
            group="org.example.Bench", name="turns", threads=threads, concurrency=threads
        ),
        schedule=Schedule(
            arms=(Arm(ArmName.PLAIN),),
            blocks=tuple(Block(phase, 0) for phase in phases),
            seconds=0.1,
        ),
        repetition=1,
        seed=1,
        timeout_seconds=10,
    )


def read(*lines, trial=None, timed=TIMED):
    text = "\n".join((HEADER, *lines, *timed, ""))
    return read_stacks(trial or a_trial(), text.encode())


def test_frames_are_named_as_descriptors_and_begin_inside():
    outcome = read(stack(TURNS, WORK, "clear_page_erms_[k]", samples=3))

    (only,) = outcome.stacks
    assert (only.block, only.count) == (1, 3)
    assert [outcome.frames[frame].function for frame in only.frames] == [
        "clear_page_erms_[k]",
        "org/example/Work.text(Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/String;",
        "org/example/Bench.turns()I",
        STUB.format("avgt").replace("|", ";").removesuffix("_[j]"),
    ]


def test_a_recursive_function_is_one_frame():
    deep = "org/example/Work.deep(I)J_[j]"

    (only,) = read(stack(TURNS, deep, deep, deep)).stacks

    assert len(only.frames) == 3


def test_equal_stacks_of_threads_are_one():
    outcome = read(stack(TURNS, thread=7), stack(TURNS, thread=8, samples=4))

    assert [merged_stack.count for merged_stack in outcome.stacks] == [5]


@pytest.mark.parametrize("mode", ["thrpt", "avgt", "sample", "ss"])
def test_the_operation_is_timed_in_each_mode(mode):
    assert read(stack(TURNS, WORK, mode=mode)).sample_count == 1


@pytest.mark.parametrize("frames", [(BLACKHOLE,), ("clear_page_erms_[k]",)])
def test_the_loop_of_the_stub_is_timed(frames):
    assert read(stack(*frames)).sample_count == 1


@pytest.mark.parametrize("frames", [(SETUP,), (SETUP, WORK), ("os::javaTimeNanos()",)])
def test_set_up_and_timer_are_not_timed(frames):
    assert read(stack(*frames)).sample_count == 0


def test_the_stub_has_the_samples_that_its_loop_takes():
    """Three nanoseconds of operations of a hundred."""
    outcome = read(stack(samples=2), stack(TURNS, samples=98))

    assert (outcome.sample_count, outcome.unattributed) == (100, 0)


@pytest.mark.parametrize("fault", ["exc_page_fault_[k]", "__handle_mm_fault_[k]"])
def test_a_page_fault_belongs_to_no_method(fault):
    outcome = read(stack(TURNS, WORK, fault, "clear_page_erms_[k]", samples=5), stack(TURNS))

    assert (outcome.sample_count, outcome.unattributed) == (1, 5)


@pytest.mark.parametrize(("frames", "unattributed"), [((TURNS,), 20), ((TURNS, "tick_[k]"), 0)])
def test_page_faults_are_counted_where_no_sample_shows_the_kernel(frames, unattributed):
    """A hundred faults in a millisecond of CPU time."""
    outcome = read(
        stack(*frames, samples=100),
        "thread\t1\tbefore\t7\t0\t0\t5",
        "thread\t1\tafter\t7\t1000000\t0\t105",
    )

    assert (outcome.sample_count, outcome.unattributed) == (100, unattributed)


def test_a_busy_machine_does_not_take_samples_from_the_stub():
    """An operation has ten nanoseconds of CPU time and takes a hundred."""
    outcome = read(
        stack(samples=20),
        stack(TURNS, samples=80),
        "thread\t1\tbefore\t7\t0\t0\t0",
        "thread\t1\tafter\t7\t40000\t360000\t0",
    )

    assert (outcome.sample_count, outcome.unattributed) == (100, 0)


def test_more_samples_of_the_stub_alone_are_of_code_without_debug_information():
    outcome = read(stack(samples=50), stack(block=2, samples=30), stack(TURNS, samples=20))

    assert outcome.sample_count == 20 + 3
    assert outcome.unattributed == 80 - 3


@pytest.mark.parametrize("mode", ["sample", "ss"])
def test_the_loop_is_not_timed_where_each_operation_is_timed_by_itself(mode):
    timed = ("timed\t1\t1000\t1.0E-6", "timed\t2\t3000\t1.0E-6")
    lines = stack(samples=30, mode=mode), stack(TURNS, samples=70, mode=mode)

    outcome = read(*lines, timed=timed)

    assert (outcome.sample_count, outcome.unattributed) == (70, 20)


def test_samples_outside_of_the_stub_are_told_apart():
    outcome = read(
        stack(TURNS, samples=10),
        "other\t1\t7\t100\tjava",
        "other\t1\t7\t2\tbroken",
        "other\t1\t7\t3\tnative",
        "other\t1\t8\t50\tnative",
        "other\t1\t9\t4\tbroken",
        "other\t1\t9\t5\tjava",
    )

    assert outcome.sample_count == 10
    assert outcome.unattributed == 2 + 3 + 4 + 5
    assert outcome.background == 50


def test_times_are_those_of_the_benchmark_s_threads_within_the_stub():
    outcome = read(
        stack(TURNS, samples=30),
        "other\t1\t7\t10\tjava",
        "thread\t1\tbefore\t7\t1000000000\t0\t0",
        "thread\t1\tafter\t7\t1400000000\t40000000\t0",
        "thread\t1\tbefore\t8\t0\t0\t0",
        "thread\t1\tafter\t8\t9000000000\t0\t0",
        "thread\t2\tbefore\t7\t1400000000\t40000000\t0",
    )

    assert outcome.cpu_seconds == pytest.approx(0.3)
    assert outcome.waiting_seconds == pytest.approx(0.03)


def test_operations_and_timed_seconds_are_of_all_threads():
    outcome = read(stack(TURNS), trial=a_trial(threads=2))

    assert outcome.operations == 4000
    assert outcome.timed_seconds == pytest.approx(2 * 4000 * 1e-7)


def test_a_profile_without_samples_is_a_profile():
    outcome = read()

    assert (outcome.sample_count, outcome.cpu_seconds) == (0, 0)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "stack",
        "nonsense\t1",
        "stack\t0\t7\t1\t" + STUB.format("avgt"),  # a block of the warm-up
        "stack\t3\t7\t1\t" + STUB.format("avgt"),
        "stack\t-1\t7\t1\t" + STUB.format("avgt"),
        "stack\t1\t7\t0\t" + STUB.format("avgt"),
        "stack\t1\t7\t-5\t" + STUB.format("avgt"),
        "stack\t1\t7\t999999999999\t" + STUB.format("avgt"),
        "stack\t1\t7\t1\torg/example/Work.turns(I)I_[j]",
        "stack\t1\t7\t1\t" + ";".join([STUB.format("avgt"), *["a.b()V_[j]"] * 5000]),
        "stack\t1\t7\t" + "9" * 5000 + "\t" + STUB.format("avgt"),
        "other\t1\t7\t1\tgreen",
        "timed\t1\t-1\t1.0",
        "timed\t1\t10\tNaN",
        "timed\t1\t10\tInfinity",
        "timed\t1\t" + "9" * 400 + "\t1.0",
        "timed\t1\t10\t1e300",
        "thread\t1\tsometimes\t7\t1\t1\t1",
        "thread\t1\tbefore\t7\t1\t1",
        "thread\t1\tbefore\t7\t" + "9" * 400 + "\t1\t1",
        "thread\t1\tbefore\t7\t1\t-1\t1",
        "\0\ufffd\t\t\t",
    ],
)
def test_a_line_that_the_guest_does_not_write_is_refused(line):
    with pytest.raises(StacksUnreadable, match=r"^not a line of sampled stacks: "):
        read(line)


def test_a_block_that_is_missing_is_told():
    with pytest.raises(StacksUnreadable, match=r"^block 2 was not sampled to its end$"):
        read(stack(TURNS), timed=TIMED[:1])


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"bench-audit-records 1\n"])
def test_another_file_is_refused(data):
    with pytest.raises(StacksUnreadable, match=r"^the guest wrote no sampled stacks$"):
        read_stacks(a_trial(), data)


@pytest.mark.parametrize(
    ("limit", "reason"), [("_MOST_BYTES", "exceed"), ("_MOST_LINES", "more than")]
)
def test_a_file_has_a_limit(monkeypatch, limit, reason):
    monkeypatch.setattr(profiles, limit, 2)

    with pytest.raises(StacksUnreadable, match=reason):
        read(stack(TURNS), stack(TURNS))


def answer(trial, stacks, exit_code=0):
    blocks = "".join(f"block\t{index}\t1000\t1e-7\t0.1\t0\t0\n" for index in range(3))
    files = {records_name(trial): f"bench-audit-records 1\n{blocks}".encode()}
    if stacks is not None:
        files[stacks_name(trial)] = stacks
    folder = Path("/into/run")
    return CompletedProcess(
        exit_code=exit_code, files={folder / name: content for name, content in files.items()}
    )


def test_a_process_that_ended_well_has_a_profile():
    trial = a_trial()
    text = "\n".join((HEADER, stack(TURNS), *TIMED, ""))

    assert isinstance(profiles.read_profile(trial, [answer(trial, text.encode())]), Profiled)


@pytest.mark.parametrize("stacks", [None, b"", b"x\ty\n", HEADER.encode() + b"\nstack\tx\n"])
def test_a_broken_file_is_an_outcome(stacks):
    trial = a_trial()

    assert isinstance(profiles.read_profile(trial, [answer(trial, stacks)]), Unreadable)


def test_a_process_that_failed_is_told_as_ever():
    trial = a_trial()

    assert isinstance(profiles.read_profile(trial, [answer(trial, b"", exit_code=1)]), Crashed)
