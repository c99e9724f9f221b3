"""A comparison of two revisions as Markdown: a job's summary, a comment."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from auditor.compare.document import ComparisonDocument
from auditor.compare.page import ComparisonView, view
from reports import number_format
from reports.markdown import LIMIT, code, listed_gates, prose

_ROWS = (100, 50, 20, 10, 5, 0)
"""Rows of each table: as many as there is room for."""


def markdown(document: ComparisonDocument, limit: int = LIMIT, gates: Sequence[str] = ()) -> str:
    """Return the comparison as Markdown of at most `limit` bytes, names in code spans.

    `gates` is what the gates of the command that made the result say of it, below the headline.
    Where there is no room, each table is cut, and how much is left out is said. The limit has to be
    10,000 at least.
    """
    shown, text = view(document), ""
    for rows in _ROWS:
        text = "\n".join(_Markdown(shown, rows, gates).lines()) + "\n"
        if len(text.encode(errors="replace")) <= limit:
            break
    return text


@dataclass(frozen=True, slots=True)
class _Markdown:
    """A view with room for so many rows of each table."""

    shown: ComparisonView
    rows: int
    gates: Sequence[str]

    def lines(self) -> Iterator[str]:
        shown = self.shown
        yield f"## {prose(shown.headline)}"
        yield from listed_gates(self.gates)
        yield from ("", f"Benchmarks of {code(shown.subject)}, {code(shown.revisions)}:", "")
        yield prose(shown.counts)
        yield from self._benchmarks()
        if shown.patch:
            yield from ("", "### Methods that changed", "", prose(shown.patch))
        yield from self._methods()
        if shown.controls:
            yield from ("", prose(shown.controls))
        if shown.caveats and self.rows:
            yield from ("", "### Caveats", "")
        for slug, text in shown.caveats[: self.rows]:
            yield f"* {code(slug)}: {prose(text)}"

    def _benchmarks(self) -> Iterator[str]:
        rows = self.shown.rows[: self.rows]
        if rows:
            yield ""
            yield "| benchmark | | what | base | head | times | interval | visible from | |"
            yield "| --- | --- | --- | ---: | ---: | ---: | --- | ---: | --- |"
        for row in rows:
            cells = (
                code(row.name), f"{row.word.glyph} {row.word.word}", row.what, row.base, row.head,
                row.times, row.interval, row.visible, _note(row.note),
            )  # fmt: skip
            yield f"| {' | '.join(cells)} |"
        yield from self._rest(len(self.shown.rows))
        if self.shown.same:
            same = number_format.count(self.shown.same, "benchmark is", "benchmarks are")
            yield from ("", f"{same} built of the same code in both, so not measured.")
        yield from self._named("New benchmarks", self.shown.added)
        yield from self._named("Benchmarks that are gone", self.shown.removed)

    def _methods(self) -> Iterator[str]:
        methods = self.shown.methods[: self.rows]
        if methods:
            yield from ("", "| method | | | |", "| --- | --- | --- | --- |")
        for method in methods:
            word = f"{method.word.glyph} {method.word.word}" if method.word else number_format.NONE
            yield f"| {code(method.name)} | {method.kind} | {word} | {_note(method.note)} |"
        yield from self._rest(len(self.shown.methods))
        yield from self._named("New public methods that no benchmark calls", self.shown.unwatched)

    def _rest(self, all_rows: int) -> Iterator[str]:
        if all_rows > self.rows:
            yield from ("", f"{all_rows - self.rows} more are in the result.")

    def _named(self, title: str, found: Sequence[str]) -> Iterator[str]:
        if found:
            names_ = ", ".join(map(code, found[: self.rows]))
            left = len(found) - self.rows
            more = f"{' and ' if names_ else ''}{left} more" if left > 0 else ""
            yield from ("", f"{title}: {names_}{more}")


def _note(text: str) -> str:
    return prose(text) if text else ""
