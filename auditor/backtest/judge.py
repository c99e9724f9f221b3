"""Which commits of the past may have changed performance, and what trying them has shown."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from auditor.abs.model import MethodVerdict
from auditor.backtest.model import (
    Agreement,
    Backtest,
    BenchmarkShift,
    CommitDetection,
    CommitKind,
    CommitResult,
    PastChange,
)
from auditor.compare.model import Comparison, Patch, PerformanceChange
from auditor.core.contracts.history import Commit
from auditor.core.result import Verdict

_SLOWER = re.compile(
    r"\b(?:performance|perf|speed|time|throughput|latency)\W+(?:\w+\W+)?regress\w*"
    r"|\bregress\w*\W+(?:\w+\W+)?(?:performance|perf|speed)|\bslow(?:er|s|ed)?\W?down\w*",
    re.IGNORECASE,
)
_FASTER = re.compile(
    r"\bperf(?:ormance)?\b|\bfaster\b|\bspeed(?:s|ed|ing)?[ -]?up\b"
    r"|\boptimi[sz](?:e|es|ed|ing|ations?)\b"
    r"|\b(?:fewer|less|no|zero|reduc\w+|avoid\w*|remov\w+|eliminat\w+|sav\w+)\W+(?:\w+\W+){0,2}?"
    r"(?:alloc\w*|cop(?:y|ies|ying)|garbage|overhead|boxing|reflection)",
    re.IGNORECASE,
)
_MENDED = re.compile(r"\b(?:fix\w*|mend\w*|resolv\w*|revert\w*|address\w*)\b", re.IGNORECASE)
_NO_CODE = re.compile(r"^\W*(?:docs?|ci|chore|build|tests?|deps?)(?:[(:\]/]|!:)", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_BENCHMARKS = re.compile(r"(?:micro)?bench(?:es|marks?|marking)?|jmh|perf|asv", re.IGNORECASE)
_TESTS = re.compile(r"(?:^|[/_.-])tests?(?:[/_.-]|$)|(?:Test|Tests|IT)\.java$", re.IGNORECASE)
_SOURCES = frozenset((".go", ".java", ".py"))
_SURE = {Verdict.MISSED, Verdict.UNREACHED}
_EXPECTED_CHANGES = {
    CommitKind.FIX: {PerformanceChange.IMPROVEMENT},
    CommitKind.CAUSE: {PerformanceChange.REGRESSION},
    CommitKind.EITHER: {PerformanceChange.IMPROVEMENT, PerformanceChange.REGRESSION},
}
_CHANGED = {PerformanceChange.IMPROVEMENT, PerformanceChange.REGRESSION}


def find_candidates(commits: Iterable[Commit], most: int) -> tuple[PastChange, ...]:
    """Return the commits that most likely changed performance, at most so many, newest first.

    By what their messages say, the first line before the rest, and by benchmarks that came with
    them. Commits that change no source of the library are none.
    """
    scored_changes = [
        (score, change)
        for commit in commits
        for score, change in _score_commit(commit)
        if _is_code(commit)
    ]
    best = sorted(scored_changes, key=lambda entry: -entry[0])[:most]
    chosen_ids = {change.commit.id for _, change in best}
    return tuple(change for _, change in scored_changes if change.commit.id in chosen_ids)


def _score_commit(commit: Commit) -> Iterator[tuple[int, PastChange]]:
    if not commit.parent or _NO_CODE.match(commit.title):
        return
    title, body = _parse_claim(commit.title), _parse_claim(commit.message)
    kind_words = title or body
    if kind_words is None:
        return
    kind, words = kind_words
    with_benchmarks = any(_is_benchmark(file) for file in commit.files)
    reason = f'its message says "{words}"' + (", and it changes benchmarks" * with_benchmarks)
    score = 2 * (title is not None) + with_benchmarks
    yield score, PastChange(commit=commit, kind=kind, found_by=reason)


def _parse_claim(text: str) -> tuple[CommitKind, str] | None:
    """Return what a text says of performance, and with which words."""
    if match := _SLOWER.search(text):
        kind = CommitKind.FIX if _MENDED.search(text) else CommitKind.EITHER
        return kind, match[0]
    if match := _FASTER.search(text):
        return CommitKind.FIX, match[0]
    return None


def _is_code(commit: Commit) -> bool:
    return any(
        PurePosixPath(file).suffix in _SOURCES
        and not _is_benchmark(file)
        and not _TESTS.search(file)
        for file in commit.files
    )


def _is_benchmark(path: str) -> bool:
    is_named = any(map(_BENCHMARKS.fullmatch, _WORD.findall(path)))
    return is_named and PurePosixPath(path).suffix in _SOURCES


def judge_commit(change: PastChange, comparison: Comparison, seconds: float) -> CommitResult:
    """Return what a comparison of a commit with its parent says of it."""
    changes = _EXPECTED_CHANGES[change.kind]
    detecting_shifts = tuple(_list_shifts(comparison, changes))
    commit_detection, reason = _decide_detection(comparison, detecting_shifts)
    common = frozenset(benchmark.id for benchmark in comparison.benchmarks)
    verdict = comparison.patch.verdict
    methods = (
        {method.id: _is_watched(method, common) for method in verdict.methods} if verdict else {}
    )
    visible_changes = [
        dimension.visible
        for benchmark in comparison.benchmarks
        for dimension in benchmark.dimensions
        if dimension.visible is not None
    ]
    return CommitResult(
        change=change,
        noticed=commit_detection,
        reason=reason,
        detected_by=detecting_shifts,
        against=tuple(_list_shifts(comparison, _CHANGED - changes)),
        benchmarks=len(comparison.benchmarks),
        visible=min(visible_changes, default=None),
        methods=(*comparison.patch.changed, *comparison.patch.added),
        watched=tuple(name for name, is_covered in methods.items() if is_covered is True),
        unwatched=tuple(name for name, is_covered in methods.items() if is_covered is False),
        added=comparison.added,
        seconds=seconds,
    )


def _is_watched(method: MethodVerdict, common: frozenset[str]) -> bool | None:
    """Tell whether a benchmark that both revisions have detects a slowdown; None: not known."""
    if method.outcome is Verdict.DETECTED and common.intersection(method.detected_by):
        return True
    calling = common.intersection((*method.reached_by, *method.set_up_in))
    return False if method.outcome in _SURE or (method.reached_by and not calling) else None


def _list_shifts(
    comparison: Comparison, changes: set[PerformanceChange]
) -> Iterator[BenchmarkShift]:
    for benchmark in comparison.benchmarks:
        for dimension in benchmark.dimensions:
            if dimension.change in changes and dimension.confirmed is not False:
                yield BenchmarkShift(
                    benchmark=benchmark.id, dimension=dimension.dimension, ratio=dimension.ratio
                )


def _decide_detection(
    comparison: Comparison, detecting_shifts: Sequence[BenchmarkShift]
) -> tuple[CommitDetection, str]:
    if detecting_shifts:
        return CommitDetection.DETECTED, ""
    if not comparison.benchmarks:
        return CommitDetection.MISSED, "both revisions have no benchmark in common"
    if all(benchmark.same for benchmark in comparison.benchmarks):
        return CommitDetection.MISSED, "no benchmark is built of what the commit changes"
    calling = _find_calling_benchmarks(comparison.patch)
    able = [
        benchmark
        for benchmark in comparison.benchmarks
        if calling is None or benchmark.id in calling
    ]
    if not able:
        return CommitDetection.MISSED, "no benchmark calls what the commit changes"
    lacking = sum(
        benchmark_comparison.change is PerformanceChange.UNKNOWN for benchmark_comparison in able
    )
    if lacking:
        return CommitDetection.UNKNOWN, f"{lacking} of {len(able)} benchmarks cannot be judged"
    return CommitDetection.MISSED, "no benchmark changed as it should have"


def _find_calling_benchmarks(patch: Patch) -> frozenset[str] | None:
    """Return the benchmarks that call what a commit changes; None where nobody knows them all."""
    methods = patch.verdict.methods if patch.verdict else ()
    changed = {*patch.changed, *patch.added}
    if patch.removed or not changed or changed - {method.id for method in methods}:
        return None
    if any(not method.reached_by and method.outcome is not Verdict.UNREACHED for method in methods):
        return None
    return frozenset(name for method in methods for name in (*method.reached_by, *method.set_up_in))


def make_failed_result(change: PastChange, reason: str, seconds: float) -> CommitResult:
    """Return that a commit could not be tried, and why."""
    return CommitResult(
        change=change, noticed=CommitDetection.FAILED, reason=reason, seconds=seconds
    )


def make_unmeasured_result(change: PastChange) -> CommitResult:
    """Return that there was no time left for a commit."""
    return CommitResult(change=change, noticed=CommitDetection.UNKNOWN, reason="the time was over")


def summarise_backtest(results: Iterable[CommitResult]) -> Backtest:
    """Return all of them, and how being watched and being detected go together."""
    commit_results = tuple(results)
    return Backtest(tried=commit_results, agreement=count_agreement(commit_results))


def count_agreement(results: Iterable[CommitResult]) -> Agreement:
    """Count the commits of which both is known."""
    outcome_pairs = [
        (result.is_watched, result.noticed is CommitDetection.DETECTED)
        for result in results
        if result.is_watched is not None
        and result.noticed in {CommitDetection.DETECTED, CommitDetection.MISSED}
    ]
    pairs = ((True, True), (True, False), (False, True), (False, False))
    return correlate_counts(*(outcome_pairs.count(pair) for pair in pairs))


def correlate_counts(
    both_count: int, watched_only: int, noticed_only: int, neither: int
) -> Agreement:
    """Return the counts with their correlation."""
    a, b, c, d = both_count, watched_only, noticed_only, neither
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    return Agreement(
        agreed=a,
        watched_only=b,
        noticed_only=c,
        neither=d,
        phi=(a * d - b * c) / math.sqrt(margins) if margins else None,
    )
