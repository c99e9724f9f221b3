"""When the sampler of Python stops its process: with a clock that is behind by a tick."""

import signal
import sys
from collections import Counter

import pytest
from python_making import RING

GUEST = RING.parents[2] / "runners" / "pybench" / "guest"
PERIOD = 1e-3
TICK = 4e-3


@pytest.fixture
def sampler(monkeypatch):
    monkeypatch.syspath_prepend(str(GUEST))
    import zz_bench_audit_sampler as guest

    yield guest
    del sys.modules["zz_bench_audit_sampler"]


class Benchmark:
    """A process that runs or waits for a processor, and the kernel's clock of it."""

    def __init__(self, guest, monkeypatch, stop_seconds):
        self.ran = self.shown = self.now = 0.0
        self.stop_seconds = stop_seconds
        self.signals = Counter()
        self.sampler = guest.Sampler({"period_ns": round(PERIOD * 1e9)})
        monkeypatch.setattr(guest.os, "kill", self.kill)
        monkeypatch.setattr(guest.time, "clock_gettime", lambda _: self.shown)
        monkeypatch.setattr(guest.time, "perf_counter", lambda: self.now)
        self.region_after_stop = 1
        self.stopped = False
        monkeypatch.setattr(self.sampler, "region", self.region, raising=False)
        monkeypatch.setattr(self.sampler, "stack", lambda: (7,), raising=False)
        monkeypatch.setattr(self.sampler, "thread_state", lambda: b"R", raising=False)
        monkeypatch.setattr(self.sampler, "await_stop", self.stop, raising=False)

    def region(self):
        return self.region_after_stop if self.stopped else 1

    def kill(self, _, number):
        self.signals[number] += 1
        self.stopped = False

    def stop(self, _):
        """Stop, after which the clock is right."""
        self.stopped = True
        self.now += self.stop_seconds
        self.shown = self.ran

    def take(self, turns, *, runs=True):
        """Let it run, or wait, between samples."""
        for _ in range(turns):
            self.now += PERIOD
            if runs:
                self.ran += PERIOD
                if self.ran - self.shown > TICK:
                    self.shown = self.ran
            self.sampler.take()
        return sum(self.sampler.stacks.values())


def test_a_process_that_stops_quickly_is_sampled_between_the_ticks_of_its_clock(
    sampler, monkeypatch
):
    benchmark = Benchmark(sampler, monkeypatch, stop_seconds=1e-5)

    assert benchmark.take(100) >= 95
    assert benchmark.signals[signal.SIGSTOP] == benchmark.signals[signal.SIGCONT]


def test_a_process_that_waits_for_a_processor_is_stopped_only_after_it_had_one(
    sampler, monkeypatch
):
    benchmark = Benchmark(sampler, monkeypatch, stop_seconds=5e-3)
    samples = benchmark.take(20)
    stops = benchmark.signals[signal.SIGSTOP]

    assert benchmark.take(100, runs=False) == samples
    assert benchmark.signals[signal.SIGSTOP] == stops


def test_a_place_is_not_counted_twice_where_nothing_ran_between_two_stops(sampler, monkeypatch):
    benchmark = Benchmark(sampler, monkeypatch, stop_seconds=1e-5)
    samples = benchmark.take(20)

    assert benchmark.take(100, runs=False) == samples


def test_a_sample_that_comes_after_the_end_of_its_block_is_lost(sampler, monkeypatch):
    benchmark = Benchmark(sampler, monkeypatch, stop_seconds=1e-5)
    benchmark.region_after_stop = 0

    assert benchmark.take(100) == 0
    assert benchmark.sampler.lost[1] >= 95


def test_after_a_stop_that_failed_the_clock_is_asked_again(sampler, monkeypatch):
    benchmark = Benchmark(sampler, monkeypatch, stop_seconds=1e-5)
    samples = benchmark.take(20)

    def never(_):
        raise ValueError("the thread does not stop")

    monkeypatch.setattr(benchmark.sampler, "await_stop", never)
    benchmark.take(1)
    stops = benchmark.signals[signal.SIGSTOP]
    benchmark.take(10, runs=False)

    assert sum(benchmark.sampler.stacks.values()) == samples
    assert benchmark.signals[signal.SIGSTOP] == stops
