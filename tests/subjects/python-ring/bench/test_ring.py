import pytest
from ring import Ring, large, slight, small, tiny
from ring.spins import climb, fails, lazily, remembered


def test_tiny(benchmark):
    benchmark(tiny, 3)


@pytest.mark.parametrize("x", [1, 1000])
def test_small(benchmark, x):
    benchmark(small, x)


def test_large(benchmark):
    benchmark(large, 3)


def test_slight(benchmark):
    def both():
        slight(3)
        for each in range(9):
            total = each
            for _ in range(40):
                total = (total * 31 + 7) % 1000003
        return total

    benchmark(both)


def test_fails(benchmark):
    def caught():
        try:
            fails(1)
        except KeyError:
            return 1

    benchmark(caught)


def test_climb(benchmark):
    benchmark(climb, 5)


def test_remembered(benchmark):
    remembered(3)
    benchmark(remembered, 3)


def test_lazily(benchmark):
    benchmark(lambda: sum(lazily(10)))


def test_push(benchmark):
    ring = Ring(8)
    benchmark.pedantic(ring.push, args=(1,), rounds=5, iterations=10)


def test_last(benchmark):
    ring = Ring(8)
    benchmark(lambda: ring.last)


def test_checked_and_of(benchmark):
    def setup():
        small(1)
        return (3,), {}

    benchmark.pedantic(lambda x: (Ring.checked(x), Ring.of(x)), setup=setup)


@pytest.mark.benchmark
def test_marked():
    small(3)


@pytest.mark.skip(reason="not today")
def test_skipped(benchmark):
    benchmark(small, 1)


@pytest.mark.xfail(reason="takes numbers only")
def test_expected_to_fail(benchmark):
    benchmark(small, "x")


def test_is_no_benchmark():
    assert small(1) >= 0
