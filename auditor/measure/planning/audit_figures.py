"""What audits have taken, so that the next one's time can be told beforehand.

Go: audits of google/uuid 1.6.0 and go-chi/chi 5.5.0 (20 methods, slowdown 0.6, defaults) on two
cores beside other work, 2026-11-28; the part that is used and the range are set so that audits of
two more libraries (35 and 106 benchmarks, some six minutes each) lie within it. JMH and Python: the
counts of Go with the start of their own processes, which no audit has confirmed yet.
`benchmarks/audit_figures.py` prints such figures from stores.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFigures:
    """How much the audits of a harness have needed, on the whole."""

    start_seconds: float
    """The time of a process beside its planned blocks."""
    build_seconds: float
    """The time in which the variant of a method is built."""
    pairs_per_benchmark: float
    """Pairs in which a method is called, for each benchmark, of twenty methods."""
    calibrations: float
    """Calibration processes for each pair."""
    pair_processes: float
    """Processes that judge, for each pair."""
    further_processes: float
    """Processes of controls and of the curve, for each pair."""
    used_part: float
    """Part of their planned blocks that processes of pairs need: most end early."""
    result_seconds: float
    """The time in which the result is judged and written."""
    low: float
    high: float
    """Fastest and slowest tenth of the measured times, relative to the expected ones."""


GO = AuditFigures(
    start_seconds=0.3,
    build_seconds=2.0,
    pairs_per_benchmark=1.7,
    calibrations=1.3,
    pair_processes=1.6,
    further_processes=0.9,
    used_part=0.8,
    result_seconds=3.0,
    low=0.4,
    high=2.0,
)
JMH = AuditFigures(
    start_seconds=0.9,
    build_seconds=0.2,
    pairs_per_benchmark=1.7,
    calibrations=1.3,
    pair_processes=1.6,
    further_processes=0.9,
    used_part=0.8,
    result_seconds=3.0,
    low=0.4,
    high=2.0,
)
PYTHON = AuditFigures(
    start_seconds=0.6,
    build_seconds=0.1,
    pairs_per_benchmark=1.7,
    calibrations=1.3,
    pair_processes=1.6,
    further_processes=0.9,
    used_part=0.8,
    result_seconds=3.0,
    low=0.4,
    high=2.0,
)
_BY_HARNESS = {"go": GO, "jmh": JMH}


def figures_of(harness: str) -> AuditFigures:
    """Return the figures of a harness; those of Python for all its frameworks."""
    return _BY_HARNESS.get(harness, PYTHON)
