import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.core.jobs import HostFacts
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.outcome import (
    Counted,
    Crashed,
    Measured,
    MethodClock,
    NeverCalled,
    NotBuilt,
    Skipped,
    TimedOut,
    Unreadable,
    Window,
)
from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule
from auditor.core.stop_rules import Criterion, StoppingRule, WarmupResult
from auditor.core.suite import Benchmark, Suite
from auditor.core.values import Series
from auditor.store import rows

words = st.text(max_size=12)
numbers = st.floats(allow_nan=False)
counts = st.tuples(words, st.integers(-(2**70), 2**70))
pairs = st.lists(st.tuples(words, words), max_size=3).map(tuple)

series = st.builds(
    Series.from_values,
    words,
    words,
    st.sampled_from(ArmName),
    st.sampled_from(Phase),
    st.lists(st.tuples(st.integers(0, 2**32 - 1), numbers), max_size=4),
)
windows = st.builds(
    Window,
    st.integers(0, 2**64),
    st.lists(counts, max_size=3).map(tuple),
    st.lists(words, max_size=2).map(tuple),
)
warmed = st.builds(
    WarmupResult,
    method=st.sampled_from(Criterion),
    warm=st.none() | st.integers(0, 2**32),
    enough=st.booleans(),
    since=st.none() | st.integers(0, 2**32),
)
watches = st.builds(
    StoppingRule,
    method=st.sampled_from(Criterion),
    measured=st.integers(1, 2**32),
    seconds=numbers,
    width=st.none() | numbers,
)
outcomes = st.one_of(
    st.builds(Measured, st.lists(series, max_size=3).map(tuple), st.none() | warmed),
    st.builds(
        Counted,
        st.lists(windows, max_size=2).map(tuple),
        st.lists(counts, max_size=2).map(tuple),
        st.booleans(),
        words,
        st.booleans(),
        st.lists(st.builds(MethodClock, words, numbers, numbers), max_size=2).map(tuple),
    ),
    st.builds(Skipped, words),
    st.builds(TimedOut, numbers, words),
    st.builds(Crashed, st.integers(-64, 255), words),
    st.builds(Unreadable, words, words),
    st.builds(NeverCalled),
    st.builds(NotBuilt, words),
)
benchmarks = st.builds(
    Benchmark,
    group=words,
    name=words,
    parameters=pairs,
    threads=st.integers(1, 9),
    concurrency=st.integers(1, 9),
    notes=st.lists(words, max_size=2).map(tuple),
    settings=words,
)
arms = st.builds(
    Arm,
    st.sampled_from(ArmName),
    st.none() | st.builds(Delay, st.sampled_from(InjectionKind), numbers),
)
schedules = st.builds(
    lambda arms, picks, seconds, operations: Schedule(
        arms=tuple(arms),
        blocks=tuple(Block(phase, index % len(arms)) for phase, index in picks),
        seconds=seconds,
        operations=operations,
    ),
    st.lists(arms, min_size=1, max_size=3),
    st.lists(st.tuples(st.sampled_from(Phase), st.integers(0, 9)), max_size=6),
    numbers,
    st.none() | st.integers(1, 2**62),
)


@given(outcomes)
def test_an_outcome_survives_its_row(outcome):
    word, payload = rows.outcome_to_row(outcome)
    stored_series = tuple(
        rows.series_from_row(rows.series_to_row(plain_series))
        for plain_series in getattr(outcome, "series", ())
    )

    assert rows.outcome_from_row(word, payload, stored_series) == outcome


def test_counts_of_before_it_was_asked_how_often_the_harness_called_say_nothing_of_it():
    word, payload = rows.outcome_to_row(Counted((), in_one_call=True))
    old = {key: value for key, value in json.loads(payload).items() if key != "in_one_call"}

    assert rows.outcome_from_row(word, json.dumps(old), ()) == Counted(())


def test_counts_of_before_calls_were_clocked_do_not_say_how_long_they_took():
    counted = Counted((), clocked=(MethodClock("ring.Push", 1e-8, 2e-7),))
    word, payload = rows.outcome_to_row(counted)
    old = {key: value for key, value in json.loads(payload).items() if key != "clocked"}

    assert rows.outcome_from_row(word, payload, ()) == counted
    assert rows.outcome_from_row(word, json.dumps(old), ()) == Counted(())


def test_a_watched_process_of_before_it_was_told_since_when_it_was_steady_does_not_say():
    warmed = WarmupResult(method=Criterion.LEARNED, warm=40, enough=True, since=12)
    word, payload = rows.outcome_to_row(Measured((), warmed))
    old = json.loads(payload)
    del old["warmed"]["since"]

    assert rows.outcome_from_row(word, json.dumps(old), ()) == Measured(
        (), dataclasses.replace(warmed, since=None)
    )


def test_a_schedule_is_told_whole():
    arms = (Arm(ArmName.PROBE), Arm(ArmName.SLOWED, Delay(InjectionKind.WORK, 12.0)))
    blocks = (Block(Phase.WARMUP, 0), Block(Phase.MEASUREMENT, 1))
    schedule = Schedule(arms=arms, blocks=blocks, seconds=0.05, operations=70)

    assert json.loads(rows.schedule_to_row(schedule)) == {
        "arms": [["probe"], ["slowed", "work", 12.0]],
        "blocks": [["warmup", 0], ["measurement", 1]],
        "seconds": 0.05,
        "operations": 70,
    }


@given(schedules)
def test_a_schedule_survives_its_row(schedule):
    assert rows.schedule_from_row(rows.schedule_to_row(schedule)) == schedule


@given(st.none() | watches)
def test_a_watch_survives_its_row(watch):
    assert rows.watch_from_row(rows.watch_to_row(watch)) == watch


@given(st.builds(HostFacts, words, pairs))
def test_host_facts_survive_their_row(host):
    assert rows.host_from_row(rows.host_to_row(host)) == host


@given(st.lists(benchmarks, max_size=3), pairs)
def test_a_suite_survives_its_row_except_for_its_sources(usable, unusable):
    suite = Suite(tuple(usable), (), unusable)

    read = rows.suite_from_row(rows.suite_to_row(suite))

    assert read == suite
    assert list(map(dataclasses.asdict, read.benchmarks)) == list(map(dataclasses.asdict, usable))


def test_a_suite_that_was_stored_before_there_were_notes_is_read():
    row = {"group": "g", "name": "B", "parameters": [["size", "1"]], "threads": 2, "settings": "s"}

    read = rows.suite_from_row(json.dumps({"benchmarks": [row], "unusable": []}))

    assert dataclasses.asdict(read.benchmarks[0]) == dataclasses.asdict(
        Benchmark(group="g", name="B", parameters=(("size", "1"),), threads=2, settings="s")
    )


def test_an_unknown_ending_is_no_outcome():
    with pytest.raises(ValueError, match="vanished"):
        rows.outcome_from_row("vanished", "{}", ())
