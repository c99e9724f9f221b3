"""The result as rows of short texts, for a terminal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from auditor.abs import model
from auditor.abs.document import AbsOrStability, Document, SuiteStability
from auditor.abs.judge.indifference_zone import is_borderline
from auditor.abs.model import MethodVerdict, Score
from auditor.abs.page import allocations
from auditor.abs.text import detection_curve as curve
from auditor.abs.text import words
from auditor.abs.text.advice import Advice, list_advice
from auditor.core.caveats import Caveat
from auditor.core.result import Verdict
from auditor.core.stability import BenchmarkVerdict
from reports import names, number_format

EVIDENCE = {"share": "CPU samples", "injection": "delay", None: ""}
"""What terminal and page call the evidence of a pair's verdict."""
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
    """A method on a terminal."""

    id: str  # the method's id
    name: str  # shortest unambiguous part of the id
    outcome: Verdict  # verdict, which decides the colour
    glyph: str  # sign of the outcome
    word: str  # outcome, in words
    detected_by: int  # number of benchmarks
    reached_by: int  # number of benchmarks
    notices: str  # smallest slowdown that is detected; empty: no curve was measured
    effect: str  # interval of the effect in the benchmark that decides; empty: none
    evidence: str  # how that effect was found; empty: there is none
    note: str  # why it has this outcome, where no other field says so
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
    rule_summary: str  # how a detection is decided
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
    slowdown: str = ""  # by how much methods were slowed; empty: none was


def _format_curve(document: Document) -> str:
    return curve.format_suite_curve(document.curve, words.count_undecided(document.scores.total))


def summarise_document(document: AbsOrStability) -> TerminalSummary:
    """Return what a terminal shows of a document."""
    short_names = list_short_names(document)
    audit = document if isinstance(document, Document) else None
    return TerminalSummary(
        title=names.escape_line(words.subject_name(document)),
        headline=names.escape_line(words.format_headline(document)),
        rule_summary=words.describe_rule(audit) if audit else "",
        curve=_format_curve(audit) if audit else "",
        controls=words.format_controls(audit.controls) if audit else "",
        scores=score_rows(audit) if audit else (),
        methods=method_rows(audit) if audit else (),
        stability=stability_rows(document.stability),
        suite=words.describe_suite(document),
        cover=names.escape_line(words.describe_cover(audit)) if audit else "",
        rules=words.describe_rules(audit) if audit else "",
        allocations=tuple(map(names.escape_line, allocations.format_terminal_lines(audit)))
        if audit
        else (),
        advice=tuple(_format_step(step, short_names) for step in list_advice(document)),
        caveats=(
            *((caveat.slug, names.escape_line(caveat.text)) for caveat in document.caveats),
            *_list_benchmark_caveats(document.benchmarks, short_names),
        ),
        slowdown=number_format.format_share(audit.slowdown) if audit and audit.slowdown else "",
    )


