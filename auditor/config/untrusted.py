"""What a configuration that a stranger may have written cannot decide."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auditor.core.errors import UsageError
from auditor.core.request import FolderSpec, SubjectSpec

_REFUSED = {
    "host": "which machine measures; choose it with --host",
    "docker": "what containers may use; choose the image with --host docker:IMAGE",
    "ssh": "which machine measures; remove it",
    "dispatch": "which machines measure; choose them with --dispatch",
    "dask": "which cluster measures; choose it with --scheduler or --rent",
    "local": "the environment variables of the suite; remove it",
    "python": "what is installed and from where; remove it",
    "store": "which file is written; choose it with --store",
    "clients": "which other folders are read; remove it",
}
"""Keys that reach out of the project, each with what it decides."""
_FLAG = re.compile(r"-[\w .,:;=+!*#\[\]()-]*")
"""A flag without a folder, a variable or a place on the network in it."""


NAMED = "with --untrusted"


def refuse_reaching(document: Mapping[str, Any], source: str, condition: str = NAMED) -> None:
    """Raise UsageError, which begins with `source`, for a key that reaches out of the project.

    `condition` says when it is refused.
    """
    for key, meaning in _REFUSED.items():
        if document.get(key) is not None:
            raise UsageError(f"{source}{key} is not allowed {condition}: it decides {meaning}")
    if isinstance(subject := document.get("subject"), Mapping):
        _refuse_tools(subject, source, condition)
    methods = document.get("methods", "auto")
    if isinstance(methods, str) and methods != "auto":
        raise UsageError(f"{source}methods may not name a file {condition}; list the names")
    warmup = document.get("warmup")
    if isinstance(warmup, Mapping) and warmup.get("model") is not None:
        raise UsageError(
            f"{source}warmup.model is not allowed {condition}: it names a file; remove it"
        )


def _refuse_tools(subject: Mapping[str, Any], source: str, condition: str) -> None:
    """Raise UsageError where a subject names a file or a program of the machine for its build."""
    jdk, flags = subject.get("jdk"), subject.get("flags")
    if isinstance(jdk, str) and not jdk.isdecimal():
        raise UsageError(
            f"{source}subject.jdk may not name a folder {condition}; write the number of an "
            "installed JDK"
        )
    if subject.get("gradle") is not None:
        raise UsageError(
            f"{source}subject.gradle is not allowed {condition}: it decides which program builds; "
            "remove it"
        )
    for flag in flags if isinstance(flags, list) else ():
        if isinstance(flag, str) and (not _FLAG.fullmatch(flag) or ".." in flag):
            raise UsageError(
                f"{source}subject.flags may not name files of other folders {condition}: "
                f"{flag[:80]!a}; remove it"
            )


def refuse_other_subject(
    subject: SubjectSpec, folder: Path, source: str, condition: str = NAMED
) -> None:
    """Raise UsageError for a subject that does not lie in the configuration's own folder."""
    inside = isinstance(subject, FolderSpec) and subject.path.resolve().is_relative_to(folder)
    if not inside:
        raise UsageError(
            f"{source}subject must be the configuration's folder or below it {condition}"
        )
