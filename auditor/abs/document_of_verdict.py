"""A verdict and the circumstances it was reached in, as the JSON result."""

from dataclasses import replace

import msgspec

from auditor.abs.document import CoverBound, Document, Scores, StabilityDocument, SuiteStability
from auditor.abs.model import AbsVerdict
from auditor.core.provenance import Context
from auditor.core.stability import BenchmarkVerdict, Stability
from auditor.core.units import OWN_UNITS
from reports.results import convert_to_strict, list_setting_fields


def build_abs_document(verdict: AbsVerdict, context: Context) -> Document:
    """Return the result of an ABS audit; numbers that JSON does not have are null."""
    # The suite may have been run less often than was asked for.
    actual_context = replace(context, stability_runs=verdict.stability.runs)
    fields = {
        **list_setting_fields(actual_context),
        "schema": "bench-audit/abs/1",
        "slowdown": verdict.slowdown,
        "slowdown_source": verdict.slowdown_source,
        "rule": verdict.rule,
        "scores": Scores(verdict.total, verdict.relative, verdict.absolute),
        "whole_list": verdict.whole_list,
        "methods": verdict.methods,
        "pairs": verdict.pairs,
        "benchmarks": _add_units(verdict.stability, context.harness),
        "stability": _suite_stability(verdict.stability),
        "minimal_cover": verdict.cover.benchmarks,
        "cover_bound": CoverBound(verdict.cover.minimum, verdict.cover.exact),
        "rules": verdict.rules,
        "density": verdict.density,
        "density_curve": verdict.density_curve,
        "curve": verdict.curve,
        "controls": verdict.controls,
        "allocations": verdict.allocations,
        "accepted": verdict.accepted,
        "without_accepted": verdict.without_accepted,
        "caveats": (*verdict.caveats, *context.caveats),
    }
    return msgspec.convert(convert_to_strict(msgspec.to_builtins(fields)), Document)


def stability_document(stability: Stability, context: Context) -> StabilityDocument:
    """Return the result of a stability audit."""
    fields = {
        **list_setting_fields(context),
        "schema": "bench-audit/stability/1",
        "stability": _suite_stability(stability),
        "benchmarks": _add_units(stability, context.harness),
        "caveats": (*stability.caveats, *context.caveats),
    }
    return msgspec.convert(convert_to_strict(msgspec.to_builtins(fields)), StabilityDocument)


def _add_units(stability: Stability, harness: str) -> tuple[BenchmarkVerdict, ...]:
    """Return the benchmarks, with the unit of the harness where they have none of their own."""
    default_unit = OWN_UNITS.get(harness, "")
    return tuple(
        replace(benchmark, unit=benchmark.unit or default_unit)
        for benchmark in stability.benchmarks
    )


def _suite_stability(stability: Stability) -> SuiteStability:
    return SuiteStability(
        runs=stability.runs,
        buckets=stability.buckets,
        suite_seconds=stability.suite_seconds,
        duration=stability.duration,
        filter=stability.filter,
        caveats=stability.caveats,
    )
