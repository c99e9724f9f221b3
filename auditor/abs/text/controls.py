"""The A/A control in words."""

from statistics import median

from auditor.abs.model import Controls
from reports import number_format


def format_controls(controls: Controls | None) -> str:
    """Return how often a delay of nothing was "detected", in one sentence; empty without any."""
    if controls is None or not controls.judged:
        return ""
    pairs = number_format.count(controls.judged, "pair")
    alarms = len(controls.alarms)
    detected = "none was" if not alarms else f"{alarms} {'was' if alarms == 1 else 'were'}"
    sizes = [abs(effect) for effect in controls.effects]
    noise = f", effects of {number_format.share(median(sizes))} in the median" if sizes else ""
    return (
        f"Control: {pairs} slowed by nothing, {detected} detected (chance at most "
        f"{number_format.share(controls.bound)}, with 95 % confidence){noise}."
    )
