"""What the harness notes about a benchmark: where its package is, and how it runs."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from auditor.core.suite import Benchmark

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
