"""The file of a profile: whole, broken off, and hostile."""

import pytest

from auditor.core.outcome import Frame, Stack
from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule
from runners.pybench.profile_records import LARGEST_PROFILE, ProfileUnreadable, read_profile

SCHEDULE = Schedule(
    arms=(Arm(ArmName.PLAIN),),
    blocks=(Block(Phase.WARMUP, 0), Block(Phase.MEASUREMENT, 0), Block(Phase.MEASUREMENT, 0)),
    seconds=0.05,
    operations=10,
)
FRAMES = ["frame\t4\tsrc/a.py\tf", "frame\t0\t\tloop"]
STACKS = ["stack\t1\t7\t0,1", "stack\t2\t5\t1"]
TOTALS = {
    "unattributed": "2",
    "background": "1",
    "period": "0.001",
    "cpu": "0.5",
    "timed": "0.6",
    "waiting": "0.05",
    "operations": "20",
}


def text(frames=FRAMES, stacks=STACKS, totals=TOTALS, header="bench-audit-profile 1", end="end\n"):
    lines = [header, *frames, *stacks, *(f"total\t{name}\t{n}" for name, n in totals.items())]
    return "\n".join([*lines, end]).encode()


def test_a_whole_profile():
    profiled = read_profile(text(), SCHEDULE)
    assert profiled.frames == (Frame("f", "src/a.py", 4), Frame("loop"))
    assert profiled.stacks == (Stack(1, (0, 1), 7), Stack(2, (1,), 5))
    assert (profiled.sample_count, profiled.unattributed, profiled.background) == (12, 2, 1)
    assert (profiled.period_seconds, profiled.cpu_seconds) == (0.001, 0.5)
    assert (profiled.timed_seconds, profiled.waiting_seconds) == (0.6, 0.05)
    assert profiled.operations == 20


def test_the_most_frequent_stack_may_be_empty():
    assert read_profile(text(stacks=["stack\t1\t7\t"]), SCHEDULE).stacks == (Stack(1, (), 7),)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"bench-audit-profile 1\n",
        text(header="bench-audit-profile 2"),
        text(end=""),
        text()[:-5],
        text(frames=["frame\t4\tsrc/a.py"]),
        text(frames=[*FRAMES, "frame\t-4\tsrc/a.py\tf"]),
        text(frames=[*FRAMES, "frame\t4\t/etc/passwd\tf"]),
        text(frames=[*FRAMES, "frame\t4\ta/../../b.py\tf"]),
        text(frames=[*FRAMES, "frame\t4\ta.py\t\x1b[31mf"]),
        text(frames=[*FRAMES, f"frame\t4\ta.py\t{'f' * 5000}"]),
        text(stacks=["stack\t0\t7\t0"]),
        text(stacks=["stack\t3\t7\t0"]),
        text(stacks=["stack\t1\t7\t2"]),
        text(stacks=["stack\t1\t7\t0,0"]),
        text(stacks=["stack\t1\t-7\t0"]),
        text(stacks=["stack\t1\t99999999999999999999\t0"]),
        text(stacks=["stack\tone\t7\t0"]),
        text(stacks=["stack\t1\t7\t" + ",".join(map(str, range(4000)))]),
        text(totals={**TOTALS, "cpu": "nan"}),
        text(totals={**TOTALS, "timed": "inf"}),
        text(totals={**TOTALS, "timed": "-1"}),
        text(totals={**TOTALS, "cpu": "0.7"}),
        text(totals={**TOTALS, "period": "0"}),
        text(totals={**TOTALS, "more": "1"}),
        text(totals={"cpu": "0.5"}),
        text(stacks=["\x00\xff"]),
        text(stacks=["9" * 5000]),
        text(stacks=["stack\t1\t" + "9" * 5000 + "\t0"]),
        b"bench-audit-profile 1\n" + b"x" * LARGEST_PROFILE,
    ],
)
def test_what_is_not_a_profile_is_said(data):
    with pytest.raises(ProfileUnreadable):
        read_profile(data, SCHEDULE)
