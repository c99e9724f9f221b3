"""Python benchmarks that end once a watcher has seen enough."""

from dataclasses import replace

import pytest
from watchers import MOST, NEVER, Patient, Watched, assert_told_apart, blocks

from auditor.core.outcome import Crashed, Measured
from auditor.core.schedule import ArmName, Phase
from auditor.core.stop_rules import Criterion, WarmupResult
from auditor.core.suite import Benchmark
from auditor.core.values import OPERATIONS, TIME

pytestmark = pytest.mark.subject

TESTS = """import pathlib
import time
import pytest

called = 0


@pytest.fixture
def torn():
    yield
    pathlib.Path("torn-down").touch()


def test_calm(benchmark, torn):
    benchmark(sum, range(100))


def test_chatty(benchmark, torn):
    benchmark(lambda: print("block", 0, 1, 1.0, 1.0, 0, 0, sep="\\t", flush=True))


def test_lengthy(benchmark, torn):
    benchmark(time.sleep, 0.4)


def test_breaks(benchmark, torn):
    def breaks():
        global called
        called += 1
        assert called < 40, "this one fails later"

    benchmark(breaks)
"""


@pytest.fixture
def watched(ring, tmp_path):
    (tmp_path / "test_watched.py").write_text(TESTS)
    place = Watched(replace(ring.project, root=tmp_path), ring.harness, tmp_path / "builds")
    return lambda name, watcher, schedule: place.run(
        Benchmark(group="", name=f"test_watched.py::{name}"), watcher, schedule
    )


@pytest.mark.timed
@pytest.mark.parametrize("name", ["test_calm", "test_chatty"])
def test_a_benchmark_ends_with_its_tear_down_once_it_has_shown_enough(watched, name, tmp_path):
    watcher = Patient(8)

    outcome = watched(name, watcher, blocks(seconds=0.03))

    assert_told_apart(outcome, watcher)
    assert (tmp_path / "torn-down").exists()


@pytest.mark.timed
def test_a_block_may_be_a_number_of_operations_each_of_them_long(watched, tmp_path):
    watcher = Patient(3)

    outcome = watched("test_lengthy", watcher, blocks(MOST, operations=1))

    assert_told_apart(outcome, watcher)
    assert {*outcome.find_series(OPERATIONS, ArmName.PLAIN).values} == {1.0}
    assert min(lasted for _, lasted in watcher.iterations) > 0.3
    assert (tmp_path / "torn-down").exists()


def test_one_that_is_never_enough_does_all_of_its_schedule(watched):
    outcome = watched("test_calm", Patient(NEVER), blocks(10, operations=50))

    assert isinstance(outcome, Measured), outcome
    assert outcome.warmed == WarmupResult(method=Criterion.COV, warm=None, enough=False)
    assert outcome.find_series(TIME, ArmName.PLAIN, Phase.WARMUP).block_positions == tuple(range(7))
    assert outcome.find_series(TIME, ArmName.PLAIN).block_positions == (7, 8, 9)


def test_one_that_fails_in_the_middle_has_crashed(watched):
    watcher = Patient(NEVER)

    outcome = watched("test_breaks", watcher, blocks(operations=10))

    assert isinstance(outcome, Crashed), outcome
    assert "this one fails later" in outcome.tail
    assert len(watcher.iterations) == 3
