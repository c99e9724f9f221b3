"""Suites whose processes end when they are warm, in a language that is in memory only."""

from dataclasses import replace

import pytest
from builders import run, series
from toy_language import BENCHMARKS, Machine, Memory, parts, request

from auditor.abs.study import abs_audit
from auditor.compare.model import PerformanceChange
from auditor.compare.study import ComparisonStudy
from auditor.core.caveats import Caveat
from auditor.core.outcome import Measured
from auditor.core.plan import REPEAT_OFFSET, Purpose
from auditor.core.request import CompareRequest, WatchRequest
from auditor.core.schedule import ArmName, Phase
from auditor.core.stop_rules import Criterion, StoppingRule, WarmupResult
from auditor.core.suite import Benchmark, IterationSettings
from auditor.core.values import OPERATIONS, TIME, Series
from auditor.measure import schedules, stability_study
from auditor.measure import warmup_results as watched
from auditor.measure.block_sizes import BlockSizes
from auditor.measure.suite_runs import run_baseline
from auditor.measure.warmup_runs import adapt_warmup, make_suite_trials

WARM = 5
"""Iterations of 5 ms that a process of the toy needs."""


class Warming(Machine):
    """Ends what is watched as a real host would."""

    warm = WARM

    def _outcome(self, trial):
        outcome = super()._outcome(trial)
        if trial.watch is None:
            return outcome
        warmed = WarmupResult(
            method=trial.watch.method, warm=self.warm, enough=self.warm is not None
        )
        return outcome.split_warmup(warmed, trial.watch.measured)


def watched_request(width=None, forks=1, runs=2, method=Criterion.RCIW, *, length=0.1, lasting=0.0):
    watch = StoppingRule(method=method, measured=10, seconds=60.0, width=width, model="digest")
    base_request = request(methods=("hop",))
    suite = replace(
        base_request.suite,
        plan=replace(base_request.suite.plan, forks=forks),
        stability_runs=runs,
        watched=WatchRequest(
            watch=watch, iterations=40, iteration_seconds=length, measured_seconds=lasting
        ),
    )
    return replace(base_request, suite=suite)


def trials_of(machine, purpose):
    return [trial for trial in machine.ended_trials if trial.purpose is purpose]


def by_run(machine):
    """Return the forks that each run of a benchmark has."""
    forks_by_run = {}
    for trial in trials_of(machine, Purpose.SUITE):
        forks_by_run.setdefault((trial.benchmark.name, trial.repetition), []).append(trial.fork)
    return forks_by_run


def warm_ups(trials):
    return {sum(block.phase is Phase.WARMUP for block in trial.schedule.blocks) for trial in trials}


def test_watched_processes_are_no_pilots_for_each_other():
    """Their blocks last as asked for where the harness does not fix the number of operations."""
    machine = Warming()
    audit_parts = parts(watched_request(), machine=machine)

    stability_study.audit_stability(replace(audit_parts, fixed_operations=False))

    suite = trials_of(machine, Purpose.SUITE)
    assert len(suite) == 2 * len(BENCHMARKS)
    assert {trial.schedule.operations for trial in suite} == {None}


def test_no_more_forks_are_run_than_are_worth_it():
    machine = Warming()

    verdict = stability_study.audit_stability(
        parts(watched_request(width=0.05, forks=5), machine=machine)
    )

    runs = by_run(machine)
    assert {name: runs[name, 1] for name in BENCHMARKS} == {
        name: runs[name, 2] for name in BENCHMARKS
    }
    assert all(2 <= len(forks) < 5 for forks in runs.values())
    (text,) = [caveat.text for caveat in verdict.caveats if caveat.slug == "fewer-forks"]
    assert text.startswith("3 of 3 benchmarks have fewer than 5 forks")
    assert all(benchmark.max_spread is not None for benchmark in verdict.benchmarks)


