"""A comparison of two revisions as Markdown: a job's summary, a comment."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from auditor.compare.document import ComparisonDocument
from auditor.compare.page import ComparisonView, build_view
from reports import number_format
from reports.markdown import MAX_COMMENT_BYTES, format_code, format_gates, format_prose

_ROW_COUNTS = (100, 50, 20, 10, 5, 0)
"""Rows of each table: as many as there is room for."""


def render_markdown(
    document: ComparisonDocument, limit: int = MAX_COMMENT_BYTES, gates: Sequence[str] = ()
) -> str:
    """Return the comparison as Markdown of at most `limit` bytes, names in code spans.

    `gates` is what the gates of the command that made the result say of it, below the headline.
    Where there is no room, each table is cut, and how much is left out is said. The limit has to be
    10,000 at least.
    """
    comparison_view, text = build_view(document), ""
    for rows in _ROW_COUNTS:
        text = "\n".join(_MarkdownReport(comparison_view, rows, gates).format_lines()) + "\n"
        if len(text.encode(errors="replace")) <= limit:
            break
    return text


@dataclass(frozen=True, slots=True)
class _MarkdownReport:
    """A view with room for so many rows of each table."""

    view: ComparisonView
    rows: int
    gates: Sequence[str]

    def format_lines(self) -> Iterator[str]:
        comparison_view = self.view
        yield f"## {format_prose(comparison_view.headline)}"
        yield from format_gates(self.gates)
        yield from (
            "",
            f"Benchmarks of {format_code(comparison_view.subject)}, "
            f"{format_code(comparison_view.revisions)}:",
            "",
        )
        yield format_prose(comparison_view.counts)
        yield from self._format_benchmarks()
        if comparison_view.patch:
            yield from ("", "### Methods that changed", "", format_prose(comparison_view.patch))
        yield from self._format_methods()
        if comparison_view.controls:
            yield from ("", format_prose(comparison_view.controls))
        if comparison_view.caveats and self.rows:
            yield from ("", "### Caveats", "")
        for slug, text in comparison_view.caveats[: self.rows]:
            yield f"* {format_code(slug)}: {format_prose(text)}"

    def _format_benchmarks(self) -> Iterator[str]:
        rows = self.view.rows[: self.rows]
        if rows:
            yield ""
            yield "| benchmark | | what | base | head | times | interval | visible from | |"
            yield "| --- | --- | --- | ---: | ---: | ---: | --- | ---: | --- |"
        for row in rows:
            cells = (
                format_code(row.name), f"{row.word.glyph} {row.word.word}", row.dimension, row.base,
                row.head, row.times, row.interval, row.visible, _format_note(row.note),
            )  # fmt: skip
            yield f"| {' | '.join(cells)} |"
        yield from self._describe_omitted(len(self.view.rows))
        if self.view.same:
            same_text = number_format.format_count(self.view.same, "benchmark is", "benchmarks are")
            yield from ("", f"{same_text} built of the same code in both, so not measured.")
        yield from self._format_names("New benchmarks", self.view.added)
        yield from self._format_names("Benchmarks that are gone", self.view.removed)

    def _format_methods(self) -> Iterator[str]:
        methods = self.view.methods[: self.rows]
        if methods:
            yield from ("", "| method | | | |", "| --- | --- | --- | --- |")
        for method in methods:
            word = (
                f"{method.word.glyph} {method.word.word}" if method.word else number_format.NO_VALUE
            )
            yield (
                f"| {format_code(method.name)} | {method.kind} | {word} | "
                f"{_format_note(method.note)} |"
            )
        yield from self._describe_omitted(len(self.view.methods))
        yield from self._format_names(
            "New public methods that no benchmark calls", self.view.unwatched
        )

    def _describe_omitted(self, all_rows: int) -> Iterator[str]:
        if all_rows > self.rows:
            yield from ("", f"{all_rows - self.rows} more are in the result.")

    def _format_names(self, title: str, names: Sequence[str]) -> Iterator[str]:
        if names:
            joined_names = ", ".join(map(format_code, names[: self.rows]))
            omitted_count = len(names) - self.rows
            omission = (
                f"{' and ' if joined_names else ''}{omitted_count} more"
                if omitted_count > 0
                else ""
            )
            yield from ("", f"{title}: {joined_names}{omission}")


def _format_note(text: str) -> str:
    return format_prose(text) if text else ""
