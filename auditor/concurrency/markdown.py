"""Two versions of a class under threads as Markdown: a job's summary, a comment."""

from collections.abc import Iterator

from auditor.concurrency.document import ConcurrencyDocument
from auditor.concurrency.page import ConcurrencyView, build_view
from reports.markdown import MAX_CAVEATS, format_code, format_prose


def render_markdown(document: ConcurrencyDocument) -> str:
    """Return headline, findings by number of threads, and caveats; names in code spans."""
    return "\n".join(_render_lines(build_view(document))) + "\n"


def _render_lines(page_view: ConcurrencyView) -> Iterator[str]:
    # The sentences are made of our words and of numbers: nothing in them is the subject's.
    yield f"## {format_code(page_view.subject)} under threads, {format_code(page_view.versions)}"
    yield from ("", f"**{page_view.headline}**")
    if page_view.cause:
        yield from ("", page_view.cause)
    yield from (
        "",
        "| threads | | old faster | new | neither | inconclusive | speed-up | interval |",
    )
    yield "| ---: | --- | ---: | ---: | ---: | ---: | ---: | --- |"
    for row in page_view.rows:
        cells = (
            row.threads, f"{row.word.glyph} {row.word.word}", *map(str, row.votes), row.speedup,
            row.interval,
        )  # fmt: skip
        yield f"| {' | '.join(cells)} |"
    if page_view.smallest:
        yield from ("", page_view.smallest)
    if page_view.closing.caveats:
        yield from ("", "### Caveats", "")
    for caveat in page_view.closing.caveats[:MAX_CAVEATS]:
        yield f"* {format_code(caveat.slug)}: {format_prose(caveat.text)}"
    if len(page_view.closing.caveats) > MAX_CAVEATS:
        yield f"* and {len(page_view.closing.caveats) - MAX_CAVEATS} more"
