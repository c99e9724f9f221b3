"""What is seen of the contents of a container: whether a call changes anything in it."""

from collections.abc import Iterator

import libcst as cst

from mutators.python.lint_rules import tree
from mutators.python.lint_rules.benchmark_discovery import Around, BenchmarkSource, Preparation
from mutators.python.lint_rules.kinds import copied_from, written_names
from mutators.python.lint_rules.project import PythonProject

_FARTHEST = 5
"""Over how many copies of copies the order of a list is followed."""
_IN_ORDER = frozenset({"range", "numpy.arange", "numpy.zeros", "numpy.ones", "numpy.linspace"})
_KEEPING = frozenset({"list", "tuple", "numpy.array", "numpy.asarray"})
_DISORDER = frozenset({"append", "appendleft", "extend", "insert", "reverse", "shuffle"})
_EMPTY = frozenset({"list", "dict", "set", "bytearray", "collections.deque", "collections.Counter"})
_EMPTY_OF = frozenset({"collections.defaultdict", "collections.OrderedDict"})
_BY_KEY = frozenset({"add", "setdefault", "discard"})


def changes(
    method: str,
    arguments: tuple[cst.Arg, ...],
    node: cst.CSTNode,
    at: Around,
    project: PythonProject,
) -> bool:
    """Tell whether a method of a container is seen to change what it holds.

    Left alone are keys that may be there already, or may not be there.
    """
    if method == "clear":
        return not _empty(node, at)
    if method == "update":
        return _empty(node, at) and bool(arguments) and not _empty(arguments[0].value, at)
    if method in _BY_KEY or (method == "pop" and len(arguments) > 1):
        wanted = tree.constant(at.value(arguments[0].value)) if arguments else None
        there = False if _empty(node, at) else _holds(project.once(_keys, node), wanted)
        return there is (method in ("discard", "pop"))
    return True


def _empty(node: cst.CSTNode, at: Around) -> bool:
    """Tell whether an expression plainly makes a container of nothing."""
    if isinstance(node, cst.List | cst.Dict | cst.Set | cst.Tuple):
        return not node.elements
    if not isinstance(node, cst.Call):
        return False
    name = at.file.meant(node.func)
    return (name in _EMPTY and not node.args) or (name in _EMPTY_OF and len(node.args) <= 1)


def _keys(node: cst.CSTNode) -> frozenset[object]:
    """Return the keys of a container that is written out, with None for what is not seen."""
    if not isinstance(node, cst.Dict | cst.Set):
        return frozenset({None})
    keys = (
        element.key if isinstance(element, cst.DictElement) else element.value
        for element in node.elements
    )
    starred = cst.StarredDictElement | cst.StarredElement
    hidden = {None for element in node.elements if isinstance(element, starred)}
    return frozenset(map(tree.constant, keys)) | hidden


def _holds(keys: frozenset[object], wanted: object) -> bool | None:
    """Tell whether a key is one of some, None where that is not seen."""
    if wanted is None:
        return None
    return True if wanted in keys else (None if None in keys else False)


def in_order(
    node: cst.BaseExpression,
    how: tuple[cst.Arg, ...],
    bench: BenchmarkSource,
    project: PythonProject,
) -> bool:
    """Tell whether a list is in order from the start, so that sorting it changes nothing.

    `how` are the arguments of the sort. With a key nobody knows what the order is.
    """
    keywords = {
        argument.keyword.value: argument.value for argument in how if argument.keyword is not None
    }
    if "key" in keywords:
        return True
    name = tree.dotted(node)
    if name and name in {
        one for preparation in bench.preparations for one in _mixed(preparation, project)
    }:
        return False
    backwards = tree.dotted(keywords.get("reverse")) not in ("", "False")
    return _is_in_order(bench.value(node), bench, backwards=backwards)


def _mixed(preparation: Preparation, project: PythonProject) -> frozenset[str]:
    return project.once(_put_out_of_order, preparation)


def _put_out_of_order(preparation: Preparation) -> frozenset[str]:
    """Return the names of what set-up shuffles, adds to or writes elements of."""
    return frozenset(name for node in tree.own(*preparation.nodes) for name in _mixed_by(node))


def _mixed_by(node: cst.CSTNode) -> Iterator[str]:
    yield from written_names(node)
    if isinstance(node, cst.Call):
        receiver, _, method = tree.dotted(node.func).rpartition(".")
        if method in _DISORDER:
            yield receiver
            yield from (tree.dotted(argument.value) for argument in node.args)


def _is_in_order(
    node: cst.BaseExpression | None, at: Around, left: int = _FARTHEST, *, backwards: bool
) -> bool:
    if isinstance(node, cst.List | cst.Tuple):
        return _listed_in_order(node, backwards=backwards)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        sides = (node.left, node.right)
        return any(isinstance(side, cst.List) and len(side.elements) == 1 for side in sides)
    inner = _taken_from(node, at) if left else None
    if inner is not None:
        return _is_in_order(at.value(inner), at, left - 1, backwards=backwards)
    return isinstance(node, cst.Call) and _made_in_order(node, at, backwards=backwards)


def _taken_from(node: cst.CSTNode | None, at: Around) -> cst.BaseExpression | None:
    """Return what an expression holds the elements of in their order, None where of nothing."""
    match node:
        case cst.ListComp(for_in=cst.CompFor(inner_for_in=None) as each):
            same = tree.dotted(node.elt) == tree.dotted(each.target) != ""
            return each.iter if same else None
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Slice(step=None))]):
            return node.value
        case cst.Call():
            kept = at.file.meant(node.func) in _KEEPING and node.args
            return node.args[0].value if kept else copied_from(node, at)
        case _:
            return None


def _listed_in_order(node: cst.List | cst.Tuple, *, backwards: bool) -> bool:
    values = [tree.constant(element.value) for element in node.elements]
    if len(values) < 2:
        return True
    try:
        return values == sorted(values, reverse=backwards)  # type: ignore[type-var]
    except TypeError:
        return False


def _made_in_order(call: cst.Call, at: Around, *, backwards: bool) -> bool:
    name = at.file.meant(call.func)
    if name == "sorted":
        reverse = tree.dotted(tree.argument(call, "reverse", 9)) not in ("", "False")
        return tree.argument(call, "key", 9) is not None or reverse is backwards
    if name not in _IN_ORDER:
        return not call.args and name in _EMPTY
    step = call.args[2].value if len(call.args) > 2 else None
    down = isinstance(step, cst.UnaryOperation)
    return down is backwards or name in ("numpy.zeros", "numpy.ones")
