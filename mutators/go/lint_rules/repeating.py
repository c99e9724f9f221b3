"""Loops inside of the timed loop that only repeat a call, and calls with constants only."""

from collections.abc import Iterator

from tree_sitter import Node

from mutators.go import tree
from mutators.go.lint_rules import reset, syntax
from mutators.go.lint_rules.benchmark_discovery import (
    BenchmarkDeclaration,
    BenchmarkLoop,
    LoopKind,
    NodeFinding,
)
from mutators.go.lint_rules.names import NameScope
from mutators.go.lint_rules.removable import RemovableCallDetector
from mutators.go.lint_rules.rules import CONSTANT_INPUTS, INNER_LOOP
from mutators.repeated_calls import changes_next_call, states_repetition

_STOPS = syntax.split_words(
    "break_statement continue_statement return_statement go_statement defer_statement "
    "send_statement select_statement func_literal inc_statement dec_statement"
)
_NUMBERS = frozenset({"int_literal", "float_literal", "rune_literal", "imaginary_literal"})
_CALLS = frozenset({"call_expression", "func_literal"})
_LITERALS = _NUMBERS | {"interpreted_string_literal", "raw_string_literal", "true", "false"}
_INNER = ("unary_expr", "binary_expr", "parenthesized_expr", "interpreted_string", "escape_seq")
"""Beginnings of the types of nodes that constant expressions are made of."""
_MOST = 100
"""Of the statements of a timed loop that are looked at."""
_LARGEST = 50
"""The most nodes of a constant expression that are looked at."""


def find_inner_loops(part: BenchmarkDeclaration, names: NameScope) -> Iterator[NodeFinding]:
    """Yield the loops to a constant in a timed loop whose rounds make the same calls."""
    calls = syntax.list_calls(part.declaration)
    if any(part.calls_method(call, "ReportMetric", "Elapsed") for call in calls):
        return
    for loop in part.loops:
        inner = syntax.list_statements(loop.body)[:_MOST] if loop.timed else []
        for node in inner:
            rounds = reset.count_loop_rounds(names, node) if node.type == "for_statement" else 0
            if (
                rounds > 1
                and not _is_on_purpose(part, node, rounds)
                and _rounds_are_alike(part, names, node)
            ):
                yield NodeFinding(
                    INNER_LOOP,
                    node,
                    f"Each iteration makes the same calls {rounds:,} times and counts them as one "
                    "operation, so the number is not that of one call.",
                )


def _is_on_purpose(part: BenchmarkDeclaration, loop: Node, rounds: int) -> bool:
    """Tell whether the names around a loop say how often, or that it does so on purpose."""
    around = (
        tree.read_text(ancestor)
        for ancestor in syntax.list_ancestors(loop, part.above)
        if _is_run(part, ancestor)
    )
    text = " ".join((part.name, part.benchmark, *(name[:200] for name in around)))
    return states_repetition(text, part.list_subject_words(loop), rounds)


def _is_run(part: BenchmarkDeclaration, node: Node) -> bool:
    return node.type == "call_expression" and part.calls_method(node, "Run")


def _rounds_are_alike(part: BenchmarkDeclaration, names: NameScope, loop: Node) -> bool:
    """Tell whether the rounds of a loop make the same calls with the same."""
    body = loop.child_by_field_name("body")
    if body is None:
        return False
    nodes = list(syntax.walk_nodes(body))
    if any(node.type in _STOPS and not _is_failure(part, node) for node in nodes):
        return False
    calls = [
        node for node in nodes if node.type == "call_expression" and not part.calls_method(node)
    ]
    named = [syntax.read_called_name(call) for call in calls]
    if not any(name and name not in syntax.NUMBERS for name in named):
        return False
    if any(changes_next_call(name) or name in ("make", "new", "copy") for name in named):
        return False
    changed = _list_assigned_names(nodes) | syntax.list_loop_counters(loop)
    reads = (node for call in calls for node in tree.walk_tree(call) if node.type == "identifier")
    return not any(tree.read_text(read) in changed for read in reads) and not any(
        names.is_generator(call) or names.resolve_imported_function(call)[0].startswith("math/rand")
        for call in calls
    )


def _is_failure(part: BenchmarkDeclaration, node: Node) -> bool:
    return node.type == "return_statement" and not node.named_children and bool(part.handles)


def _list_assigned_names(nodes: list[Node]) -> set[str]:
    """Return the names that some code assigns to, with those of what they are part of."""
    names: set[str] = set()
    for node in nodes:
        if node.type == "assignment_statement":
            descendant = node.child_by_field_name("left")
            named = tree.walk_tree(descendant) if descendant is not None else ()
            names |= {
                tree.read_text(inner_node)
                for inner_node in named
                if inner_node.type == "identifier"
            }
    return names


