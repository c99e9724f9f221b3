"""A verdict and the limits it has to meet, as an exit code."""

from collections.abc import Mapping
from typing import Any

from auditor.audits.outcomes import NOT_COUNTED
from auditor.config import Gates
from auditor.core.errors import Exit
from auditor.core.verdict import Result

_INSTEAD = {"fail": Exit.GATE_FAILED, "pass": Exit.OK, None: Exit.NO_VERDICT}


def judge(
    document: Mapping[str, Any], gates: Gates, inconclusive: str | None
) -> tuple[Exit, str | None]:
    """Return the exit code of an ABS audit and what to say about it.

    `inconclusive` is "fail", "pass" or None: what stands in for "we cannot tell".
    """
    total = document["scores"]["total"]
    bounds = total["bounds"]
    if bounds is None or not _anything_judged(document):
        return _INSTEAD[inconclusive], "no verdict: nothing was measured"
    if gates.min_score is None:
        return Exit.OK, None
    low, high = bounds
    limit = f"min_score {gates.min_score:g} %"
    if low >= gates.min_score:
        return Exit.OK, f"gate passed: {limit}, the total score is {total['percent']:.4g} %"
    if high < gates.min_score:
        most = "" if high == low else f", at most {high:.4g} %"
        said = f"gate failed: {limit}, the total score is {total['percent']:.4g} %{most}"
        return Exit.GATE_FAILED, said
    said = f"gate undecided: {limit}, the total score is between {low:.4g} % and {high:.4g} %"
    return _INSTEAD[inconclusive], said


def _anything_judged(document: Mapping[str, Any]) -> bool:
    """Tell whether a method that counts has a judged pair, or surely no benchmark that calls it."""
    judged = {
        pair["method"]
        for pair in document["pairs"]
        if pair["effect"] is not None or pair["outcome"] in (Result.DETECTED, Result.MISSED)
    }
    return any(
        one["outcome"] == Result.UNREACHED
        or (one["id"] in judged and one["outcome"] not in NOT_COUNTED)
        for one in document["methods"]
    )


def judge_stability(document: Mapping[str, Any]) -> tuple[Exit, str | None]:
    """Return the exit code of a stability audit and what to say about it."""
    if any(one["max_spread"] is not None for one in document["benchmarks"]):
        return Exit.OK, None
    return Exit.NO_VERDICT, "no verdict: no benchmark was measured in two or more whole runs"
