"""What changed modules call, where a call lasts longer than the arm or the set-up it began in."""

import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).parents[3] / "runners" / "pybench" / "guest" / "zz_bench_audit.py"


@pytest.fixture
def guest():
    spec = importlib.util.spec_from_file_location("guest_of_its_own", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("guarded", ["", "_guarded"])
@pytest.mark.parametrize("way", ["spin", "sleep", "clock"])
def test_a_call_that_began_before_time_was_kept_neither_waits_nor_is_timed(way, guarded, guest):
    token = getattr(guest, f"enter{guarded}")()
    guest.set_arm(way, 1e-9)
    getattr(guest, f"leave{guarded}")(token)

    assert (guest.state.ran, guest.state.calls, guest.state.spent) == (False, 0, 0)
    assert guest.enter_guarded() is not None


@pytest.mark.parametrize("way", ["spin", "sleep", "clock"])
def test_a_call_that_began_in_set_up_neither_waits_nor_is_timed(way, guest):
    guest.set_arm(way, 1e-9)
    with guest.Pause():
        token = guest.enter_guarded()
    guest.leave_guarded(token)

    assert (guest.state.ran, guest.state.calls, guest.state.spent) == (False, 0, 0)


def test_a_call_that_ends_in_set_up_makes_no_later_one_an_inner_one(guest):
    token = guest.enter_guarded()
    with guest.Pause():
        guest.leave_guarded(token)

    assert guest.enter_guarded() is not None


def test_set_up_within_a_call_leaves_that_the_outermost_one(guest):
    guest.enter_guarded()
    with guest.Pause():
        inner = guest.enter_guarded()
    guest.leave_guarded(inner)

    assert guest.enter_guarded() is None


def test_a_counted_call_may_begin_in_set_up_and_end_later(guest):
    with guest.Pause():
        name = guest.begin("f")
    guest.end(name)
    guest.begin("f")

    assert guest.counter.outside == {"f": 1}
    assert guest.counter.take_counts() == ({"f": 1}, set())


def test_a_counted_call_may_end_in_set_up(guest):
    name = guest.begin("f")
    with guest.Pause():
        guest.end(name)
    guest.begin("f")

    assert guest.counter.outside == {}
    assert guest.counter.take_counts() == ({"f": 2}, set())


def test_inner_calls_of_set_up_are_counted_nowhere(guest):
    with guest.Pause():
        guest.begin("f")
        guest.begin("f")

    assert guest.counter.outside == {"f": 1}
    assert guest.counter.take_counts() == ({}, set())


def test_outermost_calls_are_timed_as_asked_for(guest):
    guest.counter.clock(["f"])
    for name in ("f", "f", "g"):
        outer = guest.begin(name)
        guest.end(guest.begin(name))
        guest.end(outer)
    timed = guest.counter.timed()
    guest.end(guest.begin("f"))

    assert timed.keys() == {"f"}
    assert timed["f"] > 0
    assert guest.counter.timed() == timed


def test_a_function_of_which_a_call_has_not_ended_has_no_time(guest):
    guest.counter.clock(["f", "g"])
    guest.begin("f")
    guest.end(guest.begin("g"))

    assert guest.counter.timed().keys() == {"g"}


def test_a_call_that_began_before_its_turn_is_not_timed(guest):
    early = guest.begin("f")
    guest.counter.clock(["f"])
    guest.end(early)

    assert guest.counter.timed() == {"f": 0.0}


CALLS = """
import functools, threading

def called():
    begin("called"); end("called")

def caller():
    called()

def deprecated(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments)
    return wrapper

@deprecated
@deprecated
def api():
    begin("api"); end("api")

def start():
    thread = threading.Thread(target=called)
    thread.start()
    thread.join()
"""


def run_calls(guest, text, *, file="<user>", name="user"):
    """Return the counts of library and other code after a text that has a library's names."""
    library = {"__name__": "lib", "begin": guest.begin, "end": guest.end}
    exec(compile(CALLS, "/lib.py", "exec"), library)  # noqa: S102 (text of ours)
    guest.callers.library = frozenset(("lib",))
    exec(compile(text, file, "exec"), {**library, "__name__": name})  # noqa: S102 (text of ours)
    return guest.callers.calls


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("called()", {"called": [0, 1]}),
        ("caller()", {"called": [1, 0]}),
        ("api()", {"api": [0, 1]}),
        ("start()", {}),
        ("import json; json.loads('{}', object_hook=lambda _: called())", {"called": [0, 1]}),
        ("import heapq; heapq.nsmallest(1, [1], key=lambda _: caller())", {"called": [1, 0]}),
    ],
)
def test_the_library_s_own_calls_are_told_from_others(text, calls, guest):
    assert run_calls(guest, text) == calls


def test_examples_in_docstrings_are_no_code_of_the_library(guest):
    calls = run_calls(guest, "called()", file="<doctest lib.called[0]>", name="lib")

    assert calls == {"called": [0, 1]}


def test_a_sample_of_many_calls_stands_for_all(guest):
    """A loop that calls with a period of four does not keep step with the sample."""
    calls = run_calls(guest, "for number in range(200_000):\n called() if number % 4 else caller()")

    by_library, by_other_code = calls["called"]
    assert 190_000 < by_library + by_other_code <= 200_000
    assert by_library / (by_library + by_other_code) == pytest.approx(1 / 4, abs=0.1)
