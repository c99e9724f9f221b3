"""What a gate is worth as Markdown, for a job's summary."""

from collections.abc import Iterator

from auditor.qualify.document import QualifyDocument
from auditor.qualify.text import SIDES, cells, headline
from reports.markdown import CAVEATS, code, prose


def markdown(document: QualifyDocument) -> str:
    """Return headline, rates, diagnoses and caveats; names in code spans."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: QualifyDocument) -> Iterator[str]:
    yield f"## {code(document.gate)}"
    yield from ("", f"**{code(headline(document))}**", "")
    yield "| pair | times as long | achieved | alarms | rate | 90 % interval |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for rate in document.rates:
        name = f"{SIDES[rate.side]}, {code(rate.method)}" if rate.method else SIDES[rate.side]
        yield f"| {name} | {' | '.join(cells(rate))} |"
    if document.diagnoses:
        yield from ("", "### What is wrong with it", "")
    for diagnosis in document.diagnoses:
        yield f"* **{diagnosis.flaw}**: {code(diagnosis.evidence)}"
    if document.caveats:
        yield from ("", "### Caveats", "")
    for caveat in document.caveats[:CAVEATS]:
        yield f"* {code(caveat.slug)}: {prose(caveat.text)}"
