"""Inputs that are made once and changed by every timed call."""

import builtins
from collections.abc import Iterator
from dataclasses import dataclass, replace

import libcst as cst

from auditor.core.contracts.lint import Confidence
from mutators.python.lint_rules import contents, rules, tree
from mutators.python.lint_rules.benchmark_discovery import (
    Around,
    BenchmarkFramework,
    BenchmarkSource,
    Handed,
    TimedCode,
)
from mutators.python.lint_rules.hits import Hit
from mutators.python.lint_rules.kinds import (
    CHANGES,
    FUNCTIONS,
    ObjectChange,
    Parameter,
    kind,
    passes_by,
    runs_out,
    transparent,
    written_names,
)
from mutators.python.lint_rules.project import PythonProject

_WHAT = {
    ObjectChange.APPENDS: "adds to {0}, which is made once: it grows as long as the benchmark"
    " runs, and each call meets a longer one than the call before it",
    ObjectChange.GROWS: "adds to {0}, which is made once: every call meets a longer one than the"
    " call before it",
    ObjectChange.FILLS: "adds to {0}, which is made once: from the second call on what it adds is"
    " there already",
    ObjectChange.SHRINKS: "takes out of {0}, which is made once: later calls meet less of it, or"
    " nothing",
    ObjectChange.ORDERS: "puts {0} in order, which is made once: only the first call meets the"
    " input that was meant, all others one that is in order already",
    ObjectChange.SWAPS: "sorts {0} in place, which is made once: only the first call meets the"
    " input that was meant, all others one that is in order already",
    ObjectChange.EXHAUSTS: "is given {0}, an iterator that is made once: the first call uses it"
    " up, and all others meet an empty one",
}
_ORDERING = frozenset({ObjectChange.ORDERS, ObjectChange.SWAPS})
_UNREAD = frozenset(
    {
        *("next", "isinstance", "issubclass", "type", "id", "repr", "str", "bool", "callable"),
        *("hasattr", "getattr", "any", "all", "iter", "map", "filter", "zip", "enumerate"),
        *("reversed", "islice", "chain", "tee", "takewhile", "dropwhile", "first", "take", "peek"),
        *("peekable", "head", "nth", "chunked", "batched", "cycle", "count", "starmap", "send"),
        *("range", "print", "partial", "copy", "deepcopy"),
    }
)
"""Functions that leave an iterator as it is, that may take some of it, or that are lazy too."""
_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True, eq=False)
class _Changed:
    """A call that changes an object."""

    call: cst.CSTNode  # the place
    by: cst.CSTNode  # function that changes the object
    name: cst.CSTNode  # the object in the source
    change: ObjectChange  # what happens to it
    seen: bool = True  # False: whether it changes depends on what the object holds
    sure: Confidence | None = None  # confidence; None: that of the rule


def look(bench: BenchmarkSource, project: PythonProject) -> Iterator[Hit]:
    """Yield the calls that change what later calls are given."""
    for handed in bench.handed:
        if not handed.renewed:
            for change in _handed(bench, handed, project):
                yield _hit(bench, change)
    for code in bench.timed:
        if not code.renewed:
            yield from (_hit(bench, found) for found in _timed(bench, code, project))


def _hit(bench: BenchmarkSource, change: _Changed) -> Hit:
    often = " (asv sets up once for many calls)" if bench.harness is BenchmarkFramework.ASV else ""
    what = _WHAT[change.change].format(f"`{tree.code(change.name)}`")
    text = f"`{tree.code(change.by)}` {what}{often}."
    return Hit(
        rule=rules.MUTATED_ARGUMENT, bench=bench, node=change.call, text=text, sure=change.sure
    )


def _handed(bench: BenchmarkSource, handed: Handed, project: PythonProject) -> Iterator[_Changed]:
    """Yield what the handed function does to its object or to its arguments."""
    yield from (change for change in _by_method(bench, handed, bench, project) if change.seen)
    yield from _exhausted(handed, bench)
    for found in _by_function(bench, handed, bench, project):
        if found.seen and found.change is not ObjectChange.APPENDS:
            yield found


def _exhausted(handed: Handed, at: Around) -> Iterator[_Changed]:
    """Yield the iterators among the arguments of a function."""
    last = handed.function.attr if isinstance(handed.function, cst.Attribute) else handed.function
    if tree.dotted(last) in _UNREAD:
        return
    for argument in handed.arguments:
        if runs_out(at.value(argument.value), at.file):
            yield _Changed(handed.call, handed.function, argument.value, ObjectChange.EXHAUSTS)


