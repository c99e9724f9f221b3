"""What a command gets from outside: environment, arguments, and replacements for tests."""

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

Opener = Callable[..., AbstractContextManager[Any]]
AnyOpener = TypeVar("AnyOpener", bound=Opener)


@dataclass(frozen=True, slots=True, kw_only=True)
class AppContext:
    """What a command gets from outside."""

    environment: Mapping[str, str]
    """The environment's variables."""
    arguments: tuple[str, ...] = ()
    """What the program was called with."""
    replacements: Mapping[Opener, Opener] = field(default_factory=dict)
    """Of openers of features: what a test has called in their place."""

    @classmethod
    def from_process(cls) -> "AppContext":
        """Return those of this process."""
        return cls(environment=dict(os.environ))

    def find_opener(self, opener: AnyOpener) -> AnyOpener:
        """Return the replacement of an opener of a feature, or the opener itself if it has none."""
        return cast(AnyOpener, self.replacements.get(opener, opener))
