"""Beginnings of benchmarks for methods that none watches: asks the store what is known of them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from auditor.abs import document as documents
from auditor.abs.document import Document
from auditor.abs.model import MethodVerdict as AuditedMethod
from auditor.config import Config, Places
from auditor.core.caveats import list_some
from auditor.core.contracts.stubs import Samples, Stub
from auditor.core.errors import SubjectError, UsageError
from auditor.core.ports import Observer
from auditor.core.result import ReachState, Verdict
from auditor.core.subject import Method
from auditor.languages.library_tracing import LibraryTracing
from auditor.measure.method_choice import resolve_method_name
from auditor.session import AuditSession, open_session
from auditor.store.audits import PROFILE, TRACE
from auditor.stubs.judge import WatchState, select_unwatched_methods
from auditor.trace import document, document_clients


@dataclass(slots=True)
class LibraryUsage:
    """What the store knows of a library: who watches, what is used, what calls hand over.

    `used` are ids, the most used first.
    """

    watched: dict[str, WatchState] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    samples: Samples = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StubResult:
    """The files, and what is to be known of the choice."""

    files: tuple[Stub, ...]
    notes: tuple[str, ...]


class StubGenerator:
    """A library placed."""

    def __init__(self, config: Config, session: AuditSession) -> None:
        """Place the library; its benchmarks are not looked at."""
        self._session = session
        self._tracing = LibraryTracing(config.subject, config.build, session.machine)

    def generate_stubs(self, names: Sequence[str], most: int) -> StubResult:
        """Begin benchmarks for the methods named, or for those that are used and not watched.

        Raises UsageError where nothing is known of their use, SubjectError where nothing is left.
        """
        tracing, known_calls = self._tracing, self._read_library_usage()
        methods = tracing.mutator.find_methods(tracing.library.sources)
        if names:
            target_methods = tuple(
                dict.fromkeys(
                    resolve_method_name(
                        name, methods, tracing.mutator, tracing.library.project.name
                    )
                    for name in names
                )
            )
        else:
            target_methods = self._choose_methods(known_calls, most)
        stubs = tuple(tracing.stubs(target_methods, known_calls.samples, tracing.library.sources))
        if not any(stub.text for stub in stubs):
            reasons = dict.fromkeys(reason for stub in stubs for _, reason in stub.incomplete)
            because = "; ".join(reasons) or "each has a benchmark of its name, or cannot be called"
            raise SubjectError(
                f"no benchmark can be generated for these methods ({because}); write them by hand, "
                "or name others with --method"
            )
        notes = () if names or known_calls.watched else (_UNSEEN,)
        return StubResult(stubs, (*notes, *_explain_missing_stubs(target_methods, stubs)))

    def _choose_methods(self, known_calls: LibraryUsage, most: int) -> tuple[Method, ...]:
        tracing = self._tracing
        if not known_calls.used:
            raise UsageError(
                "the used methods are unknown: run bench-audit trace first (with --clients, or "
                "--suite), or name some with --method"
            )
        target_methods = select_unwatched_methods(
            tracing.library.methods, known_calls.used, known_calls.watched, most
        )
        if not target_methods:
            raise SubjectError(
                "each used method is trivial, or a benchmark calls it; name others with --method"
            )
        return target_methods

    def _read_library_usage(self) -> LibraryUsage:
        """Read the last result of each kind that the store has of this library.

        An audit knows best who watches, clients know best what is used. What only the suite's trace
        knows comes last: nobody was seen to use it.
        """
        known_calls = LibraryUsage()
        project = self._tracing.library.project
        traced = self._session.find_last_result(TRACE, project, document.parse_document)
        profile = self._session.find_last_result(PROFILE, project, document_clients.parse_document)
        audited = self._session.find_last_result("abs", project, documents.parse_document)
        if profile is not None:
            known_calls.used += [method.id for method in profile.methods if method.outside]
            known_calls.samples = {method.id: method.arguments for method in profile.methods}
        if traced is not None:
            known_calls.used += [method.id for method in traced.methods if method.tests]
            known_calls.watched |= {
                method.id: WatchState.WATCHED
                if method.reach is ReachState.IN_LOOP
                else WatchState.UNCALLED
                for method in traced.methods
            }
        if isinstance(audited, Document):
            known_calls.used += [method.id for method in audited.methods]
            known_calls.watched |= {
                method.id: state
                for method in audited.methods
                if (state := _watch_state(method)) is not None
            }
        if traced is not None:
            known_calls.used += [method.id for method in traced.methods]
        return known_calls


@contextmanager
def open_stubbing(
    config: Config, places: Places, environment: Mapping[str, str], observer: Observer
) -> Iterator[StubGenerator]:
    """Place the library that benchmarks are to be begun for, and open its store."""
    local_config = replace(config, dispatch=None)  # nothing is measured
    with open_session(local_config, places, environment, observer) as session:
        yield StubGenerator(config, session)


def _watch_state(method: AuditedMethod) -> WatchState | None:
    """Return what an audit says of a method; None where it does not tell."""
    if method.outcome is Verdict.UNREACHED:
        return WatchState.UNCALLED
    if method.outcome is Verdict.MISSED:
        return WatchState.UNNOTICED
    if method.outcome is Verdict.DETECTED or method.reached_by:
        return WatchState.WATCHED
    return None


def _explain_missing_stubs(
    target_methods: Sequence[Method], stubs: Sequence[Stub]
) -> Iterator[str]:
    """Say which methods have no benchmark in the files."""
    stubbed_ids = {
        name
        for stub in stubs
        for name in (*stub.ready, *(method_id for method_id, _ in stub.incomplete))
    }
    if left := [method.id for method in target_methods if method.id not in stubbed_ids]:
        yield (
            "not begun, as a benchmark of its name is there already, or nothing outside can call "
            f"it: {list_some(left)}"
        )


_UNSEEN = (
    "nobody has looked which of them have a benchmark already: bench-audit trace --suite tells"
)
