"""Benchmarks watched from the start of their processes on, in a language that is in memory only."""

from dataclasses import replace

import pytest
import toy_language
from builders import crashed
from toy_language import Machine, Memory, parts, request

from auditor.core.errors import NoBenchmarks, OutOfTime
from auditor.core.outcome import Skipped
from auditor.core.plan import Purpose, Run
from auditor.core.request import SeriesRequest
from auditor.core.schedule import Phase
from auditor.core.suite import Benchmark, IterationSettings
from auditor.measure import own_series
from auditor.series.study import collect_series, make_schedule, measure_processes, preview_series

SERIES_REQUEST = SeriesRequest(iterations=40, iteration_seconds=0.01, forks=2, least=20)
AUTHOR_SETTINGS = IterationSettings(
    warmup_iterations=3,
    warmup_seconds=2.0,
    measurement_iterations=4,
    measurement_seconds=2.0,
    forks=5,
)
BENCHMARK = Benchmark(group="toy", name="one", configured=AUTHOR_SETTINGS)


class Failing(Machine):
    """Has benchmarks that fail."""

    def _outcome(self, trial):
        return self.outcomes.get(trial.benchmark.name) or super()._outcome(trial)


def failing(**outcomes):
    machine = Failing()
    machine.outcomes = outcomes
    return machine


def of_purpose(runs, purpose):
    return [run.trial for run in runs if run.trial.purpose is purpose]


def test_each_process_begins_cold_and_goes_on_for_long():
    machine = Machine()
    runs = measure_processes(SERIES_REQUEST, parts(request(), machine=machine))

    assert len(of_purpose([*map(as_run, machine.ended_trials)], Purpose.PILOT)) == 3
    assert {(trial.benchmark.name, trial.fork) for trial in of_purpose(runs, Purpose.STEADY)} == {
        (name, fork) for name in toy_language.BENCHMARKS for fork in (1, 2)
    }
    for run in runs:
        assert [block.phase for block in run.trial.schedule.blocks] == [Phase.MEASUREMENT] * 40
        assert (run.trial.schedule.seconds, run.trial.schedule.operations) == (0.01, 100)
        assert run.trial.repetition == 1


def as_run(trial):
    return Run(trial=trial, host=toy_language.HOST, outcome=Skipped(""), started="", seconds=1.0)


def test_the_first_processes_of_all_come_before_the_second_of_any():
    machine = Machine()
    measure_processes(SERIES_REQUEST, parts(request(), machine=machine))

    assert [trial.fork for trial in machine.ended_trials] == [1, 1, 1, 1, 1, 1, 2, 2, 2]


def test_what_is_known_is_not_run_again():
    memory = Memory()
    first = measure_processes(SERIES_REQUEST, parts(request(), store=memory))
    second_machine = Machine()

    assert (
        measure_processes(SERIES_REQUEST, parts(request(), store=memory, machine=second_machine))
        == first
    )
    assert second_machine.ended_trials == []


@pytest.mark.parametrize(
    ("seconds", "iterations"),
    [
        (None, 40),
        (0.001, 40),
        # operations of a whole block, and of one and a half: as long as planned
        (0.01, 40),
        (0.012, 40),
        (0.015, 26),
        # so long that only the least are done: twice, ten times as long as planned
        (0.04, 20),
        (0.2, 20),
        # the least would take still longer, so there is nothing to gain
        (0.4, 1),
        (40.0, 1),
    ],
)
def test_of_long_operations_there_are_fewer(seconds, iterations):
    result = make_schedule(Benchmark(group="toy", name="one"), SERIES_REQUEST, None, seconds)

    assert len(result.blocks) == iterations


def test_as_many_iterations_are_made_as_were_asked_for():
    series_request = replace(SERIES_REQUEST, iterations=2000, iteration_seconds=0.07)
    result = make_schedule(Benchmark(group="toy", name="one"), series_request, None, 0.001)

    assert len(result.blocks) == 2000


def test_a_long_operation_gets_a_longer_time_out(monkeypatch):
    monkeypatch.setattr(toy_language, "PLAIN_SECONDS", 0.05)
    machine = Machine()
    measure_processes(SERIES_REQUEST, parts(request(), machine=machine))

    pilot, *_, last = machine.ended_trials
    assert pilot.timeout_seconds == pytest.approx(10 + 10 * 2 * 0.01)
    # twenty blocks of two operations
    assert last.timeout_seconds == pytest.approx(10 + 10 * 20 * 0.01 + 10 * 20 * 0.1, rel=0.05)


@pytest.mark.parametrize(
    "fixed_benchmark",
    [
        replace(BENCHMARK, block_seconds=2.0),
        replace(
            BENCHMARK,
            configured=replace(AUTHOR_SETTINGS, warmup_seconds=0.0, measurement_seconds=0.0),
        ),
    ],
)
def test_where_an_iteration_cannot_be_changed_all_is_done_as_written(fixed_benchmark):
    result = make_schedule(fixed_benchmark, SERIES_REQUEST, None, None)
    phases = [block.phase for block in result.blocks]

    assert phases == [Phase.WARMUP] * 3 + [Phase.MEASUREMENT] * 4
    assert result.seconds == (fixed_benchmark.block_seconds or 0.1)


