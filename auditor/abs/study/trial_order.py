"""In which order the processes of a run are made."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from auditor.abs.study.pair import PairKey
from auditor.core.plan import Purpose, Trial
from auditor.core.suite import Benchmark
from auditor.measure import schedules
from auditor.measure.context import StudyContext
from auditor.measure.suite_runs import SuiteBaseline

Process = tuple[PairKey | None, Trial]
"""A process of a pair; without a key one of the unchanged suite."""


def shuffle_groups(groups: Sequence[Sequence[Process]], seed: Sequence[int]) -> list[Process]:
    """Return groups of processes that follow each other, the order of the groups drawn."""
    order = np.random.default_rng(seed).permutation(len(groups))
    return [process for index in order for process in groups[index]]


def interleave_processes(processes: Iterable[Process], seed: Sequence[int]) -> list[Process]:
    """Return processes benchmark by benchmark, their order drawn, as that of the benchmarks.

    So what is slowed and what is not are measured near each other, and neither sooner on the whole:
    a machine that becomes slower makes the one no slower than the other.
    """
    groups: dict[Benchmark | None, list[list[Process]]] = {}
    for process in processes:
        groups.setdefault(process[1].benchmark, []).append([process])
    return shuffle_groups(
        [shuffle_groups(group, (*seed, place)) for place, group in enumerate(groups.values())],
        seed,
    )


def make_interleaved_baseline(
    parts: StudyContext, baseline: SuiteBaseline, benchmarks: Iterable[Benchmark], repetition: int
) -> list[Process]:
    """Return the processes of a run of the unchanged suite, for beside those slowed."""
    return [
        (
            None,
            replace(
                _make_plain_trial(parts, baseline, benchmark), repetition=repetition, fork=fork
            ),
        )
        for benchmark in benchmarks
        for fork in range(1, parts.request.plan.forks + 1)
    ]


def _make_plain_trial(parts: StudyContext, baseline: SuiteBaseline, benchmark: Benchmark) -> Trial:
    schedule = schedules.make_plain_schedule(
        baseline.plans[benchmark.id], baseline.operations[benchmark.id]
    )
    return parts.make_trial(Purpose.REFERENCE, benchmark, schedule)
