"""What runs beside each other on one machine, and what has it for itself."""

import fcntl
import threading
import time
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import pytest
from builders import benchmark, counted, crashed, run, timed_out, window

from auditor.core.errors import OutOfTime
from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.outcome import NotBuilt, Profiled
from auditor.core.plan import Purpose
from runners.dispatch.machine import MachineDispatcher
from runners.grouping import DEFAULT_LIMIT

COUNTS = counted(window(1, {"a": 1}))
PATIENCE = 30.0


class Runner:
    """Notes how many trials run at a time, and ends them as it is told."""

    def limit_together(self, trial, seconds_left, parallel):
        return DEFAULT_LIMIT

    def __init__(self, *, ends=None, together=1):
        self.ends = ends or {}
        self.most = 0
        self.began = []
        self._busy = 0
        self._lock = threading.Lock()
        self._meeting = threading.Barrier(together)

    def is_prepared(self, trial):
        return True

    def find_sharing_key(self, trial):
        return None

    def run_trial(self, trial):
        with self._lock:
            self._busy += 1
            self.most = max(self.most, self._busy)
            name = trial.benchmark.name if trial.benchmark else trial.tests
            self.began.append(name)
        if not trial.is_exclusive and self._meeting.parties > 1:
            self._meeting.wait(PATIENCE)
        with self._lock:
            self._busy -= 1
        ends = self.ends.get(name, [COUNTS])
        outcome = ends.pop(0) if len(ends) > 1 else ends[0]
        if isinstance(outcome, Exception):
            raise outcome
        return replace(run(outcome), trial=trial)


def trials(*names, purpose=Purpose.REACH):
    return [run(COUNTS, purpose=purpose, of_benchmark=benchmark(name)).trial for name in names]


def dispatcher(tmp_path, runner, jobs, stop=lambda: None):
    machine_dispatcher = MachineDispatcher(tmp_path / "lock", jobs, stop)
    machine_dispatcher.register_runner(["digest"], runner)
    return machine_dispatcher


def process(name):
    return Invocation(argv=(name,), cwd=Path("/"), environment=(), timeout_seconds=1.0)


def names(runs):
    return [trial_result.trial.benchmark.name for trial_result in runs]


def test_what_is_timed_has_the_machine_for_itself_and_the_order_given(tmp_path):
    runner = Runner()
    requested_trials = trials("d", "a", "c", "b", purpose=Purpose.PAIRS)

    result = names(dispatcher(tmp_path, runner, 4).run_trials(requested_trials))

    assert result == ["d", "a", "c", "b"]
    assert runner.most == 1


def test_as_many_as_asked_for_are_counted_at_a_time(tmp_path):
    runner = Runner(together=2)  # each waits for another one
    result = names(dispatcher(tmp_path, runner, 2).run_trials(trials(*"abcdef")))

    assert sorted(result) == [*"abcdef"]
    assert runner.most == 2


def test_what_is_timed_waits_until_the_last_count_has_ended(tmp_path):
    runner = Runner(together=2)
    requested_trials = [
        *trials("a", "b"),
        *trials("c", "d", purpose=Purpose.PAIRS),
        *trials("e", "f"),
    ]

    result = names(dispatcher(tmp_path, runner, 2).run_trials(requested_trials))

    assert (sorted(result[:2]), result[2:4], sorted(result[4:])) == (
        ["a", "b"],
        ["c", "d"],
        ["e", "f"],
    )


def test_a_trial_is_asked_for_when_there_is_room_for_it(tmp_path):
    """The one who asks looks at the clock then, and not for all of them at the beginning."""
    yielded_trials = []

    def lazily():
        for trial in trials(*"abcdef"):
            yielded_trials.append(trial)
            yield trial

    result = dispatcher(tmp_path, Runner(), 2).run_trials(lazily())
    next(result)

    assert len(yielded_trials) <= 3


def test_a_benchmark_that_fails_beside_another_is_run_again_by_itself(tmp_path):
    runner = Runner(ends={"a": [crashed(), COUNTS], "b": [crashed()]})

    ended = {
        trial_result.trial.benchmark.name: trial_result.outcome
        for trial_result in dispatcher(tmp_path, runner, 2).run_trials(trials(*"abc"))
    }

    assert ended == {"a": COUNTS, "b": crashed(), "c": COUNTS}
    assert sorted(runner.began) == [*"aabbc"]
    assert sorted(runner.began[3:]) == ["a", "b"]


def test_what_hangs_or_does_not_build_beside_another_may_by_itself(tmp_path):
    runner = Runner(ends={"a": [timed_out(), COUNTS], "b": [NotBuilt("killed"), COUNTS]})

    ended = [
        trial_result.outcome
        for trial_result in dispatcher(tmp_path, runner, 2).run_trials(trials("a", "b"))
    ]

    assert ended == [COUNTS, COUNTS]


