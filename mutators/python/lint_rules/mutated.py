"""Inputs that are made once and changed by every timed call."""

import builtins
from collections.abc import Iterator
from dataclasses import dataclass, replace

import libcst as cst

from auditor.core.contracts.lint import Confidence
from mutators.python.lint_rules import rules, tree
from mutators.python.lint_rules.benchmark_discovery import (
    BenchmarkFramework,
    BenchmarkSource,
    BindingContext,
    CallTarget,
    Preparation,
    RuleHit,
    TimedCode,
)
from mutators.python.lint_rules.kinds import (
    CHANGES,
    FUNCTIONS,
    ObjectChange,
    Parameter,
    find_argument_changes,
    find_container_kind,
    find_copy_source,
    is_transparent,
    runs_out,
    written_names,
)
from mutators.python.lint_rules.lazy import resolve_function
from mutators.python.lint_rules.project import PythonProject

_FARTHEST = 5
"""Over how many copies of copies the order of a list is followed."""
_IN_ORDER = frozenset({"range", "numpy.arange", "numpy.zeros", "numpy.ones", "numpy.linspace"})
_KEEPING = frozenset({"list", "tuple", "numpy.array", "numpy.asarray"})
_DISORDER = frozenset({"append", "appendleft", "extend", "insert", "reverse", "shuffle"})
_EMPTY = frozenset({"list", "dict", "set", "bytearray", "collections.deque", "collections.Counter"})
_EMPTY_OF = frozenset({"collections.defaultdict", "collections.OrderedDict"})
_BY_KEY = frozenset({"add", "setdefault", "discard"})

