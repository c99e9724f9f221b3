"""Inputs of the measured call that are constants, so that the work may be done by a compiler."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from auditor.core.contracts.lint import Confidence, Smell
from mutators.java.lint_rules.benchmark_discovery import BenchmarkMethod, called, state_scope
from mutators.java.lint_rules.constants import constant, constant_names
from mutators.java.lint_rules.declarations import Field
from mutators.java.lint_rules.effects import Effects, SideEffect, gives_value, is_pure_of_jdk
from mutators.java.lint_rules.known import makes
from mutators.java.lint_rules.rules import CONSTANT_INPUTS, FINAL_STATE
from mutators.java.lint_rules.scope import Local, MethodScope
from mutators.java.lint_rules.tree import arguments, bare, own, source

_SIZE = re.compile(
    r"(?i).*(amount|bound|capacity|concurrency|count|iteration|length|limit|max|min|number|num|size|seed"
    r"|threads?|timeout|times|total|width|height|offset)s?|[nN]"
)

_ORDER = list(Confidence)  # the surest first


def measured_calls(bench: BenchmarkMethod) -> list[Node]:
    """Return the calls whose results a benchmark returns or hands to a Blackhole."""
    nodes: list[Node] = []
    for node in own(bench.body):
        if node.type == "return_statement":
            inner_nodes = node.named_children
        elif node.type == "method_invocation" and bench.consumes(node):
            inner_nodes = arguments(node)
        else:
            continue
        nodes += [
            descendant
            for descendant in (_made_by(value, bench.scope) for value in inner_nodes)
            if descendant
        ]
    return [
        inner_node
        for inner_node in nodes
        if inner_node.type == "method_invocation" and arguments(inner_node)
    ]


def _made_by(value: Node, scope: MethodScope) -> Node | None:
    """Return an expression, or that of which a local variable has its only value."""
    node = bare(value)
    if node is not None and node.type == "identifier":
        local = scope.find(source(node))
        if isinstance(local, Local) and not local.parameter and local.name not in scope.changed:
            return local.value
    return node


def constant_inputs(bench: BenchmarkMethod, effects: Effects) -> Iterator[Smell]:
    """Yield the measured calls of which all inputs are constants."""
    for call in [] if bench.about_compiler else measured_calls(bench):
        if bench.catches(call):
            continue
        if _state_fields(call, bench):
            continue
        foldable = _may_fold(call, bench, effects)
        if foldable or _may_specialise(call, bench, effects):
            yield Smell(
                rule=CONSTANT_INPUTS.id,
                benchmark=bench.name,
                span=bench.method.span(call),
                text=f"All inputs of {called(call)}(...) are constants here, so the compiler may "
                "do the work once and the time is that of a known result.",
                top=bench.method.top,
                sure=None if foldable else Confidence.POSSIBLE,
            )


def _may_fold(call: Node, bench: BenchmarkMethod, effects: Effects) -> bool:
    scope = bench.scope
    if not all(constant(argument, scope) for argument in arguments(call)):
        return False
    receiver = bare(call.child_by_field_name("object"))
    if is_pure_of_jdk(call, scope):
        static = receiver is not None and not scope.type_of(receiver)
        return constant(receiver, scope) or (static and not makes(source(receiver), called(call)))
    callees = scope.callees(call)
    if any(callee.annotation("CompilerControl") for callee in callees):
        return False
    if not callees or effects.of_call(call, scope) is not SideEffect.NONE:
        return False
    return all(gives_value(callee) and effects.reads_nothing(callee) for callee in callees)


def _may_specialise(call: Node, bench: BenchmarkMethod, effects: Effects) -> bool:
    """Tell whether a call has constants only and its static callee is not seen to change anything.

    What the callee calls is not all seen, so that nobody knows how much of it is done beforehand.
    """
    callees = bench.scope.callees(call)
    if not callees or not all(constant(argument, bench.scope) for argument in arguments(call)):
        return False
    if any(
        callee.annotation("CompilerControl") or "static" not in callee.modifiers
        for callee in callees
    ):
        return False
    closed = all(gives_value(callee) and effects.reads_nothing(callee) for callee in callees)
    return closed and effects.of_call(call, bench.scope) is not SideEffect.SOME


def _state_fields(call: Node, bench: BenchmarkMethod) -> list[Field]:
    """Return the final fields of states among the inputs of a call that has constants only."""
    if any(constant_names(argument, bench.scope) is None for argument in arguments(call)):
        return []
    return _final_fields(call, bench)


def _final_fields(call: Node, bench: BenchmarkMethod) -> list[Field]:
    """Return the final fields with constant values among the arguments of a call."""
    named = (constant_names(argument, bench.scope) or [] for argument in arguments(call))
    return [
        field for one in named for field in one if isinstance(field, Field) and not field.static
    ]


def final_state(benches: list[BenchmarkMethod], effects: Effects) -> Iterator[Smell]:
    """Yield the final fields of states that benchmarks of a file hand to the measured call."""
    users: dict[Field, list[tuple[BenchmarkMethod, Node]]] = {}
    for bench in benches:
        for call, field in _handed(bench):
            users.setdefault(field, []).append((bench, call))
    for field, found in users.items():
        graded = [(_sure(bench, call, effects), bench, call) for bench, call in found]
        sure, bench, call = min(graded, key=lambda use: _ORDER.index(use[0]))
        alone = len({method.name for method, _ in found}) == 1
        span = field.owner.span(field.node)
        yield Smell(
            rule=FINAL_STATE.id,
            benchmark=bench.name if alone else "",
            span=span,
            text=f"{field.name} is final and its value is a constant, so {called(call)}(...) gets "
            f"that constant in {bench.name} and the compiler may do the work beforehand.",
            top=bench.method.top
            if alone and field.owner is bench.method.owner
            else span.first_line,
            sure=sure,
        )


def _sure(bench: BenchmarkMethod, call: Node, effects: Effects) -> Confidence:
    """Return how sure it is that the constant decides what is measured.

    CERTAIN: the call has no other input, and all that it does is seen to be computing. LIKELY: it
    has no other argument. POSSIBLE: it has one.
    """
    if not _state_fields(call, bench):
        return Confidence.POSSIBLE
    return Confidence.CERTAIN if _may_fold(call, bench, effects) else Confidence.LIKELY


def _handed(bench: BenchmarkMethod) -> Iterator[tuple[Node, Field]]:
    for call in _calls(bench):
        for final_field in _final_fields(call, bench):
            if state_scope(final_field.owner, bench.project) and not _SIZE.fullmatch(
                final_field.name
            ):
                yield call, final_field


def _calls(bench: BenchmarkMethod) -> list[Node]:
    """Return the measured calls and those that are statements of the benchmark."""
    statements = (node for node in own(bench.body) if node.type == "expression_statement")
    inner = (bare(next(iter(statement.named_children), None)) for statement in statements)
    calls = [
        inner_node
        for inner_node in inner
        if inner_node is not None and inner_node.type == "method_invocation"
    ]
    return [*measured_calls(bench), *(call for call in calls if not bench.consumes(call))]
