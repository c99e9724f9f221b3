"""KB-KSSD, against plain loops over the same steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from steady_making import falling, naive_kbkssd

from auditor.warmup.kbkssd import KbKssd


def find_start(values):
    start = KbKssd().find_steady_start(np.array(values)).start
    return -1 if start is None else start


def test_a_fall_is_found_where_it_is():
    values = falling(warm=700)

    result = KbKssd().find_steady_start(values)

    assert result.changes == (699,)
    assert result.start == 700


def test_a_rise_is_no_warm_up():
    values = falling(warm=700)[::-1]

    assert KbKssd().find_steady_start(values).start == 0


@pytest.mark.parametrize("length", [30, 31, 100, 101, 500, 503, 1502, 3000])
@pytest.mark.parametrize("seed", range(6))
def test_it_is_what_plain_loops_find(length, seed):
    rng = np.random.default_rng(seed)
    values = np.exp(rng.standard_normal(length) * 0.1 + rng.standard_normal(length).cumsum() * 0.02)
    values[rng.integers(0, length, 5)] *= 10
    if seed % 2:
        values[: length // 3] *= 1.5

    assert find_start(values) == naive_kbkssd(values)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(1e-9, 1e3), min_size=30, max_size=400))
def test_the_index_is_one_of_the_series_or_none(values):
    start = KbKssd().find_steady_start(np.array(values)).start

    assert start is None or 0 <= start < len(values) - 1


def test_a_series_is_left_as_it_is():
    values = falling()
    before = values.copy()

    KbKssd().find_steady_start(values)

    assert (values == before).all()
