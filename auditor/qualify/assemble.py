"""The user's own gate, shown a subject as it is and slowed.

Somebody else builds and runs the slowed program, so a method is slowed in the sources: what the
guests are told while we measure is written into these. Where no benchmark has told how many turns
of the loop a slowdown is, the clock decides in place: that is right for methods of microseconds,
and too little for shorter ones, as it takes time itself.
"""

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
from auditor.languages.model import SourcePatch
from auditor.languages.registry import LANGUAGES
from auditor.measure.context import Deadline
from auditor.measure.method_choice import choose_candidates
from auditor.qualify.document import QualifyDocument, build_qualify_document
from auditor.qualify.judge import make_delay
from auditor.qualify.study import QualifyStudy
from auditor.session import AuditSession, open_session
from auditor.store.gates import GateAnswerStore
from runners.dispatch.machine import lock_machine
from runners.gates import AlarmRule, LocalGate, hash_named_files, list_version_factors
from runners.subjects.place import place_subject


class GateQualifier:
    """A subject made ready, with everything that a gate is shown."""

    def __init__(
        self,
        config: Config,
        session: AuditSession,
        request: QualifyRequest,
        environment: Mapping[str, str],
    ) -> None:
        """Make the subject ready; nothing is measured yet. `environment` is that of the gate."""
        self._session = session
        self._asked = request
        self._environment = tuple(sorted(environment.items()))
        self._config, self._parts = session.prepare_study(config)
        self._placed = place_subject(config.subject, **session.machine.preparation_arguments)

    def qualify_gate(self, report_answer: Callable[[ShownCase, int], None]) -> Qualification:
        """Find out how long a delay is, then show the gate pairs; `report_answer` hears each."""
        subjects = self._prepare_subjects()
        usable_subjects = [subject for subject in subjects if not subject.refusal]
        if not usable_subjects:
            raise SubjectError(
                f"none of the methods can be slowed: {subjects[0].method}: {subjects[0].refusal}"
            )
        request, session = self._asked, self._session
        folder = session.home.make_work_folder(f"gate-{self._parts.project.digest[:16]}")
        budget = request.budget_seconds
        deadline = None if budget is None else Deadline(session.clock, budget)
        with session.home.lock_folder(folder):
            gate = LocalGate(
                host=session.host,
                folder=folder / "pair",
                tree=self._placed.root,
                files=tuple(self._placed.files),
                overlay=self._make_overlay_builder(usable_subjects),
                words=request.command,
                environment=self._environment,
                alarm=AlarmRule(codes=request.codes, words=request.words),
                timeout_seconds=request.timeout_seconds,
            )
            answer_store = GateAnswerStore(
                session.store,
                session.clock,
                self._list_inputs(),
                _make_case_describer(usable_subjects),
            )
            study = QualifyStudy(
                subjects, request.plan, _ExclusiveGate(gate, session.lock), answer_store, deadline
            )
            try:
                return study.qualify_gate(report_answer)
            finally:
                gate.remove_checkouts()

    def build_document(self, qualification: Qualification) -> QualifyDocument:
        """Return the result."""
        context = self._session.make_context(self._config, self._parts.project, "qualify")
        result_context = replace(context, command=self._asked.repeat_command)
        return build_qualify_document(qualification, self._asked.command_text, result_context)

    def _list_inputs(self) -> tuple[str, ...]:
        request = self._asked
        words = request.words.pattern if request.words else ""
        return (
            self._parts.project.digest,
            request.command_text,
            repr(sorted(request.codes)),
            words,
            repr([*hash_named_files(request.command, self._environment)]),
        )

    def _prepare_subjects(self) -> list[GateSubject]:
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
        chosen_methods = choose_candidates(request, self._parts).methods
        request = replace(request, methods=tuple(method.id for method in chosen_methods))
        subjects_by_method = {
            method.id: GateSubject(method=method.id, refusal=method.refusal or "")
            for method in chosen_methods
        }
        for factor in self._asked.plan.factors:
            verdict = abs_audit.audit_suite(replace(request, slowdown=factor - 1.0), self._parts)
            for subject in subjects_by_method.values():
                subjects_by_method[subject.method] = _add_audit_result(
                    subject, factor, verdict, self._session.store.find_schedule
                )
        return list(subjects_by_method.values())

    def _make_overlay_builder(
        self, subjects: list[GateSubject]
    ) -> Callable[[GateCase, CheckoutVersion, Path], Mapping[str, bytes]]:
        """Return what makes the versions of a case; a method is hooked in both of them."""
        parts, project_path = self._parts, self._find_project_path()
        methods = {method.id: method for method in parts.mutator.find_methods(parts.suite.sources)}
        language = LANGUAGES.of_language(parts.project.language)
        subjects_by_method = {subject.method: subject for subject in subjects}
        first_method = subjects[0].method

        def build_overlay(
            case: GateCase, version: CheckoutVersion, trace: Path
        ) -> Mapping[str, bytes]:
            subject = subjects_by_method[case.method or first_method]
            delay = make_delay(
                subject, case.factor, waits=list_version_factors(case)[version] > 1.0
            )
            patched_files = language.patch(
                SourcePatch(
                    project=parts.project,
                    sources=parts.suite.sources,
                    mutator=parts.mutator,
                    method=methods[subject.method],
                    guarded=subject.guarded,
                    delay=delay,
                    trace=str(trace / version),
                )
            )
            # A method of a neighbouring module is in a folder beside the subject's.
            return {
                posixpath.normpath(project_path / name): content
                for name, content in patched_files.items()
            }

        return build_overlay

    def _find_project_path(self) -> Path:
        """Return the project's root, as seen from the top of the copy."""
        top, root = self._placed.root.resolve(), self._parts.project.root
        is_inside = root.is_relative_to(top)
        return (
            root.relative_to(top) if is_inside else self._placed.tree.relative_to(self._placed.root)
        )


