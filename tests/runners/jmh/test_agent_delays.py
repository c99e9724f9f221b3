"""Methods slowed by the agent, in the real JVM."""

from dataclasses import replace
from statistics import median

import pytest
from jmh_making import against_probe, arms, delayed, torn_down
from quiets import NEVER, SOON, first_quiet, rounds_of, until

from auditor.core.mutant import Delay, InjectionKind
from auditor.core.outcome import Measured, NeverCalled
from auditor.core.schedule import Arm, ArmName, EarlyStop
from auditor.core.values import CLOCK_COST, METHOD_CALLS, METHOD_TIME, OPERATIONS, TIME

pytestmark = pytest.mark.subject


def ratio(outcome, metric=TIME):
    assert isinstance(outcome, Measured), outcome
    slowed, probe = (
        outcome.find_series(metric, ArmName.SLOWED),
        outcome.find_series(metric, ArmName.PROBE),
    )
    return median(slowed.values) / median(probe.values)


CASES = [
    ("turns", "turns(int)"),
    ("thrown", "thrown(int)"),
    ("made", "<init>(int,int)"),
    ("made", "<init>(int)"),
]


@pytest.mark.timed
@pytest.mark.parametrize(("benchmark", "method"), CASES)
def test_every_way_out_is_slowed(jmh, benchmark, method):
    result = jmh.find(method)

    assert ratio(jmh.run(benchmark, against_probe(InjectionKind.WORK, 5000), delayed(result))) > 3


@pytest.mark.timed
def test_an_old_jmh_runs_both_arms_in_one_process_too(old_jmh):
    method = old_jmh.find("turns")

    assert ratio(old_jmh.run("turns", against_probe(InjectionKind.WORK, 5000), delayed(method))) > 3


@pytest.mark.timed
@pytest.mark.parametrize("wait", [InjectionKind.SPIN, InjectionKind.SLEEP])
def test_a_wait_is_a_multiple_of_the_methods_own_time(jmh, wait):
    factor = ratio(jmh.run("turns", against_probe(wait, 3.0), delayed(jmh.find("turns"))))

    assert factor > 2.5


@pytest.mark.timed
def test_two_arms_with_the_same_number_are_alike(jmh):
    schedule = against_probe(InjectionKind.WORK, 0)

    assert 0.5 < ratio(jmh.run("turns", schedule, delayed(jmh.find("turns")))) < 2


@pytest.mark.timed
def test_a_nested_call_does_not_wait_again_when_guarded(jmh):
    schedule = against_probe(InjectionKind.WORK, 3000)
    method = jmh.find("deep")

    free = ratio(jmh.run("deep", schedule, delayed(method)))
    guarded = ratio(jmh.run("deep", schedule, delayed(method, guarded=True)))

    assert free > 4 * guarded > 4


@pytest.mark.timed
def test_a_nested_call_of_a_clocked_wait_does_not_compound(jmh):
    factor = ratio(
        jmh.run("deep", against_probe(InjectionKind.SPIN, 1.0), delayed(jmh.find("deep")))
    )

    assert 1.2 < factor < 4


@pytest.mark.timed
def test_a_clocked_method_shows_its_outermost_calls_and_its_time(jmh):
    schedule = arms(
        Arm(ArmName.PROBE, Delay(InjectionKind.WORK, 0)),
        Arm(ArmName.CLOCKED, Delay(InjectionKind.CLOCK, 0)),
    )

    outcome = jmh.run("deep", schedule, delayed(jmh.find("deep")))

    assert isinstance(outcome, Measured), outcome
    calls = outcome.find_series(METHOD_CALLS, ArmName.CLOCKED)
    assert calls.values == outcome.find_series(OPERATIONS, ArmName.CLOCKED).values
    per_call = sum(outcome.find_series(METHOD_TIME, ArmName.CLOCKED).values) / sum(calls.values)
    assert per_call < 1.2 * max(outcome.find_series(TIME, ArmName.CLOCKED).values)
    assert 0 < outcome.find_series(CLOCK_COST, ArmName.CLOCKED).values[0] < per_call


