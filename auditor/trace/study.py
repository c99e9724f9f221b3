"""Which public method is called by which benchmark, how often, and which by none."""

from collections.abc import Sequence
from dataclasses import replace

from auditor.core.errors import NoBenchmarks, UsageError
from auditor.core.outcome import Counted, Measured
from auditor.core.plan import Run
from auditor.measure import reach_judge
from auditor.measure.context import StudyContext
from auditor.measure.failures import describe_failure, extract_complaint
from auditor.measure.reach_study import ReachRuns, map_reach
from auditor.measure.stability_judge import describe_filter
from auditor.measure.stability_study import find_unmeasured
from auditor.measure.suite_runs import SuiteBaseline, run_baseline
from auditor.trace.judge import CallCounts, judge_usage
from auditor.trace.model import SuiteUse


def count_suite_calls(parts: StudyContext) -> SuiteUse:
    """Count the calls of all public methods in each benchmark, and in the library's own tests.

    Nothing is timed and nothing slowed: each benchmark runs once to find its operations, where the
    harness can fix them, and once with counters. Raises NoBenchmarks where none can be run, and
    UsageError where the library shows no method.
    """
    methods = [
        method for method in parts.mutator.find_methods(parts.suite.sources) if method.public
    ]
    if not methods:
        raise UsageError(
            f"{parts.project.name} has no public method to trace; name another project"
        )
    base = run_baseline(replace(parts, request=replace(parts.request, stability_runs=0)))
    slowable = [method for method in methods if method.refusal is None]
    reach_runs = map_reach(slowable, base, parts, with_unit_tests=True)
    unmeasured = find_unmeasured(parts.suite, parts.request.benchmarks, len(base.benchmarks))
    unlisted = dict(unmeasured.unlisted)
    failures = _find_failures(base, reach_runs) | unlisted
    counted_runs = [run for run in reach_runs.runs if isinstance(run.outcome, Counted)]
    if reach_runs.counted_benchmarks and not counted_runs:
        name, reason = next(iter(failures.items()))
        raise NoBenchmarks(f"every benchmark fails; the first: {name}: {reason}"[:600])
    counts = CallCounts(
        methods=methods,
        benchmarks=(*(benchmark.id for benchmark in base.benchmarks), *unlisted),
        reach=replace(reach_runs, runs=tuple(counted_runs)).build_reach_map(slowable),
        uncounted={method.id: method.refusal for method in methods if method.refusal is not None}
        | {method.id: extract_complaint(reason) for method, reason in reach_runs.invalid},
        failed={name: extract_complaint(reason) for name, reason in failures.items()},
        tests=_count_test_calls(reach_runs.usage),
    )
    caveats = (
        *describe_filter(unmeasured, len(base.benchmarks)),
        *reach_judge.incomplete_order(reach_runs.usage, reach_runs.tests),
    )
    return judge_usage(counts, (*caveats, *parts.budget_caveats))


def _find_failures(base: SuiteBaseline, reach_runs: ReachRuns) -> dict[str, str]:
    """Return the benchmarks that fail as they are or with counters, or had no time for these."""
    outcomes = {run.trial.benchmark: run.outcome for run in reach_runs.runs}
    reasons = {
        run.trial.benchmark.id: describe_failure(run.outcome)
        for run in base.pilots
        if run.trial.benchmark and not isinstance(run.outcome, Measured)
    }
    for benchmark in reach_runs.counted_benchmarks:
        if benchmark not in outcomes:
            reasons[benchmark.id] = "no time was left for it"
        elif not isinstance(outcomes[benchmark], Counted):
            reasons[benchmark.id] = describe_failure(outcomes[benchmark])
    return reasons


def _count_test_calls(runs: Sequence[Run]) -> dict[str, int] | None:
    """Return the calls of the unit tests, None where they did not run."""
    trial_runs = [run for run in runs if isinstance(run.outcome, Counted)]
    return reach_judge.count_method_calls(trial_runs) if trial_runs else None
