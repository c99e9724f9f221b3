"""Our own runs as rows of a table of the research tools."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from auditor.core.outcome import Measured, Outcome
from auditor.core.plan import Purpose, Run
from auditor.core.schedule import ArmName
from auditor.core.suite import Benchmark
from auditor.core.values import OPERATIONS
from auditor.importers.research_tools.rows import Rows
from auditor.measure import readings


def rows_of(runs: Iterable[Run]) -> tuple[Rows, ...]:
    """Return the measured values of an audit as a table has them.

    That is those of the plain suite and of slowed blocks; the plain processes among slowed ones
    where they are what the paper's rule compares with. A table has no place for probe blocks,
    calibrations and other references.
    """
    trial_runs = sorted(runs, key=lambda run: (run.trial.repetition, run.trial.fork))
    interleaved = {Purpose.MUTANT, Purpose.REFERENCE} <= {run.trial.purpose for run in trial_runs}
    told = _SLOWED | {Purpose.REFERENCE if interleaved else Purpose.SUITE: ArmName.PLAIN}
    return tuple(rows for run in trial_runs if (rows := _rows(run, told)) is not None)


_SLOWED = {Purpose.MUTANT: ArmName.SLOWED, Purpose.PAIRS: ArmName.SLOWED}


def _rows(run: Run, told: Mapping[Purpose, ArmName]) -> Rows | None:
    trial = run.trial
    arm = told.get(trial.purpose)
    seconds = readings.times(run, arm) if arm else ()
    if arm is None or trial.benchmark is None or not seconds:
        return None
    return Rows(
        run=trial.repetition - 1,
        part=trial.fork - 1,
        method=trial.variant.methods[0].id if trial.variant.methods else None,
        benchmark=_name(trial.benchmark),
        seconds=seconds,
        operations=_operations(run.outcome, arm),
    )


def _name(benchmark: Benchmark) -> str:
    """Return the name with its parameters as JavaABS writes them; Go's have none."""
    chosen = "".join(f"({key}-{value})" for key, value in benchmark.parameters)
    return replace(benchmark, parameters=()).id + chosen


def _operations(outcome: Outcome, arm: ArmName) -> tuple[int, ...]:
    done = outcome.of(OPERATIONS, arm) if isinstance(outcome, Measured) else None
    return tuple(round(value) for value in done.values) if done else ()
