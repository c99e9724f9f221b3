"""How the suite is run, from the words of a configuration."""

import re
from pathlib import Path

from auditor.config.quantities import parse_duration
from auditor.config.settings import Settings
from auditor.core.request import Plan, SuiteRequest, WatchRequest
from auditor.core.stop_rules import TRAINED, Criterion, StoppingRule

STABILITY_RUNS = 5
"""Runs of the unchanged suite where nobody says how many."""
_MEASURED = 20
_MEASURED_SECONDS = 2.0
"""Where nobody says how much is measured: of 62 processes of Go seven had a mean of 0.2 s that was
off by more than 5 %, four one of a second, two one of two seconds."""


def suite_request(settings: Settings, model: Path | None) -> SuiteRequest:
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
    measured_iterations = section.measured or _MEASURED
    if measured_iterations >= section.iterations:
        raise ValueError(
            f"{measured_iterations} at warmup.measured must be less than warmup.iterations, "
            f"{section.iterations}"
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
        measured_seconds=_MEASURED_SECONDS if section.measured is None else 0.0,
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
