"""A subject's tree in a folder of ours, and which harness it is for."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_TOOLS = {
    "build.sbt": ("sbt", "`sbt Jmh/assembly` with the plug-ins sbt-jmh and sbt-assembly makes one"),
    "build.mill": ("Mill", "an `assembly` of the module with the benchmarks is one"),
    "build.sc": ("Mill", "an `assembly` of the module with the benchmarks is one"),
    "MODULE.bazel": ("Bazel", "the `_deploy.jar` of the benchmarks' java_binary is one"),
    "WORKSPACE": ("Bazel", "the `_deploy.jar` of the benchmarks' java_binary is one"),
    "build.xml": ("Ant", "a jar of the benchmarks' classes with JMH's unpacked into it is one"),
}

_FURTHER = ("CMakeLists.txt", "meson.build", "configure.ac", "Cargo.toml", "package.json")

Files = Mapping[str, str]
"""The files of a copy by their path in it (POSIX), each with a text that tells its content, whether
it may be executed, or where it leads as a link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedSubject:
    """A copy of a subject.

    `root` and `tree` differ where the subject is a folder inside a repository.
    """

    root: Path  # top of what was copied
    tree: Path  # the subject inside it
    name: str  # module path, folder or distribution
    revision: str  # commit or version
    digest_of_tree: str
    """Of paths, contents and modes of all files below `root`, and of where the subject is."""
    files: Files = field(default_factory=dict, repr=False)
    """Those that were copied; what runs there may write more."""
    tag: str = ""  # last one before the revision; empty: unknown


_GO = ("go.mod", "go.work")
_MAVEN = ("pom.xml",)
_GRADLE = tuple(f"{name}.gradle{kind}" for name in ("settings", "build") for kind in ("", ".kts"))
_PYTHON = ("pyproject.toml", "setup.py", "setup.cfg")
MARKS = "go.mod, go.work, pom.xml, build.gradle, pyproject.toml or setup.py"
"""The files that tell what a folder is, in words."""


KINDS = ("go", "jmh", "python")
"""What a folder may be for; the first two are harnesses, of Python there are several."""
MOST_FOLDERS = 20_000
"""Folders that a search looks into: a stranger's tree may be huge."""


def detect_kind(tree: Path) -> str | None:
    """Return what a folder is for, one of KINDS; None if for none of them.

    A folder with Go files is a Go project, or part of one, where nothing tells otherwise.
    """
    if marks := find_marks(tree):
        return next(kind for kind in KINDS if kind in marks)
    return "go" if has_go_files(tree) else None


def is_of_kind(tree: Path, kind: str) -> bool:
    """Tell whether a folder is for one of KINDS; it may be for several."""
    return kind in find_marks(tree) or detect_kind(tree) == kind


def find_marks(tree: Path) -> frozenset[str]:
    """Return the KINDS of which a folder holds a mark."""
    java = _has_any_file(tree, _MAVEN) or is_gradle(tree)
    marks = zip(KINDS, (_has_any_file(tree, _GO), java, _has_any_file(tree, _PYTHON)), strict=True)
    return frozenset(kind for kind, is_marked in marks if is_marked)


def is_gopath(tree: Path, top: Path | None = None) -> bool:
    """Tell whether a folder holds Go files and belongs to no module, as before Go modules.

    `top` is the top of the copy that the folder is in: what lies above a copy is not the subject's.
    """
    around = (
        parent for parent in (tree, *tree.parents) if top is None or parent.is_relative_to(top)
    )
    return has_go_files(tree) and not any(_has_any_file(path, _GO) for path in around)


def has_go_files(tree: Path) -> bool:
    """Tell whether a folder holds Go files, or folders of its own below have Go tests.

    Those below count where no other build tool has a mark in the folder. The user's home, and what
    it is in, is no project without a mark: all of it would be copied.
    """
    if find_marks(tree):
        return "go" in find_marks(tree)
    if holds_home(tree):
        return False
    for number, (directory, folders, files) in enumerate(os.walk(tree)):
        if number >= MOST_FOLDERS:
            return False
        current_folder = Path(directory)
        if any(name.endswith("_test.go" if current_folder != tree else ".go") for name in files):
            return True
        if current_folder == tree and _is_built_otherwise(tree):
            return False
        folders[:] = [
            folder
            for folder in folders
            if not folder.startswith((".", "_"))
            and folder not in ("vendor", "testdata", "node_modules")
            and not find_marks(current_folder / folder)
        ]
    return False


def holds_home(tree: Path) -> bool:
    """Tell whether a folder is the root, the user's home, or one around it."""
    top = Path(os.path.realpath(tree))
    home = os.path.expanduser("~")  # noqa: PTH111 (pathlib raises where there is none)
    has_home = home != "~" and Path(os.path.realpath(home)).is_relative_to(top)
    return has_home or top == top.parent


def is_gradle(tree: Path) -> bool:
    """Tell whether Gradle builds it: where there is a POM as well, Maven does."""
    return _has_any_file(tree, _GRADLE) and not _has_any_file(tree, _MAVEN)


def _has_any_file(tree: Path, names: tuple[str, ...]) -> bool:
    return any((tree / name).is_file() for name in names)


def _is_built_otherwise(folder: Path) -> bool:
    """Tell whether a folder has the mark of a build tool that is not called here."""
    return any((folder / name).is_file() for name in (*_TOOLS, *_FURTHER))


def suggest_jar_audit(folder: Path) -> str:
    """Return how a project of another build tool can be audited; empty where there is none."""
    for name, (tool, instruction) in _TOOLS.items():
        if (folder / name).is_file():
            return (
                f"{tool} builds it, which bench-audit does not call; for JMH benchmarks name a jar "
                f"with them and all that they need as subject ({instruction})"
            )
    return ""
