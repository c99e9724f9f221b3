"""The functions of a library with their public names, as the running interpreter tells them.

A source of the role PUBLIC has what importing the library showed: a line of JSON for each piece of
code with its public names, for each module or name that could not be read, for the names of
compiled code, and one that says why the interpreter told nothing. The library's own code runs in
the process that writes it, so that any other line may be there, too. What it does not tell, and all
of a library without it, is read from the sources (`api`).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from auditor.core.caveats import list_some
from auditor.core.subject import Method, SourceFile, SourceRole
from mutators.python.api import LibraryApi
from mutators.python.functions import LOCALS, FunctionDefinitions, defined_functions, is_private

Functions = list[tuple[SourceFile, list[FunctionDefinitions]]]
_LONGEST = 300
"""Characters of a reason."""


@dataclass(frozen=True, slots=True)
class PublicNames:
    """What importing a library showed: `names` by file and first line of code."""

    names: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)  # modules and names: the reason of each
    compiled: tuple[str, ...] = ()  # names of code that is not Python
    failure: str = ""  # why the interpreter told nothing
    broken: int = 0  # lines that are none of ours

    @property
    def is_known(self) -> bool:
        """Tell whether the interpreter told any name, be it of compiled code."""
        return bool(self.names or self.compiled)


def read_public_names(sources: Sequence[SourceFile]) -> PublicNames:
    """Return what a library showed; nothing is known where it was not imported."""
    names: dict[tuple[str, int], tuple[str, ...]] = {}
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
                case {"unread": str(name), "why": str(reason)}:
                    unread[name] = reason[:_LONGEST]
                case {"compiled": list(public_names)} if _are_names(public_names):
                    compiled += public_names
                case {"failure": str(reason)}:
                    failure = reason[:_LONGEST]
                case _:
                    broken += 1
    return PublicNames(names, unread, tuple(compiled), failure, broken)


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
    library, lines = read_public_names(sources), []
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
    if library.unread:
        name, reason = next(iter(library.unread.items()))
        lines.append(
            f"an interpreter could not read {list_some(list(library.unread))} ({name}: {reason}); "
            "the public names of such modules are those of their sources"
        )
    if library.compiled:
        lines.append(
            "these public names lead to compiled code, which is no method here and cannot be "
            f"slowed: {list_some(library.compiled)}"
        )
    return lines


def read_library_functions(sources: Sequence[SourceFile]) -> Functions:
    """Return the functions of each module of the library; which are public, and by which names."""
    return _load_library_functions(tuple(sources))


@lru_cache(maxsize=2)
def _load_library_functions(sources: tuple[SourceFile, ...]) -> Functions:
    """Return them; asked once for each variant, of the same sources."""
    library = [source for source in sources if source.role is SourceRole.LIBRARY]
    names, api = read_public_names(sources), LibraryApi(library)
    return [
        (source, _merge_definitions(_add_public_names(source, names, api))) for source in library
    ]


def _add_public_names(
    source: SourceFile, public_names: PublicNames, api: LibraryApi
) -> Iterator[FunctionDefinitions]:
    is_read = public_names.is_known and source.unit not in public_names.unread
    for function in defined_functions(source):
        if not is_read:
            name = function.method.id[len(source.unit) + 1 :]
            public = api.is_public(source.unit, name)
            yield replace(function, method=replace(function.method, public=public))
            continue
        lines = set(function.first_lines)
        names = [name for line in lines for name in public_names.names.get((source.path, line), ())]
        yield replace(function, method=_rename_method(function.method, list(dict.fromkeys(names))))


def _rename_method(method: Method, names: Sequence[str]) -> Method:
    """Return a method by its public name, where nobody can write the name of its definition."""
    if not names:
        return replace(method, public=False)
    if LOCALS not in method.id and not is_private(method.id):
        aliases = tuple(name for name in names if name != method.id)
        return replace(method, public=True, aliases=aliases)
    shortest = min(names, key=lambda name: name.count("."))
    owner, _, last = shortest.rpartition(".")
    return replace(
        method,
        id=shortest,
        owner=owner,
        name=last,
        public=True,
        descriptor=method.id,
        aliases=tuple(name for name in names if name != shortest),
    )


def _merge_definitions(functions: Iterator[FunctionDefinitions]) -> list[FunctionDefinitions]:
    """Return each method once: one name may lead to several pieces of code (singledispatch)."""
    by_id: dict[str, FunctionDefinitions] = {}
    for function in functions:
        definitions = by_id.get(function.method.id)
        if definitions is None:
            by_id[function.method.id] = function
            continue
        refusal = definitions.method.refusal or function.method.refusal
        method = replace(
            definitions.method, public=definitions.method.public or function.method.public
        )
        by_id[function.method.id] = FunctionDefinitions(
            replace(method, refusal=refusal), (*definitions.nodes, *function.nodes)
        )
    return list(by_id.values())
