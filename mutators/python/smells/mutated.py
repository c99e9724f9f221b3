"""Inputs that are made once and changed by every timed call."""

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from mutators.python.smells import rules, tree
from mutators.python.smells.benches import Bench, Handed, Harness, Timed
from mutators.python.smells.hits import Hit
from mutators.python.smells.kinds import (
    CHANGES,
    FUNCTIONS,
    Change,
    kind,
    passes_by,
    runs_out,
    transparent,
)
from mutators.python.smells.project import Project

_WHAT = {
    Change.APPENDS: "adds to {0}, which is made once: it grows as long as the benchmark runs, and"
    " each call meets a longer one than the call before it",
    Change.GROWS: "adds to {0}, which is made once: every call meets a longer one than the call"
    " before it",
    Change.FILLS: "adds to {0}, which is made once: from the second call on what it adds is there"
    " already",
    Change.SHRINKS: "takes out of {0}, which is made once: later calls meet less of it, or nothing",
    Change.ORDERS: "puts {0} in order, which is made once: only the first call meets the input that"
    " was meant, all others one that is in order already",
    Change.SWAPS: "sorts {0} in place, which is made once: only the first call meets the input that"
    " was meant, all others one that is in order already",
    Change.EXHAUSTS: "is given {0}, an iterator that is made once: the first call uses it up, and"
    " all others meet an empty one",
}
_UNREAD = frozenset({"next", "isinstance", "type", "id", "repr", "str", "callable", "hasattr"})
"""Functions that leave an iterator as it is, or take one item of it."""


@dataclass(frozen=True, eq=False)
class _Changed:
    """A call that changes an object; `name` is the object as it stands in the source."""

    call: cst.CSTNode
    by: str
    name: str
    change: Change


def look(bench: Bench, project: Project) -> Iterator[Hit]:
    """Yield the calls that change what later calls are given."""
    for handed in bench.handed:
        if not handed.renewed:
            for found in _handed(bench, handed, project):
                yield _hit(bench, found)
    for code in bench.timed:
        if not code.renewed:
            yield from (_hit(bench, found) for found in _timed(bench, code, project))


def _hit(bench: Bench, found: _Changed) -> Hit:
    often = " (asv sets up once for many calls)" if bench.harness is Harness.ASV else ""
    text = f"`{found.by}` {_WHAT[found.change].format(f'`{found.name}`')}{often}."
    return Hit(rule=rules.MUTATED_ARGUMENT, bench=bench, node=found.call, text=text)


def _handed(bench: Bench, handed: Handed, project: Project) -> Iterator[_Changed]:
    """Yield what the handed function does to its object or to its arguments."""
    function = handed.function
    yield from _by_method(bench, handed.call, function)
    yield from _exhausted(bench, handed)
    for place, change in _places(bench, function, project).items():
        given = handed.argument(place)
        plain = change is not Change.APPENDS
        if plain and given is not None and _can_change(bench, given, change):
            yield _Changed(handed.call, tree.code(function), tree.code(given), change)


def _exhausted(bench: Bench, handed: Handed) -> Iterator[_Changed]:
    """Yield the iterators among the arguments of a function."""
    if tree.dotted(handed.function) in _UNREAD:
        return
    for one in handed.arguments:
        if runs_out(bench.value(one.value), bench.file):
            name = tree.code(handed.function)
            yield _Changed(handed.call, name, tree.code(one.value), Change.EXHAUSTS)


def _by_method(bench: Bench, call: cst.CSTNode, function: cst.CSTNode) -> Iterator[_Changed]:
    if isinstance(function, cst.Attribute):
        value = function.value
        change = CHANGES.get(kind(bench.value(value), bench), {}).get(function.attr.value)
        if change is not None:
            yield _Changed(call, tree.code(function), tree.code(value), change)


def _places(bench: Bench, function: cst.CSTNode, project: Project) -> dict[int, Change]:
    """Return the places of the arguments that a function is known to change."""
    name = tree.dotted(function)
    if not name:
        return {}
    known = FUNCTIONS.get(bench.file.meant(name))
    if known is not None:
        return dict([known])
    inner = [one.function for one in bench.timed if one.function is not None]
    near = [one for one in inner if one.name.value == name]
    found = (bench.file, near[0]) if near else project.function(bench.file, name)
    return {} if found is None or not transparent(found[1]) else passes_by(found[1], found[0])


def _can_change(bench: Bench, given: cst.BaseExpression, change: Change) -> bool:
    """Tell whether an argument is a container that such a change is one of.

    What has its elements exchanged in place can be no other than that, even where it is not seen.
    """
    made = kind(bench.value(given), bench)
    if change is Change.SWAPS:
        return made in ("", "list", "array")
    return change in CHANGES.get(made, {}).values()


def _timed(bench: Bench, code: Timed, project: Project) -> Iterator[_Changed]:
    """Yield the changes in the timed code of what is there before it and after it.

    What the code appends to is most often a list of results, which nothing measured reads.
    """
    found: dict[str, list[_Changed]] = {}
    for call in tree.calls(*code.nodes):
        for each in _by_call(bench, call, project):
            if code.outlives(each.name):
                found.setdefault(each.name, []).append(each)
    for name, changes in found.items():
        kinds = {one.change for one in changes}
        if len(kinds) == 1 and Change.APPENDS not in kinds and not _stored(code, name):
            yield changes[0]


def _by_call(bench: Bench, call: cst.Call, project: Project) -> Iterator[_Changed]:
    if isinstance(call.func, cst.Attribute) and tree.dotted(call.func.value):
        yield from _by_method(bench, call, call.func)
    handed = Handed(call=call, function=call.func, arguments=tuple(call.args))
    yield from (one for one in _exhausted(bench, handed) if one.name.isidentifier())
    for place, change in _places(bench, call.func, project).items():
        given = handed.argument(place)
        if given is not None and tree.dotted(given) and _can_change(bench, given, change):
            yield _Changed(call, tree.code(call.func), tree.code(given), change)


def _stored(code: Timed, name: str) -> bool:
    """Tell whether the code writes to elements of an object or deletes some: it may be put back."""
    for node in tree.own(*code.nodes):
        if isinstance(node, cst.AssignTarget | cst.Del | cst.AugAssign):
            for one in tree.own(node.target):
                if isinstance(one, cst.Subscript) and tree.dotted(one.value) == name:
                    return True
    return False
