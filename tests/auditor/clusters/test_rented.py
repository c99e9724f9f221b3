"""What is rented is counted, and limited, from when it is asked for."""

import asyncio
import os
from contextlib import contextmanager
from dataclasses import replace
from queue import Queue

import pytest

from auditor.clusters.rented import rent_cluster
from auditor.core.errors import MachineError
from auditor.core.hosts import RentedSpec
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.rented.ledger import RentalLedger

pytest.importorskip("distributed")
SPEC = RentedSpec(
    cluster=f"{__name__}.Slow",
    options={},
    workers=3,
    listed_by=(),
    removed_by=(),
    environment=(),
    hourly=1.0,
    most_seconds=3600.0,
)


class Clock(SystemClock):
    """One that others can move."""

    moved = 0.0

    def monotonic(self):
        return super().monotonic() + Clock.moved


class Slow:
    """A cluster whose scheduler's machine takes half an hour to start, of which none passes."""

    minutes = 30
    closed = 0

    def __init__(self, *, asynchronous):
        assert asynchronous

    def __await__(self):
        return self._start().__await__()

    async def _start(self):
        Clock.moved += 60 * self.minutes

    def scale(self, workers):
        assert workers == 3

    async def close(self):
        Slow.closed += 1


class Endless(Slow):
    """One whose machine never starts."""

    async def _start(self):
        await asyncio.sleep(3600)


class Shrinking(Slow):
    """One that is there at once; notes what it is asked for."""

    minutes = 0
    requested_workers = Queue()

    async def _start(self):
        """Be there."""

    def scale(self, workers):
        self.requested_workers.put(workers)


@contextmanager
def opened(tmp_path, spec, caveats):
    clock = Clock()
    ledger = RentalLedger(tmp_path / "notes", LocalHost(clock), clock, {"PATH": os.defpath})
    with rent_cluster(spec, ledger, clock, caveats.append) as cluster:
        yield cluster


def test_the_start_of_the_first_machine_is_paid_for(tmp_path):
    caveats = []

    with opened(tmp_path, SPEC, caveats) as result:
        result.replace_lost_machines()
        Clock.moved += 1801.0
        with pytest.raises(MachineError, match="the ceiling of what is rented is reached"):
            result.replace_lost_machines()

    (caveat,) = caveats
    assert caveat.text.endswith("Slow for 60 min, 4 machines: about 4.00 at 1 an hour each")


def test_machines_that_were_lost_are_asked_for_again_each_minute(tmp_path):
    with opened(tmp_path, replace(SPEC, cluster=f"{__name__}.Shrinking"), []) as result:
        assert Shrinking.requested_workers.get(timeout=10) == 3
        result.replace_lost_machines()
        Clock.moved += 61.0
        result.replace_lost_machines()
        result.replace_lost_machines()

        assert Shrinking.requested_workers.get(timeout=10) == 3

    assert Shrinking.requested_workers.empty()


def test_a_first_machine_that_never_starts_is_left_at_the_ceiling(tmp_path):
    spec = replace(SPEC, cluster=f"{__name__}.Endless", most_seconds=0.5)
    closed = Slow.closed

    with pytest.raises(MachineError, match=r"ceiling of what is rented is reached \(.*Endless"):  # noqa: SIM117
        with opened(tmp_path, spec, []):
            pytest.fail("it has started")

    assert Slow.closed == closed + 1
    assert list((tmp_path / "notes").iterdir()) == []
