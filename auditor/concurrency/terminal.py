"""Two versions of a class under threads on a terminal, as files and as an exit code."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import tables
from auditor.cli.outputs import ResultFiles
from auditor.concurrency import page
from auditor.concurrency import text as concurrency_words
from auditor.concurrency.document import ConcurrencyDocument
from auditor.concurrency.markdown import render_markdown
from auditor.core.contracts.concurrency import ConcurrencyFinding
from auditor.core.errors import Exit

SUITE = "suite"
MADE_BY = "Made by bench-audit with seed"
"""What stands in each test that was ever written: a user may have other files there."""
_MOST_PREFERRED = 10
_STYLES = {"missed": "red", "inconclusive": "yellow", "detected": "green"}
_COLUMNS = (
    "old, new: tests in which it is faster; none: neither is; open: inconclusive; "
    "left: not run, as they could not have changed the finding"
)


def write_results(
    folder: Path, document: ConcurrencyDocument, files: Iterable[tuple[str, str]]
) -> None:
    """Write the result, its page, its Markdown, and below SUITE the generated `files`.

    None of them is written where one cannot be made. Tests of an earlier call are gone.
    """
    sources = {f"{SUITE}/{name}": text for name, text in files}
    old_files = [
        path
        for path in (folder / SUITE).rglob("Race*.java")
        if MADE_BY in path.read_text(errors="replace")
    ]
    FILES.write_results(folder, document, sources)
    for path in old_files:
        if path.relative_to(folder).as_posix() not in sources:
            path.unlink()


def build_table(document: ConcurrencyDocument) -> RenderableType:
    """Return what a terminal shows."""
    view = page.build_view(document)
    parts: list[RenderableType] = [
        Text(f"{view.subject}, {view.versions}", style="dim"),
        Text(view.headline, style="bold"),
        *([Text(view.cause)] if view.cause else []),
        "",
        _build_threads_table(view.rows),
        Text(_COLUMNS, style="dim"),
    ]
    if view.tests:
        parts += ["", _build_tests_table(view)]
        parts += [Text(view.smallest, style="dim")] if view.smallest else []
    preferred = tables.limit_lines(
        [f"{focus_row.method}: {focus_row.reason}" for focus_row in view.focus], _MOST_PREFERRED
    )
    parts += tables.build_section("Methods that the tests prefer", preferred)
    parts += tables.build_section(
        "Left out while the tests were made", tables.limit_lines(view.dropped)
    )
    return Group(*parts, *tables.build_caveat_section(view.closing.caveats))


def _build_threads_table(rows: Sequence[page.ThreadsRow]) -> RenderableType:
    threads = tables.make_borderless_table(
        "", ">threads", ">finding", ">old", ">new", ">none", ">open", ">speed-up", ">interval",
        ">left",
    )  # fmt: skip
    for row in rows:
        style = _STYLES.get(row.kind, "")
        threads.add_row(
            Text(row.word.glyph, style=style), row.threads, Text(row.word.word, style=style),
            *map(str, row.votes), row.speedup, row.interval, str(row.left_out or ""),
        )  # fmt: skip
    return threads


def _build_tests_table(view: page.ConcurrencyView) -> RenderableType:
    heads = [f"threads: {row.threads}" for row in view.rows]
    test_table = tables.make_borderless_table(">test", "statements", *heads)
    for row in view.tests[: tables.MOST_ROWS]:
        test_table.add_row(
            str(row.number), Text(row.composition, style="dim"), *map(_format_cell, row.cells)
        )
    return tables.add_omitted_count(test_table, len(view.tests))


def _format_cell(vote_cell: page.VoteCell) -> Text:
    """Return a vote with its numbers, or why there are none."""
    if vote_cell.word is None or not vote_cell.times:
        glyph = vote_cell.word.glyph if vote_cell.word else ""
        return Text(f"{glyph} {tables.shorten_text(vote_cell.note)}".strip(), style="dim")
    vote = Text(
        f"{vote_cell.word.glyph} {vote_cell.speedup}", style=_STYLES.get(vote_cell.kind, "")
    )
    return vote.append(f" ({vote_cell.interval})", style="dim")


def judge_gate(
    document: ConcurrencyDocument, *, fail_on_regression: bool
) -> tuple[Exit, list[str]]:
    """Return the verdict and what to say about it; nothing is said without a gate."""
    if not fail_on_regression:
        return Exit.OK, []
    if document.finding is ConcurrencyFinding.REGRESSION:
        threads_results = [
            thread for thread in document.threads if thread.finding is ConcurrencyFinding.REGRESSION
        ]
        messages = [
            f"gate failed: {concurrency_words.describe_lane(result)}" for result in threads_results
        ]
        return Exit.GATE_FAILED, messages
    if document.finding is ConcurrencyFinding.INCONCLUSIVE:
        reason = concurrency_words.format_headline(document).removeprefix("Cannot tell: ")
        return Exit.NO_VERDICT, [f"gate undecided: {reason}"]
    open_ = concurrency_words.describe_undecided(document)
    return Exit.OK, [f"gate passed: no regression{open_}"]


FILES = ResultFiles("concurrency", build_table, {".html": page.render_html, ".md": render_markdown})
