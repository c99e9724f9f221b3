"""Costly set-up before the timed loop that the timer counts too."""

from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from mutators.go import tree
from mutators.go.lint_rules import syntax
from mutators.go.lint_rules.benchmark_discovery import BenchmarkDeclaration, BenchmarkLoop, LoopKind
from mutators.go.lint_rules.counting import counts_to
from mutators.go.lint_rules.finding import NodeFinding
from mutators.go.lint_rules.names import Names
from mutators.go.lint_rules.packages import Declared
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
_BUILT_IN = syntax.NUMBERS | syntax.words("append len cap copy make new string min max delete")
_WORK = frozenset({"call_expression", "index_expression"})


def counts_setup(part: BenchmarkDeclaration, names: Names) -> Iterator[NodeFinding]:
    """Yield costly set-up before a loop that the timer counts too."""
    loops = {loop.node.id for loop in part.loops}
    seen: set[int] = set()
    for loop in part.loops:
        if loop.kind is LoopKind.KEPT or not loop.timed:
            continue
        for node in islice(part.clock.since(loop.node), _MOST):
            if _may_reset(part, names, node):
                break
            if node.id in seen:
                continue
            reason = _fills(names, node, loop) if node.id in loops else _cost(names, node)
            if reason:
                seen.add(node.id)
                yield NodeFinding(
                    MISSING_RESET,
                    node,
                    f"Before the timed loop, {reason}, and the timer is not reset after it, so its "
                    "time and allocations are part of the number.",
                )


def _may_reset(part: BenchmarkDeclaration, names: Names, statement: Node) -> bool:
    """Tell whether a statement hands its *testing.B to a function that may reset the timer."""
    for call in islice(syntax.calls(statement), _MOST):
        given = {tree.source(argument) for argument in syntax.arguments(call)}
        if given & part.handles and not part.uses(call):
            declaration = names.function(call)
            if (
                declaration is None
                or b"Timer" in (declaration.node.text or b"")
                or _hands_on(declaration)
            ):
                return True
    return False


def _hands_on(declaration: Declared) -> bool:
    """Tell whether a function hands one of its parameters to another one as it is."""
    own = {
        name
        for _, listed, _ in tree.parameters(declaration.node)
        for name in map(tree.source, listed)
    }
    return any(
        {tree.source(argument) for argument in syntax.arguments(call)} & own
        for call in islice(syntax.calls(declaration.node), _MOST)
        if syntax.called(call) not in _BUILT_IN
    )


def _fills(names: Names, earlier: Node, loop: BenchmarkLoop) -> str:
    """Say what a loop to b.N only prepares for a later one, empty where it does more."""
    filled: set[str] = set()
    for statement in syntax.statements(earlier.child_by_field_name("body")):
        nodes = syntax.values(statement.child_by_field_name("left"))
        if (
            statement.type not in ("assignment_statement", "short_var_declaration")
            or len(nodes) != 1
        ):
            return ""
        target = nodes[0]
        if target.type == "index_expression":
            target = target.child_by_field_name("operand") or target
        filled.add(tree.source(target))
    used = {tree.source(node) for node in tree.descend(loop.body) if node.type == "identifier"}
    both = sorted(name for name in filled & used if names.bindings(name))
    if not both or not _calls(earlier):
        return ""
    return f"a loop fills {both[0]} with as many elements as there are iterations"


def _cost(names: Names, statement: Node) -> str:
    nested = syntax.LITERAL | {"defer_statement"}
    for call in islice(syntax.calls(statement, nested), _MOST):
        path, name = names.standard(call)
        if name in _DEAR.get(path, ()):
            return f"{syntax.callee_text(call)} is called"
        count = _asked(names, call)
        if count and count >= _enough(names.function(call)):
            return f"{syntax.callee_text(call)} loops {count:,} times"
    rounds = _rounds(names, statement)
    if rounds >= (_MANY if _calls(statement) else _LIGHT):
        return f"a loop runs {rounds:,} times"
    return ""


def _enough(declaration: Declared | None) -> int:
    """Return how many rounds of a function's loops are costly."""
    return _MANY if declaration is not None and _calls(declaration.node) else _LIGHT


def _calls(node: Node) -> bool:
    """Tell whether some code calls more than built-in functions in a loop."""
    return any(
        syntax.called(call) not in _BUILT_IN
        for inner_node in syntax.walk(node)
        if inner_node.type == "for_statement"
        for call in syntax.calls(inner_node)
    )


def _asked(names: Names, call: Node) -> int:
    """Return how often a function loops that gets the number of its rounds as an argument."""
    declaration = names.function(call)
    if declaration is None:
        return 0
    counts = [number(names, argument) for argument in syntax.arguments(call)]
    return max(
        (one for index, one in enumerate(counts) if one and counts_to(declaration, index)),
        default=0,
    )


def _rounds(names: Names, statement: Node) -> int:
    """Return how often the innermost work of nested loops is done, as far as literals tell."""
    rounds, descendant = 1, statement
    for _ in range(_DEEPEST):
        if descendant.type != "for_statement":
            break
        body = descendant.child_by_field_name("body")
        if body is None or not any(inner_node.type in _WORK for inner_node in syntax.walk(body)):
            return 0
        rounds *= max(bound(names, descendant), 1)
        inner = [node for node in syntax.statements(body) if node.type == "for_statement"]
        descendant = inner[0] if inner else body
    return rounds


def bound(names: Names, loop: Node) -> int:
    """Return the number of rounds of a loop that counts up one by one, or over a number."""
    head = next(iter(loop.named_children), None)
    if head is None:
        return 0
    if head.type == "range_clause":
        return number(names, head.child_by_field_name("right"))
    condition = head.child_by_field_name("condition")
    update = head.child_by_field_name("update")
    if condition is None or update is None or update.type != "inc_statement":
        return 0
    return number(names, condition.child_by_field_name("right"))


def number(names: Names, node: Node | None) -> int:
    """Return the value of a literal, or of a local that is one; 0 where it is unknown."""
    text = tree.source(node).replace("_", "")
    if node is not None and node.type == "identifier":
        bound = names.bindings(text)
        if len(bound) != 1:
            return 0
        value = bound[0].child_by_field_name("right") or bound[0].child_by_field_name("value")
        node = next(iter(syntax.values(value)), None)
        text = tree.source(node).replace("_", "")
    if node is not None and node.type == "binary_expression":
        return _product(node)
    return _literal(text)


def _product(node: Node) -> int:
    sides = [_literal(tree.source(node.child_by_field_name(side))) for side in ("left", "right")]
    operator = tree.source(node.child_by_field_name("operator"))
    if operator == "*":
        return sides[0] * sides[1]
    return sides[0] << min(sides[1], 40) if operator == "<<" else 0


def _literal(text: str) -> int:
    text = text.replace("_", "")
    if text.isascii() and text.isdigit() and len(text) < 16:
        return int(text)
    mantissa, _, exponent = text.partition("e")
    if mantissa.isascii() and mantissa.isdigit() and exponent.isascii() and exponent.isdigit():
        return int(mantissa[:9] + "0" * min(int(exponent[:3]), 15))
    return 0
