"""Values for parameters: written down, taken from variables, made; null last (Section 3.3)."""

from collections.abc import Sequence as Many
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from auditor.concurrency.judge.catalogue import BOXES, CLASS, OBJECT, PRIMITIVES, STRING, Catalogue
from auditor.core.contracts.concurrent_test import (
    Argument,
    Literal,
    Member,
    MemberKind,
    Sequence,
    Statement,
    Variable,
)

_Item = TypeVar("_Item")
_TEXTS = {
    "boolean": ("true", "false"),
    "byte": ("0", "1", "7"),
    "char": ("a", "Z", "0"),
    "short": ("0", "1", "12"),
    "int": ("0", "1", "2", "3", "5", "10", "12", "100", "-1"),
    "long": ("0", "1", "10", "1000", "86400000", "-1"),
    "float": ("0.0", "1.0", "0.5"),
    "double": ("0.0", "1.0", "0.5"),
    STRING: ("a", "b", "c", "key", "value", "UTC", ""),
}
"""Small pools: the same key is to come up twice, and sizes are to stay small."""
_OF_OBJECTS = (STRING, STRING, "int")
"""What stands for any object: keys that are equal now and then."""
_TAKE_VARIABLE = 0.6
_TAKE_ANY = 0.3
_TAKE_CONSTANT = 0.3
"""How often a value that could be written down is one of the class's own constants of its type:
what a parameter understands is often only these (`WHEN_EXHAUSTED_GROW`)."""
_ANY = (OBJECT, STRING, *BOXES)
"""What is handed over as any object: collections would soon hold each other, and comparing them
would have no end."""
_DEPTH = 3
_MOST_ELEMENTS = 3
_OWN = (
    "java.util.", "java.io.", "java.text.", "java.lang.StringBuilder", "java.lang.StringBuffer",
)  # fmt: skip
"""Of such types each thread has its own: what is not thread-safe would fail for its own sake."""


_WORK = ("0", "1000", "4000")
"""How much each call of a small implementation works, in rounds of about a nanosecond. What stands
for a factory or a listener takes time in earnest, and only then it shows whether a lock is held
meanwhile; a quick one shows what the lock itself costs."""
_CALLED_BACK = ("java.util.function.", "java.util.concurrent.Callable", "java.lang.Runnable")
"""Of the JDK's interfaces those that stand for work; others are values or collections."""


@dataclass(slots=True)
class StatementScope:
    """The statements that a new one can use: the prefix, those of the suffix so far, new ones.

    While the prefix is made, `prefix` is empty and the statements are its own. `more` holds what
    an argument needed to be made.
    """

    prefix: Sequence
    own: list[Statement]
    subject: int | None
    more: list[Statement] = field(default_factory=list)

    @property
    def in_prefix(self) -> bool:
        """Tell whether what is made belongs to the prefix."""
        return self.subject is None or not self.prefix

    @property
    def receiver(self) -> Variable | None:
        """Return the object that suffixes share, None while it is being made."""
        return None if self.subject is None else Variable(self.subject, shared=True)

    def add(self, statement: Statement) -> Variable:
        """Take a statement; return its value."""
        self.more.append(statement)
        return Variable(len(self.own) + len(self.more) - 1, shared=self.in_prefix)


