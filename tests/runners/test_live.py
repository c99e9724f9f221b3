"""Iterations as they come, and who judges them."""

from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest
from builders import run
from hypothesis import given
from hypothesis import strategies as st
from watchers import NEVER, WATCH, Patient, Watched, blocks

from auditor.core.jobs import CompletedProcess, Invocation, OutputMonitor
from auditor.core.outcome import Crashed, Measured, Outcome
from auditor.core.plan import Trial
from auditor.core.ports import Build
from auditor.core.stop_rules import Criterion, WarmupResult
from auditor.core.subject import Language, Project
from runners.hosts.clock import SystemClock
from runners.live import GRACE_SECONDS, IterationJudge, LiveRecords
from runners.records import read_records

TRIAL = run(Measured(())).trial
JOB = Invocation(argv=("go",), cwd=Path("/"), environment=(), timeout_seconds=1)
PROJECT = Project(
    name="ring",
    revision="1",
    language=Language.GO,
    harness="go",
    root=Path("/nowhere"),
    digest="digest",
    parts=(),
    environment=(),
)
FILE = b"""bench-audit-records 1
present\t0
block\t0\t5\t1e-08\t0.25\t0.0\t0
metric\t1\thits\top\t3.0
block\t1\t5\t2.5e-08\t0.5\t0.0\t0
stopped\t0
"""


def parts(data, cuts):
    places = sorted({0, len(data), *cuts})
    return [data[start:end] for start, end in pairwise(places)]


@given(st.sets(st.integers(0, len(FILE))))
def test_blocks_are_read_as_their_lines_end(cuts):
    reader = LiveRecords()

    iterations = [
        iteration for part in parts(FILE, cuts) for iteration in reader.read_iterations(part)
    ]

    recorded_blocks = read_records(FILE, 2).blocks
    assert iterations == [
        (record.seconds_per_operation, record.wall_seconds) for record in recorded_blocks
    ]
    assert iterations == [(1e-08, 0.25), (2.5e-08, 0.5)]


def test_half_a_line_is_no_block_yet():
    reader = LiveRecords()

    assert reader.read_iterations(b"block\t0\t5\t1e-08\t0.25\t0.0\t0") == []
    assert reader.read_iterations(b"\n") == [(1e-08, 0.25)]


@pytest.mark.parametrize(
    "line",
    [
        b"block\t0\t5\t1e-08\n",
        b"block\tfirst\t5\t1e-08\t0.25\t0\t0\n",
        b"block\t0\t5\tnan\t0.25\t0\t0\n",
        b"block\t0\t5\tinf\t0.25\t0\t0\n",
        b"block\t0\t5\t0.0\t0.25\t0\t0\n",
        b"\xff\xfe\n",
    ],
)
def test_what_is_no_block_with_a_time_is_no_iteration(line):
    assert LiveRecords().read_iterations(line) == []


@given(st.lists(st.binary(max_size=40), max_size=5))
def test_no_bytes_make_reading_fail(junk):
    reader = LiveRecords()

    assert all(len(iteration) == 2 for part in junk for iteration in reader.read_iterations(part))


def followed(watcher):
    follow = OutputMonitor(read=LiveRecords().read_iterations, path=Path("records"))
    return (
        IterationJudge(WATCH, watcher, SystemClock())
        .attach_judge(replace(JOB, follow=follow))
        .follow
    )


def block(index, lasted=0.25):
    return f"block\t{index}\t5\t1e-08\t{lasted}\t0\t0\n".encode()


def test_the_grace_is_longer_where_an_iteration_was_long():
    graces = []
    for longest in (0.25, 40.0):
        follow = followed(Patient(3))
        assert follow.judge_data(block(0) + block(1, longest)) is None
        graces.append(follow.judge_data(block(2)))

    assert graces[0] >= GRACE_SECONDS
    assert graces[1] > graces[0] + 2 * 40.0 - 1


def test_nothing_is_judged_behind_what_was_enough():
    watcher = Patient(3)
    follow = followed(watcher)

    assert follow.judge_data(b"".join(map(block, range(9)))) is not None
    assert len(watcher.iterations) == 3


@dataclass
class Ticking:
    """A clock that a test sets."""

    seconds: float = 0.0

    def monotonic(self) -> float:
        return self.seconds

    def now(self) -> str:
        return ""


def test_a_process_ends_at_its_limit_however_little_time_its_iterations_say():
    clock, watcher = Ticking(), Patient(NEVER)
    watching = IterationJudge(replace(WATCH, seconds=8.0), watcher, clock)
    follow = watching.attach_judge(
        replace(JOB, follow=OutputMonitor(read=LiveRecords().read_iterations, path=Path("records")))
    ).follow

    clock.seconds = 100.25  # of which it was built for 100
    assert follow.judge_data(block(0)) is None
    clock.seconds = 107.9
    assert follow.judge_data(block(1)) is None
    clock.seconds = 108.0
    assert follow.judge_data(block(2)) is not None

    warmed = WarmupResult(method=Criterion.COV, warm=None, enough=False)
    assert watching.split_outcome(Measured(())) == Measured((), warmed)


def test_a_process_that_shows_nothing_is_not_followed():
    assert IterationJudge(WATCH, Patient(3), SystemClock()).attach_judge(JOB) is JOB


def test_what_is_no_measurement_stays_what_it_is():
    crashed = Crashed(1, "no")

    assert IterationJudge(WATCH, Patient(3), SystemClock()).split_outcome(crashed) is crashed


def test_a_process_that_did_all_is_asked_what_it_came_to():
    warmed = WarmupResult(method=Criterion.COV, warm=None, enough=False)

    assert IterationJudge(WATCH, Patient(NEVER), SystemClock()).split_outcome(
        Measured(())
    ) == Measured((), warmed)


@dataclass(frozen=True)
class Unreached:
    """A launcher that nobody may ask for a process."""

    def plan_build(self, *_) -> Build:
        return Build()

    def plan_launch(self, *_) -> list[Invocation]:
        raise AssertionError("a process was started")

    def read_outcome(self, trial: Trial, answers: list[CompletedProcess]) -> Outcome:
        raise AssertionError("nothing was run")


def test_a_watched_trial_without_a_watcher_is_refused(tmp_path):
    place = Watched(PROJECT, Unreached(), tmp_path)

    with pytest.raises(ValueError, match="nobody is there to watch"):
        place.run(TRIAL.benchmark, None, blocks(3))
