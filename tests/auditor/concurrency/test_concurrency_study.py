"""Two versions of a class raced, where an arena only says how long they take."""

import re
from dataclasses import dataclass, field, replace

import pytest
from made_up_pool import POOL, Guest

from auditor.concurrency.study import ConcurrencyContext, ConcurrencyStudy
from auditor.core.contracts.concurrency import (
    SEQUENTIAL,
    ConcurrencyFinding,
    ConcurrentTestSuite,
    DifferenceCause,
    GenerationProgress,
    LibraryVersion,
    RacePlan,
    RepetitionTimes,
    Vote,
)
from auditor.core.contracts.concurrent_test_runner import PilotTimes
from auditor.core.errors import SubjectError

PLAN = RacePlan(threads=(2, 8), tests=3, statements=16, prefix=2)


class Writer:
    """Writes tests as their numbers."""

    def name_test_class(self, test):
        return str(test.number)

    def choose_path(self, test):
        return f"Race{test.number}.java"

    def write_program(self, test):
        used = [
            statement.member.name
            for sequence in (test.prefix, *test.suffixes)
            for statement in sequence
        ]
        return f"test {test.number}, {test.repeats} repeats: {' '.join(used)}"

    def write_files(self, test):
        return ((self.choose_path(test), self.write_program(test)),)


@dataclass
class Arena:
    """Takes so many seconds for a call, by version and number of threads; remembers all races."""

    seconds: dict
    slowed: dict = field(default_factory=dict)
    noise: float = 0.01
    fails: str = ""
    failing: dict = field(default_factory=dict)
    guest: Guest = field(default_factory=lambda: Guest(worse=frozenset(("close",))))
    refused: tuple = ()
    unwritable: str = ""
    races: list = field(default_factory=list)
    measured: int = 0
    stops: int = 0
    generations: int = 0

    def run_generation(self, making):
        self.generations += 1
        if self.generations == self.stops:
            raise KeyboardInterrupt
        return self.guest.make(making)

    def compile_tests(self, files):
        return {
            name: "cannot find symbol"
            for name, text in files.items()
            if name in self.refused or self.unwritable in text.split()
        }

    def run_pilot(self, race, seconds):
        took = self._took(race)
        failed = self.fails or self.failing.get(race.test)
        return failed or PilotTimes(wall=took + 1e-4, suffixes=took)

    def measure_race(self, race, settings):
        self.races.append((race, settings))
        self.measured += 1
        noise = 1 + self.noise * (self.measured % 3 - 1)
        return tuple(self._took(race) * noise for _ in range(settings.least))

    def _took(self, race):
        call_seconds = self.seconds[race.version] * self.slowed.get(
            (race.version, race.threads), 1.0
        )
        return call_seconds * race.turns * max(1, race.threads)


@dataclass
class Memory:
    """Remembers while a test lasts."""

    saved_suites: list = field(default_factory=list)
    saved_times: dict = field(default_factory=dict)
    far: GenerationProgress | None = None

    def load_suite(self):
        return self.saved_suites[-1] if self.saved_suites else None

    def save_suite(self, suite):
        self.saved_suites.append(suite)
        self.far = None

    def load_progress(self):
        return self.far

    def save_progress(self, progress):
        self.far = progress

    def load_times(self, test, threads):
        return self.saved_times.get((test.number, threads))

    def save_times(self, test, timed):
        self.saved_times[test.number, threads_of(timed)] = timed


def threads_of(timed):
    """Return its number of threads."""
    return timed.threads


class Nobody:
    """Hears nothing."""

    def phase_started(self, name, trials, seconds):
        """Ignore it."""


def arena(old=1e-7, new=1e-7, **more):
    """Return an arena where a turn takes so long with each version."""
    return Arena({LibraryVersion.OLD: old, LibraryVersion.NEW: new}, **more)


def audited(arena, *, plan=PLAN, memory=None):
    """Return the verdict."""
    workers = ConcurrencyContext(
        arena=arena,
        writer=lambda _: Writer(),
        memory=memory or Memory(),
        observer=Nobody(),
    )
    return ConcurrencyStudy(POOL, plan, (), workers).run_study()


def test_a_version_twice_as_slow_is_a_regression_that_one_thread_shows_too():
    result = audited(arena(new=2e-7))

    assert (result.finding, result.cause) == (ConcurrencyFinding.REGRESSION, DifferenceCause.ANYWAY)
    assert [thread.threads for thread in result.threads] == [2, 8]
    assert result.control.threads == SEQUENTIAL
    assert all(thread.speedup == pytest.approx(0.5, rel=0.05) for thread in result.threads)


