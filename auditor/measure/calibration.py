"""How long a method takes, and how many turns of the work loop make the delay asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from auditor.core.caveats import Caveat
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.outcome import Measured
from auditor.core.plan import Purpose, Run
from auditor.core.schedule import ArmName
from auditor.core.units import format_percent
from auditor.measure import readings

CLOSE_ENOUGH = 0.1
"""The turns are settled when the slowdown achieved is this close to the one asked for."""
CLOSEST = 0.03
"""So close, turns that were tried are better than any that only follow from them."""
TOLERANCE = 0.2
"""Beyond this, an achieved slowdown is a caveat (slowdown-injection.md)."""
WORK_BELOW_SECONDS = 20e-6
"""A spin costs two clock reads, 60-90 ns: .5 % of 20 us. Above, nothing is lost by the clock, and
a delay measured in the call itself follows inputs that differ from call to call."""
SLEEP_FROM_SECONDS = 10e-3
"""A sleep is up to 1.1 ms too long: at 10 ms, a tenth of the method; above, it saves heat."""
LEAST_FIRST_SECONDS = 20e-9
"""Less hides behind what a processor does at the same time (16 ns of Go: 10 turns 1 ns, 20: 8 ns),
so no slope may be taken from it. Nor may it be much more: an operation that makes a million calls
would take twenty times as long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What the calibration runs of a pair tell."""

    method_seconds: float | None
    """Of an outermost call, t(k); None: the clock cannot tell it from its own cost."""
    turns: float  # loop count that a further round should try
    achieved: float | None
    """Slowdown that `delay` was measured to give, relative; None: the clock decides (not WORK)."""
    settled: bool  # whether no further round would help
    delay: Delay  # the loop count, among those tried, that came nearest to v
    clock_seconds: float = 0.0  # that reading the clock adds to a call, as assumed here
    caveats: tuple[Caveat, ...] = ()  # of the calibration


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationRequest:
    """The slowdown wanted, and what is known of the pair."""

    slowdown: float  # v, 0.6 for 60 %
    calls_per_operation: float  # counted outermost calls
    concurrency: int  # operations in flight that times were divided by
    wait: InjectionKind | None  # how the delay passes its time; None: chosen by duration
    verified: bool = True
    """False: the loop count that follows from the tried ones is taken without a test."""
    clock_seconds: float | None = None
    """That reading the clock adds to a call; None: taken from the pair's own processes, which
    can all have been disturbed."""


def first_turns(plain_seconds: float, request: CalibrationRequest, turn_seconds: float) -> float:
    """Return turns that would about fit if the operation were all method."""
    longest = plain_seconds * request.concurrency / request.calls_per_operation
    return max(1, round(max(LEAST_FIRST_SECONDS, request.slowdown * longest) / turn_seconds))


def judge_calibration(runs: Sequence[Run], request: CalibrationRequest) -> Calibration | None:
    """Judge the calibration runs of a pair, in the order they were made; None if none measured.

    Processes of pairs among them have more blocks: then they alone tell what turns give.
    """
    tries = [run for run in runs if isinstance(run.outcome, Measured)]
    if not tries:
        return None
    cost = readings.clock_cost(tries) if request.clock_seconds is None else request.clock_seconds
    calibration = _judge_by_clock(tries, request, _method_seconds(tries, cost))
    return replace(calibration, clock_seconds=cost)


def _judge_by_clock(
    tries: Sequence[Run], request: CalibrationRequest, time: float | None
) -> Calibration:
    """Judge runs that measured, with t(k) as the clock tells it."""
    best_known = readings.of_purpose(tries, Purpose.PAIRS) or tries
    points = {
        point[0]: point[1]
        for run in best_known
        if (point := _measure_added_seconds(run, request)) is not None
    }
    if time is None or not points:
        return _make_untimed_calibration(request, points, settled=len(tries) > 1)
    wait = request.wait or choose_wait(time)
    if wait is not InjectionKind.WORK:
        return Calibration(
            method_seconds=time,
            turns=next(iter(points)),
            achieved=None,
            settled=True,
            delay=Delay(wait, request.slowdown),
        )
    target_seconds = request.slowdown * time
    best = min(points, key=lambda turns: abs(points[turns] - target_seconds))
    turns = _next_turns(points, target_seconds)
    deviation = abs(points[best] / target_seconds - 1)
    straight = _is_between(turns, points, target_seconds) or _is_near(points, target_seconds)
    if not request.verified or (straight and deviation > CLOSEST):
        return Calibration(
            method_seconds=time,
            turns=turns,
            achieved=None,
            settled=True,
            delay=Delay(InjectionKind.WORK, turns),
        )
    return Calibration(
        method_seconds=time,
        turns=turns,
        achieved=points[best] / time,
        settled=deviation <= CLOSE_ENOUGH or turns in points,
        delay=Delay(InjectionKind.WORK, best),
    )


def choose_wait(method_seconds: float) -> InjectionKind:
    """Choose how to wait by the method's duration."""
    if method_seconds < WORK_BELOW_SECONDS:
        return InjectionKind.WORK
    return InjectionKind.SPIN if method_seconds < SLEEP_FROM_SECONDS else InjectionKind.SLEEP


