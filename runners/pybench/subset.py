"""The calls of the frameworks' own commands that run some benchmarks and no others."""

import re
from collections.abc import Sequence

from runners.subset import SubsetCommand


def build_subset_commands(
    framework: str, selected_ids: Sequence[str], all_ids: Sequence[str]
) -> tuple[SubsetCommand, ...]:
    """Return calls for pytest (node ids), asv (a regular expression) or pyperf (scripts)."""
    del all_ids  # ids and whole names leave nothing else in
    names = sorted(selected_ids)
    if not names:
        return ()
    if framework == "asv":
        pattern = f"^({'|'.join(map(re.escape, names))})$"
        return (SubsetCommand(pattern=pattern, words=("asv", "run", "--bench", pattern)),)
    if framework == "pyperf":
        scripts = sorted({name.partition("::")[0] for name in names})
        problem = "a script of pyperf runs all of its benchmarks"
        return tuple(
            SubsetCommand(pattern=script, words=("python", script), problem=problem)
            for script in scripts
        )
    words = ("python", "-m", "pytest", "--benchmark-only", *names)
    return (SubsetCommand(pattern=" ".join(names), words=words),)
