"""Go trees from before modules: the go.mod that their copy gets."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from auditor.core.files.foreign_files import BEGINNING, read_beginning
from runners.subjects.gomod import MODULE_FILE, WORKSPACE_FILE
from runners.subjects.tree_entries import TreeEntry

GENERATED_HEADER = "// Made by bench-audit: this tree has no go.mod."
"""The first line of such a go.mod."""
_IMPORT_COMMENT = re.compile(rb'^package\s+\w+\s*//\s*import\s+"([\w.~/+-]+)"', re.MULTILINE)
_IMPORTS = re.compile(rb'^import\s*(?:[\w.]+\s*)?(?:"[^"\n]+"|\([^)]*)', re.MULTILINE)
_QUOTED = re.compile(rb'"([\w.-]+\.[a-z]+/[\w.~/+-]{1,400})"')
"""An import path with a host; its length is limited, as each of its folders is tried."""
_TESTED = re.compile(rb"^package\s+(\w+)_test\b", re.MULTILINE)
_ADDRESS = re.compile(r"^(?:\w+://)?(?:[^@/]*@)?([\w.-]+\.[a-z]+)(?::\d+)?[:/](.+?)(?:\.git)?/*$")
_ELSEWHERE = frozenset(("vendor", "Godeps", "testdata", "_workspace"))
_DECLARED, _OWN_TEST = 1000, 1
"""Weights of what a file says of its own path: in an import comment; as an outer test package."""


def add_module_file(
    entries: Iterable[TreeEntry], inside: PurePosixPath, origin: str
) -> list[TreeEntry]:
    """Add a go.mod at the top of a copy whose part `inside` holds Go files and no module.

    The module's path is what the files say of themselves (import comments, imports of each other),
    else that of `origin`, the address of a repository or a folder.
    """
    files = list(entries)
    paths = {file.path for file in files}
    around = (inside, *inside.parents)
    if any(folder / name in paths for folder in around for name in (MODULE_FILE, WORKSPACE_FILE)):
        return files
    sources = [file for file in files if file.path.suffix == ".go" and file.link is None]
    sources = [source for source in sources if not _ELSEWHERE & {*source.path.parts}]
    return [
        *files,
        make_module_file(_choose_module_path(sources) or _derive_module_path(origin), files),
    ]


def make_module_file(module: str, entries: Iterable[TreeEntry]) -> TreeEntry:
    """Return the go.mod of a module with these files."""
    # Up to Go 1.13 a vendor folder needs no modules.txt.
    version = "1.13" if any(entry.path.parts[0] == "vendor" for entry in entries) else "1.16"
    text = f"{GENERATED_HEADER}\n\nmodule {module}\n\ngo {version}\n"
    return TreeEntry(PurePosixPath(MODULE_FILE), text.encode())


def find_generated_module(tree: Path) -> Path | None:
    """Return the top of the module that a copied tree is in, if its go.mod is one of ours."""
    file = next(
        (
            parent / MODULE_FILE
            for parent in (tree, *tree.parents)
            if (parent / MODULE_FILE).is_file()
        ),
        None,
    )
    is_ours = file is not None and read_beginning(file).startswith(GENERATED_HEADER.encode())
    return file.parent if file and is_ours else None


def _choose_module_path(sources: Sequence[TreeEntry]) -> str:
    """Return the path that the files' own words speak for most, empty where they say nothing."""
    folders = {source.path.parent for source in sources}
    votes = Counter[str]()
    for source in sources:
        for path, weight in _list_path_votes(source, folders):
            votes[path] += weight
    return max(sorted(votes), key=lambda path: votes[path], default="")


def _list_path_votes(source: TreeEntry, folders: set[PurePosixPath]) -> Iterator[tuple[str, int]]:
    """Yield what a file says the path of the tree's top is, with a weight."""
    content, folder = source.content, source.path.parent
    text = content[:BEGINNING] if isinstance(content, bytes) else read_beginning(content)
    if comment := _IMPORT_COMMENT.search(text):
        yield from ((top, _DECLARED) for top in _strip_inner_path(comment[1].decode(), folder))
    tested = _TESTED.search(text)
    for block in _IMPORTS.findall(text):
        for match in _QUOTED.findall(block):
            path = match.decode()
            parts = PurePosixPath(path).parts
            ends = (PurePosixPath(*parts[number:]) for number in range(1, len(parts)))
            inner = next((end for end in ends if end in folders), None)
            if inner is not None:
                yield from ((top, _OWN_TEST) for top in _strip_inner_path(path, inner))
            elif tested and folder == PurePosixPath() and tested[1].decode() in parts[-1]:
                yield path, _OWN_TEST


def _strip_inner_path(path: str, inner: PurePosixPath) -> Iterator[str]:
    """Yield an import path without the folder at its end."""
    if inner == PurePosixPath():
        yield path
    elif path.endswith(f"/{inner}"):
        yield path.removesuffix(f"/{inner}")


def _derive_module_path(origin: str) -> str:
    """Return the import path of a repository's address; of a folder its name."""
    match = _ADDRESS.match(origin)
    if match:
        return f"{match[1]}/{match[2].strip('/')}"
    return re.sub(r"[^A-Za-z0-9._~-]+", "-", PurePosixPath(origin).name).strip(".-") or "subject"
