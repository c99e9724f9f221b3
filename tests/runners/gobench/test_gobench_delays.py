"""Slowed methods: they are slower by what was asked, and only outermost calls wait."""

from dataclasses import replace

import numpy as np
import pytest
from gobench_making import ROUNDS, least, schedule
from quiets import NEVER, SOON, first_quiet, rounds_of, until

from auditor.core.errors import AuditError, Exit
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.outcome import Crashed, Measured, NeverCalled, NotBuilt
from auditor.core.schedule import Arm, ArmName, Block, EarlyStop, Phase
from auditor.core.values import CLOCK_COST, METHOD_CALLS, METHOD_TIME, OPERATIONS, TIME
from auditor.stats.signed_rank import estimate_shift

pytestmark = pytest.mark.subject

RING = "example.org/ring."


def _ratio(outcome):
    return least(outcome, TIME, ArmName.SLOWED) / least(outcome, TIME, ArmName.PROBE)


@pytest.mark.timed
@pytest.mark.parametrize(
    ("name", "method", "operations"),
    [
        ("BenchmarkLarge", "Large", 5),
        ("BenchmarkSmall", "Small", 300),
        ("BenchmarkLoop", "Small", 300),
        ("BenchmarkParallel", "Small", 600),
        ("BenchmarkSub/a|b(c", "Small", 300),
        ("BenchmarkNative", "/native.Turn", 300),
    ],
)
def test_a_method_that_is_the_whole_operation_slows_it_by_as_much(ring, name, method, operations):
    """On a busy machine a block seldom has all processors to itself; of many, some have."""
    method = f"{RING}{method}".replace("./", "/")
    outcome = ring.slowed(name, method, operations, Delay(InjectionKind.SPIN, 2.0), rounds=300)

    assert 2.0 < _ratio(outcome) < 6.0


@pytest.mark.timed
def test_a_tenth_of_an_operation_slows_it_by_a_tenth_of_that(ring):
    outcome = ring.slowed("BenchmarkSlight", f"{RING}Slight", 150, Delay(InjectionKind.SPIN, 2.0))

    assert 1.03 < _ratio(outcome) < 1.8


@pytest.mark.timed
def test_sleeping_waits_at_least_as_long_as_asked(ring):
    outcome = ring.slowed("BenchmarkLarge", f"{RING}Large", 10, Delay(InjectionKind.SLEEP, 1.0))

    assert _ratio(outcome) > 1.8


@pytest.mark.timed
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
    outcome = ring.slowed(name, RING + method, 1000, Delay(InjectionKind.WORK, 3000))
    more = least(outcome, TIME, ArmName.SLOWED) - least(outcome, TIME, ArmName.PROBE)

    assert 0.5e-6 < more < 20e-6


def test_arms_alternate_as_scheduled_and_blocks_are_whole(ring):
    outcome = ring.slowed("BenchmarkSmall", f"{RING}Small", 500, Delay(InjectionKind.WORK, 3000))

    assert outcome.find_series(TIME, ArmName.PROBE).block_positions == tuple(
        range(1, 2 * ROUNDS, 2)
    )
    assert outcome.find_series(TIME, ArmName.SLOWED).block_positions == tuple(
        range(2, 2 * ROUNDS + 1, 2)
    )
    assert set(outcome.find_series(OPERATIONS, ArmName.SLOWED).values) == {500.0}


@pytest.mark.parametrize(
    ("name", "method", "calls"),
    [
        ("BenchmarkSmall", "Small", 1),
        ("BenchmarkFib", "Fib", 1),
        ("BenchmarkTotal", "Total", 2),
        ("BenchmarkPushPop", "Push", 2),
        ("BenchmarkLoop", "Push", 1),
        ("BenchmarkHeight", "Tree.Height", 1),
        ("BenchmarkEven", "Even", 6),
        ("BenchmarkWorker", "Worker.Do", 4),
    ],
)
def test_the_clock_counts_calls_since_the_timer_was_reset(ring, name, method, calls):
    outcome = ring.clocked(name, RING + method, 200)

    assert set(outcome.find_series(METHOD_CALLS, ArmName.CLOCKED).values) == {200.0 * calls}


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("BenchmarkEven", "Even"),
        ("BenchmarkWorker", "Worker.Do"),
        ("BenchmarkLength", "Link.Length"),
    ],
)
def test_a_guarded_delay_waits_once_in_each_goroutine(ring, name, method):
    """Also in one that was started inside of a call, and outlives it."""
    outcome = ring.clocked(name, RING + method, 200, guarded=True)

    assert set(outcome.find_series(METHOD_CALLS, ArmName.CLOCKED).values) == {200.0}