def test_fewer_forks_of_a_run_that_was_made_again_are_said_as_well():
    suite = watched_request(width=0.05, forks=5)
    runs = run_baseline(parts(suite, machine=Warming())).runs
    repeated_runs = [
        replace(run, trial=replace(run.trial, repetition=run.trial.repetition + REPEAT_OFFSET))
        for run in runs
    ]

    (caveat,) = watched.describe_watching(suite.suite, runs)
    assert [*watched.describe_watching(suite.suite, repeated_runs)] == [caveat]


@pytest.mark.parametrize("width", [None, 1e-6])
def test_all_forks_are_run_where_nobody_asks_or_they_differ_too_much(width):
    machine = Warming()

    verdict = stability_study.audit_stability(
        parts(watched_request(width=width, forks=4), machine=machine)
    )

    assert set(map(len, by_run(machine).values())) == {4}
    assert "fewer-forks" not in [caveat.slug for caveat in verdict.caveats]


@pytest.mark.parametrize(
    ("method", "harness", "length", "seconds"),
    [
        (Criterion.LEARNED, "go", None, 0.03),
        (Criterion.LEARNED, "jmh", None, 0.1),
        (Criterion.RCIW, "go", None, 0.1),
        (Criterion.LEARNED, "go", 0.05, 0.05),
    ],
)
def test_iterations_last_as_long_as_is_said_or_as_the_method_knows_them(
    method, harness, length, seconds
):
    suite_request = watched_request(method=method, length=length).suite

    plan = schedules.plan_watched(
        suite_request.watched, suite_request.plan, Benchmark(group="b", name="b"), harness
    )

    assert (plan.iteration_seconds, plan.warmup, plan.iterations) == (seconds, 0, 40)


def test_iterations_whose_length_has_to_be_kept_keep_it():
    suite_request = watched_request(method=Criterion.LEARNED, length=None).suite
    fixed_benchmark = Benchmark(group="b", name="b", block_seconds=3.0)

    assert (
        schedules.plan_watched(
            suite_request.watched, suite_request.plan, fixed_benchmark, "go"
        ).iteration_seconds
        == 3.0
    )


@pytest.mark.parametrize(
    ("length", "lasting", "measured"),
    [
        (0.1, 0.0, 10),
        (0.1, 1.5, 15),
        (0.1, 0.5, 10),  # as many as were asked for, however short that is
        (0.01, 2.0, 20),  # half of the 40 at most
        (2.5, 50.0, 12),  # and half of the minute
        (15.0, 2.0, 2),  # where that is less than are usual, too
        (15.0, 0.0, 10),  # but not where somebody says how many
    ],
)
def test_as_many_are_measured_as_last_so_long(length, lasting, measured):
    machine = Warming()

    stability_study.audit_stability(
        parts(watched_request(length=length, lasting=lasting), machine=machine)
    )

    trials = trials_of(machine, Purpose.SUITE)
    assert {trial.watch.measured for trial in trials} == {measured}


def test_what_is_compared_warms_up_as_long_as_watched_processes_did():
    machine = Warming()

    verdict = abs_audit.audit_suite(watched_request(), parts(watched_request(), machine=machine))

    # 25 ms, in blocks of 10.
    assert warm_ups(trials_of(machine, Purpose.SUITE)) == {0}
    assert warm_ups(trials_of(machine, Purpose.PAIRS)) == {3}
    assert warm_ups(trials_of(machine, Purpose.REFERENCE)) == {3}
    assert [benchmark.caveats for benchmark in verdict.stability.benchmarks] == [
        (Caveat("warm-after", "warm after 5, 5 iterations by rciw, median 0.025 s"),)
    ] * 3


