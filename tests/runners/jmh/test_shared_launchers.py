"""Benchmarks that one JVM forks for, one after the other: each fork is as if it were alone."""

import pytest
from jmh_making import plain

from auditor.core.mutant import PLAIN, Variant, VariantKind
from auditor.core.outcome import Measured, Profiled
from auditor.core.plan import Purpose
from auditor.core.values import TIME
from runners.hosts.clock import SystemClock
from runners.trial import TrialRunner

pytestmark = pytest.mark.subject
PROFILED = Variant(VariantKind.PROFILED)
BLOCKS, WARMUP = 4, 2


def run_forks(suite, folder, *names, variant=PLAIN, purpose=Purpose.SUITE, seconds=60.0):
    """Return the outcomes of benchmarks that ran in forks of one JVM, by name."""
    schedule = plain(blocks=BLOCKS, warmup=WARMUP, seconds=0.1)
    trials = [
        suite.make_trial(name, schedule, variant, timeout_seconds=seconds, purpose=purpose)
        for name in names
    ]
    runner = TrialRunner(
        project=suite.project,
        launcher=suite.harness,
        host=suite.host,
        builds=folder,
        clock=SystemClock(),
    )
    assert len({runner.find_sharing_key(trial) for trial in trials}) == 1
    by_id = {trial.id: name for trial, name in zip(trials, names, strict=True)}
    return {by_id[run.trial.id]: run.outcome for run in runner.run_together(trials)}


def test_each_fork_measures_its_own_benchmark(jmh, tmp_path):
    names = ("turns", "setsProperty", "arguments", "once", "chosen[sizes=200,name=a]")

    outcomes = run_forks(jmh, tmp_path, *names)

    assert list(outcomes) == list(names)
    for name, outcome in outcomes.items():
        assert isinstance(outcome, Measured), (name, outcome)
        times = [series for series in outcome.series if series.metric == TIME]
        assert sum(len(series.values) for series in times) == BLOCKS + WARMUP, name


def test_a_failure_and_what_is_left_running_touch_no_other_fork(jmh, tmp_path):
    names = ("mayFail[kind=bad]", "leavesThread", "leavesProcess", "mayFail[kind=good]")

    assert list(run_forks(jmh, tmp_path, *names)) == list(names[1:])


def test_a_benchmark_that_hangs_leaves_out_what_follows(jmh, tmp_path):
    outcomes = run_forks(jmh, tmp_path, "turns", "hangs", "deep", seconds=8.0)

    assert list(outcomes) == ["turns"]


def test_each_fork_is_sampled_into_a_file_of_its_own(jmh, tmp_path):
    outcomes = run_forks(
        jmh, tmp_path, "turns", "twoFifths", variant=PROFILED, purpose=Purpose.PROFILE
    )

    functions = {}
    for name, outcome in outcomes.items():
        assert isinstance(outcome, Profiled), (name, outcome)
        functions[name] = {frame.function for frame in outcome.frames}
    assert "org/example/Work.turns(I)I" in functions["turns"]
    assert "org/example/Parts.called(J)J" in functions["twoFifths"]
    assert not any("Parts.called" in function for function in functions["turns"])
