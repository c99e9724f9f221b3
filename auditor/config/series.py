"""How long benchmarks are watched, from the words of a configuration."""

from auditor.config.quantities import seconds
from auditor.config.settings import Settings
from auditor.core.request import SeriesRequest


def series_request(settings: Settings) -> SeriesRequest:
    """Return how long benchmarks are watched; raises ValueError."""
    written = settings.steady
    try:
        lasting = seconds(written.iteration_time)
    except ValueError as error:
        raise ValueError(f"{error}, at steady.iteration_time") from error
    return SeriesRequest(
        iterations=written.iterations,
        iteration_seconds=lasting,
        forks=written.forks,
    )
