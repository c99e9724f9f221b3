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
from auditor.measure.failures import line, reason
from auditor.measure.trials import TrialServices, measure


@dataclass(frozen=True, slots=True)
class PreparedClient:
    """A client made ready, or the `reason` why it could not be."""

    name: str
    project: Project | None = None
    reason: str | None = None


def usage_profile(
    library: Library,
    mutator: Mutator,
    clients: Sequence[PreparedClient],
    request: TraceRequest,
    workers: TrialServices,
) -> UsageProfile:
    """Run the tests of the clients, and rank what they call of the library.

    A client that fails is reported, and the others go on. Raises SubjectError where all fail.
    """
    variant = Variant(VariantKind.TRACED, library.methods)
    overlay = mutator.overlay(library.sources, variant)
    if isinstance(overlay, OverlayRefusal):
        raise SubjectError(f"{library.project.name} cannot be traced: {overlay.reason}")
    trials = {
        client.name: trial_of(client.project, variant, overlay, request.seconds)
        for client in clients
        if client.project is not None
    }
    # Two clients of the same content are one: their tests need not run twice, nor at once.
    asked = list({trial.id: trial for trial in trials.values()}.values())
    runs = {run.trial.id: run for run in measure("clients", asked, workers)}
    used = [
        ClientUse(name=client.name, reason=line(client.reason or "it could not be made ready"))
        if client.project is None
        else _use(client.name, client.project, library, runs.get(trials[client.name].id))
        for client in clients
    ]
    if all(client_use.reason is not None for client_use in used):
        raise SubjectError(_nothing(used, library))
    return popularity.profile(library.methods, used, request.ranking, request.top)


def trial_of(project: Project, variant: Variant, overlay: Overlay, seconds: float) -> Trial:
    """Return the run of a client's tests, which gets so many seconds."""
    return Trial(
        subject=project.whole.digest,
        purpose=Purpose.TRACE,
        variant=variant,
        overlay=overlay,
        benchmark=None,
        schedule=Schedule(arms=(), blocks=(), seconds=0.0),
        repetition=1,
        seed=0,
        timeout_seconds=seconds,
    )


def _use(name: str, project: Project, library: Library, run: Run | None) -> ClientUse:
    if run is None:
        return ClientUse(name=name, revision=project.revision, reason="no time was left for it")
    outcome = run.outcome
    if isinstance(outcome, Traced):
        idle = f"its tests call no public method of {library.project.name}"
        missing = f" ({outcome.missing})" if outcome.missing else ""
        used = any(call.outside or call.declared for call in outcome.calls)
        return ClientUse(
            name=name,
            revision=project.revision,
            calls=outcome.calls,
            tests=outcome.tests,
            seconds=run.seconds,
            missing=outcome.missing,
            reason=None if used else f"{idle}{missing}",
        )
    why = outcome.reason if isinstance(outcome, Skipped) else reason(outcome)
    return ClientUse(name=name, revision=project.revision, seconds=run.seconds, reason=why)


def _nothing(clients: Sequence[ClientUse], library: Library) -> str:
    those = "\n".join(f"  {client.name}: {client.reason}" for client in clients)
    return f"no client of {library.project.name} could be traced:\n{those}"
