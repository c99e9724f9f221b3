"""Several at a time, or one alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class Gate:
    """Lets in several that bear each other, or one that nobody bears; who is that comes first."""

    def __init__(self) -> None:
        """Begin with nobody inside."""
        self._changed = Condition()
        self._inside = 0
        self._alone = 0

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Wait until nobody is inside, or wants to be, who has to be alone."""
        with self._changed:
            self._changed.wait_for(lambda: not self._alone)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until nobody is inside."""
        with self._changed:
            self._alone += 1
            self._changed.wait_for(lambda: not self._inside)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._alone -= 1
                self._changed.notify_all()
