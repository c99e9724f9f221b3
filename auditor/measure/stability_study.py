"""Run the unchanged suite, and say how stable it is."""

from dataclasses import replace

from auditor.core.busy import is_busy
from auditor.core.stability import Filter, Stability
from auditor.core.suite import Suite
from auditor.measure import trust, warmup_results
from auditor.measure.context import StudyContext
from auditor.measure.stability_judge import UnmeasuredPart, judge_suite_stability
from auditor.measure.suite_runs import SuiteBaseline, list_unlisted, run_baseline


def audit_stability(parts: StudyContext) -> Stability:
    """Return the stability of the suite; raises NoBenchmarks when nothing could be measured."""
    return judge_baseline(run_baseline(parts), parts)


def judge_baseline(suite_baseline: SuiteBaseline, parts: StudyContext) -> Stability:
    """Judge the runs of a baseline, and say where they are not warm or not alike."""
    verdict = judge_suite_stability(
        suite_baseline.benchmarks,
        suite_baseline.runs,
        wanted_runs=suite_baseline.wanted_runs or parts.request.stability_runs,
        pilots=suite_baseline.pilots,
        unseen=find_unmeasured(
            parts.suite,
            parts.request.benchmarks,
            len(suite_baseline.benchmarks) + len(suite_baseline.unsampled),
        ),
    )
    request = parts.request
    caveats = (
        *warmup_results.describe_watching(request, suite_baseline.runs),
        *trust.warn_of_own_runs(
            (run for run in suite_baseline.runs if not is_busy(run.strain)), parts.project
        ),
    )
    suite_caveats = verdict.caveats
    wanted_runs = suite_baseline.wanted_runs
    if wanted_runs and max(wanted_runs.values()) < parts.request.stability_runs:
        # The audit says itself how many runs there are, and why.
        suite_caveats = tuple(caveat for caveat in suite_caveats if caveat.slug != "few-runs")
    return replace(verdict, caveats=(*suite_caveats, *caveats))


def find_unmeasured(suite: Suite, pattern: str, matching_count: int) -> UnmeasuredPart:
    """Return what was not run of a suite of which `matching_count` benchmarks match `pattern`.

    The id of a package that does not build tells nothing of the benchmarks in it; where others of
    a group are listed, an id in it is that of a benchmark.
    """
    matching = list_unlisted(suite, pattern)
    groups = tuple(f"{group}." for group in {benchmark.group for benchmark in suite.benchmarks})
    size = len(suite.benchmarks) + len(suite.unusable)
    is_part = matching_count + len(matching) < size or bool(suite.passed_over)
    return UnmeasuredPart(
        unlisted=matching,
        filter=Filter(pattern, size, len(suite.passed_over)) if is_part else None,
        perhaps=tuple(
            entry
            for entry in suite.unusable
            if entry not in matching and not entry[0].startswith(groups)
        ),
    )
