"""Two revisions in turns, on a machine that does what its table says."""

from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest
import toy_language
from toy_language import Machine, Memory, parts, request

from auditor.compare.assemble import preview_comparison
from auditor.compare.model import Dimension, PerformanceChange
from auditor.compare.study import ComparisonStudy
from auditor.core.errors import NoBenchmarks
from auditor.core.jobs import HostFacts, HostInterference
from auditor.core.outcome import Measured
from auditor.core.plan import Layouts, Purpose
from auditor.core.request import CompareRequest
from auditor.core.suite import Benchmark, Suite
from auditor.core.values import TIME
from auditor.measure.suite_runs import find_listing_obstacle

COMPARE_REQUEST = CompareRequest(min_delta=0.05, rounds=10, fresh=8, slowdown=0.6, methods=20)


def compared(machine=None, audit_request=None, store=None, layouts=Layouts.OF_PROCESS, **changes):
    """Compare the revisions "base" and "head" of the toy."""
    audit_request = audit_request or request()
    machine = machine or Machine()
    store = Memory() if store is None else store
    base, head = (
        parts(audit_request, store=store, machine=machine, layouts=layouts, digest=digest)
        for digest in ("base", "head")
    )
    comparison = ComparisonStudy(
        base, head, replace(COMPARE_REQUEST, **changes)
    ).compare_revisions()
    return comparison, machine


def changes(comparison):
    return {
        benchmark.id.removeprefix("toy."): benchmark.change for benchmark in comparison.benchmarks
    }


def of_comparison(machine):
    return [trial for trial in machine.ended_trials if trial.purpose is Purpose.COMPARISON]


def test_what_got_slower_is_found_and_nothing_else():
    comparison, _ = compared(Machine(slower={("head", "long"): 1.2, ("head", "quick"): 0.8}))

    assert changes(comparison) == {
        "long": PerformanceChange.REGRESSION,
        "quick": PerformanceChange.IMPROVEMENT,
        "short": PerformanceChange.NONE,
    }
    assert comparison.change is PerformanceChange.REGRESSION
    (time,) = (
        benchmark for benchmark in comparison.benchmarks if benchmark.id == "toy.long"
    ).__next__().dimensions
    assert time.dimension is Dimension.TIME
    assert time.ratio == pytest.approx(1.2, rel=0.02)
    assert len(time.rounds.fresh) == COMPARE_REQUEST.fresh
    assert (comparison.controls, comparison.suspected) == (3, ())


class Lost(Machine):
    """Is lost in the midst of a round: what is left is made by another one, which is slower."""

    def run_trials(self, trials):
        for run in super().run_trials(trials):
            lost = len(of_comparison(self)) % 9 in (0, 8)  # of three benchmarks and sides
            yield replace(run, host=HostFacts("another" if lost else "one"))


def test_a_round_of_two_machines_counts_as_none():
    comparison, machine = compared(Lost(), rounds=3)

    rounds = [len(benchmark.dimensions[0].rounds.first) for benchmark in comparison.benchmarks]
    assert len(of_comparison(machine)) == 3 * 9
    assert sum(rounds) == 3 * 3 - 3


def test_equal_revisions_end_after_the_first_look_and_run_in_turns():
    comparison, machine = compared()

    assert set(changes(comparison).values()) == {PerformanceChange.NONE}
    trials = of_comparison(machine)
    assert len(trials) == 4 * 3 * 3  # rounds, benchmarks, sides
    for number in range(0, len(trials), 3):
        three = trials[number : number + 3]
        assert len({trial.benchmark.id for trial in three}) == 1
        assert sorted((trial.subject, trial.fork) for trial in three) == [
            ("base", 1), ("base", 2), ("head", 1),
        ]  # fmt: skip
    assert len({tuple((trial.subject, trial.fork) for trial in trials[start : start + 3])
                for start in range(0, len(trials), 3)}) > 2  # fmt: skip


def test_each_side_of_each_round_has_a_layout_of_its_own_where_it_can_be_drawn():
    _, machine = compared(Machine(moved=0.01), layouts=Layouts.DRAWN)

    places = {(trial.repetition, trial.subject, trial.fork) for trial in of_comparison(machine)}
    assert len({trial.layout for trial in of_comparison(machine)}) == len(places)


