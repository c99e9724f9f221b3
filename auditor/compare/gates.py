"""A comparison and the limits that it has to meet, as an exit code."""

from collections.abc import Collection

from auditor.abs.gates import MISSED
from auditor.compare import page
from auditor.compare.document import ComparedBenchmark, ComparisonDocument
from auditor.compare.model import PerformanceChange
from auditor.core.errors import Exit
from reports import number_format


def judge_gates(
    document: ComparisonDocument,
    *,
    fail_on_regression: bool,
    fail_under: float | None,
    unsure_methods: Collection[str] = (),
) -> tuple[Exit, list[str]]:
    """Return the verdict and what to say about it: the benchmarks first, then the patch.

    `unsure_methods` are changed ones, missed here and not when they were slowed again.
    A benchmark of which nothing can be told is no failed gate; it has no verdict only where that is
    true of all of them.
    """
    if reason := _explain_nothing_compared(document):
        return Exit.NO_VERDICT, [f"no verdict: {reason}"]
    judgements: list[tuple[Exit, str]] = []
    if fail_on_regression:
        judgements.append(_judge_regressions(document))
    if fail_under is not None:
        judgements.append(_judge_patch(document, fail_under, unsure_methods))
    codes = [code for code, _ in judgements]
    worst = next((code for code in (Exit.GATE_FAILED, Exit.NO_VERDICT) if code in codes), Exit.OK)
    return worst, [text for _, text in judgements]


def _judge_regressions(document: ComparisonDocument) -> tuple[Exit, str]:
    """Return the verdict of the gate on regressions, and its line."""
    changes = [benchmark.change for benchmark in document.benchmarks]
    if regressions := changes.count(PerformanceChange.REGRESSION):
        count_text = number_format.format_count(regressions, "regression")
        status = "called, not confirmed" if page.is_stored(document) else "confirmed"
        return Exit.GATE_FAILED, f"gate failed: {count_text} {status}"
    if suspects := page.find_suspected(document):
        count_text = number_format.format_count(len(suspects), "suspected regression")
        return Exit.NO_VERDICT, f"gate undecided: {count_text} not confirmed"
    inconclusive_count = changes.count(PerformanceChange.UNKNOWN)
    if (changes or document.removed) and inconclusive_count == len(changes):
        return Exit.NO_VERDICT, "gate undecided: every benchmark is inconclusive"
    if hiding_count := sum(map(_may_hide_a_regression, document.benchmarks)):
        count_text = number_format.format_count(hiding_count, "benchmark")
        return Exit.NO_VERDICT, f"gate undecided: {count_text} of changed methods inconclusive"
    benchmarks = number_format.format_count(inconclusive_count, "benchmark")
    inconclusive_text = f"; {benchmarks} inconclusive" if inconclusive_count else ""
    return Exit.OK, f"gate passed: no regression{inconclusive_text}"


def _may_hide_a_regression(benchmark: ComparedBenchmark) -> bool:
    """Tell whether nothing is known of a benchmark that calls what has changed."""
    return benchmark.change is PerformanceChange.UNKNOWN and benchmark.calls_changed is True


def _explain_nothing_compared(document: ComparisonDocument) -> str:
    """Return why no benchmark was compared and no method judged, empty where one was."""
    score = document.patch.score
    if document.benchmarks or (score is not None and score.bounds is not None):
        return ""
    added, removed = len(document.added), len(document.removed)
    return f"no benchmark is in both: {added} only in head, {removed} only in base"


def list_missed_methods(
    document: ComparisonDocument, fail_under: float | None, unsure_methods: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the changed methods whose misses fail the gate on them, none where it does not."""
    if (
        fail_under is None
        or _judge_patch(document, fail_under, unsure_methods)[0] is not Exit.GATE_FAILED
    ):
        return ()
    return tuple(
        method.id
        for method in document.patch.methods
        if method.outcome in MISSED and method.id not in unsure_methods
    )


def _judge_patch(
    document: ComparisonDocument,
    min_score: float,
    unsure_methods: Collection[str],
) -> tuple[Exit, str]:
    score, requirement = document.patch.score, f"at least {min_score:g} % of what changed"
    if not document.patch.methods:
        return Exit.OK, f"gate passed: {requirement}; no method differs"
    if score is None or score.bounds is None:
        return Exit.NO_VERDICT, f"gate undecided: {requirement}; no changed method was judged"
    low, high = score.bounds
    high = min(100.0, high + 100 * len(unsure_methods) / score.counted)
    if low >= min_score:
        return Exit.OK, f"gate passed: {requirement}, it is {score.percent:.4g} %"
    if high < min_score:
        return Exit.GATE_FAILED, f"gate failed: {requirement}, it is {score.percent:.4g} %"
    return Exit.NO_VERDICT, f"gate undecided: {requirement}, it is {low:.4g} to {high:.4g} %"
