"""Values for parameters: written down, taken from variables, made; null last (Section 3.3)."""

from collections.abc import Sequence as Many
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from auditor.concurrency.judge.catalogue import (
    BOXES,
    CLASS,
    OBJECT,
    PRIMITIVES,
    STRING,
    TypeCatalogue,
)
from auditor.core.contracts.concurrent_test import (
    Argument,
    Literal,
    Member,
    MemberKind,
    Statement,
    StatementSequence,
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
_UNSHARED_TYPES = (
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

    prefix: StatementSequence
    statements: list[Statement]
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

    def add_statement(self, statement: Statement) -> Variable:
        """Take a statement; return its value."""
        self.more.append(statement)
        return Variable(len(self.statements) + len(self.more) - 1, shared=self.in_prefix)


@dataclass(frozen=True, slots=True)
class ArgumentGenerator:
    """Draws values of types."""

    catalogue: TypeCatalogue
    rng: np.random.Generator

    def add_call(
        self, member: Member, scope: StatementScope, receiver: Variable | None
    ) -> Variable | None:
        """Add the call of a member, after what its arguments need; None where one cannot be had."""
        return self._add_call(member, scope, receiver, _DEPTH)

    def add_value(self, type_: str, scope: StatementScope) -> Variable | None:
        """Add what makes a value of a type."""
        makers = self.catalogue.find_makers(type_)
        return self._construct_value(makers, scope, _DEPTH) if makers else None

    def _add_call(
        self, member: Member, scope: StatementScope, receiver: Variable | None, depth: int
    ) -> Variable | None:
        if member.kind is MemberKind.FACTORY:
            variable = self._choose_argument(member.owner, scope, depth)
            if not isinstance(variable, Variable):
                return None
            receiver = variable
        call_arguments: list[Argument] = []
        for type_ in member.parameters:
            argument = self._choose_argument(type_, scope, depth)
            if argument is None:
                return None
            call_arguments.append(argument)
        if member.kind is MemberKind.PLAIN and _stands_for_work(member.owner):
            member = replace(member, parameters=("int",))
            call_arguments.append(Literal("int", self.draw_item(_WORK)))
        return scope.add_statement(
            Statement(member=member, receiver=receiver, arguments=tuple(call_arguments))
        )

    def _choose_argument(self, type_: str, scope: StatementScope, depth: int) -> Argument | None:
        variables = self._find_variables(type_, scope)
        take = _TAKE_VARIABLE if type_ != OBJECT else _TAKE_ANY
        if variables and self.rng.random() < take:
            return self.draw_item(variables)
        if (simple := self._make_simple_value(type_, scope)) is not None:
            return simple
        if type_.endswith("[]") and depth:
            return self._add_array(type_[:-2], scope, depth)
        variable = (
            self._construct_value(self.catalogue.find_makers(type_), scope, depth)
            if depth
            else None
        )
        if variable is not None:
            return variable
        if variables:
            return self.draw_item(variables)
        return None if type_ in PRIMITIVES else Literal(type_, None)

    def _make_simple_value(self, type_: str, scope: StatementScope) -> Argument | None:
        """Return a value that can be written down, or a constant of the class instead."""
        literal = self._make_literal(type_)
        constants = self.catalogue.find_constants(type_) if literal else ()
        if constants and self.rng.random() < _TAKE_CONSTANT:
            return scope.add_statement(Statement(member=self.draw_item(constants)))
        return literal

    def _make_literal(self, type_: str) -> Literal | None:
        kind = self.draw_item(_OF_OBJECTS) if type_ == OBJECT else BOXES.get(type_, type_)
        if kind == CLASS:
            return Literal(CLASS, self.catalogue.subject)
        return Literal(kind, self.draw_item(_TEXTS[kind])) if kind in _TEXTS else None

    def _construct_value(
        self, makers: Many[Member], scope: StatementScope, depth: int
    ) -> Variable | None:
        """Add what makes a value; simple makers come first, as deep ones seldom work."""
        if not makers:
            return None
        weights = np.array([1.0 / (1 + len(maker.parameters)) ** 2 for maker in makers])
        before = list(scope.more)
        weights /= weights.sum()
        for index in self.rng.choice(len(makers), len(makers), replace=False, p=weights):
            variable = self._add_call(makers[int(index)], scope, None, depth - 1)
            if variable is not None:
                return variable
            scope.more[:] = before
        return None

    def _add_array(self, element: str, scope: StatementScope, depth: int) -> Variable | None:
        elements = []
        for _ in range(int(self.rng.integers(_MOST_ELEMENTS + 1))):
            argument = self._choose_argument(element, scope, depth - 1)
            if argument is None:
                return None
            elements.append(argument)
        member = Member(
            kind=MemberKind.ARRAY,
            owner=element,
            name="",
            parameters=(element,) * len(elements),
            returns=element + "[]",
        )
        return scope.add_statement(Statement(member=member, arguments=tuple(elements)))

    def _find_variables(self, type_: str, scope: StatementScope) -> list[Variable]:
        local_variables = [
            Variable(index, shared=scope.in_prefix)
            for index, statement in enumerate([*scope.statements, *scope.more])
            if not (scope.in_prefix and index == scope.subject)
            and self._is_usable(statement.member.returns, type_)
        ]
        shared = [
            Variable(index, shared=True)
            for index, statement in enumerate(scope.prefix)
            if index != scope.subject
            and self._is_usable(statement.member.returns, type_)
            and not statement.member.returns.startswith(_UNSHARED_TYPES)
            and not statement.member.returns.endswith("[]")
        ]
        return local_variables + shared

    def _is_usable(self, source_type: str, target_type: str) -> bool:
        if target_type == OBJECT:
            return source_type in _ANY
        return source_type != "void" and self.catalogue.is_assignable(source_type, target_type)

    def draw_item(self, candidates: Many[_Item]) -> _Item:
        """Draw one of several."""
        return candidates[int(self.rng.integers(len(candidates)))]


def _stands_for_work(type_: str) -> bool:
    return type_.startswith(_CALLED_BACK) or not type_.startswith("java.")
