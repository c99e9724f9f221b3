"""Who may be inside at a time."""

import threading
import time

from runners.gate import Gate

PATIENCE = 30.0


def begun(inside, *names):
    """Start threads that want in, and return them."""
    found = []
    for enter, note in names:
        thread = threading.Thread(target=inside, args=(enter, note))
        thread.start()
        found.append(thread)
    return found


def test_several_are_inside_and_one_alone_waits_for_all_and_comes_before_the_next():
    gate, order, meeting = Gate(), [], threading.Barrier(2)
    leave = threading.Event()

    def beside(_enter, note):
        with gate.beside():
            order.append(note)
            if note != "late":
                meeting.wait(PATIENCE)  # both are inside, or this fails
                leave.wait(PATIENCE)

    def alone(_enter, note):
        with gate.alone():
            order.append(note)

    first = begun(beside, (0, "one"), (0, "two"))
    while len(order) < 2:
        time.sleep(0.01)
    builds = begun(alone, (0, "build"))
    while not gate._alone:
        time.sleep(0.01)
    last = begun(beside, (0, "late"))
    time.sleep(0.1)
    before = list(order)
    leave.set()
    for thread in (*first, *builds, *last):
        thread.join(PATIENCE)

    assert sorted(before) == ["one", "two"]
    assert order[2:] == ["build", "late"]


def test_two_that_have_to_be_alone_are_inside_one_after_the_other():
    gate, inside, most = Gate(), [], []

    def alone(_enter, note):
        with gate.alone():
            inside.append(note)
            most.append(len(inside))
            time.sleep(0.05)
            inside.remove(note)

    for thread in begun(alone, *((0, number) for number in range(4))):
        thread.join(PATIENCE)

    assert most == [1, 1, 1, 1]
