"""Set-up inside the timed code: imports, random data, inputs made of constants alone."""

from collections.abc import Iterator

import libcst as cst

from mutators.python.lint_rules import benchmark_discovery, rules, tree
from mutators.python.lint_rules.benchmark_discovery import BenchmarkSource, RuleHit, TimedCode
from mutators.python.lint_rules.inputs import is_global, makes_numbers
from mutators.python.lint_rules.project import PythonProject

_MANY = 50
"""So many elements written out are an input, not a detail of a call."""
_LONG, _HUGE = 1_000, 100_000
"""So many steps of a loop, or elements filled in by one call, take a time worth a word."""
_NUMPY = frozenset({"arange", "zeros", "ones", "linspace", "full", "eye", "identity"})
_ROUND_IT = frozenset({"range", "len", "list", "tuple", "str", "int", "float", "bytes", "chr"})
"""Builtins that make inputs of constants."""
_PARSERS = frozenset({"json.loads", "re.compile", "ast.literal_eval"})


def find_timed_setup(bench: BenchmarkSource, project: PythonProject) -> Iterator[RuleHit]:  # noqa: ARG001 - as all rules
    """Yield the set-up that every round does again."""
    for code in bench.timed:
        for node, text in (
            *_find_imports(bench, code),
            *_find_random_data(bench, code),
            *_find_constant_inputs(bench, code),
        ):
            yield RuleHit(rule=rules.SETUP_IN_TIMED, bench=bench, node=node, text=text)


SetupPlaces = Iterator[tuple[cst.CSTNode, str]]


def _find_imports(bench: BenchmarkSource, code: TimedCode) -> SetupPlaces:
    if benchmark_discovery.is_about(bench, benchmark_discovery.IMPORT):
        return
    for node in code.own_nodes:
        if isinstance(node, cst.Import | cst.ImportFrom):
            yield (
                node,
                f"`{tree.format_code(node)}` is run by every timed call: the first one loads the "
                "module, and all others pay for looking it up.",
            )
            return


def _find_random_data(bench: BenchmarkSource, code: TimedCode) -> SetupPlaces:
    """Yield random data that the timed code makes and hands to a call."""
    if benchmark_discovery.is_about(bench, benchmark_discovery.RANDOM):
        return
    argument_names = _count_argument_names(code)
    bound = (
        value
        for name in argument_names
        for value in code.bindings.get(name, ())
        if value is not None
    )
    argument_ids = tree.collect_ids_below(code.nodes, cst.Arg) | {
        id(node) for node in tree.walk_own_nodes(*bound)
    }
    # What draws inside a loop is most often an algorithm that does.
    looped = tree.collect_ids_below(code.nodes, cst.For, cst.While)
    for call in code.own_calls:
        if id(call) in argument_ids and id(call) not in looped and makes_numbers(call, bench):
            variation = ", and each call measures other data" if is_global(call, bench) else ""
            yield (
                call,
                f"`{tree.format_code(call)}` makes random data inside the timed code: its cost is "
                f"part of the time{variation}.",
            )
            return


def _count_argument_names(code: TimedCode) -> dict[str, int]:
    """Return the names that stand alone as arguments of calls, each with how often."""
    amounts: dict[str, int] = {}
    for call in code.own_calls:
        for argument in call.args:
            if isinstance(argument.value, cst.Name):
                amounts[argument.value.value] = amounts.get(argument.value.value, 0) + 1
    return amounts


def _find_constant_inputs(bench: BenchmarkSource, code: TimedCode) -> SetupPlaces:
    """Yield inputs made of constants that are handed on, and that nothing else is done with."""
    if benchmark_discovery.is_about(bench, benchmark_discovery.BUILD):
        return
    arguments = _count_argument_names(code)
    for node in tree.split_statement_lines(code.nodes):
        if not isinstance(node, cst.Assign) or len(node.targets) != 1:
            continue
        name = tree.read_dotted_name(node.targets[0].target)
        plain = name in arguments and len(code.bindings.get(name, [])) == 1
        if (
            plain
            and code.read_counts[name] - 1 == arguments[name]
            and _is_costly_constant(node.value, bench)
        ):
            yield (
                node,
                f"`{name}` is made of constants by every timed call, so the time is that of making"
                " it and of what is done with it.",
            )


