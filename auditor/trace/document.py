"""The JSON result of `trace --suite`: its types, and the conversion of a verdict.

The names are promised to other programs (reports/schema/trace.schema.json).
"""

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.provenance import Context
from auditor.core.result import ReachState
from auditor.core.subject import Span
from auditor.trace.model import BenchmarkUse, Caller, SuiteUse
from reports.results import Setting, read_as, schema_of, setting, strict


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
    Setting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/trace/1"
):
    """Which public methods have no benchmark; nothing was slowed down."""

    methods: tuple[TracedMethod, ...]
    benchmarks: tuple[BenchmarkUse, ...]
    caveats: tuple[Caveat, ...]


def trace_document(usage: SuiteUse, context: Context) -> TraceDocument:
    """Return the document of the calls that were counted in the suite."""
    methods = [
        {
            "id": method.method.id,
            "reach": method.reach,
            "called_by": method.called_by,
            "set_up_in": method.set_up_in,
            "tests": method.tests,
            "span": method.method.span,
            "reason": method.reason,
        }
        for method in usage.methods
    ]
    fields = {
        **setting(context),
        "schema": "bench-audit/trace/1",
        "methods": methods,
        "benchmarks": usage.benchmarks,
        "caveats": (*usage.caveats, *context.caveats),
    }
    return msgspec.convert(strict(msgspec.to_builtins(fields)), TraceDocument)


def read(written: str | bytes) -> TraceDocument:
    """Return the document in a file; raises UsageError for anything else."""
    return read_as(TraceDocument, "trace", written)


def schema() -> str:
    """Return the JSON Schema of the document, as text."""
    return schema_of(TraceDocument, "Which benchmark calls which public method")
