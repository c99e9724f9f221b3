"""What a configuration that a stranger may have written cannot decide."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auditor.core.errors import UsageError
from auditor.core.request import FolderSpec, SubjectSpec

_REFUSED = {
    "host": "on which machine it runs; name it with --host",
    "docker": "what containers may use; name the image with --host docker:IMAGE",
    "ssh": "which machine is used",
    "dispatch": "on which machines it runs; name it with --dispatch",
    "dask": "which cluster is used; name it with --scheduler or --rent",
    "local": "which variables a suite is given",
    "python": "what is installed and from where",
    "store": "which file is written; name it with --store",
    "clients": "which other folders are read",
}
"""Keys that reach out of the project, each with what it decides."""
_FLAG = re.compile(r"-[\w .,:;=+!*#\[\]()-]*")
"""A flag without a folder, a variable or a place on the network in it."""


NAMED = "with --untrusted"


def refuse_reaching(document: Mapping[str, Any], source: str, why: str = NAMED) -> None:
    """Raise UsageError, which begins with `source`, for a key that reaches out of the project.

    `why` says on which condition it is refused.
    """
    for key, meaning in _REFUSED.items():
        if document.get(key) is not None:
            raise UsageError(f"{source}{key} is not taken {why}: it decides {meaning}")
    if isinstance(subject := document.get("subject"), Mapping):
        _refuse_tools(subject, source, why)
    methods = document.get("methods", "auto")
    if isinstance(methods, str) and methods != "auto":
        raise UsageError(f"{source}methods is not taken {why} where it names a file")
    warmup = document.get("warmup")
    if isinstance(warmup, Mapping) and warmup.get("model") is not None:
        raise UsageError(f"{source}warmup.model is not taken {why}: it names a file")


def _refuse_tools(subject: Mapping[str, Any], source: str, why: str) -> None:
    """Raise UsageError where a subject names a file or a program of the machine for its build."""
    jdk, flags = subject.get("jdk"), subject.get("flags")
    if isinstance(jdk, str) and not jdk.isdecimal():
        raise UsageError(
            f"{source}subject.jdk is not taken {why} where it names a folder; write the "
            "number of an installed JDK"
        )
    if subject.get("gradle") is not None:
        raise UsageError(
            f"{source}subject.gradle is not taken {why}: it decides which program builds"
        )
    for flag in flags if isinstance(flags, list) else ():
        if isinstance(flag, str) and (not _FLAG.fullmatch(flag) or ".." in flag):
            raise UsageError(
                f"{source}subject.flags is not taken {why} where it may name a file of "
                f"another folder: {flag[:80]!a}"
            )


def refuse_other_subject(subject: SubjectSpec, folder: Path, source: str, why: str = NAMED) -> None:
    """Raise UsageError for a subject that does not lie in the configuration's own folder."""
    inside = isinstance(subject, FolderSpec) and subject.path.resolve().is_relative_to(folder)
    if not inside:
        raise UsageError(
            f"{source}subject is not taken {why}: it has to be a folder at or below the "
            "configuration's own"
        )
