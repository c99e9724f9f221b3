"""A comparison on a terminal, and as an exit code."""

from collections.abc import Collection, Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import output, tables
from auditor.cli.console import Console
from auditor.cli.gates import MISSED
from auditor.core.comparison import Change
from auditor.core.errors import Exit
from reports import comparison, figures, results
from reports.comparison_document import Compared, ComparisonDocument
from reports.comparison_markdown import markdown

FORMATS = ("table", "json", "markdown")
RESULT, PAGE = "compare.json", "compare.html"
_STYLES = {Change.REGRESSION: "red", Change.UNKNOWN: "yellow", Change.IMPROVEMENT: "green"}


def keep(folder: Path, document: ComparisonDocument) -> None:
    """Write the result, its page and its Markdown; none of them where one cannot be made."""
    texts = {
        RESULT: results.text(document),
        PAGE: comparison.html(document),
        "compare.md": markdown(document),
    }
    output.keep(folder, texts)


def show(document: ComparisonDocument, format_: str, console: Console) -> None:
    """Print a comparison in one of FORMATS."""
    output.show(document, format_, console, table, markdown=markdown)


def table(document: ComparisonDocument) -> RenderableType:
    """Return what a terminal shows."""
    shown = comparison.view(document)
    parts: list[RenderableType] = [
        Text(f"{shown.subject}, {shown.revisions}", style="dim"),
        Text(shown.headline, style="bold"),
        *([Text(shown.patch)] if shown.patch else []),
        Text(shown.counts, style="dim"),
    ]
    if shown.rows:
        parts += ["", _benchmarks(shown.rows)]
    if shown.same:
        same = figures.count(shown.same, "benchmark is", "benchmarks are")
        parts.append(Text(f"{same} built of the same code in both, so not measured"))
    parts += tables.section("New benchmarks", shown.added)
    parts += tables.section("Benchmarks that are gone", shown.removed)
    if shown.methods:
        parts += ["", _methods(shown.methods)]
    parts += tables.section("New public methods that no benchmark calls", shown.unwatched)
    if shown.controls:
        parts += ["", Text(shown.controls)]
    parts += tables.section("To know", [f"{text} [{slug}]" for slug, text in shown.caveats])
    return Group(*parts)


def _benchmarks(rows: Sequence[comparison.Row]) -> RenderableType:
    made = tables.lineless(
        "", "benchmark", "", "what", ">base", ">head", ">times", ">interval", ">visible from", ""
    )
    for row in rows[: tables.MOST_ROWS]:
        style = _STYLES.get(row.change, "")
        made.add_row(
            Text(row.word.glyph, style=style), Text(row.name), Text(row.word.word, style=style),
            row.what, row.base, row.head, row.times, row.interval, row.visible,
            Text(tables.short(row.note), style="dim"),
        )  # fmt: skip
    return tables.and_more(made, len(rows))


def _methods(rows: Sequence[comparison.PatchRow]) -> RenderableType:
    made = tables.lineless("", "method", "", "slowed down", "")
    for row in rows[: tables.MOST_ROWS]:
        glyph, word = (row.word.glyph, row.word.word) if row.word else ("", figures.NONE)
        note = Text(tables.short(row.note), style="dim")
        made.add_row(glyph, Text(row.name), row.kind, word, note)
    return tables.and_more(made, len(rows))


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
    changes = [one.change for one in document.benchmarks]
    if fail_on_regression:
        found = changes.count(Change.REGRESSION)
        if found:
            those = figures.count(found, "regression")
            how = "called, not confirmed" if comparison.is_stored(document) else "confirmed"
            said.append((Exit.GATE_FAILED, f"gate failed: {those} {how}"))
        elif suspects := comparison.suspected(document):
            those = figures.count(len(suspects), "suspected regression")
            said.append((Exit.NO_VERDICT, f"gate undecided: {those} not confirmed"))
        elif (changes or document.removed) and all(one is Change.UNKNOWN for one in changes):
            said.append((Exit.NO_VERDICT, "gate undecided: nothing can be told"))
        elif changed := [one for one in document.benchmarks if _may_hide_a_regression(one)]:
            those = figures.count(len(changed), "benchmark")
            text = f"gate undecided: of {those} of changed methods nothing can be told"
            said.append((Exit.NO_VERDICT, text))
        else:
            open_ = changes.count(Change.UNKNOWN)
            rest = f"; of {figures.count(open_, 'benchmark')} it cannot be told" if open_ else ""
            said.append((Exit.OK, f"gate passed: no regression{rest}"))
    if fail_under is not None:
        said.append(_patch(document, fail_under, unsure))
    codes = [code for code, _ in said]
    worst = next((one for one in (Exit.GATE_FAILED, Exit.NO_VERDICT) if one in codes), Exit.OK)
    return worst, [text for _, text in said]


def _may_hide_a_regression(benchmark: Compared) -> bool:
    """Tell whether nothing is known of a benchmark that calls what has changed."""
    return benchmark.change is Change.UNKNOWN and benchmark.calls_changed is True


def _nothing_compared(document: ComparisonDocument) -> str:
    """Return why no benchmark was compared and no method judged, empty where one was."""
    score = document.patch.score
    if document.benchmarks or (score is not None and score.bounds is not None):
        return ""
    added, removed = len(document.added), len(document.removed)
    return f"no benchmark is in both: {added} only in head, {removed} only in base"


def missed(
    document: ComparisonDocument, fail_under: float | None, unsure: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the changed methods whose misses fail the gate on them, none where it does not."""
    if fail_under is None or _patch(document, fail_under, unsure)[0] is not Exit.GATE_FAILED:
        return ()
    return tuple(
        one.id for one in document.patch.methods if one.outcome in MISSED and one.id not in unsure
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
