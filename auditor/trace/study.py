"""Which public method is called by which benchmark or client, how often, and which by none."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from auditor.core.errors import NoBenchmarks, SubjectError, UsageError
from auditor.core.mutant import Overlay, OverlayRefusal, Variant, VariantKind
from auditor.core.outcome import Counted, Measured, Skipped, Traced
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.popularity import ClientUse, Library, UsageProfile
from auditor.core.ports import Mutator
from auditor.core.request import TraceRequest
from auditor.core.schedule import Schedule
from auditor.core.subject import Project
from auditor.measure import popularity, reach_judge
from auditor.measure.context import StudyContext
from auditor.measure.failures import describe_failure, extract_complaint
from auditor.measure.reach_study import ReachRuns, map_reach
from auditor.measure.stability_judge import describe_filter
from auditor.measure.stability_study import find_unmeasured
from auditor.measure.suite_runs import SuiteBaseline, run_baseline
from auditor.measure.trials import TrialServices, measure_trials
from auditor.trace.judge import CallCounts, judge_usage
from auditor.trace.model import SuiteUse


@dataclass(frozen=True, slots=True)
class PreparedClient:
    """A client made ready, or the `describe_failure` why it could not be."""

    name: str
    project: Project | None = None
    reason: str | None = None


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


def profile_usage(
    library: Library,
    mutator: Mutator,
    clients: Sequence[PreparedClient],
    request: TraceRequest,
    services: TrialServices,
) -> UsageProfile:
    """Run the tests of the clients, and rank what they call of the library.

    A client that fails is reported, and the others go on. Raises SubjectError where all fail.
    """
    variant = Variant(VariantKind.TRACED, library.methods)
    overlay = mutator.build_overlay(library.sources, variant)
    if isinstance(overlay, OverlayRefusal):
        raise SubjectError(f"{library.project.name} cannot be traced: {overlay.reason}")
    trials = {
        client.name: make_trial(client.project, variant, overlay, request.seconds)
        for client in clients
        if client.project is not None
    }
    # Two clients of the same content are one: their tests need not run twice, nor at once.
    unique_trials = list({trial.id: trial for trial in trials.values()}.values())
    runs = {run.trial.id: run for run in measure_trials("clients", unique_trials, services)}
    client_uses = [
        ClientUse(
            name=client.name,
            reason=extract_complaint(client.reason or "it could not be made ready"),
        )
        if client.project is None
        else _make_client_use(
            client.name, client.project, library, runs.get(trials[client.name].id)
        )
        for client in clients
    ]
    if all(client_use.reason is not None for client_use in client_uses):
        raise SubjectError(_describe_failures(client_uses, library))
    return popularity.build_usage_profile(
        library.methods, client_uses, request.ranking, request.top
    )


def make_trial(project: Project, variant: Variant, overlay: Overlay, seconds: float) -> Trial:
    """Return the run of a client's tests, which gets so many seconds."""
    return Trial(
        subject=project.all_inputs.digest,
        purpose=Purpose.TRACE,
        variant=variant,
        overlay=overlay,
        benchmark=None,
        schedule=Schedule(arms=(), blocks=(), seconds=0.0),
        repetition=1,
        seed=0,
        timeout_seconds=seconds,
    )


def _make_client_use(name: str, project: Project, library: Library, run: Run | None) -> ClientUse:
    if run is None:
        return ClientUse(name=name, revision=project.revision, reason="no time was left for it")
    outcome = run.outcome
    if isinstance(outcome, Traced):
        idle_text = f"its tests call no public method of {library.project.name}"
        missing_text = f" ({outcome.missing})" if outcome.missing else ""
        has_calls = any(call.outside or call.declared for call in outcome.calls)
        return ClientUse(
            name=name,
            revision=project.revision,
            calls=outcome.calls,
            tests=outcome.tests,
            seconds=run.seconds,
            missing=outcome.missing,
            reason=None if has_calls else f"{idle_text}{missing_text}",
        )
    reason = outcome.reason if isinstance(outcome, Skipped) else describe_failure(outcome)
    return ClientUse(name=name, revision=project.revision, seconds=run.seconds, reason=reason)


def _describe_failures(clients: Sequence[ClientUse], library: Library) -> str:
    client_lines = "\n".join(f"  {client.name}: {client.reason}" for client in clients)
    return f"no client of {library.project.name} could be traced:\n{client_lines}"
