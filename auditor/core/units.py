"""Units: those of harnesses, converted once (inside all is seconds per operation); words."""

from collections.abc import Sequence
from statistics import fmean, harmonic_mean

SECONDS = {
    "ns": 1e-9, "us": 1e-6, "μs": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0,
    "hr": 3600.0, "day": 86400.0,
}  # fmt: skip


def seconds_per_operation(value: float, unit: str) -> float:
    """Convert one measured value (`ns/op`, `ops/s`, `us/op`, …); throughput is inverted.

    Raises ValueError for a unit that is no time per operation and for a throughput that is not
    positive.
    """
    above, _, below = unit.partition("/")
    if below == "op" and above in SECONDS:
        return value * SECONDS[above]
    if above == "ops" and below in SECONDS:
        if value <= 0:
            raise ValueError(f"a throughput must be positive, not {value} {unit}")
        return SECONDS[below] / value
    raise ValueError(f"not a time per operation: {unit!r}")


OWN_UNITS = {"go": "ns/op"}
"""The unit in which a harness shows all times per operation."""


def is_throughput(unit: str) -> bool:
    """Tell whether more is better."""
    return unit.startswith("ops/") and is_operation_unit(unit)


def is_operation_unit(unit: str) -> bool:
    """Tell whether this is a unit of a time per operation or of a throughput."""
    above, _, below = unit.partition("/")
    return (below == "op" and above in SECONDS) or (above == "ops" and below in SECONDS)


def in_unit(seconds: float, unit: str) -> float:
    """Return a time per operation, above zero, in a unit of a harness."""
    above, _, below = unit.partition("/")
    return SECONDS[below] / seconds if is_throughput(unit) else seconds / SECONDS[above]


def mean_time(seconds: Sequence[float], unit: str) -> float:
    """Return seconds per operation by the mean of a harness's own numbers.

    The mean of throughputs is the harmonic mean of the times.
    """
    return harmonic_mean(seconds) if is_throughput(unit) else fmean(seconds)


def format_percent(fraction: float, digits: int = 0) -> str:
    """Write a fraction as texts for people have it; pages have figures of their own."""
    return f"{100 * fraction:.{digits}f}\N{NO-BREAK SPACE}%"


def format_duration(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
