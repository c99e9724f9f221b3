"""The calls of the frameworks' own commands that run some benchmarks and no others."""

import re
from collections.abc import Sequence

from runners.subset import Subset


def calls(framework: str, chosen: Sequence[str], known: Sequence[str]) -> tuple[Subset, ...]:
    """Return calls for pytest (node ids), asv (a regular expression) or pyperf (scripts)."""
    del known  # ids and whole names leave nothing else in
    names = sorted(chosen)
    if not names:
        return ()
    if framework == "asv":
        pattern = f"^({'|'.join(map(re.escape, names))})$"
        return (Subset(pattern=pattern, words=("asv", "run", "--bench", pattern)),)
    if framework == "pyperf":
        scripts = sorted({name.partition("::")[0] for name in names})
        why = "a script of pyperf runs all of its benchmarks"
        return tuple(
            Subset(pattern=script, words=("python", script), problem=why) for script in scripts
        )
    words = ("python", "-m", "pytest", "--benchmark-only", *names)
    return (Subset(pattern=" ".join(names), words=words),)
