"""Two versions of a class under threads as Markdown: a job's summary, a comment."""

from collections.abc import Iterator

from auditor.concurrency.document import ConcurrencyDocument
from auditor.concurrency.page import ConcurrencyView, view
from reports.markdown import CAVEATS, code, prose


def markdown(document: ConcurrencyDocument) -> str:
    """Return headline, findings by number of threads, and caveats; names in code spans."""
    return "\n".join(_lines(view(document))) + "\n"


def _lines(shown: ConcurrencyView) -> Iterator[str]:
    # The sentences are made of our words and of numbers: nothing in them is the subject's.
    yield f"## {code(shown.subject)} under threads, {code(shown.versions)}"
    yield from ("", f"**{shown.headline}**")
    if shown.cause:
        yield from ("", shown.cause)
    yield from (
        "",
        "| threads | | old faster | new | neither | inconclusive | speed-up | interval |",
    )
    yield "| ---: | --- | ---: | ---: | ---: | ---: | ---: | --- |"
    for row in shown.rows:
        cells = (
            row.threads, f"{row.word.glyph} {row.word.word}", *map(str, row.votes), row.speedup,
            row.interval,
        )  # fmt: skip
        yield f"| {' | '.join(cells)} |"
    if shown.smallest:
        yield from ("", shown.smallest)
    if shown.closing.caveats:
        yield from ("", "### Caveats", "")
    for caveat in shown.closing.caveats[:CAVEATS]:
        yield f"* {code(caveat.slug)}: {prose(caveat.text)}"
    if len(shown.closing.caveats) > CAVEATS:
        yield f"* and {len(shown.closing.caveats) - CAVEATS} more"