def _by_method(
    bench: BenchmarkSource, handed: Handed, at: Around, project: PythonProject
) -> Iterator[_Changed]:
    function = handed.function
    if not isinstance(function, cst.Attribute):
        return
    expression, method = at.value(function.value), function.attr.value
    change = CHANGES.get(kind(expression, at), {}).get(method)
    if change is None or expression is None:
        return
    how = handed.arguments
    seen = contents.changes(method, how, expression, at, project) and not (
        change in _ORDERING and contents.in_order(function.value, how, bench, project)
    )
    yield _Changed(handed.call, function, function.value, change, seen)


def _by_function(
    bench: BenchmarkSource, handed: Handed, at: Around, project: PythonProject
) -> Iterator[_Changed]:
    """Yield the arguments that a function is known to change."""
    for (place, name), change in _places(bench, handed.function, project).items():
        expression = handed.argument(place, name)
        if expression is not None and _can_change(expression, change, at):
            how = handed.arguments
            ordered = change in _ORDERING and contents.in_order(expression, how, bench, project)
            yield _Changed(handed.call, handed.function, expression, change, not ordered)


def _places(
    bench: BenchmarkSource, function: cst.CSTNode, project: PythonProject
) -> dict[Parameter, ObjectChange]:
    """Return the parameters whose arguments a function is known to change."""
    name = tree.dotted(function)
    if not name:
        return {}
    known = FUNCTIONS.get(bench.file.meant(name))
    if known is not None:
        return dict([known])
    near = bench.inner.get(name)
    definition = (bench.file, near) if near is not None else project.function(bench.file, name)
    if definition is None or not transparent(definition[1]):
        return {}
    return project.once(passes_by, definition[1], definition[0])


def _can_change(expression: cst.BaseExpression, change: ObjectChange, at: Around) -> bool:
    """Tell whether an argument is a container that such a change is one of.

    What has its elements exchanged in place can be no other than that, even where it is not seen.
    """
    made = kind(at.value(expression), at)
    if change is ObjectChange.SWAPS:
        return made in ("", "list", "array")
    return change in CHANGES.get(made, {}).values()


def _timed(bench: BenchmarkSource, code: TimedCode, project: PythonProject) -> Iterator[_Changed]:
    """Yield the changes in the timed code of what is there before it and after it.

    What the code appends to is most often a list of results, which nothing measured reads.
    """
    at = bench.around(code)
    changes_by_name: dict[str, list[_Changed]] = {}
    for call in code.calls:
        for each in _by_call(bench, call, at, project):
            name = tree.dotted(each.name)
            if name and code.outlives(name):
                changes_by_name.setdefault(name, []).append(each)
    back = _put_back(bench, code, project) if changes_by_name else frozenset()
    read = _read(code) if changes_by_name else frozenset()
    for name, changes in changes_by_name.items():
        kinds, seen = (
            {change.change for change in changes},
            [change for change in changes if change.seen],
        )
        if len(kinds) != 1 or not seen:
            continue
        if ObjectChange.APPENDS not in kinds and name not in back:
            yield seen[0]
        elif ObjectChange.APPENDS in kinds and name in read:
            yield replace(seen[0], sure=Confidence.POSSIBLE if name in back else None)


def _read(code: TimedCode) -> frozenset[str]:
    """Return the names that calls of the timed code get as arguments."""
    calls = (call for call in code.calls if tree.dotted(call.func) != "len")
    return frozenset(tree.dotted(argument.value) for call in calls for argument in call.args)


def _put_back(bench: BenchmarkSource, code: TimedCode, project: PythonProject) -> frozenset[str]:
    """Return the names of what may hold again what it held.

    The code writes to elements of it, or deletes some; or it hands it to what is not seen.
    """
    stores = (name for node in code.every for name in written_names(node))
    hidden = (call for call in code.calls if not _is_seen(call, bench, project))
    return frozenset(stores) | {
        tree.dotted(argument.value) for call in hidden for argument in call.args
    }


def _is_seen(call: cst.Call, bench: BenchmarkSource, project: PythonProject) -> bool:
    """Tell whether it is known what a call does to its arguments."""
    name = tree.dotted(call.func)
    if name in bench.inner or bench.file.meant(name) in FUNCTIONS:
        return True
    if "." not in name and bench.file.plain(name):
        return name in _BUILTINS
    return bool(name) and project.function(bench.file, name) is not None


def _by_call(
    bench: BenchmarkSource, call: cst.Call, at: Around, project: PythonProject
) -> Iterator[_Changed]:
    handed = Handed(call=call, function=call.func, arguments=tuple(call.args))
    yield from _by_method(bench, handed, at, project)
    yield from _exhausted(handed, at)
    yield from _by_function(bench, handed, at, project)
