"""What the audits read out of runs: values that can be computed with, or nothing."""

from collections.abc import Iterable, Sequence
from statistics import median

from auditor.core.outcome import Measured
from auditor.core.plan import Purpose, Run
from auditor.core.schedule import ArmName
from auditor.core.values import CLOCK_COST, METHOD_CALLS, METHOD_TIME, TIME
from auditor.stats.arrays import check_positive


def list_block_times(run: Run, arm: ArmName) -> tuple[float, ...]:
    """Return the seconds per operation of the measured blocks of `arm`, in their order.

    Empty where there are none and where one of them is no time at all (not finite, not above
    zero): a process that reports such a value is not believed in the others either.
    """
    if not isinstance(run.outcome, Measured):
        return ()
    series = run.outcome.find_series(TIME, arm)
    if series is None or not series.values:
        return ()
    try:
        check_positive(series.values)
    except ValueError:
        return ()
    return series.values


def call_times(run: Run) -> tuple[float, ...]:
    """Return the seconds that the clock showed of a call, block by block, its own cost included."""
    if not isinstance(run.outcome, Measured):
        return ()
    calls = run.outcome.find_series(METHOD_CALLS, ArmName.CLOCKED)
    spent = run.outcome.find_series(METHOD_TIME, ArmName.CLOCKED)
    if calls is None or spent is None:
        return ()
    block_totals = zip(spent.values, calls.values, strict=True)
    return tuple(time / count for time, count in block_totals if count > 0)


def clock_cost(runs: Iterable[Run]) -> float:
    """Return the seconds that reading the clock adds to a call, 0 if no process has told.

    The clock is the same in all processes of a machine and a disturbance only adds, so it is the
    low quartile of what they told. The least of many is too little: of 40 to 70 processes of an
    audit the least were 43.1 to 44.6 ns, the low quartiles 44.4 to 45.1.
    """
    outcomes = [run.outcome for run in runs if isinstance(run.outcome, Measured)]
    cost_series = [outcome.find_series(CLOCK_COST, ArmName.CLOCKED) for outcome in outcomes]
    costs = sorted(cost for series in cost_series if series for cost in series.values if cost > 0)
    return costs[len(costs) // 4] if costs else 0.0


LEAST_LEFT = 0.01
"""Of a plain block: what is left of it at least where a probe block was disturbed so much that the
slowed one beside it was shorter by more than that (the guest's `leastLeft`)."""


def pair_block_times(run: Run) -> tuple[tuple[float, float], ...]:
    """Return (reference, slowed) of neighbouring blocks: the i-th of each arm by position.

    The reference is the probe. In a process that has plain blocks, too, it is the plain block of
    the three, and `slowed` what the delay has made of that: slowed less probe is added to it.
    """
    probe, slowed_times = (
        list_block_times(run, ArmName.PROBE),
        list_block_times(run, ArmName.SLOWED),
    )
    if not _has_plain(run):
        return tuple(zip(probe, slowed_times, strict=False))
    return tuple(
        (plain, plain * max(LEAST_LEFT, 1 + (late - early) / plain))
        for plain, early, late in zip(
            list_block_times(run, ArmName.PLAIN), probe, slowed_times, strict=False
        )
    )


def list_probe_ratios(run: Run) -> tuple[float, ...]:
    """Return the quotients probe / plain of neighbouring blocks, none where none are plain."""
    plain = list_block_times(run, ArmName.PLAIN) if _has_plain(run) else ()
    return tuple(
        late / early
        for early, late in zip(plain, list_block_times(run, ArmName.PROBE), strict=False)
    )


def _has_plain(run: Run) -> bool:
    """Tell whether plain blocks alternate with others in the process."""
    return len(run.trial.schedule.arms) > 1 and any(
        arm.name is ArmName.PLAIN for arm in run.trial.schedule.arms
    )


def list_block_medians(runs: Iterable[Run], arm: ArmName) -> tuple[float, ...]:
    """Return one value per process, the median of its blocks: a disturbed block moves it little."""
    return tuple(median(values) for run in runs if (values := list_block_times(run, arm)))


def list_block_minima(runs: Iterable[Run], arm: ArmName) -> tuple[float, ...]:
    """Return one value per process, the least of its blocks.

    Another program beside it only ever adds. Between processes of the same code the least scatter
    by a third of what the medians do (google/uuid and both subjects of known truth).
    """
    return tuple(min(values) for run in runs if (values := list_block_times(run, arm)))


def of_purpose(runs: Sequence[Run], purpose: Purpose) -> tuple[Run, ...]:
    """Return the runs made for `purpose`, in the order of their repetition and fork."""
    trial_runs = [run for run in runs if run.trial.purpose is purpose]
    return tuple(sorted(trial_runs, key=lambda run: (run.trial.repetition, run.trial.fork)))
