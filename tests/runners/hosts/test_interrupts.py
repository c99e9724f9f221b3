"""Requests to end are held back while a process is started, and never lost."""

import signal
import threading

import pytest

from runners.hosts.interrupts import DelayedInterrupts


class InterruptRequested(Exception):
    """What the handlers of these tests raise."""


@pytest.fixture
def handlers():
    """Let both requests raise, and give the handlers of before back."""

    def ask(number, _frame):
        raise InterruptRequested(number)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    yield ask
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_request_is_heard_once_it_is_let_through(handlers, number):
    with DelayedInterrupts() as requests:
        signal.raise_signal(number)  # and nothing is raised
        with pytest.raises(InterruptRequested):
            requests.release_requests()

        assert signal.getsignal(number) is handlers


def test_a_request_is_heard_at_the_end_where_nothing_lets_it_through(handlers):
    requests = DelayedInterrupts()

    requests.__enter__()
    signal.raise_signal(signal.SIGTERM)  # and nothing is raised
    with pytest.raises(InterruptRequested):
        requests.__exit__()

    assert signal.getsignal(signal.SIGINT) is signal.getsignal(signal.SIGTERM) is handlers


def test_a_request_between_the_two_leaves_no_other_one_held(handlers, monkeypatch):
    real = signal.signal

    def replaced(number, handler):
        result = real(number, handler)
        if number == signal.SIGINT and handler is not handlers:
            signal.raise_signal(signal.SIGTERM)
        return result

    monkeypatch.setattr(signal, "signal", replaced)
    with pytest.raises(InterruptRequested), DelayedInterrupts():
        pass

    assert signal.getsignal(signal.SIGINT) is signal.getsignal(signal.SIGTERM) is handlers


def test_what_nothing_in_python_handles_is_not_held_back(handlers):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

    with DelayedInterrupts():
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is not handlers


def test_other_threads_hold_nothing_back(handlers):
    thread_handlers = []

    def look():
        with DelayedInterrupts():
            thread_handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()

    assert thread_handlers == [handlers]
