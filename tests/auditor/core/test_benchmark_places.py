"""Where benchmarks are, and which may share a process."""

import pytest

from auditor.core.benchmark_places import (
    find_benchmark_place,
    find_sharing_place,
    gather_by_place,
)
from auditor.core.suite import Benchmark


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("bench/test_ring.py::test_small[a.B::c]", "bench/test_ring.py"),
        ("speed.py::slow | 3", "speed.py"),
        ("suite.graphs.Suite.time_m(20, 'x.Y')", "suite.graphs"),
        ("suite.time_all", "suite"),
        ("time_all", ""),
    ],
)
def test_the_place_is_the_file_or_module(name, place):
    assert find_benchmark_place(name) == place


def test_benchmarks_of_a_file_are_gathered_where_the_first_of_them_is():
    names = ["a.py::one", "b.py::one", "a.py::two", "c.py::one", "b.py::two"]
    mixed = [Benchmark(group="", name=name) for name in names]

    gathered = [benchmark.name for benchmark in gather_by_place(mixed)]

    assert gathered == ["a.py::one", "a.py::two", "b.py::one", "b.py::two", "c.py::one"]


def test_benchmarks_with_a_group_stay_where_they_are():
    grouped = [Benchmark(group="pack", name=name) for name in ("One", "Two/a.py::b", "Three")]

    assert gather_by_place(grouped) == grouped
    assert len({find_sharing_place(benchmark) for benchmark in grouped}) == 3
