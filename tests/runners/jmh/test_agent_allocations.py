"""Methods that the agent makes allocate more, as JMH's own GC profiler reports it."""

from statistics import median

import pytest
from jmh_making import against_probe, arms, delayed

from auditor.core.mutant import Delay, InjectionKind
from auditor.core.outcome import Measured, NeverCalled
from auditor.core.schedule import Arm, ArmName
from auditor.core.values import ALLOCATED, METHOD_CALLS, OPERATIONS

pytestmark = pytest.mark.subject

SIZE = 64
ARMS = (
    Arm(ArmName.PROBE, Delay(InjectionKind.ALLOCATE, 0)),
    Arm(ArmName.ALLOCATING, Delay(InjectionKind.ALLOCATE, SIZE)),
)


def allocating(suite, benchmark, method, *, seconds=0.02, **more):
    schedule = arms(*ARMS, pairs=8, warmup=4, seconds=seconds)
    return suite.run(benchmark, schedule, delayed(suite.find(method), **more))


def rise(outcome):
    """Return the median of what an allocating block reports more than the probe before it."""
    assert isinstance(outcome, Measured), outcome
    probe, more = (outcome.find_series(ALLOCATED, arm.name).values for arm in ARMS)
    return median(late - early for early, late in zip(probe, more, strict=True))


CASES = (
    ("turns", "turns", 1, False),
    ("thrown", "thrown", 1, False),
    ("deep", "deep", 1, True),
    ("deep", "deep", 1, False),
    ("threads", "turns", 1, False),
    ("sampled", "turns", 1, False),
    ("both", "turns", 1, False),
    ("once", "turns", 50, False),
)
OLD = ("turns", "threads", "once")
"""What differs in old versions is what their profiler says, and of how many operations."""


@pytest.mark.parametrize(
    ("suite_fixture", "case"),
    [
        *(("jmh", case) for case in CASES),
        *(("old_jmh", case) for case in CASES if case[0] in OLD),
    ],
)
def test_each_outermost_call_allocates_as_many_bytes(suite_fixture, request, case):
    """In one thread and in several, in every mode, and in both forms of the profiler's names.

    What JMH counts as one operation of `once` is a batch of calls. Its sampler keeps a buffer in
    each iteration, so one operation's share of it must be small: those blocks are longer.
    """
    benchmark, method, calls, guarded = case
    suite = request.getfixturevalue(suite_fixture)
    seconds = 0.2 if benchmark == "sampled" else 0.02
    outcome = allocating(suite, benchmark, method, seconds=seconds, guarded=guarded)

    assert rise(outcome) == pytest.approx(SIZE * calls, rel=0.1)
    call_series, operation_series = (
        outcome.find_series(metric, ArmName.ALLOCATING) for metric in (METHOD_CALLS, OPERATIONS)
    )
    assert sum(call_series.values) == pytest.approx(calls * sum(operation_series.values), rel=0.01)


def test_nothing_else_of_the_profiler_is_kept(jmh):
    outcome = allocating(jmh, "turns", "turns")

    assert not [values.metric for values in outcome.series if "gc." in values.metric]


def test_set_up_at_each_call_allocates_nothing(jmh):
    assert allocating(jmh, "fresh", "eachCall") == NeverCalled()


def test_a_process_that_is_timed_has_no_such_profiler(jmh):
    outcome = jmh.run("turns", against_probe(InjectionKind.WORK, 10), delayed(jmh.find("turns")))

    assert {values.metric for values in outcome.series} & {ALLOCATED, METHOD_CALLS} == set()
