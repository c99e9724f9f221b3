"""A comparison and the limits that it has to meet, as an exit code."""

from collections.abc import Collection

from auditor.abs.gates import MISSED
from auditor.compare import page
from auditor.compare.document import ComparedBenchmark, ComparisonDocument
from auditor.compare.model import PerformanceChange
from auditor.core.errors import Exit
from reports import number_format


def judge(
    document: ComparisonDocument,
    *,
    fail_on_regression: bool,
    fail_under: float | None,
    unsure: Collection[str] = (),
) -> tuple[Exit, list[str]]:
    """Return the verdict and what to say about it: the benchmarks first, then the patch.

    `unsure` are changed methods that are missed here and were not when they were slowed again.
    A benchmark of which nothing can be told is no failed gate; it has no verdict only where that is
    true of all of them.
    """
    if reason := _nothing_compared(document):
        return Exit.NO_VERDICT, [f"no verdict: {reason}"]
    said: list[tuple[Exit, str]] = []
    if fail_on_regression:
        said.append(_judge_regressions(document))
    if fail_under is not None:
        said.append(_patch(document, fail_under, unsure))
    codes = [code for code, _ in said]
    worst = next((code for code in (Exit.GATE_FAILED, Exit.NO_VERDICT) if code in codes), Exit.OK)
    return worst, [text for _, text in said]


def _judge_regressions(document: ComparisonDocument) -> tuple[Exit, str]:
    """Return the verdict of the gate on regressions, and its line."""
    changes = [benchmark.change for benchmark in document.benchmarks]
    if regressions := changes.count(PerformanceChange.REGRESSION):
        those = number_format.count(regressions, "regression")
        how = "called, not confirmed" if page.is_stored(document) else "confirmed"
        return Exit.GATE_FAILED, f"gate failed: {those} {how}"
    if suspects := page.suspected(document):
        those = number_format.count(len(suspects), "suspected regression")
        return Exit.NO_VERDICT, f"gate undecided: {those} not confirmed"
    unknown = changes.count(PerformanceChange.UNKNOWN)
    if (changes or document.removed) and unknown == len(changes):
        return Exit.NO_VERDICT, "gate undecided: every benchmark is inconclusive"
    if hiding := sum(map(_may_hide_a_regression, document.benchmarks)):
        those = number_format.count(hiding, "benchmark")
        return Exit.NO_VERDICT, f"gate undecided: {those} of changed methods inconclusive"
    benchmarks = number_format.count(unknown, "benchmark")
    rest = f"; {benchmarks} inconclusive" if unknown else ""
    return Exit.OK, f"gate passed: no regression{rest}"


def _may_hide_a_regression(benchmark: ComparedBenchmark) -> bool:
    """Tell whether nothing is known of a benchmark that calls what has changed."""
    return benchmark.change is PerformanceChange.UNKNOWN and benchmark.calls_changed is True


def _nothing_compared(document: ComparisonDocument) -> str:
    """Return why no benchmark was compared and no method judged, empty where one was."""
    score = document.patch.score
    if document.benchmarks or (score is not None and score.bounds is not None):
        return ""
    added, removed = len(document.added), len(document.removed)
    return f"no benchmark is in both: {added} only in head, {removed} only in base"


def missed_methods(
    document: ComparisonDocument, fail_under: float | None, unsure: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the changed methods whose misses fail the gate on them, none where it does not."""
    if fail_under is None or _patch(document, fail_under, unsure)[0] is not Exit.GATE_FAILED:
        return ()
    return tuple(
        method.id
        for method in document.patch.methods
        if method.outcome in MISSED and method.id not in unsure
    )


def _patch(
    document: ComparisonDocument,
    least: float,
    unsure: Collection[str],
) -> tuple[Exit, str]:
    score, limit = document.patch.score, f"at least {least:g} % of what changed"
    if not document.patch.methods:
        return Exit.OK, f"gate passed: {limit}; no method differs"
    if score is None or score.bounds is None:
        return Exit.NO_VERDICT, f"gate undecided: {limit}; no changed method was judged"
    low, high = score.bounds
    high = min(100.0, high + 100 * len(unsure) / score.counted)
    if low >= least:
        return Exit.OK, f"gate passed: {limit}, it is {score.percent:.4g} %"
    if high < least:
        return Exit.GATE_FAILED, f"gate failed: {limit}, it is {score.percent:.4g} %"
    return Exit.NO_VERDICT, f"gate undecided: {limit}, it is {low:.4g} to {high:.4g} %"
