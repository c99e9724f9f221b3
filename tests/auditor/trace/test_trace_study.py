"""The map of calls of a language that exists in memory only."""

from dataclasses import replace

import pytest
import toy_language
from toy_language import Machine, Memory, Words, parts, request

from auditor.core.errors import NoBenchmarks, UsageError
from auditor.core.plan import Purpose
from auditor.core.result import ReachState
from auditor.core.subject import Language
from auditor.trace.study import count_suite_calls


@pytest.fixture(autouse=True)
def public(monkeypatch):
    """All methods of the toy are public but `late`."""
    find_methods = Words.find_methods
    monkeypatch.setattr(
        Words,
        "find_methods",
        lambda self, sources: [
            replace(method, public=method.name != "late") for method in find_methods(self, sources)
        ],
    )


def traced(**more):
    trace_request = more.pop("trace_request", request())
    return count_suite_calls(parts(trace_request, **more))


def reaches(suite_use):
    return {method.method.name: method.reach for method in suite_use.methods}


def test_who_calls_what_is_counted_and_nothing_is_timed():
    machine = Machine()

    result = traced(machine=machine)

    assert {trial.purpose for trial in machine.ended_trials} == {
        Purpose.PILOT,
        Purpose.USAGE,
        Purpose.REACH,
    }
    assert reaches(result) == {
        "idle": ReachState.NOT_AT_ALL,
        "still": ReachState.SET_UP_ONLY,
        "mute": ReachState.UNKNOWN,
        "odd": ReachState.UNKNOWN,
        **dict.fromkeys(("hop", "skip", "trip", "hang", "shy"), ReachState.IN_LOOP),
    }
    by_name = {method.method.name: method for method in result.methods}
    called = {caller.benchmark: caller.calls_per_operation for caller in by_name["hop"].called_by}
    assert called == {"toy.quick": 1.0, "toy.long": 1.0}
    assert by_name["still"].set_up_in == ("toy.short",)
    assert (by_name["mute"].reason, by_name["odd"].reason) == (
        "it has no body",
        "odd: syntax error",
    )
    assert (by_name["hop"].tests, by_name["idle"].tests, by_name["mute"].tests) == (1, 0, None)


def test_what_no_benchmark_calls_comes_first_the_most_used_in_front(monkeypatch):
    monkeypatch.setattr(toy_language, "TESTED", {"still", "hang"})

    names = [method.method.name for method in traced().methods]

    assert names[:2] == ["idle", "still"]
    assert names[4] == "hang"


def test_unit_tests_whose_order_is_fair_end_sooner():
    limits = {}
    for language in (Language.JAVA, Language.PYTHON):
        machine = Machine()
        context = parts(request(), machine=machine)
        count_suite_calls(replace(context, project=replace(context.project, language=language)))
        (limits[language],) = (
            trial.timeout_seconds
            for trial in machine.ended_trials
            if trial.purpose is Purpose.USAGE
        )

    assert limits[Language.PYTHON] == limits[Language.JAVA] / 2


def test_benchmarks_say_how_many_methods_they_call():
    assert {benchmark.id: benchmark.methods for benchmark in traced().benchmarks} == {
        "toy.short": 3,
        "toy.quick": 1,
        "toy.long": 2,
    }


def test_a_benchmark_that_could_not_be_counted_is_none_that_calls_nothing():
    result = traced(machine=Machine(uncounted=frozenset({"long"})))

    (failed,) = [benchmark for benchmark in result.benchmarks if benchmark.id == "toy.long"]
    assert failed.methods is None
    assert failed.reason
    assert reaches(result)["trip"] is ReachState.NOT_AT_ALL
    (text,) = [caveat.text for caveat in result.caveats if caveat.slug == "failed-benchmarks"]
    assert text.startswith("1 of 3 benchmarks did not run")
    assert "toy.long" in text


def test_where_all_fail_there_is_no_map():
    with pytest.raises(NoBenchmarks, match=r"every benchmark fails; the first: toy\.short: "):
        traced(machine=Machine(uncounted=frozenset(toy_language.BENCHMARKS)))


def test_where_nothing_is_public_there_is_no_map(monkeypatch):
    monkeypatch.setattr(Words, "find_methods", lambda *_: [])

    with pytest.raises(UsageError, match="toy has no public method to trace"):
        traced()


def test_what_the_budget_prevented_is_said_and_the_next_call_goes_on():
    store = Memory()
    with pytest.raises(NoBenchmarks):  # three pilots, the unit tests, and no time for a count
        traced(trace_request=request(budget=4.0), store=store)
    machine = Machine()
    result = traced(trace_request=request(budget=30.0), store=store, machine=machine)

    assert Purpose.PILOT not in {trial.purpose for trial in machine.ended_trials}
    assert all(benchmark.methods is not None for benchmark in result.benchmarks)


def test_a_filter_is_said():
    trace_request = request()
    trace_request = replace(trace_request, suite=replace(trace_request.suite, benchmarks="long"))

    result = traced(trace_request=trace_request)

    assert [benchmark.id for benchmark in result.benchmarks] == ["toy.long"]
    assert reaches(result)["skip"] is ReachState.NOT_AT_ALL
    assert "filtered" in {caveat.slug for caveat in result.caveats}
