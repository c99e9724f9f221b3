"""Bounds of what a sampled share can be wrong by."""

import math

import pytest

from auditor.audits.attribution import attribution_error
from auditor.core.subject import Language

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
    error = attribution_error(Language.JAVA, seconds)

    assert sampled - error.excess <= true
    assert true <= sampled + error.shortfall or error.shortfall == 1


def test_a_method_of_a_long_operation_is_bounded_closely():
    error = attribution_error(Language.JAVA, 1e-6)

    assert error.excess < 0.06
    assert error.shortfall < 0.1


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan, 1e-12])
def test_an_operation_without_a_time_stays_undecided(seconds):
    error = attribution_error(Language.JAVA, seconds)

    assert (error.excess, error.shortfall) == (1, 1)


@pytest.mark.parametrize("language", [Language.GO, Language.PYTHON])
def test_a_language_that_was_not_measured_stays_undecided(language):
    assert attribution_error(language, 1e-3).excess == 1
