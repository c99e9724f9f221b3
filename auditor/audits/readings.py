"""What the audits read out of runs: values that can be computed with, or nothing."""

from collections.abc import Iterable, Sequence
from statistics import median

from auditor.core.measure import TIME
from auditor.core.outcome import Measured
from auditor.core.plan import Purpose, Run
from auditor.core.schedule import ArmName
from auditor.stats.arrays import positive


def times(run: Run, arm: ArmName) -> tuple[float, ...]:
    """Return the seconds per operation of the measured blocks of `arm`, in their order.

    Empty where there are none and where one of them is no time at all (not finite, not above
    zero): a process that reports such a value is not believed in the others either.
    """
    if not isinstance(run.outcome, Measured):
        return ()
    series = run.outcome.of(TIME, arm)
    if series is None or not series.values:
        return ()
    try:
        positive(series.values)
    except ValueError:
        return ()
    return series.values


def paired(run: Run) -> tuple[tuple[float, float], ...]:
    """Return (probe, slowed) of neighbouring blocks: the i-th of each arm by position."""
    probe, slowed = times(run, ArmName.PROBE), times(run, ArmName.SLOWED)
    return tuple(zip(probe, slowed, strict=False))


def medians(runs: Iterable[Run], arm: ArmName) -> tuple[float, ...]:
    """Return one value per process, the median of its blocks: a disturbed block moves it little."""
    return tuple(median(values) for run in runs if (values := times(run, arm)))


def of_purpose(runs: Sequence[Run], purpose: Purpose) -> tuple[Run, ...]:
    """Return the runs made for `purpose`, in the order of their repetition and fork."""
    mine = [run for run in runs if run.trial.purpose is purpose]
    return tuple(sorted(mine, key=lambda run: (run.trial.repetition, run.trial.fork)))
