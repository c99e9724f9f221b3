"""The formats that a result can be written in, by the names that the command line has for them."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType

from auditor.abs.document import AbsOrStability
from auditor.abs.exports import long_tables
from auditor.abs.exports.benchstat import benchstat
from auditor.abs.exports.findings import github, sarif
from auditor.abs.exports.markdown import markdown
from auditor.abs.exports.mutation import mutation
from auditor.abs.page.report import page
from reports import results
from reports.delimited import csv_text


class Format(StrEnum):
    """How a result is written."""

    JSON = "json"
    HTML = "html"
    MARKDOWN = "markdown"
    CSV = "csv"
    SARIF = "sarif"
    GITHUB = "github"
    MUTATION = "mutation"
    BENCHSTAT = "benchstat"


_WRITERS: Mapping[Format, Callable[[AbsOrStability], str]] = MappingProxyType(
    {
        Format.JSON: results.text,
        Format.HTML: page,
        Format.MARKDOWN: markdown,
        Format.SARIF: lambda found: sarif(long_tables.judged(found)),
        Format.GITHUB: lambda found: github(long_tables.judged(found)),
        Format.BENCHSTAT: benchstat,
    }
)


def written(
    document: AbsOrStability,
    format_: Format,
    *,
    rows: str = "pairs",
    sources: Mapping[str, str] | None = None,
) -> str:
    """Return a result in a format; the same bytes for the same result.

    `rows` is one of `abs_tables.TABLES` and is for CSV, `sources` (texts by file) for the
    mutation-testing schema. Raises UsageError where the format needs methods and the result has
    none.
    """
    if format_ is Format.CSV:
        return csv_text(long_tables.table(document, rows))
    if format_ is Format.MUTATION:
        return mutation(long_tables.judged(document), sources)
    return _WRITERS[format_](document)
