"""Results that nobody uses: the compiler may leave the work out."""

import re
from collections.abc import Iterator
from dataclasses import replace

from tree_sitter import Node

from auditor.core.contracts.lint import Confidence, Smell
from mutators.java.lint_rules.benchmark_discovery import BenchmarkMethod, called
from mutators.java.lint_rules.constants import constant
from mutators.java.lint_rules.declarations import JavaMethod
from mutators.java.lint_rules.effects import (
    Effects,
    SideEffect,
    does_nothing,
    has_function,
    is_pure_of_jdk,
)
from mutators.java.lint_rules.known import asks, changes, returns
from mutators.java.lint_rules.rules import UNUSED_RESULT
from mutators.java.lint_rules.tree import arguments, bare, descend, expressions, field, own, source
from mutators.java.lint_rules.variables import Uses, uses_in

_CALLS = frozenset({"method_invocation", "object_creation_expression"})
_ARITHMETIC = frozenset({"binary_expression", "unary_expression"})
_PLAIN = re.compile(
    r"boolean|byte|char|double|float|int|long|short|\w*(Disposable|Future|Result|Stage|Subscription)"
)


def unused_results(bench: BenchmarkMethod, effects: Effects) -> Iterator[Smell]:
    """Yield the results in a benchmark that are never read."""
    uses = uses_in(bench.body)
    for node in own(bench.body) if not bench.about_compiler else ():
        if node.type == "expression_statement" and not bench.catches(node):
            value = bare(next(iter(expressions(node)), None))
            if value is None:
                continue
            if _dropped(value, bench, effects):
                yield _smell(bench, node, value, _text_of_dropped(value))
            elif _drops_wanted_result(value, bench, effects):
                yield replace(
                    _smell(bench, node, value, _text_of_wanted_result(value)),
                    sure=Confidence.POSSIBLE,
                )
        elif node.type == "local_variable_declaration" and not bench.catches(node):
            yield from _unread_locals(node, uses, bench, effects)


def other_returned(bench: BenchmarkMethod) -> Iterator[Smell]:
    """Yield the return of a field that the benchmark does nothing with, beside work on others."""
    statements = expressions(bench.body)
    last = statements[-1] if statements else bench.body
    value = bare(next(iter(expressions(last)), None)) if last.type == "return_statement" else None
    returned = bench.scope.field_of(value)
    if value is None or returned is None:
        return
    calls = [bare(next(iter(expressions(statement)), None)) for statement in statements[:-1]]
    fields = [
        bench.scope.field_of(bare(call.child_by_field_name("object")))
        for call in calls
        if call is not None and call.type == "method_invocation"
    ]
    named = sum(source(node) == returned.name for node in descend(bench.body) if not node.children)
    receiver = fields[0] if len(set(fields)) == 1 else None
    if receiver is not None and len(fields) == len(calls) and named == 1:
        text = (
            f"It returns {returned.name}, with which it does nothing: the work is done on "
            f"{receiver.name}, of which nothing is returned."
        )
        yield replace(_smell(bench, last, value, text), calls=None, sure=Confidence.POSSIBLE)


def _unread_locals(
    node: Node, uses: Uses, bench: BenchmarkMethod, effects: Effects
) -> Iterator[Smell]:
    for child in node.children_by_field_name("declarator"):
        value = _unread(child, uses, bench, effects)
        if value is not None:
            smell = _smell(bench, node, value, _text_of_unread(field(child, "name"), value))
            seen = _may_be_meant(value, bench, effects, kept=True)
            yield replace(smell, sure=Confidence.POSSIBLE) if seen else smell


def _smell(bench: BenchmarkMethod, node: Node, value: Node, text: str) -> Smell:
    return Smell(
        rule=UNUSED_RESULT.id,
        benchmark=bench.name,
        span=bench.method.span(node),
        text=text,
        top=bench.method.top,
        calls=_of_project(value, bench),
        overlapping=bool(bench.threads) or bench.method.annotation("Group") is not None,
    )


def _of_project(value: Node, bench: BenchmarkMethod) -> tuple[str, ...]:
    """Return the method that a call means, where the sources have it."""
    owners = {callee.owner.name for callee in bench.scope.callees(value)}
    return (f"{owners.pop()}.{called(value)}",) if len(owners) == 1 else ()


def _work(value: Node) -> str:
    if value.type == "object_creation_expression":
        return f"new {called(value)}(...)"
    if value.type == "method_invocation":
        return f"{called(value)}(...)"
    return "an operation" if value.type in _ARITHMETIC else "new " + field(value, "type") + "[]"


def _text_of_dropped(value: Node) -> str:
    what = "object of" if value.type == "object_creation_expression" else "result of"
    return (
        f"The {what} {_work(value)} is dropped and nothing else is seen to change, so the "
        "compiler may leave the work out and the time is that of nothing."
    )


