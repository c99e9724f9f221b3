"""Which calls of a test cannot be written in Java, though they exist.

Names that are none in Java, and types that no cast gives (`<T extends A & B>`), are only known to
the compiler. So what a test calls gets tests of its own, each with no more than it needs.
"""

from collections.abc import Hashable, Iterator, Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass, replace

from auditor.core.contracts.concurrent_test import (
    Argument,
    Member,
    MemberKind,
    Sequence,
    Statement,
    Test,
    Variable,
)

_NUMBERED = 1_000_000
"""From here on: no test of a suite, nor one that a length is looked for with."""
_NOTHING = Statement(member=Member(kind=MemberKind.ARRAY, owner="int", name="", returns="int[]"))
"""What stands where nothing is needed, since statements go by their places."""
_PREFIX = -1
_Place = tuple[int, int]
"""The number of a suffix, or _PREFIX, and an index in it."""


@dataclass(frozen=True, slots=True)
class MemberTest:
    """A test of one member; `needs` are the numbers of the tests of what else is in it."""

    member: Member
    needs: frozenset[int]
    test: Test


def parts(test: Test) -> tuple[MemberTest, ...]:
    """Return a test for each member and each kind of arguments that `test` calls it with."""
    sequences = {_PREFIX: test.prefix, **dict(enumerate(test.suffixes))}
    numbers: dict[Hashable, int] = {}
    member_tests: list[MemberTest] = []
    for where, sequence in sequences.items():
        for index in range(len(sequence)):
            shape = _shape(test, (where, index))
            if shape not in numbers:
                numbers[shape] = _NUMBERED + len(numbers)
                member_tests.append(_part(test, numbers, (where, index)))
    return tuple(member_tests)


def _shape(test: Test, place: _Place) -> Hashable:
    statement = _statement(test, place)
    types = (_type(test, place[0], each) for each in (statement.receiver, *statement.arguments))
    return statement.member, tuple(types)


def _type(test: Test, where: int, variable: Argument | None) -> Hashable:
    if isinstance(variable, Variable):
        return _statement(test, _place(variable, where)).member.returns
    return variable and (variable.type, variable.text is None)


def _part(test: Test, numbers: Mapping[Hashable, int], place: _Place) -> MemberTest:
    """Return the test of a statement; what it needs comes before it, so that has a number."""
    needed: set[_Place] = set()
    left = [place]
    while left:
        one = left.pop()
        if one not in needed:
            needed.add(one)
            left += _used(_statement(test, one), one[0])
    number = numbers[_shape(test, place)]
    suffix = test.suffixes[place[0]] if place[0] != _PREFIX else ()
    return MemberTest(
        _statement(test, place).member,
        frozenset(numbers[_shape(test, one)] for one in needed) - {number},
        replace(
            test,
            number=number,
            prefix=_needed_part(
                test.prefix, {index for where, index in needed if where == _PREFIX}
            ),
            suffixes=(
                _needed_part(suffix, {index for where, index in needed if where != _PREFIX}),
            ),
        ),
    )


def _statement(test: Test, place: _Place) -> Statement:
    where, index = place
    return test.prefix[index] if where == _PREFIX else test.suffixes[where][index]


def _place(value: Variable, where: int) -> _Place:
    return (_PREFIX if value.shared else where), value.index


def _used(statement: Statement, where: int) -> Iterator[_Place]:
    for value in (statement.receiver, *statement.arguments):
        if isinstance(value, Variable):
            yield _place(value, where)


def _needed_part(sequence: Sequence, needed: set[int]) -> Sequence:
    """Return as much of a sequence as is needed; others keep their places."""
    many = max(needed, default=-1) + 1
    return tuple(
        statement if index in needed else _NOTHING
        for index, statement in enumerate(sequence[:many])
    )


def uncompilable_members(
    member_tests: Many[MemberTest], problems: Mapping[int, str]
) -> dict[Member, str]:
    """Return the members of tests that do not compile, though those of all that they need do.

    `problems` are what the compiler says of a test, by its number.
    """
    return {
        member_test.member: problems[member_test.test.number]
        for member_test in member_tests
        if member_test.test.number in problems
        and member_test.member.kind is not MemberKind.ARRAY
        and not member_test.needs & problems.keys()
    }