def test_a_version_slower_with_many_threads_only_is_about_concurrency():
    result = audited(arena(slowed={(LibraryVersion.NEW, 8): 3.0}))

    assert (result.finding, result.cause) == (
        ConcurrencyFinding.REGRESSION,
        DifferenceCause.CONCURRENCY,
    )
    assert [thread.finding for thread in result.threads] == [
        ConcurrencyFinding.NONE,
        ConcurrencyFinding.REGRESSION,
    ]


def test_the_control_does_the_calls_of_the_threads_that_show_the_finding():
    place = arena(slowed={(LibraryVersion.NEW, 2): 3.0})

    result = audited(place)

    assert [thread.finding for thread in result.threads] == [
        ConcurrencyFinding.REGRESSION,
        ConcurrencyFinding.NONE,
    ]
    alone = [race for race, _ in place.races if race.threads == SEQUENTIAL]
    assert {race.suffixes for race in alone} == {2}
    assert {race.suffixes for race, _ in place.races if race.threads == 8} == {8}
    few = sum(len(suffix) for suffix in result.suite.tests[0].suffixes[:2])
    assert result.control.tests[0].timed.calls % few == 0


def test_measurements_that_ended_too_early_for_a_surer_plan_are_made_anew():
    memory = Memory()
    audited(arena(new=1.3e-7, noise=0.01), memory=memory)
    more = arena(new=1.3e-7, noise=0.01)

    result = audited(more, memory=memory, plan=replace(PLAN, confidence=0.999999))

    assert more.races
    assert result.finding is ConcurrencyFinding.REGRESSION


def test_a_length_that_is_given_is_that_of_the_tests():
    result = audited(arena(), plan=replace(PLAN, shortest=64, longest=64))

    assert (result.suite.length, result.suite.tried, result.suite.caveats) == (64, (), ())


def test_the_same_twice_is_none_and_needs_no_control():
    place = arena()

    result = audited(place)

    assert (result.finding, result.cause, result.smallest) == (
        ConcurrencyFinding.NONE,
        DifferenceCause.UNKNOWN,
        None,
    )
    assert result.control is None
    assert SEQUENTIAL not in {race.threads for race, _ in place.races}


def test_tests_that_could_not_change_the_vote_are_left_out():
    result = audited(arena(new=2e-7), plan=replace(PLAN, tests=5))

    assert [len(thread.tests) for thread in result.threads] == [3, 3]
    assert [thread.left_out for thread in result.threads] == [2, 2]


def test_both_versions_get_the_same_numbers_of_repetitions_and_turns():
    place = arena(new=3e-7)

    audited(place)

    for test in ("1", "2", "3"):
        for threads in (0, 2, 8):
            race_settings = {
                (race.turns, settings.repetitions, settings.warmup)
                for race, settings in place.races
                if (race.test, race.threads) == (test, threads)
            }
            assert len(race_settings) == 1


def test_turns_are_scaled_so_that_a_repetition_stays_in_the_window():
    place = arena(slowed={(LibraryVersion.NEW, 8): 40.0})

    result = audited(place)

    (crowded,) = [thread for thread in result.threads if thread.threads == 8]
    assert all(test.timed.repetitions >= PLAN.least_repetitions for test in crowded.tests)
    assert {test.vote for test in crowded.tests} == {Vote.OLD}


def test_the_order_of_the_versions_is_drawn_anew_each_time():
    place = arena(noise=0.05)

    audited(place)

    orders = [race.version for race, _ in place.races]
    pairs = set(zip(orders[::2], orders[1::2], strict=True))
    assert pairs == {
        (LibraryVersion.OLD, LibraryVersion.NEW),
        (LibraryVersion.NEW, LibraryVersion.OLD),
    }


def test_without_processes_of_their_own_measurements_are_left_to_the_guest():
    place = arena()

    audited(place, plan=replace(PLAN, processes=False))

    settings = place.races[0][1]
    assert (settings.least, settings.most, settings.stop) == (3, 8, 0.02)
    assert len(place.races) == 2 * 3 * 2


def test_without_a_control_there_is_none():
    result = audited(arena(new=2e-7), plan=replace(PLAN, control=False))

    assert (result.control, result.cause) == (None, DifferenceCause.UNKNOWN)


def test_a_study_goes_on_where_it_stopped():
    memory = Memory()
    first = audited(arena(new=2e-7), memory=memory)
    second_arena = arena(new=2e-7)

    assert audited(second_arena, memory=memory) == first
    assert second_arena.races == []


