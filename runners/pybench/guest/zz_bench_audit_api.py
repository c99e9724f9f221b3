"""Writes down which functions of a library its public names lead to; part of the guest.

    python -m zz_bench_audit_api MODULES ANSWER

MODULES has `NAME PATH` a line, parted by a tab; ANSWER gets a line of JSON for each piece of code
with its public names, for each that a JIT compiler takes, for each module that cannot be imported,
for each name that cannot be followed, and for the names without Python code.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import inspect
import json
import os
import sys
import textwrap
import types
import warnings
from collections.abc import Iterator
from typing import Any

_LONGEST = 300
_MOST_DEPTH = 6
Named = tuple[str, Any]
_WITH_FUNC = (functools.cached_property, functools.partial, functools.partialmethod)
_COMPILERS = frozenset({"numba", "jax", "jaxlib"})
_COMPILED = (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)


class Library:
    """The modules of a library, and what was found of them."""

    def __init__(self, modules: dict[str, str]) -> None:
        self.modules = modules
        self.files: dict[str, str] = {}
        self.names: dict[tuple[str, int], list[str]] = {}
        self.compiled: list[str] = []
        self.compilers: dict[tuple[str, int], str] = {}
        self.unread: dict[str, str] = {}
        self.seen: set[tuple[int, str]] = set()
        self.loaded: dict[str, types.ModuleType] = {}

    def load(self) -> None:
        """Import the public modules, and note the files that their code is in."""
        for name in self.modules:
            if _is_public(name) and not name.endswith("__main__"):
                with self.reading(name):
                    self.loaded[name] = importlib.import_module(name)
        for name, path in self.modules.items():
            with self.reading(name):
                file = getattr(sys.modules.get(name), "__file__", None)
                if file:
                    self.files[os.path.realpath(file)] = path

    @contextlib.contextmanager
    def reading(self, name: str) -> Iterator[None]:
        """Note why a name cannot be read; reading an attribute may run any code and raise."""
        try:
            yield
        except BaseException as error:
            self.unread.setdefault(name, _reason(error))

    def place(self, code: types.CodeType) -> str | None:
        """Return the library's path of the file that code is in, None where it is elsewhere."""
        return self.files.get(os.path.realpath(code.co_filename))

    def is_own(self, module: Any) -> bool:
        """Tell whether an object of a module belongs to the library."""
        return isinstance(module, str) and (
            module in self.modules or any(module.startswith(f"{top}.") for top in self.tops())
        )

    def tops(self) -> set[str]:
        """Return the names of the packages."""
        return {name.partition(".")[0] for name in self.modules}

    def walk(self) -> None:
        """Follow all public names."""
        for module, loaded_module in self.loaded.items():
            names: list[str] = []
            with self.reading(module):
                names += _public_names(module, loaded_module, self)
            for name in names:
                with self.reading(f"{module}.{name}"):
                    self.follow(f"{module}.{name}", getattr(loaded_module, name))

    def follow(self, name: str, value: Any, depth: int = 0) -> None:
        """Note the code that a public name leads to."""
        if depth > _MOST_DEPTH or (id(value), name) in self.seen:
            return
        self.seen.add((id(value), name))
        with self.reading(name):
            if inspect.isclass(value):
                if self.is_own(_module_of(value)):
                    self.of_class(name, value, depth)
            elif not isinstance(value, types.ModuleType):
                self.of_object(name, value, depth)

    def of_object(self, name: str, value: Any, depth: int) -> None:
        """Follow what is no class: a function, what wraps one, an object."""
        self.note_compiler(value)
        inner_values = list(_inside(name, value))
        if isinstance(value, types.FunctionType):
            if not any(self.leads_here(inner_value) for _, inner_value in inner_values):
                inner_values = self.hidden(name, value)
                if not inner_values:
                    self.note(name, value.__code__)
        elif not inner_values:
            self.of_instance(name, value, depth)
        for inner_name, inner_value in inner_values:
            self.follow(inner_name, inner_value, depth + 1)
        if isinstance(value, _COMPILED) and self.is_own(getattr(value, "__module__", None)):
            self.compiled.append(name)

    def hidden(self, name: str, value: types.FunctionType) -> list[Named]:
        """Return the function of the library that another one wraps without saying so."""
        last = name.rpartition(".")[2]
        if "<locals>" not in value.__qualname__:
            return []
        functions = [getattr(content, "__func__", content) for content in _closure(value)]
        return [
            (name, function)
            for function in functions
            if self.leads_here(function) and getattr(function, "__name__", "") == last
        ][:1]

    def leads_here(self, value: Any) -> bool:
        """Tell whether a function that is wrapped has code of the library."""
        try:
            inner = inspect.unwrap(getattr(value, "__func__", value))
        except ValueError:  # it wraps itself
            return False
        return isinstance(inner, types.FunctionType) and self.place(inner.__code__) is not None

    def of_class(self, name: str, value: type, depth: int) -> None:
        """Follow the methods of a class and of its bases that it does not override."""
        visited: set[str] = set()
        for ancestor in value.__mro__:
            members = vars(ancestor)
            is_own = self.is_own(_module_of(ancestor))
            if is_own and _is_compiled(ancestor):
                self.compiled.append(name)
            for member, attribute in list(members.items()):
                if is_own and member not in visited and _is_public(member):
                    with self.reading(f"{name}.{member}"):
                        if _belongs(ancestor, attribute) and not self.is_stub(ancestor, attribute):
                            self.follow(f"{name}.{member}", attribute, depth + 1)
                visited.add(member)

    @staticmethod
    def is_stub(owner: type, member: Any) -> bool:
        """Tell whether a member only says what others have."""
        function = getattr(member, "fget", None) or getattr(member, "__func__", member)
        declared = bool(getattr(member, "__isabstractmethod__", False))
        declared = declared or bool(getattr(owner, "_is_protocol", False))
        return _is_empty(function, declared=declared)

    def of_instance(self, name: str, value: Any, depth: int) -> None:
        """Follow the methods of an object of the library, or the function in one of another's."""
        kind = type(value)
        if self.is_own(kind.__module__) and not hasattr(kind, "__get__"):
            if not depth:
                self.of_class(name, kind, depth)
            return
        for attribute in list(getattr(value, "__dict__", {}).values()):
            if isinstance(attribute, types.FunctionType) and self.leads_here(attribute):
                self.follow(name, attribute, depth + 1)

    def note_compiler(self, value: Any) -> None:
        """Note the code that a JIT compiler makes machine code of."""
        function = getattr(value, "py_func", None)
        top = str(type(value).__module__).partition(".")[0]
        if top in _COMPILERS and function is None:
            function = getattr(value, "__wrapped__", None)
        elif isinstance(value, types.FunctionType):
            return  # it is run as it is, whatever hangs on it
        if isinstance(function, types.FunctionType):
            for target in (function, inspect.unwrap(function)):
                path = self.place(target.__code__)
                if path is not None:
                    self.compilers[path, target.__code__.co_firstlineno] = top

    def note(self, name: str, code: types.CodeType) -> None:
        """Note a name of some code, if it is the library's."""
        path = self.place(code) if type(code) is types.CodeType else None
        if path is not None and all(part.isidentifier() for part in name.split(".")):
            names = self.names.setdefault((path, code.co_firstlineno), [])
            if name not in names:
                names.append(name)


