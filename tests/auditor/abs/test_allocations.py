"""Does what a benchmark reports rise with one more allocation per call?"""

from dataclasses import replace

import pytest
from builders import benchmark, crashed, method, run, series, suite_run, timed_out

from auditor.abs.judge import allocations
from auditor.abs.judge.abs_score import MethodData
from auditor.abs.judge.allocations import PAIRS, AllocationData
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.outcome import Measured, NeverCalled, NotBuilt
from auditor.core.plan import Purpose
from auditor.core.result import ReachState, Verdict
from auditor.core.schedule import Arm, ArmName
from auditor.core.values import ALLOCATED, ALLOCATIONS, METHOD_CALLS, OPERATIONS
from auditor.measure.reach_judge import Reach

SIZE = 64
BLOCK_OPERATIONS = 1000.0
ARMS = (
    Arm(ArmName.PROBE, Delay(InjectionKind.ALLOCATE, 0)),
    Arm(ArmName.ALLOCATING, Delay(InjectionKind.ALLOCATE, SIZE)),
)
REACH = Reach(state=ReachState.IN_LOOP, calls_per_operation=1.0)


def ended(outcome):
    return run(outcome, purpose=Purpose.ALLOCATION, arms=ARMS)


def reported(before, after, *, calls=1.0, metric=ALLOCATIONS):
    """Return a process that reports `before` and `after`, block by block."""
    unit = {ALLOCATIONS: "allocs/op", ALLOCATED: "B/op"}[metric]
    arm_series = []
    for first, (arm, values) in enumerate(zip(ARMS, (before, after), strict=True)):
        arm_series += [
            replace(series(values, arm.name, metric, first=first), unit=unit),
            series([BLOCK_OPERATIONS] * len(values), arm.name, OPERATIONS, first=first),
            series([calls * BLOCK_OPERATIONS] * len(values), arm.name, METHOD_CALLS, first=first),
        ]
    return ended(Measured(tuple(arm_series)))


def data(allocation_run, **more):
    document = {"method": method().id, "benchmark": benchmark(), "bytes": SIZE, "reach": REACH}
    return AllocationData(**(document | more), run=allocation_run)


def judged(allocation_run, **more):
    return allocations.judge_allocation_pair(data(allocation_run, **more))


def blocks(value, **overrides):
    return [overrides.get(f"at{index}", value) for index in range(PAIRS)]


@pytest.mark.parametrize(
    ("rise", "calls", "outcome"),
    [
        (1, 1.0, Verdict.DETECTED),
        (2, 2.0, Verdict.DETECTED),
        (2, 2.9, Verdict.DETECTED),  # cut off
        (1, 0.6, Verdict.DETECTED),  # the last one that was missing to a whole number
        (0, 0.6, Verdict.MISSED),
        (0, 0.01, Verdict.MISSED),
        (0, 1.0, Verdict.MISSED),
        (-1, 1.0, Verdict.MISSED),
    ],
)
def test_whole_numbers_show_the_allocation_or_do_not(rise, calls, outcome):
    result = judged(reported(blocks(7), blocks(7 + rise), calls=calls))

    assert (result.outcome, result.unit) == (outcome, "allocs/op")
    assert (result.before, result.after, result.rise) == (7, 7 + rise, rise)
    assert (result.expected, result.calls_per_operation) == (calls, calls)
    assert (result.reason is None) == (outcome is Verdict.DETECTED)


def test_one_disturbed_pair_on_each_side_changes_nothing():
    up, down = reported(blocks(7, at3=90), blocks(8)), reported(blocks(7), blocks(7, at5=90))

    assert judged(up).outcome is Verdict.DETECTED
    assert judged(down).outcome is Verdict.MISSED


def test_numbers_that_rise_in_some_pairs_only_are_open():
    result = judged(reported(blocks(7), blocks(7, at0=8, at1=8, at2=8), calls=0.3))

    assert result.outcome is Verdict.INCONCLUSIVE
    assert "0 to 1 allocs/op, 0.3 are expected" in result.reason


@pytest.mark.parametrize(
    ("noise", "calls", "outcome"),
    [
        (1.0, 1.0, Verdict.DETECTED),
        (0.1, 0.01, Verdict.DETECTED),
        (500.0, 1.0, Verdict.INCONCLUSIVE),
    ],
)
def test_bytes_show_it_unless_they_scatter_as_much(noise, calls, outcome):
    before = [1e6 + noise * (index % 3 - 1) for index in range(PAIRS)]
    after = [1e6 + SIZE * calls + noise * (index % 4 - 1.5) / 2 for index in range(PAIRS)]
    result = judged(reported(before, after, calls=calls, metric=ALLOCATED))

    assert (result.outcome, result.unit, result.expected) == (outcome, "B/op", SIZE * calls)


