"""The user's own gate, shown a subject as it is and slowed."""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from auditor.abs.model import AbsVerdict, PairVerdict
from auditor.abs.study import abs_audit
from auditor.config import Config, Places
from auditor.config.qualify import QualifyRequest
from auditor.core.contracts.qualify import (
    CheckoutVersion,
    GateCase,
    GateSubject,
    InjectedDelay,
    Qualification,
    ShownCase,
)
from auditor.core.errors import SubjectError, UsageError
from auditor.core.mutant import Delay
from auditor.core.ports import Observer
from auditor.core.request import CurveMode
from auditor.core.schedule import ArmName, Schedule
from auditor.languages.registry import LANGUAGES
from auditor.measure.context import Deadline
from auditor.measure.method_choice import candidates
from auditor.qualify import checkout_slowdown
from auditor.qualify.document import QualifyDocument, qualify_document
from auditor.qualify.study import QualifyStudy
from auditor.session import Session, open_session
from auditor.store.gates import GateAnswerStore
from runners.dispatch.machine import locked
from runners.gates import Alarm, LocalGate, named_files, sides
from runners.subjects.place import place


class Qualifying:
    """A subject made ready, with everything that a gate is shown."""

    def __init__(
        self,
        config: Config,
        session: Session,
        request: QualifyRequest,
        environment: Mapping[str, str],
    ) -> None:
        """Make the subject ready; nothing is measured yet. `environment` is that of the gate."""
        self._session = session
        self._asked = request
        self._environment = tuple(sorted(environment.items()))
        self._config, self._parts = session.ready(config)
        self._placed = place(config.subject, **session.machine.parts)

    def qualify(self, told: Callable[[ShownCase, int], None]) -> Qualification:
        """Find out how long a delay is, then show the gate pairs; `told` hears each answer."""
        subjects = self._subjects()
        usable = [subject for subject in subjects if not subject.refusal]
        if not usable:
            raise SubjectError(
                f"none of the methods can be slowed: {subjects[0].method}: {subjects[0].refusal}"
            )
        request, session = self._asked, self._session
        folder = session.home.work(f"gate-{self._parts.project.digest[:16]}")
        budget = request.budget_seconds
        deadline = None if budget is None else Deadline(session.clock, budget)
        with session.home.locked(folder):
            gate = LocalGate(
                host=session.host,
                folder=folder / "pair",
                tree=self._placed.root,
                files=tuple(self._placed.files),
                overlay=self._overlays(usable),
                words=request.command,
                environment=self._environment,
                alarm=Alarm(codes=request.codes, words=request.words),
                timeout_seconds=request.timeout_seconds,
            )
            memory = GateAnswerStore(
                session.store, session.clock, self._deciding(), _deciding(usable)
            )
            study = QualifyStudy(
                subjects, request.plan, _Alone(gate, session.lock), memory, deadline
            )
            try:
                return study.qualify(told)
            finally:
                gate.clean()

    def document(self, qualification: Qualification) -> QualifyDocument:
        """Return the result."""
        context = self._session.context(self._config, self._parts.project, "qualify")
        again = replace(context, command=self._asked.again)
        return qualify_document(qualification, self._asked.written, again)

    def _deciding(self) -> tuple[str, ...]:
        request = self._asked
        words = request.words.pattern if request.words else ""
        return (
            self._parts.project.digest,
            request.written,
            repr(sorted(request.codes)),
            words,
            repr([*named_files(request.command, self._environment)]),
        )

    def _subjects(self) -> list[GateSubject]:
        """Return the methods with the delays of all factors, as the suite's own audits find them.

        Turns of the loop are not proportional to the time that they take, as the first ones hide
        behind the method, so each factor is measured by itself.
        """
        request = replace(self._config.request, curve=CurveMode.NONE, controls=0, score_only=True)
        if request.methods is None:
            raise UsageError(
                "no method given: name one with --method, preferably one that a benchmark calls "
                "(bench-audit trace --suite lists them)"
            )
        chosen = candidates(request, self._parts).methods
        request = replace(request, methods=tuple(method.id for method in chosen))
        found = {
            method.id: GateSubject(method=method.id, refusal=method.refusal or "")
            for method in chosen
        }
        for factor in self._asked.plan.factors:
            verdict = abs_audit.audit_suite(replace(request, slowdown=factor - 1.0), self._parts)
            for subject in found.values():
                found[subject.method] = _with(
                    subject, factor, verdict, self._session.store.schedule
                )
        return list(found.values())

    def _overlays(
        self, subjects: list[GateSubject]
    ) -> Callable[[GateCase, CheckoutVersion, Path], Mapping[str, bytes]]:
        """Return what makes the versions of a case; a method is hooked in both of them."""
        parts, inside = self._parts, self._inside()
        methods = {method.id: method for method in parts.mutator.methods(parts.suite.sources)}
        language = LANGUAGES.of_language(parts.project.language)
        known = {subject.method: subject for subject in subjects}
        first = subjects[0].method

        def laid(case: GateCase, version: CheckoutVersion, trace: Path) -> Mapping[str, bytes]:
            subject = known[case.method or first]
            delay = checkout_slowdown.delay(subject, case.factor, waits=sides(case)[version] > 1.0)
            slowing = checkout_slowdown.SourcePatcher(
                methods[subject.method], subject.guarded, parts, language
            )
            made = slowing.patch(delay, trace, version)
            # A method of a neighbouring module is in a folder beside the subject's.
            return {posixpath.normpath(inside / name): content for name, content in made.items()}

        return laid

    def _inside(self) -> Path:
        """Return the project's root, as seen from the top of the copy."""
        top, root = self._placed.root.resolve(), self._parts.project.root
        inside = root.is_relative_to(top)
        return root.relative_to(top) if inside else self._placed.tree.relative_to(self._placed.root)


