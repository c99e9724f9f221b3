"""Our own runs as rows of a table of the research tools."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from auditor.core.outcome import Measured, Outcome
from auditor.core.plan import Purpose, Run, original_repetition
from auditor.core.schedule import ArmName
from auditor.core.suite import Benchmark
from auditor.core.values import OPERATIONS
from auditor.importers.research_tools.layout import ProcessValues
from auditor.measure import readings


def build_rows(runs: Iterable[Run]) -> tuple[ProcessValues, ...]:
    """Return the measured values of an audit as a table has them.

    That is those of the plain suite and of slowed blocks; the plain processes among slowed ones
    where they are what the paper's rule compares with. A table has no place for probe blocks,
    calibrations and other references.
    """
    trial_runs = sorted(runs, key=lambda run: (run.trial.repetition, run.trial.fork))
    interleaved = {Purpose.MUTANT, Purpose.REFERENCE} <= {run.trial.purpose for run in trial_runs}
    arm_by_purpose = _SLOWED | {Purpose.REFERENCE if interleaved else Purpose.SUITE: ArmName.PLAIN}
    return tuple(
        rows for run in trial_runs if (rows := _convert_run(run, arm_by_purpose)) is not None
    )


_SLOWED = {Purpose.MUTANT: ArmName.SLOWED, Purpose.PAIRS: ArmName.SLOWED}


def _convert_run(run: Run, arm_by_purpose: Mapping[Purpose, ArmName]) -> ProcessValues | None:
    trial = run.trial
    arm = arm_by_purpose.get(trial.purpose)
    seconds = readings.list_block_times(run, arm) if arm else ()
    if arm is None or trial.benchmark is None or not seconds:
        return None
    return ProcessValues(
        run=original_repetition(trial.repetition) - 1,
        part=trial.fork - 1,
        method=trial.variant.methods[0].id if trial.variant.methods else None,
        benchmark=_format_name(trial.benchmark),
        seconds=seconds,
        operations=_list_operations(run.outcome, arm),
    )


def _format_name(benchmark: Benchmark) -> str:
    """Return the name with its parameters as JavaABS writes them; Go's have none."""
    parameter_text = "".join(f"({key}-{value})" for key, value in benchmark.parameters)
    return replace(benchmark, parameters=()).id + parameter_text


def _list_operations(outcome: Outcome, arm: ArmName) -> tuple[int, ...]:
    operations = outcome.find_series(OPERATIONS, arm) if isinstance(outcome, Measured) else None
    return tuple(round(value) for value in operations.values) if operations else ()
