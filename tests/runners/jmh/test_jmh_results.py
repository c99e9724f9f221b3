"""What a process left, as an outcome; without a JVM."""

from pathlib import Path

import pytest
from jmh_making import PLAIN_ARM, plain

from auditor.core.jobs import CompletedProcess
from auditor.core.mutant import PLAIN, Delay, InjectionKind, Variant, VariantKind
from auditor.core.outcome import (
    Counted,
    Crashed,
    Measured,
    NeverCalled,
    NotBuilt,
    TimedOut,
    Unreadable,
)
from auditor.core.plan import Purpose, Trial
from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule
from auditor.core.subject import Language, Method
from auditor.core.suite import Benchmark
from runners.jmh.commandline import records_name
from runners.jmh.results import read_outcome
from runners.records import RECORDS_HEADER

METHOD = Method(
    language=Language.JAVA, id="a.B.c", owner="a.B", name="c", parameters=(), descriptor="a/B.c()V"
)
COUNTING, DELAYED = (
    Variant(VariantKind.COUNTING, (METHOD,)),
    Variant(VariantKind.DELAYED, (METHOD,)),
)
GOOD = [f"block\t{index}\t10\t1e-06\t0.1\t0\t0.0" for index in range(3)]


def trial(variant=PLAIN, benchmark="b", schedule: Schedule | None = None):
    return Trial(
        subject="s",
        purpose=Purpose.PAIRS,
        variant=variant,
        benchmark=Benchmark(group="a.B", name=benchmark) if benchmark else None,
        schedule=schedule or plain(),
        repetition=1,
        seed=1,
        timeout_seconds=1,
    )


def read(lines, variant=PLAIN, *, exit_code=0, stdout=b"", schedule=None):
    planned_trial = trial(variant, schedule=schedule)
    text = "\n".join([RECORDS_HEADER, *lines, ""]).encode() if lines is not None else b""
    files = {Path("/into") / records_name(planned_trial): text}
    answer = CompletedProcess(exit_code=exit_code, stdout=stdout, files=files, seconds=7.0)
    return read_outcome(planned_trial, [answer])


def test_all_blocks_make_a_measurement():
    assert isinstance(read(GOOD), Measured)


def test_a_missing_block_is_no_measurement():
    assert isinstance(read(GOOD[:2]), Crashed)


def test_a_block_twice_is_no_measurement():
    assert isinstance(read([*GOOD, GOOD[0]]), Crashed)


def test_an_exit_code_is_no_measurement_though_all_blocks_are_there():
    assert read(GOOD, exit_code=3).exit_code == 3


def test_nothing_written_is_a_crash_with_the_last_lines():
    assert read(None, stdout=b"one\ntwo") == Crashed(0, "one\ntwo")


def test_the_tail_is_the_benchmarks_exception():
    noise = b"noise\n" * 50

    outcome = read(GOOD[:1], exit_code=1, stdout=b"# 1: <failure>\n\njava.X: no\n" + noise)

    assert outcome.tail.startswith("java.X: no")


def test_a_time_out_is_told_from_a_crash():
    assert isinstance(read(GOOD[:1], exit_code=None), TimedOut)


def test_a_signal_is_a_negative_exit_code():
    assert read(GOOD[:1], exit_code=-9).exit_code == -9


@pytest.mark.parametrize("value", ["Infinity", "NaN", "0.0", "-1.0"])
def test_a_block_without_a_time_is_unreadable(value):
    assert isinstance(read([*GOOD[:2], f"block\t2\t0\t{value}\t0.1\t0\t0.0"]), Unreadable)


def test_garbage_in_the_records_is_unreadable():
    assert isinstance(read([*GOOD, "block\tx"]), Unreadable)


def test_a_slowed_method_that_was_not_seen_is_no_measurement():
    assert isinstance(read(GOOD, DELAYED), Unreadable)
    assert isinstance(read(["present\t0", *GOOD], DELAYED), Measured)


@pytest.mark.parametrize(("calls", "kind"), [((0, 0), NeverCalled), ((0, 4), Measured)])
def test_clocked_blocks_without_a_call_are_never_called(calls, kind):
    arms = (
        Arm(ArmName.PROBE, Delay(InjectionKind.WORK, 0)),
        Arm(ArmName.CLOCKED, Delay(InjectionKind.CLOCK, 0)),
    )
    order = (Block(Phase.MEASUREMENT, 1), Block(Phase.MEASUREMENT, 0), Block(Phase.MEASUREMENT, 1))
    schedule = Schedule(arms=arms, blocks=order, seconds=0.1)
    blocks = [
        f"block\t{index}\t10\t1e-06\t0.1\t{count}\t0.0"
        for index, count in enumerate((calls[0], 0, calls[1]))
    ]

    assert isinstance(read(["present\t0", *blocks], DELAYED, schedule=schedule), kind)


def test_what_the_agent_cannot_do_is_not_built_and_names_it():
    assert read(["failed\tno such method", *GOOD], DELAYED) == NotBuilt("no such method")


def test_code_that_the_jvm_refuses_is_not_built():
    stdout = b"<failure>\njava.lang.VerifyError: bad"

    assert isinstance(read([], DELAYED, exit_code=1, stdout=stdout), NotBuilt)
    assert isinstance(read([], PLAIN, exit_code=1, stdout=stdout), Crashed)


def test_counters_without_windows_are_no_count():
    assert isinstance(read(GOOD, COUNTING), Unreadable)


def test_windows_have_the_methods_ids():
    windows = ["window\t10", "count\t0\t20\t1"] * 3

    outcome = read([*windows, *GOOD, "outside\t0\t4"], COUNTING)

    assert isinstance(outcome, Counted)
    assert outcome.windows[0].calls == (("a.B.c", 20),)
    assert outcome.windows[0].nested == ("a.B.c",)
    assert outcome.outside == (("a.B.c", 4),)


def test_a_metric_of_the_benchmarks_own_does_not_hide_ours():
    outcome = read([*GOOD, "metric\t1\ttime\ts/op\t5.0"])

    assert len(outcome.find_series("time", PLAIN_ARM.name).values) == 2
    assert outcome.find_series("time (secondary)", PLAIN_ARM.name).values == (5.0,)
