"""Which files of a copy a benchmark may read while it runs, apart from the code in its program.

Nobody can tell for sure before it has run, so all count but those that nothing hints at: texts for
people, settings of tools, and Go code of other packages. They count, too, once the project's code
in the program names them, or can list the files of a folder. Generators that walk through packages
are linked into many tests: code of another package than the benchmark's own that can list folders
is no hint as long as no path in the own one leads up.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from posixpath import dirname, join, normpath

from runners.subjects.placed import Files
from runners.subjects.texts import for_people

_MODULE_FILES = frozenset(("go.mod", "go.sum", "go.work.sum"))
_WORD = re.compile(rb"[\w.-]+")
_PLAIN = re.compile(r"[\w.-]+", re.ASCII)

_LISTING = tuple(
    (f'"{package}"'.encode(), re.compile(names))
    for package, names in (
        ("os", rb"\b(?:ReadDir|Readdir\w*|DirFS|OpenRoot|OpenInRoot|CopyFS|StartProcess)\b"),
        ("io/ioutil", rb"\bReadDir\b"),
        ("path/filepath", rb"\b(?:Walk|WalkDir|Glob)\b"),
        ("net/http", rb"\b(?:http\.Dir|FileServer|ServeFile)\b"),
        ("html/template", rb"\bParseGlob\b"),
        ("text/template", rb"\bParseGlob\b"),
        ("go/parser", rb"\bParseDir\b"),
        ("go/build", rb""),
        ("go/importer", rb""),
        ("golang.org/x/tools/go/packages", rb""),
        ("os/exec", rb""),
        ("plugin", rb""),
        ("syscall", rb"\b(?:ReadDirent|Getdents|Getdirentries|Exec|ForkExec)\b"),
    )
)
_UP = re.compile(rb"""["`/]\.\.["`/]""")
_CGO = re.compile(rb'^import "C"', re.MULTILINE)
"""Packages, and what of them lists the files of a folder or may start what does."""


@dataclass(frozen=True, slots=True)
class FileHints:
    """What a Go file says about files: the words that may be names, whether it can list folders.

    `leads_up` tells that it has a path with a `..` in it.
    """

    words: frozenset[str]
    lists: bool
    leads_up: bool = False


def read_hints(text: bytes) -> FileHints:
    """Read a Go file."""
    words = frozenset(word.decode() for word in _WORD.findall(text) if word.isascii())
    lists = any(package in text and names.search(text) for package, names in _LISTING)
    return FileHints(words, lists or bool(_CGO.search(text)), bool(_UP.search(text)))


@dataclass
class CopiedTree:
    """The files of a copy below `top`, and what each Go file of it says about others."""

    top: Path
    files: Files
    _hints: dict[str, FileHints] = field(default_factory=dict)

    def list_readable_files(self, code: frozenset[str], folder: str | None = None) -> Iterator[str]:
        """Yield the files that a program made of the files `code` may read, in order.

        `folder` is that of the package whose benchmarks it holds; None: of all packages.
        """
        hints_by_folder = {path: self._load_hints(path) for path in code if path.endswith(".go")}
        package_hints = [
            file_hints
            for path, file_hints in hints_by_folder.items()
            if folder is None or dirname(path) == folder
        ]
        may_read_all = any(file_hints.lists for file_hints in package_hints) or (
            any(file_hints.leads_up for file_hints in package_hints)
            and any(file_hints.lists for file_hints in hints_by_folder.values())
        )
        named = self._file_names & frozenset[str]().union(
            *(file_hints.words for file_hints in hints_by_folder.values())
        )
        for path in sorted(self.files.keys() - code):
            if may_read_all or PurePosixPath(path).name in named or path in self._always_readable:
                yield path

    @cached_property
    def _file_names(self) -> frozenset[str]:
        return frozenset(PurePosixPath(path).name for path in self.files)

    @cached_property
    def _always_readable(self) -> frozenset[str]:
        """The files that anybody may read: all that look like data, and where links lead."""
        links = [
            normpath(join(dirname(path), text.partition("\0")[2]))
            for path, text in self.files.items()
            if text.startswith("link ")
        ]
        return frozenset(
            path
            for path in self.files
            if _is_data(path) or any(path == to or path.startswith(f"{to}/") for to in links)
        )

    def _load_hints(self, path: str) -> FileHints:
        if path not in self._hints:
            vendored = "vendor" in PurePosixPath(path).parts
            text = b"" if vendored else (self.top / path).read_bytes()
            self._hints[path] = read_hints(text)
        return self._hints[path]


def _is_data(path: str) -> bool:
    *folders, name = PurePosixPath(path).parts
    if not _PLAIN.fullmatch(name) or "testdata" in folders:
        return True
    if name in _MODULE_FILES or for_people(path):
        return False
    if name.endswith(".go"):
        return any(folder.startswith(("_", ".")) for folder in folders)
    return not path.endswith("vendor/modules.txt")