def _list_benchmark_caveats(
    benchmarks: Iterable[BenchmarkVerdict], short: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the caveats of benchmarks, each with the names of those that have it."""
    owners: dict[Caveat, list[str]] = {}
    for benchmark in benchmarks:
        for caveat in benchmark.caveats:
            owners.setdefault(caveat, []).append(short[benchmark.id])
    for caveat, labels in owners.items():
        yield caveat.slug, f"{_format_first_names(labels)}: {names.escape_line(caveat.text)}"


def score_rows(document: Document) -> tuple[ScoreRow, ...]:
    """Return the three scores, and those over other methods where these differ."""
    return tuple(
        _build_score_row(name, score, document) for name, score in list_named_scores(document)
    )


def list_named_scores(document: Document) -> tuple[tuple[str, Score], ...]:
    """Return the scores that there are, with their names."""
    three = document.scores
    scores = [("total", three.total), ("relative", three.relative), ("absolute", three.absolute)]
    if document.whole_list is not None:
        scores.append(("whole list", document.whole_list))
    if document.without_accepted is not None:
        scores.append(("without accepted", document.without_accepted))
    return tuple(scores)


def _build_score_row(name: str, score: Score, document: Document) -> ScoreRow:
    excluded = len(score.excluded_benchmarks)
    # Nothing detected yet, while methods are undecided, is no score of 0.
    is_known = score.percent is not None and not (
        words.count_undecided(score) and not score.covered
    )
    return ScoreRow(
        name=name,
        meaning=words.describe_score(name, score, document),
        percent=number_format.format_percent(score.percent) if is_known else number_format.NO_VALUE,
        bounds=number_format.format_range(score.bounds) if words.count_undecided(score) else "",
        covered=f"{score.covered} of {score.counted}" if is_known else "",
        excluded=number_format.format_count(excluded, "benchmark") + " left out"
        if excluded
        else "",
    )


def method_rows(document: Document) -> tuple[MethodRow, ...]:
    """Return the methods in the order of the request, each with what decides its outcome."""
    short = names.strip_shared_prefix(method.id for method in document.methods)
    least, allocated = curve.most_sensitive_pairs(document.curve), document.allocations
    allocation_of = (
        {method.id: allocations.format_allocation(method) for method in allocated.methods}
        if allocated
        else {}
    )
    clearest = _clearest_pairs(document)
    return tuple(
        replace(
            _build_method_row(method, short[method.id], clearest.get(method.id)),
            notices=curve.format_limit(least[method.id]) if method.id in least else "",
            allocation=allocation_of.get(method.id, ""),
        )
        for method in document.methods
    )


def _clearest_pairs(document: Document) -> dict[str, model.PairVerdict]:
    """Return the pair of each method that its outcome rests on most, of those with that outcome.

    Of a detected method the effect is surely largest in it, of another one it may be.
    """
    outcome_of = {method.id: method.outcome for method in document.methods}
    clearest: dict[str, model.PairVerdict] = {}
    for pair in document.pairs:
        best = clearest.get(pair.method)
        if pair.outcome is not outcome_of.get(pair.method) or pair.effect is None:
            continue
        if best is None or _find_decisive_end(pair) > _find_decisive_end(best):
            clearest[pair.method] = pair
    return clearest


def _find_decisive_end(pair: model.PairVerdict) -> float:
    low, high = model.interval_ends(pair.interval) if pair.interval else (pair.effect, pair.effect)
    return (low if pair.outcome is Verdict.DETECTED else high) or 0.0


def _build_method_row(
    method: MethodVerdict, name: str, clearest: model.PairVerdict | None
) -> MethodRow:
    word = words.word_of(method)
    return MethodRow(
        id=method.id,
        name=names.escape_line(name),
        outcome=method.outcome,
        glyph=word.glyph,
        word=word.word,
        detected_by=len(method.detected_by),
        reached_by=len(method.reached_by),
        notices="",
        effect=_format_effect(clearest) if clearest else "",
        evidence=EVIDENCE[clearest.decided_by] if clearest else "",
        note=_format_note(method, clearest),
    )


def _format_effect(pair: model.PairVerdict) -> str:
    """Return what a slowdown adds; nothing where the probe distorts it and nothing is decided."""
    if pair.outcome is Verdict.INCONCLUSIVE and _is_distorted(pair):
        return ""
    text = number_format.format_range(pair.interval, scale=100)
    return number_format.format_share(pair.effect) if text == number_format.NO_VALUE else text


def _is_distorted(pair: model.PairVerdict) -> bool:
    return any(caveat.slug == "distorted" for caveat in pair.caveats)


def _format_note(method: MethodVerdict, clearest: model.PairVerdict | None) -> str:
    """Say what the other columns do not: why a method is at the limit, left open or left out."""
    has_verdict = method.outcome in (Verdict.DETECTED, Verdict.MISSED)
    if has_verdict and is_borderline(method.caveats):
        threshold = number_format.format_share(clearest.threshold if clearest else None)
        return (
            f"borderline: the effect may lie at the threshold of {threshold}; "
            f"{method.outcome} is likelier"
        )
    decided = clearest is not None and clearest.decided_by is not None
    if decided or method.outcome in (Verdict.DETECTED, Verdict.UNREACHED):
        return ""
    return names.escape_line(
        method.reason or ", ".join(sorted({caveat.slug for caveat in method.caveats}))
    )


def stability_rows(stability: SuiteStability) -> tuple[StabilityRow, ...]:
    """Return Table 3 of the paper for this suite."""
    return tuple(
        StabilityRow(
            range=words.BUCKETS[bucket.range],
            count=bucket.count,
            percent=number_format.format_percent(bucket.percent),
        )
        for bucket in stability.buckets
    )


def list_short_names(document: AbsOrStability) -> dict[str, str]:
    """Return what a terminal calls methods and benchmarks, by id: the same name in each line."""
    methods = document.methods if isinstance(document, Document) else ()
    return {
        **names.strip_shared_prefix(benchmark.id for benchmark in document.benchmarks),
        **names.strip_shared_prefix(method.id for method in methods),
    }


def _format_step(step: Advice, short: Mapping[str, str]) -> str:
    labels = [short.get(target.id, target.id) for target in step.targets]
    if step.always_shows_notes:
        target_lines = (
            names.escape_line(f"{label}: {target.note}")
            for label, target in list(zip(labels, step.targets, strict=True))[:ADVISED]
        )
        return "\n  ".join((f"{step.title}:", *target_lines))
    return f"{step.title}: {_format_first_names(labels)}"


def _format_first_names(labels: Sequence[str]) -> str:
    first_names = names.escape_line(", ".join(labels[:ADVISED]))
    more = len(labels) - ADVISED
    return first_names + (f" and {more} more" if more > 0 else "")