@dataclass(frozen=True, slots=True)
class Arguments:
    """Draws values of types."""

    catalogue: Catalogue
    rng: np.random.Generator

    def call(
        self, member: Member, scope: StatementScope, receiver: Variable | None
    ) -> Variable | None:
        """Add the call of a member, after what its arguments need; None where one cannot be had."""
        return self._call(member, scope, receiver, _DEPTH)

    def value(self, type_: str, scope: StatementScope) -> Variable | None:
        """Add what makes a value of a type."""
        makers = self.catalogue.makers(type_)
        return self._made(makers, scope, _DEPTH) if makers else None

    def _call(
        self, member: Member, scope: StatementScope, receiver: Variable | None, depth: int
    ) -> Variable | None:
        if member.kind is MemberKind.FACTORY:
            variable = self._argument(member.owner, scope, depth)
            if not isinstance(variable, Variable):
                return None
            receiver = variable
        given: list[Argument] = []
        for type_ in member.parameters:
            argument = self._argument(type_, scope, depth)
            if argument is None:
                return None
            given.append(argument)
        if member.kind is MemberKind.PLAIN and _works(member.owner):
            member = replace(member, parameters=("int",))
            given.append(Literal("int", self.one(_WORK)))
        return scope.add(Statement(member=member, receiver=receiver, arguments=tuple(given)))

    def _argument(self, type_: str, scope: StatementScope, depth: int) -> Argument | None:
        variables = self._variables(type_, scope)
        take = _TAKE_VARIABLE if type_ != OBJECT else _TAKE_ANY
        if variables and self.rng.random() < take:
            return self.one(variables)
        if (simple := self._simple(type_, scope)) is not None:
            return simple
        if type_.endswith("[]") and depth:
            return self._array(type_[:-2], scope, depth)
        variable = self._made(self.catalogue.makers(type_), scope, depth) if depth else None
        if variable is not None:
            return variable
        if variables:
            return self.one(variables)
        return None if type_ in PRIMITIVES else Literal(type_, None)

    def _simple(self, type_: str, scope: StatementScope) -> Argument | None:
        """Return a value that can be written down, or a constant of the class instead."""
        written = self._written(type_)
        constants = self.catalogue.constants(type_) if written else ()
        if constants and self.rng.random() < _TAKE_CONSTANT:
            return scope.add(Statement(member=self.one(constants)))
        return written

    def _written(self, type_: str) -> Literal | None:
        kind = self.one(_OF_OBJECTS) if type_ == OBJECT else BOXES.get(type_, type_)
        if kind == CLASS:
            return Literal(CLASS, self.catalogue.subject)
        return Literal(kind, self.one(_TEXTS[kind])) if kind in _TEXTS else None

    def _made(self, makers: Many[Member], scope: StatementScope, depth: int) -> Variable | None:
        """Add what makes a value; simple makers come first, as deep ones seldom work."""
        if not makers:
            return None
        weights = np.array([1.0 / (1 + len(maker.parameters)) ** 2 for maker in makers])
        before = list(scope.more)
        weights /= weights.sum()
        for at in self.rng.choice(len(makers), len(makers), replace=False, p=weights):
            variable = self._call(makers[int(at)], scope, None, depth - 1)
            if variable is not None:
                return variable
            scope.more[:] = before
        return None

    def _array(self, element: str, scope: StatementScope, depth: int) -> Variable | None:
        given = []
        for _ in range(int(self.rng.integers(_MOST_ELEMENTS + 1))):
            argument = self._argument(element, scope, depth - 1)
            if argument is None:
                return None
            given.append(argument)
        member = Member(
            kind=MemberKind.ARRAY,
            owner=element,
            name="",
            parameters=(element,) * len(given),
            returns=element + "[]",
        )
        return scope.add(Statement(member=member, arguments=tuple(given)))

    def _variables(self, type_: str, scope: StatementScope) -> list[Variable]:
        own = [
            Variable(index, shared=scope.in_prefix)
            for index, statement in enumerate([*scope.own, *scope.more])
            if not (scope.in_prefix and index == scope.subject)
            and self._usable(statement.member.returns, type_)
        ]
        shared = [
            Variable(index, shared=True)
            for index, statement in enumerate(scope.prefix)
            if index != scope.subject
            and self._usable(statement.member.returns, type_)
            and not statement.member.returns.startswith(_OWN)
            and not statement.member.returns.endswith("[]")
        ]
        return own + shared

    def _usable(self, given: str, wanted: str) -> bool:
        if wanted == OBJECT:
            return given in _ANY
        return given != "void" and self.catalogue.fits(given, wanted)

    def one(self, of: Many[_Item]) -> _Item:
        """Draw one of several."""
        return of[int(self.rng.integers(len(of)))]


def _works(type_: str) -> bool:
    return type_.startswith(_CALLED_BACK) or not type_.startswith("java.")
