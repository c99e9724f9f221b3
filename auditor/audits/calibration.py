"""How long a method takes, and how many turns of the work loop make the delay asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from auditor.core.caveats import Caveat
from auditor.core.measure import CLOCK_COST, METHOD_CALLS, METHOD_TIME, TIME
from auditor.core.mutant import Delay, Wait
from auditor.core.outcome import Measured
from auditor.core.plan import Run
from auditor.core.schedule import ArmName

CLOSE_ENOUGH = 0.1
"""The turns are settled when the slowdown achieved is this close to the one asked for."""
TOLERANCE = 0.2
"""Beyond this, an achieved slowdown is a caveat (abs.md, "The injected slowdown")."""
WORK_BELOW_SECONDS = 20e-6
"""A spin costs two clock reads, 60-90 ns: .5 % of 20 us. Above, nothing is lost by the clock, and
a delay measured in the call itself follows inputs that differ from call to call."""
SLEEP_FROM_SECONDS = 10e-3
"""A sleep is up to 1.1 ms too long: at 10 ms, a tenth of the method; above, it saves heat."""
FIRST_GUESS_SECONDS = 2e-9
"""What a turn costs, as a first guess between Go's 0.8 ns and the JVM's 9 ns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What is known of a (benchmark, method).

    `method_seconds` is t(k) of an outermost call, None if the clock cannot tell it from its own
    cost; `turns` are the work loop's for v, `achieved` the slowdown that they were measured to
    give, None before they were tried. `settled`: no further round would help.
    """

    method_seconds: float | None
    seconds_per_turn: float | None
    turns: float
    achieved: float | None
    settled: bool
    delay: Delay
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The slowdown wanted and what is known of the pair; `wait` None chooses by duration."""

    slowdown: float
    calls_per_operation: float
    concurrency: int
    wait: Wait | None


def first_turns(plain_seconds: float, asked: Asked) -> float:
    """Return turns that would about fit if the operation were all method."""
    longest = plain_seconds * asked.concurrency / asked.calls_per_operation
    return max(1.0, round(asked.slowdown * longest / FIRST_GUESS_SECONDS))


def judge(runs: Sequence[Run], asked: Asked) -> Calibration | None:
    """Judge the calibration runs of a pair, in the order they were made; None if none measured."""
    tries = [run for run in runs if isinstance(run.outcome, Measured)]
    if not tries:
        return None
    clocked = [one for one in map(_method_seconds, tries) if one is not None]
    points = [point for point in (_point(run, asked) for run in tries) if point is not None]
    turns, added = points[-1] if points else (1.0, 0.0)
    time = median(clocked) if clocked else None
    if time is None or not points:
        return _unknown(asked, turns)
    wanted = asked.slowdown * time
    achieved = added / time
    close = abs(achieved / asked.slowdown - 1) <= CLOSE_ENOUGH
    new_turns = turns if close else _corrected(points, wanted)
    wait = asked.wait or wait_for(time)
    number = new_turns if wait is Wait.WORK else asked.slowdown
    return Calibration(
        method_seconds=time,
        seconds_per_turn=added / turns if added > 0 else None,
        turns=new_turns,
        achieved=achieved if close else None,
        settled=close or wait is not Wait.WORK or new_turns == turns,
        delay=Delay(wait, number),
    )


def wait_for(method_seconds: float) -> Wait:
    """Choose how to wait by the method's duration."""
    if method_seconds < WORK_BELOW_SECONDS:
        return Wait.WORK
    return Wait.SPIN if method_seconds < SLEEP_FROM_SECONDS else Wait.SLEEP


def achieved_slowdown(
    probe_seconds: float, slowed_seconds: float, method_seconds: float, asked: Asked
) -> float:
    """Return (mutant - probe, per operation) / (outermost calls per operation x t(k))."""
    added = (slowed_seconds - probe_seconds) * asked.concurrency
    return added / (asked.calls_per_operation * method_seconds)


def achieved_caveat(achieved: float | None, slowdown: float) -> Caveat | None:
    """Return the caveat for a slowdown that is far from the one asked for."""
    if achieved is None or abs(achieved / slowdown - 1) <= TOLERANCE:
        return None
    slug = "overshoot" if achieved > slowdown else "undershoot"
    return Caveat(slug, f"asked for a slowdown of {slowdown:.2f}, achieved {achieved:.2f}")


def _unknown(asked: Asked, turns: float) -> Calibration:
    wait = asked.wait or Wait.SPIN
    why = Caveat(
        "too-short",
        "the method's own time is lost in the cost of reading the clock, so no delay in "
        "proportion to it can be made sure",
    )
    number = turns if wait is Wait.WORK else asked.slowdown
    return Calibration(
        method_seconds=None,
        seconds_per_turn=None,
        turns=turns,
        achieved=None,
        settled=True,
        delay=Delay(wait, number),
        caveats=(why,),
    )


def _method_seconds(run: Run) -> float | None:
    """Return t(k): the middle of the blocks' mean times per call, less the clock's own cost."""
    outcome = run.outcome
    if not isinstance(outcome, Measured):
        return None
    calls = outcome.of(METHOD_CALLS, ArmName.CLOCKED)
    times = outcome.of(METHOD_TIME, ArmName.CLOCKED)
    costs = outcome.of(CLOCK_COST, ArmName.CLOCKED)
    if calls is None or times is None:
        return None
    cost = median(costs.values) if costs else 0.0
    means = [
        time / count for time, count in zip(times.values, calls.values, strict=True) if count > 0
    ]
    if not means:
        return None
    left = median(means) - cost
    return left if left > LEAST_SHARE_OF_CLOCK * cost else None


LEAST_SHARE_OF_CLOCK = 0.1
"""Below a tenth of the clock's cost, what is left after its subtraction is noise."""


def _point(run: Run, asked: Asked) -> tuple[float, float] | None:
    """Return (turns, seconds that they added to an outermost call)."""
    if not isinstance(run.outcome, Measured):
        return None
    probe = run.outcome.of(TIME, ArmName.PROBE)
    slowed = run.outcome.of(TIME, ArmName.SLOWED)
    delays = [arm.delay for arm in run.trial.schedule.arms if arm.name is ArmName.SLOWED]
    if probe is None or slowed is None or not delays or delays[0] is None:
        return None
    more = median(slowed.values) - median(probe.values)
    return delays[0].number, more * asked.concurrency / asked.calls_per_operation


def _corrected(points: Sequence[tuple[float, float]], wanted: float) -> float:
    """Return the next number of turns: by the line through the last two tries, else by ratio."""
    turns, added = points[-1]
    if len(points) > 1:
        before, added_before = points[-2]
        if turns != before and (slope := (added - added_before) / (turns - before)) > 0:
            guess = turns + (wanted - added) / slope
            if turns / 8 <= guess <= turns * 8:
                return max(1.0, round(guess))
    if added <= 0:
        return turns * 4
    return max(1.0, round(turns * min(max(wanted / added, 1 / 64), 64)))
