"""The JSON result of `trace --suite`: its types, and the conversion of a verdict.

The names are promised to other programs (reports/schema/trace.schema.json).
"""

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.provenance import Context
from auditor.core.result import ReachState
from auditor.core.subject import Span
from auditor.trace.model import BenchmarkUse, Caller, SuiteUse
from reports.results import (
    AuditSetting,
    build_document,
    copy_fields,
    decode_document,
)


class TracedMethod(msgspec.Struct, frozen=True, kw_only=True):
    """A public method and the benchmarks that call it."""

    id: str  # the method's id
    reach: ReachState  # of the whole suite
    called_by: tuple[Caller, ...]  # benchmarks that call it in their measured loop
    set_up_in: tuple[str, ...]  # benchmarks that call it in set-up only
    tests: int | None  # calls by the library's own unit tests; null: not counted
    span: Span | None  # place in the source; null: unknown
    reason: str | None  # why `reach` is unknown


class TraceDocument(
    AuditSetting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/trace/1"
):
    """Which public methods have no benchmark; nothing was slowed down."""

    methods: tuple[TracedMethod, ...]
    benchmarks: tuple[BenchmarkUse, ...]
    caveats: tuple[Caveat, ...]


def build_trace_document(usage: SuiteUse, context: Context) -> TraceDocument:
    """Return the document of the calls that were counted in the suite."""
    methods = [
        copy_fields(TracedMethod, method, id=method.method.id, span=method.method.span)
        for method in usage.methods
    ]
    return build_document(TraceDocument, context, usage, methods=methods)


def parse_document(text: str | bytes) -> TraceDocument:
    """Return the document in a file; raises UsageError for anything else."""
    return decode_document(TraceDocument, "trace", text)
