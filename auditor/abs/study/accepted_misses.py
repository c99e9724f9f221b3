"""Which misses are accepted: those in the configuration, and those marked in the sources."""

from collections.abc import Sequence
from datetime import date

from auditor.abs.judge.accepted_misses import MARKER, apply_accepted_misses, find_marked_misses
from auditor.abs.model import AbsVerdict
from auditor.core.accepted import CONFIGURATION, Acceptance, AcceptedMiss
from auditor.core.errors import UsageError
from auditor.measure.context import StudyContext
from auditor.measure.method_choice import resolve_method_name


def find_accepted_misses(
    acceptances: Sequence[Acceptance], parts: StudyContext
) -> dict[str, AcceptedMiss]:
    """Return the accepted misses by method; the configuration goes before a marker.

    Raises UsageError for a name that means no method or several, for a method that is named twice,
    and for a marker without a reason.
    """
    sources = parts.suite.sources
    if not acceptances and not any(MARKER in source.text for source in sources):
        return {}
    methods = parts.mutator.find_methods(sources)
    misses: dict[str, AcceptedMiss] = {}
    for text in acceptances:
        method = resolve_method_name(text.method, methods, parts.mutator, parts.project.name).id
        if method in misses:
            raise UsageError(f"`ignore` lists {method} twice; keep one entry")
        misses[method] = AcceptedMiss(
            method=method,
            reason=text.reason,
            until=text.until,
            location=CONFIGURATION,
            expired=False,
            left_out=False,
        )
    return {
        marked_miss.method: marked_miss
        for marked_miss in find_marked_misses(methods, sources, parts.mutator.comment_prefix)
    } | misses


def add_accepted_misses(
    verdict: AbsVerdict, accepted: dict[str, AcceptedMiss], parts: StudyContext
) -> AbsVerdict:
    """Add them to a verdict; the day is that of Coordinated Universal Time."""
    if not accepted:
        return verdict
    return apply_accepted_misses(verdict, accepted, date.fromisoformat(parts.clock.now()[:10]))