def test_a_pilot_that_a_budget_ended_is_not_run_again(tmp_path):
    runner = Runner(ends={"a": [timed_out(), COUNTS], "b": [crashed(), COUNTS]})
    pilots = [replace(trial, rough=True) for trial in trials("a", "b", "c", purpose=Purpose.PILOT)]

    ended = {
        pilot.trial.benchmark.name: pilot.outcome
        for pilot in dispatcher(tmp_path, runner, 2).run_trials(pilots)
    }

    assert ended == {"a": timed_out(), "b": COUNTS, "c": COUNTS}
    assert sorted(runner.began) == ["a", "b", "b", "c"]


def test_what_had_nobody_beside_it_is_not_run_again(tmp_path):
    alone = Runner(ends={"a": [crashed()]})

    assert len([*dispatcher(tmp_path, alone, 1).run_trials(trials("a"))]) == 1
    assert alone.began == ["a"]


def test_unit_tests_that_fail_are_not_run_again_but_what_does_not_build_is(tmp_path):
    runner = Runner(ends={"a": [crashed()], "b": [NotBuilt("killed"), COUNTS]})
    requested_trials = [
        replace(trial, benchmark=None, tests=trial.benchmark.name, purpose=Purpose.USAGE)
        for trial in trials("a", "b")
    ]

    ended = {
        trial_result.trial.tests: trial_result.outcome
        for trial_result in dispatcher(tmp_path, runner, 2).run_trials(requested_trials)
    }

    assert ended == {"a": crashed(), "b": COUNTS}
    assert sorted(runner.began) == ["a", "b", "b"]


def test_at_the_end_of_the_time_the_others_end_by_themselves(tmp_path):
    stopped, finished_names = [], []
    late = Runner(ends={"a": [OutOfTime("over")]}, together=2)

    runs = dispatcher(tmp_path, late, 2, lambda: stopped.append(1)).run_trials(trials("a", "b"))
    finished_names.append(next(runs).trial.benchmark.name)

    with pytest.raises(OutOfTime):
        next(runs)
    assert finished_names == ["b"]
    assert not stopped


def test_nothing_is_begun_after_the_end_of_the_time(tmp_path):
    late = Runner(ends={"a": [OutOfTime("over")]})

    with pytest.raises(OutOfTime):
        [*dispatcher(tmp_path, late, 1).run_trials(trials(*"abc"))]
    assert late.began == ["a"]


def test_what_runs_is_stopped_where_one_breaks_off(tmp_path):
    stopped = []
    broken = Runner(ends={"a": [OSError("no disk")]})

    with pytest.raises(OSError, match="no disk"):
        [*dispatcher(tmp_path, broken, 2, lambda: stopped.append(1)).run_trials(trials("a", "b"))]
    assert stopped


@pytest.mark.parametrize("purpose", [Purpose.REACH, Purpose.PAIRS])
def test_others_that_measure_here_wait_meanwhile(tmp_path, purpose):
    """And it waits for them."""
    runner = Runner()
    result = dispatcher(tmp_path, runner, 2).run_trials(trials("a", purpose=purpose))
    with (tmp_path / "lock").open("a") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        waiting = threading.Thread(target=lambda: [*result])
        waiting.start()
        time.sleep(0.2)
        before = list(runner.began)
    waiting.join(PATIENCE)

    assert before == []
    assert runner.began == ["a"]


def test_processes_that_are_not_timed_are_asked_of_together_and_answer_in_order(tmp_path):
    meeting = threading.Barrier(2)  # each waits for another one

    def ask(job):
        meeting.wait(PATIENCE)
        if job.argv[0] == "a":
            time.sleep(0.05)  # so that the other one has ended before
        return CompletedProcess(exit_code=0, stdout=job.argv[0].encode())

    machine_dispatcher = MachineDispatcher(tmp_path / "lock", 2, lambda: None)
    completeds = machine_dispatcher.ask_in_parallel(ask, [process(name) for name in "abcd"])

    assert [completed.stdout for completed in completeds] == [b"a", b"b", b"c", b"d"]


def test_one_at_a_time_is_asked_of_where_a_host_can_no_more(tmp_path):
    asking_threads = set()

    def ask(_job):
        asking_threads.add(threading.current_thread())
        return CompletedProcess(exit_code=0)

    MachineDispatcher(tmp_path / "lock", 1, lambda: None).ask_in_parallel(
        ask, [process("a"), process("b")]
    )

    assert asking_threads == {threading.main_thread()}


def test_what_fails_beside_others_is_asked_of_again_by_itself_but_not_what_was_too_slow(tmp_path):
    process_names = []

    def ask(job):
        name = job.argv[0]
        process_names.append(name)
        is_first_try = process_names.count(name) == 1
        codes = {"a": 0, "b": 1 if is_first_try else 0, "c": None, "d": 1}
        return CompletedProcess(exit_code=codes[name])

    machine_dispatcher = MachineDispatcher(tmp_path / "lock", 2, lambda: None)
    completeds = machine_dispatcher.ask_in_parallel(ask, [process(name) for name in "abcd"])

    assert [completed.exit_code for completed in completeds] == [0, 0, None, 1]
    assert sorted(process_names) == ["a", "b", "b", "c", "d", "d"]
    machine_dispatcher.ask_in_parallel(ask, [process("d")])  # had nobody beside it
    assert process_names.count("d") == 3


