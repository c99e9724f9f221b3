"""Costly set-up before the timed loop that the timer counts too."""

from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from mutators.go import tree
from mutators.go.lint_rules import syntax
from mutators.go.lint_rules.benchmark_discovery import (
    BenchmarkDeclaration,
    BenchmarkLoop,
    LoopKind,
    NodeFinding,
)
from mutators.go.lint_rules.counting import counts_to
from mutators.go.lint_rules.names import NameScope
from mutators.go.lint_rules.packages import ScopedNode
from mutators.go.lint_rules.rules import MISSING_RESET

_MANY = 20_000
"""Rounds of a loop that calls functions; of one that does not, there must be `_LIGHT`."""
_LIGHT = 500 * _MANY
_DEAR = {
    "net/http/httptest": frozenset({"NewServer", "NewTLSServer"}),
    "crypto/rsa": frozenset({"GenerateKey"}),
    "os/exec": frozenset({"Command"}),
}
_DEEPEST = 5
_MOST = 100
"""Of the statements before a loop, and of the calls in one, that are looked at."""
_BUILT_IN = syntax.NUMBERS | syntax.split_words(
    "append len cap copy make new string min max delete"
)
_WORK = frozenset({"call_expression", "index_expression"})


def find_timed_setup(part: BenchmarkDeclaration, names: NameScope) -> Iterator[NodeFinding]:
    """Yield costly set-up before a loop that the timer counts too."""
    loops = {loop.node.id for loop in part.loops}
    reported_ids: set[int] = set()
    for loop in part.loops:
        if loop.kind is LoopKind.KEEP_ALIVE or not loop.timed:
            continue
        for node in islice(part.clock.list_counted_statements(loop.node), _MOST):
            if _may_reset(part, names, node):
                break
            if node.id in reported_ids:
                continue
            reason = (
                _describe_filling_loop(names, node, loop)
                if node.id in loops
                else _describe_cost(names, node)
            )
            if reason:
                reported_ids.add(node.id)
                yield NodeFinding(
                    MISSING_RESET,
                    node,
                    f"Before the timed loop, {reason}, and the timer is not reset after it, so its "
                    "time and allocations are part of the number.",
                )


def _may_reset(part: BenchmarkDeclaration, names: NameScope, statement: Node) -> bool:
    """Tell whether a statement hands its *testing.B to a function that may reset the timer."""
    for call in islice(syntax.list_calls(statement), _MOST):
        argument_names = {tree.read_text(argument) for argument in syntax.list_arguments(call)}
        if argument_names & part.handles and not part.calls_method(call):
            declaration = names.resolve_function(call)
            if (
                declaration is None
                or b"Timer" in (declaration.node.text or b"")
                or _hands_on(declaration)
            ):
                return True
    return False


def _hands_on(declaration: ScopedNode) -> bool:
    """Tell whether a function hands one of its parameters to another one as it is."""
    parameter_names = {
        name
        for _, name_nodes, _ in tree.list_parameters(declaration.node)
        for name in map(tree.read_text, name_nodes)
    }
    return any(
        {tree.read_text(argument) for argument in syntax.list_arguments(call)} & parameter_names
        for call in islice(syntax.list_calls(declaration.node), _MOST)
        if syntax.read_called_name(call) not in _BUILT_IN
    )


def _describe_filling_loop(names: NameScope, earlier: Node, loop: BenchmarkLoop) -> str:
    """Say what a loop to b.N only prepares for a later one, empty where it does more."""
    filled: set[str] = set()
    for statement in syntax.list_statements(earlier.child_by_field_name("body")):
        nodes = syntax.list_values(statement.child_by_field_name("left"))
        if (
            statement.type not in ("assignment_statement", "short_var_declaration")
            or len(nodes) != 1
        ):
            return ""
        target = nodes[0]
        if target.type == "index_expression":
            target = target.child_by_field_name("operand") or target
        filled.add(tree.read_text(target))
    used_names = {
        tree.read_text(node) for node in tree.walk_tree(loop.body) if node.type == "identifier"
    }
    shared_names = sorted(name for name in filled & used_names if names.find_bindings(name))
    if not shared_names or not _has_loop_calls(earlier):
        return ""
    return f"a loop fills {shared_names[0]} with as many elements as there are iterations"


