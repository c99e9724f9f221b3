"""A result of `abs` or `stability` as Markdown, for a job summary or a pull-request comment."""

from collections.abc import Iterator, Sequence

from auditor.abs.document import AbsOrStability, Document, accepted_methods
from auditor.abs.exports.findings import KINDS, kind_of
from auditor.abs.page import table
from auditor.abs.text import words
from auditor.abs.text.advice import Advice, advise
from auditor.core.result import Verdict
from reports import names, number_format
from reports.findings import FindingKind
from reports.markdown import CAVEATS, LIMIT, code, listed_gates, prose

NAMED = 3
"""How many names a step shows."""


def format_markdown(document: AbsOrStability, limit: int = LIMIT, gates: Sequence[str] = ()) -> str:
    """Return headline, scores, what to do next, caveats and methods in at most `limit` bytes.

    `gates` is what the gates of the command that made the result say of it, below the headline.
    Where there is no room, the methods that are watched best are left out, and their number is
    said. Whatever a subject or a user has named is in code spans, in which a renderer sees neither
    HTML nor links, mentions or references. The rest takes at most 40,000 bytes, whatever it holds.
    """
    head = "\n".join(_head(document, gates)) + "\n"
    if not isinstance(document, Document) or not document.methods:
        return head
    return head + _methods(document, limit - _size(head))


def _size(text: str) -> int:
    return len(text.encode(errors="replace"))


def _head(document: AbsOrStability, gates: Sequence[str]) -> Iterator[str]:
    yield f"## Benchmark audit of {code(words.subject_name(document))}"
    yield ""
    yield f"**{words.headline(document)}**"
    yield from listed_gates(gates)
    shown = table.summarise(document)
    if shown.rule_summary:
        yield from ("", prose(shown.rule_summary))
    if shown.scores:
        yield from ("", "| score | percent | may be | covered | with |")
        yield "| --- | ---: | ---: | ---: | --- |"
        for score in shown.scores:
            also = f"{score.meaning} ({score.excluded})" if score.excluded else score.meaning
            yield f"| {score.name} | {score.percent} | {score.bounds} | {score.covered} | {also} |"
    yield from ("", prose(shown.suite))
    yield from (line for said in (shown.curve, shown.controls) if said for line in ("", said))
    yield from _next(advise(document))
    yield from _caveats(shown.caveats)


def _next(steps: Sequence[Advice]) -> Iterator[str]:
    if steps:
        yield from ("", "### Next", "")
    for step in steps:
        labels = names.labels(target.id for target in step.targets)
        short = list(labels.values())
        more = f" and {len(short) - NAMED} more" if len(short) > NAMED else ""
        gain = f" ({step.gain})" if step.gain else ""
        if step.noted:
            yield f"* {step.title}:"
            yield from (
                f"  * {code(labels[target.id])}: {prose(target.note)}"
                for target in step.targets[:NAMED]
            )
            continue
        yield f"* {step.title}{gain}: {', '.join(code(one) for one in short[:NAMED])}{more}"


def _caveats(caveats: Sequence[tuple[str, str]]) -> Iterator[str]:
    if caveats:
        yield from ("", "### Caveats", "")
    for slug, text in caveats[:CAVEATS]:
        yield f"* {code(slug)}: {prose(text)}"
    if len(caveats) > CAVEATS:
        yield f"* and {len(caveats) - CAVEATS} more"


def _methods(document: Document, room: int) -> str:
    """Return the table of methods, worst first, with as many rows as there is room for."""
    head = "\n### Methods\n\n| method | | detected by | called by | detects from | |\n"
    head += "| --- | --- | ---: | ---: | ---: | --- |\n"
    rows = list(_rows(document))
    left = room - _size(head) - _size(_rest(document, 0))
    written: list[str] = []
    for row in rows:
        left -= _size(row)
        if left < 0:
            break
        written.append(row)
    rest = _rest(document, len(written)) if len(written) < len(rows) else ""
    return head + "".join(written) + rest


def _rest(document: Document, shown: int) -> str:
    left = number_format.count(len(document.methods) - shown, "method")
    return f"\n{left} more: there is no room for them here; the result has them all.\n"


def _rows(document: Document) -> Iterator[str]:
    shown = {method.id: method for method in table.summarise(document).methods}
    short = names.labels(shown)
    accepted = accepted_methods(document.accepted)
    for method in sorted(
        document.methods, key=lambda method: _rank(kind_of(method), method.outcome)
    ):
        row = shown[method.id]
        note = f"accepted; {row.note}" if method.id in accepted else row.note
        cells = (
            code(short[method.id]), f"{row.glyph} {row.word}", str(row.detected_by or ""),
            str(row.reached_by or ""), row.notices, prose(words.first_line(note)),
        )  # fmt: skip
        yield f"| {' | '.join(cells)} |\n"


def _rank(kind: FindingKind | None, outcome: Verdict) -> int:
    """Return where a method is listed: what nobody detects first, what was not judged last."""
    if kind is not None:
        return KINDS.index(kind)
    return len(KINDS) + (outcome is not Verdict.DETECTED)