@pytest.mark.parametrize("stops", [4, 8, 10])
def test_tests_that_were_made_before_an_interrupt_are_not_made_again(stops):
    """Nor is the length looked for again once it is known, and what comes of it is the same."""
    bad = {"2": "suffix 1 raised java.lang.IllegalStateException"}
    complete, stopped, rest = (
        arena(unwritable="size", failing=bad, stops=stop) for stop in (0, stops, 0)
    )
    expected = audited(complete)
    memory = Memory()
    with pytest.raises(KeyboardInterrupt):
        audited(stopped, memory=memory)
    progress = memory.far

    result = audited(rest, memory=memory)

    assert result.suite == expected.suite
    assert memory.far is None
    assert (progress is None) == (stops == 4)  # while a length was looked for
    # The class is looked at anew, and the first test is made twice: without what javac refuses.
    assert progress is None or rest.generations <= 1 + complete.generations - stops + 2


def test_a_class_of_which_no_test_works_is_tried_again_by_the_next_call():
    memory = Memory()
    with pytest.raises(SubjectError):
        audited(
            arena(fails="a bad hour"), memory=memory, plan=replace(PLAN, shortest=64, longest=64)
        )

    result = audited(arena(), memory=memory, plan=replace(PLAN, shortest=64, longest=64))

    assert len(result.suite.tests) == 3


def test_a_test_that_does_not_compile_is_replaced_and_counted():
    result = audited(arena(refused=("Race2.java",)))

    assert [test.number for test in result.suite.tests] == [1, 3, 4]
    assert ("a test that does not compile: cannot find symbol", 1) in result.suite.dropped


def test_a_method_that_cannot_be_written_is_left_out_and_costs_no_test():
    result = audited(arena(unwritable="size"))

    assert [test.number for test in result.suite.tests] == [1, 2, 3]
    assert "size" not in " ".join(text for _, text in result.suite.files)
    assert "size()" not in result.suite.methods
    reason = "size(): javac says cannot find symbol, so it is not called"
    assert [
        dropped_call for dropped_call in result.suite.dropped if "javac" in dropped_call[0]
    ] == [(reason, 1)]


def test_a_method_that_cannot_be_written_makes_no_length_too_long():
    result = audited(arena(unwritable="size"))

    assert result.suite.length == audited(arena()).suite.length


def test_a_length_that_is_found_and_the_same_one_given_have_the_same_tests():
    result = audited(arena())
    length = result.suite.length

    fixed_length = audited(arena(), plan=replace(PLAN, shortest=length, longest=length))

    assert len(result.suite.tried) > 1
    assert fixed_length.suite.tests == result.suite.tests


def test_a_test_that_fails_in_a_race_is_replaced_and_counted():
    result = audited(arena(failing={"2": "suffix 1 raised java.lang.IllegalStateException"}))

    assert [test.number for test in result.suite.tests] == [1, 3, 4]
    reason = (
        "a test with threads: suffix # raised java.lang.IllegalStateException in the old version"
    )
    assert (reason, 1) in result.suite.dropped


def test_races_that_all_fail_are_an_error_with_the_first_reason():
    place = arena()
    memory = Memory()
    audited(place, memory=memory)
    memory.saved_times.clear()
    place.fails = "suffix 1 raised java.lang.IllegalStateException"
    message = (
        "none of 2 tests of org.example.Pool could be measured; the first: old version: "
        "suffix 1 raised"
    )

    with pytest.raises(SubjectError, match=re.escape(message)):
        audited(place, memory=memory)


def test_a_class_of_which_no_test_works_says_what_failed_most():
    guest = Guest(worse=frozenset(("close",)), with_threads="a race in the old version")
    message = "no test of org.example.Pool works with both versions and 8 threads; most often: "

    with pytest.raises(SubjectError, match=re.escape(message)) as raised:
        audited(arena(guest=guest))

    assert "a test with threads: a race in the old version" in str(raised.value)


def test_a_failed_race_is_open_and_said():
    memory = Memory()
    audited(arena(), memory=memory)
    memory.saved_times[1, 8] = RepetitionTimes(
        test=1, threads=8, calls=0, repetitions=0, reason="a deadlock"
    )

    result = audited(arena(), memory=memory)

    (crowded,) = [thread for thread in result.threads if thread.threads == 8]
    assert crowded.count_votes(Vote.INCONCLUSIVE) == 1
    assert any(
        caveat.slug == "inconclusive-tests" and "a deadlock" in caveat.text
        for caveat in result.caveats
    )


def test_the_tests_are_handed_out_as_source():
    result = audited(arena())

    assert isinstance(result.suite, ConcurrentTestSuite)
    assert [name for name, _ in result.suite.files] == ["Race1.java", "Race2.java", "Race3.java"]


def test_a_length_whose_first_test_does_not_compile_is_tried_with_another():
    result = audited(arena(refused=("Race1000.java", "Race1001.java")))

    assert result.suite.length == audited(arena()).suite.length
