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
    Statement,
    StatementSequence,
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


def split_test(test: Test) -> tuple[MemberTest, ...]:
    """Return a test for each member and each kind of arguments that `test` calls it with."""
    sequences = {_PREFIX: test.prefix, **dict(enumerate(test.suffixes))}
    numbers: dict[Hashable, int] = {}
    member_tests: list[MemberTest] = []
    for sequence_number, sequence in sequences.items():
        for index in range(len(sequence)):
            shape = _describe_shape(test, (sequence_number, index))
            if shape not in numbers:
                numbers[shape] = _NUMBERED + len(numbers)
                member_tests.append(_make_member_test(test, numbers, (sequence_number, index)))
    return tuple(member_tests)


def _describe_shape(test: Test, place: _Place) -> Hashable:
    statement = _find_statement(test, place)
    types = (
        _find_type(test, place[0], value) for value in (statement.receiver, *statement.arguments)
    )
    return statement.member, tuple(types)


def _find_type(test: Test, sequence_number: int, variable: Argument | None) -> Hashable:
    if isinstance(variable, Variable):
        return _find_statement(test, _locate_value(variable, sequence_number)).member.returns
    return variable and (variable.type, variable.text is None)


def _make_member_test(test: Test, numbers: Mapping[Hashable, int], place: _Place) -> MemberTest:
    """Return the test of a statement; what it needs comes before it, so that has a number."""
    needed: set[_Place] = set()
    left = [place]
    while left:
        needed_place = left.pop()
        if needed_place not in needed:
            needed.add(needed_place)
            left += _list_used_places(_find_statement(test, needed_place), needed_place[0])
    number = numbers[_describe_shape(test, place)]
    suffix = test.suffixes[place[0]] if place[0] != _PREFIX else ()
    return MemberTest(
        _find_statement(test, place).member,
        frozenset(numbers[_describe_shape(test, needed_place)] for needed_place in needed)
        - {number},
        replace(
            test,
            number=number,
            prefix=_needed_part(
                test.prefix,
                {index for sequence_number, index in needed if sequence_number == _PREFIX},
            ),
            suffixes=(
                _needed_part(
                    suffix,
                    {index for sequence_number, index in needed if sequence_number != _PREFIX},
                ),
            ),
        ),
    )


def _find_statement(test: Test, place: _Place) -> Statement:
    sequence_number, index = place
    return (
        test.prefix[index] if sequence_number == _PREFIX else test.suffixes[sequence_number][index]
    )


def _locate_value(value: Variable, sequence_number: int) -> _Place:
    return (_PREFIX if value.shared else sequence_number), value.index


def _list_used_places(statement: Statement, sequence_number: int) -> Iterator[_Place]:
    for value in (statement.receiver, *statement.arguments):
        if isinstance(value, Variable):
            yield _locate_value(value, sequence_number)


def _needed_part(sequence: StatementSequence, needed: set[int]) -> StatementSequence:
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
