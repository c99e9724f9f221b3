"""What an expression makes, and which of its methods change it so that later calls do other work.

Left out are methods that change a container, but not the work of the next call: `reverse`,
`rotate`, `shuffle`.
"""

import re
from collections.abc import Iterator
from enum import StrEnum

import libcst as cst

from mutators.python.smells import tree
from mutators.python.smells.benches import Bench
from mutators.python.smells.project import File


class Change(StrEnum):
    """What a call does to an object that outlives it.

    APPENDS makes it longer, at a cost that hardly hangs on how long it is.
    """

    APPENDS = "appends"
    GROWS = "grows"
    FILLS = "fills"
    SHRINKS = "shrinks"
    ORDERS = "orders"
    SWAPS = "swaps"
    EXHAUSTS = "exhausts"


_LIST = {
    "append": Change.APPENDS,
    "extend": Change.APPENDS,
    "insert": Change.GROWS,
    "pop": Change.SHRINKS,
    "remove": Change.SHRINKS,
    "clear": Change.SHRINKS,
    "sort": Change.ORDERS,
}
_DICT = {
    "update": Change.FILLS,
    "setdefault": Change.FILLS,
    "pop": Change.SHRINKS,
    "popitem": Change.SHRINKS,
    "clear": Change.SHRINKS,
}
_SET = {
    "add": Change.FILLS,
    "update": Change.FILLS,
    "pop": Change.SHRINKS,
    "remove": Change.SHRINKS,
    "discard": Change.SHRINKS,
    "clear": Change.SHRINKS,
}
_DEQUE = {
    "append": Change.APPENDS,
    "appendleft": Change.APPENDS,
    "extend": Change.APPENDS,
    "extendleft": Change.APPENDS,
    "pop": Change.SHRINKS,
    "popleft": Change.SHRINKS,
    "remove": Change.SHRINKS,
    "clear": Change.SHRINKS,
}
CHANGES = {
    "list": _LIST,
    "bytearray": {name: change for name, change in _LIST.items() if name != "sort"},
    "dict": _DICT,
    "set": _SET,
    "deque": _DEQUE,
    "array": {"sort": Change.ORDERS},
}
"""By kind of container the methods that change it."""
_METHODS = {name: change for methods in CHANGES.values() for name, change in methods.items()}

FUNCTIONS = {
    "heapq.heappush": (0, Change.GROWS),
    "heapq.heappop": (0, Change.SHRINKS),
    "heapq.heapify": (0, Change.ORDERS),
    "bisect.insort": (0, Change.GROWS),
    "bisect.insort_left": (0, Change.GROWS),
    "bisect.insort_right": (0, Change.GROWS),
}
"""Functions that change an argument: its place, and what they do to it."""

_MAKERS = {
    "list": "list",
    "sorted": "list",
    "random.sample": "list",
    "random.choices": "list",
    "dict": "dict",
    "dict.fromkeys": "dict",
    "collections.OrderedDict": "dict",
    "collections.defaultdict": "dict",
    "collections.Counter": "dict",
    "set": "set",
    "bytearray": "bytearray",
    "collections.deque": "deque",
    **{
        f"numpy.{name}": "array"
        for name in (
            "array",
            "arange",
            "random.rand",
            "random.randn",
            "random.random",
            "random.randint",
            "random.permutation",
            "random.normal",
            "random.uniform",
        )
    },
}
_DISPLAYS = (
    ("list", cst.List | cst.ListComp),
    ("dict", cst.Dict | cst.DictComp),
    ("set", cst.Set | cst.SetComp),
)
_ITERATORS = frozenset({"iter", "map", "filter", "zip", "reversed", "enumerate"})
_TRANSPARENT = frozenset({"profile", "jit", "njit"})
_COPIES = frozenset({"copy.copy", "copy.deepcopy"})


def kind(node: cst.BaseExpression | None, bench: Bench) -> str:
    """Return the kind of container that an expression makes, empty where it is not seen."""
    display = next((name for name, made in _DISPLAYS if isinstance(node, made)), "")
    if display:
        return display
    match node:
        case cst.BinaryOperation():
            both = (kind(one, bench) for one in (node.left, node.right))
            return "list" if "list" in both else ""
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Slice())]):
            whole = bench.value(node.value)
            return "list" if whole is not node and kind(whole, bench) == "list" else ""
        case cst.Call():
            return _made(node, bench)
        case _:
            return ""


def _made(call: cst.Call, bench: Bench) -> str:
    name = bench.file.meant(call.func)
    if name in _COPIES and call.args:
        return kind(bench.value(call.args[0].value), bench)
    if isinstance(call.func, cst.Attribute) and call.func.attr.value == "copy" and not call.args:
        return kind(bench.value(call.func.value), bench)
    builtin = "." not in name and not bench.file.plain(name)
    return "" if builtin else _MAKERS.get(name, "")


def runs_out(node: cst.BaseExpression | None, file: File) -> bool:
    """Tell whether an expression makes an iterator, which whoever reads it first uses up."""
    if isinstance(node, cst.GeneratorExp):
        return True
    if not isinstance(node, cst.Call):
        return False
    name = tree.dotted(node.func)
    return name in _ITERATORS and file.plain(name)


def passes_by(function: cst.FunctionDef, file: File) -> dict[int, Change]:
    """Return by the places of its parameters what a function does to the arguments there.

    Only what it does to a parameter that it binds to nothing else; growing and shrinking may
    cancel out, and both together are left out.
    """
    bound = tree.bindings(tree.body(function))
    found: dict[int, Change] = {}
    for place, name in enumerate(tree.parameters(function)):
        if name in bound or name in ("self", "cls"):
            continue
        changes = set(_changes_of(name, function, file))
        if len(changes) == 1:
            found[place] = changes.pop()
    return found


def transparent(function: cst.FunctionDef) -> bool:
    """Tell whether calling a function runs its body: no decorator that may do something else."""
    return all(name.rpartition(".")[2] in _TRANSPARENT for name in tree.decorators(function))


def _changes_of(name: str, function: cst.FunctionDef, file: File) -> Iterator[Change]:
    sorts = re.search("sort|heapify", function.name.value.lower())
    for node in tree.own(*tree.body(function)):
        if isinstance(node, cst.Call):
            yield from _change_by(node, name, file)
        elif sorts and isinstance(node, cst.Assign) and _stores(node, name):
            yield Change.SWAPS


def _change_by(call: cst.Call, name: str, file: File) -> Iterator[Change]:
    if isinstance(call.func, cst.Attribute) and tree.dotted(call.func.value) == name:
        method = call.func.attr.value
        if method in _METHODS:
            yield _METHODS[method]
    known = FUNCTIONS.get(file.meant(call.func))
    if known is not None and call.args and tree.dotted(call.args[0].value) == name:
        yield known[1]


def _stores(node: cst.Assign, name: str) -> bool:
    """Tell whether an assignment writes to elements of a name."""
    targets = [each for one in node.targets for each in tree.own(one.target)]
    return any(isinstance(one, cst.Subscript) and tree.dotted(one.value) == name for one in targets)
