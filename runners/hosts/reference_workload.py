"""A loop that is the same each time: what it takes tells how steady a machine is."""

import time
from dataclasses import dataclass
from itertools import pairwise

from auditor.core.busy import is_busy
from auditor.core.errors import MachineError
from auditor.core.jobs import CompletedProcess, HostInterference, Invocation
from auditor.core.ports import Clock, Host
from runners.home import HomeFolder

AGAIN_SECONDS = 3.0
"""How long what it took is taken to hold."""
_LOOKS = 5
"""Loops that tell whether the machine is busy: together they last about a second."""
_PAUSE_SECONDS = 5.0
_LIMIT_SECONDS = 600.0
_TURNS = 200_000
_SHORT_TURNS = 50_000
"""Turns of the loop between processes. It lasts about as long as the measured blocks of a process
of Go, so it varies as they do."""
_WORDS = """
now() { date +%s%N; }
now
while [ "$n" -gt 0 ]; do
    i=0
    while [ "$i" -lt "$turns" ]; do i=$((i + 1)); done
    now
    n=$((n - 1))
done
"""
"""Each loop takes some tenths of a second, of which its clock is a few thousandths."""
_DIGITS = 16
"""A clock that tells nanoseconds since 1970 has more; others are no use."""


@dataclass(frozen=True, slots=True)
class LoopTiming:
    """What the loop showed of a machine."""

    seconds: float | None
    """What all turns take at its pace; None where no clock is that fine."""
    waited: float | None
    """Share of its time when some task waited: it has one thread, so it waits for others."""


NO_LOOP_TIMING = LoopTiming(None, None)


class ReferenceWorkload:
    """Runs a fixed loop of the shell on a host, now and then."""

    def __init__(self, host: Host, home: HomeFolder, path: str, clock: Clock) -> None:
        """Take the host, a folder that it has, and PATH."""
        self._host = host.make_measuring_host(())
        self._home = home
        self._path = path
        self._clock = clock
        self._at: float | None = None
        self._look = NO_LOOP_TIMING

    def refresh_timing(self) -> LoopTiming:
        """Return what it shows now, or showed a little while ago; raises as the host does."""
        now = self._clock.monotonic()
        if self._at is None or now - self._at > AGAIN_SECONDS:
            answer = self._run(1, _SHORT_TURNS)
            took = _parse_loop_seconds(answer.stdout, 1)
            seconds = took[0] * _TURNS / _SHORT_TURNS if took else None
            self._look = LoopTiming(seconds, answer.strain.waited)
            self._at = self._clock.monotonic()
        return self._look

    def measure_loops(self, times: int) -> tuple[tuple[float, ...], HostInterference]:
        """Return what it takes so many times in a row, and what kept the machine from it.

        Raises MachineError where the loop fails, or no clock there is that fine.
        """
        answer = self._run(times)
        if answer.exit_code != 0:
            raise MachineError(f"the probe loop failed on that machine: {answer.format_tail(3)}")
        if not (took := _parse_loop_seconds(answer.stdout, times)):
            raise MachineError(
                "`date` on that machine has no nanoseconds, so the machine cannot be probed"
            )
        return took, answer.strain

    def becomes_quiet(self, seconds: float) -> bool:
        """Wait until the machine is quiet, at most so long; return whether it is known to be."""
        end = self._clock.monotonic() + seconds
        while (answer := self._run(_LOOKS)).exit_code != 0 or is_busy(answer.strain):
            if self._clock.monotonic() + _PAUSE_SECONDS > end:
                return False
            time.sleep(_PAUSE_SECONDS)
        return True

    def _run(self, times: int, turns: int = _TURNS) -> CompletedProcess:
        job = Invocation(
            argv=("sh", "-c", f"n={times} turns={turns}\n{_WORDS}"),
            cwd=self._home.root,
            environment=(("PATH", self._path),),
            timeout_seconds=_LIMIT_SECONDS,
        )
        return self._host.run_process(job)


def _parse_loop_seconds(printed: bytes, times: int) -> tuple[float, ...]:
    """Return the seconds between clocks; none where not all of them are that fine."""
    words = printed.split()
    if len(words) != times + 1 or not all(word.isdigit() and len(word) > _DIGITS for word in words):
        return ()
    return tuple((later - early) / 1e9 for early, later in pairwise(int(word) for word in words))