def test_a_layout_that_moves_a_benchmark_is_no_change():
    for seed in range(5):
        audit_request = request()
        audit_request = replace(audit_request, suite=replace(audit_request.suite, seed=seed))

        comparison, _ = compared(Machine(moved=0.03), audit_request, layouts=Layouts.DRAWN)

        assert PerformanceChange.REGRESSION not in changes(comparison).values()


def test_what_is_built_of_the_same_code_is_not_measured():
    audit_request, machine, store = request(), Machine(), Memory()
    base, head = (parts(audit_request, store=store, machine=machine) for _ in "ab")

    comparison = ComparisonStudy(base, head, COMPARE_REQUEST).compare_revisions()

    assert all(benchmark.same for benchmark in comparison.benchmarks)
    assert comparison.change is PerformanceChange.NONE
    assert machine.ended_trials == []


def test_the_same_again_measures_nothing_and_says_the_same():
    store = Memory()
    first, _ = compared(Machine(slower={("head", "long"): 1.2}), store=store)
    idle = Machine()

    second, _ = compared(idle, store=store)

    assert second == first
    assert idle.ended_trials == []


def test_runs_beside_a_third_revision_are_no_runs_of_this_comparison():
    store = Memory()
    compared(store=store)
    audit_request, machine = request(), Machine()
    base, third = (
        parts(audit_request, store=store, machine=machine, digest=digest)
        for digest in ("base", "other")
    )

    ComparisonStudy(base, third, COMPARE_REQUEST).compare_revisions()

    assert {trial.subject for trial in of_comparison(machine)} == {"base", "other"}


def test_benchmarks_of_one_side_only_are_named():
    audit_request, machine, store = request(), Machine(), Memory()
    base, head = (
        parts(audit_request, store=store, machine=machine, digest=digest)
        for digest in ("base", "head")
    )
    new = replace(base.suite.benchmarks[0], name="new")
    left = replace(head.suite, benchmarks=(*head.suite.benchmarks[1:], new))

    comparison = ComparisonStudy(
        base, replace(head, suite=left), COMPARE_REQUEST
    ).compare_revisions()

    assert (comparison.added, comparison.removed) == (("toy.new",), ("toy.short",))
    assert set(changes(comparison)) == {"quick", "long"}


def test_what_fails_has_a_reason_and_no_verdict(monkeypatch):
    machine = Machine()
    ran = machine._outcome
    failing = toy_language.FAILURES["trip"]
    monkeypatch.setattr(
        machine,
        "_outcome",
        lambda trial: (
            failing if (trial.subject, trial.benchmark.name) == ("head", "long") else ran(trial)
        ),
    )

    comparison, _ = compared(machine)

    assert changes(comparison) == {
        "long": PerformanceChange.UNKNOWN,
        "quick": PerformanceChange.NONE,
        "short": PerformanceChange.NONE,
    }
    (long,) = (benchmark for benchmark in comparison.benchmarks if benchmark.id == "toy.long")
    assert long.reason.startswith("it fails in head: ")
    assert long.fails_in_head
    of_long = [trial for trial in of_comparison(machine) if trial.benchmark.name == "long"]
    assert {trial.repetition for trial in of_long} == {1}


def test_what_the_budget_prevents_is_open():
    audit_request = request(budget=20)

    comparison, _ = compared(Machine(slower={("head", "long"): 1.2}), audit_request)

    assert PerformanceChange.UNKNOWN in changes(comparison).values()
    assert PerformanceChange.REGRESSION not in changes(comparison).values()


def test_a_budget_for_few_rounds_judges_few_benchmarks_rather_than_none():
    slower = {("head", name): 1.2 for name in ("long", "quick", "short")}

    comparison, machine = compared(Machine(slower=slower), request(budget=20))

    suspected = {
        verdict.suspected for benchmark in comparison.benchmarks for verdict in benchmark.dimensions
    }
    assert PerformanceChange.REGRESSION in suspected
    assert len({trial.benchmark.name for trial in of_comparison(machine)[:12]}) == 1


def test_time_to_confirm_what_is_suspected_is_kept_back():
    """The others stay open for all ten rounds, which would take all of the budget."""
    machine = Machine(slower={("head", "long"): 1.6}, moved=0.04)

    comparison, _ = compared(machine, request(budget=75), layouts=Layouts.DRAWN)

    assert changes(comparison)["long"] is PerformanceChange.REGRESSION
    assert {caveat.slug for caveat in comparison.caveats} == {"kept-for-confirming"}
    assert comparison.confirming_seconds is None


