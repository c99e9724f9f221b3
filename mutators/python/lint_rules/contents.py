"""What is seen of the contents of a container: whether a call changes anything in it."""

from collections.abc import Iterator

import libcst as cst

from mutators.python.lint_rules import tree
from mutators.python.lint_rules.benchmark_discovery import (
    BenchmarkSource,
    BindingContext,
    Preparation,
)
from mutators.python.lint_rules.kinds import find_copy_source, written_names
from mutators.python.lint_rules.project import PythonProject

_FARTHEST = 5
"""Over how many copies of copies the order of a list is followed."""
_IN_ORDER = frozenset({"range", "numpy.arange", "numpy.zeros", "numpy.ones", "numpy.linspace"})
_KEEPING = frozenset({"list", "tuple", "numpy.array", "numpy.asarray"})
_DISORDER = frozenset({"append", "appendleft", "extend", "insert", "reverse", "shuffle"})
_EMPTY = frozenset({"list", "dict", "set", "bytearray", "collections.deque", "collections.Counter"})
_EMPTY_OF = frozenset({"collections.defaultdict", "collections.OrderedDict"})
_BY_KEY = frozenset({"add", "setdefault", "discard"})


def changes_contents(
    method: str,
    arguments: tuple[cst.Arg, ...],
    node: cst.CSTNode,
    context: BindingContext,
    project: PythonProject,
) -> bool:
    """Tell whether a method of a container is seen to change what it holds.

    Left alone are keys that may be there already, or may not be there.
    """
    if method == "clear":
        return not _is_empty_container(node, context)
    if method == "update":
        return (
            _is_empty_container(node, context)
            and bool(arguments)
            and not _is_empty_container(arguments[0].value, context)
        )
    if method in _BY_KEY or (method == "pop" and len(arguments) > 1):
        key = (
            tree.evaluate_constant(context.resolve_value(arguments[0].value)) if arguments else None
        )
        is_present = (
            False
            if _is_empty_container(node, context)
            else _contains_key(project.answer_once(_list_literal_keys, node), key)
        )
        return is_present is (method in ("discard", "pop"))
    return True


def _is_empty_container(node: cst.CSTNode, context: BindingContext) -> bool:
    """Tell whether an expression plainly makes a container of nothing."""
    if isinstance(node, cst.List | cst.Dict | cst.Set | cst.Tuple):
        return not node.elements
    if not isinstance(node, cst.Call):
        return False
    name = context.file.expand_name(node.func)
    return (name in _EMPTY and not node.args) or (name in _EMPTY_OF and len(node.args) <= 1)


def _list_literal_keys(node: cst.CSTNode) -> frozenset[object]:
    """Return the keys of a container that is written out, with None for what is not seen."""
    if not isinstance(node, cst.Dict | cst.Set):
        return frozenset({None})
    keys = (
        element.key if isinstance(element, cst.DictElement) else element.value
        for element in node.elements
    )
    starred = cst.StarredDictElement | cst.StarredElement
    hidden = {None for element in node.elements if isinstance(element, starred)}
    return frozenset(map(tree.evaluate_constant, keys)) | hidden


def _contains_key(keys: frozenset[object], key: object) -> bool | None:
    """Tell whether a key is one of some, None where that is not seen."""
    if key is None:
        return None
    return True if key in keys else (None if None in keys else False)


def is_already_sorted(
    node: cst.BaseExpression,
    sort_arguments: tuple[cst.Arg, ...],
    bench: BenchmarkSource,
    project: PythonProject,
) -> bool:
    """Tell whether a list is in order from the start, so that sorting it changes nothing.

    `sort_arguments` are those of the sort. With a key nobody knows what the order is.
    """
    keywords = {
        argument.keyword.value: argument.value
        for argument in sort_arguments
        if argument.keyword is not None
    }
    if "key" in keywords:
        return True
    name = tree.read_dotted_name(node)
    if name and name in {
        disordered_name
        for preparation in bench.preparations
        for disordered_name in project.answer_once(_collect_disordered_names, preparation)
    }:
        return False
    backwards = tree.read_dotted_name(keywords.get("reverse")) not in ("", "False")
    return _is_in_order(bench.resolve_value(node), bench, backwards=backwards)


def _collect_disordered_names(preparation: Preparation) -> frozenset[str]:
    """Return the names of what set-up shuffles, adds to or writes elements of."""
    return frozenset(
        name
        for node in tree.walk_own_nodes(*preparation.nodes)
        for name in _list_disordered_targets(node)
    )


def _list_disordered_targets(node: cst.CSTNode) -> Iterator[str]:
    yield from written_names(node)
    if isinstance(node, cst.Call):
        receiver, _, method = tree.read_dotted_name(node.func).rpartition(".")
        if method in _DISORDER:
            yield receiver
            yield from (tree.read_dotted_name(argument.value) for argument in node.args)


def _is_in_order(
    node: cst.BaseExpression | None,
    context: BindingContext,
    left: int = _FARTHEST,
    *,
    backwards: bool,
) -> bool:
    if isinstance(node, cst.List | cst.Tuple):
        return _listed_in_order(node, backwards=backwards)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        sides = (node.left, node.right)
        return any(isinstance(side, cst.List) and len(side.elements) == 1 for side in sides)
    inner = _find_element_source(node, context) if left else None
    if inner is not None:
        return _is_in_order(context.resolve_value(inner), context, left - 1, backwards=backwards)
    return isinstance(node, cst.Call) and _made_in_order(node, context, backwards=backwards)


def _find_element_source(
    node: cst.CSTNode | None, context: BindingContext
) -> cst.BaseExpression | None:
    """Return what an expression holds the elements of in their order, None where of nothing."""
    match node:
        case cst.ListComp(for_in=cst.CompFor(inner_for_in=None) as comprehension):
            same = (
                tree.read_dotted_name(node.elt) == tree.read_dotted_name(comprehension.target) != ""
            )
            return comprehension.iter if same else None
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Slice(step=None))]):
            return node.value
        case cst.Call():
            keeps_order = context.file.expand_name(node.func) in _KEEPING and node.args
            return node.args[0].value if keeps_order else find_copy_source(node, context)
        case _:
            return None


def _listed_in_order(node: cst.List | cst.Tuple, *, backwards: bool) -> bool:
    values = [tree.evaluate_constant(element.value) for element in node.elements]
    if len(values) < 2:
        return True
    try:
        return values == sorted(values, reverse=backwards)  # type: ignore[type-var]
    except TypeError:
        return False


def _made_in_order(call: cst.Call, context: BindingContext, *, backwards: bool) -> bool:
    name = context.file.expand_name(call.func)
    if name == "sorted":
        reverse = tree.read_dotted_name(tree.find_argument(call, "reverse", 9)) not in ("", "False")
        return tree.find_argument(call, "key", 9) is not None or reverse is backwards
    if name not in _IN_ORDER:
        return not call.args and name in _EMPTY
    step = call.args[2].value if len(call.args) > 2 else None
    down = isinstance(step, cst.UnaryOperation)
    return down is backwards or name in ("numpy.zeros", "numpy.ones")