def test_one_that_fails_is_in_the_result_and_is_not_tried_again():
    machine = failing(quick=Skipped("not today"))
    runs = measure_processes(SERIES_REQUEST, parts(request(), machine=machine))
    results = own_series.build_stored_results(runs, harness="toy", digest="d")

    assert sum(trial.benchmark.name == "quick" for trial in machine.ended_trials) == 1
    (run,) = results.runs
    assert {name: len(processes) for name, processes in run.processes.items()} == {
        "toy.quick": 1,
        "toy.short": 2,
        "toy.long": 2,
    }
    assert run.processes["toy.quick"][0].failure == Skipped("not today")


def test_where_all_fail_the_first_is_said():
    machine = failing(**dict.fromkeys(toy_language.BENCHMARKS, crashed()))

    with pytest.raises(NoBenchmarks, match=r"every benchmark fails; the first: toy\.short: "):
        measure_processes(SERIES_REQUEST, parts(request(), machine=machine))


def test_a_budget_that_is_used_up_leaves_what_was_seen():
    audit_request = request(suite=replace(request().suite, budget_seconds=5.0))
    audit_parts = parts(audit_request)
    runs = measure_processes(SERIES_REQUEST, audit_parts)

    assert len(runs) < 6
    assert [caveat.slug for caveat in audit_parts.budget_caveats] == ["budget"]
    with pytest.raises(NoBenchmarks, match="the budget was used up before"):
        measure_processes(
            SERIES_REQUEST, parts(request(suite=replace(request().suite, budget_seconds=0.1)))
        )


def test_it_is_said_beforehand_what_would_run():
    memory = Memory()
    before = preview_series(SERIES_REQUEST, parts(request(), store=memory)).phases
    measure_processes(replace(SERIES_REQUEST, forks=1), parts(request(), store=memory))
    after = preview_series(SERIES_REQUEST, parts(request(), store=memory)).phases

    assert [(phase.name, phase.trials, phase.stored_count) for phase in before] == [
        ("pilot", 3, 0),
        ("processes (about)", 6, 0),
    ]
    assert before[1].seconds == pytest.approx(6 * (0.5 + 40 * 0.01))
    assert [(phase.name, phase.trials, phase.stored_count) for phase in after] == [
        ("pilot", 3, 3),
        ("processes", 6, 3),
    ]


def test_runs_become_results_by_repetition_and_fork():
    runs = measure_processes(SERIES_REQUEST, parts(request()))
    later = [replace(run, trial=replace(run.trial, repetition=2), revision="r2") for run in runs]

    results = own_series.build_stored_results(
        [*later, *reversed(runs)], harness="toy", digest="d", settings={"toy.long": AUTHOR_SETTINGS}
    )

    first, second = results.runs
    assert (results.harness, results.digest, first.name, second.commit) == (
        "toy",
        "d",
        "run 1",
        "r2",
    )
    of_long = first.processes["toy.long"]
    values_by_fork = {
        run.trial.fork: run.outcome.series[0].values
        for run in runs
        if run.trial.benchmark.name == "long"
    }
    assert [process.seconds for process in of_long] == [values_by_fork[1], values_by_fork[2]]
    assert {
        (process.warmups, process.iteration_seconds, process.configured) for process in of_long
    } == {((), 0.01, AUTHOR_SETTINGS)}
    assert first.processes["toy.short"][0].configured is None


def test_processes_with_a_warm_up_of_their_own_are_not_mapped():
    audit_parts = parts(request())
    audit_parts = replace(
        audit_parts,
        suite=replace(audit_parts.suite, benchmarks=(replace(BENCHMARK, block_seconds=2.0),)),
    )

    results = own_series.build_stored_results(
        measure_processes(SERIES_REQUEST, audit_parts),
        harness="toy",
        digest="d",
        settings=own_series.collect_iteration_settings(audit_parts.suite),
    )

    process, _ = results.runs[0].processes["toy.one"]
    assert (len(process.warmups), len(process.seconds), process.configured) == (3, 4, None)


def test_the_time_that_runs_out_in_a_process_is_no_result():
    with pytest.raises(OutOfTime):
        measure_processes(SERIES_REQUEST, parts(request(), machine=Machine(cut=2)))


def test_what_cannot_be_listed_has_failed_and_what_was_left_out_is_said():
    audit_parts = parts(request(suite=replace(request().suite, benchmarks="short|broken")))
    suite = replace(audit_parts.suite, unusable=(("toy.broken", "it does not compile"),))

    results = collect_series(SERIES_REQUEST, replace(audit_parts, suite=suite))

    (run,) = results.runs
    assert list(run.processes) == ["toy.short", "toy.broken"]
    assert run.processes["toy.broken"][0].failure.reason == "it does not compile"
    assert [caveat.slug for caveat in results.caveats] == ["filtered"]


def test_how_many_operations_a_block_has_is_kept_and_single_shots_are_calls():
    single = replace(AUTHOR_SETTINGS, warmup_seconds=0.0, measurement_seconds=0.0)
    runs = measure_processes(SERIES_REQUEST, parts(request()))

    results = own_series.build_stored_results(
        runs, harness="toy", digest="d", settings={"toy.long": single}
    )

    (run,) = results.runs
    block_facts = {
        name: (process.operations, process.iteration_seconds)
        for name, (process, _) in run.processes.items()
    }
    assert block_facts == {
        "toy.short": (100, 0.01),
        "toy.quick": (100, 0.01),
        "toy.long": (1, None),
    }
