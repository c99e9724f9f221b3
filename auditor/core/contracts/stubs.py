"""Benchmarks to be: the files that are a beginning of them, and what these are made of."""

from collections.abc import Mapping
from dataclasses import dataclass

Samples = Mapping[str, tuple[tuple[str | None, ...], ...]]
"""What some calls of a method (by id) handed over: for each call the source text of each parameter,
as the language counts them, None where that is no simple value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stub:
    """A file of benchmarks, to be put where `path` says in a folder (POSIX).

    `ready` are the methods whose benchmarks can run as they are, `incomplete` the others, each with
    what is to be filled in, or why there is no benchmark of it. `text` is empty, and no file is
    written, where there is none of any.
    """

    path: str
    text: str
    ready: tuple[str, ...]
    incomplete: tuple[tuple[str, str], ...]


def reserve_name(name: str, used_names: set[str]) -> str:
    """Return the name, or with a number behind it, such that it is not taken; then it is."""
    candidate, number = name, 1
    while candidate in used_names:
        number += 1
        candidate = f"{name}{number}"
    used_names.add(candidate)
    return candidate
