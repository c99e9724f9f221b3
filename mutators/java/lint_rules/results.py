"""Results that nobody uses: the compiler may leave the work out."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from tree_sitter import Node

from auditor.core.contracts.lint import Confidence, Smell
from mutators.java.lint_rules.benchmark_discovery import BenchmarkMethod, read_called_name
from mutators.java.lint_rules.constants import is_constant
from mutators.java.lint_rules.declarations import JavaMethod
from mutators.java.lint_rules.effects import (
    EffectAnalysis,
    SideEffect,
    does_nothing,
    has_function,
    is_pure_of_jdk,
)
from mutators.java.lint_rules.known import suggests_change, suggests_dual_use, suggests_query
from mutators.java.lint_rules.rules import UNUSED_RESULT
from mutators.java.lint_rules.tree import (
    LOOPS,
    find_assigned_node,
    list_arguments,
    list_children,
    read_part_text,
    read_text,
    strip_wrappers,
    walk_own_nodes,
    walk_tree,
)

_CONTAINERS = frozenset(
    {"ArrayDeque", "ArrayList", "HashMap", "HashSet", "LinkedHashMap", "LinkedHashSet"}
    | {"LinkedList", "PriorityQueue", "StringBuilder", "StringBuffer", "TreeMap", "TreeSet"}
)


@dataclass(slots=True)
class VariableUses:
    """The uses of variables by name: statements that set one, those that fill it, and reads."""

    assigned: dict[str, list[Node]] = field(default_factory=dict)
    _filled: dict[str, int] = field(default_factory=dict)
    _read: dict[str, int] = field(default_factory=dict)
    _written_ids: set[int] = field(default_factory=set)
    """Ids of the nodes that name a variable to set it, which are no reads."""

    def is_never_read(self, name: str, value: Node | None) -> bool:
        """Tell whether nothing reads a variable; what only fills a new container reads nothing."""
        filled = self._filled.get(name, 0) if _is_container(strip_wrappers(value)) else 0
        return self._read.get(name, 0) == filled

    def add_node(self, node: Node) -> None:
        """Take the next node of a method; those above others come first."""
        if node.type == "variable_declarator":
            self._written_ids |= {child.id for child in node.children_by_field_name("name")}
        elif node.type == "expression_statement":
            self._add_statement(next(iter(list_children(node)), None))
        elif node.type == "identifier" and node.id not in self._written_ids:
            name = read_text(node)
            self._read[name] = self._read.get(name, 0) + 1

    def _add_statement(self, inner: Node | None) -> None:
        if inner is None:
            return
        changed = find_assigned_node(inner)
        if changed is not None and changed.type == "identifier":
            name = read_text(changed)
            self.assigned.setdefault(name, []).append(inner)
            self._written_ids |= {node.id for node in walk_tree(inner) if read_text(node) == name}
        elif inner.type == "method_invocation" and suggests_change(read_part_text(inner, "name")):
            name = read_text(_find_chain_root(inner))
            self._filled[name] = self._filled.get(name, 0) + 1


_MOST_LOOPS = 50
"""Of a benchmark that are looked at."""
_CALLS = frozenset({"method_invocation", "object_creation_expression"})
_ARITHMETIC = frozenset({"binary_expression", "unary_expression", "ternary_expression"})
_PLAIN = re.compile(
    r"boolean|byte|char|double|float|int|long|short|\w*(Disposable|Future|Result|Stage|Subscription)"
)


def find_unused_results(bench: BenchmarkMethod, effects: EffectAnalysis) -> Iterator[Smell]:
    """Yield the results in a benchmark that are never read."""
    uses = _collect_uses(bench.body)
    for node in walk_own_nodes(bench.body) if not bench.is_about_compiler else ():
        if node.type == "expression_statement" and not bench.expects_exception(node):
            value = strip_wrappers(next(iter(list_children(node)), None))
            if value is None:
                continue
            if _is_dropped_work(value, bench, effects):
                yield _make_smell(bench, node, value, _describe_dropped_result(value))
            elif _drops_wanted_result(value, bench, effects):
                yield replace(
                    _make_smell(bench, node, value, _describe_unneeded_result(value)),
                    sure=Confidence.POSSIBLE,
                )
        elif node.type == "local_variable_declaration" and not bench.expects_exception(node):
            yield from _find_unread_locals(node, uses, bench, effects)


def find_overwritten_results(bench: BenchmarkMethod, effects: EffectAnalysis) -> Iterator[Smell]:
    """Yield the results in a loop of which only the last is read, as each turn sets them anew."""
    loops = (node for node in walk_own_nodes(bench.body) if node.type in LOOPS)
    for loop in [] if bench.is_about_compiler else islice(loops, _MOST_LOOPS):
        names = Counter(read_text(node) for node in walk_tree(loop) if node.type == "identifier")
        for statement, target, value in _list_assignments(loop):
            is_overwritten = target in bench.scope.locals and names[target] == 1
            if is_overwritten and _is_dropped_work(value, bench, effects):
                text = (
                    f"Each turn sets {target} anew, so only the last result of "
                    f"{_describe_work(value)} is used and the compiler may leave the others out."
                )
                smell = _make_smell(bench, statement, value, text)
                yield replace(smell, calls=None, sure=Confidence.POSSIBLE)


def _list_assignments(loop: Node) -> Iterator[tuple[Node, str, Node]]:
    """Yield the statements of a loop that set a variable: its name, and the value."""
    for statement in list_children(loop.child_by_field_name("body")):
        inner = strip_wrappers(next(iter(list_children(statement)), None))
        if inner is not None and read_part_text(inner, "operator") == "=":
            target = find_assigned_node(inner)
            value = strip_wrappers(inner.child_by_field_name("right"))
            if target is not None and value is not None:
                yield statement, read_text(target), value


def find_unrelated_return(bench: BenchmarkMethod) -> Iterator[Smell]:
    """Yield the return of a field that the benchmark does nothing with, beside work on others."""
    statements = list_children(bench.body)
    last = statements[-1] if statements else bench.body
    value = (
        strip_wrappers(next(iter(list_children(last)), None))
        if last.type == "return_statement"
        else None
    )
    returned = bench.scope.resolve_field(value)
    if value is None or returned is None:
        return
    calls = [
        strip_wrappers(next(iter(list_children(statement)), None)) for statement in statements[:-1]
    ]
    fields = [
        bench.scope.resolve_field(strip_wrappers(call.child_by_field_name("object")))
        for call in calls
        if call is not None and call.type == "method_invocation"
    ]
    named = sum(
        read_text(node) == returned.name for node in walk_tree(bench.body) if not node.children
    )
    receiver = fields[0] if len(set(fields)) == 1 else None
    if receiver is not None and len(fields) == len(calls) and named == 1:
        text = (
            f"It returns {returned.name}, with which it does nothing: the work is done on "
            f"{receiver.name}, of which nothing is returned."
        )
        yield replace(_make_smell(bench, last, value, text), calls=None, sure=Confidence.POSSIBLE)


def _find_unread_locals(
    node: Node, uses: VariableUses, bench: BenchmarkMethod, effects: EffectAnalysis
) -> Iterator[Smell]:
    for child in node.children_by_field_name("declarator"):
        value = _find_unread_work(child, uses, bench, effects)
        if value is not None:
            smell = _make_smell(
                bench, node, value, _describe_unread_result(read_part_text(child, "name"), value)
            )
            is_meant = _may_be_meant(value, bench, effects, is_stored=True)
            yield replace(smell, sure=Confidence.POSSIBLE) if is_meant else smell


def _make_smell(bench: BenchmarkMethod, node: Node, value: Node, text: str) -> Smell:
    return replace(
        bench.make_smell(UNUSED_RESULT.id, node, text),
        calls=_list_project_callees(value, bench),
        overlapping=bool(bench.thread_text) or bench.method.find_annotation("Group") is not None,
    )


def _list_project_callees(value: Node, bench: BenchmarkMethod) -> tuple[str, ...]:
    """Return the method that a call means, where the sources have it."""
    owners = {callee.owner.name for callee in bench.scope.find_callees(value)}
    return (f"{owners.pop()}.{read_called_name(value)}",) if len(owners) == 1 else ()


def _describe_work(value: Node) -> str:
    if value.type == "object_creation_expression":
        return f"new {read_called_name(value)}(...)"
    if value.type == "method_invocation":
        return f"{read_called_name(value)}(...)"
    return (
        "an operation"
        if value.type in _ARITHMETIC
        else "new " + read_part_text(value, "type") + "[]"
    )


def _describe_dropped_result(value: Node) -> str:
    noun = "object of" if value.type == "object_creation_expression" else "result of"
    return (
        f"The {noun} {_describe_work(value)} is dropped and nothing else is seen to change, so the "
        "compiler may leave the work out and the time is that of nothing."
    )


def _describe_unneeded_result(value: Node) -> str:
    return (
        f"The result of {_describe_work(value)} is dropped: if the call changes nothing else, "
        "which the sources do not show, the compiler may leave its work out."
    )


def _describe_unread_result(name: str, value: Node) -> str:
    return (
        f"{name} takes the result of {_describe_work(value)} and is never read, so the compiler "
        "may leave the work out and the time is that of nothing."
    )


def _is_dropped_work(value: Node, bench: BenchmarkMethod, effects: EffectAnalysis) -> bool:
    """Tell whether a statement makes something that it drops, and does nothing else."""
    if value.type == "object_creation_expression":
        return not has_function(value) and "class_body" not in {c.type for c in value.children}
    if value.type != "method_invocation" or bench.feeds_blackhole(value) or _has_sink(value, bench):
        return False
    if is_pure_of_jdk(value, bench.scope):
        return not has_function(value)
    callees = bench.scope.find_callees(value)
    if not callees or any(callee.result_type in ("void", "") for callee in callees):
        return False
    if any(callee.find_annotation("CompilerControl") or does_nothing(callee) for callee in callees):
        return False
    return effects.classify_call(value, bench.scope) is SideEffect.NONE


def _drops_wanted_result(value: Node, bench: BenchmarkMethod, effects: EffectAnalysis) -> bool:
    """Tell whether a statement drops the result of a call that seems to be made for its result."""
    if value.type != "method_invocation" or bench.feeds_blackhole(value) or _has_sink(value, bench):
        return False
    name, callees = read_part_text(value, "name"), bench.scope.find_callees(value)
    if has_function(value) or (suggests_change(name) and not _make_own_class(callees)):
        return False
    if not callees:
        return suggests_query(name)
    if any(_is_for_nothing(callee) for callee in callees):
        return False
    return (
        suggests_query(name)
        or _make_own_class(callees)
        or (effects.classify_call(value, bench.scope) is SideEffect.UNKNOWN)
    )


def _is_for_nothing(method: JavaMethod) -> bool:
    """Tell whether a method has no result, one without work, or that of what it is called on."""
    fluent = method.result_type == method.owner.simple_name and "static" not in method.modifiers
    is_compiler_controlled = method.find_annotation("CompilerControl") is not None
    return (
        fluent
        or is_compiler_controlled
        or method.result_type in ("void", "")
        or does_nothing(method)
    )


def _make_own_class(callees: list[JavaMethod]) -> bool:
    """Tell whether methods are static and make an object of their own class."""
    return bool(callees) and all(
        "static" in callee.modifiers and callee.result_type == callee.owner.simple_name
        for callee in callees
    )


def _find_unread_work(
    declarator: Node, uses: VariableUses, bench: BenchmarkMethod, effects: EffectAnalysis
) -> Node | None:
    """Return the work whose result a local variable takes, if nothing ever reads the variable."""
    name = read_part_text(declarator, "name")
    first = declarator.child_by_field_name("value")
    if not uses.is_never_read(name, first):
        return None
    later = (node.child_by_field_name("right") for node in uses.assigned.get(name, ()))
    worked = [
        inner_node
        for inner_node in (strip_wrappers(first), *map(strip_wrappers, later))
        if inner_node is not None
    ]
    is_stored = not _PLAIN.fullmatch(bench.scope.locals[name].type)
    if any(
        _may_be_meant(descendant, bench, effects, is_stored=is_stored)
        and not _is_called_for_result(descendant, bench)
        for descendant in worked
    ):
        return None
    return next((node for node in worked if _is_work(node, bench)), None)


def _is_called_for_result(value: Node, bench: BenchmarkMethod) -> bool:
    """Tell whether a call's own name says that it is made for its result, with plain inputs."""
    if value.type != "method_invocation" or has_function(value) or _has_sink(value, bench):
        return False
    inner = (
        node for node in walk_tree(value) if node.type == "method_invocation" and node != value
    )
    return suggests_query(read_part_text(value, "name")) and not any(
        suggests_change(read_part_text(inner_node, "name")) for inner_node in inner
    )


