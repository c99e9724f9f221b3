"""The functions of a library with their public names, as the running interpreter tells them.

A source of the role PUBLIC has what importing the library showed: a line of JSON for each piece of
code with its public names, for each that a JIT compiler takes, for each module or name that could
not be read, for the names of compiled code, and one that says why the interpreter told nothing. The
library's own code runs in the process that writes it, so that any other line may be there, too.
What it does not tell, and all of a library without it, is read from the sources (`api`).
"""

import ast
import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from auditor.core.caveats import list_some
from auditor.core.subject import Method, SourceFile, SourceRole
from mutators.python.api import LibraryApi
from mutators.python.functions import (
    LOCALS,
    FunctionDefinitions,
    defined_functions,
    explain_compiled,
    is_private,
    parse_module,
    read_library_names,
)
from mutators.python.trivial import Definition

Functions = list[tuple[SourceFile, list[FunctionDefinitions]]]
_LONGEST = 300
"""Characters of a reason."""


@dataclass(frozen=True, slots=True)
class PublicNames:
    """What importing a library showed."""

    names: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    """Public names by file and first line of code."""
    compilers: Mapping[tuple[str, int], str] = field(default_factory=dict)
    """JIT compilers by file and first line of the code that they take."""
    unread: Mapping[str, str] = field(default_factory=dict)  # modules and names: the reason of each
    compiled: tuple[str, ...] = ()  # names of code that is not Python
    failure: str = ""  # why the interpreter told nothing
    broken: int = 0  # lines that are none of ours

    @property
    def is_known(self) -> bool:
        """Tell whether the interpreter told any name, be it of compiled code."""
        return bool(self.names or self.compiled)

    def find_names(self, function: FunctionDefinitions) -> tuple[str, ...]:
        """Return the public names that lead to a function."""
        return self.names.get(_locate_definition(function), ())

    def find_compiler(self, function: FunctionDefinitions) -> str:
        """Return the JIT compiler that takes a function, empty where none is known."""
        return self.compilers.get(_locate_definition(function), "")

    def find_public_ids(self, functions: Functions) -> frozenset[str]:
        """Return the names of definitions that are public names of their own code."""
        return frozenset(
            function.method.id
            for _, definitions in functions
            for function in definitions
            if _is_writable(function.method.id) and function.method.id in self.find_names(function)
        )


def _locate_definition(function: FunctionDefinitions) -> tuple[str, int]:
    """Return the file and the first line of a function that no other was merged with yet."""
    span = function.method.span
    return span.file if span else "", function.first_lines[0]


def _read_public_names(sources: Sequence[SourceFile]) -> PublicNames:
    """Return what a library showed; nothing is known where it was not imported."""
    names: dict[tuple[str, int], tuple[str, ...]] = {}
    compilers: dict[tuple[str, int], str] = {}
    unread: dict[str, str] = {}
    compiled: list[str] = []
    failure, broken = "", 0
    for source in sources:
        for line in source.text.splitlines() if source.role is SourceRole.PUBLIC else ():
            match _parse_entry(line):
                case {"path": str(path), "line": int(number), "names": list(public_names)} if (
                    _are_names(public_names)
                ):
                    names[path, number] = tuple(public_names)
                case {"path": str(path), "line": int(number), "compiler": str(compiler)} if (
                    _are_names([compiler])
                ):
                    compilers[path, number] = compiler
                case {"unread": str(name), "why": str(reason)}:
                    unread[name] = reason[:_LONGEST]
                case {"compiled": list(public_names)} if _are_names(public_names):
                    compiled += public_names
                case {"failure": str(reason)}:
                    failure = reason[:_LONGEST]
                case _:
                    broken += 1
    return PublicNames(names, compilers, unread, tuple(compiled), failure, broken)