def _inside(name: str, value: Any) -> Iterator[Named]:
    """Yield what runs where a value is called or read."""
    registry = getattr(value, "registry", None)
    if isinstance(value, functools.singledispatchmethod):
        registry = value.dispatcher.registry
        yield name, value.func
    if isinstance(registry, types.MappingProxyType):
        yield from ((name, fromkey) for fromkey in dict.fromkeys(registry.values()))
    elif isinstance(value, property):
        parts = (("", value.fget), (".setter", value.fset), (".deleter", value.fdel))
        yield from ((name + end, accessor) for end, accessor in parts if accessor is not None)
    elif isinstance(value, _WITH_FUNC):
        yield name, value.func
    elif isinstance(value, (staticmethod, classmethod, types.MethodType)):
        yield name, value.__func__
    elif "__wrapped__" in getattr(value, "__dict__", {}):
        yield name, value.__wrapped__


def _belongs(owner: type, member: Any) -> bool:
    """Tell whether a member is the class's own; a class that it refers to has its own names."""
    return not inspect.isclass(member) or (
        member.__qualname__ == f"{owner.__qualname__}.{member.__name__}"
    )


def _module_of(owner: type) -> Any:
    """Return the name of a class's module; its objects may have a property of that name."""
    module = getattr(owner, "__module__", None)
    if isinstance(module, str):
        return module
    functions = (
        function for function in vars(owner).values() if isinstance(function, types.FunctionType)
    )
    return next((function.__module__ for function in functions), None)


