"""The A/A control in words."""

from statistics import median

from auditor.abs.model import Controls
from reports import number_format


def format_controls(controls: Controls | None) -> str:
    """Return how many controls were "detected", in one sentence; empty without any."""
    if controls is None or not controls.judged:
        return ""
    pairs = number_format.format_count(controls.judged, "pair")
    alarms = len(controls.alarms)
    sizes = [abs(effect) for effect in controls.effects]
    noise = f"; median effect {number_format.format_share(median(sizes))}" if sizes else ""
    return (
        f"A/A control: {alarms} of {pairs} without a delay {'was' if alarms == 1 else 'were'} "
        f"detected (false-positive rate at most {number_format.format_share(controls.bound)}, with "
        f"95 % confidence){noise}."
    )
