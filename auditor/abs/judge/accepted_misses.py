"""Accepted misses: which methods they are, and the score without them (accept-known-misses.md)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from auditor.abs.judge.outcomes import NOT_COUNTED, UNDECIDED
from auditor.abs.model import AbsVerdict, MethodVerdict, Score
from auditor.core.accepted import AcceptedMiss
from auditor.core.caveats import Caveat
from auditor.core.comments import comments_above
from auditor.core.errors import UsageError
from auditor.core.result import Verdict
from auditor.core.subject import Method, SourceFile

MARKER = b"bench-audit:ignore"


def find_marked_misses(
    methods: Iterable[Method], sources: Iterable[SourceFile], comment: bytes
) -> Iterator[AcceptedMiss]:
    """Yield the methods with `bench-audit:ignore REASON` in the comment lines right above them.

    `comment` is what a line of comment begins with in the language. Raises UsageError for a
    marker without a reason.
    """
    begin = rb"\s*" + re.escape(comment) + rb"\s*"
    marker = re.compile(begin + MARKER + rb"(?!\S)[ \t]*(.*?)\s*")
    lines: dict[str, list[bytes]] = {}
    for source in sources:
        if MARKER in source.text:
            lines.setdefault(source.path, source.text.split(b"\n"))
    for method in methods:
        span = method.span
        if span is not None and span.file in lines:
            above = comments_above(lines[span.file], span.first_line, comment)
            nearest_marker = _find_first_marker(above, marker)
            if nearest_marker is not None:
                number, reason = nearest_marker
                yield _make_accepted_miss(method.id, reason, f"{span.file}:{number}")


def _find_first_marker(
    above: Iterable[tuple[int, bytes]], marker: re.Pattern[bytes]
) -> tuple[int, str] | None:
    """Return line and reason of the first marker."""
    for number, line in above:
        if match := marker.fullmatch(line):
            return number, match[1].decode(errors="replace")
    return None


def _make_accepted_miss(method: str, reason: str, location: str) -> AcceptedMiss:
    if not reason:
        raise UsageError(
            f"{location}: the accepted miss of {method} has no reason; write one after "
            f"{MARKER.decode()}"
        )
    return AcceptedMiss(
        method=method, reason=reason, until=None, location=location, expired=False, left_out=False
    )


def apply_accepted_misses(
    verdict: AbsVerdict, accepted: Mapping[str, AcceptedMiss], today: date
) -> AbsVerdict:
    """Add the accepted misses and the score without them to a verdict; `accepted` is by method.

    What has expired counts again, which is said, and so does what is detected after all.
    """
    methods_by_id = {method.id: method for method in verdict.methods}
    misses = tuple(
        _check_miss(miss, methods_by_id[name], today)
        for name, miss in accepted.items()
        if name in methods_by_id
    )
    if not misses:
        return verdict
    out = {miss.method for miss in misses if miss.left_out}
    return replace(
        verdict,
        accepted=misses,
        without_accepted=_score_without(verdict.methods, out) if out else None,
        caveats=(*verdict.caveats, *_warn_of_stale_entries(misses, methods_by_id)),
    )


def _check_miss(miss: AcceptedMiss, method: MethodVerdict, today: date) -> AcceptedMiss:
    expired = miss.until is not None and miss.until < today
    missed = method.outcome is not Verdict.DETECTED and method.outcome not in NOT_COUNTED
    return replace(miss, expired=expired, left_out=missed and not expired)


def _score_without(methods: Sequence[MethodVerdict], out: set[str]) -> Score:
    """Score what counts without `out`; one of these that is undecided may still count as covered.

    Covered and counted at once: that can only raise the score, so it is in the upper bound only.
    """
    counted = [method for method in methods if method.outcome not in NOT_COUNTED]
    rest = [verdict for verdict in counted if verdict.id not in out]
    covered = sum(verdict.outcome is Verdict.DETECTED for verdict in rest)
    undecided = sum(verdict.outcome in UNDECIDED for verdict in rest)
    perhaps = sum(verdict.outcome in UNDECIDED for verdict in counted if verdict.id in out)
    n = len(rest)
    most = 100 * (covered + undecided + perhaps) / (n + perhaps) if n + perhaps else 0.0
    return Score(
        percent=100 * covered / n if n else None,
        bounds=(100 * covered / n, most) if n else None,
        covered=covered,
        counted=n,
        excluded_benchmarks=(),
    )


def _warn_of_stale_entries(
    misses: Sequence[AcceptedMiss], methods: Mapping[str, MethodVerdict]
) -> Iterator[Caveat]:
    expired = [miss for miss in misses if miss.expired]
    if expired:
        named = ", ".join(f"{miss.method} (until {miss.until})" for miss in expired[:5])
        text = (
            f"{len(expired)} accepted misses have expired and count again: {named}; add a "
            "benchmark or extend `until`"
        )
        yield Caveat("expired-ignore", text)
    detected_methods = [
        miss.method for miss in misses if methods[miss.method].outcome is Verdict.DETECTED
    ]
    if detected_methods:
        text = (
            f"accepted misses of methods that are detected: {', '.join(detected_methods[:5])}; "
            "remove the entries from `ignore`"
        )
        yield Caveat("needless-ignore", text)
