"""The version that a build is told where it would ask a repository, which a copy has not."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from runners.pybench.declarations import find_table, read_toml

_TOLD_BY = ("SETUPTOOLS_SCM_PRETEND_VERSION", "PDM_BUILD_SCM_VERSION", "PBR_VERSION")
"""How setuptools_scm (and hatch-vcs, which uses it), pdm and pbr are told."""


_MADE_UP = "9999.0"
"""No older than what others need of the project."""


_SUFFIX = r"[-._]?(?:a|b|c|rc|alpha|beta|pre|preview|post|dev)[-._]?\d*"


_TAG = re.compile(rf"(?:.*[-_/])?v?(\d+(?:\.\d+)+(?:{_SUFFIX})*)", re.IGNORECASE)


def make_version_variables(tree: Path, tag: str) -> dict[str, str]:
    """Return what tells a build its version; `tag` is the last one before the revision, or empty.

    A source distribution says its version itself. Of a tag it is that of the release, without the
    commits since: others may not want a newer one, and it stays the same from commit to commit.
    """
    if (tree / "PKG-INFO").is_file():
        return {}
    return dict.fromkeys(_TOLD_BY, parse_tag_version(tag) or _MADE_UP)


def is_placeholder_version(version_variables: Mapping[str, str]) -> bool:
    """Tell whether the version that a build is told is no release's."""
    return _MADE_UP in version_variables.values()


def project_without_version(tree: Path) -> str:
    """Return the name of a project whose build finds its version out; empty if it is written."""
    project = find_table(read_toml(tree / "pyproject.toml"), "project")
    return "" if "version" in project else str(project.get("name", ""))


def find_release(name: str, installed: Sequence[str]) -> str:
    """Return the version of a project among what is installed (`name==version`), or nothing."""
    releases = (distribution.partition("==") for distribution in installed)
    return next(
        (
            version
            for release_name, _, version in releases
            if _normalise_name(release_name) == _normalise_name(name)
        ),
        "",
    )


def parse_tag_version(tag: str) -> str:
    """Return the version that a tag names, empty if it names none: `v1.2`, `lib-1.2rc1`."""
    match = _TAG.fullmatch(tag)
    return match[1] if match else ""


def _normalise_name(name: str) -> str:
    """Return the name of a distribution as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
