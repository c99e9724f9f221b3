"""Methods after which others fail: an object that was closed shows little of its class.

Random calls would close nearly every object, and all that is left then are the methods that a
closed one still allows. So these methods are found beforehand, and hardly called. Two kinds are
called all the same: those that spoil nothing once what they return is given back, and those that
are worth more than what fails after them, since shunning them would leave the change untested.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from auditor.concurrency.judge.acquire_release import give_back, releasing_methods
from auditor.concurrency.judge.arguments import Arguments, StatementScope
from auditor.core.contracts.concurrent_test import Member, MemberKind, Sequence
from auditor.core.contracts.test_generation import (
    Attempt,
    GenerationAnswer,
    GenerationSteps,
    Segment,
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
class Looking:
    """What is looked at: `prefix` makes the object, whose index is `subject`.

    `worth` says how much it is to have a method in the tests.
    """

    arguments: Arguments
    prefix: Sequence
    subject: int
    worth: Callable[[Member], float]

    def spoilers(self) -> GenerationSteps[Spoilers]:
        """Find the methods that make another one fail when they are called first.

        What fails by itself is none of them.
        """
        best: list[tuple[Member, Segment]] = []
        hangs: Counter[str] = Counter()
        for _ in range(_ORDERS):
            order = _shuffled(self._methods, self.arguments.rng)
            order = [one for one in order if hangs[one.key] < _MOST_HANGS]
            kept = yield from self._working(order, hangs)
            best = max(best, kept, key=len)
        harmful, shunned, lent = set(), set(), set()
        for index, (member, segment) in enumerate(best):
            rest = [*best[:index], *best[index + 1 :]]
            segments = (segment, *(one for _, one in rest))
            answer = yield Attempt(prefix=self.prefix, segments=segments)
            if not answer.problem or _itself(answer):
                continue
            harmful.add(member.key)
            if (yield from self._is_lent(member, rest)):
                lent.add(member.key)
            elif (yield from self._costs_more(member, segment, rest)):
                shunned.add(member.key)
        return Spoilers(frozenset(harmful), frozenset(shunned), frozenset(lent))

    @property
    def _methods(self) -> list[Member]:
        own = self.arguments.catalogue.methods
        return [member for member in own if member.kind is MemberKind.METHOD]

    def _scope(self) -> StatementScope:
        return StatementScope(self.prefix, [], self.subject)

    def _working(
        self, methods: list[Member], hangs: Counter[str]
    ) -> GenerationSteps[list[tuple[Member, Segment]]]:
        """Call the methods one after the other on one object; return those that did not fail.

        Those that hang are counted.
        """
        kept: list[tuple[Member, Segment]] = []
        for member in methods:
            scope = self._scope()
            if self.arguments.call(member, scope, scope.receiver) is None:
                continue
            segment = Segment(tuple(scope.more))
            before = tuple(one for _, one in kept)
            answer = yield Attempt(prefix=self.prefix, segments=(*before, segment))
            hangs[member.key] += answer.blocked
            if not answer.problem:
                kept.append((member, segment))
        return kept

    def _costs_more(
        self, member: Member, segment: Segment, rest: list[tuple[Member, Segment]]
    ) -> GenerationSteps[bool]:
        """Tell whether what fails after a method is worth as much as it is itself, or more."""
        left, lost = list(rest), 0.0
        while lost < self.worth(member):
            segments = (segment, *(one for _, one in left))
            answer = yield Attempt(prefix=self.prefix, segments=segments)
            if not answer.problem:
                return False
            if answer.at is None:
                return True  # a hang, say: how much comes after it is not known
            if _itself(answer):
                return False
            failed, _ = left.pop(answer.at[0] - 1)
            lost += self.worth(failed)
        return True

    def _is_lent(self, member: Member, rest: list[tuple[Member, Segment]]) -> GenerationSteps[bool]:
        """Tell whether nothing fails where another method takes back what this one returns."""
        for taker in releasing_methods(member, self._methods):
            scope = self._scope()
            variable = self.arguments.call(member, scope, scope.receiver)
            if variable is None or not give_back(self.arguments, taker, variable, scope):
                continue
            segments = (Segment(tuple(scope.more)), *(segment for _, segment in rest))
            if not (yield Attempt(prefix=self.prefix, segments=segments)).problem:
                return True
        return False


def _itself(answer: GenerationAnswer) -> bool:
    """Tell whether the first segment failed: it may need what another one does before it."""
    return answer.at is not None and answer.at[0] == 0


def _shuffled(methods: list[Member], rng: np.random.Generator) -> list[Member]:
    return [methods[int(at)] for at in rng.permutation(len(methods))]