class Lasting(Warming):
    """Has operations of so many seconds, as many in a block as are asked for."""

    seconds = 0.03

    def _outcome(self, trial):
        outcome = super()._outcome(trial)
        if not isinstance(outcome, Measured):
            return outcome
        many = trial.schedule.operations or 1
        return replace(
            outcome, series=tuple(self._lasting(values, many) for values in outcome.series)
        )

    def _lasting(self, plain_series, many):
        values = {TIME: self.seconds, OPERATIONS: many}
        if plain_series.metric not in values:
            return plain_series
        block_values = [
            (place, values[plain_series.metric]) for place in plain_series.block_positions
        ]
        return Series.from_values(
            plain_series.metric,
            plain_series.unit,
            plain_series.arm,
            plain_series.phase,
            block_values,
        )


@pytest.mark.parametrize(("method", "looks"), [(Criterion.RCIW, 5), (Criterion.COV, 5)])
def test_blocks_that_outlast_their_time_are_as_many_as_last_as_long(method, looks):
    """Operations of 30 ms in each, watched (100 ms: three of them) and paired (10 ms: one)."""
    machine = Lasting()
    audit_request = replace(
        watched_request(method=method), methods=("hop",), slowdown=0.6, exact=True
    )

    abs_audit.audit_suite(audit_request, parts(audit_request, machine=machine))

    suite = trials_of(machine, Purpose.SUITE)
    assert {trial.schedule.operations for trial in suite} == {3}
    # 5 blocks of 90 ms, in blocks of 30 instead of 10.
    assert warm_ups(trials_of(machine, Purpose.REFERENCE)) | warm_ups(
        trials_of(machine, Purpose.PAIRS)
    ) == {3 * looks}
    pairs = trials_of(machine, Purpose.PAIRS)
    assert min(pair.timeout_seconds for pair in pairs) > 2 * 60.0


def test_what_was_not_seen_warm_warms_up_as_planned():
    machine = Warming()
    machine.warm = None

    abs_audit.audit_suite(watched_request(), parts(watched_request(), machine=machine))

    assert warm_ups(trials_of(machine, Purpose.PAIRS)) == {request().suite.plan.warmup}


def single(name="s"):
    once = IterationSettings(
        warmup_iterations=5, warmup_seconds=0, measurement_iterations=5, measurement_seconds=0
    )
    return Benchmark(group="toy", name=name, configured=once)


@pytest.mark.parametrize(
    ("benchmark", "lasts", "method"),
    [
        (Benchmark(group="toy", name="s"), None, Criterion.LEARNED),
        (Benchmark(group="toy", name="s"), 0.033, Criterion.LEARNED),
        (Benchmark(group="toy", name="s"), 0.06, Criterion.RCIW),
        (single(), None, Criterion.RCIW),
    ],
)
def test_a_model_is_asked_by_how_long_iterations_really_last(benchmark, lasts, method):
    """`learned` knows Go's of 30 ms; of an operation of 30 ms there are two in each."""
    audit_request = watched_request(method=Criterion.LEARNED, length=None)
    audit_parts = parts(audit_request)
    audit_parts = replace(audit_parts, project=replace(audit_parts.project, harness="go"))
    pilot_series = (series([(lasts or 0.01) / 2]), series([100.0], metric=OPERATIONS))
    pilot = run(Measured(pilot_series), purpose=Purpose.PILOT, of_benchmark=benchmark)
    tried = (pilot,) if lasts else ()
    size = BlockSizes({benchmark.id: audit_request.suite.plan}, {benchmark.id: None}, tried)

    trial = make_suite_trials([benchmark], size, audit_parts)[benchmark.id]

    assert trial.schedule.seconds == 0.03
    assert trial.watch.method is method


def blocks(lasts, operations):
    """Return a process of 40 blocks, 20 of which were its warm-up."""
    block_series = [
        Series.from_values(
            metric, unit, ArmName.PLAIN, Phase.MEASUREMENT, [(index, value) for index in range(40)]
        )
        for metric, unit, value in (
            (TIME, "s/op", lasts / operations),
            (OPERATIONS, "op", operations),
        )
    ]
    warm = WarmupResult(method=Criterion.RCIW, warm=20, enough=True)
    return Measured(tuple(block_series)).split_warmup(warm, 20)


