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

    def text(self) -> str:
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


def settings(benchmark: Benchmark) -> GoSettings:
    """Read the note of a benchmark."""
    note = json.loads(benchmark.settings)
    return GoSettings(note["folder"], note["processors"], note["parallel"], note["loops"])


def bodies(texts: Iterable[bytes]) -> dict[str, str]:
    """Cut test sources into functions by name; functions of one name are joined."""
    found: dict[str, str] = {}
    for text in texts:
        source = text.decode(errors="replace")
        starts = list(_FUNCTION.finditer(source))
        for match, after in zip_longest(starts, starts[1:]):
            body = source[match.start() : after.start() if after else len(source)]
            found[match.group(1)] = found.get(match.group(1), "") + body
    return found


def mentions(name: str, word: str, functions: Mapping[str, str]) -> bool:
    """Tell whether a function, or one of the test sources' that it names, holds `word`."""
    seen: set[str] = set()
    pending = [name]
    while pending:
        here = pending.pop()
        if here in seen or here not in functions:
            continue
        seen.add(here)
        if word in functions[here]:
            return True
        pending += set(re.findall(r"\w+", functions[here])) & functions.keys()
    return False