def test_of_several_suspicions_the_largest_is_confirmed_first():
    machine = Machine(slower={("head", "quick"): 1.3, ("head", "long"): 1.6})

    comparison, _ = compared(machine, request(budget=63))

    assert changes(comparison)["long"] is PerformanceChange.REGRESSION
    assert changes(comparison)["quick"] is PerformanceChange.UNKNOWN


def test_what_there_was_no_time_to_confirm_is_suspected_and_the_time_is_told():
    comparison, _ = compared(Machine(slower={("head", "long"): 1.3}), request(budget=40))

    (long,) = [benchmark for benchmark in comparison.benchmarks if benchmark.id == "toy.long"]
    assert (long.change, long.dimensions[0].suspected) == (
        PerformanceChange.UNKNOWN,
        PerformanceChange.REGRESSION,
    )
    assert comparison.confirming_seconds == pytest.approx(8 * 3, abs=1)  # rounds of three processes


@pytest.mark.parametrize(("is_measured", "low", "high"), [(False, 20, 200), (True, 0, 1)])
def test_what_a_comparison_would_measure_is_told_and_nothing_is_run(is_measured, low, high):
    audit_request, machine, store = request(), Machine(), Memory()
    base, head = (
        parts(audit_request, store=store, machine=machine, digest=digest)
        for digest in ("base", "head")
    )
    if is_measured:
        ComparisonStudy(base, head, COMPARE_REQUEST).compare_revisions()
    before = len(machine.ended_trials)

    plan = preview_comparison(base, head, COMPARE_REQUEST, audit_request)

    assert len(machine.ended_trials) == before
    names = [phase.name for phase in plan.phases]
    assert names[:2] == ["pilot", "rounds (at most)"]
    rounds = plan.phases[1]
    assert rounds.trials - rounds.stored_count == (
        0 if is_measured else COMPARE_REQUEST.rounds * 3 * 3
    )
    assert plan.expected.low <= plan.expected.high <= high
    assert plan.expected.low >= low


def slugs(comparison):
    return {caveat.slug for caveat in comparison.caveats}


def test_what_cannot_be_told_apart_is_said(monkeypatch):
    assert slugs(compared(layouts=Layouts.FIXED)[0]) == {"layout"}
    assert slugs(compared(layouts=Layouts.DRAWN)[0]) == set()
    assert slugs(compared(audit_request=request(budget=20))[0]) == {"budget"}
    monkeypatch.setattr("auditor.compare.study.audit.differs_from_itself", lambda *_: True)
    comparison, _ = compared(Machine(slower={("head", "long"): 1.2}))
    assert slugs(comparison) == {"restless"}
    assert len(comparison.suspected) == 3


def test_a_revision_without_benchmarks_is_compared_with_nothing():
    audit_request, machine, store = request(), Machine(), Memory()
    base, head = (
        parts(audit_request, store=store, machine=machine, digest=digest)
        for digest in ("base", "head")
    )
    empty = replace(base, suite=replace(base.suite, benchmarks=()))

    comparison = ComparisonStudy(empty, head, COMPARE_REQUEST).compare_revisions()

    assert (comparison.benchmarks, comparison.removed, len(comparison.added)) == ((), (), 3)
    assert machine.ended_trials == []
    with pytest.raises(NoBenchmarks):
        ComparisonStudy(empty, empty, COMPARE_REQUEST).compare_revisions()


def broken(unusable, left=(), benchmarks="."):
    """Compare with a head that lists only benchmarks called `left`, and says what it cannot."""
    audit_request, machine, store = request(), Machine(), Memory()
    audit_request = replace(
        audit_request, suite=replace(audit_request.suite, benchmarks=benchmarks)
    )
    base, head = (
        parts(audit_request, store=store, machine=machine, digest=digest)
        for digest in ("base", "head")
    )
    left_benchmarks = tuple(
        benchmark for benchmark in head.suite.benchmarks if benchmark.name in left
    )
    suite = replace(head.suite, benchmarks=left_benchmarks, unusable=unusable)
    return ComparisonStudy(base, replace(head, suite=suite), COMPARE_REQUEST).compare_revisions()


@pytest.mark.parametrize("pattern", [".", "^long$"])
def test_a_head_of_which_no_benchmark_can_be_listed_is_at_fault(pattern):
    with pytest.raises(NoBenchmarks, match=r"^head: .*toy: ImportError: no module named ring"):
        broken((("toy", "ImportError: no module named ring"),), benchmarks=pattern)


