"""The times of the unchanged suite in the Bencher Metric Format, and the score.

The format: https://bencher.dev/docs/reference/bencher-metric-format.
"""

import hashlib
import json

from auditor.abs.document import AbsOrStability, Document
from auditor.core.stability import BenchmarkVerdict
from reports import names

SUITE = "bench-audit"
"""The benchmark that has the measures of the whole suite."""
LONGEST = 1024
"""Most characters of a name."""

Metric = dict[str, float]


def format_bmf(document: AbsOrStability) -> str:
    """Return metrics by benchmark and measure.

    `latency` is in nanoseconds per operation: the mean of the complete runs with the smallest and
    the largest. `max-spread` and, of the suite, `api-benchmarking-score` are percentages. What is
    unknown is left out.
    """
    report = {
        _shorten_name(benchmark.id): measures
        for benchmark in document.benchmarks
        if (measures := _build_measures(benchmark))
    }
    if isinstance(document, Document) and (score := _build_score_metric(document)):
        report[SUITE] = {"api-benchmarking-score": score}
    return json.dumps(report, indent=1, allow_nan=False) + "\n"


def _build_measures(benchmark: BenchmarkVerdict) -> dict[str, Metric]:
    mean = benchmark.mean_seconds
    if mean is None:
        return {}
    metrics = {
        "latency": _make_metric(1e9 * mean, 1e9 * min(benchmark.means), 1e9 * max(benchmark.means))
    }
    if benchmark.max_spread is not None:
        metrics["max-spread"] = {"value": 100 * benchmark.max_spread}
    return metrics


def _build_score_metric(document: Document) -> Metric | None:
    total = document.scores.total
    if total.percent is None:
        return None
    least, largest = total.bounds or (None, None)
    if least is None or largest is None:
        return {"value": total.percent}
    return _make_metric(total.percent, least, largest)


def _make_metric(value: float, least: float, largest: float) -> Metric:
    return {"value": value, "lower_value": least, "upper_value": largest}


def _shorten_name(benchmark: str) -> str:
    """Return a name as one line; a longer one than Bencher takes ends with a digest of it."""
    line = names.escape_line(benchmark).strip()
    if len(line) <= LONGEST:
        return line
    digest = hashlib.sha256(line.encode()).hexdigest()[:16]
    return f"{line[: LONGEST - len(digest) - 1]}-{digest}"
