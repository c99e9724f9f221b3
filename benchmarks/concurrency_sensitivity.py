"""Precision and recall as functions of δ_report (Pradel et al., Section 5.4).

Nothing is run for it: the votes are taken anew on what was measured. Tests that were left out as
they could not have changed a finding are missing at other values, too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from auditor.concurrency.judge import oracle
from auditor.core.contracts.concurrency import (
    SEQUENTIAL,
    ConcurrencyFinding,
    RacePlan,
    RepetitionTimes,
)

Decide = Callable[[Sequence[RepetitionTimes], RacePlan], ConcurrencyFinding]
_REPORTED = (ConcurrencyFinding.REGRESSION, ConcurrencyFinding.IMPROVEMENT)


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """What is expected of a pair of versions, and what was measured of them by which plan."""

    expected: ConcurrencyFinding
    timed: tuple[RepetitionTimes, ...]
    plan: RacePlan


class Point(NamedTuple):
    """Parts of one; precision is None where nothing is reported, recall where nothing is expected.

    `report` is δ_report.
    """

    report: float
    precision: float | None
    recall: float | None


def decided(timed: Sequence[RepetitionTimes], plan: RacePlan) -> ConcurrencyFinding:
    """Return what the oracle says of measurements; the control has no vote."""
    numbers = sorted({times.threads for times in timed} - {SEQUENTIAL})
    return oracle.combine_findings(
        oracle.judge_threads(
            number,
            [oracle.judge_test(times, plan) for times in timed if times.threads == number],
            plan,
        )
        for number in numbers
    )


def sensitivity(
    pairs: Sequence[LabelledPair], reports: Sequence[float], decide: Decide = decided
) -> tuple[Point, ...]:
    """Return a point for each value of δ_report, in their order."""
    return tuple(_point(pairs, report, decide) for report in reports)


def _point(pairs: Sequence[LabelledPair], report: float, decide: Decide) -> Point:
    outcomes = [
        (pair.expected, decide(pair.timed, replace(pair.plan, report=report))) for pair in pairs
    ]
    reported = sum(finding in _REPORTED for _, finding in outcomes)
    expected = sum(finding in _REPORTED for finding, _ in outcomes)
    right = sum(
        finding is concurrency_finding
        for finding, concurrency_finding in outcomes
        if concurrency_finding in _REPORTED
    )
    return Point(
        report,
        right / reported if reported else None,
        right / expected if expected else None,
    )
