"""When a process may end before its last block: once its benchmark is warm and measured enough."""

from dataclasses import dataclass
from enum import StrEnum


class Method(StrEnum):
    """What tells that a benchmark is warm; FIXED is the warm-up that the user or the plan states.

    COV, RCIW and KLD are the dynamic rules of Laaber et al. (FSE 2020), KBKSSD looks at the series
    so far again and again.
    """

    FIXED = "fixed"
    COV = "cov"
    RCIW = "rciw"
    KLD = "kld"
    KBKSSD = "kbkssd"


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """How a process is watched; the blocks of its schedule are the most that it does.

    From where it is warm at least `measured` iterations are measured, and more until the 95 %
    interval of their mean is no wider than `width` of it (0.02 for 2 %; None: that is not asked).
    After `seconds` it ends, whatever it has come to.
    """

    method: Method
    measured: int
    seconds: float
    width: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Warmed:
    """What a watched process came to.

    The first `warm` iterations are its warm-up; None: it was not seen warm before it had to end.
    `method` is what told. `enough` tells whether as much was measured as was asked for.
    """

    method: Method
    warm: int | None
    enough: bool
