"""What a gate is worth as Markdown, for a job's summary."""

from collections.abc import Iterator

from auditor.qualify.document import QualifyDocument
from auditor.qualify.text import (
    SIDES,
    format_headline,
    format_rate_cells,
)
from reports.markdown import MAX_CAVEATS, format_code, format_prose


def render_markdown(document: QualifyDocument) -> str:
    """Return headline, rates, diagnoses and caveats; names in code spans."""
    return "\n".join(_format_lines(document)) + "\n"


def _format_lines(document: QualifyDocument) -> Iterator[str]:
    yield f"## {format_code(document.gate)}"
    yield from ("", f"**{format_code(format_headline(document))}**", "")
    yield "| pair | times as long | achieved | alarms | rate | 90 % interval |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for rate in document.rates:
        name = (
            f"{SIDES[rate.side]}, {format_code(rate.method)}" if rate.method else SIDES[rate.side]
        )
        yield f"| {name} | {' | '.join(format_rate_cells(rate))} |"
    if document.diagnoses:
        yield from ("", "### What is wrong with it", "")
    for diagnosis in document.diagnoses:
        yield f"* **{diagnosis.flaw}**: {format_code(diagnosis.evidence)}"
    if document.caveats:
        yield from ("", "### Caveats", "")
    for caveat in document.caveats[:MAX_CAVEATS]:
        yield f"* {format_code(caveat.slug)}: {format_prose(caveat.text)}"
