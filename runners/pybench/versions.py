"""The version that a build is told where it would ask a repository, which a copy has not."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from runners.pybench.library import read

_TOLD_BY = ("SETUPTOOLS_SCM_PRETEND_VERSION", "PDM_BUILD_SCM_VERSION", "PBR_VERSION")
"""How setuptools_scm (and hatch-vcs, which uses it), pdm and pbr are told."""
_MADE_UP = "9999.0"
"""No older than what others need of the project."""
_SUFFIX = r"[-._]?(?:a|b|c|rc|alpha|beta|pre|preview|post|dev)[-._]?\d*"
_TAG = re.compile(rf"(?:.*[-_/])?v?(\d+(?:\.\d+)+(?:{_SUFFIX})*)", re.IGNORECASE)


def variables(tree: Path, tag: str) -> dict[str, str]:
    """Return what tells a build its version; `tag` is the last one before the revision, or empty.

    A source distribution says its version itself. Of a tag it is that of the release, without the
    commits since: others may not want a newer one, and it stays the same from commit to commit.
    """
    if (tree / "PKG-INFO").is_file():
        return {}
    return dict.fromkeys(_TOLD_BY, of_tag(tag) or _MADE_UP)


def is_made_up(told: Mapping[str, str]) -> bool:
    """Tell whether the version that a build is told is no release's."""
    return _MADE_UP in told.values()


def project_without_version(tree: Path) -> str:
    """Return the name of a project whose build finds its version out; empty if it is written."""
    try:
        project = tomllib.loads(read(tree / "pyproject.toml").decode()).get("project")
    except (ValueError, RecursionError):
        return ""
    if not isinstance(project, dict) or "version" in project:
        return ""
    return str(project.get("name", ""))


def find_release(name: str, installed: Sequence[str]) -> str:
    """Return the version of a project among what is installed (`name==version`), or nothing."""
    releases = (each.partition("==") for each in installed)
    return next((to for own, _, to in releases if _plain(own) == _plain(name)), "")


def of_tag(tag: str) -> str:
    """Return the version that a tag names, empty if it names none: `v1.2`, `lib-1.2rc1`."""
    match = _TAG.fullmatch(tag)
    return match[1] if match else ""


def _plain(name: str) -> str:
    """Return the name of a distribution as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
