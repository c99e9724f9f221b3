from functools import cache
from math import inf, log

import numpy as np
import pytest

from auditor.warmup.run_so_far import Partition

LEAST = 5


def observed(values, penalty: float) -> Partition:
    partition = Partition(penalty)
    for value in values:
        partition.add_value(float(value))
    return partition


def ends(partition: Partition) -> list[int]:
    return [end for _, end, _, _ in partition.list_segments(1000)][::-1]


def cheapest(values, penalty: float) -> float:
    """The least penalised cost of all partitions into segments of five at least."""

    def cost(start: int, end: int) -> float:
        return (end - start) * log(max(float(np.var(values[start:end])), 1e-8))

    @cache
    def least(end: int) -> float:
        if end == 0:
            return -penalty
        if end < LEAST:
            return inf
        return min(least(start) + cost(start, end) for start in range(end - LEAST + 1)) + penalty

    return least(len(values))


def paid(values, partition: Partition, penalty: float) -> float:
    segments = partition.list_segments(1000)
    costs = [
        (end - start) * log(max(float(np.var(values[start:end])), 1e-8))
        for start, end, _, _ in segments
    ]
    return sum(costs) + penalty * (len(segments) - 1)


@pytest.mark.parametrize("seed", range(5))
def test_its_partition_costs_as_little_as_any(seed):
    rng = np.random.default_rng(seed)
    values = np.concatenate([rng.normal(level, 0.1, 15) for level in rng.normal(0, 1, 4)])

    partition = observed(values, 20.0)

    assert paid(values, partition, 20.0) == pytest.approx(cheapest(values, 20.0), rel=1e-6)


def test_it_finds_a_step_once_it_is_over_and_tells_level_and_scatter():
    rng = np.random.default_rng(1)
    values = np.concatenate((rng.normal(2, 0.1, 40), rng.normal(0, 0.1, 60)))

    assert ends(observed(values[:40], 40.0)) == [40]
    partition = observed(values, 40.0)

    assert ends(partition) == [40, 100]
    start, end, mean, variance = partition.list_segments(1)[0]
    assert (start, end) == (40, 100)
    assert mean == pytest.approx(values[40:].mean())
    assert variance == pytest.approx(values[40:].var())
    assert partition.compute_gain() > 1


def test_without_a_change_there_is_one_segment_and_no_gain():
    partition = observed(np.random.default_rng(2).normal(0, 1, 3000), 150.0)

    assert ends(partition) == [3000]
    assert partition.compute_gain() == 0.0


def test_equal_values_are_one_segment():
    assert ends(observed(np.zeros(200), 40.0)) == [200]
