"""Which pairs a gate is shown, in which order, and when it is enough."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import mean

import numpy as np

from auditor.core.contracts.qualify import (
    Gate,
    GateAnswer,
    GateAnswerCache,
    GateCase,
    GatePlan,
    GateSubject,
    Qualification,
    ShownCase,
    SlowedSide,
)
from auditor.core.errors import SubjectError
from auditor.measure.context import Deadline
from auditor.qualify import judge

_HOPELESS = 3
"""After so many failures and no answer nothing more is asked."""


class QualifyStudy:
    """Shows a gate pairs until it is known what it is worth, or the time is over."""

    def __init__(
        self,
        subjects: Sequence[GateSubject],
        plan: GatePlan,
        gate: Gate,
        memory: GateAnswerCache,
        deadline: Deadline | None = None,
    ) -> None:
        """Take the methods that can be slowed; `memory` knows what was shown before."""
        self._subjects = [subject for subject in subjects if not subject.refusal]
        self._all = tuple(subjects)
        self._plan = plan
        self._gate = gate
        self._memory = memory
        self._deadline = deadline
        self._shown: list[ShownCase] = []

    def qualify(self, told: Callable[[ShownCase, int], None]) -> Qualification:
        """Return what it is worth; `told` hears of each answer, and how many may yet come.

        Raises SubjectError where the gate only fails.
        """
        known = 0
        for case, number in self._turns():
            shown_pair = self._known(case, number)
            if shown_pair is None:
                if not self._allowed():
                    break
                shown_pair = self._gate.show(case, number, self._again(case))
                self._memory.keep(shown_pair)
            else:
                known += 1
            self._shown.append(shown_pair)
            self._require_answers()
            told(shown_pair, self._left())
        qualification = judge.judge(self._all, self._plan, self._shown, self._skipped())
        return replace(qualification, known=known)

    def _known(self, case: GateCase, number: int) -> ShownCase | None:
        """Return what is remembered, unless the gate was quiet in fewer turns than are asked."""
        shown_pair = self._memory.known(case, number)
        if shown_pair is None or shown_pair.answer is not GateAnswer.QUIET:
            return shown_pair
        return shown_pair if shown_pair.turn >= self._again(case) else None

    def _turns(self) -> Iterator[tuple[GateCase, int]]:
        """Yield what is to be shown next, in rounds of drawn orders, the plainest first.

        A gate that is dead, or fires always, is found out by the first rounds.
        """
        cases = self._cases()
        numbers = dict.fromkeys(cases, 0)
        for turn in range(self._plan.runs):
            order = np.random.default_rng([self._plan.seed, 11, turn]).permutation(len(cases))
            ordered = cases if turn == 0 else [cases[index] for index in order]
            open_ = [one for one in ordered if not self._settled(one)]
            if not open_:
                return
            for case in open_:
                if not self._settled(case):
                    numbers[case] += 1
                    yield case, numbers[case]

    def _cases(self) -> list[GateCase]:
        """Return all pairs, the ones that tell most first."""
        sizes = sorted(self._plan.factors, reverse=True)
        cases = [GateCase(side=SlowedSide.SAME)]
        for side, factors in (
            (SlowedSide.SLOWED, sizes[:1]),
            (SlowedSide.SPED, sizes[:1]),
            (SlowedSide.SLOWED, sizes[1:]),
        ):
            cases += [
                GateCase(side=side, method=subject.method, factor=factor)
                for factor in factors
                for subject in self._subjects
                if side is not SlowedSide.SPED or subject is self._subjects[0]
            ]
        return cases

    def _settled(self, case: GateCase) -> bool:
        if self._hopeless(case):
            return True
        return judge.is_settled(judge.rate(case, self._shown), self._plan)

    def _hopeless(self, case: GateCase) -> bool:
        if case.side is not SlowedSide.SLOWED:
            return False
        rates = [judge.rate(gate_case, self._shown) for gate_case in self._cases()]
        return judge.is_hopeless(case, rates)

    def _skipped(self) -> list[GateCase]:
        cases = {shown_pair.case for shown_pair in self._shown}
        return [case for case in self._cases() if case not in cases and self._hopeless(case)]

    def _again(self, case: GateCase) -> int:
        """Return how often a quiet gate is run: again only where nothing else has made it fire."""
        largest = case.side is SlowedSide.SLOWED and case.factor == max(self._plan.factors)
        silent = not any(
            shown_pair.answer is GateAnswer.ALARM and shown_pair.turn == 1
            for shown_pair in self._shown
        )
        return self._plan.turns if largest and silent else 1

    def _allowed(self) -> bool:
        if self._deadline is None:
            return True
        took = [shown_pair.seconds for shown_pair in self._shown]
        return self._deadline.allows(mean(took) if took else 0.0)

    def _require_answers(self) -> None:
        failed = [
            shown_pair for shown_pair in self._shown if shown_pair.answer is GateAnswer.FAILED
        ]
        if len(failed) == len(self._shown) >= _HOPELESS:
            last = failed[-1]
            how = (
                "was ended, as it took too long"
                if last.exit_code is None
                else (f"ended with {last.exit_code}")
            )
            raise SubjectError(
                f"the gate gives no verdict: it {how} {len(failed)} times "
                f"({' / '.join(last.tail.splitlines()) or 'silent'}); run it by hand with two "
                "checkouts, or describe its alarm with --alarm or --alarm-codes"
            )

    def _left(self) -> int:
        """Return how many more answers may be needed, about."""
        return sum(
            max(1, math.ceil(self._plan.runs / 4) - judge.rate(case, self._shown).shown)
            for case in self._cases()
            if not self._settled(case)
        )