def test_a_profile_that_was_taken_beside_another_is_not_taken_again(tmp_path):
    profile = Profiled(
        frames=(),
        stacks=(),
        unattributed=0,
        background=0,
        period_seconds=0.0,
        cpu_seconds=0.0,
        timed_seconds=0.0,
    )
    runner = Runner(ends={"a": [profile]})

    assert len([*dispatcher(tmp_path, runner, 2).run_trials(trials("a", "b"))]) == 2
    assert sorted(runner.began) == ["a", "b"]


class SharingRunner(Runner):
    """Lets trials of equal first letters share a process; `alone` cannot."""

    def __init__(self, alone=(), ending=(), **more):
        super().__init__(**more)
        self.alone = alone
        self.ending = ending
        """Trials that end the process for those behind them, too."""
        self.together = []

    def find_sharing_key(self, trial):
        name = trial.benchmark.name
        return None if name.startswith("x") else name[0]

    def run_together(self, group):
        self.together.append("".join(trial.benchmark.name for trial in group))
        before_end = takewhile(lambda trial: trial.benchmark.name not in self.ending, group)
        return [
            replace(run(COUNTS), trial=trial)
            for trial in before_end
            if trial.benchmark.name not in self.alone
        ]


@pytest.mark.parametrize("purpose", [Purpose.PAIRS, Purpose.REACH])
def test_neighbours_that_may_share_a_process_do_and_what_cannot_runs_alone(tmp_path, purpose):
    runner = SharingRunner(alone=["a2"])
    planned = trials("x1", "x2", "a1", "a2", "a3", "b1", "a4", "a5", purpose=purpose)
    ended = names(dispatcher(tmp_path, runner, 1).run_trials(planned))

    assert sorted(ended) == ["a1", "a2", "a3", "a4", "a5", "b1", "x1", "x2"]
    assert runner.together == ["a1a2a3", "a4a5"]
    assert runner.began == (
        ["x1", "x2", "a2", "b1"] if purpose is Purpose.PAIRS else ["x1", "x2", "b1", "a2"]
    )


@pytest.mark.parametrize("purpose", [Purpose.PAIRS, Purpose.REACH])
def test_what_is_behind_a_trial_that_ends_its_process_shares_another(tmp_path, purpose):
    runner = SharingRunner(ending=["a1", "a4"])
    planned = trials("a1", "a2", "a3", "a4", "a5", "a6", purpose=purpose)
    ended = names(dispatcher(tmp_path, runner, 1).run_trials(planned))

    assert sorted(ended) == ["a1", "a2", "a3", "a4", "a5", "a6"]
    assert runner.together == ["a1a2a3a4a5a6", "a2a3a4a5a6", "a5a6"]
    assert runner.began == ["a1", "a4"]


def test_a_process_is_shared_by_eight_at_most_and_nothing_is_asked_for_too_early(tmp_path):
    runner, planned = SharingRunner(), []

    def lazily():
        for trial in trials(*(f"a{number}" for number in range(10)), purpose=Purpose.PAIRS):
            planned.append(trial)
            yield trial

    result = dispatcher(tmp_path, runner, 2).run_trials(lazily())
    next(result)

    assert len(planned) == DEFAULT_LIMIT
    assert len([next(result), *result]) == 9
    assert runner.together == ["a0a1a2a3a4a5a6a7", "a8a9"]


class BrieflySharingRunner(SharingRunner):
    """Has time for one process that is shared, and for nothing else."""

    def run_together(self, group):
        if self.together:
            raise OutOfTime("no time left")
        return super().run_together(group)


@pytest.mark.parametrize("purpose", [Purpose.PAIRS, Purpose.REACH])
def test_what_ended_is_stored_where_there_is_no_time_for_a_second_process(tmp_path, purpose):
    runner = BrieflySharingRunner(ending=["a2"], ends={"a2": [OutOfTime("no time left")]})
    planned = trials("a1", "a2", "a3", "a4", purpose=purpose)
    result = dispatcher(tmp_path, runner, 1).run_trials(planned)

    assert names([next(result)]) == ["a1"]
    with pytest.raises(OutOfTime):
        next(result)


def test_what_shared_a_process_is_there_where_the_time_is_up_for_the_rest(tmp_path):
    runner = SharingRunner(alone=["a2"], ends={"a2": [OutOfTime("no time left")]})
    result = dispatcher(tmp_path, runner, 1).run_trials(
        trials("a1", "a2", "a3", purpose=Purpose.PAIRS)
    )

    assert names([next(result), next(result)]) == ["a1", "a3"]
    with pytest.raises(OutOfTime):
        next(result)
