"""Processes that are drawn from series, and what their pairs come to."""

import json

import pytest

CODE = """
import json
import numpy as np
from simulate import _process
flat, rng = [np.full(200, 3.0)], np.random.default_rng(1)
rising = [np.exp(np.linspace(0, 1, 200))]
print(json.dumps([
    [_process(0.3, (30, arms), flat, rng).tolist(), _process(0.0, (60, arms), rising, rng).tolist()]
    for arms in (2, 3)
]))
"""


def test_pairs_are_slowed_as_asked_for_and_a_drift_shows_on_both_sides(printed):
    for flat, rising in json.loads(printed(CODE)):
        assert flat == pytest.approx([0.26236426] * 30)  # the logarithm of 1.3
        assert len(rising) == 60
        # The order within a pair is drawn: what comes later in it is as often slower as faster.
        assert min(rising) < 0 < max(rising)
