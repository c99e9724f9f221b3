"""Plain blocks beside the slowed ones, in one process of one program."""

import os
import shutil
from pathlib import Path

import pytest
from gobench_making import lab, least

from auditor.core.mutant import Delay, InjectionKind
from auditor.core.schedule import ArmName, EarlyStop
from auditor.core.values import TIME

RING = "example.org/ring."


@pytest.mark.subject
@pytest.mark.timed
@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("BenchmarkTiny", "Tiny"),
        ("BenchmarkDivide", "Divide"),
        ("BenchmarkStack", "Stack.Put"),
        ("BenchmarkPushPop", "Ring.Pop"),
        ("BenchmarkFib", "Fib"),
        ("BenchmarkSum", "Tree.Sum"),
        ("BenchmarkTotal", "Total"),
        ("BenchmarkLoop", "Small"),
        ("BenchmarkSub/a|b(c", "Small"),
    ],
)
def test_plain_blocks_know_nothing_of_the_delay(ring, name, method):
    """Ten thousand turns take microseconds: what is plain is far from it, and so is the probe."""
    outcome = ring.slowed(
        name, RING + method, 300, Delay(InjectionKind.WORK, 10_000), has_plain_blocks=True
    )
    plain, probe, slowed = (
        least(outcome, TIME, arm) for arm in (ArmName.PLAIN, ArmName.PROBE, ArmName.SLOWED)
    )

    assert slowed - probe > 2e-6
    assert plain < probe + 1e-6 < slowed


@pytest.mark.subject
@pytest.mark.timed
def test_a_block_of_the_unchanged_method_takes_as_long_as_in_the_unchanged_program(ring):
    large = f"{RING}Large"
    interleaved = ring.slowed(
        "BenchmarkLarge", large, 20, Delay(InjectionKind.WORK, 1), rounds=40, has_plain_blocks=True
    )
    alone = ring.plain("BenchmarkLarge", 20, blocks=40)

    ratio = least(interleaved, TIME, ArmName.PLAIN) / least(alone, TIME, ArmName.PLAIN)
    assert 0.8 < ratio < 1.25


@pytest.mark.subject
@pytest.mark.timed
@pytest.mark.parametrize(("above", "decides"), [(0.5, True), (9.0, False)])
def test_a_process_decides_by_what_the_delay_adds_to_plain_blocks(ring, above, decides):
    """Two times as much is added: log 3 is above .5; what it is to the probe does not matter."""
    looks = ((3, 31.6), (6, 12.0), (10, 7.0), (40, 5.0))
    stop = EarlyStop(above=above, below=-9.0, looks=looks, least_deviation=0.005)
    outcome = ring.slowed(
        "BenchmarkLarge",
        f"{RING}Large",
        5,
        Delay(InjectionKind.SPIN, 2.0),
        rounds=60,
        stop=stop,
        has_plain_blocks=True,
    )
    measured = [
        len(outcome.find_series(TIME, arm).values)
        for arm in (ArmName.PLAIN, ArmName.PROBE, ArmName.SLOWED)
    ]

    assert len(set(measured)) == 1
    assert (measured[0] < 60) is decides


@pytest.mark.subject
@pytest.mark.parametrize(
    ("method", "called"),
    [
        ("Fib", True),
        ("Tree.Sum", True),
        ("Tiny", True),
        ("Large", False),
        ("Stack.Top", False),  # generic, and made by nobody in its package
    ],
)
def test_the_compiler_says_what_it_may_inline(ring, method, called):
    assert ring.bench.is_always_called(ring.methods[RING + method]) is called


@pytest.mark.subject
def test_flags_of_the_user_that_decide_what_is_inlined_leave_it_open(go_home, tmp_path):
    tree = tmp_path / "go-ring"
    shutil.copytree(Path(__file__).parents[2] / "subjects" / "go-ring", tree)
    flagged_lab = lab(tree, go_home, {**os.environ, "GOFLAGS": "-gcflags=-l"})

    assert not flagged_lab.bench.is_always_called(flagged_lab.methods[f"{RING}Fib"])
