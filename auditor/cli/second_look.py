"""A gate that would fail: the methods that make it fail are measured a second time."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditor.cli import running
from auditor.cli.gates import MISSED, Baseline, newly_missed, some
from auditor.cli.options import Asked
from auditor.core.errors import UsageError
from auditor.core.result import Result
from reports import figures, tidy
from reports.document import Document

FURTHER = 1_000_003
"""Added to the seed, so that no measurement of the first look counts in the second."""
_LEAST_SECONDS = 10.0
"""What is left of a budget has to last so long for a second look to begin."""
_NO_TIME = "missed, and the budget left too little time to measure again"
_FOLDER = "second-look"


@dataclass(frozen=True, slots=True)
class SecondLook:
    """Methods that the first look has as missed and the second does not, and why (for a line)."""

    unsure: frozenset[str]
    why: str

    def said(self, looked_at: int) -> str:
        """Return what came out, of so many methods that were looked at."""
        if not self.unsure:
            return f"second look: {figures.count(looked_at, 'method')} missed again"
        return f"second look: unsure of {some(sorted(self.unsure))}: {self.why}"


def suspects(document: Document, least: float | None, baseline: Baseline | None) -> list[str]:
    """Return the methods whose misses make a gate fail, in their order."""
    new = set() if baseline is None else set(newly_missed(document, baseline))
    accepted = {one.method for one in document.accepted if one.left_out}
    return [
        one.id
        for one in document.methods
        if one.outcome in MISSED and one.id not in accepted and (least is not None or one.id in new)
    ]


def changes(document: Document, methods: Sequence[str], seed: int) -> dict[str, Any]:
    """Return what the configuration of a second look has in the place of the first's.

    Benchmarks that reach none of the methods are left out, unless no benchmark reached one of them.
    """
    unreached = {one.id for one in document.methods if one.outcome is Result.UNREACHED}
    asked: dict[str, Any] = {"methods": list(methods), "seed": seed + FURTHER}
    if unreached.isdisjoint(methods):
        reaching = sorted({one.benchmark for one in document.pairs if one.method in {*methods}})
        asked["benchmarks"] = f"^({'|'.join(map(re.escape, reaching))})$"
    return asked


def look_again(asked: Asked, methods: Sequence[str], begun: float) -> SecondLook:
    """Measure the methods anew; `asked` is the second look's, `begun` when the command began."""
    budget = asked.config.request.suite.budget_seconds
    if budget is not None:
        left = budget - (time.monotonic() - begun)
        if left < _LEAST_SECONDS:
            return SecondLook(frozenset(methods), _NO_TIME)
        asked = _within(asked, left)
    folder = asked.places.output / _FOLDER
    asked = replace(asked, places=replace(asked.places, output=folder))
    try:
        document, _ = running.make(asked, lambda audit: audit.document(audit.abs()), running.ABS)
    except UsageError:
        if budget is None:
            raise
        return SecondLook(frozenset(methods), _NO_TIME)
    second = {one.id: one.outcome for one in tidy.judged(document).methods}
    flipped = frozenset(one for one in methods if second.get(one) not in MISSED)
    return SecondLook(flipped, "missed at first, and not when measured again")


def _within(asked: Asked, seconds: float) -> Asked:
    request = asked.config.request
    suite = replace(request.suite, budget_seconds=seconds)
    return replace(asked, config=replace(asked.config, request=replace(request, suite=suite)))
