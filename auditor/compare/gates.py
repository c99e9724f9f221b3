"""A comparison and the limits that it has to meet, as an exit code."""

from collections.abc import Collection

from auditor.abs.gates import MISSED
from auditor.abs.model import Score
from auditor.compare import page
from auditor.compare.document import ComparedBenchmark, ComparisonDocument, PatchDocument
from auditor.compare.model import PerformanceChange
from auditor.core.errors import Exit
from auditor.core.result import Verdict
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
    An inconclusive benchmark is no failed gate. There is no verdict where nothing was compared and
    no method was judged.
    """
    is_patch_judged = any(
        method.outcome in {*MISSED, Verdict.DETECTED} for method in document.patch.methods
    )
    if not is_patch_judged and (reason := _explain_nothing_compared(document)):
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
    if suspicion := _count_suspicions(document):
        return Exit.NO_VERDICT, f"gate undecided: {suspicion}"
    if reason := _explain_unknown(document):
        return Exit.NO_VERDICT, f"gate undecided: {reason}"
    inconclusive_count = changes.count(PerformanceChange.UNKNOWN)
    benchmarks = number_format.format_count(inconclusive_count, "benchmark")
    inconclusive_text = f"; {benchmarks} inconclusive" if inconclusive_count else ""
    gone_text = f"; {len(document.removed)} gone" if document.removed else ""
    return Exit.OK, f"gate passed: no regression{inconclusive_text}{gone_text}"


def _explain_unknown(document: ComparisonDocument) -> str:
    """Return why a regression cannot be excluded where none is seen; empty where it can."""
    if reason := _explain_nothing_compared(document):
        return reason
    if failing_count := sum(benchmark.fails_in_head for benchmark in document.benchmarks):
        return f"{number_format.format_count(failing_count, 'benchmark')} cannot run in head"
    if hiding_count := sum(map(_may_hide_a_regression, document.benchmarks)):
        count_text = number_format.format_count(hiding_count, "benchmark")
        return f"{count_text} of changed methods inconclusive"
    return ""


def _may_hide_a_regression(benchmark: ComparedBenchmark) -> bool:
    """Tell whether nothing is known of a benchmark that calls what has changed."""
    return benchmark.change is PerformanceChange.UNKNOWN and benchmark.calls_changed is True


def _explain_nothing_compared(document: ComparisonDocument) -> str:
    """Return why no benchmark was compared, empty where one was or all build the same code."""
    if not document.benchmarks:
        added, removed = len(document.added), len(document.removed)
        return f"no benchmark is in both: {added} only in head, {removed} only in base"
    differing = [benchmark for benchmark in document.benchmarks if not benchmark.same]
    if differing and all(benchmark.change is PerformanceChange.UNKNOWN for benchmark in differing):
        suspicion = _count_suspicions(document)
        return "; ".join(filter(None, (page.describe_all_inconclusive(document), suspicion)))
    return ""


def _count_suspicions(document: ComparisonDocument) -> str:
    """Return how many regressions are suspected and not confirmed; empty where none is."""
    if suspects := page.find_suspected(document):
        count_text = number_format.format_count(len(suspects), "suspected regression")
        return f"{count_text} not confirmed"
    return ""


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
        if method.outcome in MISSED and not method.accepted and method.id not in unsure_methods
    )


def _judge_patch(
    document: ComparisonDocument,
    min_score: float,
    unsure_methods: Collection[str],
) -> tuple[Exit, str]:
    patch, requirement = document.patch, f"at least {min_score:g} % of what changed"
    if reason := _explain_unjudged_patch(patch):
        return Exit.NO_VERDICT, f"gate undecided: {requirement}; {reason}"
    if not patch.methods or patch.score is None or patch.score.bounds is None:
        return Exit.OK, f"gate passed: {requirement}; no method is changed or new"
    score, (low, high) = patch.score, patch.score.bounds
    unslowed = _count_unslowed(patch)
    unsure_count = sum(
        method.id in unsure_methods and not method.accepted for method in patch.methods
    )
    total = score.counted + unslowed
    low = low * score.counted / total
    high = min(100.0, (high * score.counted + 100 * (unsure_count + unslowed)) / total)
    rest = f"; {number_format.format_count(unslowed, 'method')} not slowed" if unslowed else ""
    if low >= min_score:
        return Exit.OK, f"gate passed: {requirement}, it is {_format_percents(low, score)}{rest}"
    if high < min_score:
        most = "" if high == score.percent else "at most "
        return Exit.GATE_FAILED, f"gate failed: {requirement}, it is {most}{high:.4g} %{rest}"
    return Exit.NO_VERDICT, f"gate undecided: {requirement}, it is {low:.4g} to {high:.4g} %{rest}"


def _count_unslowed(patch: PatchDocument) -> int:
    """Return the changed methods that were not slowed, by choice or since they cannot be."""
    return sum(method.outcome is None for method in patch.methods) + len(patch.refused)


def _format_percents(low: float, score: Score) -> str:
    return f"at least {low:.4g} %" if score.percent != low else f"{low:.4g} %"


def _explain_unjudged_patch(patch: PatchDocument) -> str:
    """Return why nothing is known of the changed methods; empty where it is, or none differs."""
    if not patch.methods:
        if patch.refused:
            count_text = number_format.format_count(len(patch.refused), "changed method")
            return f"{count_text} cannot be slowed"
        if patch.unknown:
            return f"{number_format.format_count(patch.unknown, 'method')} without a source"
        return ""
    if patch.score is None or patch.score.bounds is None:
        if any(method.accepted for method in patch.methods) and not _count_unslowed(patch):
            return "each changed method that counts is an accepted miss"
        return "no changed method was judged"
    return ""
