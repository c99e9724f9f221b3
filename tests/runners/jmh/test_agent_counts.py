"""Calls counted by the agent, in the real JVM."""

import pytest
from jmh_making import plain

from auditor.core.outcome import Counted
from auditor.core.schedule import ArmName
from auditor.core.values import TIME

pytestmark = pytest.mark.subject


@pytest.fixture(scope="module")
def counted(jmh):
    def count(benchmark, blocks=1):
        methods = [method for method in jmh.methods.values() if method.refusal is None]
        outcome = jmh.run(benchmark, plain(blocks=blocks), jmh.counting(*methods))
        assert isinstance(outcome, Counted), outcome
        assert outcome.set_up_apart
        return outcome

    return count


def per_operation(counted, name):
    return {
        dict(window.calls)[f"org.example.Work.{name}"] / window.operations
        for window in counted.windows
    }


def test_outermost_calls_are_counted_exactly(counted):
    outcome = counted("deep")

    assert per_operation(outcome, "deep") == {1.0}
    assert per_operation(outcome, "turns") == {1.0}
    assert per_operation(outcome, "never") == {0.0}
    assert outcome.windows[-1].nested == ("org.example.Work.deep",)


def test_calls_that_the_library_makes_itself_are_told_from_those_of_benchmarks(counted):
    """What the JDK calls, and what the compiler's bridges call, is called by what uses the JDK."""
    compare = "org.example.Step.compareTo"
    sort = "org.example.Step.sort"

    deep = dict(counted("deep").library_shares)
    by_library = dict(counted("sortedByLibrary").library_shares)
    by_benchmark = dict(counted("sortedByBenchmark").library_shares)

    assert deep.get("org.example.Work.turns") == 1
    assert "org.example.Work.deep" not in deep
    assert (by_library.get(compare), sort in by_library) == (1, False)
    assert not {compare, "org.example.Step.get"} & by_benchmark.keys()


def test_calls_that_end_with_an_exception_are_counted(counted):
    outcome = counted("thrown")

    assert per_operation(outcome, "thrown") == {1.0}
    assert outcome.windows[-1].nested == ()


def test_calls_of_several_threads_are_all_counted(counted):
    assert per_operation(counted("threads"), "turns") == {1.0}


def test_set_up_is_counted_apart(counted):
    outcome = counted("chosen[sizes=200,name=a]")

    assert per_operation(outcome, "onlySetUp") == {0.0}
    assert per_operation(outcome, "turns") == {1.0}
    assert dict(outcome.outside)["org.example.Work.onlySetUp"] == 100
    assert dict(outcome.outside)["org.example.Work.turns"] == 200


def test_set_up_at_each_call_is_counted_apart(counted):
    outcome = counted("fresh")

    assert per_operation(outcome, "eachCall") == {0.0}
    assert per_operation(outcome, "turns") == {1.0}
    assert dict(outcome.outside)["org.example.Work.eachCall"] > 1


def test_a_single_shot_is_counted_like_all_others(counted):
    warmed, measured = counted("once").windows

    assert dict(measured.calls)["org.example.Work.turns"] == 50 * measured.operations
    assert dict(warmed.calls)["org.example.Work.turns"] == warmed.operations


def clocked(outcome):
    return {clock.method.removeprefix("org.example.Work."): clock for clock in outcome.clocked}


@pytest.mark.parametrize(
    ("benchmark", "method"), [("turns", "turns"), ("deep", "deep"), ("thrown", "thrown")]
)
def test_calls_that_are_counted_are_clocked_as_well(jmh, counted, benchmark, method):
    clock = clocked(counted(benchmark, blocks=12))[method]
    usual = jmh.run(benchmark, plain(blocks=6)).find_series(TIME, ArmName.PLAIN).values

    assert 0.5 * min(usual) < clock.inside < 1.2 * clock.operation


def test_set_up_is_not_clocked(counted):
    outcome = counted("fresh", blocks=12)

    assert 0 < clocked(outcome)["turns"].inside < 1.2 * clocked(outcome)["turns"].operation
    assert "eachCall" not in clocked(outcome)


def test_a_method_of_which_calls_outlast_their_blocks_is_not_clocked(counted):
    outcome = counted("stays", blocks=12)

    assert per_operation(outcome, "stay") == {1.0}
    assert clocked(outcome).keys() == {"turns"}
