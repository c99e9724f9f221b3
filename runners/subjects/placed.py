"""A subject's tree in a folder of ours, and which harness it is for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

Files = Mapping[str, str]
"""The files of a copy by their path in it (POSIX), each with a text that tells its content, whether
it may be executed, or where it leads as a link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A copy of a subject. `root` is the top of what was copied, `tree` the subject inside it.

    They differ where the subject is a folder inside a repository. `digest_of_tree` covers the
    paths, contents and modes of all files below `root`, and where in it the subject is. `files` are
    those that were copied: what runs there may write more. `tag` is the last one before the
    revision, empty where that is not known.
    """

    root: Path
    tree: Path
    name: str
    revision: str
    digest_of_tree: str
    files: Files = field(default_factory=dict, repr=False)
    tag: str = ""


_GO = ("go.mod", "go.work")
_MAVEN = ("pom.xml",)
_GRADLE = tuple(f"{name}.gradle{kind}" for name in ("settings", "build") for kind in ("", ".kts"))
_PYTHON = ("pyproject.toml", "setup.py", "setup.cfg")
MARKS = "go.mod, go.work, pom.xml, build.gradle, pyproject.toml or setup.py"
"""The files that tell what a folder is, in words."""


def detect(tree: Path) -> str | None:
    """Return what a folder is for, "go", "jmh" or "python"; None if none of them.

    The first two are harnesses; of Python there are several.
    """
    if _has(tree, _GO):
        return "go"
    if _has(tree, _MAVEN) or is_gradle(tree):
        return "jmh"
    return "python" if _has(tree, _PYTHON) else None


def is_gradle(tree: Path) -> bool:
    """Tell whether Gradle builds it: where there is a POM as well, Maven does."""
    return _has(tree, _GRADLE) and not _has(tree, _MAVEN)


def _has(tree: Path, names: tuple[str, ...]) -> bool:
    return any((tree / name).is_file() for name in names)
