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
from runners.subjects.placed import Placed, is_gradle


def tree_parts(
    placed: Placed, maven: Maven, jdk: Jdk, words: BuildWords
) -> tuple[Path, tuple[Part, ...]]:
    """Build the project; return where, and its parts.

    Raises NoBenchmarks where it has none, and what its build tool raises.
    """
    key = digest((), placed.digest_of_tree, jdk.version, *deciding(words))
    folder = maven.home.work(f"java-{key[:24]}")
    with maven.home.locked(folder):
        top = folder / "tree"
        root = top / placed.tree.relative_to(placed.root)
        by_gradle = is_gradle(placed.tree)
        done = folder / "built"
        if not done.is_file():
            with writing(top):
                shutil.rmtree(top, ignore_errors=True)
                shutil.copytree(placed.root, top, symlinks=True)
            if by_gradle:
                Gradle(host=maven.host, environment=maven.environment).build(top, root, words)
            else:
                reactor.build(top, root, maven, words)
            with writing(done):
                done.touch()
        tool = gradle if by_gradle else reactor
        found = modules.parts(
            list(tool.source_sets(top)),
            top=top,
            scratch=folder,
            lacking=f"{placed.name} has no benchmarks: {tool.LACKING}",
        )
        return root, found


def deciding(words: BuildWords) -> tuple[str, ...]:
    """Return what decides how the tree is built, beside the tree: no two requests have the same."""
    return (*(f"profile {each}" for each in words.profiles), *words.flags)
