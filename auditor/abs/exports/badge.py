"""The answer of a result as a badge: JSON for the endpoint badge of shields.io.

The format: https://shields.io/badges/endpoint-badge.
"""

import json

from auditor.abs.document import AbsOrStability, Document
from auditor.abs.text import words
from auditor.core.stability import Bucket
from reports import number_format

STEADY = (Bucket.BELOW_5, Bucket.BELOW_10)
"""The spreads of benchmarks that the badge counts as stable."""
UNKNOWN = ("unknown", "lightgrey")
COLOURS = ((80, "brightgreen"), (60, "yellow"))
"""Least percentage of each colour; below the last it is red."""


def format_badge(document: AbsOrStability) -> str:
    """Return the badge: the detected methods of `abs`, the stable benchmarks of `stability`."""
    if isinstance(document, Document):
        label = "slowdowns detected"
        if document.slowdown is not None:
            label = f"{number_format.format_share(document.slowdown)} {label}"
        message, colour = _describe_score(document)
    else:
        label = "stable benchmarks"
        steady = sum(
            bucket.count for bucket in document.stability.buckets if bucket.range in STEADY
        )
        message, colour = _describe_proportion(
            steady, sum(bucket_count.count for bucket_count in document.stability.buckets)
        )
    badge = {"schemaVersion": 1, "label": label, "message": message, "color": colour}
    return json.dumps(badge, ensure_ascii=False) + "\n"


def _describe_score(document: Document) -> tuple[str, str]:
    total = document.scores.total
    open_ = words.count_undecided(total)
    if open_ == total.counted:
        return UNKNOWN
    message, colour = _describe_proportion(total.covered, total.counted)
    if open_:
        message += f", {open_} open"
    return (f"estimated {message}" if words.is_estimate(document) else message), colour


def _describe_proportion(count: int, total: int) -> tuple[str, str]:
    """Return how many of how many, and the colour of that percentage."""
    if not total:
        return UNKNOWN
    percent = 100 * count / total
    return f"{count} of {total}", next((name for least, name in COLOURS if percent >= least), "red")
