"""What a dry run lists: benchmarks by place, methods with their calls, what fits, what to omit."""

import re
import shlex
from collections.abc import Sequence

from auditor.abs.model import AbsVerdict
from auditor.core.request import AbsRequest
from auditor.core.units import format_duration
from auditor.measure.context import StudyContext
from auditor.measure.method_choice import choose_candidates
from auditor.measure.planning.expected_time import ExpectedTime
from auditor.measure.planning.preview import CountedMethod, Inventory, places_of
from auditor.measure.suite_runs import choose_benchmarks

LONG_SECONDS = 8 * 3600.0
"""An audit without a budget that takes longer than this is told what to leave out."""
_LARGE_PART = 0.5
_MOST_PLACES = 6
_REMEDY = "name one with --method, or the library's folder"


def take_inventory(
    request: AbsRequest, parts: StudyContext, unlimited: ExpectedTime, verdict: AbsVerdict | None
) -> Inventory:
    """Return what `abs` would audit.

    `unlimited` is its time without a budget, `verdict` what a rehearsal says once calls are
    counted.
    """
    benchmarks = choose_benchmarks(parts.suite, parts.request.benchmarks)
    method_candidates = choose_candidates(request, parts)
    methods = method_candidates.methods_to_judge or method_candidates.methods
    slowable = [method.id for method in methods if method.refusal is None]
    places, budget = places_of(benchmarks), parts.request.budget_seconds
    hints = (
        _suggest_omission(places, unlimited, budget),
        _describe_fit(unlimited, budget, method_candidates.most_slowed),
        *(caveat.text for caveat in method_candidates.caveats),
    )
    return Inventory(
        benchmarks=places,
        methods=_list_methods(slowable, verdict),
        reason=_explain_no_methods(
            request, parts, [method.refusal for method in methods], slowable
        ),
        unusable=parts.suite.unusable,
        hints=tuple(filter(None, hints)),
    )


def _list_methods(slowable: Sequence[str], verdict: AbsVerdict | None) -> tuple[CountedMethod, ...]:
    if verdict is None:
        return tuple(CountedMethod(id=method_id) for method_id in slowable)
    return tuple(
        CountedMethod(id=method.id, calls=method.calls, benchmarks=len(method.reached_by))
        for method in verdict.methods
    )


def _explain_no_methods(
    request: AbsRequest,
    parts: StudyContext,
    refusals: Sequence[str | None],
    slowable: Sequence[str],
) -> str:
    """Say why no method can be audited, empty where one can."""
    if slowable:
        return ""
    if refusal := next(filter(None, refusals), None):
        return f"none of the {len(refusals)} methods can be slowed; the first: {refusal}"
    text = f"{parts.project.name} has no public method that can be slowed"
    if request.methods:
        return text
    return f"{text}; {parts.hidden[0] if parts.hidden else _REMEDY}"


def _describe_fit(unlimited: ExpectedTime, budget: float | None, methods: int) -> str:
    """Say how many methods a budget decides, empty where it decides all."""
    if budget is None or unlimited.high <= budget or not methods:
        return ""
    least = int(methods * budget / unlimited.high)
    most = min(methods, max(1, round(methods * budget / max(unlimited.low, 1.0))))
    count = f"{least} to {most}" if least < most else f"{most}"
    return (
        f"the budget of {format_duration(budget)} decides about {count} of {methods} methods; "
        f"without it: {unlimited.range_text}"
    )


def _suggest_omission(
    places: Sequence[tuple[str, int]], unlimited: ExpectedTime, budget: float | None
) -> str:
    """Say what to leave out of a suite that takes too long, empty where nothing stands out."""
    total, (place, count) = sum(number for _, number in places), places[0]
    is_long = unlimited.low > (LONG_SECONDS if budget is None else budget)
    if not is_long or len(places) == 1 or count < _LARGE_PART * total:
        return ""
    few = len(places) <= _MOST_PLACES + 1
    other_places = "|".join(re.escape(name) for name, _ in places[1:]) if few else ""
    option_text = (
        f": --benchmarks {shlex.quote(other_places)}"
        if other_places
        else " with --benchmarks PATTERN"
    )
    return f"{place} has {count} of {total} benchmarks; leave it out{option_text}"
