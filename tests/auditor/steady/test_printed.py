"""Processes that run elsewhere, judged by what is printed of them."""

import numpy as np
import pytest

from auditor.core.series.printed import PrintedIterations
from auditor.core.stop_rules import Criterion, StoppingRule
from auditor.steady.judge import ProcessStreams
from auditor.warmup.scorers.files import load_shipped_model
from auditor.warmup.stop_rules import WatcherFactory
from auditor.warmup.validity import FALLBACK


def printed(seconds, *, fork=1, lasts=1.0, harness="jmh", run=1):
    return PrintedIterations(
        harness=harness,
        benchmark="B",
        fork=fork,
        seconds=seconds,
        lasts=lasts,
        warmups=50,
        warmup_seconds=2.0,
        run=run,
    )


def streams(method=Criterion.COV, model=None):
    return ProcessStreams(
        StoppingRule(method=method, measured=1, seconds=1.0, model=model), WatcherFactory(), 1
    )


def test_it_is_told_once_when_a_process_is_warm():
    values = 1e-6 * (1 + 0.001 * np.random.default_rng(1).standard_normal(20))
    looking = streams()

    reports = [looking.observe_iteration(printed(float(value))) for value in values]

    (warm_process,) = [report for report in reports if report is not None]
    assert (warm_process.benchmark, warm_process.fork) == ("B", 1)
    assert reports.index(warm_process) + 1 >= warm_process.warm > 0
    assert warm_process.warm_seconds == warm_process.warm
    assert warm_process.warmup_seconds == 100.0  # as it is told, however much of it was seen
    assert len(warm_process.lasted) == 20
    assert [*looking.watched_processes] == [warm_process]


def test_each_fork_is_looked_at_by_itself():
    looking = streams()
    for index in range(20):
        looking.observe_iteration(printed(1e-6, fork=1))
        looking.observe_iteration(printed(1e-6 * 2.0**-index, fork=2))

    steady, falling = looking.watched_processes
    assert steady.warm is not None
    assert falling.warm is None


def test_it_is_told_since_when_a_process_was_steady_where_the_rule_says():
    values = 1e-6 * np.exp(0.01 * np.random.default_rng(3).standard_normal(400))
    values[:60] *= 3
    looking = streams(Criterion.LEARNED, load_shipped_model(Criterion.LEARNED).digest)
    cov_streams = streams(Criterion.COV)

    for value in values:
        looking.observe_iteration(printed(float(value), lasts=0.1))
        cov_streams.observe_iteration(printed(float(value)))

    (learned_process,), (cov_process,) = looking.watched_processes, cov_streams.watched_processes
    assert learned_process.since == 61 <= learned_process.warm
    assert cov_process.warm is not None
    assert cov_process.since is None


def test_a_model_looks_at_what_it_has_learned_from_only():
    digest = load_shipped_model(Criterion.LEARNED).digest
    looking = streams(Criterion.LEARNED, digest)
    for _ in range(3):
        looking.observe_iteration(printed(1e-6, fork=1, lasts=0.1))
        looking.observe_iteration(printed(1e-6, fork=2, lasts=1.0))
        looking.observe_iteration(printed(1e-6, fork=3, lasts=0.1, harness="go"))

    learned, longer, go = (process.watch for process in looking.watched_processes)
    assert (learned.method, longer.method, go.method) == (Criterion.LEARNED, FALLBACK, FALLBACK)


@pytest.mark.parametrize("seconds", [0.0, -1.0, np.inf, np.nan])
def test_what_is_no_time_is_left_out_and_counted(seconds):
    looking = streams(Criterion.LEARNED, load_shipped_model(Criterion.LEARNED).digest)

    assert looking.observe_iteration(printed(seconds, lasts=0.1)) is None
    assert looking.observe_iteration(printed(1e-6, lasts=seconds)) is None

    assert (looking.left_out, [*looking.watched_processes]) == (2, [])


def test_iterations_of_another_length_are_left_to_a_rule_from_the_start_on():
    looking = streams(Criterion.LEARNED, load_shipped_model(Criterion.LEARNED).digest)
    for _ in range(20):
        looking.observe_iteration(printed(1e-6, lasts=0.1))
    (process,) = looking.watched_processes
    assert process.watch.method is Criterion.LEARNED

    for _ in range(20):
        looking.observe_iteration(printed(1e-6, lasts=1.0))

    assert process.watch.method is FALLBACK
    # The rule takes a second of iterations together, and five of them: those of before count.
    assert process.warm == 23
    assert len(process.lasted) == 40


def test_a_second_run_is_another_process():
    looking = streams()
    for run in (1, 1, 2):
        looking.observe_iteration(printed(1e-6, run=run))

    assert [(process.run, len(process.lasted)) for process in looking.watched_processes] == [
        (1, 2),
        (2, 1),
    ]
