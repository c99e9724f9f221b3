"""Run the unchanged suite, and say how stable it is."""

from auditor.audits.stability import judge
from auditor.core.verdict import Stability
from auditor.studies.parts import Parts
from auditor.studies.suite import Baseline, baseline


def audit(parts: Parts) -> Stability:
    """Return the stability of the suite; raises NoBenchmarks when nothing could be measured."""
    return judged(baseline(parts), parts)


def judged(found: Baseline, parts: Parts) -> Stability:
    """Judge the runs of a baseline."""
    return judge(
        found.benchmarks,
        found.runs,
        wanted_runs=parts.request.stability_runs,
        pilots=found.pilots,
    )
