"""The ways to name one of two versions of a Java class."""

import os
from pathlib import Path

from auditor.config.subjects import PREFIXES, parse_subject
from auditor.core.errors import UsageError
from auditor.core.files.paths import is_dir, path_exists
from auditor.core.request import ClassPathSpec, FolderSpec, GitSpec, MavenSpec, VersionSpec

_FORMS = (
    "name jars or folders of classes as a class path (the version's own first), the folder of a "
    "project, git:PATH@REVISION or maven:GROUP:ARTIFACT:VERSION"
)
_ALL_JARS = "*"


def version_spec(version: str, folder: Path) -> VersionSpec:
    """Return the version meant; paths are relative to `folder`. Raises UsageError.

    Of a class path the first entry is the version's own, what follows are its dependencies. As
    Java has it, an entry that ends in `/*` is all jars of a folder.
    """
    if version.startswith(PREFIXES):
        subject = parse_subject(version, folder)
        if isinstance(subject, GitSpec | MavenSpec):
            return subject
        raise UsageError(f"{version} is not a version of a Java class; {_FORMS}")
    # An empty entry is what an empty variable leaves; that of Java is the current folder.
    entries = [text for text in version.split(os.pathsep) if text]
    if not entries:
        raise UsageError(f"a version is empty; {_FORMS}")
    first, *rest = [_resolve_entry(entry, folder) for entry in entries]
    if not rest and is_dir(first[0]):
        return FolderSpec(first[0])
    return ClassPathSpec(first, tuple(path for paths in rest for path in paths))


def _resolve_entry(entry: str, folder: Path) -> tuple[Path, ...]:
    path = _resolve_path(entry, folder)
    if path.name == _ALL_JARS:
        # Java leaves the order open; ours has to be the same each time.
        jars = [jar for jar in path.parent.glob("*") if jar.suffix.lower() == ".jar"]
        if not jars:
            raise UsageError(f"no jars in {path.parent}; {_FORMS}")
        return tuple(sorted(jars))
    if not path_exists(path):
        raise UsageError(f"no such file or folder: {path}; {_FORMS}")
    return (path,)


def _resolve_path(text: str, folder: Path) -> Path:
    try:
        return (folder / Path(text).expanduser()).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"the version {text!r} is not a path: {error}") from error
