"""Makes the parts of two revisions and hands them to the studies."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from auditor.abs.document import Document
from auditor.abs.document_of_verdict import document
from auditor.abs.model import AbsVerdict
from auditor.compare.document import ComparisonDocument, comparison_document
from auditor.compare.model import Comparison
from auditor.compare.preview import preview_comparison
from auditor.compare.study import ComparisonStudy
from auditor.compare.study_order import changed_methods
from auditor.compare.study_patch import asked_of, audit_patch, audited_again, differing_methods
from auditor.config import Config, Places
from auditor.config.subjects import as_revision
from auditor.core.errors import UsageError
from auditor.core.ports import Observer
from auditor.core.provenance import Context
from auditor.measure.context import StudyContext
from auditor.measure.planning.preview import Preview
from auditor.measure.reuse import Reuse
from auditor.session import Session, open_session
from reports import results


class Comparing:
    """Two revisions of a subject made ready."""

    def __init__(
        self,
        configs: tuple[Config, Config],
        base: StudyContext,
        head: StudyContext,
        session: Session,
    ) -> None:
        """Take the parts of both; nothing is measured yet."""
        config = configs[1]
        self._revisions = (as_revision(configs[0].subject), as_revision(config.subject))
        request = asked_of(config.compare, config.request)
        self._config = replace(config, request=request)
        self._base = base
        self._head = head
        self._session = session
        self._number: int | None = None

    def plan(self) -> Preview:
        """Say what `compare` would measure."""
        config = self._config
        return preview_comparison(self._base, self._head, config.compare, config.request)

    def compare(self) -> Comparison:
        """Run the benchmarks of both in turns, then slow down what head has changed."""
        self._number = self._session.begin("compare", self._config, self._head.project)
        request = self._config.compare
        patch, caveats = differing_methods(self._base, self._head)
        changed = changed_methods(patch, self._base, self._head)
        comparison = ComparisonStudy(self._base, self._head, request, changed).compare()
        reuse = Reuse(self._head.observer, self._head.project.revision)
        head = replace(self._head, observer=reuse)
        patch = audit_patch(patch, request.methods, self._config.request, head)
        return replace(
            comparison, patch=patch, caveats=(*comparison.caveats, *caveats, *reuse.caveats())
        )

    def audit_again(self, methods: Sequence[str]) -> AbsVerdict | None:
        """Slow changed methods down again, with new measurements only; None if the time is up."""
        if self._head.deadline is not None and self._head.deadline.is_past:
            return None
        return audited_again(methods, self._config.request, self._head)

    def document(self, comparison: Comparison) -> ComparisonDocument:
        """Return the result."""
        context = self._context()
        made = comparison_document(comparison, context, base=self._base.project.revision)
        self._session.end(self._number, context.ended, results.text(made))
        return made

    def patch_document(self, verdict: AbsVerdict) -> Document:
        """Return the result of the audit of the patch."""
        return document(verdict, self._context())

    def _context(self) -> Context:
        words = ["compare", *map(shlex.quote, self._revisions)]
        return self._session.context(self._config, self._head.project, " ".join(words))


@contextmanager
def open_comparison(
    revisions: tuple[Config, Config],
    places: Places,
    environment: Mapping[str, str],
    observer: Observer,
) -> Iterator[Comparing]:
    """Make base and head ready and open the store; raises UsageError for two harnesses."""
    with open_session(revisions[1], places, environment, observer) as session:
        (before, base), (after, head) = (session.ready(revision) for revision in revisions)
        if base.project.harness != head.project.harness:
            raise UsageError(
                f"base is a {base.project.harness} project, head a {head.project.harness} "
                "project; choose one with --harness"
            )
        yield Comparing((before, after), base, head, session)