@pytest.mark.parametrize(
    ("lasts", "operations", "threads", "blocks_of_warmup"),
    [
        (0.0497, 1000, 1, 100),  # cut to fit: a second in blocks of 10 ms
        (0.08, 2, 1, 40),  # of 40 ms each
        (0.08, 4, 2, 40),  # by two threads
        (1.05, 1000, 1, 22),  # one call of a thousand, as long as what is beyond the planned 50 ms
    ],
)
def test_where_operations_are_not_fixed_a_block_lasts_as_long_as_a_call(
    lasts, operations, threads, blocks_of_warmup
):
    benchmark = Benchmark(group="toy", name="s", threads=threads)
    plan = request().suite.plan

    result = adapt_warmup(
        {benchmark.id: plan},
        {benchmark.id: None},
        [run(blocks(lasts, operations), of_benchmark=benchmark)],
    )

    assert result[benchmark.id].warmup == blocks_of_warmup


def test_calibrations_run_beside_others_whatever_the_warm_up():
    machine = Warming()

    abs_audit.audit_suite(watched_request(), parts(watched_request(), machine=machine))

    assert {trial.rough for trial in trials_of(machine, Purpose.CALIBRATION)} == {True}


def test_single_shots_warm_up_for_as_many_calls():
    plan = request().suite.plan
    shot_benchmark = single()

    result = adapt_warmup(
        {shot_benchmark.id: plan},
        {shot_benchmark.id: None},
        [run(blocks(5e-6, 1), of_benchmark=shot_benchmark)],
    )

    assert result[shot_benchmark.id].warmup == 20


def test_a_model_that_has_not_learned_of_such_processes_is_not_asked():
    machine = Warming()

    verdict = stability_study.audit_stability(
        parts(watched_request(method=Criterion.LEARNED), machine=machine)
    )

    watches = {trial.watch for trial in trials_of(machine, Purpose.SUITE)}
    assert [(watch.method, watch.model) for watch in watches] == [(Criterion.RCIW, None)]
    assert [caveat.slug for caveat in verdict.caveats].count("watched-otherwise") == 1

    # Whoever asks for the rule itself has measured nothing anew.
    store, second_machine = Memory(), Warming()
    stability_study.audit_stability(
        parts(watched_request(method=Criterion.LEARNED), store=store, machine=Warming())
    )
    plain = replace(watched_request().suite.watched.watch, model=None)
    same = replace(
        watched_request().suite, watched=replace(watched_request().suite.watched, watch=plain)
    )
    stability = stability_study.audit_stability(
        parts(replace(watched_request(), suite=same), store=store, machine=second_machine)
    )
    assert second_machine.ended_trials == []
    assert "watched-otherwise" not in [caveat.slug for caveat in stability.caveats]


class Slower(Warming):
    """Head needs longer to be warm than base."""

    def _outcome(self, trial):
        self.warm = 9 if trial.subject == "head" else WARM
        return super()._outcome(trial)


def test_both_revisions_warm_up_as_long_as_the_one_that_needs_longer():
    machine, store = Slower(), Memory()
    base, head = (
        parts(watched_request(), store=store, machine=machine, digest=name)
        for name in ("base", "head")
    )
    settings = CompareRequest(min_delta=0.05, rounds=4, fresh=2, slowdown=0.6, methods=0)

    comparison = ComparisonStudy(base, head, settings).compare_revisions()

    watched = trials_of(machine, Purpose.SUITE)
    assert sorted((trial.subject, trial.benchmark.name) for trial in watched) == sorted(
        (subject, name) for subject in ("base", "head") for name in BENCHMARKS
    )
    # 45 ms, in blocks of 10.
    assert warm_ups(trials_of(machine, Purpose.COMPARISON)) == {5}
    assert {benchmark.change for benchmark in comparison.benchmarks} == {PerformanceChange.NONE}
