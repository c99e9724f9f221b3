"""When a process may end before its last block: once its benchmark is warm and measured enough."""

from dataclasses import dataclass
from enum import StrEnum


class Criterion(StrEnum):
    """What tells that a benchmark is warm; FIXED is the warm-up that the user or the plan states.

    COV, RCIW and KLD are the dynamic rules of Laaber et al. (FSE 2020), KBKSSD looks at the series
    so far again and again. FCN, OSCNN and ROCKET are the models of the study of learned stopping
    (ASE 2024), LEARNED is ours.
    """

    FIXED = "fixed"
    COV = "cov"
    RCIW = "rciw"
    KLD = "kld"
    KBKSSD = "kbkssd"
    FCN = "fcn"
    OSCNN = "oscnn"
    ROCKET = "rocket"
    LEARNED = "learned"


TRAINED = frozenset({Criterion.FCN, Criterion.OSCNN, Criterion.ROCKET, Criterion.LEARNED})
"""Those that have a model, which has seen some iterations only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppingRule:
    """How a process is watched; the blocks of its schedule are the most that it does.

    From where it is warm at least `measured` iterations are measured, and more until the 95 %
    interval of their mean is no wider than `width` of it (0.02 for 2 %; None: that is not asked).
    After `seconds` it ends, whatever it has come to. `model` is the digest of the model that the
    method has, if any.
    """

    method: Criterion
    measured: int
    seconds: float
    width: float | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmupResult:
    """What a watched process came to.

    The first `warm` iterations are its warm-up; None: it was not seen warm before it had to end.
    `method` is what told. `enough` tells whether as much was measured as was asked for. `since` is
    the iteration, from zero, from which on it seems to have been steady already; None: not known.
    """

    method: Criterion
    warm: int | None
    enough: bool
    since: int | None = None
