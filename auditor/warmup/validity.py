"""For which processes trained models have been shown to tell when they are warm."""

from collections.abc import Mapping
from dataclasses import replace

from auditor.core.stop_rules import TRAINED, Criterion, StoppingRule

_VALIDATED: Mapping[tuple[Criterion, str], float] = {
    **{(method, "jmh"): 0.1 for method in TRAINED},
    (Criterion.LEARNED, "go"): 0.03,
}
"""Seconds of an iteration, by method and harness: what models were trained with (JMH), and what
has been measured since (benchmarks/results/learned-stopping.md)."""
_USUAL = 0.1
"""Seconds of an iteration where nothing is known to suit better."""
_TRUSTED_RATIOS = {"go": 1.5}
"""How many times as long or short iterations may be as those of `_VALIDATED`, by harness: the
number of operations that `go test` chooses makes no two equally long. Chosen, not measured."""
_EXACT_RATIO = 1.01
_MAX_LENGTH_RATIO = 2.0
"""Iterations no more than so many times as long or short are about as long."""
FALLBACK = Criterion.RCIW
"""Needs no training, and of such rules has the fewest results that deviate (EMSE 2022)."""


def usual_seconds(method: Criterion, harness: str) -> float:
    """Return how long an iteration lasts where nobody says: as long as the method knows it."""
    return _VALIDATED.get((method, harness), _USUAL)


def shown_seconds(method: Criterion) -> str:
    """Say for which iterations a method with a model has been shown to work."""
    entries = (
        (harness, seconds)
        for (criterion, harness), seconds in _VALIDATED.items()
        if criterion is method
    )
    return " and ".join(f"{1000 * seconds:.0f} ms ({harness})" for harness, seconds in entries)


def trusted_rule(watch: StoppingRule, harness: str, iteration_seconds: float) -> StoppingRule:
    """Return a watch by a method that may judge such processes: the one asked for, if it may."""
    trained_seconds = _VALIDATED.get((watch.method, harness))
    ratio = _TRUSTED_RATIOS.get(harness, _EXACT_RATIO)
    if watch.method not in TRAINED or is_about_as_long(iteration_seconds, trained_seconds, ratio):
        return watch
    return replace(watch, method=FALLBACK, model=None)


def is_about_as_long(seconds: float, usual: float | None, ratio: float = _MAX_LENGTH_RATIO) -> bool:
    """Tell whether an iteration lasts about as long as those that a model knows."""
    return usual is not None and usual / ratio <= seconds <= usual * ratio
