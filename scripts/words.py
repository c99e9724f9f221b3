"""Refuse more names that are banned words than there are: `banned_words.toml` has the counts.

A name is that of a function, class, parameter, field or variable, wherever it is bound. Names of
several words, such as `one_processor`, are not counted.

A count may only fall. After renames, `scripts/words.py --lower` writes the lower ones.
"""

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sizes import FOLDERS, ROOT

COUNTS = Path(__file__).with_name("banned_words.toml")
NOT_OURS = ROOT / "tests" / "subjects"
"""Projects that are audited by tests: their names are part of what is tested."""


def bound_names(tree: ast.Module) -> Iterator[str]:
    """Yield each name as often as a module binds it."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.arg():
                yield node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.ExceptHandler(name=str(name)):
                yield name


def modules() -> Iterator[Path]:
    """Yield the files of Python in the repository."""
    for folder in (*FOLDERS, "benchmarks", "scripts", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            if not path.is_relative_to(NOT_OURS):
                yield path


def main() -> int:
    """Count the banned words in all modules, and compare or lower the counts."""
    text = COUNTS.read_text()
    most: dict[str, int] = tomllib.loads(text)["most"]
    counts = Counter(
        name.strip("_").lower()
        for path in modules()
        for name in bound_names(ast.parse(path.read_text()))
    )
    faults = [
        f"{counts[word]} names are `{word}`, {limit} are allowed: name the thing instead"
        for word, limit in most.items()
        if counts[word] > limit
    ]
    lower = {word: counts[word] for word, limit in most.items() if counts[word] < limit}
    if lower and "--lower" in sys.argv:
        head = text[: text.index("[most]")]
        rows = (f"{word} = {min(limit, counts[word])}\n" for word, limit in sorted(most.items()))
        COUNTS.write_text(f"{head}[most]\n{''.join(rows)}")
    elif lower:
        faults.append(f"fewer names are {', '.join(lower)}: run scripts/words.py --lower")
    sys.stderr.write("".join(fault + "\n" for fault in faults))
    print(f"names that are banned words: {sum(counts[word] for word in most)}")  # noqa: T201
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
