"""What is called how often is in the tests of bench-audit."""

import asyncio
import multiprocessing
import subprocess
import sys
import threading

import beads
import pytest
from beads import Necklace, count_down, double
from jeweller import polished


def test_recursion():
    assert count_down(5) == 0


def test_exceptions():
    for why in ("one", "two"):
        with pytest.raises(ValueError, match=why):
            beads.fail(why)


def test_threads():
    def work():
        for i in range(1000):
            double(i)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def test_reflection():
    assert getattr(beads, "dou" + "ble")(2) == 4
    assert list(map(double, [1, 2, 3])) == [2, 4, 6]
    assert eval("double(4)") == 8
    alias = double
    assert alias(5) == 10


def test_callbacks():
    assert beads.each(polished, [1, 2]) == [4, 8]


def test_generators_and_coroutines():
    assert list(beads.walk(3)) == [0, 2, 4]
    assert asyncio.run(beads.fetch(2)) == 4


def test_decorated():
    assert [beads.twice(one) for one in (1, 1, 2)] == [2, 2, 4]


def test_class():
    one = Necklace([1, 2])
    other = Necklace.of(3, 4, 5)
    assert len(Necklace.joined(one, other)) == 5
    other.length = 1
    assert other.length == 1
    assert getattr(one, "_hidden")() == [1, 2]


def test_another_process():
    code = "import beads; beads.double(7); beads.double(8)"
    subprocess.run([sys.executable, "-c", code], check=True)


def _in_a_fork():
    for _ in range(5):
        double(1)


def test_a_fork():
    process = multiprocessing.get_context("fork").Process(target=_in_a_fork)
    process.start()
    process.join()
    assert process.exitcode == 0


@pytest.mark.skip(reason="not today")
def test_skipped():
    beads.never()


@pytest.mark.xfail(strict=True)
def test_expected_to_fail():
    beads.fail("expected")
