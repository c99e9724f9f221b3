"""Repeats of the suite runs that a busy machine has spoilt, once it is quiet."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

from auditor.core.busy import is_busy
from auditor.core.jobs import HostInterference
from auditor.core.outcome import Measured
from auditor.core.plan import REPEAT_OFFSET, Run, Trial
from auditor.measure.context import StudyContext
from auditor.measure.stability_judge import find_busy_runs
from auditor.measure.trials import measure_trials

LONGEST_WAIT = 60.0
WAIT_PART, BUDGET_PART = 0.1, 0.05
"""Parts that waiting for a quiet machine may take: of the time of the runs, and of a budget."""
REPEATS_PART = 0.1
"""Part of what is left of a budget that the repeats may take."""

RunKey = tuple[str, int]
"""A benchmark, by its id, and the number of a run."""


def replace_busy_runs(runs: Sequence[Run], parts: StudyContext) -> list[Run]:
    """Return the runs, those of a busy machine replaced by repeats on a quiet one where possible.

    A repeat has a number of its own, so that the store has both.
    """
    spoilt = dict(_group_busy_runs(runs, parts.request.stability_runs))
    if not spoilt:
        return list(runs)
    quiet: dict[RunKey, Sequence[Run]] = {}
    missing: dict[RunKey, Sequence[Trial]] = {}
    for key, processes in spoilt.items():
        earlier, trials = _next_repeat([run.trial for run in processes], parts)
        if earlier:
            quiet[key] = earlier
        else:
            missing[key] = trials
    repeats = _choose_affordable(missing, parts)
    if repeats and _becomes_quiet(_choose_wait_limit(runs, parts), parts):
        for key, trials in repeats.items():
            trial_runs = measure_trials(
                "runs of the suite again, as the machine was busy", trials, parts
            )
            if _is_quiet(trial_runs, len(trials)):
                quiet[key] = trial_runs
            elif trial_runs:
                break  # the machine is busy again
    return [
        trial_run
        for run in runs
        for trial_run in quiet.get(_make_run_key(run), (run,))
        if _is_same_fork(trial_run, run)
    ]


def _becomes_quiet(seconds: float, parts: StudyContext) -> bool:
    parts.observer.phase_started("waiting for a quiet machine", 0, seconds)
    return parts.becomes_quiet(seconds)


def _group_busy_runs(runs: Sequence[Run], run_count: int) -> Iterator[tuple[RunKey, Sequence[Run]]]:
    by_benchmark: dict[str, list[Run]] = {}
    for run in runs:
        by_benchmark.setdefault(_make_run_key(run)[0], []).append(run)
    for name, benchmark_runs in by_benchmark.items():
        for number in find_busy_runs(benchmark_runs, run_count):
            yield (name, number), [run for run in benchmark_runs if run.trial.repetition == number]


def _next_repeat(
    trials: Sequence[Trial], parts: StudyContext
) -> tuple[Sequence[Run], Sequence[Trial]]:
    """Return the processes of an earlier repeat that was quiet, else the trials of the next one."""
    for times in count(1):
        later = [
            replace(trial, repetition=trial.repetition + times * REPEAT_OFFSET) for trial in trials
        ]
        stored_trials = [trial for trial in later if parts.store.find_run(trial) is not None]
        runs = (
            measure_trials("runs of the suite again", stored_trials, parts) if stored_trials else []
        )
        if _is_quiet(runs, len(later)):
            return runs, ()
        if len(runs) < len(later):
            return (), later
    raise AssertionError  # the store has no end of runs


def _choose_affordable(
    trials: Mapping[RunKey, Sequence[Trial]], parts: StudyContext
) -> dict[RunKey, Sequence[Trial]]:
    """Return what may be run again: all without a budget, nothing in a rehearsal."""
    deadline = parts.deadline
    if deadline is None:
        return dict(trials)
    left, affordable = REPEATS_PART * deadline.seconds_left, {}
    for key, repeat_trials in trials.items():
        left -= sum(map(deadline.times.estimate_seconds, repeat_trials))
        if left < 0 or deadline.prevented:
            break
        affordable[key] = repeat_trials
    return affordable


def _choose_wait_limit(runs: Iterable[Run], parts: StudyContext) -> float:
    """Return how many seconds to wait for a quiet machine at most."""
    limits = [LONGEST_WAIT, WAIT_PART * sum(run.seconds for run in runs)]
    if parts.deadline is not None:
        limits.append(BUDGET_PART * parts.deadline.seconds_left)
    return min(limits)


def _is_quiet(runs: Sequence[Run], processes: int) -> bool:
    strain = HostInterference.combine_processes((run.seconds, run.strain) for run in runs)
    measured = all(isinstance(run.outcome, Measured) for run in runs)
    return len(runs) == processes and measured and not is_busy(strain)


def _make_run_key(run: Run) -> RunKey:
    return (run.trial.benchmark.id if run.trial.benchmark else "", run.trial.repetition)


def _is_same_fork(repeat: Run, run: Run) -> bool:
    """Tell whether a process of the repeat of a run replaces this process: they are one fork."""
    return repeat.trial.fork == run.trial.fork