def _is_compiled(owner: type) -> bool:
    """Tell whether a class has methods of compiled code that are no other class's."""
    kinds = types.MethodDescriptorType, types.WrapperDescriptorType
    # The class of an object may be a lie, or raise; its type is neither.
    return any(
        type(member) in kinds and member.__objclass__ is owner for member in vars(owner).values()
    )


def _closure(function: types.FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # it is not filled yet
            continue


def _is_empty(function: Any, *, declared: bool) -> bool:
    """Tell whether a body is `...`, or raises NotImplementedError, or, if declared, is `pass`."""
    try:
        (node,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, TypeError, SyntaxError, ValueError, IndentationError):
        return False
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    body = node.body[ast.get_docstring(node) is not None :]
    if not body or (len(body) == 1 and isinstance(body[0], ast.Pass)):
        return declared
    if len(body) > 1:
        return False
    if isinstance(body[0], ast.Raise):
        return "NotImplementedError" in ast.dump(body[0])
    value = getattr(body[0], "value", None)
    return isinstance(value, ast.Constant) and value.value is ...


def _public_names(module: str, loaded_module: types.ModuleType, library: Library) -> Iterator[str]:
    """Yield the public names of a module; its own `__getattr__` and `__dir__` are none."""
    exports = getattr(loaded_module, "__all__", None)
    if isinstance(exports, (list, tuple, set, frozenset)):
        yield from (export for export in exports if isinstance(export, str))
        return
    imported = _imported(loaded_module, library)
    for name in list(vars(loaded_module)):
        if not name.startswith("_") and imported.get(name, True):
            yield name


def _imported(loaded_module: types.ModuleType, library: Library) -> dict[str, bool]:
    """Return the names that a module's text imports, and which of them it shows to its users.

    These are names of the library in the `__init__` of a package, and what is imported as itself.
    """
    try:
        with open(str(loaded_module.__file__), "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return {}
    package, visibility = hasattr(loaded_module, "__path__"), {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            is_own = isinstance(node, ast.ImportFrom) and (
                node.level > 0 or library.is_own(node.module)
            )
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                visibility[name] = (package and is_own) or alias.asname == alias.name
    return visibility


def _reason(error: BaseException) -> str:
    """Return what was raised, in one line; an exception may even fail to say what it is."""
    try:
        text = str(error)
    except BaseException:
        text = ""
    return " ".join(f"{type(error).__name__}: {text}".split())[:_LONGEST]


def _is_public(name: str) -> bool:
    return not any(
        part.startswith("_") and not (part.startswith("__") and part.endswith("__"))
        for part in name.split(".")
    )


def main(modules: str, answer: str) -> None:
    """Import, follow, write."""
    with open(modules, encoding="utf-8") as file:
        library = Library(dict(line.rstrip("\n").split("\t") for line in file))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library.load()
        library.walk()
    entries: list[Any] = [
        {"path": path, "line": line, "names": names}
        for (path, line), names in library.names.items()
    ]
    entries += [
        {"path": path, "line": line, "compiler": compiler}
        for (path, line), compiler in library.compilers.items()
    ]
    entries += [{"unread": name, "why": reason} for name, reason in library.unread.items()]
    entries.append({"compiled": list(dict.fromkeys(library.compiled))})
    with open(answer, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(entry) + "\n" for entry in entries)
    # Threads and exit handlers of the library are of no use here.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
