"""The clock of this machine."""

import time
from datetime import UTC, datetime


class SystemClock:
    """Time as the operating system tells it."""

    def monotonic(self) -> float:
        """Return seconds since some moment; never goes back."""
        return time.monotonic()

    def now(self) -> str:
        """Return the present moment, UTC in ISO 8601 with milliseconds."""
        return datetime.now(UTC).isoformat(timespec="milliseconds")
