"""The JSON result of `trace --benchmarks`: its types, and the way from a map to them.

The names are promised to other programs (reports/schema/trace.schema.json).
"""

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.provenance import Context
from auditor.core.result import ReachState
from auditor.core.subject import Span
from auditor.trace.model import SuiteUse
from reports.results import Setting, read_as, schema_of, setting, strict


class Caller(msgspec.Struct, frozen=True):
    """A benchmark that calls a method while it is measured; null: nobody knows how often."""

    benchmark: str
    calls_per_operation: float | None


class Method(msgspec.Struct, frozen=True, kw_only=True):
    """Who calls a public method; `reach` is that of the suite, `reason` why it is unknown.

    `tests` are the calls of the library's own unit tests, null where they were not counted.
    """

    id: str
    reach: ReachState
    called_by: tuple[Caller, ...]
    set_up_in: tuple[str, ...]
    tests: int | None
    span: Span | None
    reason: str | None


class Benchmark(msgspec.Struct, frozen=True, kw_only=True):
    """How many public methods a benchmark calls while it is measured, null where it failed."""

    id: str
    methods: int | None
    reason: str | None


class TraceDocument(
    Setting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/trace/1"
):
    """The answer to "which public methods have no benchmark?"; nothing was slowed down."""

    methods: tuple[Method, ...]
    benchmarks: tuple[Benchmark, ...]
    caveats: tuple[Caveat, ...]


def trace_document(found: SuiteUse, context: Context) -> TraceDocument:
    """Return the result of counting in the suite."""
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
        for method in found.methods
    ]
    made = {
        **setting(context),
        "schema": "bench-audit/trace/1",
        "methods": methods,
        "benchmarks": found.benchmarks,
        "caveats": (*found.caveats, *context.caveats),
    }
    return msgspec.convert(strict(msgspec.to_builtins(made)), TraceDocument)


def read(written: str | bytes) -> TraceDocument:
    """Return the document in a file; raises UsageError for anything else."""
    return read_as(TraceDocument, "trace", written)


def schema() -> str:
    """Return the JSON Schema of the document, as text."""
    return schema_of(TraceDocument, "Which benchmark calls which public method")
