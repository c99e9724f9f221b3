"""The files of a project, and which function a name in one of them stands for."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import PurePosixPath
from typing import ParamSpec, TypeVar, cast

import libcst as cst

from auditor.core.subject import SourceFile
from mutators.python.lint_rules import tree
from mutators.python.parsing import parse_source

Kind = TypeVar("Kind", cst.FunctionDef, cst.ClassDef)
Answer = TypeVar("Answer")
About = ParamSpec("About")
LocatedFunction = tuple["PythonFile", cst.FunctionDef]

_FARTHEST = 4
"""Over how many modules an import is followed."""
_STARRED = 10
"""How many `from ... import *` of a module are followed."""
_LOOKUP_PARTS = 4
"""By how many of its last parts a module is looked up."""


class PythonFile:
    """One file, parsed when it is asked for."""

    def __init__(self, source: SourceFile) -> None:
        """Keep the source; nothing is read yet."""
        self.path = source.path
        self.text = source.text
        self.place = PurePosixPath(source.path)

    @cached_property
    def module_parts(self) -> tuple[str, ...]:
        """Return the folders and the name that the module is imported by."""
        parts = self.place.with_suffix("").parts
        return parts[:-1] if parts[-1:] == ("__init__",) else parts

    @cached_property
    def raw_words(self) -> frozenset[bytes]:
        """Return the names that stand in the file, before anybody parses it."""
        return frozenset(re.findall(rb"[\w\x80-\xff]+", self.text))

    @cached_property
    def module_tree(self) -> cst.Module | None:
        """Return the tree, None where the file cannot be read."""
        return parse_source(self.text)

    @cached_property
    def statements(self) -> tuple[cst.CSTNode, ...]:
        """Return the statements of the module."""
        return tuple(self.module_tree.body) if self.module_tree is not None else ()

    @cached_property
    def bindings(self) -> tree.Bindings:
        """Return what the module assigns to its names."""
        return tree.find_bindings(self.statements)

    @cached_property
    def functions(self) -> dict[str, cst.FunctionDef]:
        """Return the functions of the module by name, without those defined more than once."""
        return _index_unique_definitions(self.statements, cst.FunctionDef)

    def find_own_function(self, name: str) -> cst.FunctionDef | None:
        """Return the function of a name that the module binds to nothing else."""
        return self.functions.get(name) if len(self.bindings.get(name, ())) == 1 else None

    @cached_property
    def classes(self) -> dict[str, cst.ClassDef]:
        """Return the classes of the module by name, without those defined more than once."""
        return _index_unique_definitions(self.statements, cst.ClassDef)

    @cached_property
    def import_origins(self) -> dict[str, str]:
        """Return what the names that are imported anywhere in the file stand for."""
        origins: dict[str, str] = {}
        for node in tree.walk_tree(*self.statements):
            origins.update(_list_imported_names(node))
        return origins

    @cached_property
    def imported_modules(self) -> frozenset[str]:
        """Return the modules that the file imports, or takes names of."""
        full = self.import_origins.values()
        return frozenset(part for name in full for part in (name, name.rpartition(".")[0]))

    @cached_property
    def star_imports(self) -> tuple[str, ...]:
        """Return the modules of which all names are imported."""
        return tuple(
            _format_import_origin(node)
            for node in tree.walk_own_nodes(*self.statements)
            if isinstance(node, cst.ImportFrom) and isinstance(node.names, cst.ImportStar)
        )

    def expand_name(self, node: cst.CSTNode | str | None) -> str:
        """Return the dotted name with an imported first part written out: `numpy.random.rand`."""
        name = node if isinstance(node, str) else tree.read_dotted_name(node)
        first, _, rest = name.partition(".")
        origin = self.import_origins.get(first)
        return ".".join(filter(None, (origin, rest))) if origin else name

    def is_builtin_name(self, name: str) -> bool:
        """Tell whether a name can only be that of the builtin."""
        return name not in self.bindings and name not in self.import_origins


def _index_unique_definitions(nodes: Iterable[cst.CSTNode], kind: type[Kind]) -> dict[str, Kind]:
    classes_by_name: dict[str, list[Kind]] = {}
    for node in tree.walk_own_nodes(*nodes):
        if isinstance(node, kind):
            classes_by_name.setdefault(node.name.value, []).append(node)
    return {name: classes[0] for name, classes in classes_by_name.items() if len(classes) == 1}


def _list_imported_names(node: cst.CSTNode) -> Iterator[tuple[str, str]]:
    """Yield the names that an import makes, each with what it stands for."""
    if isinstance(node, cst.Import):
        for alias in node.names:
            full = tree.read_dotted_name(alias.name)
            if alias.asname is not None:
                yield tree.read_dotted_name(alias.asname.name), full
            else:
                yield full.partition(".")[0], full.partition(".")[0]
    elif isinstance(node, cst.ImportFrom) and not isinstance(node.names, cst.ImportStar):
        for alias in node.names:
            name = tree.read_dotted_name(alias.name)
            local = tree.read_dotted_name(alias.asname.name) if alias.asname is not None else name
            yield local, _format_import_origin(node, name)


def _format_import_origin(node: cst.ImportFrom, name: str = "") -> str:
    """Return what is imported, with a dot in front for each level of a relative import."""
    module = "." * len(node.relative) + tree.read_dotted_name(node.module)
    return f"{module}.{name}" if name and module.strip(".") else module + name


class PythonProject:
    """All files of a project: its Python, and what says what it needs."""

    def __init__(self, sources: Iterable[SourceFile]) -> None:
        """Keep the files in the order of their paths."""
        self._sources = sorted(sources, key=lambda source: source.path)
        self.files = [PythonFile(source) for source in self._sources if source.path.endswith(".py")]
        self._modules: dict[tuple[str, ...], list[PythonFile]] = {}
        self._around: dict[PurePosixPath, list[PythonFile]] = {}
        self._answers: dict[object, object] = {}
        for file in self.files:
            for length in range(1, min(len(file.module_parts), _LOOKUP_PARTS) + 1):
                self._modules.setdefault(file.module_parts[-length:], []).append(file)
            if file.place.name in ("conftest.py", "__init__.py"):
                self._around.setdefault(file.place.parent, []).append(file)

    def mentions_word(self, word: bytes) -> bool:
        """Tell whether a word stands anywhere: in code, or in what says what the project needs."""
        return any(word in source.text.lower() for source in self._sources)

    def list_texts_named(self, names: Iterable[str]) -> list[bytes]:
        """Return the texts of the files with one of these names, in any folder."""
        file_names = set(names)
        return [
            source.text for source in self._sources if PurePosixPath(source.path).name in file_names
        ]

    def answer_once(
        self, ask: Callable[About, Answer], *about: About.args, **named: About.kwargs
    ) -> Answer:
        """Return the answer to a question that is asked many times, and answered once.

        So many benchmarks of one function cost no more than one of it.
        """
        key = (ask, about, *named.items())
        if key not in self._answers:
            self._answers[key] = ask(*about, **named)
        return cast("Answer", self._answers[key])

    def find_function(self, file: PythonFile, name: str) -> LocatedFunction | None:
        """Return the function that a dotted name in a file stands for, None where nobody knows."""
        if name in file.functions:
            function = file.find_own_function(name)
            return (file, function) if function is not None else None
        full = file.expand_name(name)
        if full == name and "." not in name:
            return None
        return self._follow_import(file, full, _FARTHEST)

    def list_related_files(self, file: PythonFile) -> list[PythonFile]:
        """Return the files that run with a file: what it imports, `conftest.py`, `__init__.py`."""
        files = [
            related_file
            for above in file.place.parents
            for related_file in self._around.get(above, ())
        ]
        for full in (*file.import_origins.values(), *file.star_imports):
            files += self._find_home_files(file, full)
        return files

    def _find_home_files(self, file: PythonFile, full: str) -> Iterator[PythonFile]:
        """Yield the files that an imported name may come from."""
        dots = "." * (len(full) - len(full.lstrip(".")))
        rest = full.lstrip(".")
        for name in (rest, rest.rpartition(".")[0]):
            home = self._find_module_file(file, dots + name) if name else None
            if home is not None:
                yield home

    def _follow_import(self, file: PythonFile, full: str, left: int) -> LocatedFunction | None:
        dots = "." * (len(full) - len(full.lstrip(".")))
        module, _, name = full.lstrip(".").rpartition(".")
        home = self._find_module_file(file, dots + module)
        return (
            None
            if home is None or left == 0
            else self.answer_once(self._find_in_module, home, name, left)
        )

    def _find_in_module(self, home: PythonFile, name: str, left: int) -> LocatedFunction | None:
        """Return the function of a name in a module, by way of what it imports too."""
        if name.encode() not in home.raw_words and b"import *" not in home.text:
            return None
        if name in home.functions:
            function = home.find_own_function(name)
            return (home, function) if function is not None else None
        if name in home.import_origins:
            return self._follow_import(home, home.import_origins[name], left - 1)
        starred = home.star_imports if len(home.star_imports) <= _STARRED else ()
        definitions = (
            self._follow_import(home, f"{module}.{name}", left - 1) for module in starred
        )
        return next(filter(None, definitions), None)

    def _find_module_file(self, file: PythonFile, name: str) -> PythonFile | None:
        """Return the file of a module; None where none or several could be meant."""
        dots = len(name) - len(name.lstrip("."))
        parts = tuple(part for part in name.split(".") if part)
        if not dots:
            return self.answer_once(self._find_file_named, parts)
        if dots > len(file.place.parents):
            return None
        return self.answer_once(self._find_file_at, (*file.place.parents[dots - 1].parts, *parts))

    def _find_file_at(self, parts: tuple[str, ...]) -> PythonFile | None:
        fits = [
            file
            for file in self._modules.get(parts[-_LOOKUP_PARTS:], ())
            if file.module_parts == parts
        ]
        return fits[0] if len(fits) == 1 else None

    def _find_file_named(self, parts: tuple[str, ...]) -> PythonFile | None:
        candidates = self._modules.get(parts[-_LOOKUP_PARTS:], ()) if parts else ()
        fits = _select_nearest_files(
            [file for file in candidates if file.module_parts[-len(parts) :] == parts]
        )
        return fits[0] if len(fits) == 1 else None


def _select_nearest_files(files: list[PythonFile]) -> list[PythonFile]:
    """Return the files with the fewest folders above them: `src/a/b.py` before `old/src/a/b.py`."""
    fewest = min((len(file.place.parts) for file in files), default=0)
    return [file for file in files if len(file.place.parts) == fewest]
