"""The formats that a result can be written in, by the names that the command line has for them."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType

from reports import document as documents
from reports import tidy
from reports.annotations import github
from reports.benchstat import benchstat
from reports.delimited import csv_text
from reports.document import Either
from reports.markdown import markdown
from reports.mutation import mutation
from reports.page import page
from reports.sarif import sarif


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


_WRITERS: Mapping[Format, Callable[[Either], str]] = MappingProxyType(
    {
        Format.JSON: documents.text,
        Format.HTML: page,
        Format.MARKDOWN: markdown,
        Format.SARIF: lambda found: sarif(tidy.judged(found)),
        Format.GITHUB: lambda found: github(tidy.judged(found)),
        Format.BENCHSTAT: benchstat,
    }
)


def written(
    document: Either,
    format_: Format,
    *,
    rows: str = "pairs",
    sources: Mapping[str, str] | None = None,
) -> str:
    """Return a result in a format; the same bytes for the same result.

    `rows` is one of `tidy.TABLES` and is for CSV, `sources` (texts by file) for the
    mutation-testing schema. Raises UsageError where the format needs methods and the result has
    none.
    """
    if format_ is Format.CSV:
        return csv_text(tidy.table(document, rows))
    if format_ is Format.MUTATION:
        return mutation(tidy.judged(document), sources)
    return _WRITERS[format_](document)
