"""The files of a project, and which function a name in one of them stands for."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import PurePosixPath
from typing import TypeVar

import libcst as cst

from auditor.core.subject import SourceFile
from mutators.python.smells import tree

Kind = TypeVar("Kind", cst.FunctionDef, cst.ClassDef)

_FARTHEST = 4
"""Over how many modules an import is followed."""


class File:
    """One file, parsed when it is asked for."""

    def __init__(self, source: SourceFile) -> None:
        """Keep the source; nothing is read yet."""
        self.path = source.path
        self.text = source.text
        self.place = PurePosixPath(source.path)

    @cached_property
    def module(self) -> cst.Module | None:
        """Return the tree, None where the file cannot be read."""
        return tree.parse(self.text)

    @cached_property
    def statements(self) -> tuple[cst.CSTNode, ...]:
        """Return the statements of the module."""
        return tuple(self.module.body) if self.module is not None else ()

    @cached_property
    def bindings(self) -> tree.Bindings:
        """Return what the module assigns to its names."""
        return tree.bindings(self.statements)

    @cached_property
    def functions(self) -> dict[str, cst.FunctionDef]:
        """Return the functions of the module by name, without those defined more than once."""
        return _single(self.statements, cst.FunctionDef)

    @cached_property
    def classes(self) -> dict[str, cst.ClassDef]:
        """Return the classes of the module by name, without those defined more than once."""
        return _single(self.statements, cst.ClassDef)

    @cached_property
    def imports(self) -> dict[str, str]:
        """Return what the names that are imported anywhere in the file stand for."""
        found: dict[str, str] = {}
        for node in tree.descend(*self.statements):
            found.update(_imported(node))
        return found

    @cached_property
    def starred(self) -> tuple[str, ...]:
        """Return the modules of which all names are imported."""
        return tuple(
            _origin(node)
            for node in tree.own(*self.statements)
            if isinstance(node, cst.ImportFrom) and isinstance(node.names, cst.ImportStar)
        )

    def meant(self, node: cst.CSTNode | str | None) -> str:
        """Return the dotted name with an imported first part written out: `numpy.random.rand`."""
        name = node if isinstance(node, str) else tree.dotted(node)
        first, _, rest = name.partition(".")
        origin = self.imports.get(first)
        return ".".join(filter(None, (origin, rest))) if origin else name

    def plain(self, name: str) -> bool:
        """Tell whether a name can only be that of the builtin."""
        return name not in self.bindings and name not in self.imports


def _single(nodes: Iterable[cst.CSTNode], kind: type[Kind]) -> dict[str, Kind]:
    found: dict[str, list[Kind]] = {}
    for node in tree.own(*nodes):
        if isinstance(node, kind):
            found.setdefault(node.name.value, []).append(node)
    return {name: each[0] for name, each in found.items() if len(each) == 1}


def _imported(node: cst.CSTNode) -> Iterator[tuple[str, str]]:
    """Yield the names that an import makes, each with what it stands for."""
    if isinstance(node, cst.Import):
        for alias in node.names:
            full = tree.dotted(alias.name)
            if alias.asname is not None:
                yield tree.dotted(alias.asname.name), full
            else:
                yield full.partition(".")[0], full.partition(".")[0]
    elif isinstance(node, cst.ImportFrom) and not isinstance(node.names, cst.ImportStar):
        for alias in node.names:
            name = tree.dotted(alias.name)
            local = tree.dotted(alias.asname.name) if alias.asname is not None else name
            yield local, _origin(node, name)


def _origin(node: cst.ImportFrom, name: str = "") -> str:
    """Return what is imported, with a dot in front for each level of a relative import."""
    module = "." * len(node.relative) + tree.dotted(node.module)
    return f"{module}.{name}" if name and module.strip(".") else module + name


class Project:
    """All files of a project."""

    def __init__(self, sources: Iterable[SourceFile]) -> None:
        """Keep the files in the order of their paths."""
        self.files = [File(one) for one in sorted(sources, key=lambda one: one.path)]
        self._modules: dict[str, list[File]] = {}
        for file in self.files:
            self._modules.setdefault(_last(file), []).append(file)

    def function(self, file: File, name: str) -> tuple[File, cst.FunctionDef] | None:
        """Return the function that a dotted name in a file stands for, None where nobody knows."""
        if name in file.functions:
            bound = file.bindings.get(name, [])
            return (file, file.functions[name]) if len(bound) == 1 else None
        full = file.meant(name)
        if full == name and "." not in name:
            return None
        return self._follow(file, full, _FARTHEST)

    def around(self, file: File) -> list[File]:
        """Return the files that run with a file: what it imports, `conftest.py`, `__init__.py`."""
        above = set(file.place.parents)
        found = [
            one
            for one in self.files
            if one.place.name in ("conftest.py", "__init__.py") and one.place.parent in above
        ]
        for full in (*file.imports.values(), *file.starred):
            found += self._homes(file, full)
        return found

    def _homes(self, file: File, full: str) -> Iterator[File]:
        """Yield the files that an imported name may come from."""
        dots = "." * (len(full) - len(full.lstrip(".")))
        rest = full.lstrip(".")
        for name in (rest, rest.rpartition(".")[0]):
            home = self._module(file, dots + name) if name else None
            if home is not None:
                yield home

    def _follow(self, file: File, full: str, left: int) -> tuple[File, cst.FunctionDef] | None:
        dots = "." * (len(full) - len(full.lstrip(".")))
        module, _, name = full.lstrip(".").rpartition(".")
        home = self._module(file, dots + module)
        if home is None or left == 0 or not _mentions(home, name):
            return None
        if name in home.functions:
            single = len(home.bindings.get(name, [])) == 1
            return (home, home.functions[name]) if single else None
        if name in home.imports:
            return self._follow(home, home.imports[name], left - 1)
        found = (self._follow(home, f"{each}.{name}", left - 1) for each in home.starred)
        return next(filter(None, found), None)

    def _module(self, file: File, name: str) -> File | None:
        """Return the file of a module; None where none or several could be meant."""
        dots = len(name) - len(name.lstrip("."))
        parts = [part for part in name.split(".") if part]
        if dots:
            if dots > len(file.place.parents):
                return None
            wanted = [*file.place.parents[dots - 1].parts, *parts]
            fits = [one for one in self._candidates(wanted) if _parts(one) == wanted]
        else:
            fits = [
                one
                for one in self._candidates(parts)
                if parts and _parts(one)[-len(parts) :] == parts
            ]
            fits = _nearest(fits)
        return fits[0] if len(fits) == 1 else None

    def _candidates(self, parts: list[str]) -> list[File]:
        return self._modules.get(parts[-1], []) if parts else []


def _mentions(file: File, name: str) -> bool:
    """Tell whether a file may define or import a name, before anybody parses it."""
    return name.encode() in file.text or b"import *" in file.text


def _parts(file: File) -> list[str]:
    """Return the folders and the name that a module is imported by."""
    parts = list(file.place.with_suffix("").parts)
    return parts[:-1] if parts[-1] == "__init__" else parts


def _last(file: File) -> str:
    parts = _parts(file)
    return parts[-1] if parts else ""


def _nearest(files: list[File]) -> list[File]:
    """Return the files with the fewest folders above them: `src/a/b.py` before `old/src/a/b.py`."""
    fewest = min((len(one.place.parts) for one in files), default=0)
    return [one for one in files if len(one.place.parts) == fewest]