def test_bytes_that_do_not_rise_are_missed():
    """As where only threads call the method whose memory nobody adds up."""
    result = judged(reported(blocks(16.0), blocks(16.5), metric=ALLOCATED))

    assert (result.outcome, result.expected) == (Verdict.MISSED, SIZE)


@pytest.mark.parametrize(
    ("outcome", "result"),
    [
        (crashed(), Verdict.CRASHED),
        (timed_out(), Verdict.TIMED_OUT),
        (NotBuilt("no"), Verdict.INVALID),
        (NeverCalled(), Verdict.INCONCLUSIVE),
    ],
)
def test_a_failure_is_an_outcome_and_no_miss(outcome, result):
    allocation_pair = judged(ended(outcome))

    assert (allocation_pair.outcome, allocation_pair.before) == (result, None)
    assert allocation_pair.reason


def test_what_was_never_called_is_unreached_unless_calls_were_counted():
    unknown = Reach(state=ReachState.UNKNOWN)

    assert judged(ended(NeverCalled()), reach=unknown).outcome is Verdict.UNREACHED


def test_what_was_not_run_is_undecided_and_what_cannot_be_changed_refused():
    assert judged(None).outcome is Verdict.UNMEASURED
    assert judged(None, refusal="it has no body").outcome is Verdict.REFUSED


def test_a_block_without_its_number_decides_nothing():
    all_series = reported(blocks(7), blocks(8)).outcome.series
    torn = [
        series(blocks(7)[1:], ArmName.PROBE, ALLOCATIONS)
        if (block_series.metric, block_series.arm) == (ALLOCATIONS, ArmName.PROBE)
        else block_series
        for block_series in all_series
    ]

    assert judged(ended(Measured(tuple(torn)))).outcome is Verdict.INCONCLUSIVE
    result = judged(reported(blocks(7), blocks(float("inf"))))
    assert result.outcome is Verdict.INCONCLUSIVE


def test_blocks_without_a_call_decide_nothing():
    assert judged(reported(blocks(7), blocks(7), calls=0.0)).outcome is Verdict.INCONCLUSIVE


def test_too_few_pairs_decide_nothing():
    assert judged(reported([7] * 7, [8] * 7)).outcome is Verdict.INCONCLUSIVE


def test_the_plain_number_is_there_where_the_harness_says_it():
    plain = suite_run([1e-6])
    measured = Measured((*plain.outcome.series, series([3, 3, 4], metric=ALLOCATIONS)))
    result = judged(reported(blocks(7), blocks(8)), plain=(replace(plain, outcome=measured), plain))

    assert result.plain == 3
    suite_allocations = allocations.judge_allocations(SIZE, [MethodData(method=method())], [result])
    (allocation_caveat,) = allocations.allocation_caveats(suite_allocations)
    assert allocation_caveat.slug == "probe-allocates"
    assert "3 allocs/op without it, 7 with it" in allocation_caveat.text
    same = replace(result, plain=7.0)
    assert allocations.allocation_caveats(replace(suite_allocations, pairs=(same,))) == ()


def test_a_method_is_noticed_if_one_benchmark_shows_it():
    names = ("Seen", "Hidden", "Lonely", "Open", "Native", "Broken")
    methods = [
        MethodData(
            method=method(name, refusal="native" if name == "Native" else None),
            invalid="syntax error" if name == "Broken" else None,
        )
        for name in names
    ]

    def pair(name, benchmark_name, allocation_run):
        return replace(
            judged(allocation_run), method=method(name).id, benchmark=benchmark(benchmark_name).id
        )

    shows, hides = reported(blocks(0), blocks(1)), reported(blocks(0), blocks(0))
    pairs = [
        pair("Seen", "B1", hides),
        pair("Seen", "B2", shows),
        pair("Hidden", "B1", hides),
        pair("Open", "B1", None),
    ]
    result = allocations.judge_allocations(SIZE, methods, pairs)

    outcomes = {
        allocation_method.id.rpartition(".")[2]: allocation_method.outcome
        for allocation_method in result.methods
    }
    assert outcomes == {
        "Seen": Verdict.DETECTED,
        "Hidden": Verdict.MISSED,
        "Lonely": Verdict.UNREACHED,
        "Open": Verdict.INCONCLUSIVE,
        "Native": Verdict.REFUSED,
        "Broken": Verdict.INVALID,
    }
    assert (result.noticed, result.undecided, result.counted) == (1, 1, 4)
    assert result.methods[0].noticed_by == (benchmark("B2").id,)
    assert result.methods[0].reached_by == (benchmark("B1").id, benchmark("B2").id)
