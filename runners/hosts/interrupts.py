"""Requests to end that come while a process is started: heard once the process has an owner."""

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

_REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class DelayedInterrupts:
    """Holds requests to end back, from entering until `release_requests` (or until it is left).

    What handles them raises wherever the interpreter happens to be: in the midst of starting a
    process that would leave one running of which nobody knows. Only the main thread handles them,
    so elsewhere this does nothing; and a request that nothing in Python handles is not held back.
    """

    def __init__(self) -> None:
        """Hold nothing yet."""
        self._handlers: dict[signal.Signals, Callable[[int, FrameType | None], Any]] = {}
        self._came: set[int] = set()

    def __enter__(self) -> Self:
        """Take note of requests in the place of their handlers."""
        try:
            if threading.current_thread() is threading.main_thread():
                self._hold_requests()
        except BaseException:  # a request that came while another one was held already
            self.release_requests()
            raise
        return self

    def _hold_requests(self) -> None:
        for number in _REQUESTS:
            handler = signal.getsignal(number)
            if callable(handler):
                self._handlers[number] = handler
                signal.signal(number, self._note_request)

    def __exit__(self, *_: object) -> None:
        """Do what `release_requests` does, if it was not reached."""
        self.release_requests()

    def release_requests(self) -> None:
        """Give requests back to their handlers, and hand on those that came."""
        # A handler may raise in here, and the rest is done by __exit__ then: so each is forgotten
        # only after it is back.
        for number, handler in tuple(self._handlers.items()):
            signal.signal(number, handler)
            del self._handlers[number]
        while self._came:
            signal.raise_signal(self._came.pop())

    def _note_request(self, number: int, _frame: FrameType | None) -> None:
        self._came.add(number)
