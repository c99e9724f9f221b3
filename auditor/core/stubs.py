"""Benchmarks to be: what is wanted, and the files that are a beginning of them."""

from dataclasses import dataclass

from auditor.core.subject import Method


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A method that should have a benchmark.

    `arguments` are what some calls of it handed over: for each call the source text of each
    parameter, as the language counts them, None where that is no simple value.
    """

    method: Method
    arguments: tuple[tuple[str | None, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stub:
    """A file of benchmarks, to be put where `path` says in a folder (POSIX).

    `ready` are the methods whose benchmarks can run as they are, `incomplete` those that say at
    run time what is to be filled in, with that.
    """

    path: str
    text: str
    ready: tuple[str, ...]
    incomplete: tuple[tuple[str, str], ...]
