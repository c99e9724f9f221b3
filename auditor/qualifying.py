"""The user's own gate, shown a subject as it is and slowed."""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from auditor import slowed
from auditor.config import Config
from auditor.config.qualify import QualifyRequest
from auditor.core.errors import SubjectError, UsageError
from auditor.core.mutant import Delay
from auditor.core.qualify import Case, Injected, Qualification, Shown, Subject, Version
from auditor.core.request import CurveMode
from auditor.core.schedule import ArmName, Schedule
from auditor.core.verdict import AbsVerdict, PairVerdict
from auditor.store.gates import Gates
from auditor.studies import abs_score
from auditor.studies.methods import candidates
from auditor.studies.parts import Deadline
from auditor.studies.qualify import QualifyStudy
from auditor.workplace import Workplace
from reports.qualify_document import QualifyDocument, qualify_document
from runners.dispatch.machine import locked
from runners.gates import Alarm, LocalGate, named, sides
from runners.subjects.place import place as placed_subject


class Qualifying:
    """A subject made ready, with everything that a gate is shown."""

    def __init__(
        self,
        config: Config,
        place: Workplace,
        asked: QualifyRequest,
        environment: Mapping[str, str],
    ) -> None:
        """Make the subject ready; nothing is measured yet. `environment` is that of the gate."""
        self._place = place
        self._asked = asked
        self._environment = tuple(sorted(environment.items()))
        self._config, self._parts = place.ready(config)
        self._placed = placed_subject(config.subject, **place.machine.parts)

    def qualify(self, told: Callable[[Shown, int], None]) -> Qualification:
        """Find out how long a delay is, then show the gate pairs; `told` hears each answer."""
        subjects = self._subjects()
        usable = [one for one in subjects if not one.refusal]
        if not usable:
            raise SubjectError(
                f"none of the methods can be slowed: {subjects[0].method}: {subjects[0].refusal}"
            )
        asked, place = self._asked, self._place
        folder = place.home.work(f"gate-{self._parts.project.digest[:16]}")
        budget = asked.budget_seconds
        deadline = None if budget is None else Deadline(place.clock, budget)
        with place.home.locked(folder):
            gate = LocalGate(
                host=place.host,
                folder=folder / "pair",
                tree=self._placed.root,
                files=tuple(self._placed.files),
                overlay=self._overlays(usable),
                words=asked.command,
                environment=self._environment,
                alarm=Alarm(codes=asked.codes, words=asked.words),
                timeout_seconds=asked.timeout_seconds,
            )
            memory = Gates(place.store, place.clock, self._deciding(), _deciding(usable))
            study = QualifyStudy(subjects, asked.plan, _Alone(gate, place.lock), memory, deadline)
            try:
                return study.qualify(told)
            finally:
                gate.clean()

    def document(self, found: Qualification) -> QualifyDocument:
        """Return the result."""
        context = self._place.context(self._config, self._parts.project, "qualify")
        again = replace(context, command=self._asked.again)
        return qualify_document(found, self._asked.written, again)

    def _deciding(self) -> tuple[str, ...]:
        asked = self._asked
        words = asked.words.pattern if asked.words else ""
        return (
            self._parts.project.digest,
            asked.written,
            repr(sorted(asked.codes)),
            words,
            repr([*named(asked.command, self._environment)]),
        )

    def _subjects(self) -> list[Subject]:
        """Return the methods with the delays of all factors, as the suite's own audits find them.

        Turns of the loop are not proportional to the time that they take, as the first ones hide
        behind the method, so each factor is measured by itself.
        """
        request = replace(self._config.request, curve=CurveMode.NONE, controls=0, score_only=True)
        if request.methods is None:
            raise UsageError(
                "no method to slow: name one with --method, best one that a benchmark watches "
                "(bench-audit trace --benchmarks shows which are called)"
            )
        chosen = candidates(request, self._parts).methods
        request = replace(request, methods=tuple(one.id for one in chosen))
        found = {one.id: Subject(method=one.id, refusal=one.refusal or "") for one in chosen}
        for factor in self._asked.plan.factors:
            verdict = abs_score.audit(replace(request, slowdown=factor - 1.0), self._parts)
            for one in found.values():
                found[one.method] = _with(one, factor, verdict, self._place.store.schedule)
        return list(found.values())

    def _overlays(
        self, subjects: list[Subject]
    ) -> Callable[[Case, Version, Path], Mapping[str, bytes]]:
        """Return what makes the versions of a case; a method is hooked in both of them."""
        parts, inside = self._parts, self._inside()
        methods = {one.id: one for one in parts.mutator.methods(parts.suite.sources)}
        known = {one.method: one for one in subjects}
        first = subjects[0].method

        def laid(case: Case, version: Version, trace: Path) -> Mapping[str, bytes]:
            subject = known[case.method or first]
            wanted = slowed.delay(subject, case.factor, waits=sides(case)[version] > 1.0)
            slowing = slowed.Slowing(methods[subject.method], subject.guarded, parts)
            made = slowing.laid(wanted, trace, version)
            # A method of a neighbouring module is in a folder beside the subject's.
            return {posixpath.normpath(inside / name): content for name, content in made.items()}

        return laid

    def _inside(self) -> Path:
        """Return the project's root, as seen from the top of the copy."""
        top, root = self._placed.root.resolve(), self._parts.project.root
        inside = root.is_relative_to(top)
        return root.relative_to(top) if inside else self._placed.tree.relative_to(self._placed.root)


class _Alone:
    """A gate that begins while nobody else of this account measures; it may be one of ours."""

    def __init__(self, gate: LocalGate, lock: Path) -> None:
        self._gate = gate
        self._lock = lock

    def show(self, case: Case, number: int, turns: int, /) -> Shown:
        """Wait until nobody measures on this machine, then show a pair."""
        with locked(self._lock):
            pass
        return self._gate.show(case, number, turns)


def _deciding(subjects: list[Subject]) -> Callable[[Case], str]:
    """Return what tells the versions of a case apart: another factor has answers of its own."""
    known = {one.method: one for one in subjects}

    def told(case: Case) -> str:
        subject = known.get(case.method, subjects[0])
        return repr((slowed.delay(subject, case.factor, waits=True), subject.guarded))

    return told


def _with(
    subject: Subject,
    factor: float,
    verdict: AbsVerdict,
    schedule: Callable[[str], tuple[Schedule, bool] | None],
) -> Subject:
    """Return a method with what the audit at a factor has found of it."""
    (mine,) = [one for one in verdict.methods if one.id == subject.method]
    subject = replace(subject, reached_by=mine.reached_by or subject.reached_by)
    for pair in _measured(verdict, subject.method):
        known = schedule(pair.runs[-1].trials[0]) if pair.runs[-1].trials else None
        delay = None if known is None else _slowed(known[0])
        if known is not None and delay is not None:
            achieved = pair.achieved_slowdown
            one = Injected(factor, delay, None if achieved is None else 1.0 + achieved)
            return replace(
                subject,
                seconds=pair.method_seconds,
                guarded=known[1],
                injected=(*subject.injected, one),
            )
    return subject


def _measured(verdict: AbsVerdict, method: str) -> Iterator[PairVerdict]:
    """Yield pairs of a method, those first in which it has the largest share."""
    mine = [one for one in verdict.pairs if one.method == method and one.runs]
    yield from sorted(mine, key=lambda one: -(one.share or 0.0))


def _slowed(schedule: Schedule) -> Delay | None:
    delays = [one.delay for one in schedule.arms if one.name is ArmName.SLOWED]
    return next((one for one in delays if one is not None and one.number > 0), None)