def find_constant_inputs(part: BenchmarkDeclaration, names: NameScope) -> Iterator[NodeFinding]:
    """Yield the calls with constants only that the compiler does beforehand."""
    removable = RemovableCallDetector(names.packages)
    literals = _map_fixed_locals(part, names) if part.loops else {}
    for loop in part.loops:
        if loop.kind is LoopKind.KEEP_ALIVE or not loop.timed or _has_other_calls(part, loop):
            continue
        inside = _find_literal(part, loop.node)
        fixed = frozenset(name for name, literal in literals.items() if literal == inside)
        for call in _list_used_calls(loop):
            nodes = syntax.list_arguments(call)
            folds = bool(nodes) and all(_is_constant(names, node, fixed) for node in nodes)
            if folds and _is_plain(names, call) and removable.is_removable_call(names, call):
                yield NodeFinding(
                    CONSTANT_INPUTS,
                    call,
                    f"All inputs of {syntax.format_callee(call)} are constants, and it is small "
                    "enough to be inlined, so the compiler may do its work beforehand.",
                )
                break


def _has_other_calls(part: BenchmarkDeclaration, loop: BenchmarkLoop) -> bool:
    """Tell whether a loop makes so many calls that one of them is hardly what is measured."""
    calls = [call for call in syntax.list_calls(loop.body) if not part.calls_method(call)]
    return len({syntax.format_callee(call) for call in calls}) > 1


def _list_used_calls(loop: BenchmarkLoop) -> Iterator[Node]:
    """Yield the calls whose results a loop assigns, compares or hands on."""
    for node in syntax.walk_nodes(loop.body, syntax.LITERAL):
        if node.type == "call_expression":
            outer = node.parent
            if outer is not None and outer.type != "expression_statement":
                yield node


def _is_plain(names: NameScope, call: Node) -> bool:
    """Tell whether a call is of a function, of which the arguments are all inputs."""
    function = syntax.find_callee(call)
    if function is None:
        return False
    if function.type == "identifier":
        return True
    operand, _ = syntax.split_selector(function)
    return bool(operand) and not names.find_bindings(operand) and operand in names.home.imports


def _map_fixed_locals(part: BenchmarkDeclaration, names: NameScope) -> dict[str, int]:
    """Return the locals that are a literal for ever, with the function literal that has them."""
    changed: set[str] = set()
    for node in tree.walk_tree(part.declaration):
        if node.type in ("inc_statement", "dec_statement", "assignment_statement"):
            target = node.child_by_field_name("left") or node
            changed |= {tree.read_text(child) for child in syntax.walk_nodes(target, _CALLS)}
        elif _is_address(node):
            variable = _find_variable(node)
            changed |= {tree.read_text(variable)} if variable.type == "identifier" else set()
    literals: dict[str, int] = {}
    for name, bound in names.bound.items():
        values = syntax.list_values(bound[0].child_by_field_name("right"))
        plain = len(bound) == len(values) == 1 and bound[0].type == "short_var_declaration"
        if plain and values[0].type in _LITERALS and name not in changed:
            literals[name] = _find_literal(part, bound[0])
    return literals


def _is_address(node: Node) -> bool:
    operator = tree.read_text(node.child_by_field_name("operator"))
    return node.type == "unary_expression" and operator == "&"


def _find_variable(node: Node) -> Node:
    """Return the variable of an address, a field or an element."""
    while (inner := node.child_by_field_name("operand")) is not None:
        node = syntax.strip_parentheses(inner)
    return node


def _find_literal(part: BenchmarkDeclaration, node: Node) -> int:
    """Return the id of the function literal around a node, 0 where there is none."""
    around = (
        node for node in syntax.list_ancestors(node, part.above) if node.type == "func_literal"
    )
    literal = next(around, None)
    return literal.id if literal is not None else 0


def _is_constant(names: NameScope, node: Node, fixed: frozenset[str]) -> bool:
    """Tell whether an expression is made of literals, of constants and of `fixed` locals."""
    for number, inner_node in enumerate(tree.walk_tree(node)):
        if number > _LARGEST:
            return False
        if inner_node.type == "identifier":
            name = tree.read_text(inner_node)
            bound = names.find_bindings(name)
            if bound and bound[0].type != "const_spec" and name not in fixed:
                return False
            if not bound and name not in names.packages.find_package(names.home).constants:
                return False
        elif inner_node.type not in _LITERALS and not inner_node.type.startswith(_INNER):
            return False
    return True
