"""A verdict and the circumstances it was reached in, as the JSON result."""

from dataclasses import replace

from auditor.abs.document import CoverBound, Document, Scores, StabilityDocument, SuiteStability
from auditor.abs.model import AbsVerdict
from auditor.core.provenance import Context
from auditor.core.stability import BenchmarkVerdict, Stability
from auditor.core.units import OWN_UNITS
from reports.results import build_document, copy_fields


def build_abs_document(verdict: AbsVerdict, context: Context) -> Document:
    """Return the result of an ABS audit; numbers that JSON does not have are null."""
    return build_document(
        Document,
        # The suite may have been run less often than was asked for.
        replace(context, stability_runs=verdict.stability.runs),
        verdict,
        scores=Scores(verdict.total, verdict.relative, verdict.absolute),
        benchmarks=_add_units(verdict.stability, context.harness),
        stability=copy_fields(SuiteStability, verdict.stability),
        minimal_cover=verdict.cover.benchmarks,
        cover_bound=CoverBound(verdict.cover.minimum, verdict.cover.exact),
    )


def stability_document(stability: Stability, context: Context) -> StabilityDocument:
    """Return the result of a stability audit."""
    return build_document(
        StabilityDocument,
        context,
        stability,
        stability=copy_fields(SuiteStability, stability),
        benchmarks=_add_units(stability, context.harness),
    )


def _add_units(stability: Stability, harness: str) -> tuple[BenchmarkVerdict, ...]:
    """Return the benchmarks, with the unit of the harness where they have none of their own."""
    default_unit = OWN_UNITS.get(harness, "")
    return tuple(
        replace(benchmark, unit=benchmark.unit or default_unit)
        for benchmark in stability.benchmarks
    )
