"""What go.mod and go.work say: a module's path, its version of Go, the folders it is built of."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.core.files.foreign_files import read_beginning
from auditor.core.files.paths import is_file

MODULE_FILE, WORKSPACE_FILE = "go.mod", "go.work"
_COMMENT = re.compile(r"//.*")
_LOCAL = ("./", "../")
_VERSION = re.compile(r"(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class ModuleReplacement:
    """A module that a build takes from a folder: the module's path, and the folder, resolved."""

    module: str
    folder: Path


def parse_statements(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of each line, those of a block with the block's word in front."""
    block = ""
    for line in text.splitlines():
        words = _COMMENT.sub("", line).split()
        if not words:
            continue
        if words == [")"]:
            block = ""
        elif words[-1] == "(":
            block = words[0]
        else:
            yield (block, *words) if block else tuple(words)


def read_module_path(folder: Path) -> str:
    """Return the path of the module in a folder, empty where there is none."""
    lines = (words for words in _read_statements(folder, MODULE_FILE) if len(words) > 1)
    return next((words[1] for words in lines if words[0] == "module"), "")


def read_go_version(folder: Path) -> tuple[int, int] | None:
    """Return what the `go` line of the module in a folder says, None where there is none."""
    lines = (words for words in _read_statements(folder, MODULE_FILE) if len(words) > 1)
    match = next((_VERSION.match(words[1]) for words in lines if words[0] == "go"), None)
    return (int(match[1]), int(match[2])) if match else None


def find_replacements(folder: Path) -> tuple[ModuleReplacement, ...]:
    """Return what the module or workspace in a folder replaces by folders that hold a module.

    An absolute path is left out: in a copy it would still lead to the folder itself.
    """
    modules = []
    for words in (
        *_read_statements(folder, MODULE_FILE),
        *_read_statements(folder, WORKSPACE_FILE),
    ):
        if words[0] == "replace" and "=>" in words[2:] and words[-1].startswith(_LOCAL):
            target = _resolve_path(folder, words[words.index("=>") + 1])
            if is_file(target / MODULE_FILE):
                modules.append(ModuleReplacement(words[1], target))
    return tuple(modules)


def list_workspace_modules(folder: Path) -> tuple[Path, ...]:
    """Return the folders of the modules of the workspace in a folder."""
    targets = (
        _resolve_path(folder, words[1])
        for words in _read_statements(folder, WORKSPACE_FILE)
        if words[0] == "use" and len(words) > 1
    )
    return tuple(target for target in targets if is_file(target / MODULE_FILE))


def _read_statements(folder: Path, name: str) -> Sequence[tuple[str, ...]]:
    text = read_beginning(folder / name).decode(errors="replace")
    return [tuple(word.strip('"`') for word in words) for words in parse_statements(text)]


def _resolve_path(folder: Path, path_text: str) -> Path:
    # No path holds a NUL: such a folder is none.
    return Path(os.path.realpath(folder / path_text.replace("\0", "\N{REPLACEMENT CHARACTER}")))
