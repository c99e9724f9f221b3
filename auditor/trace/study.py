"""Which public method is called by which benchmark, how often, and which by none."""

from collections.abc import Sequence
from dataclasses import replace

from auditor.core.errors import NoBenchmarks, UsageError
from auditor.core.outcome import Counted, Measured
from auditor.core.plan import Run
from auditor.core.subject import Method
from auditor.measure import reach_judge
from auditor.measure.context import StudyContext
from auditor.measure.failures import line, reason
from auditor.measure.reach_study import ReachRuns, map_reach
from auditor.measure.stability_judge import filtered
from auditor.measure.stability_study import unseen
from auditor.measure.suite_runs import SuiteBaseline, baseline
from auditor.trace.judge import Counts, judge
from auditor.trace.model import SuiteUse


def suite_use(parts: StudyContext) -> SuiteUse:
    """Count the calls of all public methods in each benchmark, and in the library's own tests.

    Nothing is timed and nothing slowed: each benchmark runs once to find its operations, where the
    harness can fix them, and once with counters. Raises NoBenchmarks where none can be run, and
    UsageError where the library shows no method.
    """
    methods = [method for method in parts.mutator.methods(parts.suite.sources) if method.public]
    if not methods:
        raise UsageError(
            f"{parts.project.name} has no public method to trace; name another project"
        )
    base = baseline(replace(parts, request=replace(parts.request, stability_runs=0)))
    slowable = [method for method in methods if method.refusal is None]
    counted = map_reach(slowable, base, parts, with_unit_tests=True)
    missing = unseen(parts.suite, parts.request.benchmarks, len(base.benchmarks))
    unlisted = dict(missing.unlisted)
    failed = _failed(base, counted) | unlisted
    good = [run for run in counted.runs if isinstance(run.outcome, Counted)]
    if counted.asked and not good:
        name, why = next(iter(failed.items()))
        raise NoBenchmarks(f"every benchmark fails; the first: {name}: {why}"[:600])
    counts = Counts(
        methods=methods,
        benchmarks=(*(benchmark.id for benchmark in base.benchmarks), *unlisted),
        reach=replace(counted, runs=tuple(good)).map(slowable),
        uncounted=_refused(methods) | {method.id: line(why) for method, why in counted.invalid},
        failed={name: line(why) for name, why in failed.items()},
        tests=_tests(counted.usage),
    )
    caveats = (
        *filtered(missing, len(base.benchmarks)),
        *reach_judge.incomplete_order(counted.usage, counted.tests),
    )
    return judge(counts, (*caveats, *parts.said_of_budget))


def _failed(base: SuiteBaseline, counted: ReachRuns) -> dict[str, str]:
    """Return the benchmarks that fail as they are or with counters, or had no time for these."""
    ended = {run.trial.benchmark: run.outcome for run in counted.runs}
    found = {
        run.trial.benchmark.id: reason(run.outcome)
        for run in base.pilots
        if run.trial.benchmark and not isinstance(run.outcome, Measured)
    }
    for benchmark in counted.asked:
        if benchmark not in ended:
            found[benchmark.id] = "no time was left for it"
        elif not isinstance(ended[benchmark], Counted):
            found[benchmark.id] = reason(ended[benchmark])
    return found


def _refused(methods: Sequence[Method]) -> dict[str, str]:
    return {method.id: method.refusal for method in methods if method.refusal is not None}


def _tests(runs: Sequence[Run]) -> dict[str, int] | None:
    """Return the calls of the unit tests, None where they did not run."""
    trial_runs = [run for run in runs if isinstance(run.outcome, Counted)]
    return reach_judge.usage(trial_runs) if trial_runs else None
