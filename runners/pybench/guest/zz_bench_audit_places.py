"""Where the project declares a function whose code runs; part of the guest."""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from types import CodeType

_ACCESSORS = ("setter", "deleter")
Place = tuple[str, int, str]
"""A file relative to the project's root, or empty; the line of the `def`, or 0; a name."""


class Places:
    """Knows the modules of the library, and reads those that were sampled.

    The file `modules` has `source NAME PATH DIGEST` a line, parted by tabs.
    """

    def __init__(self, modules: str) -> None:
        self.root = os.path.realpath(os.getcwd())
        self.modules: dict[str, tuple[str, str]] = {}
        with open(modules, encoding="utf-8") as file:
            for line in file:
                _, name, path, digest = line.rstrip("\n").split("\t")
                self.modules[name] = path, digest
        self.files: dict[str, str] = {}
        """The project's path of each file that a module of the library was loaded from."""
        self.digests: dict[str, str] = {}
        """Of the same files."""
        self.lines: dict[str, dict[tuple[str, int], tuple[str, int]]] = {}
        """What the files declare that were read, by the file that was loaded."""
        self.known: dict[tuple[str, str, int], Place] = {}
        self.look()

    def look(self) -> None:
        """Take in the modules that were loaded since the last time."""
        for name in [name for name in self.modules if name in sys.modules]:
            path, digest = self.modules.pop(name)
            file = getattr(sys.modules[name], "__file__", None)
            if file and os.path.isfile(file):
                with open(file, "rb") as opened:
                    if hashlib.sha256(opened.read()).hexdigest() == digest:
                        self.files[file] = self.files[os.path.realpath(file)] = path
                        self.digests[file] = self.digests[os.path.realpath(file)] = digest

    def read(self, file: str) -> dict[tuple[str, int], tuple[str, int]]:
        """Return what a file of the library declares; nothing if it has changed meanwhile."""
        if file not in self.lines:
            with open(file, "rb") as opened:
                text = opened.read()
            is_same = hashlib.sha256(text).hexdigest() == self.digests.get(file)
            self.lines[file] = find_declarations(text) if is_same else {}
        return self.lines[file]

    def of_code(self, code: CodeType) -> Place:
        """Return where a code object was declared."""
        key = code.co_filename, code.co_name, code.co_firstlineno
        if key not in self.known:
            self.known[key] = self._locate(code)
        return self.known[key]

    def _locate(self, code: CodeType) -> Place:
        name = getattr(code, "co_qualname", code.co_name)
        file = self.files.get(code.co_filename) or self.files.get(
            os.path.realpath(code.co_filename)
        )
        if file is None:
            return self._inside(code.co_filename), 0, name
        lines = self.read(code.co_filename)
        declared_name, line = lines.get((code.co_name, code.co_firstlineno), (name, 0))
        return file, line, declared_name

    def _inside(self, path: str) -> str:
        """Return a path relative to the project's root, empty where it lies elsewhere."""
        real = os.path.realpath(path)
        if not real.startswith(self.root + os.sep) or not os.path.isfile(real):
            return ""
        return os.path.relpath(real, self.root).replace(os.sep, "/")


def find_declarations(text: bytes) -> dict[tuple[str, int], tuple[str, int]]:
    """Return name and line of each function of a file, by its own name and its code's first line.

    The first line of code is that of the first decorator.
    """
    tree = ast.parse(text)
    declarations: dict[tuple[str, int], tuple[str, int]] = {}
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, prefix = waiting.pop()
        inner = prefix
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if any(map(_is_overload, node.decorator_list)):
                continue  # a stub for type checkers, which nothing calls
            name = prefix + _own_name(node)
            begin = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            declarations[node.name, begin] = name, node.lineno
            inner = f"{name}.<locals>."
        elif isinstance(node, ast.ClassDef):
            inner = f"{prefix}{node.name}."
        waiting += [(child, inner) for child in ast.iter_child_nodes(node)]
    return declarations


def _is_overload(decorator: ast.expr) -> bool:
    name = getattr(decorator, "attr", getattr(decorator, "id", ""))
    return name == "overload" and not isinstance(decorator, ast.Call)


def _own_name(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Attribute) and decorator.attr in _ACCESSORS:
            return f"{node.name}.{decorator.attr}"
    return node.name
