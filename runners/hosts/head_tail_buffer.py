"""Keeping the two ends of a stream that may be endless."""

from collections import deque


class HeadTailBuffer:
    """Keeps the first half and the last half of `limit` bytes, whatever passes."""

    def __init__(self, limit: int) -> None:
        """Keep at most `limit` bytes."""
        self._head_limit = limit // 2
        self._tail_limit = limit - self._head_limit
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._dropped = False

    def add_chunk(self, chunk: bytes) -> None:
        """Add what comes next."""
        room = self._head_limit - len(self._head)
        self._head += chunk[:room]
        rest = chunk[room:]
        if rest:
            self._tail.append(rest)
            self._tail_size += len(rest)
        while self._tail and self._tail_size - len(self._tail[0]) >= self._tail_limit:
            dropped_chunk = self._tail.popleft()
            self._tail_size -= len(dropped_chunk)
            self._dropped = self._dropped or bool(dropped_chunk)

    @property
    def is_truncated(self) -> bool:
        """Tell whether something was dropped."""
        return self._dropped or self._tail_size > self._tail_limit

    @property
    def retained_bytes(self) -> bytes:
        """Return both ends, joined."""
        tail = b"".join(self._tail)
        return bytes(self._head) + tail[max(0, len(tail) - self._tail_limit) :]
