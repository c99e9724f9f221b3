"""The harness with the real JMH."""

from dataclasses import replace
from statistics import median

import pytest
from jmh_making import plain

from auditor.core.errors import MachineError
from auditor.core.outcome import Crashed, Measured, TimedOut
from auditor.core.schedule import ArmName, Phase
from auditor.core.values import OPERATIONS, TIME, WALL
from runners.hosts.local import LocalHost

pytestmark = pytest.mark.subject


@pytest.mark.timed
def test_a_plain_run_gives_exact_values_of_every_block(jmh):
    outcome = jmh.run("turns", plain(blocks=3))

    assert isinstance(outcome, Measured), outcome
    time, wall = outcome.find_series(TIME, ArmName.PLAIN), outcome.find_series(WALL, ArmName.PLAIN)
    operations = outcome.find_series(OPERATIONS, ArmName.PLAIN)
    assert time.block_positions == (1, 2, 3)
    assert len({*time.values}) == 3
    assert 0 < min(time.values) < max(time.values) < 0.001
    for seconds, number, lasted in zip(time.values, operations.values, wall.values, strict=True):
        assert seconds * number <= 1.5 * lasted


def test_sources_are_read_again_by_one_process(jmh, tmp_path):
    jobs = []

    def ask(job):
        jobs.append(job)
        return LocalHost().run_process(job)

    assert jmh.harness.read_sources(jmh.project, tmp_path, ask) == jmh.suite.sources
    assert len(jobs) == 1


def test_what_a_limit_ends_while_it_is_listed_is_not_the_suite_s_fault(jmh, tmp_path):
    def ask(job):
        return replace(LocalHost().run_process(job), exit_code=-9, exhausted="64 MiB of memory")

    with pytest.raises(
        MachineError, match=r"^java needs more than 64 MiB of memory to list the suite"
    ):
        jmh.harness.discover_suite(jmh.project, tmp_path, ask)


def test_the_warm_up_is_kept(jmh):
    outcome = jmh.run("turns", plain(warmup=2))

    assert outcome.find_series(TIME, ArmName.PLAIN, Phase.WARMUP).block_positions == (0, 1)


def test_an_old_jmh_is_listed_and_measured_too(old_jmh):
    outcome = old_jmh.run("turns", plain())

    assert isinstance(outcome, Measured), outcome
    assert "org.example.Bench.chosen[sizes=1,5,name=a]" in {
        benchmark.id for benchmark in old_jmh.suite.benchmarks
    }


@pytest.mark.parametrize("name", ["threads", "sampled", "once", "both", "fresh"])
def test_every_mode_is_seconds_per_operation(jmh, name):
    outcome = jmh.run(name, plain())

    assert isinstance(outcome, Measured), outcome
    assert 1e-8 < median(outcome.find_series(TIME, ArmName.PLAIN).values) < 0.1


def test_a_rate_of_several_threads_counts_all_of_them(jmh):
    benchmark = jmh.benchmark("threads")

    assert (benchmark.threads, benchmark.concurrency) == (2, 2)


def test_parts_of_a_group_are_metrics_of_their_own(jmh):
    outcome = jmh.run("both", plain())

    assert {"left", "right"} <= {series.metric for series in outcome.series}
    assert jmh.benchmark("both").threads == 2


def test_a_benchmark_counts_once_for_each_choice_of_parameters_and_not_for_each_mode(jmh):
    names = [benchmark.name for benchmark in jmh.suite.benchmarks]

    assert names.count("chosen") == 2
    assert names.count("threads") == 1


def test_a_parameter_with_a_comma_is_one_parameter(jmh):
    outcome = jmh.run("chosen[sizes=1,5,name=a]", plain())

    assert isinstance(outcome, Measured), outcome


def test_the_authors_arguments_of_the_jvm_are_kept_beside_ours(jmh):
    counting = jmh.counting("turns")

    outcomes = [jmh.run("arguments", plain()), jmh.run("arguments", plain(), counting)]

    assert not any(isinstance(outcome, Crashed) for outcome in outcomes), outcomes


def test_what_is_not_run_as_its_author_says_is_said(jmh):
    notes = {
        benchmark.name: " ".join((*benchmark.notes, benchmark.fixed_length_reason))
        for benchmark in jmh.suite.benchmarks
    }

    assert "SampleTime" in notes["threads"]
    assert "no fork" in notes["sampled"]
    assert "set-up runs at each iteration" in notes["fresh"]
    assert "a batch of 50 calls" in notes["once"]
    assert notes["turns"] == ""


def test_the_authors_iteration_time_stays_where_set_up_runs_at_each_iteration(jmh):
    block_seconds = jmh.benchmark("fresh").block_seconds
    short = jmh.run("fresh", plain(seconds=block_seconds)).find_series(WALL, ArmName.PLAIN)
    long = jmh.run("fresh", plain(seconds=10 * block_seconds)).find_series(WALL, ArmName.PLAIN)

    assert block_seconds == pytest.approx(0.04)
    assert min(long.values) > 5 * block_seconds
    assert min(short.values) > block_seconds / 2


def test_a_failing_benchmark_is_an_outcome_with_its_exception(jmh):
    outcome = jmh.run("fails", plain())

    assert isinstance(outcome, Crashed)
    assert outcome.exit_code == 1
    assert "this one fails" in outcome.tail


def test_a_benchmark_that_ends_the_process_has_crashed(jmh):
    outcome = jmh.run("leaves", plain())

    assert isinstance(outcome, Crashed), outcome
    assert "System.exit" in outcome.tail


def test_a_hanging_benchmark_is_ended_by_the_watchdog(jmh):
    outcome = jmh.run("hangs", plain(), timeout_seconds=4)

    assert isinstance(outcome, TimedOut), outcome


@pytest.mark.timed
def test_a_locale_with_decimal_commas_changes_nothing(jmh):
    outcome = jmh.run("turns", plain(), JAVA_TOOL_OPTIONS="-Duser.language=de -Duser.country=DE")

    assert isinstance(outcome, Measured), outcome
    assert 0 < outcome.find_series(TIME, ArmName.PLAIN).values[0] < 0.001
