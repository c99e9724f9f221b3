"""A verdict and the circumstances it was reached in, as the JSON result."""

from dataclasses import replace

import msgspec

from auditor.abs.document import Document, StabilityDocument
from auditor.abs.model import AbsVerdict
from auditor.core.provenance import Context
from auditor.core.stability import Stability
from auditor.core.units import OWN_UNITS
from reports.results import Plain, setting, strict


def document(verdict: AbsVerdict, context: Context) -> Document:
    """Return the result of an ABS audit; numbers that JSON does not have are null."""
    found = {
        **setting(context),
        **_stability(verdict.stability, context.harness),
        "schema": "bench-audit/abs/1",
        "slowdown": verdict.slowdown,
        "slowdown_source": verdict.slowdown_source,
        "rule": verdict.rule,
        "scores": {
            "total": verdict.total,
            "relative": verdict.relative,
            "absolute": verdict.absolute,
        },
        "whole_list": verdict.whole_list,
        "methods": verdict.methods,
        "pairs": verdict.pairs,
        "minimal_cover": verdict.cover.benchmarks,
        "cover_bound": {"minimum": verdict.cover.minimum, "exact": verdict.cover.exact},
        "rules": [{"name": name, "covered": covered} for name, covered in verdict.rules],
        "density": verdict.density,
        "density_curve": verdict.density_curve,
        "curve": verdict.curve,
        "controls": verdict.controls,
        "allocations": verdict.allocations,
        "accepted": verdict.accepted,
        "without_accepted": verdict.without_accepted,
        "caveats": (*verdict.caveats, *context.caveats),
    }
    return msgspec.convert(strict(msgspec.to_builtins(found)), Document)


def stability_document(stability: Stability, context: Context) -> StabilityDocument:
    """Return the result of a stability audit."""
    found = {
        **setting(context),
        **_stability(stability, context.harness),
        "schema": "bench-audit/stability/1",
        "caveats": (*stability.caveats, *context.caveats),
    }
    return msgspec.convert(strict(msgspec.to_builtins(found)), StabilityDocument)


def _stability(stability: Stability, harness: str) -> Plain:
    own = OWN_UNITS.get(harness, "")
    buckets = [
        {"range": bucket, "count": count, "percent": percent}
        for bucket, count, percent in stability.buckets
    ]
    return {
        "benchmarks": tuple(
            replace(benchmark, unit=benchmark.unit or own) for benchmark in stability.benchmarks
        ),
        "stability": {
            "runs": stability.runs,
            "buckets": buckets,
            "suite_seconds": stability.suite_seconds,
            "duration": stability.duration,
            "filter": stability.filter,
            "caveats": stability.caveats,
        },
    }
