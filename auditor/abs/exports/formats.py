"""The formats that a result can be written in, by the names that the command line has for them."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType

from auditor.abs.document import AbsOrStability
from auditor.abs.exports import long_tables
from auditor.abs.exports.badge import format_badge
from auditor.abs.exports.benchstat import format_benchstat
from auditor.abs.exports.bmf import format_bmf
from auditor.abs.exports.findings import format_annotations, format_sarif
from auditor.abs.exports.markdown import format_markdown
from auditor.abs.exports.mutation import format_mutation
from auditor.abs.page.report import render_page
from reports import results
from reports.delimited import format_csv


class ExportFormat(StrEnum):
    """How a result is written."""

    JSON = "json"
    HTML = "html"
    MARKDOWN = "markdown"
    CSV = "csv"
    SARIF = "sarif"
    GITHUB = "github"
    MUTATION = "mutation"
    BENCHSTAT = "benchstat"
    BADGE = "badge"
    BMF = "bmf"


_WRITERS: Mapping[ExportFormat, Callable[[AbsOrStability], str]] = MappingProxyType(
    {
        ExportFormat.JSON: results.format_json,
        ExportFormat.HTML: render_page,
        ExportFormat.MARKDOWN: format_markdown,
        ExportFormat.SARIF: lambda document: format_sarif(long_tables.require_methods(document)),
        ExportFormat.GITHUB: lambda document: format_annotations(
            long_tables.require_methods(document)
        ),
        ExportFormat.BENCHSTAT: format_benchstat,
        ExportFormat.BADGE: format_badge,
        ExportFormat.BMF: format_bmf,
    }
)


def format_result(
    document: AbsOrStability,
    format_: ExportFormat,
    *,
    rows: str = "pairs",
    sources: Mapping[str, str] | None = None,
) -> str:
    """Return a result in a format; the same bytes for the same result.

    `rows` is one of `abs_tables.TABLES` and is for CSV, `sources` (texts by file) for the
    mutation-testing schema. Raises UsageError where the format needs methods and the result has
    none.
    """
    if format_ is ExportFormat.CSV:
        return format_csv(long_tables.format_table(document, rows))
    if format_ is ExportFormat.MUTATION:
        return format_mutation(long_tables.require_methods(document), sources)
    return _WRITERS[format_](document)
