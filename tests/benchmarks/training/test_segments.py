"""Windows that are learned from, and the parts of the corpus they come from."""

import numpy as np
import pytest
from training.folds import by_benchmark, by_system
from training.segments import segments

from auditor.warmup.detector import standardise_windows


@pytest.mark.parametrize(
    ("last_warm_up", "unstable", "stable"),
    [
        (0, 1, 99),
        (30, 31, 69),
        (48, 49, 51),
        (49, 50, 50),
        (1500, 50, 50),
        (2497, 50, 50),
        (2880, 80, 20),
        (2950, 100, 0),
    ],
)
def test_a_fork_gives_a_hundred_windows_as_evenly_as_it_can(last_warm_up, unstable, stable):
    result = segments(last_warm_up, 3000)

    assert ((~result.stable).sum(), result.stable.sum()) == (unstable, stable)
    assert len(set(result.starts.tolist())) == 100
    assert result.stable.tolist() == [start > last_warm_up for start in result.starts.tolist()]


def test_windows_begin_at_both_ends_of_a_class():
    tolist = segments(1500, 3000).starts.tolist()

    assert (tolist[0], tolist[49], tolist[50], tolist[-1]) == (0, 1500, 1501, 2900)
    # fifty places between 0 and 1500 are 30.6 apart, cut to whole numbers
    assert tolist[1:4] == [30, 61, 91]


def test_windows_are_compared_by_their_shape_only():
    rng = np.random.default_rng(1)
    values = 1e-9 * (5 + rng.standard_normal(250))

    result = standardise_windows(values, np.array([0, 150]))

    assert (result.shape, result.dtype) == ((2, 100), np.float32)
    assert result.mean(axis=1) == pytest.approx([0, 0], abs=1e-6)
    assert result.std(axis=1) == pytest.approx([1, 1], rel=1e-5)
    assert result[1] == pytest.approx(
        (values[150:] - values[150:].mean()) / values[150:].std(), 1e-4
    )
    assert standardise_windows(1000 * values, np.array([0])) == pytest.approx(result[:1], 1e-4)


def test_a_window_without_scatter_is_all_zeros():
    assert not standardise_windows(np.full(120, 0.25), np.array([0, 20])).any()


def test_each_benchmark_judges_once_and_projects_are_in_all_parts():
    names = [f"{project}#b{index}#" for project in ("o__a", "o__b") for index in range(10)]

    parts = by_benchmark(names)

    # of ten, numpy's RandomState(42).permutation gives 8 1 5 0 7 2 9 4 3 6
    for project in ("o__a", "o__b"):
        project_parts = [[text for text in part if text.startswith(project)] for part in parts]
        assert project_parts == [
            [f"{project}#b{index}#" for index in pair]
            for pair in ((1, 8), (0, 5), (2, 7), (4, 9), (3, 6))
        ]
    assert sorted(text for part in parts for text in part) == sorted(names)


def test_whole_systems_are_left_out():
    names = ["o__b#x#", "o__a#y#", "o__a#x#"]

    assert list(by_system(names)) == [("o__a#x#", "o__a#y#"), ("o__b#x#",)]
