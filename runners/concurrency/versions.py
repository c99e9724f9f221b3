"""One of two versions of a class made ready: its own classes, and all that they run with.

All of it is copied: what a user has in a folder, and what is in a repository of jars, may change
while tests run for an hour.
"""

import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import assert_never

from auditor.core.errors import SourceUnreadable, SubjectError
from auditor.core.ports import Host
from auditor.core.request import (
    BuildOptions,
    ClassPathSpec,
    FolderSpec,
    GitSpec,
    MavenSpec,
    VersionSpec,
)
from auditor.core.subject import Part, Role
from runners.home import HomeFolder
from runners.jmh.build import artifact
from runners.jmh.build.maven import Maven
from runners.jmh.build.source_tree import build_copy
from runners.jmh.classes import open_jar
from runners.jmh.content import digest_content
from runners.jmh.jdk import find_jdk
from runners.subjects.place import place_artifact, place_subject
from runners.subjects.placed import is_of_kind
from runners.subjects.tree_entries import TreeEntry, list_tree_files, make_entries, place_entries

CLASS = ".class"
_JAVA = "jmh"
"""What `is_of_kind` calls a project that Maven or Gradle builds."""
_ARCHIVES = (".jar", ".zip")
"""Java passes over other files of a class path, and Maven puts some there."""
# No archive, cut off, a wrong checksum, a compression or cipher that is not known.
_DAMAGED = (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyVersion:
    """A version in folders of ours.

    `name` is what was written. `revision` says which state it is: a commit, a published version, or
    a digest of what a folder holds now. `own_entries` are the jars and folders of its own classes,
    `class_path` all of it in order, these first. `digest` covers the content of the class path;
    the dates in jars and the order of their entries do not count.
    """

    name: str
    revision: str
    own_entries: tuple[Path, ...]
    class_path: tuple[Path, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class _VersionFiles:
    """Where a version's files are before they are copied.

    `lacking` is what to say where there are no classes. No revision: the content is it.
    """

    own_entries: tuple[Path, ...]
    rest: tuple[Path, ...]
    lacking: str
    revision: str = ""


def prepare_version(  # noqa: PLR0913 - what the version, the machine and the user contribute
    version_text: str,
    spec: VersionSpec,
    *,
    home: HomeFolder,
    host: Host,
    environment: tuple[tuple[str, str], ...],
    words: BuildOptions | None = None,
) -> ReadyVersion:
    """Return a version, fetched or built if need be; `words` are what the user asks of a build.

    Raises SubjectError or SourceUnreadable where it has no classes, and what fetching and building
    raise.
    """
    maven = Maven(home=home, host=host, environment=environment)
    return _copy_version(version_text, _locate_files(spec, maven, words or BuildOptions()), home)


def _locate_files(spec: VersionSpec, maven: Maven, words: BuildOptions) -> _VersionFiles:
    match spec:
        case ClassPathSpec():
            return _locate_class_path(spec)
        case MavenSpec():
            return _fetch_artifact_files(spec, maven)
        case FolderSpec(path) if not is_of_kind(path, _JAVA):
            return _locate_class_path(ClassPathSpec((path,)))
        case FolderSpec() | GitSpec():
            return _build_project(spec, maven, words)
        case _:
            assert_never(spec)


def class_names(place: Path) -> Iterator[str]:
    """Yield the binary names of the classes in a folder or jar, in no order.

    Those that a jar has once more for later JDKs are left out.
    """
    paths: Iterable[str] = ()
    if place.is_dir():
        paths = (file.relative_to(place).as_posix() for file in place.rglob(f"*{CLASS}"))
    elif zipfile.is_zipfile(place):
        with open_jar(place) as jar:
            paths = jar.namelist()
    for name in paths:
        if name.endswith(CLASS) and not name.startswith("META-INF/"):
            yield name.removesuffix(CLASS).replace("/", ".")


def _locate_class_path(spec: ClassPathSpec) -> _VersionFiles:
    lacking = (
        f"no classes in {', '.join(map(str, spec.own_entries))}; name the jar or the folder that "
        "they are compiled into, such as target/classes, or the project's folder"
    )
    return _VersionFiles(spec.own_entries, spec.rest, lacking)


def _fetch_artifact_files(spec: MavenSpec, maven: Maven) -> _VersionFiles:
    # A folder of its own: that of the artifact remembers another class path, the one of its tests.
    folder = maven.home.make_work_folder(f"{place_artifact(spec, maven.home).tree.name}-running")
    fetched = artifact.fetch_artifact(spec, folder, maven, tests=False)
    coordinates = f"maven:{spec.group}:{spec.artifact}:{spec.version}"
    no_classes_message = (
        f"{coordinates} is not a jar of classes; name the artifact that holds the classes"
    )
    return _VersionFiles(
        tuple(fetched.files.values()), fetched.class_path, no_classes_message, fetched.version
    )


def _build_project(spec: FolderSpec | GitSpec, maven: Maven, words: BuildOptions) -> _VersionFiles:
    """Build a project; what its modules compile, tests left out, is the version's own."""
    home, host, environment = maven.home, maven.host, maven.environment
    placed_subject = place_subject(spec, home=home, host=host, environment=environment)
    if not is_of_kind(placed_subject.tree, _JAVA):
        raise SubjectError(
            f"{placed_subject.name} is not a Java project: no Maven or Gradle builds it"
        )
    _, sets = build_copy(placed_subject, maven, find_jdk(host, environment), words)
    main = [source_set for source_set in sets if not source_set.test]
    library_paths = _list_distinct_paths(source_set.classes for source_set in main)
    tests = _list_distinct_paths(source_set.classes for source_set in sets if source_set.test)
    rest = [
        path
        for path in _list_distinct_paths(source_set.path for source_set in main)
        if path not in (*library_paths, *tests)
    ]
    lacking = f"{placed_subject.name} has no classes that are not of tests"
    return _VersionFiles(library_paths, tuple(rest), lacking, placed_subject.revision)


def _list_distinct_paths(paths: Iterable[tuple[Path, ...]]) -> tuple[Path, ...]:
    return tuple(
        fromkey for fromkey in dict.fromkeys(chain.from_iterable(paths)) if fromkey.exists()
    )


def _copy_version(version_text: str, files: _VersionFiles, home: HomeFolder) -> ReadyVersion:
    library_paths, rest = (
        tuple(copy for source_path in paths for copy in _copy_path(source_path, home))
        for paths in (files.own_entries, files.rest)
    )
    if not any(True for source_path in library_paths for _ in class_names(source_path)):
        raise SubjectError(files.lacking)
    path = tuple(dict.fromkeys((*library_paths, *rest)))
    parts = (
        Part(Role.LIBRARY if source_path in library_paths else Role.DEPENDENCY, source_path)
        for source_path in path
    )
    digest = digest_content(parts, {})
    return ReadyVersion(
        name=version_text,
        revision=files.revision or digest[:12],
        own_entries=tuple(dict.fromkeys(library_paths)),
        class_path=path,
        digest=digest,
    )


def _copy_path(path: Path, home: HomeFolder) -> Iterator[Path]:
    """Yield the copy of a jar or folder; none of a folder without files."""
    if path.is_dir():
        below = list_tree_files(path, without=home.root.resolve())
        if entries := [tree_entry for file in below for tree_entry in make_entries(path, file)]:
            root, _, _ = place_entries(entries, home)
            yield root
        return
    root, _, _ = place_entries([TreeEntry(PurePosixPath(path.name), path)], home)
    copy = root / path.name
    if copy.suffix.lower() in _ARCHIVES:
        _refuse_damaged(copy, path)
    yield copy


def _refuse_damaged(jar: Path, original: Path) -> None:
    try:
        with zipfile.ZipFile(jar) as archive:
            damaged = archive.testzip()
    except _DAMAGED as error:
        raise SourceUnreadable(
            f"{original} is not a readable jar: {error}; build or fetch it again"
        ) from error
    if damaged is not None:
        raise SourceUnreadable(f"{original} is damaged at {damaged}; build or fetch it again")
