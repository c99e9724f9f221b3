"""When are the benchmarks of stored results warm? Each process is judged; on all cores."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from auditor.core.caveats import Caveat
from auditor.core.series.steady import (
    BenchmarkSteadiness,
    SeriesSteadiness,
    SteadyLabel,
    SuiteSteadiness,
)
from auditor.core.series.stored import StoredProcess, StoredResults
from auditor.series.stored import list_result_caveats as of_results
from auditor.warmup.detector import Detector
from auditor.warmup.judging import judge_process
from auditor.warmup.needed import needed_warmup

_MORE = {"jmh": "; with -wi 0 -i 3000 -r 100ms -f 10 JMH itself prints or (-rf json) keeps more"}
_LOG = {"jmh": "; for JMH give its log"}
_FEW = 20
"""Up to so many series no other process is worth its start."""


@dataclass(frozen=True, slots=True)
class _BenchmarkTask:
    name: str
    processes: tuple[tuple[int, int, StoredProcess], ...]


def judge_suite(
    results: StoredResults, detector: Detector, report_progress: Callable[[int, int], None]
) -> SuiteSteadiness:
    """Judge all processes; `report_progress` gets the number of judged benchmarks, and of all."""
    tasks = [_make_task(name, results) for name in results.benchmark_names]
    judged = []
    for number, benchmark in enumerate(_judge_tasks(tasks, detector), start=1):
        report_progress(number, len(tasks))
        judged.append(benchmark)
    return SuiteSteadiness(
        detector=detector.name,
        benchmarks=tuple(judged),
        caveats=tuple(_list_caveats(results, judged)),
    )


def _make_task(name: str, results: StoredResults) -> _BenchmarkTask:
    return _BenchmarkTask(
        name,
        tuple(
            (run, fork, process)
            for run, stored_run in enumerate(results.runs)
            for fork, process in enumerate(stored_run.processes.get(name, ()))
        ),
    )


def _judge_tasks(tasks: list[_BenchmarkTask], detector: Detector) -> Iterator[BenchmarkSteadiness]:
    cores = min(os.cpu_count() or 1, len(tasks))
    if cores < 2 or sum(len(task.processes) for task in tasks) <= _FEW:
        yield from (_judge_benchmark(task, detector) for task in tasks)
        return
    # A fork would take over threads that draw on the terminal.
    pool = ProcessPoolExecutor(cores, mp_context=get_context("spawn"))
    try:
        waiting: list[Future[BenchmarkSteadiness]] = [
            pool.submit(_judge_benchmark, task, detector) for task in tasks
        ]
        yield from (future.result() for future in waiting)
    finally:
        pool.shutdown(cancel_futures=True)


def _judge_benchmark(task: _BenchmarkTask, detector: Detector) -> BenchmarkSteadiness:
    lasting = {process.iteration_seconds for _, _, process in task.processes}
    judged = [
        (process, judge_process(process, detector, (run, fork)))
        for run, fork, process in task.processes
    ]
    is_warmup_lost = any(process.is_warmup_kept is False for process, _ in judged)
    return BenchmarkSteadiness(
        id=task.name,
        series=tuple(series for _, series in judged),
        iteration_seconds=lasting.pop() if len(lasting) == 1 else None,
        needed=None if is_warmup_lost else needed_warmup(judged),
        has_unkept_warmup=is_warmup_lost,
    )


def _list_caveats(
    results: StoredResults, benchmarks: list[BenchmarkSteadiness]
) -> Iterator[Caveat]:
    yield from of_results(results)
    series = [steadiness for benchmark in benchmarks for steadiness in benchmark.series]
    processes = [
        process
        for run in results.runs
        for run_processes in run.processes.values()
        for process in run_processes
    ]
    if text := _describe_missing_warmup(processes):
        yield Caveat("warm-up-unknown", f"{text}{_LOG.get(results.harness, '')}")
    if series and all(
        "series-short" in {caveat.slug for caveat in steadiness.caveats} for steadiness in series
    ):
        yield Caveat(
            "series-short",
            f"no process has enough iterations to be judged{_MORE.get(results.harness, '')}",
        )
    yield from _of_all(
        [steadiness for steadiness in series if steadiness.label is not SteadyLabel.UNKNOWN]
    )
    if series and len(series) == len(benchmarks):
        text = (
            "each benchmark has one process, so how processes differ is unknown; give more results"
        )
        yield Caveat("one-fork", text)
    lengths = {steadiness.iterations for steadiness in series if steadiness.iterations}
    if len(lengths) > 1:
        text = f"processes have between {min(lengths)} and {max(lengths)} iterations"
        yield Caveat("series-unequal", text)


def _describe_missing_warmup(processes: Sequence[StoredProcess]) -> str:
    """Return what the results lack of the warm-up; empty where they have all, or none was run."""
    if unkept_count := sum(process.is_warmup_kept is False for process in processes):
        processes_text = "process" if len(processes) == 1 else "processes"
        return (
            f"the warm-up of {unkept_count} of {len(processes)} {processes_text} was run but not "
            "kept, so iterations count from its end, and no warm-up is proposed"
        )
    if any(process.is_warmup_kept or process.configured for process in processes):
        return ""
    return "the warm-up iterations are unknown, so the configured warm-up cannot be checked"


def _of_all(series: list[SeriesSteadiness]) -> tuple[Caveat, ...]:
    """Return the caveats that all processes share that were judged."""
    shared = set.intersection(*({*steadiness.caveats} for steadiness in series)) if series else ()
    return tuple(sorted(shared))
