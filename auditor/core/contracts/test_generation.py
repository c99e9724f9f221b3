"""What the making of tests asks of the two versions, and what comes back.

Whoever makes something here is a generator: it yields requests, is sent answers, and returns what
it has made. So it does no I/O, and hears of a hang or an exit as of any other answer.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

from auditor.core.contracts.concurrent_test import StatementSequence

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
