"""A ring buffer, and functions of known length."""

from ring.buffer import Ring
from ring.spins import large, lazily, slight, small, tiny, unused

__all__ = ["Ring", "large", "lazily", "slight", "small", "tiny", "unused"]
