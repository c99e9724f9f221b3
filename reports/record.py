"""A verdict and the circumstances it was reached in, as the JSON result."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.jobs import Strain
from auditor.core.request import Plan
from auditor.core.stability import Stability
from auditor.core.units import OWN_UNITS
from auditor.core.verdict import AbsVerdict
from reports.document import Document, Plain, StabilityDocument

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What was audited, where, how and with what: all that a verdict does not say.

    `wait` is "auto" or a way to wait; `config` is the configuration as JSON text with all defaults
    filled in; `started` and `ended` are UTC in ISO 8601; `version` is bench-audit's own. `strain`
    and `caveats` are those of the machine while it measured. The
    defaults are what is known where another program has measured.
    """

    subject: str
    revision: str
    language: str
    harness: str
    host: str
    host_facts: Pairs
    seed: int | None = None
    plan: Plan | None = None
    runs: int
    stability_runs: int
    wait: str = "unknown"
    versions: Pairs = ()
    version: str
    command: str
    config: str = field(default="", repr=False)
    started: str
    ended: str
    strain: Strain = field(default_factory=Strain)
    caveats: tuple[Caveat, ...] = ()


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


def setting(context: Context) -> Plain:
    """Return what each document says of its circumstances."""
    plan = context.plan
    return {
        "subject": context.subject,
        "revision": context.revision,
        "language": context.language,
        "harness": context.harness,
        "host": context.host,
        "host_facts": dict(context.host_facts),
        "seed": context.seed,
        "plan": {
            "forks": plan.forks if plan else None,
            "warmup": plan.warmup if plan else None,
            "iterations": plan.iterations if plan else None,
            "iteration_seconds": plan.iteration_seconds if plan else None,
            "longest_seconds": plan.longest_seconds if plan else None,
            "runs": context.runs,
            "stability_runs": context.stability_runs,
            "wait": context.wait,
        },
        "versions": dict(context.versions),
        "bench_audit": context.version,
        "command": context.command,
        "config": context.config,
        "started": context.started,
        "ended": context.ended,
        "strain": context.strain,
    }


def _stability(stability: Stability, harness: str) -> Plain:
    own = OWN_UNITS.get(harness, "")
    buckets = [
        {"range": bucket, "count": count, "percent": percent}
        for bucket, count, percent in stability.buckets
    ]
    return {
        "benchmarks": tuple(replace(one, unit=one.unit or own) for one in stability.benchmarks),
        "stability": {
            "runs": stability.runs,
            "buckets": buckets,
            "suite_seconds": stability.suite_seconds,
            "duration": stability.duration,
            "filter": stability.filter,
            "caveats": stability.caveats,
        },
    }


def strict(value: object) -> object:
    """Replace what JSON cannot say, at any depth: NaN and infinity by None, half characters."""
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case float() if not math.isfinite(value):
            return None
        case Mapping():
            return {strict(key): strict(inner) for key, inner in value.items()}
        case list() | tuple():
            return [strict(inner) for inner in value]
        case _:
            return value
