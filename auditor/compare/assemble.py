"""Makes the parts of two revisions and hands them to the studies."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from auditor.abs.document import Document
from auditor.abs.document_of_verdict import build_abs_document
from auditor.abs.model import AbsVerdict
from auditor.abs.preview import preview_abs
from auditor.compare import study_patch
from auditor.compare.document import ComparisonDocument, build_comparison_document
from auditor.compare.judge import SCREENING_ROUNDS
from auditor.compare.model import Comparison, ComparisonArm
from auditor.compare.study import ComparisonStudy
from auditor.compare.study_order import find_changed_methods
from auditor.compare.study_patch import (
    accept_misses_of_head,
    audit_patch,
    find_differing_methods,
    limit_first_look,
    make_patch_request,
    repeat_audit,
)
from auditor.compare.study_revisions import name_revision
from auditor.config import Config, Places
from auditor.config.subjects import as_revision
from auditor.core.errors import UsageError
from auditor.core.plan import Purpose
from auditor.core.ports import Observer
from auditor.core.provenance import Context
from auditor.core.request import AbsRequest, CompareRequest
from auditor.measure.context import StudyContext
from auditor.measure.planning.expected_time import ExpectedTime
from auditor.measure.planning.preview import Inventory, Preview
from auditor.measure.planning.rehearsal import rehearse_study
from auditor.measure.reuse import ReuseObserver
from auditor.session import AuditSession, open_session
from reports import results


class RevisionComparer:
    """Two revisions of a subject made ready."""

    def __init__(
        self,
        configs: tuple[Config, Config],
        base: StudyContext,
        head: StudyContext,
        session: AuditSession,
    ) -> None:
        """Take the parts of both; nothing is measured yet."""
        config = configs[1]
        self._revisions = (as_revision(configs[0].subject), as_revision(config.subject))
        request = make_patch_request(config.compare, config.request)
        self._config = replace(config, request=request)
        self._base = base
        self._head = head
        self._session = session
        self._number: int | None = None

    def plan_comparison(self) -> Preview:
        """Say what `compare` would measure."""
        config = self._config
        return preview_comparison(self._base, self._head, config.compare, config.request)

    def compare_revisions(self, *, has_patch_gate: bool = False) -> Comparison:
        """Run the benchmarks of both in turns, then slow down what head has changed.

        A gate on the changed methods may need a second look at them, for which time is left.
        """
        self._number = self._session.begin_audit("compare", self._config, self._head.project)
        request = self._config.compare
        abs_request = accept_misses_of_head(self._config.request, self._head)
        patch, caveats = find_differing_methods(self._base, self._head)
        changed = find_changed_methods(patch, self._base, self._head)
        comparison = ComparisonStudy(self._base, self._head, request, changed).compare_revisions()
        reuse = ReuseObserver(self._head.observer, self._head.project.revision)
        head = replace(self._head, observer=reuse)
        head = limit_first_look(head) if has_patch_gate else head
        patch = audit_patch(patch, request.methods, abs_request, head)
        return replace(
            comparison,
            patch=patch,
            caveats=(*comparison.caveats, *caveats, *reuse.describe_reuse()),
        )

    def repeat_patch_audit(self, methods: Sequence[str]) -> AbsVerdict | None:
        """Slow changed methods down again, with new measurements only; None if the time is up."""
        if self._head.deadline is not None and self._head.deadline.is_past:
            return None
        return repeat_audit(methods, self._config.request, self._head)

    def store_document(self, comparison: Comparison) -> ComparisonDocument:
        """Return the result, and keep it in the store."""
        context = self._make_context()
        comparison_result = build_comparison_document(
            comparison, context, base=self._base.project.revision
        )
        self._session.end_audit(self._number, context.ended, results.format_json(comparison_result))
        return comparison_result

    def build_patch_document(self, verdict: AbsVerdict) -> Document:
        """Return the result of the audit of the patch."""
        return build_abs_document(verdict, self._make_context())

    def _make_context(self) -> Context:
        command_words = ["compare", *map(shlex.quote, self._revisions)]
        return self._session.make_context(self._config, self._head.project, " ".join(command_words))


@contextmanager
def open_comparison(
    revisions: tuple[Config, Config],
    places: Places,
    environment: Mapping[str, str],
    observer: Observer,
) -> Iterator[RevisionComparer]:
    """Make base and head ready and open the store; raises UsageError for two harnesses."""
    with open_session(revisions[1], places, environment, observer) as session:
        with name_revision(ComparisonArm.BASE):
            base_config, base = session.prepare_study(revisions[0])
        with name_revision(ComparisonArm.HEAD):
            head_config, head = session.prepare_study(revisions[1])
        if base.project.harness != head.project.harness:
            raise UsageError(
                f"base is a {base.project.harness} project, head a {head.project.harness} "
                "project; choose one with --harness"
            )
        yield RevisionComparer((base_config, head_config), base, head, session)


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
