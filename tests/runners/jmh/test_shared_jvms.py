"""Calls of several benchmarks counted in one JVM: they are those of JVMs of their own."""

import json
from dataclasses import replace

import pytest
from jmh_making import plain

from auditor.core.outcome import Counted
from auditor.core.plan import Purpose

pytestmark = pytest.mark.subject


def make_trials(suite, *names, seconds=60, purpose=Purpose.REACH):
    methods = [method for method in suite.methods.values() if method.refusal is None]
    return [
        suite.make_trial(
            name,
            plain(blocks=1),
            suite.counting(*methods),
            timeout_seconds=seconds,
            purpose=purpose,
        )
        for name in names
    ]


def count_together(suite, folder, *names, **more):
    """Return the counts of benchmarks that ran in one JVM, by name."""
    trials = make_trials(suite, *names, **more)
    assert suite.find_common_key(trials).arguments is not None
    return suite.run_together(dict(zip(names, trials, strict=True)), folder)


def calls_per_operation(outcome):
    """Return the calls of an operation, set-up apart, which an interval of time cannot change."""
    assert isinstance(outcome, Counted), outcome
    *_, last = outcome.windows
    called = {method: calls / last.operations for method, calls in last.calls if calls}
    return called, sorted(last.nested), {method for method, calls in outcome.outside if calls}


NAMES = (
    "turns",
    "stays",
    "deep",
    "thrown",
    "threads",
    "both",
    "fresh",
    "chosen[sizes=1,5,name=a]",
    "chosen[sizes=200,name=a]",
)


def test_counts_are_those_of_jvms_alone(any_jmh, tmp_path):
    together = count_together(any_jmh, tmp_path, *NAMES)

    assert list(together) == list(NAMES)
    (variant,) = {trial.variant for trial in make_trials(any_jmh, "turns")}
    for name, outcome in together.items():
        alone = any_jmh.run(name, plain(blocks=1), variant)
        assert calls_per_operation(outcome) == calls_per_operation(alone), name


def test_set_up_is_counted_for_each_benchmark(jmh, tmp_path):
    first, second = "chosen[sizes=1,5,name=a]", "chosen[sizes=200,name=a]"
    together = count_together(jmh, tmp_path, first, second)

    for outcome in together.values():
        assert dict(outcome.outside)["org.example.Work.onlySetUp"] == 100
    assert len(together) == 2


def test_nothing_runs_with_the_state_of_what_has_failed(jmh, tmp_path):
    names = ("turns", "mayFail[kind=bad]", "mayFail[kind=good]")

    assert list(count_together(jmh, tmp_path, *names)) == ["turns"]


def test_what_the_jdk_sets_when_a_date_is_read_is_no_benchmarks_doing(jmh, tmp_path):
    names = ["turns", "readsDate", "deep"]

    assert list(count_together(jmh, tmp_path, *names)) == names


@pytest.mark.parametrize("name", ["leaves", "hangs"])
def test_what_ends_the_jvm_leaves_out_what_follows(jmh, tmp_path, name):
    together = count_together(jmh, tmp_path, "turns", name, "deep", seconds=10)

    assert list(together) == ["turns"]


@pytest.mark.parametrize("name", ["leavesThread", "leavesSleeper", "leavesProcess"])
def test_nothing_runs_beside_what_a_benchmark_left(jmh, tmp_path, name):
    assert list(count_together(jmh, tmp_path, name, "deep")) == [name]


def test_a_changed_property_is_no_other_benchmarks(jmh, tmp_path):
    assert list(count_together(jmh, tmp_path, "turns", "setsProperty", "deep")) == ["turns"]


def test_the_first_one_may_change_a_property(jmh, tmp_path):
    assert list(count_together(jmh, tmp_path, "setsProperty", "deep")) == ["setsProperty"]


def test_the_jvm_has_the_arguments_of_its_benchmarks(jmh, tmp_path):
    assert list(count_together(jmh, tmp_path, "arguments")) == ["arguments"]
    keys = [jmh.harness.find_sharing_key(trial) for trial in make_trials(jmh, "turns", "arguments")]
    assert len(set(keys)) == 2


def test_what_is_slowed_is_alone_and_what_has_a_jvm_of_its_own_is_forked(jmh):
    (timed,) = make_trials(jmh, "turns", purpose=Purpose.PAIRS)
    (counted,) = make_trials(jmh, "turns")
    (once,) = make_trials(jmh, "once")
    settings = json.dumps({**json.loads(counted.benchmark.settings), "jvm": "/opt/jdk/bin/java"})
    elsewhere = replace(counted, benchmark=replace(counted.benchmark, settings=settings))

    assert jmh.harness.find_sharing_key(timed) is None
    assert jmh.harness.find_sharing_key(elsewhere).arguments is None
    assert jmh.harness.find_sharing_key(once).arguments is None
    assert jmh.harness.find_sharing_key(counted).arguments is not None
