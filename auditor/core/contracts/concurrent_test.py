"""Concurrent tests of a class as sequences of statements (Pradel et al., Section 3).

The requests are what the making of tests asks of the two versions, with what comes back. Whoever
makes something here is a generator: it yields requests, is sent answers, and returns what it has
made. So it does no I/O, and hears of a hang or an exit as of any other answer.
"""

from collections.abc import Generator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar


class MemberKind(StrEnum):
    """What a member is: how a value comes about, or what is done with one."""

    CONSTRUCTOR = "constructor"
    METHOD = "method"
    STATIC = "static"
    GET = "get"
    SET = "set"
    CONSTANT = "constant"
    """A static field that is read: an enum's constant, a factory's product."""
    FACTORY = "factory"
    """A method of an object that is no subject and makes one, or an argument: a builder's."""
    ARRAY = "array"
    """A new array of its arguments."""
    PLAIN = "plain"
    """A small implementation of an interface, which returns plain values; `name` is what it says
    where a boolean is asked for. With a parameter, each of its calls first works so many rounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """Something public that a statement can use.

    Types are written as Java's binary names (`java.util.Map$Entry`), arrays with `[]` behind.
    `returns` is "void" where there is no value.
    """

    kind: MemberKind
    owner: str
    name: str
    parameters: tuple[str, ...] = ()
    returns: str = "void"

    @property
    def key(self) -> str:
        """Return what tells methods apart, `name(Type,Type)`, as the analysis of changes does.

        That knows nothing of other classes: their names are in front.
        """
        name = "<init>" if self.kind is MemberKind.CONSTRUCTOR else self.name
        if self.kind is MemberKind.FACTORY:
            name = f"{self.owner}.{name}"
        return name if self.kind in _FIELDS else f"{name}({','.join(self.parameters)})"


_FIELDS = (MemberKind.GET, MemberKind.SET, MemberKind.CONSTANT)


@dataclass(frozen=True, slots=True)
class Variable:
    """The value of a statement: the `index`th of the prefix, or of the suffix it is used in."""

    index: int
    shared: bool


@dataclass(frozen=True, slots=True)
class Literal:
    """A value that can be written down; `text` is None for null, a class's name for a class."""

    type: str
    text: str | None


Argument = Variable | Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A call, a construction or an access to a field; its value is a fresh variable."""

    member: Member
    receiver: Variable | None = None
    arguments: tuple[Argument, ...] = ()

    @property
    def text_fields(self) -> tuple[str, ...]:
        """Return it as texts, which the store and the guest are given: see `statement_of`."""
        member = self.member
        receiver = "" if self.receiver is None else _format_argument(self.receiver)
        return (
            str(member.kind), member.owner, member.name, ",".join(member.parameters),
            member.returns, receiver, *map(_format_argument, self.arguments),
        )  # fmt: skip


def _format_argument(argument: Argument) -> str:
    if isinstance(argument, Variable):
        return f"{'P' if argument.shared else 'S'}{argument.index}"
    return f"!{argument.type}" if argument.text is None else f"={argument.type}:{argument.text}"


def statement_of(fields: tuple[str, ...]) -> Statement:
    """Return the statement whose `fields` these are."""
    kind, owner, name, parameters, returns, receiver, *arguments = fields
    return Statement(
        member=Member(
            kind=MemberKind(kind),
            owner=owner,
            name=name,
            parameters=tuple(parameters.split(",")) if parameters else (),
            returns=returns,
        ),
        receiver=_parse_variable(receiver) if receiver else None,
        arguments=tuple(map(_parse_argument, arguments)),
    )


def _parse_argument(text: str) -> Argument:
    if text[0] in "PS":
        return _parse_variable(text)
    type_, _, value = text[1:].partition(":")
    return Literal(type_, value if text[0] == "=" else None)


def _parse_variable(text: str) -> Variable:
    return Variable(int(text[1:]), shared=text[0] == "P")


StatementSequence = tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """A prefix, and one suffix for each thread; each suffix is done `repeats` times (Section 3).

    `subject` is the variable of the prefix that all suffixes share.
    """

    number: int
    prefix: StatementSequence
    subject: int
    suffixes: tuple[StatementSequence, ...]
    repeats: int

    def count_calls(self, threads: int, turns: int) -> int:
        """Return the statements of a repetition with so many of its suffixes, done `turns` times.

        No threads are the control: one thread does them all.
        """
        return turns * sum(len(suffix) for suffix in self.suffixes[: threads or None])


Lines = tuple[tuple[str, ...], ...]
_Product = TypeVar("_Product")


@dataclass(frozen=True, slots=True)
class DescriptionRequest:
    """Asks what both versions have of types; the answers are lines as the guest writes them."""

    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SubtypeRequest:
    """Asks which public classes of both versions' jars are subtypes of these."""

    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FactoryRequest:
    """Asks which public methods of other classes in both versions' jars return these."""

    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """A suffix, done so often."""

    statements: StatementSequence
    repeats: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRequest:
    """Asks to run a prefix and segments with both versions: in turns, or in threads at once."""

    prefix: StatementSequence
    segments: tuple[Segment, ...] = ()
    threads: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationAnswer:
    """The lines of a description, or how an attempt went: `problem` is empty where all was fine.

    `blocked` tells that it did not end in time, `position` which segment and which statement of it
    raised something, where that is known.
    """

    lines: Lines = ()
    problem: str = ""
    blocked: bool = False
    position: tuple[int, int] | None = None


Request = DescriptionRequest | SubtypeRequest | FactoryRequest | AttemptRequest
GenerationSteps = Generator[Request, GenerationAnswer, _Product]