@pytest.mark.timed
def test_a_call_that_begins_a_goroutine_waits_there(ring):
    """What it does is heard of before it ends, so the last ones may end behind a block."""
    outcome = ring.clocked("BenchmarkSpread", f"{RING}Spread", 200)
    calls = outcome.find_series(METHOD_CALLS, ArmName.CLOCKED).values

    assert all(abs(call - 200 * 9) <= 8 for call in calls)


@pytest.mark.timed
def test_the_clock_and_its_own_cost_give_the_methods_time(ring):
    outcome = ring.clocked("BenchmarkLarge", f"{RING}Large", 20)
    method_time = least(outcome, METHOD_TIME, ArmName.CLOCKED) / 20
    cost = least(outcome, CLOCK_COST, ArmName.CLOCKED)

    assert 0 < cost < method_time / 10
    assert method_time < 1.5 * least(outcome, TIME, ArmName.CLOCKED)


def test_a_method_that_never_ran_is_never_called(ring):
    outcome = ring.slowed("BenchmarkSmall", f"{RING}Unused", 10, Delay(InjectionKind.WORK, 1))

    assert outcome == NeverCalled()


def test_a_mutant_that_does_not_compile_says_so_in_the_compilers_words(ring):
    outcome = ring.slowed(
        "BenchmarkInvalid", f"{RING[:-1]}/clash.Invalid", 10, Delay(InjectionKind.WORK, 1)
    )

    assert isinstance(outcome, NotBuilt)
    assert "zzBenchAudit already declared" in outcome.message


_BROKEN = {
    "delay.go": b'\nvar broken int = "text"\n',
    "count.go": b"\n//go:linkname missing runtime.missing\nfunc missing()\n"
    b"\nfunc init() { missing() }\n",
}


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("delay.go", r"zz_bench_audit_guest/delay\.go:\d+:18: cannot use "),
        (
            "count.go",
            r"example\.org/ring/zz_bench_audit_guest\.\S+: relocation target runtime\.missing",
        ),
    ],
)
def test_a_guest_that_does_not_compile_is_a_bug_of_ours_and_no_outcome(ring, file, words):
    """One is found by the compiler, one by the linker when the tests are built."""
    arms = [Arm(ArmName.PROBE, Delay(InjectionKind.WORK, 0))]
    trial = ring.delayed("BenchmarkSmall", f"{RING}Small", schedule(arms, 10, 1))
    files = tuple(
        replace(overlay_file, text=overlay_file.text + _BROKEN[file])
        if overlay_file.path.endswith(f"guest/{file}")
        else overlay_file
        for overlay_file in trial.overlay.files
    )
    broken = replace(trial, overlay=replace(trial.overlay, files=files))

    with pytest.raises(AuditError, match=rf"does not compile with go1\.\S+: {words}") as caught:
        ring.run(broken)

    assert caught.value.exit_code == Exit.INTERNAL
    assert "\n" not in str(caught.value)


def test_a_slowed_process_that_breaks_off_is_no_measurement(ring):
    touch = f"{RING[:-1]}/naughty.Touch"
    outcome = ring.slowed("BenchmarkExitsLater", touch, 10, Delay(InjectionKind.WORK, 1))

    assert isinstance(outcome, Crashed)


@pytest.mark.timed
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
    outcome = uuid.slowed(name, method, 1000, Delay(InjectionKind.WORK, 3000))
    more = least(outcome, TIME, ArmName.SLOWED) - least(outcome, TIME, ArmName.PROBE)

    assert 0.5e-6 < more < 20e-6