def achieved_caveat(
    achieved: float | None, slowdown: float, between: tuple[float, float] | None = None
) -> Caveat | None:
    """Return the caveat for a slowdown that is far from the one asked for; `between`: how sure."""
    if achieved is None or abs(achieved / slowdown - 1) <= TOLERANCE:
        return None
    slug = "overshoot" if achieved > slowdown else "undershoot"
    sure = f" ({100 * between[0]:.0f} to {format_percent(between[1])})" if between else ""
    text = (
        f"the delay slows the method by {format_percent(achieved)}{sure}, not by "
        f"{format_percent(slowdown)}"
    )
    return Caveat(slug, text)


Points = Mapping[float, float]
"""Seconds that were added to an outermost call, by turns."""


def _make_untimed_calibration(
    request: CalibrationRequest, points: Points, *, settled: bool
) -> Calibration:
    """Leave the delay to the clock inside the method, which reads as badly: it is all there is."""
    caveat = Caveat(
        "too-short",
        "the method is too short to time (clock overhead dominates), so a proportional delay "
        "cannot be verified",
    )
    turns = next(iter(points), 1.0)
    wait = request.wait or InjectionKind.SPIN
    number = turns if wait is InjectionKind.WORK else request.slowdown
    return Calibration(
        method_seconds=None,
        turns=turns,
        achieved=None,
        settled=settled,
        delay=Delay(wait, number),
        caveats=(caveat,),
    )


NEAR_ENOUGH = 2.0
"""Between tries of which one has at most so many times the turns of the other the loop's cost is
taken to be straight; a pair measures what was achieved itself."""
STRAIGHT_FROM_SECONDS = 100e-9
"""Delays from here on are in proportion to their turns: the 10 to 15 ns of a loop that hide behind
what a processor does at the same time are a tenth of them. One try is enough then."""
LEAST_SHOWN = 0.1
"""Below this share of what is wanted, what a try added may as well be nothing."""
LEAST_SHARE_OF_CLOCK = 0.25
"""Below this share of the clock's cost what is left is not the method's time: beside less than
10 ns the two readings overlap, and an empty method of the JVM shows 8 ns."""
CLOCK_IS_NOTHING_SECONDS = 1e-6
"""From here on a clock whose cost the guest did not tell does no harm: it is 20 to 60 ns."""


