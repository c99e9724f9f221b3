"""A result of `abs` or `stability` as Markdown, for a job summary or a pull-request comment."""

from collections.abc import Iterator, Mapping, Sequence

from auditor.abs.document import AbsOrStability, Document, accepted_methods
from auditor.abs.exports.findings import KINDS, kind_of
from auditor.abs.page import table
from auditor.abs.text import words
from auditor.abs.text.advice import Advice, list_advice
from auditor.core.result import Verdict
from reports import names, number_format
from reports.findings import FindingKind
from reports.markdown import MAX_CAVEATS, MAX_COMMENT_BYTES, format_code, format_gates, format_prose

NAMED = 3
"""How many names a step shows."""


def format_markdown(
    document: AbsOrStability, limit: int = MAX_COMMENT_BYTES, gates: Sequence[str] = ()
) -> str:
    """Return headline, scores, what to do next, caveats and methods in at most `limit` bytes.

    `gates` is what the gates of the command that made the result say of it, below the headline.
    Where there is no room, the methods that are watched best are left out, and their number is
    said. Whatever a subject or a user has named is in code spans, in which a renderer sees neither
    HTML nor links, mentions or references. The rest takes at most 40,000 bytes, whatever it holds.
    """
    head = "\n".join(_format_head(document, gates)) + "\n"
    if not isinstance(document, Document) or not document.methods:
        return head
    return head + _format_method_table(document, limit - _count_bytes(head))


def _count_bytes(text: str) -> int:
    return len(text.encode(errors="replace"))


def _format_head(document: AbsOrStability, gates: Sequence[str]) -> Iterator[str]:
    yield f"## Benchmark audit of {format_code(words.subject_name(document))}"
    yield ""
    yield f"**{words.format_headline(document)}**"
    yield from format_gates(gates)
    summary = table.summarise_document(document)
    if summary.rule_summary:
        yield from ("", format_prose(summary.rule_summary))
    if summary.scores:
        yield from ("", "| score | percent | may be | covered | with |")
        yield "| --- | ---: | ---: | ---: | --- |"
        for score in summary.scores:
            also = f"{score.meaning} ({score.excluded})" if score.excluded else score.meaning
            yield f"| {score.name} | {score.percent} | {score.bounds} | {score.covered} | {also} |"
    yield from ("", format_prose(summary.suite))
    yield from (
        line
        for sentence in (summary.curve, summary.controls)
        if sentence
        for line in ("", sentence)
    )
    yield from _format_steps(list_advice(document), table.list_short_names(document))
    yield from _format_caveats(summary.caveats)


def _format_steps(steps: Sequence[Advice], names_by_id: Mapping[str, str]) -> Iterator[str]:
    if steps:
        yield from ("", "### Next", "")
    for step in steps:
        labels = {
            target.id: names.format_label(names_by_id.get(target.id, target.id))
            for target in step.targets
        }
        short = list(labels.values())
        more = f" and {len(short) - NAMED} more" if len(short) > NAMED else ""
        gain = f" ({step.gain})" if step.gain else ""
        if step.always_shows_notes:
            yield f"* {step.title}:"
            yield from (
                f"  * {format_code(labels[target.id])}: {format_prose(target.note)}"
                for target in step.targets[:NAMED]
            )
            continue
        yield (
            f"* {step.title}{gain}: "
            f"{', '.join(format_code(label) for label in short[:NAMED])}{more}"
        )


def _format_caveats(caveats: Sequence[tuple[str, str]]) -> Iterator[str]:
    if caveats:
        yield from ("", "### Caveats", "")
    for slug, text in caveats[:MAX_CAVEATS]:
        yield f"* {format_code(slug)}: {format_prose(text)}"
    if len(caveats) > MAX_CAVEATS:
        yield f"* and {len(caveats) - MAX_CAVEATS} more"


def _format_method_table(document: Document, room: int) -> str:
    """Return the table of methods, worst first, with as many rows as there is room for."""
    head = "\n### Methods\n\n| method | | detected by | called by | detects from | |\n"
    head += "| --- | --- | ---: | ---: | ---: | --- |\n"
    rows = list(_format_method_rows(document))
    left = room - _count_bytes(head) - _count_bytes(_describe_omitted(document, 0))
    included_rows: list[str] = []
    for row in rows:
        left -= _count_bytes(row)
        if left < 0:
            break
        included_rows.append(row)
    rest = _describe_omitted(document, len(included_rows)) if len(included_rows) < len(rows) else ""
    return head + "".join(included_rows) + rest


def _describe_omitted(document: Document, row_count: int) -> str:
    left = number_format.format_count(len(document.methods) - row_count, "method")
    return f"\n{left} more: there is no room for them here; the result has them all.\n"


def _format_method_rows(document: Document) -> Iterator[str]:
    method_rows = {method.id: method for method in table.summarise_document(document).methods}
    short = names.format_labels(method_rows)
    accepted = accepted_methods(document.accepted)
    for method in sorted(
        document.methods, key=lambda method: _rank_method(kind_of(method), method.outcome)
    ):
        row = method_rows[method.id]
        note = f"accepted; {row.note}" if method.id in accepted else row.note
        cells = (
            format_code(short[method.id]), f"{row.glyph} {row.word}", str(row.detected_by or ""),
            str(row.reached_by or ""), row.notices, format_prose(words.take_first_line(note)),
        )  # fmt: skip
        yield f"| {' | '.join(cells)} |\n"


def _rank_method(kind: FindingKind | None, outcome: Verdict) -> int:
    """Return where a method is listed: what nobody detects first, what was not judged last."""
    if kind is not None:
        return KINDS.index(kind)
    return len(KINDS) + (outcome is not Verdict.DETECTED)
