"""Where benchmarks are that have no group."""

import pytest

from auditor.core.benchmark_places import find_benchmark_place


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
