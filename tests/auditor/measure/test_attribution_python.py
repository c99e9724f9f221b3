"""The published error of sampled shares, beside figures that were measured."""

import math

import pytest

from auditor.measure.profiles.attribution import boundary_error

MEASURED = [
    # seconds of an operation with one call, share of the body, sampled share, samples
    (112e-9, 0.024, 0.073, 861),
    (111e-9, 0.499, 0.398, 944),
    (210e-9, 0.232, 0.285, 842),
    (634e-9, 0.079, 0.091, 904),
    (376e-9, 0.654, 0.711, 868),
    (643e-9, 0.434, 0.410, 1345),
    (2409e-9, 0.093, 0.112, 1103),
    (1675e-9, 0.967, 0.941, 988),
    (3003e-9, 0.513, 0.522, 1377),
    (6227e-9, 0.301, 0.261, 1038),
    (76597e-9, 0.402, 0.396, 1252),
    (6403e-9, 0.515, 0.498, 1217),
    (17940e-9, 0.320, 0.333, 1238),
    (1816e-9, 0.481, 0.461, 1151),
    (432e-9, 0.405, 0.421, 701),
    (319e-9, 0.293, 0.315, 886),
    (127e-9, 0.239, 0.220, 1083),
    (116e-9, 0.643, 0.331, 608),
    (115e-9, 0.723, 0.364, 1147),
    (536e-9, 0.783, 0.780, 1083),
]
"""From benchmarks/results/python_shares.md: the last three of CPython 3.13, the rest of 3.11."""


@pytest.mark.parametrize(("seconds", "body", "sampled", "samples"), MEASURED)
def test_measured_shares_lie_within_the_published_error(seconds, body, sampled, samples):
    sampling = 2 * math.sqrt(sampled * (1 - sampled) / samples)
    assert abs(sampled - body) <= boundary_error(seconds) + sampling


def test_the_error_depends_on_how_often_the_function_is_called():
    assert boundary_error(2e-6) < 0.05 < boundary_error(400e-9) < 0.15
    assert boundary_error(100e-9) > 0.2


def test_what_is_not_known_is_no_evidence():
    assert boundary_error(0.0) == 1.0
    assert boundary_error(1e-9) == 1.0
