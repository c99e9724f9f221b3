"""Bounds of what a sampled share can be wrong by."""

import math

import pytest

from auditor.core.outcome import Frame, Profiled, Stack
from auditor.core.subject import Language
from auditor.measure.profiles.attribution import ambiguous_samples, attribution_error

MEASURED = (
    # sampled share, true share (time of the method by itself / of the operation), seconds
    (0.139, 1.20, 21.5e-9),
    (0.060, 0.26, 97e-9),
    (0.337, 0.69, 62e-9),
    (0.293, 0.44, 194e-9),
    (0.456, 0.57, 225e-9),
    (0.443, 0.52, 623e-9),
    (0.586, 0.72, 11.4e-9),
    (0.345, 0.38, 82e-9),
    (0.411, 0.46, 98e-9),
    (0.620, 0.60, 1528e-9),
    (0.738, 0.73, 520e-9),
    (0.709, 0.59, 9.2e-9),
)
"""Chains, square roots and array walks in JMH's stubs (JDK 17, async-profiler 4.0)."""


@pytest.mark.parametrize(("sampled", "true", "seconds"), MEASURED)
def test_the_bounds_hold_what_was_measured(sampled, true, seconds):
    error = attribution_error(Language.JAVA, seconds, 1.0)

    assert sampled - error.excess <= true
    assert true <= sampled + error.shortfall or error.shortfall == 1


def test_a_method_of_a_long_operation_is_bounded_closely():
    error = attribution_error(Language.JAVA, 1e-6, 1.0)

    assert error.excess < 0.11
    assert error.shortfall < 0.15


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan, 1e-12])
def test_an_operation_without_a_time_stays_undecided(seconds):
    error = attribution_error(Language.JAVA, seconds, 1.0)

    assert (error.excess, error.shortfall) == (1, 1)


@pytest.mark.parametrize("language", [Language.GO, Language.PYTHON])
def test_a_language_that_was_not_measured_stays_undecided(language):
    assert attribution_error(language, 1e-3, None).excess == 1


STUB = "org/example/jmh_generated/B_jmhTest.b_avgt_jmhStub(I)V"
BENCHMARK = "org/example/B.b()V"
OUTER = "org/example/Ring.outer(Lorg/example/Ring;)V"
INNER = "org/example/Ring.inner()[I"
OTHER_METHOD = "org/example/Ring.other()V"
KERNEL = "handle_softirqs_[k]"


def profiled(*stacks):
    """Return samples of stacks, each a count and its frames inside the stub, innermost first."""
    names = (STUB, BENCHMARK, OUTER, INNER, OTHER_METHOD, KERNEL)
    return Profiled(
        frames=tuple(map(Frame, names)),
        stacks=tuple(
            Stack(0, tuple(names.index(name) for name in (*frames, STUB)), count)
            for count, *frames in stacks
        ),
        unattributed=0,
        background=0,
        period_seconds=1e-3,
        cpu_seconds=1,
        timed_seconds=1,
    )


def test_samples_of_callers_may_be_of_the_method():
    result = profiled(
        (1, INNER, OUTER, BENCHMARK),
        (2, OUTER, BENCHMARK),
        (4, BENCHMARK),
        (8,),
        (16, OTHER_METHOD, BENCHMARK),
        (32, KERNEL, OUTER, BENCHMARK),
        (64, KERNEL, INNER, OUTER, BENCHMARK),
    )

    assert ambiguous_samples(result, INNER) == 2 + 4 + 32
    assert ambiguous_samples(result, OUTER) == 4
    assert ambiguous_samples(result, BENCHMARK) == 0


def test_a_method_without_samples_may_be_in_whatever_calls():
    result = profiled(
        (1, OTHER_METHOD, OUTER, BENCHMARK), (2, OUTER, BENCHMARK), (4, BENCHMARK), (8,)
    )

    assert ambiguous_samples(result, "org/example/Ring.absent()V") == 2 + 4


def test_a_stub_alone_hides_no_method():
    assert ambiguous_samples(profiled((8,), (1, KERNEL)), INNER) == 0
