"""Finds sentences of a result, in any of its forms, that its own numbers contradict."""

import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import unescape

from rich.console import Console
from sentences import CLAIMS, EXCLUSIONS

from auditor.abs import terminal
from auditor.abs.document import Document
from auditor.abs.exports import findings, markdown
from auditor.abs.judge.outcomes import NOT_COUNTED
from auditor.abs.page import anchors, evidence, report, suite, table
from auditor.abs.page.anchors import PageLink
from auditor.abs.page.page_budget import choose_listed_pairs
from auditor.abs.text import words
from auditor.abs.text.advice import list_advice
from auditor.abs.text.claims import OPEN, ResultFacts
from auditor.core.result import Verdict
from reports import number_format

RESULT_CLAIMS = ("fewest", "same score", "nothing detected")
"""Claims of the whole result: they are looked for in every form."""
NOTICES = re.compile(
    r"would detect a \S+ \S+ slowdown in (\w+) of ([\d,]+) methods?(?:, and perhaps in (\d+) more)?"
)
OPEN_FOR = re.compile(r"slowdown is open for (?:the only method|all ([\d,]+) methods)")
UNDRAWN = re.compile(r"<style.*?</style>|<script.*?</script>|<svg.*?</svg>|<[^>]*>", re.DOTALL)


@dataclass(frozen=True)
class Statement:
    """A text about a method, a benchmark, or ("") the result."""

    owner: str
    text: str


def contradictions(document: Document) -> list[str]:
    """Return what is wrong, empty where nothing is."""
    facts = ResultFacts(document)
    claims_by_owner: dict[str, set[str]] = defaultdict(set)
    wrong = []
    for statement in statements(document):
        for name, claim in CLAIMS.items():
            if claim.sentence.search(statement.text):
                claims_by_owner[statement.owner].add(name)
                if not claim.holds(facts, statement.owner):
                    wrong.append(
                        f"{statement.owner or 'result'}: {statement.text!r} needs: {claim.needs}"
                    )
    for owner, names in claims_by_owner.items():
        wrong += [f"{owner}: {a} and {b}" for a, b in EXCLUSIONS if {a, b} <= names]
    for form, text in forms(document).items():
        wrong += [
            f"{form}: {match.group()!r} needs: {CLAIMS[name].needs}"
            for name in RESULT_CLAIMS
            if (match := CLAIMS[name].sentence.search(text)) and not CLAIMS[name].holds(facts, "")
        ]
        wrong += [f"{form}: {problem}" for problem in _wrong_headline(text, document)]
    return [*wrong, *_wrong_numbers(document, facts)]


def statements(document: Document) -> Iterator[Statement]:
    """Yield what is said of each method and benchmark, and of the result."""
    yield Statement("", words.describe_cover(document))
    for step in list_advice(document):
        for target in step.targets:
            yield from (
                Statement(target.id, text) for text in (target.note, step.title, step.reason)
            )
    yield from (
        Statement(finding.owner, finding.text) for finding in findings.sorted_findings(document)
    )
    methods = evidence.method_views(document, choose_listed_pairs(document))
    yield from (Statement(method.id, method.says) for method in methods)
    weak = [caveat.text for caveat in document.caveats if caveat.slug == "weak-plan"]
    for benchmark in document.benchmarks:
        yield from (Statement(benchmark.id, text) for text in weak if f"{benchmark.id} (" in text)


def forms(document: Document) -> dict[str, str]:
    """Return the result as its readers see it."""
    console = Console(width=240, file=io.StringIO(), record=True)
    console.print(terminal.format_summary(document))
    return {
        "terminal": console.export_text(),
        "page": unescape(UNDRAWN.sub("", report.render_page(document))),
        "markdown": markdown.format_markdown(document),
    }


def _wrong_headline(text: str, document: Document) -> Iterator[str]:
    """Yield counts of methods that are not those of the verdicts."""
    counted = [method for method in document.methods if method.outcome not in NOT_COUNTED]
    detected = sum(verdict.outcome is Verdict.DETECTED for verdict in counted)
    open_ = sum(verdict.outcome in OPEN for verdict in counted)
    for notice in NOTICES.finditer(text):
        covered = 0 if notice[1] == "none" else int(notice[1])
        stated_counts = covered, int(notice[2].replace(",", "")), int(notice[3] or 0)
        if notice[1] == "0" or stated_counts != (detected, len(counted), open_):
            yield f"{notice.group()!r}, but {detected} of {len(counted)}, {open_} open"
    for match in OPEN_FOR.finditer(text):
        if open_ != len(counted):
            yield f"{match.group()!r}, but {open_} of {len(counted)} are open"


def _wrong_numbers(document: Document, facts: ResultFacts) -> Iterator[str]:
    """Yield numbers that do not add up or multiply."""
    yield from _wrong_scores(document)
    is_open = any(method.outcome in OPEN for method in document.methods)
    for row in suite.redundancy_view(document).density:
        if row.benchmarks == "no benchmark" and is_open:
            yield "methods without a verdict counted as detected by no benchmark"
    yield from _wrong_sight(document, facts)
    yield from _wrong_lists(document, facts)


def _wrong_scores(document: Document) -> Iterator[str]:
    """Yield scores that are no quotients, or zeros of what is open."""
    rows = table.score_rows(document)
    for row, (name, score) in zip(rows, table.list_named_scores(document), strict=True):
        percent = 100 * score.covered / score.counted if score.counted else None
        if score.percent is not None and abs(score.percent - percent) > 1e-6:
            yield f"score {name}: {score.percent} % is not {score.covered} of {score.counted}"
        if score.bounds == (0, 100) and row.percent != number_format.NO_VALUE:
            yield f"score {name}: {row.percent} where all is open"


def _wrong_sight(document: Document, facts: ResultFacts) -> Iterator[str]:
    """Yield benchmarks that detected less than what they are said to see."""
    for curve in document.curve.pairs if document.curve else ():
        visible = facts.benchmarks_by_id[curve.benchmark].visible
        if curve.slowdown is not None and visible is not None and visible > curve.slowdown:
            yield f"{curve.benchmark} sees from {visible} on, and has detected {curve.slowdown}"


def _wrong_lists(document: Document, facts: ResultFacts) -> Iterator[str]:
    """Yield benchmarks that are in the wrong list, by the pairs alone."""
    detecting = {pair.benchmark for pair in document.pairs if pair.outcome is Verdict.DETECTED}
    open_ = {pair.benchmark for pair in document.pairs if pair.outcome in OPEN}
    nothing = suite.redundancy_view(document).none
    for link, text in anchors_of(document, nothing):
        if text in detecting or text in open_:
            yield f"{link}: said to detect nothing"
    steps = {step.slug: {target.id for target in step.targets} for step in list_advice(document)}
    for text in steps.get("silent", set()) & steps.get("unexamined", set()):
        yield f"{text} is said to be examined, and not to be"
    for step in list_advice(document):
        owners = steps[step.slug]
        if step.slug in {"redundant", "silent", "unexamined"} and owners & open_:
            yield f"{step.title}: pairs of {owners & open_} are open"
    yield from (
        f"{benchmark} is idle and detects"
        for benchmark in detecting
        if facts.detects_nothing(benchmark)
    )


def anchors_of(document: Document, links: Iterable[PageLink]) -> Iterator[tuple[str, str]]:
    """Yield the name and the id of each linked benchmark."""
    ids = {link: text for text, link in anchors.benchmark_links(document).items()}
    yield from ((link.name, ids[link]) for link in links)
