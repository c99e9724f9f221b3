"""Makes the parts of an audit and hands them to the studies."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from auditor.abs.document import AbsOrStability
from auditor.abs.document_of_verdict import build_abs_document, stability_document
from auditor.abs.model import AbsVerdict
from auditor.abs.page.report import render_page
from auditor.abs.preview import preview_abs, preview_suite
from auditor.abs.study import abs_audit
from auditor.abs.study.expectation import estimate_time_at_start, refuse_small_budget
from auditor.config import Config, Places
from auditor.core.caveats import Caveat
from auditor.core.ports import Observer
from auditor.core.request import AbsRequest
from auditor.core.stability import Stability
from auditor.core.units import format_duration
from auditor.measure import stability_study
from auditor.measure.context import UNDECIDED, Deadline, StudyContext
from auditor.measure.planning.preview import Preview
from auditor.session import SubjectWork, open_session
from auditor.trace.assemble import find_popularity, load_popularity
from reports import results

MOST_LOOKED_UP = 1000
"""Pairs of which the store is asked what they lack, once the time for measuring is over."""


class AbsAudit(SubjectWork):
    """A subject made ready, with everything that can be asked of it."""

    _command = "abs"

    def plan_audit(self) -> Preview:
        """Say what `abs` would measure."""
        usage = load_popularity(self._config, self._parts.project, self._session)
        request = replace(self._config.request, popular=usage)
        refuse_small_budget(request, self._parts)
        return preview_abs(request, self._parts)

    def plan_suite(self) -> Preview:
        """Say what `stability` would measure."""
        return preview_suite(self._parts)

    def measure_score(self, command: str = "abs") -> AbsVerdict:
        """Find the API benchmarking score; `command` is what the store remembers it by."""
        usage = load_popularity(self._config, self._parts.project, self._session)
        refuse_small_budget(replace(self._config.request, popular=usage), self._parts)
        self._begin_audit(command)
        popular = find_popularity(self._config, self._parts.project, self._session)
        request = replace(self._config.request, popular=popular)
        expected = estimate_time_at_start(request, self._parts)
        self._parts.observer.report_caveat(Caveat("expected-time", expected.range_text))
        return self._judge_request(request, self._parts)

    def judge_stored_runs(self) -> AbsVerdict:
        """Judge what the store has of `abs`; nothing is measured, and the result is not kept."""
        usage = load_popularity(self._config, self._parts.project, self._session)
        request = replace(self._config.request, popular=usage)
        no_time = Deadline(self._parts.clock, 0)
        return self._judge_request(request, replace(self._parts, deadline=no_time))

    def _judge_request(self, request: AbsRequest, parts: StudyContext) -> AbsVerdict:
        verdict = abs_audit.audit_suite(request, parts)
        caveats = (
            *verdict.caveats,
            *self._describe_unfinished(request, verdict),
            *self._reuse.describe_reuse(),
        )
        return replace(verdict, caveats=caveats)

    def _describe_unfinished(self, request: AbsRequest, verdict: AbsVerdict) -> Iterator[Caveat]:
        """Say what it would take to decide what there was no time for.

        Each lookup takes time, too, so of a large suite nothing is said, nor after the end.
        """
        deadline = self._parts.deadline
        late = deadline is not None and deadline.is_past
        if late or len(verdict.pairs) > MOST_LOOKED_UP:
            return
        if not any(caveat.slug in UNDECIDED for caveat in verdict.caveats):
            return
        phases = preview_abs(request, replace(self._parts, deadline=None)).phases
        remaining_trials = sum(phase.trials - phase.stored_count for phase in phases)
        text = (
            f"{remaining_trials} processes at most are left to run, about "
            f"{format_duration(sum(phase.seconds for phase in phases))}; repeat the command to "
            "go on"
        )
        yield Caveat("time-left", text)

    def measure_stability(self) -> Stability:
        """Run the unchanged suite as often as asked."""
        self._begin_audit("stability")
        verdict = stability_study.audit_stability(self._parts)
        return replace(verdict, caveats=(*verdict.caveats, *self._reuse.describe_reuse()))

    def store_document(self, verdict: AbsVerdict | Stability) -> AbsOrStability:
        """Return the result, and remember it in the store."""
        context = self._session.make_context(self._config, self._parts.project, self._command)
        result_document = (
            build_abs_document(verdict, context)
            if isinstance(verdict, AbsVerdict)
            else stability_document(verdict, context)
        )
        self._session.end_audit(self._number, context.ended, results.format_json(result_document))
        return result_document

    def render_report(self, document: AbsOrStability) -> str:
        """Return the HTML report of a document."""
        return render_page(document)

    def _begin_audit(self, command: str) -> None:
        self._command = command
        self._number = self._session.begin_audit(command, self._config, self._parts.project)


@contextmanager
def open_audit(
    config: Config, places: Places, environment: Mapping[str, str], observer: Observer
) -> Iterator[AbsAudit]:
    """Make the subject ready and open its store."""
    with open_session(config, places, environment, observer) as session:
        config, parts = session.prepare_study(config)
        yield AbsAudit(config, parts, session)
