"""Files of a project that are for people, for forges and for editors, by their names."""

import re
from pathlib import PurePosixPath

_NAMES = re.compile(
    r"(?:readme|licen[cs]e|copying|notice|patents|authors|contributors|maintainers|codeowners"
    r"|contributing|code_of_conduct|security|support|changelog|changes|history|todo)(?:[-._].*)?"
    r"|(?:makefile|dockerfile)"
    r"|\.(?:git\w*|editorconfig|mailmap|travis|golangci|goreleaser|codecov|pre-commit-config)"
    r"(?:\.\w+)?",
    re.IGNORECASE,
)
_FOLDERS = frozenset((".github", ".gitlab", ".circleci", ".vscode", ".idea"))


def for_people(path: str) -> bool:
    """Tell whether no program is likely to read a file, given its path in the project (POSIX)."""
    *folders, name = PurePosixPath(path).parts
    return bool(_NAMES.fullmatch(name)) or any(folder in _FOLDERS for folder in folders)
