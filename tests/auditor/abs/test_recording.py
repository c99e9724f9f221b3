from dataclasses import replace

from builders import pair_run, suite_runs

from auditor.abs.recording import RecordedRuns
from auditor.core.jobs import HostInterference
from auditor.core.plan import REPEAT_OFFSET


def test_a_run_that_was_made_anew_takes_the_place_of_the_first():
    """As do controls and the curve, a run with wrong turns has no row."""
    (plain,) = suite_runs([[1e-6] * 3])
    wrong, right, zero = (pair_run([1e-6] * 3, [t] * 3, repetition=1) for t in (9e-6, 2e-6, 1e-6))
    right = replace(
        right, trial=replace(right.trial, schedule=replace(right.trial.schedule, seconds=0.02))
    )
    recorded_runs = RecordedRuns(
        {
            ("suite run 1 of 1", "a"): plain,
            ("pairs, run 1 of 2", "b"): wrong,
            ("pairs, turns corrected", "c"): right,
            ("controls, run 1 of 2", "d"): zero,
        }
    )

    values = [line.rpartition(";")[2] for line in recorded_runs.format_table("go").splitlines()]

    assert sorted(map(float, values)) == [1000.0] * 3 + [2000.0] * 3


def test_a_quiet_repeat_takes_the_place_of_a_run_on_a_busy_machine():
    busy = HostInterference(waited=0.9, foreign=0.5)
    (first,) = suite_runs([[1e-6] * 3])
    (repeat,) = suite_runs([[2e-6] * 3])
    first = replace(first, strain=busy)
    repeat = replace(repeat, trial=replace(repeat.trial, repetition=1 + REPEAT_OFFSET))

    def rows(repeated):
        recorded = RecordedRuns({("suite run 1 of 1", "a"): first, ("again", "b"): repeated})
        cells = [line.split(";") for line in recorded.format_table("go").splitlines()]
        return {row[0] for row in cells}, {float(row[-1]) for row in cells}

    assert rows(repeat) == ({"0-0-0"}, {2000.0})
    assert rows(replace(repeat, strain=busy)) == ({"0-0-0"}, {1000.0})