@contextmanager
def open_qualifying(
    config: Config,
    places: Places,
    environment: Mapping[str, str],
    observer: Observer,
    request: QualifyRequest,
) -> Iterator[Qualifying]:
    """Make the subject ready that a gate is shown, and open its store."""
    with open_session(config, places, environment, observer) as session:
        # The command is the user's own, and gets what they have.
        yield Qualifying(config, session, request, environment)


class _Alone:
    """A gate that begins while nobody else of this account measures; it may be one of ours."""

    def __init__(self, gate: LocalGate, lock: Path) -> None:
        self._gate = gate
        self._lock = lock

    def show(self, case: GateCase, number: int, turns: int, /) -> ShownCase:
        """Wait until nobody measures on this machine, then show a pair."""
        with locked(self._lock):
            pass
        return self._gate.show(case, number, turns)


def _deciding(subjects: list[GateSubject]) -> Callable[[GateCase], str]:
    """Return what tells the versions of a case apart: another factor has answers of its own."""
    known = {subject.method: subject for subject in subjects}

    def told(case: GateCase) -> str:
        subject = known.get(case.method, subjects[0])
        return repr((checkout_slowdown.delay(subject, case.factor, waits=True), subject.guarded))

    return told


def _with(
    subject: GateSubject,
    factor: float,
    verdict: AbsVerdict,
    schedule: Callable[[str], tuple[Schedule, bool] | None],
) -> GateSubject:
    """Return a method with what the audit at a factor has found of it."""
    (mine,) = [method for method in verdict.methods if method.id == subject.method]
    subject = replace(subject, reached_by=mine.reached_by or subject.reached_by)
    for pair in _pairs_of_method(verdict, subject.method):
        known = schedule(pair.runs[-1].trials[0]) if pair.runs[-1].trials else None
        delay = None if known is None else _slowed(known[0])
        if known is not None and delay is not None:
            achieved = pair.achieved_slowdown
            injected = InjectedDelay(factor, delay, None if achieved is None else 1.0 + achieved)
            return replace(
                subject,
                seconds=pair.method_seconds,
                guarded=known[1],
                injected=(*subject.injected, injected),
            )
    return subject


def _pairs_of_method(verdict: AbsVerdict, method: str) -> Iterator[PairVerdict]:
    """Yield pairs of a method, those first in which it has the largest share."""
    verdicts = [pair for pair in verdict.pairs if pair.method == method and pair.runs]
    yield from sorted(verdicts, key=lambda pair_verdict: -(pair_verdict.share or 0.0))


def _slowed(schedule: Schedule) -> Delay | None:
    delays = [arm.delay for arm in schedule.arms if arm.name is ArmName.SLOWED]
    return next((delay for delay in delays if delay is not None and delay.number > 0), None)
