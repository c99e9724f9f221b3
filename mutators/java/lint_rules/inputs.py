"""Inputs of the measured call that are constants, so that the work may be done by a compiler."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from auditor.core.contracts.lint import Confidence, Smell
from mutators.java.lint_rules.benchmark_discovery import (
    BenchmarkMethod,
    find_state_scope,
    read_called_name,
)
from mutators.java.lint_rules.constants import find_constant_variables, is_constant
from mutators.java.lint_rules.declarations import Field
from mutators.java.lint_rules.effects import EffectAnalysis, SideEffect, gives_value, is_pure_of_jdk
from mutators.java.lint_rules.known import is_factory_method, makes_text
from mutators.java.lint_rules.rules import CONSTANT_INPUTS, FINAL_STATE
from mutators.java.lint_rules.scope import LocalVariable, MethodScope
from mutators.java.lint_rules.tree import (
    LOOPS,
    list_arguments,
    read_text,
    strip_wrappers,
    walk_own_nodes,
    walk_tree,
)

_SIZE = re.compile(
    r"(?i).*(amount|bound|capacity|concurrency|count|iteration|length|limit|max|min|number|num|size|seed"
    r"|threads?|timeout|times|total|width|height|offset)s?|[nN]"
)

_ORDER = list(Confidence)  # the surest first


def _list_measured_calls(bench: BenchmarkMethod) -> list[Node]:
    """Return the calls whose results a benchmark returns or hands to a Blackhole."""
    nodes: list[Node] = []
    for node in walk_own_nodes(bench.body):
        if node.type == "return_statement":
            inner_nodes = node.named_children
        elif node.type == "method_invocation" and bench.feeds_blackhole(node):
            inner_nodes = list_arguments(node)
        else:
            continue
        nodes += [
            descendant
            for descendant in (_resolve_local_value(value, bench.scope) for value in inner_nodes)
            if descendant
        ]
    return [
        inner_node
        for inner_node in nodes
        if inner_node.type == "method_invocation" and list_arguments(inner_node)
    ]


def _resolve_local_value(value: Node, scope: MethodScope) -> Node | None:
    """Return an expression, or that of which a local variable has its only value."""
    node = strip_wrappers(value)
    if node is not None and node.type == "identifier":
        local = scope.find_variable(read_text(node))
        if (
            isinstance(local, LocalVariable)
            and not local.parameter
            and local.name not in scope.changed
        ):
            return local.value
    return node


def find_constant_inputs(bench: BenchmarkMethod, effects: EffectAnalysis) -> Iterator[Smell]:
    """Yield the measured calls of which all inputs are constants."""
    for call in [] if bench.is_about_compiler else _list_measured_calls(bench):
        if bench.expects_exception(call):
            continue
        if _state_fields(call, bench):
            continue
        foldable = _may_fold(call, bench, effects)
        if foldable or _may_specialise(call, bench, effects):
            yield bench.make_smell(
                CONSTANT_INPUTS.id,
                call,
                f"All inputs of {read_called_name(call)}(...) are constants here, so the "
                "compiler may do the work once and the time is that of a known result.",
                sure=None if foldable else Confidence.POSSIBLE,
            )


def _may_fold(call: Node, bench: BenchmarkMethod, effects: EffectAnalysis) -> bool:
    scope = bench.scope
    if not all(is_constant(argument, scope) for argument in list_arguments(call)):
        return False
    receiver = strip_wrappers(call.child_by_field_name("object"))
    if is_pure_of_jdk(call, scope):
        static = receiver is not None and not scope.resolve_type(receiver)
        if scope.resolve_type(receiver) == "String" and makes_text(read_called_name(call)):
            return False
        return is_constant(receiver, scope) or (
            static and not is_factory_method(read_text(receiver), read_called_name(call))
        )
    callees = scope.find_callees(call)
    if any(callee.find_annotation("CompilerControl") for callee in callees):
        return False
    if not callees or effects.classify_call(call, scope) is not SideEffect.NONE:
        return False
    return all(gives_value(callee) and effects.reads_nothing(callee) for callee in callees)


def _may_specialise(call: Node, bench: BenchmarkMethod, effects: EffectAnalysis) -> bool:
    """Tell whether a call has constants only and its static callee is not seen to change anything.

    What the callee calls is not all seen, so that nobody knows how much of it is done beforehand.
    """
    callees = bench.scope.find_callees(call)
    if not callees or not all(
        is_constant(argument, bench.scope) for argument in list_arguments(call)
    ):
        return False
    if any(
        callee.find_annotation("CompilerControl") or "static" not in callee.modifiers
        for callee in callees
    ):
        return False
    closed = all(gives_value(callee) and effects.reads_nothing(callee) for callee in callees)
    return closed and effects.classify_call(call, bench.scope) is not SideEffect.VISIBLE


def _state_fields(call: Node, bench: BenchmarkMethod) -> list[Field]:
    """Return the final fields of states among the inputs of a call that has constants only."""
    if any(
        find_constant_variables(argument, bench.scope) is None for argument in list_arguments(call)
    ):
        return []
    return _final_fields(call, bench)


def _final_fields(call: Node, bench: BenchmarkMethod) -> list[Field]:
    """Return the final fields with constant values among the arguments of a call."""
    named = (
        find_constant_variables(argument, bench.scope) or [] for argument in list_arguments(call)
    )
    return [
        field
        for variables in named
        for field in variables
        if isinstance(field, Field) and not field.is_static
    ]


def find_final_states(benches: list[BenchmarkMethod], effects: EffectAnalysis) -> Iterator[Smell]:
    """Yield the final fields of states that benchmarks of a file hand to the measured call."""
    users: dict[Field, list[tuple[BenchmarkMethod, Node]]] = {}
    for bench in benches:
        for call, field in _list_state_inputs(bench):
            users.setdefault(field, []).append((bench, call))
    for field, uses in users.items():
        graded = [(_rate_confidence(bench, call, effects), bench, call) for bench, call in uses]
        sure, bench, call = min(graded, key=lambda use: _ORDER.index(use[0]))
        has_single_user = len({method.name for method, _ in uses}) == 1
        span = field.owner.locate_node(field.node)
        yield Smell(
            rule=FINAL_STATE.id,
            benchmark=bench.name if has_single_user else "",
            span=span,
            text=f"{field.name} is final and its value is a constant, so "
            f"{read_called_name(call)}(...) gets "
            f"that constant in {bench.name} and the compiler may do the work beforehand.",
            top=bench.method.first_line
            if has_single_user and field.owner is bench.method.owner
            else span.first_line,
            sure=sure,
        )


def _rate_confidence(bench: BenchmarkMethod, call: Node, effects: EffectAnalysis) -> Confidence:
    """Return how sure it is that the constant decides what is measured.

    CERTAIN: the call has no other input, and is seen to compute without a loop. LIKELY: it has no
    other argument. POSSIBLE: it has one.
    """
    if not _state_fields(call, bench):
        return Confidence.POSSIBLE
    if _may_fold(call, bench, effects) and not _works_long(call, bench):
        return Confidence.CERTAIN
    return Confidence.LIKELY


def _works_long(call: Node, bench: BenchmarkMethod) -> bool:
    """Tell whether a call may do more than a compiler works out: loops, and what it makes."""
    return any(
        node.type in LOOPS or node.type == "array_creation_expression"
        for callee in bench.scope.find_callees(call)
        for node in walk_tree(callee.body or callee.node)
    )


def _list_state_inputs(bench: BenchmarkMethod) -> Iterator[tuple[Node, Field]]:
    for call in _list_candidate_calls(bench):
        for final_field in _final_fields(call, bench):
            if find_state_scope(final_field.owner, bench.project) and not _SIZE.fullmatch(
                final_field.name
            ):
                yield call, final_field


def _list_candidate_calls(bench: BenchmarkMethod) -> list[Node]:
    """Return the measured calls and those that are statements of the benchmark."""
    statements = (
        node for node in walk_own_nodes(bench.body) if node.type == "expression_statement"
    )
    inner = (strip_wrappers(next(iter(statement.named_children), None)) for statement in statements)
    calls = [
        inner_node
        for inner_node in inner
        if inner_node is not None and inner_node.type == "method_invocation"
    ]
    return [
        *_list_measured_calls(bench),
        *(call for call in calls if not bench.feeds_blackhole(call)),
    ]
