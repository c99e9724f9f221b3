"""What `compare` would measure at most."""

from dataclasses import replace

from auditor.abs.preview import preview_abs
from auditor.compare import study_patch
from auditor.compare.judge import LOOKS
from auditor.compare.study import ComparisonStudy
from auditor.core.plan import Purpose
from auditor.core.request import AbsRequest, CompareRequest
from auditor.measure.context import StudyContext
from auditor.measure.planning.expected_time import ExpectedTime
from auditor.measure.planning.preview import Inventory, Preview
from auditor.measure.planning.rehearsal import rehearse


def preview_comparison(
    base: StudyContext, head: StudyContext, request: CompareRequest, audit: AbsRequest
) -> Preview:
    """Return what `compare` would measure at most; nothing is started, the stores are only read.

    `audit` is what the audit of the patch asks. Where nothing is suspected, four rounds are enough.
    """

    def compare(still: StudyContext) -> None:
        before = replace(base, store=still.store, observer=still.observer, deadline=still.deadline)
        ComparisonStudy(before, still, request).compare()

    lookups = rehearse(head, compare)
    pilot = lookups.phase("pilot", Purpose.PILOT)
    rounds = lookups.phase("rounds (at most)", Purpose.COMPARISON)
    phases, lows, highs = [pilot, rounds], [pilot.seconds], [pilot.seconds]
    lows.append(rounds.seconds * min(1.0, LOOKS[0] / request.rounds))
    highs.append(rounds.seconds * (1 + request.fresh / request.rounds))
    names = study_patch.names(study_patch.differing_methods(base, head)[0], request.methods, head)
    if names and head.suite.benchmarks:
        of_patch = preview_abs(replace(audit, methods=names), replace(head, request=audit.suite))
        phases += [replace(phase, name=f"patch: {phase.name}") for phase in of_patch.phases]
        lows.append(of_patch.expected.low)
        highs.append(of_patch.expected.high)
    budget = None if head.deadline is None else head.deadline.seconds
    both = {benchmark.id for benchmark in base.suite.benchmarks} & {
        benchmark.id for benchmark in head.suite.benchmarks
    }
    reason = "" if both else "no benchmark is in both revisions"
    listed = Inventory(reason=reason, unusable=head.suite.unusable)
    return Preview(tuple(phases), (), ExpectedTime(sum(lows), sum(highs), budget), listed)
