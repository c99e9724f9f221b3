"""What a comparison would measure at most."""

from dataclasses import replace

from auditor.abs.preview import preview_abs
from auditor.compare import study_patch
from auditor.compare.judge import SCREENING_ROUNDS
from auditor.compare.study import ComparisonStudy
from auditor.core.plan import Purpose
from auditor.core.request import AbsRequest, CompareRequest
from auditor.measure.context import StudyContext
from auditor.measure.planning.expected_time import ExpectedTime
from auditor.measure.planning.preview import Inventory, Preview
from auditor.measure.planning.rehearsal import rehearse_study


def preview_comparison(
    base: StudyContext, head: StudyContext, request: CompareRequest, abs_request: AbsRequest
) -> Preview:
    """Return what a comparison would measure at most; nothing starts, the stores are only read.

    `abs_request` is that of the audit of the patch. Where nothing is suspected, four rounds are
    enough.
    """

    def run_rehearsal(rehearsal_context: StudyContext) -> None:
        base_context = replace(
            base,
            store=rehearsal_context.store,
            observer=rehearsal_context.observer,
            deadline=rehearsal_context.deadline,
        )
        ComparisonStudy(base_context, rehearsal_context, request).compare_revisions()

    lookups = rehearse_study(head, run_rehearsal)
    pilot = lookups.build_phase("pilot", Purpose.PILOT)
    rounds = lookups.build_phase("rounds (at most)", Purpose.COMPARISON)
    phases, lows, highs = [pilot, rounds], [pilot.seconds], [pilot.seconds]
    lows.append(rounds.seconds * min(1.0, SCREENING_ROUNDS[0] / request.rounds))
    highs.append(rounds.seconds * (1 + request.fresh / request.rounds))
    method_ids = study_patch.select_methods(
        study_patch.find_differing_methods(base, head)[0], request.methods, head
    )
    if method_ids and head.suite.benchmarks:
        patch_preview = preview_abs(
            replace(abs_request, methods=method_ids), replace(head, request=abs_request.suite)
        )
        phases += [replace(phase, name=f"patch: {phase.name}") for phase in patch_preview.phases]
        lows.append(patch_preview.expected.low)
        highs.append(patch_preview.expected.high)
    budget = None if head.deadline is None else head.deadline.seconds
    shared_ids = {benchmark.id for benchmark in base.suite.benchmarks} & {
        benchmark.id for benchmark in head.suite.benchmarks
    }
    reason = "" if shared_ids else "no benchmark is in both revisions"
    inventory = Inventory(reason=reason, unusable=head.suite.unusable)
    return Preview(tuple(phases), (), ExpectedTime(sum(lows), sum(highs), budget), inventory)