@contextmanager
def open_qualifying(
    config: Config,
    places: Places,
    environment: Mapping[str, str],
    observer: Observer,
    request: QualifyRequest,
) -> Iterator[GateQualifier]:
    """Make the subject ready that a gate is shown, and open its store."""
    with open_session(config, places, environment, observer) as session:
        # The command is the user's own, and gets what they have.
        yield GateQualifier(config, session, request, environment)


class _ExclusiveGate:
    """A gate that begins while nobody else of this account measures; it may be one of ours."""

    def __init__(self, gate: LocalGate, lock: Path) -> None:
        self._gate = gate
        self._lock = lock

    def show_case(self, case: GateCase, number: int, turns: int, /) -> ShownCase:
        """Wait until nobody measures on this machine, then show a pair."""
        with lock_machine(self._lock):
            pass
        return self._gate.show_case(case, number, turns)


def _make_case_describer(subjects: list[GateSubject]) -> Callable[[GateCase], str]:
    """Return what tells the versions of a case apart: another factor has answers of its own."""
    subjects_by_method = {subject.method: subject for subject in subjects}

    def describe_case(case: GateCase) -> str:
        subject = subjects_by_method.get(case.method, subjects[0])
        return repr((make_delay(subject, case.factor, waits=True), subject.guarded))

    return describe_case


def _add_audit_result(
    subject: GateSubject,
    factor: float,
    verdict: AbsVerdict,
    schedule: Callable[[str], tuple[Schedule, bool] | None],
) -> GateSubject:
    """Return a method with what the audit at a factor has found of it."""
    (method_verdict,) = [method for method in verdict.methods if method.id == subject.method]
    subject = replace(subject, reached_by=method_verdict.reached_by or subject.reached_by)
    for pair in _sort_method_pairs(verdict, subject.method):
        stored_schedule = schedule(pair.runs[-1].trials[0]) if pair.runs[-1].trials else None
        delay = None if stored_schedule is None else _find_slowed_delay(stored_schedule[0])
        if stored_schedule is not None and delay is not None:
            achieved = pair.achieved_slowdown
            injected = InjectedDelay(factor, delay, None if achieved is None else 1.0 + achieved)
            return replace(
                subject,
                seconds=pair.method_seconds,
                guarded=stored_schedule[1],
                injected=(*subject.injected, injected),
            )
    return subject


def _sort_method_pairs(verdict: AbsVerdict, method: str) -> Iterator[PairVerdict]:
    """Yield pairs of a method, those first in which it has the largest share."""
    verdicts = [pair for pair in verdict.pairs if pair.method == method and pair.runs]
    yield from sorted(verdicts, key=lambda pair_verdict: -(pair_verdict.share or 0.0))


def _find_slowed_delay(schedule: Schedule) -> Delay | None:
    delays = [arm.delay for arm in schedule.arms if arm.name is ArmName.SLOWED]
    return next((delay for delay in delays if delay is not None and delay.number > 0), None)
