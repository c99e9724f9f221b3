"""What a dry run lists: benchmarks by place, methods with their calls, what fits, what to omit."""

import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from auditor.audits.expected_time import ExpectedTime
from auditor.core.request import AbsRequest
from auditor.core.suite import Benchmark
from auditor.core.units import duration
from auditor.core.verdict import AbsVerdict
from auditor.studies.methods import candidates
from auditor.studies.parts import Parts
from auditor.studies.suite import chosen

LONG_SECONDS = 8 * 3600.0
"""An audit without a budget that takes longer than this is told what to leave out."""
_LARGE_PART = 0.5
_MOST_PLACES = 6
_FUNCTION = re.compile(r"[^/\[(:]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedMethod:
    """A method that may be slowed."""

    id: str
    calls: int | None = None
    """Calls in benchmarks and unit tests; None: not counted."""
    benchmarks: int | None = None
    """Benchmarks that call it; None: not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """What an audit is about, before anything is measured.

    `benchmarks` counts them by place: a package, class or file, or a function where all are in
    one. `reason` says why there is nothing to audit, empty where there is something. `unusable`
    are benchmarks, or groups of them, that could not be listed, with the reason.
    """

    benchmarks: tuple[tuple[str, int], ...] = ()
    methods: tuple[CountedMethod, ...] = ()
    reason: str = ""
    unusable: tuple[tuple[str, str], ...] = ()
    hints: tuple[str, ...] = ()


NOTHING = Inventory()


def inventory(
    request: AbsRequest, parts: Parts, unlimited: ExpectedTime, verdict: AbsVerdict | None
) -> Inventory:
    """Return what `abs` would audit.

    `unlimited` is its time without a budget, `verdict` what a rehearsal says once calls are
    counted.
    """
    benchmarks = chosen(parts.suite, parts.request.benchmarks)
    known = candidates(request, parts)
    methods = known.known or known.methods
    slowable = [one.id for one in methods if one.refusal is None]
    places, budget = places_of(benchmarks), parts.request.budget_seconds
    hints = _omission(places, unlimited, budget), _fitting(unlimited, budget, known.most_slowed)
    return Inventory(
        benchmarks=places,
        methods=_methods(slowable, verdict),
        reason=_reason(request, parts, [one.refusal for one in methods], slowable),
        unusable=parts.suite.unusable,
        hints=tuple(filter(None, hints)),
    )


def _methods(slowable: Sequence[str], verdict: AbsVerdict | None) -> tuple[CountedMethod, ...]:
    if verdict is None:
        return tuple(CountedMethod(id=one) for one in slowable)
    return tuple(
        CountedMethod(id=one.id, calls=one.calls, benchmarks=len(one.reached_by))
        for one in verdict.methods
    )


def places_of(benchmarks: Sequence[Benchmark]) -> tuple[tuple[str, int], ...]:
    """Count benchmarks by group, or by function where all are of one group; most first."""
    groups = Counter(one.group for one in benchmarks)
    if len(groups) == 1:
        groups = Counter(_function(one) for one in benchmarks)
    return tuple(sorted(groups.items(), key=lambda each: (-each[1], each[0])))


def _function(benchmark: Benchmark) -> str:
    match = _FUNCTION.match(benchmark.name)
    return match[0] if match else benchmark.name


def _reason(
    request: AbsRequest, parts: Parts, refusals: Sequence[str | None], slowable: Sequence[str]
) -> str:
    """Say why no method can be audited, empty where one can."""
    if slowable:
        return ""
    if refusal := next(filter(None, refusals), None):
        return f"none of the {len(refusals)} methods can be slowed; the first: {refusal}"
    where = "" if request.methods else "; name one with --method, or the library's folder"
    return f"{parts.project.name} has no public method that can be slowed{where}"


def _fitting(unlimited: ExpectedTime, budget: float | None, methods: int) -> str:
    """Say how many methods a budget decides, empty where it decides all."""
    if budget is None or unlimited.high <= budget or not methods:
        return ""
    least = int(methods * budget / unlimited.high)
    most = min(methods, max(1, round(methods * budget / max(unlimited.low, 1.0))))
    count = f"{least} to {most}" if least < most else f"{most}"
    return (
        f"the budget of {duration(budget)} decides about {count} of {methods} methods; "
        f"without it: {unlimited.text}"
    )


def _omission(
    places: Sequence[tuple[str, int]], unlimited: ExpectedTime, budget: float | None
) -> str:
    """Say what to leave out of a suite that takes too long, empty where nothing stands out."""
    total, (place, count) = sum(number for _, number in places), places[0]
    is_long = unlimited.low > (LONG_SECONDS if budget is None else budget)
    if not is_long or len(places) == 1 or count < _LARGE_PART * total:
        return ""
    few = len(places) <= _MOST_PLACES + 1
    others = "|".join(re.escape(name) for name, _ in places[1:]) if few else ""
    how = f": --benchmarks {shlex.quote(others)}" if others else " with --benchmarks PATTERN"
    return f"{place} has {count} of {total} benchmarks; leave it out{how}"
