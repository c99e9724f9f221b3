"""What an expression makes, and which of its methods change it so that later calls do other work.

Left out are methods that change a container, but not the work of the next call: `reverse`,
`rotate`, `shuffle`.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

import libcst as cst

from mutators.python.lint_rules import tree
from mutators.python.lint_rules.benchmark_discovery import BindingContext
from mutators.python.lint_rules.project import PythonFile


class ObjectChange(StrEnum):
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
    "append": ObjectChange.APPENDS,
    "extend": ObjectChange.APPENDS,
    "insert": ObjectChange.GROWS,
    "pop": ObjectChange.SHRINKS,
    "remove": ObjectChange.SHRINKS,
    "clear": ObjectChange.SHRINKS,
    "sort": ObjectChange.ORDERS,
}
_DICT = {
    "update": ObjectChange.FILLS,
    "setdefault": ObjectChange.FILLS,
    "pop": ObjectChange.SHRINKS,
    "popitem": ObjectChange.SHRINKS,
    "clear": ObjectChange.SHRINKS,
}
_SET = {
    "add": ObjectChange.FILLS,
    "update": ObjectChange.FILLS,
    "pop": ObjectChange.SHRINKS,
    "remove": ObjectChange.SHRINKS,
    "discard": ObjectChange.SHRINKS,
    "clear": ObjectChange.SHRINKS,
}
_DEQUE = {
    "append": ObjectChange.APPENDS,
    "appendleft": ObjectChange.APPENDS,
    "extend": ObjectChange.APPENDS,
    "extendleft": ObjectChange.APPENDS,
    "pop": ObjectChange.SHRINKS,
    "popleft": ObjectChange.SHRINKS,
    "remove": ObjectChange.SHRINKS,
    "clear": ObjectChange.SHRINKS,
}
CHANGES = {
    "list": _LIST,
    "bytearray": {name: change for name, change in _LIST.items() if name != "sort"},
    "dict": _DICT,
    "set": _SET,
    "deque": _DEQUE,
    "array": {"sort": ObjectChange.ORDERS},
}
"""By kind of container the methods that change it."""
_METHODS = {name: change for methods in CHANGES.values() for name, change in methods.items()}


class Parameter(NamedTuple):
    """A parameter of a function; `place` is -1 where it takes no argument by position."""

    place: int
    name: str


FUNCTIONS = {
    "heapq.heappush": (Parameter(0, ""), ObjectChange.GROWS),
    "heapq.heappop": (Parameter(0, ""), ObjectChange.SHRINKS),
    "heapq.heapify": (Parameter(0, ""), ObjectChange.ORDERS),
    "bisect.insort": (Parameter(0, "a"), ObjectChange.GROWS),
    "bisect.insort_left": (Parameter(0, "a"), ObjectChange.GROWS),
    "bisect.insort_right": (Parameter(0, "a"), ObjectChange.GROWS),
}
"""Functions that change an argument: its parameter, and what they do to it."""

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


_FARTHEST = 5
"""Over how many copies of copies a kind is followed."""


def find_container_kind(
    node: cst.BaseExpression | None, context: BindingContext, left: int = _FARTHEST
) -> str:
    """Return the kind of container that an expression makes, empty where it is not seen."""
    if left == 0:
        return ""
    display = next(
        (name for name, display_types in _DISPLAYS if isinstance(node, display_types)), ""
    )
    if display:
        return display
    match node:
        case cst.BinaryOperation():
            operand_kinds = [
                find_container_kind(expression, context, left - 1)
                for expression in (node.left, node.right)
            ]
            return "list" if "list" in operand_kinds else ""
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Slice())]):
            return (
                "list"
                if find_container_kind(context.resolve_value(node.value), context, left - 1)
                == "list"
                else ""
            )
        case cst.Call():
            return _find_call_kind(node, context, left)
        case _:
            return ""


def _find_call_kind(call: cst.Call, context: BindingContext, left: int) -> str:
    copied = find_copy_source(call, context)
    if copied is not None:
        return find_container_kind(context.resolve_value(copied), context, left - 1)
    name = context.file.expand_name(call.func)
    builtin = "." not in name and not context.file.is_builtin_name(name)
    return "" if builtin else _MAKERS.get(name, "")


def find_copy_source(call: cst.Call, context: BindingContext) -> cst.BaseExpression | None:
    """Return what a call makes a copy of, None where it makes something else."""
    if context.file.expand_name(call.func) in _COPIES and call.args:
        return call.args[0].value
    if isinstance(call.func, cst.Attribute) and call.func.attr.value == "copy" and not call.args:
        return call.func.value
    return None


def runs_out(node: cst.BaseExpression | None, file: PythonFile) -> bool:
    """Tell whether an expression makes an iterator, which whoever reads it first uses up."""
    if isinstance(node, cst.GeneratorExp):
        return True
    if not isinstance(node, cst.Call):
        return False
    name = tree.read_dotted_name(node.func)
    return name in _ITERATORS and file.is_builtin_name(name)


def find_argument_changes(
    function: cst.FunctionDef, file: PythonFile
) -> dict[Parameter, ObjectChange]:
    """Return by its parameters what a function does to the arguments there.

    Only what it does to a parameter that it binds to nothing else; growing and shrinking may
    cancel out, and both together are left out.
    """
    nodes = tree.list_body_nodes(function)
    bound = {*tree.find_bindings(nodes), "self", "cls"}
    changes: dict[str, set[ObjectChange]] = {}
    for name, change in _list_name_changes(function, file):
        changes.setdefault(name, set()).add(change)
    parameters = [
        Parameter(place, name)
        for place, name in enumerate(tree.list_positional_parameters(function))
    ]
    parameters += [
        Parameter(-1, kwonly_parameter.name.value)
        for kwonly_parameter in function.params.kwonly_params
    ]
    return {
        parameter: next(iter(changes[parameter.name]))
        for parameter in parameters
        if parameter.name not in bound and len(changes.get(parameter.name, ())) == 1
    }


def is_transparent(function: cst.FunctionDef) -> bool:
    """Tell whether calling a function runs its body: no decorator that may do something else."""
    return all(
        name.rpartition(".")[2] in _TRANSPARENT for name in tree.list_decorator_names(function)
    )


def _list_name_changes(
    function: cst.FunctionDef, file: PythonFile
) -> Iterator[tuple[str, ObjectChange]]:
    """Yield the names that a function does something to."""
    sorts = re.search("sort|heapify", function.name.value.lower())
    for node in tree.walk_own_nodes(*tree.list_body_nodes(function)):
        if isinstance(node, cst.Call):
            yield from _list_call_changes(node, file)
        elif sorts and isinstance(node, cst.Assign):
            yield from ((name, ObjectChange.SWAPS) for name in written_names(node))


def _list_call_changes(call: cst.Call, file: PythonFile) -> Iterator[tuple[str, ObjectChange]]:
    if isinstance(call.func, cst.Attribute) and call.func.attr.value in _METHODS:
        yield tree.read_dotted_name(call.func.value), _METHODS[call.func.attr.value]
    parameter = FUNCTIONS.get(file.expand_name(call.func))
    if parameter is not None and call.args:
        yield tree.read_dotted_name(call.args[0].value), parameter[1]


def written_names(node: cst.CSTNode) -> Iterator[str]:
    """Yield the names of what a statement writes elements to, or deletes some of."""
    targets: list[cst.CSTNode] = []
    if isinstance(node, cst.Assign):
        targets += (target.target for target in node.targets)
    elif isinstance(node, cst.Del | cst.AugAssign):
        targets.append(node.target)
    for inner_node in tree.walk_own_nodes(*targets):
        if isinstance(inner_node, cst.Subscript):
            yield tree.read_dotted_name(inner_node.value)
