"""What a watch changes in a trial, and in the values of its process."""

from dataclasses import replace

import pytest
from builders import run, schedule

from auditor.core.mutant import Variant, VariantKind
from auditor.core.outcome import Measured
from auditor.core.plan import Purpose
from auditor.core.schedule import ArmName, Block, EarlyStop, Phase
from auditor.core.stop_rules import Criterion, StoppingRule, WarmupResult
from auditor.core.values import TIME, Series

WATCH = StoppingRule(method=Criterion.COV, measured=3, seconds=1000.0)
TRIAL = run(Measured(())).trial


def measured(count, metric=TIME):
    block_values = [(place, 10.0 + place) for place in range(count)]
    return Series.from_values(metric, "s/op", ArmName.PLAIN, Phase.MEASUREMENT, block_values)


def places(outcome, phase, metric=TIME):
    result = outcome.find_series(metric, ArmName.PLAIN, phase)
    return () if result is None else result.block_positions


def test_how_a_process_is_watched_is_part_of_what_it_measures():
    watched = [
        replace(TRIAL, watch=watch)
        for watch in (None, WATCH, replace(WATCH, width=0.02), replace(WATCH, method=Criterion.KLD))
    ]

    assert len({trial.id for trial in watched}) == 4


@pytest.mark.parametrize(
    "unfit",
    [
        {"variant": Variant(VariantKind.DELAYED)},
        {"schedule": replace(schedule(), blocks=(Block(Phase.WARMUP, 0),))},
    ],
)
def test_neither_a_changed_subject_nor_a_planned_warm_up_is_watched(unfit):
    with pytest.raises(ValueError, match="is plain, and none of its blocks is a warm-up"):
        replace(TRIAL, watch=WATCH, **unfit)


@pytest.mark.parametrize(
    ("warm", "first"),
    [(0, 0), (4, 4), (9, 9), (None, 7)],
)
def test_blocks_count_from_where_it_was_warm_else_the_last_ones(warm, first):
    warmed = WarmupResult(method=Criterion.COV, warm=warm, enough=warm is not None)

    outcome = Measured((measured(10), measured(10, "wall"))).split_warmup(warmed, 3)

    assert outcome.warmed == warmed
    for metric in (TIME, "wall"):
        assert places(outcome, Phase.WARMUP, metric) == tuple(range(first))
        assert places(outcome, Phase.MEASUREMENT, metric) == tuple(range(first, 10))
    phase_series = [outcome.find_series(TIME, ArmName.PLAIN, phase) for phase in Phase]
    assert sum((series.values for series in phase_series if series), ()) == measured(10).values


def test_of_fewer_blocks_than_are_to_be_measured_all_count():
    warmed = WarmupResult(method=Criterion.COV, warm=None, enough=False)

    outcome = Measured((measured(2),)).split_warmup(warmed, 3)

    assert places(outcome, Phase.WARMUP) == ()
    assert places(outcome, Phase.MEASUREMENT) == (0, 1)


def test_a_pair_that_may_not_stop_is_another_than_one_that_may():
    stop = EarlyStop(above=0.3, below=0.2, looks=((3, 12.0),), least_deviation=1e-3, enough=0.0)
    may = replace(TRIAL, schedule=replace(TRIAL.schedule, stop=stop))
    pairs, may_pairs = (replace(trial, purpose=Purpose.PAIRS) for trial in (TRIAL, may))

    assert TRIAL.id == may.id
    assert pairs.id != may_pairs.id
    assert may_pairs.id == replace(may_pairs, schedule=replace(may.schedule, stop=SECOND_STOP)).id


SECOND_STOP = EarlyStop(above=0.1, below=0.0, looks=((3, 9.0),), least_deviation=1e-3, enough=0.1)
