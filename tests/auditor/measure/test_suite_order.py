"""The order of a run of the suite."""

import itertools
from types import SimpleNamespace

from auditor.core.suite import Benchmark
from auditor.measure.suite_runs import _draw_order

NAMES = [f"bench/test_{file}.py::test_{number}" for file in "abcd" for number in range(5)]


def draw_names(benchmarks, repetition):
    request = SimpleNamespace(seed=1)
    return [benchmark.name for benchmark in _draw_order(benchmarks, request, repetition)]


def test_benchmarks_of_a_file_follow_each_other_in_an_order_drawn_for_each_run():
    benchmarks = [Benchmark(group="", name=name) for name in NAMES]
    first, second = (draw_names(benchmarks, repetition) for repetition in (1, 2))

    assert sorted(first) == sorted(NAMES)
    assert first != second
    files = [name.partition("::")[0] for name in first]
    assert sum(file != following for file, following in itertools.pairwise(files)) == 3
    assert list(dict.fromkeys(files)) != sorted(set(files))
    assert first != sorted(first)


def test_benchmarks_with_a_group_are_mixed():
    benchmarks = [
        Benchmark(group=group, name=str(number)) for group in "abcd" for number in range(5)
    ]
    groups = [benchmark.group for benchmark in _draw_order(benchmarks, SimpleNamespace(seed=1), 1)]

    assert sum(group != following for group, following in itertools.pairwise(groups)) > 6
