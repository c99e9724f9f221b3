"""The ring."""

from ring.spins import _spin


class Ring:
    """Keeps the last values."""

    def __init__(self, size):
        """Take the size; called in set-up only."""
        self._values = [0] * size
        self._at = 0

    def push(self, value):
        """Take about 5 µs."""
        self._at = (self._at + 1) % len(self._values)
        self._values[self._at] = _spin(value, 100)

    @property
    def last(self):
        """Take about 5 µs."""
        return _spin(self._values[self._at], 100)

    @staticmethod
    def checked(value):
        """Take about 5 µs."""
        return _spin(value, 100)

    @classmethod
    def of(cls, *values):
        """Take about 5 µs."""
        _spin(len(values), 100)
        return cls.__new__(cls)
