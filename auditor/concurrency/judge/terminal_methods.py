"""Methods after which others fail: an object that was closed shows little of its class.

Random calls would close nearly every object, and all that is left then are the methods that a
closed one still allows. So these methods are found beforehand, and hardly called. Two kinds are
called all the same: those that spoil nothing once what they return is given back, and those that
are worth more than what fails after them, since shunning them would leave the change untested.

`releasing_methods` give back at once what another call has returned (`borrow`, `return`): what is
borrowed and kept would soon be all that there is, and calls that only take run dry.
"""

from collections import Counter
from collections.abc import Callable
from collections.abc import Sequence as Many
from dataclasses import dataclass, replace

import numpy as np

from auditor.concurrency.judge.arguments import ArgumentGenerator, StatementScope
from auditor.concurrency.judge.catalogue import PRIMITIVES
from auditor.core.contracts.concurrent_test import (
    AttemptRequest,
    GenerationAnswer,
    GenerationSteps,
    Member,
    MemberKind,
    Segment,
    StatementSequence,
    Variable,
)

_ORDERS = 5
"""In how many orders the methods are called once each; in the best one few come after a spoiler."""
_MOST_HANGS = 2
"""A method that has hung in so many orders is in none of the others: each time costs seconds."""


@dataclass(frozen=True, slots=True)
class Spoilers:
    """Keys of methods after which others fail, which no prefix calls.

    Of these `shunned` are hardly called at all, `lent` only where what they return is given back.
    """

    harmful: frozenset[str] = frozenset()
    shunned: frozenset[str] = frozenset()
    lent: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SpoilerSearch:
    """What is looked at: `prefix` makes the object, whose index is `subject`.

    `worth` says how much it is to have a method in the tests.
    """

    arguments: ArgumentGenerator
    prefix: StatementSequence
    subject: int
    worth: Callable[[Member], float]

    def find_spoilers(self) -> GenerationSteps[Spoilers]:
        """Find the methods that make another one fail when they are called first.

        What fails by itself is none of them.
        """
        best: list[tuple[Member, Segment]] = []
        hangs: Counter[str] = Counter()
        for _ in range(_ORDERS):
            order = _shuffle_methods(self._subject_methods, self.arguments.rng)
            order = [item for item in order if hangs[item.key] < _MOST_HANGS]
            working_calls = yield from self._call_methods(order, hangs)
            best = max(best, working_calls, key=len)
        harmful, shunned, lent = set(), set(), set()
        for index, (member, segment) in enumerate(best):
            rest = [*best[:index], *best[index + 1 :]]
            segments = (segment, *(item for _, item in rest))
            answer = yield AttemptRequest(prefix=self.prefix, segments=segments)
            if not answer.problem or _has_first_failed(answer):
                continue
            harmful.add(member.key)
            if (yield from self._is_lent(member, rest)):
                lent.add(member.key)
            elif (yield from self._costs_more(member, segment, rest)):
                shunned.add(member.key)
        return Spoilers(frozenset(harmful), frozenset(shunned), frozenset(lent))

    @property
    def _subject_methods(self) -> list[Member]:
        members = self.arguments.catalogue.methods
        return [member for member in members if member.kind is MemberKind.METHOD]

    def _make_scope(self) -> StatementScope:
        return StatementScope(self.prefix, [], self.subject)

    def _call_methods(
        self, methods: list[Member], hangs: Counter[str]
    ) -> GenerationSteps[list[tuple[Member, Segment]]]:
        """Call the methods one after the other on one object; return those that did not fail.

        Those that hang are counted.
        """
        working_calls: list[tuple[Member, Segment]] = []
        for member in methods:
            scope = self._make_scope()
            if self.arguments.add_call(member, scope, scope.receiver) is None:
                continue
            segment = Segment(tuple(scope.more))
            before = tuple(earlier_segment for _, earlier_segment in working_calls)
            answer = yield AttemptRequest(prefix=self.prefix, segments=(*before, segment))
            hangs[member.key] += answer.blocked
            if not answer.problem:
                working_calls.append((member, segment))
        return working_calls

    def _costs_more(
        self, member: Member, segment: Segment, rest: list[tuple[Member, Segment]]
    ) -> GenerationSteps[bool]:
        """Tell whether what fails after a method is worth as much as it is itself, or more."""
        left, lost = list(rest), 0.0
        while lost < self.worth(member):
            segments = (segment, *(later_segment for _, later_segment in left))
            answer = yield AttemptRequest(prefix=self.prefix, segments=segments)
            if not answer.problem:
                return False
            if answer.position is None:
                return True  # a hang, say: how much comes after it is not known
            if _has_first_failed(answer):
                return False
            failed, _ = left.pop(answer.position[0] - 1)
            lost += self.worth(failed)
        return True

    def _is_lent(self, member: Member, rest: list[tuple[Member, Segment]]) -> GenerationSteps[bool]:
        """Tell whether nothing fails where another method takes back what this one returns."""
        for taker in releasing_methods(member, self._subject_methods):
            scope = self._make_scope()
            variable = self.arguments.add_call(member, scope, scope.receiver)
            if variable is None or not add_release_call(self.arguments, taker, variable, scope):
                continue
            segments = (Segment(tuple(scope.more)), *(segment for _, segment in rest))
            if not (yield AttemptRequest(prefix=self.prefix, segments=segments)).problem:
                return True
        return False


def _has_first_failed(answer: GenerationAnswer) -> bool:
    """Tell whether the first segment failed: it may need what another one does before it."""
    return answer.position is not None and answer.position[0] == 0


def _shuffle_methods(methods: list[Member], rng: np.random.Generator) -> list[Member]:
    return [methods[int(index)] for index in rng.permutation(len(methods))]


def releasing_methods(member: Member, methods: Many[Member]) -> list[Member]:
    """Return the methods that have a parameter of just the type that a method returns."""
    if (
        member.returns in PRIMITIVES
        or member.returns == "void"
        or member.kind is not MemberKind.METHOD
    ):
        return []
    return [
        method
        for method in methods
        if method.kind is MemberKind.METHOD
        and member.returns in method.parameters
        and method != member
    ]


def add_release_call(
    arguments: ArgumentGenerator, taker: Member, variable: Variable, scope: StatementScope
) -> bool:
    """Add the call that takes `variable`, the last statement's value; return whether it has one."""
    type_ = scope.more[-1].member.returns
    if arguments.add_call(taker, scope, scope.receiver) is None:
        return False
    last = scope.more[-1]
    position = taker.parameters.index(type_)
    new_arguments = (*last.arguments[:position], variable, *last.arguments[position + 1 :])
    scope.more[-1] = replace(last, arguments=new_arguments)
    return True