def _parse_entry(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _are_names(names: list[Any]) -> bool:
    """Tell whether these are names of Python."""
    return all(
        isinstance(name, str) and all(part.isidentifier() for part in name.split("."))
        for name in names
    )


def describe_name_problems(sources: Sequence[SourceFile]) -> list[str]:
    """Return what people have to know of the public names: a line each."""
    library, lines = _read_public_names(sources), []
    if library.failure:
        lines.append(
            "an interpreter could not import the library, so its public names are those of its "
            f"sources: {library.failure}"
        )
    if library.broken:
        lines.append(
            f"the library wrote over the list of its public names: {library.broken} "
            f"{'line' if library.broken == 1 else 'lines'} left out"
        )
    lines += _describe_unread(library, {source.unit for source in _list_library(sources)})
    if library.compiled:
        lines.append(
            "these public names lead to compiled code, which is no method here and cannot be "
            f"slowed: {list_some(library.compiled)}"
        )
    if unparsed := read_library(sources).unparsed:
        lines.append(
            "these modules cannot be parsed, so their functions are no methods here: "
            f"{list_some(unparsed)}"
        )
    return lines


def _describe_unread(library: PublicNames, modules: Container[str]) -> Iterator[str]:
    """Yield what could not be read: modules, and names in modules that could."""
    unread = {name: reason for name, reason in library.unread.items() if name in modules}
    if unread:
        yield (
            f"an interpreter could not read {list_some(list(unread))} ({_format_first(unread)}); "
            "the public names of such modules are those of their sources"
        )
    lost = {name: reason for name, reason in library.unread.items() if name not in modules}
    if lost:
        yield (
            f"an interpreter could not read {list_some(list(lost))} ({_format_first(lost)}), so "
            "these public names lead to no method"
        )


def _format_first(unread: Mapping[str, str]) -> str:
    """Return the first name with its reason."""
    return ": ".join(next(iter(unread.items())))


def read_library_functions(sources: Sequence[SourceFile]) -> Functions:
    """Return the functions of each module of the library; which are public, and by which names."""
    return read_library(sources).functions


def read_library(sources: Sequence[SourceFile]) -> "PythonLibrary":
    """Return the modules of the library as they are read."""
    return _load_library(tuple(sources))


@dataclass(frozen=True, slots=True)
class PythonLibrary:
    """The modules of a library as they are read."""

    functions: Functions
    modules: Mapping[SourceFile, ast.Module]  # those that can be parsed
    api: LibraryApi
    unparsed: tuple[str, ...]  # names of modules whose syntax nothing here knows


@lru_cache(maxsize=2)
def _load_library(sources: tuple[SourceFile, ...]) -> PythonLibrary:
    """Return the library; asked once for each variant, of the same sources."""
    trees = {source: parse_module(source) for source in _list_library(sources)}
    modules = {source: tree for source, tree in trees.items() if tree is not None}
    public_names, api = _read_public_names(sources), LibraryApi(modules)
    names = read_library_names(modules)
    functions = [
        (source, [] if tree is None else defined_functions(source, tree, names))
        for source, tree in trees.items()
    ]
    ids = public_names.find_public_ids(functions)
    renamed_functions = []
    for source, definitions in functions:
        if public_names.is_known and source.unit not in public_names.unread:
            renamed = list(_rename_functions(definitions, public_names, ids))
        else:
            renamed = list(_add_read_visibility(source, definitions, api))
        renamed_functions.append((source, renamed))
    unparsed = tuple(source.unit for source, tree in trees.items() if tree is None)
    return PythonLibrary(_merge_definitions(renamed_functions), modules, api, unparsed)


def _list_library(sources: Sequence[SourceFile]) -> list[SourceFile]:
    return [source for source in sources if source.role is SourceRole.LIBRARY]


def _add_read_visibility(
    source: SourceFile, functions: Sequence[FunctionDefinitions], api: LibraryApi
) -> Iterator[FunctionDefinitions]:
    """Yield each definition with what the sources say of it."""
    for function in functions:
        name = function.method.id[len(source.unit) + 1 :]
        public = api.is_public(source.unit, name)
        yield replace(function, method=replace(function.method, public=public))


def _rename_functions(
    functions: Sequence[FunctionDefinitions], public_names: PublicNames, ids: frozenset[str]
) -> Iterator[FunctionDefinitions]:
    """Yield each definition by the public names of its own first line; see `_rename_method`."""
    names = [public_names.find_names(function) for function in functions]
    choices: dict[str, set[tuple[str, ...]]] = {}
    for function, own_names in zip(functions, names, strict=True):
        if own_names:
            choices.setdefault(function.method.id, set()).add(own_names)
    for function, own_names in zip(functions, names, strict=True):
        method = function.method
        if method.refusal is None and (compiler := public_names.find_compiler(function)):
            method = replace(method, refusal=explain_compiled(compiler))
        # A name that several public functions share is that of the function it leads to.
        is_taken = len(choices.get(method.id, ())) > 1 and method.id not in own_names
        if _is_writable(method.id) and not is_taken:
            aliases = tuple(name for name in own_names if name != method.id)
            named_method = replace(method, public=bool(own_names), aliases=aliases)
        else:
            named_method = _rename_method(method, own_names, ids)
        yield replace(function, method=named_method)


def _is_writable(name: str) -> bool:
    """Tell whether people can write the name of a definition."""
    return LOCALS not in name and not is_private(name)


def _rename_method(method: Method, names: Sequence[str], ids: frozenset[str]) -> Method:
    """Return a method by its shortest public name.

    `ids` are names of public definitions: such a name comes first, as its method has this code too.
    """
    if not names:
        return replace(method, public=False)
    public_id = min(names, key=lambda name: (name not in ids, name.count(".")))
    owner, _, last = public_id.rpartition(".")
    return replace(
        method,
        id=public_id,
        owner=owner,
        name=last,
        public=True,
        descriptor=method.id,
        aliases=tuple(name for name in names if name != public_id),
    )


def _merge_definitions(functions: Functions) -> Functions:
    """Return each method of a module once, with all of its definitions.

    Code of several modules may be a single method (singledispatch).
    """
    methods_by_id: dict[str, list[Method]] = {}
    for _, module_functions in functions:
        for function in module_functions:
            methods_by_id.setdefault(function.method.id, []).append(function.method)
    merged_methods = {name: _merge_methods(methods) for name, methods in methods_by_id.items()}
    return [
        (source, _merge_module_functions(module_functions, merged_methods))
        for source, module_functions in functions
    ]


def _merge_methods(methods: Sequence[Method]) -> Method:
    """Return the method that has the code of all of these."""
    if len(methods) == 1:
        return methods[0]
    # Registered functions are often called `_`: the first that has the public name is the method.
    main = min(
        methods,
        key=lambda method: (
            not method.public,
            _last_name(method.descriptor or method.id) != method.name,
        ),
    )
    running_methods = [method for method in methods if method.public] or methods
    aliases = dict.fromkeys(alias for method in methods for alias in method.aliases)
    return replace(
        main,
        public=any(method.public for method in methods),
        aliases=tuple(aliases),
        refusal=next((method.refusal for method in running_methods if method.refusal), None),
        trivial=None,
        more_spans=tuple(
            method.span for method in methods if method is not main and method.span is not None
        ),
    )


def _last_name(path: str) -> str:
    return path.rpartition(".")[2]


def _merge_module_functions(
    functions: Sequence[FunctionDefinitions], methods: Mapping[str, Method]
) -> list[FunctionDefinitions]:
    nodes_by_id: dict[str, list[Definition]] = {}
    for function in functions:
        nodes_by_id.setdefault(function.method.id, []).extend(function.nodes)
    return [FunctionDefinitions(methods[name], tuple(nodes)) for name, nodes in nodes_by_id.items()]