def _is_costly_constant(node: cst.BaseExpression, bench: BenchmarkSource) -> bool:
    """Tell whether an expression of constants alone makes something large."""
    if not _is_constant_expression(node, bench):
        return False
    if isinstance(node, cst.Call) and bench.file.expand_name(node.func) in _PARSERS:
        about = benchmark_discovery.is_about(
            bench, benchmark_discovery.REGEX, ("json", "loads", "decode", "parse")
        )
        return not about
    return any(_makes_large_object(inner_node, bench) for inner_node in tree.walk_own_nodes(node))


def _makes_large_object(node: cst.CSTNode, bench: BenchmarkSource) -> bool:
    match node:
        case cst.ListComp() | cst.DictComp() | cst.SetComp():
            return _find_largest_number(node, bench) >= _LONG
        case cst.List() | cst.Dict() | cst.Set():
            return len(node.elements) >= _MANY
        case cst.BinaryOperation(operator=cst.Multiply()):
            sides = (node.left, node.right)
            filled = any(isinstance(side, cst.List | cst.SimpleString) for side in sides)
            return filled and _find_largest_number(node, bench) >= _HUGE
        case cst.Call():
            name = bench.file.expand_name(node.func)
            module, _, last = name.rpartition(".")
            if module == "numpy" and last in _NUMPY:
                return _find_largest_number(node, bench) >= _HUGE
            ranged = name in ("list", "tuple", "set") and _takes_range(node)
            return ranged and _find_largest_number(node, bench) >= _LONG
        case _:
            return False


def _takes_range(call: cst.Call) -> bool:
    """Tell whether a call gets a `range` (`list(range(1000))`)."""
    return any(
        isinstance(argument.value, cst.Call)
        and tree.read_dotted_name(argument.value.func) == "range"
        for argument in call.args
    )


def _find_largest_number(node: cst.CSTNode, bench: BenchmarkSource) -> int:
    """Return the largest whole number in an expression, by the names of constants too."""
    values = [tree.evaluate_constant(inner_node) for inner_node in tree.walk_own_nodes(node)]
    for name in tree.list_read_names(node):
        bound = bench.file.bindings.get(name, [])
        values += [tree.evaluate_constant(bound[0])] if len(bound) == 1 else []
    return max((value for value in values if isinstance(value, int)), default=0)


def _is_constant_expression(node: cst.BaseExpression, bench: BenchmarkSource) -> bool:
    """Tell whether an expression hangs on nothing but literals, constants and builtins."""
    bound = {
        name.value
        for descendant in tree.walk_tree(node)
        if isinstance(descendant, cst.CompFor)
        for name in tree.walk_own_nodes(descendant.target)
        if isinstance(name, cst.Name)
    }
    for inner_node in tree.walk_own_nodes(node):
        if isinstance(inner_node, cst.Lambda | cst.NamedExpr | cst.Await):
            return False
        if isinstance(inner_node, cst.Call) and not _is_constant_call(inner_node, bench):
            return False
    rest = set(tree.list_read_names(node)) - bound - _ROUND_IT
    return all(_is_constant(name, bench) for name in rest)


def _is_constant_call(call: cst.Call, bench: BenchmarkSource) -> bool:
    name = bench.file.expand_name(call.func)
    if name in _ROUND_IT or name in _PARSERS:
        return True
    module, _, last = name.rpartition(".")
    return module == "numpy" and last in _NUMPY


def _is_constant(name: str, bench: BenchmarkSource) -> bool:
    """Tell whether a name is that of a module, or of a number or text of this module."""
    if name in bench.file.import_origins:
        return True
    bound = bench.file.bindings.get(name, [])
    return len(bound) == 1 and tree.evaluate_constant(bound[0]) is not None
