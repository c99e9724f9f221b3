"""Which methods of a library do other projects call? Their tests are run, and calls counted."""

from collections.abc import Sequence
from dataclasses import dataclass

from auditor.core.errors import SubjectError
from auditor.core.mutant import Overlay, OverlayRefusal, Variant, VariantKind
from auditor.core.outcome import Skipped, Traced
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.popularity import ClientUse, Library, UsageProfile
from auditor.core.ports import Mutator
from auditor.core.request import TraceRequest
from auditor.core.schedule import Schedule
from auditor.core.subject import Project
from auditor.measure import popularity
from auditor.measure.failures import describe_failure, extract_complaint
from auditor.measure.trials import TrialServices, measure_trials


@dataclass(frozen=True, slots=True)
class PreparedClient:
    """A client made ready, or the `describe_failure` why it could not be."""

    name: str
    project: Project | None = None
    reason: str | None = None


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
