"""What the harness notes about a benchmark: where its package is, and how it runs."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from auditor.core.errors import FolderUnusable
from auditor.core.suite import Benchmark

_FIELD = re.compile(r"'([^']*)'|\"([^\"]*)\"|(\S+)")
DRAWS_FROM = (1, 23)
"""The first Go whose linker has -randlayout."""
_VERSION = re.compile(r"\bgo(\d+)\.(\d+)")
_LINKER_FLAGS = re.compile(r"--?ldflags=(.*)", re.DOTALL)
_NEEDS_QUOTES = re.compile(r"\s|^['\"]")

_FUNCTION = re.compile(r"^func (?:\([^)\n]*\) ?)?(\w+)[\[(]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GoSettings:
    """`folder` is the package's, `processors` what it runs with, `loops` tells of b.Loop."""

    folder: str
    processors: int
    parallel: bool = False
    loops: bool = False

    def format_settings(self) -> str:
        """Return the note as it is kept with the benchmark."""
        return json.dumps(
            {
                "folder": self.folder,
                "processors": self.processors,
                "parallel": self.parallel,
                "loops": self.loops,
            },
            sort_keys=True,
        )


def read_settings(benchmark: Benchmark) -> GoSettings:
    """Read the note of a benchmark."""
    note = json.loads(benchmark.settings)
    return GoSettings(note["folder"], note["processors"], note["parallel"], note["loops"])


def split_functions(texts: Iterable[bytes]) -> dict[str, str]:
    """Cut test sources into functions by name; functions of one name are joined."""
    body_by_name: dict[str, str] = {}
    for text in texts:
        source = text.decode(errors="replace")
        starts = list(_FUNCTION.finditer(source))
        for match, after in zip_longest(starts, starts[1:]):
            body = source[match.start() : after.start() if after else len(source)]
            body_by_name[match.group(1)] = body_by_name.get(match.group(1), "") + body
    return body_by_name


def mentions_word(name: str, word: str, functions: Mapping[str, str]) -> bool:
    """Tell whether a function, or one of the test sources' that it names, holds `word`."""
    visited: set[str] = set()
    pending = [name]
    while pending:
        function = pending.pop()
        if function in visited or function not in functions:
            continue
        visited.add(function)
        if word in functions[function]:
            return True
        pending += set(re.findall(r"\w+", functions[function])) & functions.keys()
    return False


def split_goflags(goflags: str) -> list[str]:
    """Return the flags of GOFLAGS: separated by white space, quoted as a whole or not at all."""
    return ["".join(groups) for groups in _FIELD.findall(goflags)]


def join_goflags(flags: Iterable[str]) -> str:
    """Return flags as the value of GOFLAGS; raises FolderUnusable if Go cannot quote one."""
    return " ".join(map(_quote_flag, flags))


def _quote_flag(flag: str) -> str:
    if not _NEEDS_QUOTES.search(flag):
        return flag
    for quote in "'\"":
        if quote not in flag:
            return f"{quote}{flag}{quote}"
    raise FolderUnusable(
        f"Go cannot read {flag}: it contains both kinds of quotes; choose another folder"
    )


def draws_layouts(version: str) -> bool:
    """Tell whether the linker of a Go version (`go env GOVERSION`) can shuffle functions."""
    match = _VERSION.search(version)
    return match is not None and (int(match.group(1)), int(match.group(2))) >= DRAWS_FROM


def linker_flags(layout: int, user_flags: str) -> tuple[str, ...]:
    """Return the flags that shuffle functions by the number `layout`; 0 keeps their order.

    The linker shuffles all functions of the program; data and C code stay where they are. `-w`
    omits debugging information: it takes a good part of linking and does not affect the program.
    Go ignores -ldflags in GOFLAGS if the command line has them for the same package, because the
    last match counts. Therefore each of the user's is repeated in order, followed by ours.
    """
    audit_flags = f"-w -randlayout={layout}" if layout else "-w"
    user_linker_flags = [
        match.group(1)
        for flag in split_goflags(user_flags)
        if (match := _LINKER_FLAGS.fullmatch(flag))
    ]
    return (
        f"-ldflags={audit_flags}",
        *(f"-ldflags={flags} {audit_flags}" for flags in user_linker_flags),
    )