_CHANGE_TEXTS = {
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
class _MutatingCall:
    """A call that changes an object."""

    call: cst.CSTNode  # the place
    function: cst.CSTNode  # function that changes the object
    name: cst.CSTNode  # the object in the source
    change: ObjectChange  # what happens to it
    is_certain: bool = True  # False: whether it changes depends on what the object holds
    sure: Confidence | None = None  # confidence; None: that of the rule


def find_mutated_inputs(bench: BenchmarkSource, project: PythonProject) -> Iterator[RuleHit]:
    """Yield the calls that change what later calls are given."""
    for handed in bench.handed:
        if not handed.renewed:
            for change in _find_target_changes(bench, handed, project):
                yield _make_hit(bench, change)
    for code in bench.timed:
        if not code.renewed:
            yield from (
                _make_hit(bench, code_change)
                for code_change in _find_timed_changes(bench, code, project)
            )


def _make_hit(bench: BenchmarkSource, change: _MutatingCall) -> RuleHit:
    often = " (asv sets up once for many calls)" if bench.harness is BenchmarkFramework.ASV else ""
    description = _CHANGE_TEXTS[change.change].format(f"`{tree.format_code(change.name)}`")
    text = f"`{tree.format_code(change.function)}` {description}{often}."
    return RuleHit(
        rule=rules.MUTATED_ARGUMENT, bench=bench, node=change.call, text=text, sure=change.sure
    )


def _find_target_changes(
    bench: BenchmarkSource, handed: CallTarget, project: PythonProject
) -> Iterator[_MutatingCall]:
    """Yield what the handed function does to its object or to its arguments."""
    yield from (
        change
        for change in _find_method_changes(bench, handed, bench, project)
        if change.is_certain
    )
    yield from _find_exhausted_iterators(bench, handed, bench, project)
    for argument_change in _find_function_changes(bench, handed, bench, project):
        if argument_change.is_certain and argument_change.change is not ObjectChange.APPENDS:
            yield argument_change


def _find_exhausted_iterators(
    bench: BenchmarkSource, handed: CallTarget, context: BindingContext, project: PythonProject
) -> Iterator[_MutatingCall]:
    """Yield the iterators among the arguments of a function."""
    last = handed.function.attr if isinstance(handed.function, cst.Attribute) else handed.function
    if tree.read_dotted_name(last) in _UNREAD:
        return
    for argument in handed.arguments:
        value = context.resolve_value(argument.value)
        if runs_out(value, context.file) or _makes_generator(bench, value, project):
            yield _MutatingCall(handed.call, handed.function, argument.value, ObjectChange.EXHAUSTS)


def _makes_generator(
    bench: BenchmarkSource, value: cst.BaseExpression | None, project: PythonProject
) -> bool:
    """Tell whether an expression calls a generator function of the project that comes to an end."""
    name = tree.read_dotted_name(value.func) if isinstance(value, cst.Call) else ""
    function = resolve_function(bench, name, project) if name else None
    return function is not None and project.answer_once(_is_finite_generator, function)


def _is_finite_generator(function: cst.FunctionDef) -> bool:
    endless = any(isinstance(node, cst.While) for node in tree.walk_tree(function.body))
    return not function.decorators and tree.is_generator(function) and not endless


def _find_method_changes(
    bench: BenchmarkSource, handed: CallTarget, context: BindingContext, project: PythonProject
) -> Iterator[_MutatingCall]:
    function = handed.function
    if not isinstance(function, cst.Attribute):
        return
    expression, method = context.resolve_value(function.value), function.attr.value
    change = CHANGES.get(find_container_kind(expression, context), {}).get(method)
    if change is None or expression is None:
        return
    arguments = handed.arguments
    is_evident = _changes_contents(method, arguments, expression, context, project) and not (
        change in _ORDERING and _is_already_sorted(function.value, arguments, bench, project)
    )
    yield _MutatingCall(handed.call, function, function.value, change, is_evident)


def _find_function_changes(
    bench: BenchmarkSource, handed: CallTarget, context: BindingContext, project: PythonProject
) -> Iterator[_MutatingCall]:
    """Yield the arguments that a function is known to change."""
    for (place, name), change in _find_changed_parameters(bench, handed.function, project).items():
        expression = handed.find_argument(place, name)
        if expression is not None and _can_change(expression, change, context):
            arguments = handed.arguments
            ordered = change in _ORDERING and _is_already_sorted(
                expression, arguments, bench, project
            )
            yield _MutatingCall(handed.call, handed.function, expression, change, not ordered)


def _find_changed_parameters(
    bench: BenchmarkSource, function: cst.CSTNode, project: PythonProject
) -> dict[Parameter, ObjectChange]:
    """Return the parameters whose arguments a function is known to change."""
    name = tree.read_dotted_name(function)
    if not name:
        return {}
    library_entry = FUNCTIONS.get(bench.file.expand_name(name))
    if library_entry is not None:
        return dict([library_entry])
    inner_function = bench.inner_functions.get(name)
    definition = (
        (bench.file, inner_function)
        if inner_function is not None
        else project.find_function(bench.file, name)
    )
    if definition is None or not is_transparent(definition[1]):
        return {}
    return project.answer_once(find_argument_changes, definition[1], definition[0])


def _can_change(
    expression: cst.BaseExpression, change: ObjectChange, context: BindingContext
) -> bool:
    """Tell whether an argument is a container that such a change is one of.

    What has its elements exchanged in place can be no other than that, even where it is not seen.
    """
    container_kind = find_container_kind(context.resolve_value(expression), context)
    if change is ObjectChange.SWAPS:
        return container_kind in ("", "list", "array")
    return change in CHANGES.get(container_kind, {}).values()


def _find_timed_changes(
    bench: BenchmarkSource, code: TimedCode, project: PythonProject
) -> Iterator[_MutatingCall]:
    """Yield the changes in the timed code of what is there before it and after it.

    What the code appends to is most often a list of results, which nothing measured reads.
    """
    context = bench.make_code_context(code)
    changes_by_name: dict[str, list[_MutatingCall]] = {}
    for call in code.own_calls:
        for call_change in _find_call_changes(bench, call, context, project):
            name = tree.read_dotted_name(call_change.name)
            if name and code.outlives_round(name):
                changes_by_name.setdefault(name, []).append(call_change)
    back = _list_restored_names(bench, code, project) if changes_by_name else frozenset()
    read = _list_argument_names(code) if changes_by_name else frozenset()
    for name, changes in changes_by_name.items():
        kinds, evident_changes = (
            {change.change for change in changes},
            [change for change in changes if change.is_certain],
        )
        if len(kinds) != 1 or not evident_changes:
            continue
        if ObjectChange.APPENDS not in kinds and name not in back:
            yield evident_changes[0]
        elif ObjectChange.APPENDS in kinds and name in read:
            yield replace(evident_changes[0], sure=Confidence.POSSIBLE if name in back else None)


def _list_argument_names(code: TimedCode) -> frozenset[str]:
    """Return the names that calls of the timed code get as arguments."""
    calls = (call for call in code.own_calls if tree.read_dotted_name(call.func) != "len")
    return frozenset(
        tree.read_dotted_name(argument.value) for call in calls for argument in call.args
    )


def _list_restored_names(
    bench: BenchmarkSource, code: TimedCode, project: PythonProject
) -> frozenset[str]:
    """Return the names of what may hold again what it held.

    The code writes to elements of it, or deletes some; or it hands it to what is not seen.
    """
    stores = (name for node in code.own_nodes for name in written_names(node))
    hidden = (call for call in code.own_calls if not _is_seen(call, bench, project))
    return frozenset(stores) | {
        tree.read_dotted_name(argument.value) for call in hidden for argument in call.args
    }


def _is_seen(call: cst.Call, bench: BenchmarkSource, project: PythonProject) -> bool:
    """Tell whether it is known what a call does to its arguments."""
    name = tree.read_dotted_name(call.func)
    if name in bench.inner_functions or bench.file.expand_name(name) in FUNCTIONS:
        return True
    if "." not in name and bench.file.is_builtin_name(name):
        return name in _BUILTINS
    return bool(name) and project.find_function(bench.file, name) is not None


def _find_call_changes(
    bench: BenchmarkSource, call: cst.Call, context: BindingContext, project: PythonProject
) -> Iterator[_MutatingCall]:
    handed = CallTarget(call=call, function=call.func, arguments=tuple(call.args))
    yield from _find_method_changes(bench, handed, context, project)
    yield from _find_exhausted_iterators(bench, handed, context, project)
    yield from _find_function_changes(bench, handed, context, project)


def _changes_contents(
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


def _is_already_sorted(
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
