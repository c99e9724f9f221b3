"""The functions of a library with their public names, as the running interpreter tells them.

A source of the role PUBLIC has what importing the library showed: a line of JSON for each piece of
code with its public names, and one for each module that could not be imported. What it does not
tell, and all of a library without it, is read from the sources (`api`).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from auditor.core.subject import Method, SourceFile, SourceRole
from mutators.python.api import Api
from mutators.python.functions import LOCALS, Definition, Found, found, is_private

Functions = list[tuple[SourceFile, list[Found]]]


@dataclass(frozen=True, slots=True)
class Shown:
    """What importing a library showed: `names` by file and first line of code."""

    names: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()
    is_known: bool = False


def shown(sources: Sequence[SourceFile]) -> Shown:
    """Return what a library showed; nothing is known where it was not imported."""
    entries = [
        json.loads(line)
        for source in sources
        if source.role is SourceRole.PUBLIC
        for line in source.text.splitlines()
    ]
    names = {(one["path"], one["line"]): tuple(one["names"]) for one in entries if "names" in one}
    unread = frozenset(one["unread"] for one in entries if "unread" in one)
    return Shown(names, unread, is_known=bool(names))


def functions(sources: Sequence[SourceFile]) -> Functions:
    """Return the functions of each module of the library; which are public, and by which names."""
    return _functions(tuple(sources))


@lru_cache(maxsize=2)
def _functions(sources: tuple[SourceFile, ...]) -> Functions:
    """Return them; asked once for each variant, of the same sources."""
    library = [source for source in sources if source.role is SourceRole.LIBRARY]
    told, api = shown(sources), Api(library)
    return [(source, _joined(_named(source, told, api))) for source in library]


def _named(source: SourceFile, told: Shown, api: Api) -> Iterator[Found]:
    is_read = told.is_known and source.unit not in told.unread
    for one in found(source):
        if not is_read:
            name = one.method.id[len(source.unit) + 1 :]
            public = api.is_public(source.unit, name)
            yield replace(one, method=replace(one.method, public=public))
            continue
        lines = {_first_line(node) for node in one.nodes}
        names = [name for line in lines for name in told.names.get((source.path, line), ())]
        yield replace(one, method=_renamed(one.method, list(dict.fromkeys(names))))


def _first_line(node: Definition) -> int:
    """Return the first line of a function's code, which is that of its first decorator."""
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def _renamed(method: Method, names: Sequence[str]) -> Method:
    """Return a method by its public name, where nobody can write the name of its definition."""
    if not names:
        return replace(method, public=False)
    if LOCALS not in method.id and not is_private(method.id):
        others = tuple(name for name in names if name != method.id)
        return replace(method, public=True, aliases=others)
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


def _joined(functions: Iterator[Found]) -> list[Found]:
    """Return each method once: one name may lead to several pieces of code (singledispatch)."""
    by_id: dict[str, Found] = {}
    for one in functions:
        known = by_id.get(one.method.id)
        if known is None:
            by_id[one.method.id] = one
            continue
        refusal = known.method.refusal or one.method.refusal
        method = replace(known.method, public=known.method.public or one.method.public)
        by_id[one.method.id] = Found(replace(method, refusal=refusal), (*known.nodes, *one.nodes))
    return list(by_id.values())
