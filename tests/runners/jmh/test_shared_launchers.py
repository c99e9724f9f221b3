"""Benchmarks that one JVM forks for, one after the other: each fork is as if it were alone."""

import pytest
from jmh_making import plain

from auditor.core.mutant import Variant, VariantKind
from auditor.core.outcome import Counted, Profiled
from auditor.core.plan import Purpose

pytestmark = pytest.mark.subject
PROFILED = Variant(VariantKind.PROFILED)
BLOCKS, WARMUP = 4, 2


def run_forks(suite, folder, *names, variant=PROFILED, purpose=Purpose.PROFILE, seconds=60.0):
    """Return the outcomes of benchmarks that ran in forks of one JVM, by name."""
    schedule = plain(blocks=BLOCKS, warmup=WARMUP, seconds=0.1)
    trials = [
        suite.make_trial(name, schedule, variant, timeout_seconds=seconds, purpose=purpose)
        for name in names
    ]
    assert suite.find_common_key(trials).forks_each
    return suite.run_together(dict(zip(names, trials, strict=True)), folder)


def find_functions(outcome):
    """Return the functions in which a benchmark was sampled, by descriptor."""
    assert isinstance(outcome, Profiled), outcome
    return {frame.function for frame in outcome.frames}


def test_each_fork_is_sampled_into_a_file_of_its_own(any_jmh, tmp_path):
    names = ("turns", "setsProperty", "twoFifths", "arguments", "chosen[sizes=200,name=a]")
    outcomes = run_forks(any_jmh, tmp_path, *names)

    assert list(outcomes) == list(names)
    functions = {name: find_functions(outcome) for name, outcome in outcomes.items()}
    assert "org/example/Work.turns(I)I" in functions["turns"]
    assert "org/example/Parts.called(J)J" in functions["twoFifths"]
    assert not any("Parts.called" in function for function in functions["turns"])


def test_a_failure_and_threads_that_go_on_end_with_their_fork(jmh, tmp_path):
    names = ("turns", "mayFail[kind=bad]", "leavesThread", "mayFail[kind=good]")

    assert list(run_forks(jmh, tmp_path, *names)) == ["turns", *names[2:]]


@pytest.mark.parametrize("name", ["leavesProcess", "hangs"])
def test_nothing_is_forked_beside_what_a_benchmark_has_left(jmh, tmp_path, name):
    outcomes = run_forks(jmh, tmp_path, "turns", name, "deep", seconds=8.0)

    assert "deep" not in outcomes
    assert "turns" in outcomes


def test_calls_of_single_shots_are_counted_in_forks(jmh, tmp_path):
    methods = [method for method in jmh.methods.values() if method.refusal is None]
    counting = jmh.counting(*methods)
    outcomes = run_forks(jmh, tmp_path, "once", variant=counting, purpose=Purpose.REACH)

    counts, alone = (
        outcomes["once"],
        jmh.run("once", plain(blocks=BLOCKS, warmup=WARMUP, seconds=0.1), counting),
    )
    assert isinstance(counts, Counted), counts
    assert (counts.windows, counts.outside) == (alone.windows, alone.outside)
    assert dict(counts.windows[-1].calls)["org.example.Work.turns"] > 0
