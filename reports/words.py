"""What outcomes are called, and the verdict in plain words."""

from dataclasses import dataclass
from statistics import fmean, stdev

from auditor.core.verdict import Bucket, Result
from reports import figures
from reports.document import Document, Either, Score, StabilityDocument


@dataclass(frozen=True, slots=True)
class Word:
    """A glyph (never colour alone), a word for tables, and what it means."""

    glyph: str
    word: str
    meaning: str


OUTCOMES = {
    Result.DETECTED: Word("✓", "detected", "a benchmark notices the slowdown"),
    Result.MISSED: Word("✗", "missed", "called, but the slowdown is not noticed"),
    Result.UNREACHED: Word("○", "unreached", "not called while the benchmark is measured"),
    Result.INCONCLUSIVE: Word("?", "inconclusive", "too noisy or too few values to tell"),
    Result.DEAD_CODE: Word("d", "dead code", "the compiler had removed the call"),
    Result.CRASHED: Word("!", "crashed", "the benchmark failed when slowed"),
    Result.TIMED_OUT: Word("t", "timed out", "the benchmark did not end when slowed"),
    Result.INVALID: Word("i", "invalid", "the slowed version does not compile"),
    Result.REFUSED: Word("r", "refused", "this method cannot be slowed"),
    Result.UNMEASURED: Word("-", "unmeasured", "not measured"),
}
UNWATCHED = (Result.UNREACHED, Result.MISSED)
BROKEN = (Result.CRASHED, Result.TIMED_OUT)

SCORES = {
    "total": "all benchmarks",
    "relative": "without the least stable 5 %",
    "absolute": "without those that spread over 50 %",
    "whole list": "all benchmarks, methods that cannot be slowed included",
}

BUCKETS = {
    Bucket.BELOW_5: "below 5 %",
    Bucket.BELOW_10: "5 to 10 %",
    Bucket.BELOW_25: "10 to 25 %",
    Bucket.BELOW_50: "25 to 50 %",
    Bucket.ABOVE_50: "above 50 %",
}
SHAKY = (Bucket.BELOW_50, Bucket.ABOVE_50)


def headline(document: Either) -> str:
    """Return the answer in one sentence."""
    if isinstance(document, StabilityDocument):
        return _stability_headline(document)
    total = document.scores.total
    if total.counted == 0:
        return "No method could be judged, so this audit gives no score."
    slowdown = figures.share(document.slowdown)
    methods = figures.count(total.counted, "method")
    if undecided(total) == total.counted:
        return f"Whether this suite would notice a {slowdown} slowdown is open for all {methods}."
    sentence = f"This suite would notice a {slowdown} slowdown in {total.covered} of {methods}"
    open_ = undecided(total)
    return f"{sentence}, and perhaps in {open_} more." if open_ else f"{sentence}."


def undecided(score: Score) -> int:
    """Return how many counted methods may still turn out covered."""
    if score.bounds is None or score.bounds[1] is None:
        return 0
    return max(0, round(score.bounds[1] * score.counted / 100) - score.covered)


def _stability_headline(document: StabilityDocument) -> str:
    spreads = [one.max_spread for one in document.benchmarks if one.max_spread is not None]
    if not spreads:
        return "No benchmark was measured in all runs, so nothing can be said about stability."
    calm = sum(spread < 0.05 for spread in spreads)
    benchmarks = figures.count(len(spreads), "benchmark")
    runs = figures.count(document.stability.runs, "run")
    return f"{calm} of {benchmarks} stay within {figures.share(0.05)} over {runs} of the suite."


def judged(document: Document) -> str:
    """Return by which rule and which slowdown the verdict was reached."""
    chosen = "fixed" if document.slowdown_source == "fixed" else "twice the spread of this suite"
    slowdown = f"slowdown {figures.share(document.slowdown)} ({chosen})"
    if document.slowdown is None:
        slowdown = "no slowdown known"
    return f'rule "{document.rule.value}", {slowdown}, seed {document.seed}'


def suite(document: Either) -> str:
    """Return the size of the suite and how long a run of it takes, in one sentence."""
    size = figures.count(len(document.benchmarks), "benchmark")
    known = [value for value in document.stability.suite_seconds if value is not None]
    if not known:
        return f"{size}; no run of the whole suite is complete."
    typical = figures.seconds(fmean(known))
    if len(known) == 1:
        return f"{size}; a run of the whole suite takes {typical}."
    return f"{size}; a run of the whole suite takes {typical} (± {figures.seconds(stdev(known))})."


def subject(document: Either) -> str:
    """Return the name of the subject with its revision."""
    return " ".join(filter(None, (document.subject, document.revision)))


def cover(document: Document) -> str:
    """Return what the minimal cover says, in one sentence."""
    if not document.minimal_cover:
        return "No benchmark detects anything, so there is nothing to keep."
    size = len(document.minimal_cover)
    whole = figures.count(len(document.benchmarks), "benchmark")
    verb = "gives" if size == 1 else "give"
    sentence = f"{size} of {whole} {verb} the same score for these methods"
    if document.cover_bound.exact:
        return f"{sentence}; fewer cannot."
    return f"{sentence}; no fewer than {document.cover_bound.minimum} can."
