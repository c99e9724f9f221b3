"""What an ABS audit asks, from the words of a configuration."""

import math
from dataclasses import replace
from pathlib import Path

from auditor.config.settings import CHOICES, Settings
from auditor.config.suite import suite_request
from auditor.core.accepted import Acceptance
from auditor.core.mutant import InjectionKind
from auditor.core.request import AbsRequest, CurveMode, DetectionRule


def abs_request(
    settings: Settings, methods: tuple[str, ...] | None, model: Path | None
) -> AbsRequest:
    """Return what an audit asks, `model` being a file of one; raises ValueError, ModelUnusable."""
    slowdown = choose_slowdown(settings)
    if slowdown is not None and not math.isfinite(slowdown):
        raise ValueError(f"{slowdown} at slowdown must be {CHOICES['$.slowdown']}")
    is_fixed = settings.exact or settings.rule == "paper"
    # A spread that chooses the slowdown needs all runs; a cluster makes them side by side.
    may_run_less_often = (
        settings.stability_runs is None
        and slowdown is not None
        and not is_fixed
        and settings.dispatch == "serial"
    )
    return AbsRequest(
        suite=replace(suite_request(settings, model), keeps_all_blocks=is_fixed),
        suite_time_limit=SUITE_TIME_LIMIT if may_run_less_often else None,
        methods=methods,
        runs=settings.runs,
        slowdown=slowdown,
        wait=_choose_wait(settings),
        rule=DetectionRule(settings.rule),
        exact=settings.exact,
        shares=settings.shares,
        interleave=settings.interleave,
        min_delta=settings.min_delta,
        significance=settings.significance,
        score_only=settings.mode == "score",
        estimate=settings.estimate,
        curve=_choose_curve(settings),
        controls=settings.controls,
        allocation_bytes=settings.allocation_bytes if settings.allocations else None,
        accepted=tuple(
            Acceptance(method=section.method, reason=section.reason, until=section.until)
            for section in settings.ignore
        ),
    )


SUITE_TIME_LIMIT = 90.0
"""Seconds for runs of the unchanged suite where nobody says how many there are."""
DEFAULT_SLOWDOWN = 0.5
"""Slowdown that is injected by default: fixed, so that scores of a suite can be compared."""


def choose_slowdown(settings: Settings) -> float | None:
    """Return v, None for the paper's: sized by the spreads."""
    if settings.slowdown is None:
        return None if settings.rule == "paper" else DEFAULT_SLOWDOWN
    return None if settings.slowdown == "auto" else settings.slowdown


def _choose_curve(settings: Settings) -> CurveMode:
    """Return whose curve is measured; what is to be compared with others has none by itself."""
    if settings.curve is not None:
        return CurveMode(settings.curve)
    plain = settings.exact or settings.estimate or settings.rule == "paper"
    return CurveMode.NONE if plain else CurveMode.METHODS


def _choose_wait(settings: Settings) -> InjectionKind | None:
    if settings.wait is None:
        # The paper's own way (Section 6.2), unless the user says otherwise.
        return InjectionKind.SLEEP if settings.rule == "paper" else None
    return None if settings.wait == "auto" else InjectionKind(settings.wait)
