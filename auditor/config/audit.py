"""What an ABS audit asks, from the words of a configuration."""

import math
import re
from dataclasses import replace
from pathlib import Path

from auditor.config.quantities import parse_duration
from auditor.config.settings import CHOICES, Settings
from auditor.core.accepted import Acceptance
from auditor.core.mutant import InjectionKind
from auditor.core.request import (
    AbsRequest,
    CurveMode,
    DetectionRule,
    Plan,
    SuiteRequest,
    WatchRequest,
)
from auditor.core.stop_rules import TRAINED, Criterion, StoppingRule

STABILITY_RUNS = 5
"""Runs of the unchanged suite where nobody says how many."""
_MEASURED = 20
_MEASURED_SECONDS = 2.0
"""Where nobody says how much is measured: of 62 processes of Go seven had a mean of 0.2 s that was
off by more than 5 %, four one of a second, two one of two seconds."""


def abs_request(
    settings: Settings, methods: tuple[str, ...] | None, model: Path | None
) -> AbsRequest:
    """Return what an audit asks, `model` being a file of one; raises ValueError, ModelUnusable."""
    slowdown = _choose_slowdown(settings)
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
        suite=replace(_suite_request(settings, model), keeps_all_blocks=is_fixed),
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


SUITE_TIME_LIMIT = 60.0
"""Seconds for runs of the unchanged suite where nobody says how many there are."""
DEFAULT_SLOWDOWN = 0.5
"""Slowdown that is injected by default: fixed, so that scores of a suite can be compared."""


def _choose_slowdown(settings: Settings) -> float | None:
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


def _suite_request(settings: Settings, model: Path | None) -> SuiteRequest:
    """Return how it is run, `model` being a file of one; raises ValueError and ModelUnusable."""
    plan, length = settings.plan, settings.plan.iteration_time
    return SuiteRequest(
        benchmarks=_check_pattern(settings.benchmarks),
        plan=Plan(
            forks=plan.forks,
            warmup=plan.warmup or 0,
            iterations=plan.iterations,
            iteration_seconds=0.0
            if length is None
            else _parse_seconds(length, "plan.iteration_time"),
            for_all=length is not None,
        ),
        stability_runs=settings.stability_runs or STABILITY_RUNS,
        timeout_seconds=_parse_seconds(settings.timeout, "timeout"),
        budget_seconds=None
        if settings.budget is None
        else _parse_seconds(settings.budget, "budget"),
        seed=settings.seed,
        watched=_watch_request(settings, model),
    )


def _watch_request(settings: Settings, path: Path | None) -> WatchRequest | None:
    """Return how they are watched, None where the plan says what they do."""
    section = settings.warmup
    length = section.iteration_time
    lasting = None if length is None else _parse_seconds(length, "warmup.iteration_time")
    limit = _parse_seconds(section.limit, "warmup.limit")
    method = Criterion(section.method)
    digest = _model_digest(method, path)
    if method is Criterion.FIXED:
        return None
    measured_iterations = section.min_measured_blocks or _MEASURED
    if measured_iterations >= section.iterations:
        raise ValueError(
            f"{measured_iterations} at warmup.min_measured_blocks must be less than "
            f"warmup.iterations, {section.iterations}"
        )
    return WatchRequest(
        watch=StoppingRule(
            method=method,
            measured=measured_iterations,
            seconds=limit,
            width=section.width,
            model=digest,
        ),
        iterations=section.iterations,
        iteration_seconds=lasting,
        measured_seconds=_MEASURED_SECONDS if section.min_measured_blocks is None else 0.0,
    )


def _model_digest(method: Criterion, path: Path | None) -> str | None:
    if method not in TRAINED and path is None:
        return None
    from auditor.warmup.scorers import files  # noqa: PLC0415 numpy and scipy come with it

    model = files.choose_model(method, path)
    return None if model is None else model.digest


def _check_pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} at benchmarks is not a regular expression: {error}") from error
    return text


def _parse_seconds(text: str, place: str) -> float:
    try:
        return parse_duration(text)
    except ValueError as error:
        raise ValueError(f"{error}, at {place}") from error
