"""Serves changed modules to the interpreter; part of the guest: Python 3.9 to 3.14, nothing else.

Neither a source file nor a `.pyc` is written or read for a changed module: it is compiled from the
text that we were given, with the lines and columns of the user's file, so that tracebacks and
`inspect.getsource` tell of that file.
"""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from codecs import BOM_UTF8
from importlib.machinery import ModuleSpec, SourceFileLoader
from typing import Any

MARK = b"# zz-bench-audit"


def placed(changed: bytes, original: bytes) -> ast.Module:
    """Return the changed text as a tree whose nodes lie where they are in the original.

    Both are bytes, which have lines where Python has them; a text has some more. Raises ValueError
    where the two differ in more than our own lines, indentation and a byte order mark.
    """
    original_lines = original.removeprefix(BOM_UTF8).splitlines()
    lines: list[int] = [0]
    shifts: list[int | None] = [None]
    number = 0
    for line in changed.splitlines():
        if line.endswith(MARK):
            shifts.append(None)
        else:
            number += 1
            shifts.append(_shift(line, original_lines, number))
        lines.append(max(1, number))
    if number != len(original_lines):
        raise ValueError(f"the file has {len(original_lines)} lines, the changed one {number}")
    tree = ast.parse(changed)
    for node in ast.walk(tree):
        if getattr(node, "lineno", None) is not None:
            _place(node, lines, shifts)
    return tree


def _shift(line: bytes, original_lines: list[bytes], number: int) -> int:
    """Return by how many bytes a line was moved to the right; of a one-line `def` the head is."""
    original_line = original_lines[number - 1] if number <= len(original_lines) else b""
    if not original_line.strip().startswith(line.strip()):
        raise ValueError(f"line {number} is not the file's: {line.strip()!r}")
    return max(
        0, len(line) - len(line.lstrip()) - (len(original_line) - len(original_line.lstrip()))
    )


def _place(node: Any, lines: list[int], shifts: list[int | None]) -> None:
    (first, last), (begin, end) = (node.lineno, node.end_lineno), (0, 0)
    begin_shift, end_shift = shifts[first], shifts[last]
    if begin_shift is not None:
        begin = max(0, node.col_offset - begin_shift)
    if end_shift is not None:
        end = max(0, node.end_col_offset - end_shift)
    node.lineno, node.end_lineno = lines[first], lines[last]
    if node.lineno == node.end_lineno:
        end = max(begin, end)
    node.col_offset, node.end_col_offset = begin, end


class Changed(SourceFileLoader):
    """Loads a module from the text that stands in for its file.

    `get_source` and `get_data` are still those of the file.
    """

    def __init__(self, name: str, path: str, changed: str, digest: str) -> None:
        super().__init__(name, path)
        self.changed, self.digest = changed, digest

    def get_code(self, fullname: str) -> Any:
        """Compile the changed text; no `.pyc` is read, and none written."""
        try:
            code = self._compiled(fullname)
        except Exception as error:
            tell("refused", f"{fullname} cannot be changed: {' '.join(str(error).split())}")
            raise
        tell("present", fullname)
        return code

    def _compiled(self, fullname: str) -> Any:
        original = self.get_data(self.path)
        if hashlib.sha256(original).hexdigest() != self.digest:
            raise ImportError(f"{self.path} is not the file that {fullname} was changed in")
        with open(self.changed, "rb") as file:
            tree = placed(file.read(), original)
        return compile(tree, self.path, "exec", dont_inherit=True)


class Finder:
    """Finds what other finders would, and has the changed modules loaded by us.

    `modules` has for each name the path of the changed text and the digest of the file's.
    """

    def __init__(self, modules: dict[str, tuple[str, str]]) -> None:
        self.modules = modules

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the specification of a changed module, None for all others."""
        if name not in self.modules:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None:
                break
        else:
            return None
        if type(spec.loader) is not SourceFileLoader:
            kind = type(spec.loader).__name__
            tell("refused", f"{name} is loaded by {kind}, not from a file of source text")
            return None
        spec.loader = Changed(name, str(spec.origin), *self.modules[name])
        spec.cached = None
        return spec


def tell(*fields: str) -> None:
    """Append a record, if records are asked for."""
    if path := os.environ.get("BENCH_AUDIT_RECORDS"):
        handle = os.open(path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(handle, ("\t".join(fields) + "\n").encode("utf-8", "backslashreplace"))
        finally:
            os.close(handle)


def install(instructions: str) -> None:
    """Serve the modules that a file of instructions names: `module NAME TEXT DIGEST` a line.

    With counters, `library NAME PATH DIGEST` is a line for each module of the library.
    """
    modules, library = {}, set()
    with open(instructions, encoding="utf-8") as file:
        for line in file:
            kind, *fields = line.rstrip("\n").split("\t")
            if kind == "module":
                modules[fields[0]] = (fields[1], fields[2])
            elif kind == "library":
                library.add(fields[0])
    if library:
        from zz_bench_audit import callers

        callers.library = frozenset(library)
    sys.meta_path.insert(0, Finder(modules))