def _method_seconds(runs: Sequence[Run], cost: float) -> float | None:
    """Return t(k): the middle of what the processes saw, less the clock's own `cost`.

    Of each process the least of the blocks counts, since a disturbance only adds.
    """
    clocked_seconds = [min(times) for run in runs if (times := readings.call_times(run))]
    if not clocked_seconds:
        return None
    if cost <= 0 and median(clocked_seconds) < CLOCK_IS_NOTHING_SECONDS:
        return None
    left = median(clocked_seconds) - cost
    return left if left > LEAST_SHARE_OF_CLOCK * cost else None


def _measure_added_seconds(run: Run, request: CalibrationRequest) -> tuple[float, float] | None:
    """Return (turns, seconds that they added to an outermost call).

    The difference of the least blocks: what disturbs a block only ever adds, and there are too few
    blocks for a middle to be sure of it. A pair has enough, and tells by its ratios what a delay is
    on the whole: that is what its verdict hangs on.
    """
    delays = [arm.delay for arm in run.trial.schedule.arms if arm.name is ArmName.SLOWED]
    slowed_times, probe = (
        readings.list_block_times(run, ArmName.SLOWED),
        readings.list_block_times(run, ArmName.PROBE),
    )
    if not slowed_times or not probe or not delays or delays[0] is None:
        return None
    more = min(slowed_times) - min(probe)
    if run.trial.purpose is Purpose.PAIRS:
        pairs = readings.pair_block_times(run)
        least = min(early for early, _ in pairs)
        more = least * (median(late / early for early, late in pairs) - 1)
    return delays[0].number, more * request.concurrency / request.calls_per_operation


def _is_between(turns: float, points: Points, target_seconds: float) -> bool:
    """Tell whether turns lie between tries so near that a straight line leads to them.

    No such line begins where nothing is seen.
    """
    visible_turns = {
        turn_count for turn_count, added in points.items() if added > LEAST_SHOWN * target_seconds
    }
    below = [
        turn_count
        for turn_count in visible_turns
        if turn_count <= turns and points[turn_count] <= target_seconds
    ]
    above = [point for point in points if point >= turns and points[point] > target_seconds]
    return bool(below and above) and min(above) <= NEAR_ENOUGH * max(below)


def _is_near(points: Points, target_seconds: float) -> bool:
    """Tell whether one try is so near that its turns lead to what is wanted in proportion."""
    if target_seconds < STRAIGHT_FROM_SECONDS:
        return False
    limits = max(STRAIGHT_FROM_SECONDS, target_seconds / NEAR_ENOUGH), target_seconds * NEAR_ENOUGH
    return any(limits[0] <= added <= limits[1] for added in points.values())


def _next_turns(points: Points, target_seconds: float) -> float:
    """Return turns to try next: between the tries on both sides of what is wanted, else beyond."""
    below = max((turns for turns in points if points[turns] <= target_seconds), default=None)
    above = min((turns for turns in points if points[turns] > target_seconds), default=None)
    if below is not None and above is not None and below < above:
        return max(1.0, round(_interpolate_turns(below, above, points, target_seconds)))
    nearest = min(points, key=lambda turns: abs(points[turns] - target_seconds))
    if points[nearest] <= 0:
        return nearest * 4
    return max(1.0, round(nearest * min(max(target_seconds / points[nearest], 1 / 64), 64)))


def _interpolate_turns(below: float, above: float, points: Points, target_seconds: float) -> float:
    """Return turns on the line between two tries.

    Where nothing is seen of the lower one, turns begin to show somewhere behind it: then the line
    is that of the upper one and the next, and without a next one there is a try half way up.
    """
    line = below + (target_seconds - points[below]) / (points[above] - points[below]) * (
        above - below
    )
    if points[below] > LEAST_SHOWN * target_seconds:
        return line
    further = min((turns for turns in points if turns > above), default=above)
    if points[further] <= points[above]:
        return min(2 * line, (line + above) / 2)
    seconds_per_turn = (points[further] - points[above]) / (further - above)
    return max(below + 1, above - (points[above] - target_seconds) / seconds_per_turn)
