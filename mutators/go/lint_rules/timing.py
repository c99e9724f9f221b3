"""Timers that are stopped and started around little work in each iteration."""

from collections.abc import Iterator

from tree_sitter import Node

from auditor.core.contracts.lint import Confidence
from mutators.go import tree
from mutators.go.lint_rules import syntax
from mutators.go.lint_rules.benchmark_discovery import (
    BenchmarkDeclaration,
    BenchmarkLoop,
    NodeFinding,
)
from mutators.go.lint_rules.brief import ShortCallDetector
from mutators.go.lint_rules.names import NameScope
from mutators.go.lint_rules.rules import TIMER_IN_LOOP


def find_timer_stops(
    part: BenchmarkDeclaration, names: NameScope, brief: ShortCallDetector
) -> Iterator[NodeFinding]:
    """Yield the stop of the timer in a loop that measures little between two stops."""
    for loop in part.loops:
        reset = _find_switch(part, loop, "ResetTimer")
        if reset is not None:
            yield NodeFinding(
                TIMER_IN_LOOP,
                reset,
                "b.ResetTimer is called in each iteration, so all iterations but the last are left "
                "out of the time that is divided by b.N.",
                sure=Confidence.LIKELY,
            )
        stop = _find_switch(part, loop, "StopTimer")
        nodes = _list_timed_statements(part, loop) if stop is not None else []
        if stop is None or not any(_is_work(inner_node) for inner_node in nodes):
            continue
        if all(_is_short(part, names, brief, node) for node in nodes):
            call = stop.named_children[0]
            yield NodeFinding(
                TIMER_IN_LOOP,
                stop,
                f"{syntax.format_callee(call)} is called in each iteration, around as little work "
                f"as {_describe_work(part, nodes)}: stopping takes longer than that, empties "
                "caches, and lets the benchmark run for minutes.",
            )


def _find_switch(part: BenchmarkDeclaration, loop: BenchmarkLoop, method: str) -> Node | None:
    """Return the first statement that calls a method of the timer in every iteration."""
    for statement in syntax.list_statements(loop.body):
        call = statement.named_children[0] if statement.named_children else statement
        if call.type == "call_expression" and part.calls_method(call, method):
            return statement
    return None


def _list_timed_statements(part: BenchmarkDeclaration, loop: BenchmarkLoop) -> list[Node]:
    """Return the statements of a loop during which the timer runs."""
    return [
        statement
        for statement in syntax.list_statements(loop.body)
        if not part.clock.list_timer_calls(statement)
        and not part.clock.is_off(statement, loop.body)
    ]


def _is_work(node: Node) -> bool:
    return any(
        inner_node.type in ("call_expression", "index_expression")
        for inner_node in tree.walk_tree(node)
    )


def _is_short(
    part: BenchmarkDeclaration, names: NameScope, brief: ShortCallDetector, node: Node
) -> bool:
    """Tell whether a statement is short; what ends the benchmark, or logs, is none of its work."""
    parts = [node]
    if node.type == "if_statement":
        parts = [child for child in node.named_children if child.type != "block"]
        for block in (child for child in node.named_children if child.type == "block"):
            parts += syntax.list_statements(block)
    return all(
        _is_own(part, inner_node) or brief.is_short_statement(names, inner_node)
        for inner_node in parts
    )


def _is_own(part: BenchmarkDeclaration, statement: Node) -> bool:
    """Tell whether a statement is a call of a method of the benchmark."""
    call = statement.named_children[0] if statement.named_children else statement
    return call.type == "call_expression" and part.calls_method(call)


def _describe_work(part: BenchmarkDeclaration, nodes: list[Node]) -> str:
    for node in nodes:
        for call in syntax.list_calls(node):
            if not part.calls_method(call):
                return syntax.format_callee(call)
    return "one statement"