def _is_work(value: Node, bench: BenchmarkMethod) -> bool:
    if value.type in _CALLS:
        return True
    return value.type in _ARITHMETIC and not is_constant(value, bench.scope)


def _may_be_meant(
    value: Node, bench: BenchmarkMethod, effects: EffectAnalysis, *, is_stored: bool
) -> bool:
    """Tell whether an expression may be there for what it changes.

    Whoever has stored an object in a variable has called for the object.
    """
    for node in walk_tree(value):
        if node.type in ("lambda_expression", "method_reference", "class_body"):
            return True
        if node.type == "method_invocation" and not is_pure_of_jdk(node, bench.scope):
            name = read_part_text(node, "name")
            if suggests_change(name) and not (is_stored and suggests_dual_use(name)):
                return True
            if bench.feeds_blackhole(node) or _has_sink(node, bench):
                return True
            if effects.classify_call(node, bench.scope) is SideEffect.VISIBLE:
                return True
    return False


def _has_sink(call: Node, bench: BenchmarkMethod) -> bool:
    """Tell whether a call gets a Blackhole, which it may feed."""
    return any(bench.is_sink(argument) for argument in list_arguments(call))


def _collect_uses(body: Node) -> VariableUses:
    """Return what a method does with its variables."""
    uses = VariableUses()
    for node in walk_tree(body):
        uses.add_node(node)
    return uses


def _find_chain_root(call: Node) -> Node:
    """Return what a chain of calls begins with."""
    node = call
    while node.type == "method_invocation":
        inner = strip_wrappers(node.child_by_field_name("object"))
        if inner is None:
            break
        node = inner
    return node


def _is_container(value: Node | None) -> bool:
    """Tell whether an expression makes a container of the JDK."""
    if value is None or value.type != "object_creation_expression":
        return False
    return read_part_text(value, "type").partition("<")[0].rpartition(".")[2] in _CONTAINERS
