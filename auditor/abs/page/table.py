"""The result as rows of short texts, for a terminal."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from auditor.abs import model
from auditor.abs.document import AbsOrStability, Document, SuiteStability
from auditor.abs.model import MethodVerdict, Score
from auditor.abs.page import allocations
from auditor.abs.text import controls, words
from auditor.abs.text import detection_curve as curve
from auditor.abs.text.advice import Advice, advise
from auditor.core.caveats import Caveat
from auditor.core.result import Verdict
from auditor.core.stability import BenchmarkVerdict
from reports import names, number_format

ADVISED = 3
"""How many names a line shows before it says how many more there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """One of the scores."""

    name: str  # such as "total"
    meaning: str  # which methods and benchmarks it counts
    percent: str  # the score; a dash: unknown
    bounds: str  # least and largest score once all is decided; empty: nothing is undecided
    covered: str  # detected of counted methods; empty: unknown
    excluded: str  # number of benchmarks left out; empty: none


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRow:
    """A method in the terminal's table."""

    id: str  # the method's id
    name: str  # shortest unambiguous part of the id
    outcome: Verdict  # verdict, which decides the colour
    glyph: str  # sign of the outcome
    word: str  # outcome, in words
    detected_by: int  # number of benchmarks
    reached_by: int  # number of benchmarks
    notices: str  # smallest slowdown that is detected; empty: no curve was measured
    note: str  # reason, else slugs of the caveats
    allocation: str = ""  # benchmarks that show an allocation; empty: not requested


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityRow:
    """One bucket of spreads."""

    range: str
    count: int
    percent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalSummary:
    """All that a terminal shows; what concerns methods is empty for a stability audit."""

    title: str  # name of the audited code
    headline: str  # the answer in one sentence
    judged: str  # how a detection is decided
    curve: str  # smallest slowdowns that the suite detects; empty: not requested
    controls: str  # result of the A/A control; empty: not requested
    scores: tuple[ScoreRow, ...]  # the scores that exist
    methods: tuple[MethodRow, ...]  # in the order of the request
    stability: tuple[StabilityRow, ...]  # number of benchmarks by range of spread
    suite: str  # summary of the spreads
    cover: str  # summary of the redundancy
    rules: str  # methods covered by test, by effect and by both
    allocations: tuple[str, ...]  # lines on allocations; empty: not requested
    advice: tuple[str, ...]  # what to do, a line each
    caveats: tuple[tuple[str, str], ...]  # (slug, text) of each


def _curve(document: Document) -> str:
    return curve.format_suite_curve(document.curve, words.count_undecided(document.scores.total))


def summarise(document: AbsOrStability) -> TerminalSummary:
    """Return what a terminal shows of a document."""
    judged = document if isinstance(document, Document) else None
    return TerminalSummary(
        title=names.line(words.subject_name(document)),
        headline=names.line(words.headline(document)),
        judged=words.describe_rule(judged) if judged else "",
        curve=_curve(judged) if judged else "",
        controls=controls.format_controls(judged.controls) if judged else "",
        scores=score_rows(judged) if judged else (),
        methods=_methods(judged) if judged else (),
        stability=stability_rows(document.stability),
        suite=words.describe_suite(document),
        cover=names.line(words.describe_cover(judged)) if judged else "",
        rules=words.describe_rules(judged) if judged else "",
        allocations=tuple(map(names.line, allocations.terminal_lines(judged))) if judged else (),
        advice=_lines(advise(document)),
        caveats=(
            *((caveat.slug, names.line(caveat.text)) for caveat in document.caveats),
            *_of_benchmarks(document.benchmarks),
        ),
    )


def _of_benchmarks(benchmarks: Iterable[BenchmarkVerdict]) -> Iterator[tuple[str, str]]:
    """Yield the caveats of benchmarks, each with the names of those that have it."""
    owners: dict[Caveat, list[str]] = {}
    for benchmark in benchmarks:
        for caveat in benchmark.caveats:
            owners.setdefault(caveat, []).append(benchmark.id)
    for caveat, mine in owners.items():
        yield caveat.slug, f"{_some(mine)}: {names.line(caveat.text)}"


def score_rows(document: Document) -> tuple[ScoreRow, ...]:
    """Return the three scores, and those over other methods where these differ."""
    return tuple(_score(name, score, document) for name, score in named_scores(document))


def named_scores(document: Document) -> tuple[tuple[str, Score], ...]:
    """Return the scores that there are, with their names."""
    three = document.scores
    known = [("total", three.total), ("relative", three.relative), ("absolute", three.absolute)]
    if document.whole_list is not None:
        known.append(("whole list", document.whole_list))
    if document.without_accepted is not None:
        known.append(("without accepted", document.without_accepted))
    return tuple(known)


def _score(name: str, score: Score, document: Document) -> ScoreRow:
    excluded = len(score.excluded_benchmarks)
    known = score.percent is not None and words.count_undecided(score) < score.counted
    return ScoreRow(
        name=name,
        meaning=words.describe_score(name, score, document),
        percent=number_format.percent(score.percent) if known else number_format.NONE,
        bounds=number_format.span(score.bounds) if words.count_undecided(score) else "",
        covered=f"{score.covered} of {score.counted}" if known else "",
        excluded=number_format.count(excluded, "benchmark") + " left out" if excluded else "",
    )


def _methods(document: Document) -> tuple[MethodRow, ...]:
    short = names.shorten(method.id for method in document.methods)
    least, found = curve.most_sensitive_pairs(document.curve), document.allocations
    known = (
        {method.id: allocations.format_allocation(method) for method in found.methods}
        if found
        else {}
    )
    return tuple(
        _method(method, short[method.id], least.get(method.id), known.get(method.id, ""))
        for method in document.methods
    )


def _method(
    method: MethodVerdict, name: str, least: model.PairCurve | None, allocation: str
) -> MethodRow:
    word = words.word_of(method)
    slugs = ", ".join(sorted({caveat.slug for caveat in method.caveats}))
    return MethodRow(
        id=method.id,
        name=names.line(name),
        outcome=method.outcome,
        glyph=word.glyph,
        word=word.word,
        detected_by=len(method.detected_by),
        reached_by=len(method.reached_by),
        notices=curve.format_limit(least) if least else "",
        note=method.reason or slugs,
        allocation=allocation,
    )


def stability_rows(stability: SuiteStability) -> tuple[StabilityRow, ...]:
    """Return Table 3 of the paper for this suite."""
    return tuple(
        StabilityRow(
            range=words.BUCKETS[bucket.range],
            count=bucket.count,
            percent=number_format.percent(bucket.percent),
        )
        for bucket in stability.buckets
    )


def _lines(steps: tuple[Advice, ...]) -> tuple[str, ...]:
    return tuple(_line(step) for step in steps)


def _line(step: Advice) -> str:
    if step.noted:
        short = names.shorten(target.id for target in step.targets)
        said = (
            names.line(f"{short[target.id]}: {target.note}") for target in step.targets[:ADVISED]
        )
        return "\n  ".join((f"{step.title}:", *said))
    return f"{step.title}: {_some(target.id for target in step.targets)}"


def _some(ids: Iterable[str]) -> str:
    short = names.shorten(ids)
    shown = names.line(", ".join(list(short.values())[:ADVISED]))
    more = len(short) - ADVISED
    return shown + (f" and {more} more" if more > 0 else "")