@pytest.mark.timed
def test_the_clock_sees_a_method_that_is_shorter_than_its_own_cost(jmh):
    """The whole operation is a bound from above: it holds little beside the method.

    What the clock costs is told by several processes, as in an audit: one may have been disturbed.
    """
    schedule = arms(
        Arm(ArmName.PROBE, Delay(InjectionKind.WORK, 0)),
        Arm(ArmName.CLOCKED, Delay(InjectionKind.CLOCK, 0)),
        pairs=8,
    )

    outcomes = [jmh.run("brief", schedule, delayed(jmh.find("brief"))) for _ in range(3)]

    call_seconds, operation_seconds, cost = [], [], []
    for outcome in outcomes:
        assert isinstance(outcome, Measured), outcome
        spent, calls = (
            outcome.find_series(metric, ArmName.CLOCKED).values
            for metric in (METHOD_TIME, METHOD_CALLS)
        )
        call_seconds += [time / count for time, count in zip(spent, calls, strict=True)]
        operation_seconds += outcome.find_series(TIME, ArmName.PROBE).values
        cost += outcome.find_series(CLOCK_COST, ArmName.CLOCKED).values[:1]
    assert 0.5 < (min(call_seconds) - min(cost)) / min(operation_seconds) < 1.3


LOOKS = ((3, 31.6), (6, 12.0), (10, 7.0), (40, 5.0), (100, 5.0), (200, 5.0))
STOP = EarlyStop(above=0.1, below=-0.5, looks=LOOKS, least_deviation=0.005)


@pytest.mark.timed
@pytest.mark.parametrize("suite_fixture", ["jmh", "old_jmh"])
def test_a_process_ends_when_its_pairs_have_decided(suite_fixture, request):
    """Many times as slow is far above; what the fork has set up is torn down as always."""
    suite = request.getfixturevalue(suite_fixture)
    schedule = arms(
        Arm(ArmName.PROBE, Delay(InjectionKind.WORK, 0)),
        Arm(ArmName.SLOWED, Delay(InjectionKind.WORK, 5000)),
        pairs=40,
    )

    outcome = suite.run("turns", replace(schedule, stop=STOP), delayed(suite.find("turns")))

    assert isinstance(outcome, Measured), outcome
    slowed = outcome.find_series(TIME, ArmName.SLOWED).values
    assert len(slowed) in dict(LOOKS)
    assert len(outcome.find_series(TIME, ArmName.PROBE).values) == len(slowed)


@pytest.mark.timed
def test_a_process_ends_when_more_pairs_would_make_nothing_surer(jmh):
    schedule = arms(
        Arm(ArmName.PROBE, Delay(InjectionKind.WORK, 0)),
        Arm(ArmName.SLOWED, Delay(InjectionKind.WORK, 5000)),
        pairs=12,
    )
    enough = replace(STOP, above=9.0, below=-9.0, enough=100.0)

    outcome = jmh.run("turns", replace(schedule, stop=enough), delayed(jmh.find("turns")))

    assert len(outcome.find_series(TIME, ArmName.SLOWED).values) == LOOKS[0][0]


def test_a_process_ends_when_all_its_arms_were_quiet(jmh):
    schedule = until(SOON, _calibrating(rounds=30))

    outcome = jmh.run("turns", schedule, delayed(jmh.find("turns")))

    assert rounds_of(outcome, schedule) == (first_quiet(outcome, schedule) or 30)


def test_a_process_whose_arms_are_never_quiet_runs_to_its_end(jmh):
    schedule = until(NEVER, _calibrating(rounds=6))

    outcome = jmh.run("turns", schedule, delayed(jmh.find("turns")))

    assert rounds_of(outcome, schedule) == 6
    assert first_quiet(outcome, schedule) is None


def _calibrating(rounds):
    return arms(
        Arm(ArmName.PROBE, Delay(InjectionKind.WORK, 0)),
        Arm(ArmName.SLOWED, Delay(InjectionKind.WORK, 5000)),
        Arm(ArmName.CLOCKED, Delay(InjectionKind.CLOCK, 0)),
        pairs=rounds,
    )


@pytest.mark.timed
@pytest.mark.parametrize("name", ["calm", "single"])
def test_one_more_iteration_and_the_tear_down_follow_a_decision(jmh, name):
    schedule = arms(
        Arm(ArmName.PROBE, Delay(InjectionKind.WORK, 0)),
        Arm(ArmName.SLOWED, Delay(InjectionKind.WORK, 5000)),
        warmup=2,
        pairs=12,
    )
    enough = replace(STOP, above=9.0, below=-9.0, enough=100.0)

    outcome = jmh.run(f"Watched.{name}", replace(schedule, stop=enough), delayed(jmh.find("turns")))

    assert isinstance(outcome, Measured), outcome
    pairs = len(outcome.find_series(TIME, ArmName.SLOWED).values)
    assert pairs < 12
    assert torn_down(jmh) == 2 * 2 + 2 * pairs + 1


def test_set_up_at_each_call_is_not_clocked(jmh):
    schedule = arms(Arm(ArmName.CLOCKED, Delay(InjectionKind.CLOCK, 0)), pairs=2)

    outcome = jmh.run("fresh", schedule, delayed(jmh.find("eachCall")))

    assert outcome == NeverCalled()
