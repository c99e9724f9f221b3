"""Suites whose processes end when they are warm, in a language that is in memory only."""

from dataclasses import replace

import pytest
from toy_language import BENCHMARKS, Machine, Memory, parts, request

from auditor.core.caveats import Caveat
from auditor.core.comparison import Change
from auditor.core.plan import Purpose
from auditor.core.request import CompareRequest, WatchRequest
from auditor.core.schedule import Phase
from auditor.core.suite import Benchmark
from auditor.core.warming import Method, Warmed, Watch
from auditor.studies import abs_score, schedules, stability
from auditor.studies.comparison import ComparisonStudy

WARM = 5
"""Iterations of 5 ms that a process of the toy needs."""


class Warming(Machine):
    """Ends what is watched as a real host would."""

    warm = WARM

    def _outcome(self, trial):
        outcome = super()._outcome(trial)
        if trial.watch is None:
            return outcome
        warmed = Warmed(method=trial.watch.method, warm=self.warm, enough=self.warm is not None)
        return outcome.told_apart(warmed, trial.watch.measured)


def asked(width=None, forks=1, runs=2, method=Method.RCIW, *, length=0.1, lasting=0.0):
    watch = Watch(method=method, measured=10, seconds=60.0, width=width, model="digest")
    whole = request(methods=("hop",))
    suite = replace(
        whole.suite,
        plan=replace(whole.suite.plan, forks=forks),
        stability_runs=runs,
        watched=WatchRequest(
            watch=watch, iterations=40, iteration_seconds=length, measured_seconds=lasting
        ),
    )
    return replace(whole, suite=suite)


def made(machine, purpose):
    return [trial for trial in machine.done if trial.purpose is purpose]


def by_run(machine):
    """Return the forks that each run of a benchmark has."""
    found = {}
    for trial in made(machine, Purpose.SUITE):
        found.setdefault((trial.benchmark.name, trial.repetition), []).append(trial.fork)
    return found


def warm_ups(trials):
    return {sum(one.phase is Phase.WARMUP for one in trial.schedule.blocks) for trial in trials}


def test_no_more_forks_are_run_than_are_worth_it():
    machine = Warming()

    verdict = stability.audit(parts(asked(width=0.05, forks=5), machine=machine))

    runs = by_run(machine)
    assert {name: runs[name, 1] for name in BENCHMARKS} == {
        name: runs[name, 2] for name in BENCHMARKS
    }
    assert all(2 <= len(forks) < 5 for forks in runs.values())
    (said,) = [one.text for one in verdict.caveats if one.slug == "fewer-forks"]
    assert said.startswith("3 of 3 benchmarks have fewer than 5 forks")
    assert all(one.max_spread is not None for one in verdict.benchmarks)


@pytest.mark.parametrize("width", [None, 1e-6])
def test_all_forks_are_run_where_nobody_asks_or_they_differ_too_much(width):
    machine = Warming()

    verdict = stability.audit(parts(asked(width=width, forks=4), machine=machine))

    assert set(map(len, by_run(machine).values())) == {4}
    assert "fewer-forks" not in [one.slug for one in verdict.caveats]


@pytest.mark.parametrize(
    ("method", "harness", "length", "seconds"),
    [
        (Method.LEARNED, "go", None, 0.03),
        (Method.LEARNED, "jmh", None, 0.1),
        (Method.RCIW, "go", None, 0.1),
        (Method.LEARNED, "go", 0.05, 0.05),
    ],
)
def test_iterations_last_as_long_as_is_said_or_as_the_method_knows_them(
    method, harness, length, seconds
):
    whole = asked(method=method, length=length).suite

    plan = schedules.watched(whole.watched, whole.plan, Benchmark(group="b", name="b"), harness)

    assert (plan.iteration_seconds, plan.warmup, plan.iterations) == (seconds, 0, 40)


def test_iterations_whose_length_has_to_be_kept_keep_it():
    whole = asked(method=Method.LEARNED, length=None).suite
    own = Benchmark(group="b", name="b", block_seconds=3.0)

    assert schedules.watched(whole.watched, whole.plan, own, "go").iteration_seconds == 3.0


@pytest.mark.parametrize(
    ("length", "lasting", "measured"),
    [
        (0.1, 0.0, 10),
        (0.1, 1.5, 15),
        (0.1, 0.5, 10),  # as many as were asked for, however short that is
        (0.01, 2.0, 20),  # half of the 40 at most
        (2.5, 50.0, 12),  # and half of the minute
    ],
)
def test_as_many_are_measured_as_last_so_long(length, lasting, measured):
    machine = Warming()

    stability.audit(parts(asked(length=length, lasting=lasting), machine=machine))

    trials = made(machine, Purpose.SUITE)
    assert {one.watch.measured for one in trials} == {measured}


def test_what_is_compared_warms_up_as_long_as_watched_processes_did():
    machine = Warming()

    verdict = abs_score.audit(asked(), parts(asked(), machine=machine))

    # 25 ms, in blocks of 10.
    assert warm_ups(made(machine, Purpose.SUITE)) == {0}
    assert warm_ups(made(machine, Purpose.PAIRS)) == {3}
    assert warm_ups(made(machine, Purpose.REFERENCE)) == {3}
    assert [one.caveats for one in verdict.stability.benchmarks] == [
        (Caveat("warm-after", "warm after 5, 5 iterations by rciw, 0.025 s in the median"),)
    ] * 3


def test_what_was_not_seen_warm_warms_up_as_planned():
    machine = Warming()
    machine.warm = None

    abs_score.audit(asked(), parts(asked(), machine=machine))

    assert warm_ups(made(machine, Purpose.PAIRS)) == {request().suite.plan.warmup}


def test_a_model_that_has_not_learned_of_such_processes_is_not_asked():
    machine = Warming()

    verdict = stability.audit(parts(asked(method=Method.LEARNED), machine=machine))

    watches = {trial.watch for trial in made(machine, Purpose.SUITE)}
    assert [(one.method, one.model) for one in watches] == [(Method.RCIW, None)]
    assert [one.slug for one in verdict.caveats].count("watched-otherwise") == 1

    # Whoever asks for the rule itself has measured nothing anew.
    store, again = Memory(), Warming()
    stability.audit(parts(asked(method=Method.LEARNED), store=store, machine=Warming()))
    plain = replace(asked().suite.watched.watch, model=None)
    same = replace(asked().suite, watched=replace(asked().suite.watched, watch=plain))
    found = stability.audit(parts(replace(asked(), suite=same), store=store, machine=again))
    assert again.done == []
    assert "watched-otherwise" not in [one.slug for one in found.caveats]


class Slower(Warming):
    """Head needs longer to be warm than base."""

    def _outcome(self, trial):
        self.warm = 9 if trial.subject == "head" else WARM
        return super()._outcome(trial)


def test_both_revisions_warm_up_as_long_as_the_one_that_needs_longer():
    machine, store = Slower(), Memory()
    base, head = (
        parts(asked(), store=store, machine=machine, digest=name) for name in ("base", "head")
    )
    settings = CompareRequest(min_delta=0.05, rounds=4, fresh=2, slowdown=0.6, methods=0)

    found = ComparisonStudy(base, head, settings).compare()

    watched = made(machine, Purpose.SUITE)
    assert sorted((trial.subject, trial.benchmark.name) for trial in watched) == sorted(
        (subject, name) for subject in ("base", "head") for name in BENCHMARKS
    )
    # 45 ms, in blocks of 10.
    assert warm_ups(made(machine, Purpose.COMPARISON)) == {5}
    assert {one.change for one in found.benchmarks} == {Change.NONE}
