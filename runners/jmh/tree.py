"""A tree of sources that Maven or Gradle builds, in a copy of ours."""

import shutil
from pathlib import Path

from auditor.core.request import BuildWords
from auditor.core.subject import Part
from runners.hosts.disk import writing
from runners.jmh import gradle, modules, reactor
from runners.jmh.classes import digest
from runners.jmh.gradle import Gradle
from runners.jmh.jdk import Jdk
from runners.jmh.maven import Maven
from runners.jmh.modules import SourceSet
from runners.subjects.placed import Placed, is_gradle


def tree_parts(
    placed: Placed, maven: Maven, jdk: Jdk, words: BuildWords
) -> tuple[Path, tuple[Part, ...]]:
    """Build the project; return where, and its parts.

    Raises NoBenchmarks where it has none, and what its build tool raises.
    """
    root, sets = built(placed, maven, jdk, words)
    folder = copied(placed, maven, jdk, words)
    lacking = gradle.LACKING if is_gradle(placed.tree) else reactor.LACKING
    with maven.home.locked(folder):
        found = modules.parts(
            sets,
            top=folder / "tree",
            given=placed.files,
            scratch=folder,
            lacking=f"{placed.name} has no benchmarks: {lacking}",
        )
        return root, found


def built(
    placed: Placed, maven: Maven, jdk: Jdk, words: BuildWords
) -> tuple[Path, list[SourceSet]]:
    """Build a project in a copy, unless that is done; return where, and what was compiled."""
    folder = copied(placed, maven, jdk, words)
    with maven.home.locked(folder):
        top = folder / "tree"
        root = top / placed.tree.relative_to(placed.root)
        if not is_built(folder):
            built_by_tool(top, root, maven, words)
            is_built(folder, done=True)
        return root, list((gradle if is_gradle(root) else reactor).source_sets(top))


def built_by_tool(top: Path, root: Path, maven: Maven, words: BuildWords) -> None:
    """Let the project's build tool compile everything below `root`, tests too."""
    if is_gradle(root):
        Gradle(host=maven.host, environment=maven.environment).build(top, root, words)
    else:
        reactor.build(top, root, maven, words)


def copied(placed: Placed, maven: Maven, jdk: Jdk, words: BuildWords, what: str = "") -> Path:
    """Return the folder whose `tree` is a copy, made anew unless something is built there.

    `what` tells copies of one tree apart that serve different ends.
    """
    key = digest((), placed.digest_of_tree, jdk.version, *filter(None, (what,)), *deciding(words))
    folder = maven.home.work(f"java-{key[:24]}")
    with maven.home.locked(folder):
        if not is_built(folder):
            with writing(folder / "tree"):
                shutil.rmtree(folder / "tree", ignore_errors=True)
                shutil.copytree(placed.root, folder / "tree", symlinks=True)
    return folder


def is_built(folder: Path, *, done: bool = False) -> bool:
    """Tell whether the copy in a folder has been built whole; `done`: it has been, now."""
    marker = folder / "built"
    if done:
        with writing(marker):
            marker.touch()
    return marker.is_file()


def deciding(words: BuildWords) -> tuple[str, ...]:
    """Return what decides how the tree is built, beside the tree: no two requests have the same."""
    return (*(f"profile {each}" for each in words.profiles), *words.flags)
