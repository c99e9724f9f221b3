"""Loops that only repeat the same work, which JMH does by itself."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from auditor.core.contracts.lint import Confidence, Smell
from mutators.java.lint_rules.benchmark_discovery import BenchmarkMethod
from mutators.java.lint_rules.constants import is_constant
from mutators.java.lint_rules.known import suggests_change
from mutators.java.lint_rules.rules import LOOP
from mutators.java.lint_rules.tree import (
    LITERALS,
    LOOPS,
    find_assigned_node,
    find_root_name,
    list_arguments,
    list_children,
    read_part_text,
    read_text,
    strip_wrappers,
    walk_tree,
)
from mutators.repeated_calls import changes_next_call

_LEAVES = frozenset(
    {"break_statement", "return_statement", "throw_statement", "lambda_expression", "if_statement"}
    | {"method_reference", "object_creation_expression", "try_statement", "switch_expression"}
)
_STOPS = frozenset(
    {"break_statement", "return_statement", "throw_statement", "if_statement", "try_statement"}
    | {"switch_expression", "synchronized_statement", "update_expression"}
)
_INPUT = re.compile(r"\.\s*(length|size|count|limit|remaining)\b|\)\s*$")


def find_repeating_loops(bench: BenchmarkMethod) -> Iterator[Smell]:
    """Yield the loop of a benchmark whose turns are all alike."""
    if bench.find_annotation("OperationsPerInvocation") is not None or bench.is_single_shot:
        return
    loops = [node for node in list_children(bench.body) if node.type in LOOPS]
    if len(loops) != 1 or _does_more(bench, loops[0]):
        return
    loop_index = _find_loop_index(loops[0])
    if loop_index is None or _bound_is_input(loops[0], bench):
        return
    is_identical = _repeats_work(loops[0], loop_index, bench)
    if is_identical or _repeats_calls(loops[0], loop_index, bench):
        repetition = "does the same" if is_identical else "makes the same calls"
        yield bench.make_smell(
            LOOP.id,
            loops[0],
            f"The loop over {loop_index} {repetition} in each turn and the score counts all "
            "turns as one operation; the compiler may unroll the turns and do their work once.",
            sure=None if is_identical else Confidence.POSSIBLE,
        )


def _find_loop_index(loop: Node) -> str | None:
    """Return the index of a loop that counts up or down by a step; None for others."""
    begin = loop.child_by_field_name("init")
    step = loop.child_by_field_name("update")
    if begin is None or step is None or begin.type != "local_variable_declaration":
        return None
    declarators = begin.children_by_field_name("declarator")
    if len(declarators) != 1 or len(loop.children_by_field_name("update")) != 1:
        return None
    name = read_part_text(declarators[0], "name")
    start = strip_wrappers(declarators[0].child_by_field_name("value"))
    changed = find_assigned_node(step)
    if start is None or changed is None or read_text(changed) != name:
        return None
    return name


def _bound_is_input(loop: Node, bench: BenchmarkMethod) -> bool:
    """Tell whether a loop goes as far as an input is long, or as a parameter of the run says."""
    condition = loop.child_by_field_name("condition")
    if condition is None or condition.type != "binary_expression":
        return True
    for side in list_children(condition):
        if side.type not in (*LITERALS, "identifier", "field_access"):
            if is_constant(side, bench.scope):
                continue
            return True
        if _INPUT.search(read_text(side)):
            return True
        bound_field = bench.scope.resolve_field(side) if side.type not in LITERALS else None
        if bound_field is not None and any(
            annotation.name == "Param" for annotation in bound_field.annotations
        ):
            return True
    return False


def _repeats_work(loop: Node, index: str, bench: BenchmarkMethod) -> bool:
    """Tell whether each turn calls the same with the same."""
    body = loop.child_by_field_name("body")
    if body is None:
        return False
    statements = list_children(body) if body.type == "block" else [body]
    repetitions = [_repeats_statement(statement, index, bench) for statement in statements]
    return all(repetitions) and any(node.type == "method_invocation" for node in walk_tree(body))


def _repeats_calls(loop: Node, index: str, bench: BenchmarkMethod) -> bool:
    """Tell whether each turn makes the same calls, as far as their names and arguments say."""
    body = loop.child_by_field_name("body")
    nodes = (
        list(walk_tree(body)) if body is not None else []
    )  # without the head: its index is there
    calls = [
        node
        for node in nodes
        if node.type == "method_invocation" and not bench.feeds_blackhole(node)
    ]
    changed = [find_assigned_node(node) for node in nodes if find_assigned_node(node) is not None]
    if any(node.type in _STOPS for node in nodes) or any(
        _changes_next_turn(call) for call in calls
    ):
        return False
    if any(inner_node is None or inner_node.type != "identifier" for inner_node in changed):
        return False
    left = {node.id for node in changed if node is not None}
    names = {index, *(read_text(descendant) for descendant in changed)}
    reads = (node for node in nodes if node.type == "identifier" and node.id not in left)
    return bool(calls) and not any(read_text(read) in names for read in reads)


def _changes_next_turn(call: Node) -> bool:
    """Tell whether the next turn works on something else after a call."""
    name = read_part_text(call, "name")
    return changes_next_call(name) or (name == "get" and not list_arguments(call))


def _repeats_statement(statement: Node, index: str, bench: BenchmarkMethod) -> bool:
    if statement.type == "local_variable_declaration":
        values = statement.children_by_field_name("declarator")
        return all(
            _is_invariant(node.child_by_field_name("value"), index, bench) for node in values
        )
    if statement.type != "expression_statement":
        return False
    inner = strip_wrappers(next(iter(list_children(statement)), None))
    if inner is None or find_assigned_node(inner) is None:
        return _is_invariant(inner, index, bench)
    if (
        find_root_name(find_assigned_node(inner)) not in bench.scope.locals
        or inner.type == "update_expression"
    ):
        return False
    value = strip_wrappers(inner.child_by_field_name("right"))
    return (value is not None and read_text(value) == index) or _is_invariant(value, index, bench)


def _is_invariant(node: Node | None, index: str, bench: BenchmarkMethod) -> bool:
    """Tell whether an expression is made of the same inputs in each turn, and changes none."""
    if node is None:
        return False
    inside = bench.scope.locals
    for inner_node in walk_tree(node):
        if inner_node.type in _LEAVES or find_assigned_node(inner_node) is not None:
            return False
        if inner_node.type == "method_invocation":
            if not bench.feeds_blackhole(inner_node) and (
                suggests_change(read_part_text(inner_node, "name"))
                or not list_arguments(inner_node)
            ):
                return False
        elif inner_node.type == "identifier":
            name = read_text(inner_node)
            local = inside.get(name)
            if name == index or (local is not None and not local.parameter):
                return False
    return True


def _does_more(bench: BenchmarkMethod, loop: Node) -> bool:
    """Tell whether a benchmark has other calls than those of its loop and of its result."""
    for statement in list_children(bench.body):
        if statement == loop or statement.type == "return_statement":
            continue
        inner = strip_wrappers(next(iter(list_children(statement)), None))
        if inner is not None and inner.type == "method_invocation" and bench.feeds_blackhole(inner):
            continue
        if any(node.type == "method_invocation" for node in walk_tree(statement)):
            return True
    return False
