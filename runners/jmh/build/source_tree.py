"""A tree of sources that Maven or Gradle builds, in a copy of ours."""

import shutil
from pathlib import Path

from auditor.core.errors import NoBenchmarks
from auditor.core.request import BuildOptions
from auditor.core.subject import Part
from runners.disk import convert_write_errors
from runners.jmh.build import gradle, pom_tree, reactor, source_sets
from runners.jmh.build.build_plan import plan_build
from runners.jmh.build.bytecode_generator import BytecodeGenerator, add_lists
from runners.jmh.build.gradle import Gradle
from runners.jmh.build.maven import Maven
from runners.jmh.build.source_sets import SourceSet
from runners.jmh.classes import digest_class_path
from runners.jmh.jdk import Jdk
from runners.subjects.placed import PlacedSubject, is_gradle

_BENCHMARKS = "benchmarks"
"""Tells the copy of which only what benchmarks need is built from the one that is built whole."""


def tree_parts(
    placed: PlacedSubject, maven: Maven, jdk: Jdk, words: BuildOptions
) -> tuple[Path, tuple[Part, ...]]:
    """Build what the benchmarks of a project need; return where, and its parts.

    Raises NoBenchmarks where it has none, before a build where no file names JMH, and what its
    build tool raises.
    """
    if not (is_gradle(placed.tree) or pom_tree.knows_jmh(pom_tree.modules_below(placed.tree))):
        lacking = reactor.missing_benchmarks_reason(placed.tree)
        raise NoBenchmarks(f"{placed.name} has no benchmarks: {lacking}")
    root, sets = build_copy(placed, maven, jdk, words, benchmarks=True)
    folder = copy_folder(placed, maven, jdk, words, _BENCHMARKS)
    with maven.home.lock_folder(folder):
        sets = add_lists(sets, BytecodeGenerator(maven=maven, jdk=jdk, folder=folder))
        if not any(source_set.folders_with_list for source_set in sets):
            lacking = gradle.LACKING if is_gradle(root) else reactor.missing_benchmarks_reason(root)
            raise NoBenchmarks(f"{placed.name} has no benchmarks: {lacking}")
        return root, source_sets.list_parts(
            sets, top=folder / "tree", existing_files=placed.files, scratch=folder
        )


def build_copy(
    placed: PlacedSubject, maven: Maven, jdk: Jdk, words: BuildOptions, *, benchmarks: bool = False
) -> tuple[Path, list[SourceSet]]:
    """Build a project in a copy, unless that is done; return where, and what was compiled.

    `benchmarks`: only what these need.
    """
    folder = copy_folder(placed, maven, jdk, words, _BENCHMARKS if benchmarks else "")
    with maven.home.lock_folder(folder):
        top = folder / "tree"
        root = top / placed.tree.relative_to(placed.root)
        if not is_built(folder):
            run_build_tool(top, root, maven, jdk, words, benchmarks=benchmarks)
            is_built(folder, mark_done=True)
        return root, list((gradle if is_gradle(root) else reactor).source_sets(top))


def run_build_tool(  # noqa: PLR0913 - a tree, its tools, and what is asked of them
    top: Path,
    root: Path,
    maven: Maven,
    jdk: Jdk,
    words: BuildOptions,
    *,
    benchmarks: bool = False,
) -> None:
    """Let the project's build tool compile everything below `root`, tests too.

    `benchmarks`: of a Maven project only what these need.
    """
    if is_gradle(root):
        gradle_tool = Gradle(
            host=maven.host, environment=maven.environment, tell=maven.tell, program=words.gradle
        )
        gradle_tool.build_project(top, root, words)
        return
    plan = plan_build(top, root, everything=not benchmarks)
    reactor.adapt_project(plan, jdk)
    reactor.build_modules(top, maven, jdk, words, plan)


def copy_folder(
    placed: PlacedSubject, maven: Maven, jdk: Jdk, words: BuildOptions, purpose: str = ""
) -> Path:
    """Return the folder whose `tree` is a copy, made anew unless something is built there.

    `purpose` tells copies of one tree apart that serve different ends.
    """
    key = digest_class_path(
        (),
        placed.digest_of_tree,
        jdk.version,
        *filter(None, (purpose,)),
        *build_settings_text(words),
    )
    folder = maven.home.make_work_folder(f"java-{key[:24]}")
    with maven.home.lock_folder(folder):
        if not is_built(folder):
            with convert_write_errors(folder / "tree"):
                shutil.rmtree(folder / "tree", ignore_errors=True)
                shutil.copytree(placed.root, folder / "tree", symlinks=True)
    return folder


def is_built(folder: Path, *, mark_done: bool = False) -> bool:
    """Tell whether the copy in a folder has been built whole; `mark_done`: it has been, now."""
    marker = folder / "built"
    if mark_done:
        with convert_write_errors(marker):
            marker.touch()
    return marker.is_file()


def build_settings_text(words: BuildOptions) -> tuple[str, ...]:
    """Return what decides how the tree is built, beside the tree: no two requests have the same."""
    gradle_program = (f"gradle {words.gradle}",) if words.gradle else ()
    return (*(f"profile {profile}" for profile in words.profiles), *words.flags, *gradle_program)