def _text_of_wanted_result(value: Node) -> str:
    return (
        f"The result of {_work(value)} is dropped: if the call changes nothing else, which the "
        "sources do not show, the compiler may leave its work out."
    )


def _text_of_unread(name: str, value: Node) -> str:
    return (
        f"{name} takes the result of {_work(value)} and is never read, so the compiler may "
        "leave the work out and the time is that of nothing."
    )


def _dropped(value: Node, bench: BenchmarkMethod, effects: Effects) -> bool:
    """Tell whether a statement makes something that it drops, and does nothing else."""
    if value.type == "object_creation_expression":
        return not has_function(value) and "class_body" not in {c.type for c in value.children}
    if value.type != "method_invocation" or bench.consumes(value) or _has_sink(value, bench):
        return False
    if is_pure_of_jdk(value, bench.scope):
        return not has_function(value)
    callees = bench.scope.callees(value)
    if not callees or any(callee.result in ("void", "") for callee in callees):
        return False
    if any(callee.annotation("CompilerControl") or does_nothing(callee) for callee in callees):
        return False
    return effects.of_call(value, bench.scope) is SideEffect.NONE


def _drops_wanted_result(value: Node, bench: BenchmarkMethod, effects: Effects) -> bool:
    """Tell whether a statement drops the result of a call that seems to be made for its result."""
    if value.type != "method_invocation" or bench.consumes(value) or _has_sink(value, bench):
        return False
    name, callees = field(value, "name"), bench.scope.callees(value)
    if has_function(value) or (changes(name) and not _make_own_class(callees)):
        return False
    if not callees:
        return asks(name)
    if any(_is_for_nothing(callee) for callee in callees):
        return False
    return (
        asks(name)
        or _make_own_class(callees)
        or (effects.of_call(value, bench.scope) is SideEffect.UNKNOWN)
    )


def _is_for_nothing(method: JavaMethod) -> bool:
    """Tell whether a method has no result, one without work, or that of what it is called on."""
    fluent = method.result == method.owner.simple and "static" not in method.modifiers
    kept = method.annotation("CompilerControl") is not None
    return fluent or kept or method.result in ("void", "") or does_nothing(method)


def _make_own_class(callees: list[JavaMethod]) -> bool:
    """Tell whether methods are static and make an object of their own class."""
    return bool(callees) and all(
        "static" in callee.modifiers and callee.result == callee.owner.simple for callee in callees
    )


def _unread(declarator: Node, uses: Uses, bench: BenchmarkMethod, effects: Effects) -> Node | None:
    """Return the work whose result a local variable takes, if nothing ever reads the variable."""
    name = field(declarator, "name")
    first = declarator.child_by_field_name("value")
    if not uses.never_read(name, first):
        return None
    later = (node.child_by_field_name("right") for node in uses.assigned.get(name, ()))
    worked = [
        inner_node for inner_node in (bare(first), *map(bare, later)) if inner_node is not None
    ]
    kept = not _PLAIN.fullmatch(bench.scope.locals[name].type)
    if any(
        _may_be_meant(descendant, bench, effects, kept=kept)
        and not _is_called_for_result(descendant, bench)
        for descendant in worked
    ):
        return None
    return next((node for node in worked if _is_work(node, bench)), None)


def _is_called_for_result(value: Node, bench: BenchmarkMethod) -> bool:
    """Tell whether a call's own name says that it is made for its result, with plain inputs."""
    if value.type != "method_invocation" or has_function(value) or _has_sink(value, bench):
        return False
    inner = (node for node in descend(value) if node.type == "method_invocation" and node != value)
    return asks(field(value, "name")) and not any(
        changes(field(inner_node, "name")) for inner_node in inner
    )


def _is_work(value: Node, bench: BenchmarkMethod) -> bool:
    if value.type in _CALLS:
        return True
    return value.type in _ARITHMETIC and not constant(value, bench.scope)


def _may_be_meant(value: Node, bench: BenchmarkMethod, effects: Effects, *, kept: bool) -> bool:
    """Tell whether an expression may be there for what it changes.

    Whoever has `kept` an object in a variable has called for the object.
    """
    for node in descend(value):
        if node.type in ("lambda_expression", "method_reference", "class_body"):
            return True
        if node.type == "method_invocation":
            name = field(node, "name")
            if changes(name) and not (kept and returns(name)):
                return True
            if bench.consumes(node) or _has_sink(node, bench):
                return True
            if effects.of_call(node, bench.scope) is SideEffect.SOME:
                return True
    return False


def _has_sink(call: Node, bench: BenchmarkMethod) -> bool:
    """Tell whether a call gets a Blackhole, which it may feed."""
    return any(bench.is_sink(argument) for argument in arguments(call))