def _describe_cost(names: NameScope, statement: Node) -> str:
    nested = syntax.LITERAL | {"defer_statement"}
    for call in islice(syntax.list_calls(statement, nested), _MOST):
        path, name = names.resolve_imported_function(call)
        if name in _DEAR.get(path, ()):
            return f"{syntax.format_callee(call)} is called"
        count = _count_argument_rounds(names, call)
        if count and count >= _choose_costly_rounds(names.resolve_function(call)):
            return f"{syntax.format_callee(call)} loops {count:,} times"
    rounds = _count_nested_rounds(names, statement)
    if rounds >= (_MANY if _has_loop_calls(statement) else _LIGHT):
        return f"a loop runs {rounds:,} times"
    return ""


def _choose_costly_rounds(declaration: ScopedNode | None) -> int:
    """Return how many rounds of a function's loops are costly."""
    return _MANY if declaration is not None and _has_loop_calls(declaration.node) else _LIGHT


def _has_loop_calls(node: Node) -> bool:
    """Tell whether some code calls more than built-in functions in a loop."""
    return any(
        syntax.read_called_name(call) not in _BUILT_IN
        for inner_node in syntax.walk_nodes(node)
        if inner_node.type == "for_statement"
        for call in syntax.list_calls(inner_node)
    )


def _count_argument_rounds(names: NameScope, call: Node) -> int:
    """Return how often a function loops that gets the number of its rounds as an argument."""
    declaration = names.resolve_function(call)
    if declaration is None:
        return 0
    counts = [_evaluate_number(names, argument) for argument in syntax.list_arguments(call)]
    return max(
        (count for index, count in enumerate(counts) if count and counts_to(declaration, index)),
        default=0,
    )


def _count_nested_rounds(names: NameScope, statement: Node) -> int:
    """Return how often the innermost work of nested loops is done, as far as literals tell."""
    rounds, descendant = 1, statement
    for _ in range(_DEEPEST):
        if descendant.type != "for_statement":
            break
        body = descendant.child_by_field_name("body")
        if body is None or not any(
            inner_node.type in _WORK for inner_node in syntax.walk_nodes(body)
        ):
            return 0
        rounds *= max(count_loop_rounds(names, descendant), 1)
        inner = [node for node in syntax.list_statements(body) if node.type == "for_statement"]
        descendant = inner[0] if inner else body
    return rounds


def count_loop_rounds(names: NameScope, loop: Node) -> int:
    """Return the number of rounds of a loop that counts up one by one, or over a number."""
    head = next(iter(loop.named_children), None)
    if head is None:
        return 0
    if head.type == "range_clause":
        return _evaluate_number(names, head.child_by_field_name("right"))
    condition = head.child_by_field_name("condition")
    update = head.child_by_field_name("update")
    if condition is None or update is None or update.type != "inc_statement":
        return 0
    return _evaluate_number(names, condition.child_by_field_name("right"))


def _evaluate_number(names: NameScope, node: Node | None) -> int:
    """Return the value of a literal, or of a local that is one; 0 where it is unknown."""
    text = tree.read_text(node).replace("_", "")
    if node is not None and node.type == "identifier":
        bound = names.find_bindings(text)
        if len(bound) != 1:
            return 0
        value = bound[0].child_by_field_name("right") or bound[0].child_by_field_name("value")
        node = next(iter(syntax.list_values(value)), None)
        text = tree.read_text(node).replace("_", "")
    if node is not None and node.type == "binary_expression":
        return _evaluate_product(node)
    return _parse_literal(text)


def _evaluate_product(node: Node) -> int:
    sides = [
        _parse_literal(tree.read_text(node.child_by_field_name(side))) for side in ("left", "right")
    ]
    operator = tree.read_text(node.child_by_field_name("operator"))
    if operator == "*":
        return sides[0] * sides[1]
    return sides[0] << min(sides[1], 40) if operator == "<<" else 0


def _parse_literal(text: str) -> int:
    text = text.replace("_", "")
    if text.isascii() and text.isdigit() and len(text) < 16:
        return int(text)
    mantissa, _, exponent = text.partition("e")
    if mantissa.isascii() and mantissa.isdigit() and exponent.isascii() and exponent.isdigit():
        return int(mantissa[:9] + "0" * min(int(exponent[:3]), 15))
    return 0
