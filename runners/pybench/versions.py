"""The version that a build is told where it would ask a repository, which a copy has not."""

import re
from pathlib import Path

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


def of_tag(tag: str) -> str:
    """Return the version that a tag names, empty if it names none: `v1.2`, `lib-1.2rc1`."""
    match = _TAG.fullmatch(tag)
    return match[1] if match else ""
