"""A Java library whose use is traced: its classes and sources; it need not have benchmarks."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from auditor.core.errors import SubjectError, UsageError
from auditor.core.ports import Host
from auditor.core.request import BuildOptions, MavenSpec
from auditor.core.subject import Language, Part, Project, Role
from runners.home import HomeFolder
from runners.jmh.build import artifact
from runners.jmh.build.bytecode_generator import has_benchmarks
from runners.jmh.build.maven import Maven
from runners.jmh.build.source_sets import SourceSet
from runners.jmh.build.source_tree import build_copy
from runners.jmh.classes import digest_class_path
from runners.jmh.jdk import Jdk, find_jdk, java_environment
from runners.steps import ignore_step
from runners.subjects.place import place_artifact
from runners.subjects.placed import PlacedSubject


def prepare_library(  # noqa: PLR0913 - what the library, the machine and the user contribute
    spec: MavenSpec | None,
    placed: PlacedSubject,
    *,
    home: HomeFolder,
    host: Host,
    environment: tuple[tuple[str, str], ...],
    words: BuildOptions,
    tell: Callable[[str], None] = ignore_step,
) -> Project:
    """Return a project that has only the parts LIBRARY and SOURCES.

    Of a tree they are what it builds, without tests and benchmarks. Raises SubjectError where
    there are no classes, and what the build tool raises.
    """
    jdk = find_jdk(host, environment)
    maven = Maven(home=home, host=host, environment=environment, tell=tell)
    if spec is not None:
        fetched = artifact.fetch_artifact(spec, place_artifact(spec, home).tree, maven)
        if "" not in fetched.files:
            raise UsageError(
                f"{placed.name} is not a jar; name the artifact that holds the classes"
            )
        parts = [Part(Role.LIBRARY, fetched.files[""])]
        parts += [
            Part(Role.SOURCES, fetched.files[kind])
            for kind in ("sources",)
            if kind in fetched.files
        ]
        placed = replace(placed, revision=fetched.version)
        return _make_project(placed, placed.tree, parts, jdk, environment)
    root, sets = build_copy(placed, maven, jdk, words)
    return _make_project(placed, root, _list_parts(sets), jdk, environment)


def _list_parts(sets: Sequence[SourceSet]) -> list[Part]:
    library_sets = [
        source_set
        for source_set in sets
        if not (source_set.test or source_set.folders_with_list or has_benchmarks(source_set))
    ]
    classes = [
        class_
        for source_set in library_sets
        for class_ in source_set.classes
        if any(class_.rglob("*.class"))
    ]
    sources = [
        source for source_set in library_sets for source in source_set.sources if source.is_dir()
    ]
    return [
        *(Part(Role.LIBRARY, fromkey) for fromkey in dict.fromkeys(classes)),
        *(Part(Role.SOURCES, fromkey) for fromkey in dict.fromkeys(sources)),
    ]


def _make_project(
    placed: PlacedSubject,
    root: Path,
    parts: Sequence[Part],
    jdk: Jdk,
    environment: tuple[tuple[str, str], ...],
) -> Project:
    classes = [part.path for part in parts if part.role is Role.LIBRARY]
    if not classes:
        raise SubjectError(
            f"{placed.name} has only classes of tests or benchmarks; name the library's project"
        )
    return Project(
        name=placed.name,
        revision=placed.revision,
        language=Language.JAVA,
        harness="",
        root=root,
        digest=digest_class_path(classes, jdk.version),
        parts=tuple(parts),
        environment=java_environment(environment),
        options=(("java", jdk.java),),
        versions=(("jdk", jdk.version),),
    )
