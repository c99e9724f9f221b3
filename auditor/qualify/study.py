"""Which pairs a gate is shown, in which order, and when it is enough."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import mean

import numpy as np

from auditor.core.contracts.qualify import (
    ExternalGate,
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

_MAX_FAILURES = 3
"""After so many failures and no answer nothing more is asked."""


class QualifyStudy:
    """Shows a gate pairs until it is known what it is worth, or the time is over."""

    def __init__(
        self,
        subjects: Sequence[GateSubject],
        plan: GatePlan,
        gate: ExternalGate,
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

    def qualify_gate(self, report_answer: Callable[[ShownCase, int], None]) -> Qualification:
        """Return what it is worth; `report_answer` hears of each answer, and how many may come.

        Raises SubjectError where the gate only fails.
        """
        reused_answers = 0
        for case, number in self._order_cases():
            shown_pair = self._find_stored_answer(case, number)
            if shown_pair is None:
                if not self._has_time():
                    break
                shown_pair = self._gate.show_case(case, number, self._choose_run_count(case))
                self._memory.save_answer(shown_pair)
            else:
                reused_answers += 1
            self._shown.append(shown_pair)
            self._require_answers()
            report_answer(shown_pair, self._estimate_remaining())
        qualification = judge.judge_gate(self._all, self._plan, self._shown, self._list_skipped())
        return replace(qualification, stored_answers=reused_answers)

    def _find_stored_answer(self, case: GateCase, number: int) -> ShownCase | None:
        """Return what is remembered, unless the gate was quiet in fewer turns than are asked."""
        shown_pair = self._memory.load_answer(case, number)
        if shown_pair is None or shown_pair.answer is not GateAnswer.QUIET:
            return shown_pair
        return shown_pair if shown_pair.turn >= self._choose_run_count(case) else None

    def _order_cases(self) -> Iterator[tuple[GateCase, int]]:
        """Yield what is to be shown next, in rounds of drawn orders, the plainest first.

        A gate that is dead, or fires always, is found out by the first rounds.
        """
        cases = self._list_cases()
        numbers = dict.fromkeys(cases, 0)
        for turn in range(self._plan.runs):
            order = np.random.default_rng([self._plan.seed, 11, turn]).permutation(len(cases))
            ordered_cases = cases if turn == 0 else [cases[index] for index in order]
            open_cases = [
                candidate for candidate in ordered_cases if not self._is_settled(candidate)
            ]
            if not open_cases:
                return
            for case in open_cases:
                if not self._is_settled(case):
                    numbers[case] += 1
                    yield case, numbers[case]

    def _list_cases(self) -> list[GateCase]:
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

    def _is_settled(self, case: GateCase) -> bool:
        if self._is_hopeless(case):
            return True
        return judge.is_settled(judge.measure_alarm_rate(case, self._shown), self._plan)

    def _is_hopeless(self, case: GateCase) -> bool:
        if case.side is not SlowedSide.SLOWED:
            return False
        rates = [
            judge.measure_alarm_rate(gate_case, self._shown) for gate_case in self._list_cases()
        ]
        return judge.is_hopeless(case, rates)

    def _list_skipped(self) -> list[GateCase]:
        cases = {shown_pair.case for shown_pair in self._shown}
        return [
            case for case in self._list_cases() if case not in cases and self._is_hopeless(case)
        ]

    def _choose_run_count(self, case: GateCase) -> int:
        """Return how often a quiet gate is run: again only where nothing else has made it fire."""
        is_largest = case.side is SlowedSide.SLOWED and case.factor == max(self._plan.factors)
        is_silent = not any(
            shown_pair.answer is GateAnswer.ALARM and shown_pair.turn == 1
            for shown_pair in self._shown
        )
        return self._plan.turns if is_largest and is_silent else 1

    def _has_time(self) -> bool:
        if self._deadline is None:
            return True
        gate_seconds = [shown_pair.seconds for shown_pair in self._shown]
        return self._deadline.has_time_for(mean(gate_seconds) if gate_seconds else 0.0)

    def _require_answers(self) -> None:
        failed_pairs = [
            shown_pair for shown_pair in self._shown if shown_pair.answer is GateAnswer.FAILED
        ]
        if len(failed_pairs) == len(self._shown) >= _MAX_FAILURES:
            failure = failed_pairs[-1]
            ending = (
                "was ended, as it took too long"
                if failure.exit_code is None
                else (f"ended with {failure.exit_code}")
            )
            raise SubjectError(
                f"the gate gives no verdict: it {ending} {len(failed_pairs)} times "
                f"({' / '.join(failure.tail.splitlines()) or 'silent'}); run it by hand with two "
                "checkouts, or describe its alarm with --alarm or --alarm-codes"
            )

    def _estimate_remaining(self) -> int:
        """Return how many more answers may be needed, about."""
        return sum(
            max(
                1,
                math.ceil(self._plan.runs / 4)
                - judge.measure_alarm_rate(case, self._shown).pair_count,
            )
            for case in self._list_cases()
            if not self._is_settled(case)
        )