def test_what_cannot_be_listed_in_base_is_not_new():
    plan, machine, store = request(), Machine(), Memory()
    base, head = (
        parts(plan, store=store, machine=machine, digest=digest) for digest in ("base", "head")
    )
    left_benchmarks = tuple(
        benchmark for benchmark in base.suite.benchmarks if benchmark.name == "short"
    )
    suite = replace(
        base.suite, benchmarks=left_benchmarks, unusable=(("toy.long", "it does not build"),)
    )

    result = ComparisonStudy(replace(base, suite=suite), head, COMPARE_REQUEST).compare_revisions()

    assert changes(result) == {"short": PerformanceChange.NONE, "long": PerformanceChange.UNKNOWN}
    assert result.benchmarks[-1].reason == "it cannot be listed in base: it does not build"
    assert not result.benchmarks[-1].fails_in_head
    assert result.added == ("toy.quick",)


def test_what_cannot_be_listed_in_head_is_not_gone():
    result = broken((("toy.long", "it skips itself"), ("toy.q", "no")), left=("short",))

    assert changes(result) == {"short": PerformanceChange.NONE, "long": PerformanceChange.UNKNOWN}
    assert result.benchmarks[-1].reason == "it cannot be listed in head: it skips itself"
    assert [benchmark.fails_in_head for benchmark in result.benchmarks] == [False, True]
    assert result.removed == ("toy.quick",)
    (caveat,) = result.caveats
    assert caveat.slug == "failed-benchmarks"
    assert (
        caveat.text
        == "head: benchmarks that could not be listed were not compared: toy.long, toy.q"
    )


@pytest.mark.parametrize(
    ("benchmark", "name", "is_held"),
    [
        (Benchmark(group="a/ring", name="BenchmarkX"), "a/ring", True),
        (Benchmark(group="a/ring", name="BenchmarkX/n=1"), "a/ring.BenchmarkX", True),
        (Benchmark(group="a/ring/sub", name="BenchmarkX"), "a/ring", False),
        (Benchmark(group="a/ring", name="BenchmarkXs"), "a/ring.BenchmarkX", False),
        (Benchmark(group="", name="tests/test_x.py::test_a[1]"), "tests/test_x.py", True),
        (Benchmark(group="", name="tests/test_x.py::test_a[1]"), "tests/test_x.py::test_a", True),
        (Benchmark(group="", name="tests/test_x.py::test_a"), "tests/test_y.py", False),
        (Benchmark(group="", name="sorting.Lists.time_sort(1, 2)"), "sorting", True),
        (Benchmark(group="", name="sorting.Lists.time_sort(1, 2)"), "sort", False),
    ],
)
def test_what_cannot_be_listed_holds_its_own_benchmarks_only(benchmark, name, is_held):
    result = find_listing_obstacle(benchmark, Suite((), unusable=((name, "it is broken"),)))

    assert result == ("it is broken" if is_held else None)


def methods(*names):
    """Return methods of the toy by their names."""
    return [method for method in toy_language.Words().find_methods(()) if method.name in names]


def ordered(budget, *changed, machine=None):
    """Compare under a budget where these methods have changed."""
    audit_request, store = request(budget=budget), Memory()
    machine = machine or Machine(moved=0.04)
    base, head = (
        parts(audit_request, store=store, machine=machine, layouts=Layouts.DRAWN, digest=digest)
        for digest in ("base", "head")
    )
    comparison = ComparisonStudy(base, head, COMPARE_REQUEST, methods(*changed)).compare_revisions()
    return comparison, [trial.benchmark.name for trial in of_comparison(machine)]


def first_places(names):
    """Return the benchmarks in the order in which each began, and the number of trials before."""
    return {name: names.index(name) for name in dict.fromkeys(names)}


def test_under_a_budget_what_calls_the_changed_method_is_measured_and_confirmed_first():
    machine = Machine(slower={("head", "long"): 1.5}, moved=0.01)

    comparison, names = ordered(70, "trip", machine=machine)  # only `long` calls it

    assert changes(comparison)["long"] is PerformanceChange.REGRESSION
    alone = names[: first_places(names).get("short", len(names))]
    # First and fresh rounds, three sides.
    assert set(alone[: 3 * (4 + COMPARE_REQUEST.fresh)]) == {"long"}
    assert {benchmark.id: benchmark.calls_changed for benchmark in comparison.benchmarks} == {
        "toy.long": True,
        "toy.short": False,
        "toy.quick": False,
    }


