"""How long benchmarks are watched, from the words of a configuration."""

from auditor.config.quantities import parse_duration
from auditor.config.settings import Settings
from auditor.core.request import SeriesRequest


def series_request(settings: Settings) -> SeriesRequest:
    """Return how long benchmarks are watched; raises ValueError."""
    section = settings.steady
    try:
        lasting = parse_duration(section.iteration_time)
    except ValueError as error:
        raise ValueError(f"{error}, at steady.iteration_time") from error
    return SeriesRequest(
        iterations=section.iterations,
        iteration_seconds=lasting,
        forks=section.forks,
    )
