import pytest
from shares.functions import (
    Box,
    climb,
    dumped,
    five_steps,
    half,
    loop,
    one_step,
    other_half,
    prepared,
    same,
    squares,
    total,
    wrapped,
)


def test_same(benchmark):
    def operation():
        for x in range(10):
            same(x)

    benchmark(operation)


def test_one_step(benchmark):
    def operation():
        x = 3
        for _ in range(10):
            x = one_step(x)
        return x

    benchmark(operation)


def test_five_steps(benchmark):
    def operation():
        x = 3
        for _ in range(10):
            x = five_steps(x)
            x = (x * 31 + 7) % 1000003
            x = (x * 31 + 7) % 1000003
            x = (x * 31 + 7) % 1000003
            x = (x * 31 + 7) % 1000003
            x = (x * 31 + 7) % 1000003
        return x

    benchmark(operation)


def test_halves(benchmark):
    benchmark(lambda: (half(3), other_half(3)))


def test_dumped(benchmark):
    value = {"a": [1, 2, 3, {"b": "c" * 20}], "d": 1.5}

    def operation():
        dumped(value)
        return [dumped(value) for _ in range(3)]

    benchmark(operation)


def test_climb(benchmark):
    def operation():
        climb(9)
        loop(3, 400)

    benchmark(operation)


def test_squares(benchmark):
    benchmark(lambda: (squares(100), loop(3, 300)))


def test_total(benchmark):
    benchmark(lambda: (total(100), loop(3, 100)))


def test_wrapped(benchmark):
    benchmark(lambda: (wrapped(3), loop(3, 200)))


def test_box(benchmark):
    box = Box(3)
    benchmark(lambda: (box.content, box + box, Box.of(3)))


def test_with_setup(benchmark):
    def setup():
        prepared(3)
        return (3,), {}

    def operation(x):  # far longer than a sampler needs to stop its process
        for _ in range(20):
            half(x)
        loop(x, 4000)

    benchmark.pedantic(operation, setup=setup)


@pytest.mark.benchmark
def test_marked():
    half(3)
    loop(3, 600)
