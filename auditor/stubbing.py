"""Beginnings of benchmarks for methods that none watches: asks the store what is known of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from auditor.audits.unwatched import unwatched
from auditor.config import Config
from auditor.core.errors import SubjectError, UsageError
from auditor.core.result import ReachState, Result
from auditor.core.stubs import Samples, Stub
from auditor.core.subject import Method
from auditor.store.audits import PROFILE, TRACE
from auditor.studies.methods import named
from auditor.tracers import LibraryTracing
from auditor.workplace import Workplace
from reports.document import Document
from reports.profile_document import ProfileDocument
from reports.trace_document import TraceDocument


@dataclass(slots=True)
class Known:
    """What the store knows of a library: who watches, what is used, what calls hand over.

    `used` are ids, the most used first.
    """

    watched: dict[str, bool] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    samples: Samples = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stubs:
    """The files, and what is to be known of the choice."""

    files: tuple[Stub, ...]
    notes: tuple[str, ...]


class Stubbing:
    """A library placed."""

    def __init__(self, config: Config, place: Workplace) -> None:
        """Place the library; its benchmarks are not looked at."""
        self._place = place
        self._tracing = LibraryTracing(config.subject, config.build, place.machine)

    def stubs(self, names: Sequence[str], most: int) -> Stubs:
        """Begin benchmarks for the methods named, or for those that are used and not watched.

        Raises UsageError where nothing is known of their use, SubjectError where nothing is left.
        """
        tracing, known = self._tracing, self._known()
        methods = tracing.mutator.methods(tracing.library.sources)
        if names:
            chosen = tuple(
                dict.fromkeys(
                    named(one, methods, tracing.mutator, tracing.library.project.name)
                    for one in names
                )
            )
        else:
            chosen = self._chosen(known, most)
        made = tuple(tracing.stubs(chosen, known.samples, tracing.library.sources))
        if not made:
            raise SubjectError("no benchmark can be begun for these methods")
        return Stubs(made, () if names or known.watched else (_UNSEEN,))

    def _chosen(self, known: Known, most: int) -> tuple[Method, ...]:
        tracing = self._tracing
        if not known.used:
            raise UsageError(
                "nothing is known of which methods are used: call bench-audit trace first (with "
                "--clients, or --benchmarks), or name some with --method"
            )
        chosen = unwatched(tracing.library.methods, known.used, known.watched, most)
        if not chosen:
            raise SubjectError("each method that is used is watched by some benchmark")
        return chosen

    def _known(self) -> Known:
        """Read the last result of each kind that the store has of this library.

        An audit knows best who watches, clients know best what is used.
        """
        known = Known()
        project = self._tracing.library.project
        results = (self._place.last(command, project) for command in (TRACE, PROFILE, "abs"))
        traced, profile, audited = results
        if isinstance(audited, Document):
            known.watched = {one.id: one.outcome is Result.DETECTED for one in audited.methods}
            known.used = [one.id for one in audited.methods]
        if isinstance(traced, TraceDocument):
            called = {one.id: one.reach is ReachState.IN_LOOP for one in traced.methods}
            known.watched = called | known.watched
            known.used = [one.id for one in traced.methods if one.tests] or known.used
        if isinstance(profile, ProfileDocument):
            known.used = [one.id for one in profile.methods if one.outside]
            known.samples = {one.id: one.arguments for one in profile.methods}
        return known


_UNSEEN = (
    "nobody has looked which of them have a benchmark already: bench-audit trace --benchmarks tells"
)