def test_what_was_left_to_the_last_is_counted_and_says_why():
    machine = Machine(slower={("head", "long"): 1.5}, moved=0.01)

    comparison, _ = ordered(46, "trip", machine=machine)

    assert changes(comparison)["long"] is PerformanceChange.REGRESSION
    (order_caveat,) = [caveat for caveat in comparison.caveats if caveat.slug == "left-to-the-last"]
    assert order_caveat.text.startswith("2 of 3 benchmarks call none of the changed methods")
    reasons = {
        benchmark.id: benchmark.reason
        for benchmark in comparison.benchmarks
        if not benchmark.dimensions
    }
    assert reasons
    assert all(reason.startswith("it calls none of the methods") for reason in reasons.values())


def test_noise_is_not_told_as_the_end_of_the_budget():
    comparison, _ = ordered(10_000, "trip", machine=Machine(moved=0.3))

    open_ids = {
        benchmark.id
        for benchmark in comparison.benchmarks
        if benchmark.change is PerformanceChange.UNKNOWN and benchmark.calls_changed is False
    }
    assert open_ids
    assert "left-to-the-last" not in slugs(comparison)


@pytest.mark.parametrize("changed", [(), ("idle",), ("odd",)])
def test_the_order_stays_where_no_benchmark_is_known_to_call_what_changed(changed):
    """Nothing calls `idle`, and `odd` does not compile."""
    comparison, names = ordered(80, *changed)

    assert len(first_places(names[:9])) == 3
    assert {benchmark.calls_changed for benchmark in comparison.benchmarks} == {None}
    assert "left-to-the-last" not in slugs(comparison)


def test_what_could_not_be_counted_comes_before_what_surely_calls_nothing():
    comparison, names = ordered(400, "trip", machine=Machine(uncounted=frozenset({"quick"})))

    assert list(first_places(names)) == ["long", "quick", "short"]
    assert {benchmark.id: benchmark.calls_changed for benchmark in comparison.benchmarks}[
        "toy.quick"
    ] is None


def test_without_a_budget_nothing_is_counted():
    comparison, names = ordered(None, "trip")

    assert len(first_places(names[:9])) == 3
    assert {benchmark.calls_changed for benchmark in comparison.benchmarks} == {None}


class Contended(Machine):
    """Has other work beside, which makes most blocks longer, of each process another part.

    `waited` is the share of the time in which that is told.
    """

    waited = 0.9

    def run_trials(self, trials):
        for run in super().run_trials(trials):
            rng = np.random.default_rng(crc32(run.trial.id.encode()))
            share = rng.uniform(0.3, 0.9)
            outcome = run.outcome
            if run.trial.purpose is Purpose.COMPARISON:
                outcome = Measured(
                    tuple(_disturbed(values, share, rng) for values in outcome.series)
                )
            yield replace(run, outcome=outcome, strain=HostInterference(waited=self.waited))


class Unnoticed(Contended):
    waited = 0.1


def _disturbed(series, share, rng):
    if series.metric != TIME:
        return series
    values = np.array(series.values)
    values *= np.where(rng.random(len(values)) < share, rng.uniform(1.5, 4, len(values)), 1)
    return replace(series, packed=values.astype("<f8").tobytes())


def test_on_a_busy_machine_the_least_blocks_tell_what_got_slower():
    slower = {("head", "long"): 1.3}

    comparison, _ = compared(Contended(slower=slower))
    by_medians, _ = compared(Unnoticed(slower=slower))

    assert changes(comparison)["long"] is PerformanceChange.REGRESSION
    assert PerformanceChange.REGRESSION not in (
        changes(comparison)["short"],
        changes(comparison)["quick"],
    )
    assert changes(by_medians)["long"] is PerformanceChange.UNKNOWN
    assert "busy-rounds" in slugs(comparison) - slugs(by_medians)


@pytest.mark.parametrize("seed", range(5))
def test_on_a_busy_machine_what_has_not_changed_is_no_regression(seed):
    audit_request = request()
    audit_request = replace(audit_request, suite=replace(audit_request.suite, seed=seed))

    comparison, _ = compared(Contended(), audit_request)

    assert PerformanceChange.REGRESSION not in changes(comparison).values()