@pytest.mark.timed
@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("BenchmarkUUID_NewPooled", "NewRandom"),  # switches a pool on, for good
        ("BenchmarkUUID_New", "NewRandom"),
    ],
)
def test_equal_arms_do_not_differ_where_the_program_keeps_state(uuid, name, method):
    """A against A. The level is such that chance alone fails one of 10 000 tests."""
    arms = [Arm(arm, Delay(InjectionKind.WORK, 300)) for arm in (ArmName.PROBE, ArmName.SLOWED)]
    trial_schedule = schedule(arms, 2000, 0)
    order = np.random.default_rng(7).permuted([[0, 1]] * 60, axis=1).ravel()
    blocks = [Block(Phase.MEASUREMENT, int(arm)) for arm in order]
    trial_schedule = replace(trial_schedule, blocks=(*trial_schedule.blocks, *blocks))
    outcome = uuid.run(uuid.delayed(name, f"github.com/google/uuid.{method}", trial_schedule))
    probe, control = (outcome.find_series(TIME, arm.name).values for arm in arms)
    result = estimate_shift(np.log(control) - np.log(probe), level=0.9999)

    assert result.interval[0] <= 0 <= result.interval[1]


LOOKS = ((3, 31.6), (6, 12.0), (10, 7.0), (40, 5.0), (100, 5.0), (200, 5.0))
STOP = EarlyStop(above=0.1, below=-0.5, looks=LOOKS, least_deviation=0.005)


@pytest.mark.timed
@pytest.mark.parametrize("name", ["BenchmarkSmall", "BenchmarkLoop", "BenchmarkSub/a|b(c"])
def test_a_process_ends_when_its_pairs_have_decided(ring, name):
    """Three times as slow is far above; the program still ends as it would."""
    outcome = ring.slowed(
        name, f"{RING}Small", 300, Delay(InjectionKind.SPIN, 2.0), rounds=300, stop=STOP
    )

    assert isinstance(outcome, Measured), outcome
    slowed = outcome.find_series(TIME, ArmName.SLOWED).values
    assert len(slowed) in dict(LOOKS)
    assert len(outcome.find_series(TIME, ArmName.PROBE).values) == len(slowed)


@pytest.mark.timed
def test_a_process_ends_when_more_pairs_would_make_nothing_surer(ring):
    enough = replace(STOP, above=9.0, below=-9.0, enough=100.0)
    outcome = ring.slowed(
        "BenchmarkSmall",
        f"{RING}Small",
        300,
        Delay(InjectionKind.SPIN, 2.0),
        rounds=12,
        stop=enough,
    )

    assert len(outcome.find_series(TIME, ArmName.SLOWED).values) == LOOKS[0][0]


def test_a_process_that_cannot_decide_runs_to_its_end(ring):
    between = replace(STOP, above=9.0, below=-9.0)
    outcome = ring.slowed(
        "BenchmarkSmall",
        f"{RING}Small",
        300,
        Delay(InjectionKind.SPIN, 2.0),
        rounds=12,
        stop=between,
    )

    assert len(outcome.find_series(TIME, ArmName.SLOWED).values) == 12


@pytest.mark.parametrize("has_plain_blocks", [False, True])
def test_a_process_ends_when_all_its_arms_were_quiet(ring, has_plain_blocks):
    trial_schedule = until(SOON, _calibrating(has_plain_blocks, rounds=40))
    outcome = ring.run(
        ring.delayed(
            "BenchmarkLarge", f"{RING}Large", trial_schedule, has_plain_blocks=has_plain_blocks
        )
    )

    assert rounds_of(outcome, trial_schedule) == (first_quiet(outcome, trial_schedule) or 40)


def test_a_process_whose_arms_are_never_quiet_runs_to_its_end(ring):
    trial_schedule = until(NEVER, _calibrating(has_plain_blocks=False, rounds=6))
    outcome = ring.run(ring.delayed("BenchmarkLarge", f"{RING}Large", trial_schedule))

    assert rounds_of(outcome, trial_schedule) == 6
    assert first_quiet(outcome, trial_schedule) is None


def _calibrating(has_plain_blocks, rounds):
    arms = [
        Arm(ArmName.PROBE, Delay(InjectionKind.WORK, 0)),
        Arm(ArmName.SLOWED, Delay(InjectionKind.WORK, 300)),
        Arm(ArmName.CLOCKED, Delay(InjectionKind.CLOCK, 0)),
    ]
    return schedule([*arms, Arm(ArmName.PLAIN)] if has_plain_blocks else arms, 50, rounds)
