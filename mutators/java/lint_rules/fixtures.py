"""Fixtures that disturb what is measured, and inputs that differ from fork to fork."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from auditor.core.contracts.lint import Confidence, Smell
from mutators.java.lint_rules.benchmark_discovery import BenchmarkMethod, find_state_scope
from mutators.java.lint_rules.constants import read_decimal_literal
from mutators.java.lint_rules.declarations import Annotation, JavaMethod, TypeDeclaration
from mutators.java.lint_rules.project import JavaProject
from mutators.java.lint_rules.rules import INVOCATION_SETUP, UNSEEDED_RANDOM
from mutators.java.lint_rules.tree import (
    list_arguments,
    read_part_text,
    read_text,
    strip_wrappers,
    walk_tree,
)

_PER_OPERATION = frozenset({"AverageTime", "SampleTime"})
_SHORT = frozenset({"NANOSECONDS"})
_OFTEN = frozenset({"NANOSECONDS", "MICROSECONDS"})
_MANY_TURNS = 1000
_LARGE = 6
"""Digits of a parameter that says how much an invocation has to do."""
_UNSEEDED = frozenset({"Random", "SplittableRandom"})
_SOURCES = re.compile(r"(Math\s*\.\s*random|ThreadLocalRandom\s*\.\s*current)\s*\(\s*\)")
_DRAWS = re.compile(
    r"next(Boolean|Double|Float|Gaussian|Int|Long)|doubles|ints|longs|random|shuffle"
)
_CALL = "method_invocation"
_DECLARES = "variable_declarator"


def _group_by_state(benches: list[BenchmarkMethod]) -> dict[TypeDeclaration, list[BenchmarkMethod]]:
    """Return the benchmarks that use each state; those of a class count for what it extends."""
    methods_by_state: dict[TypeDeclaration, list[BenchmarkMethod]] = {}
    for bench in benches:
        for state in bench.state_classes:
            for ancestor in bench.project.walk_lineage(state):
                users = methods_by_state.setdefault(ancestor, [])
                if bench not in users:
                    users.append(bench)
    return methods_by_state


def find_invocation_fixtures(benches: list[BenchmarkMethod]) -> Iterator[Smell]:
    """Yield the fixtures of Level.Invocation around benchmarks that are said to be short."""
    for state, users in _group_by_state(benches).items():
        fixtures = [
            (java_method, _find_invocation_annotation(java_method)) for java_method in state.methods
        ]
        method, annotation = next(
            (fixture for fixture in fixtures if fixture[1] is not None), (None, None)
        )
        short = [user for user in users if _is_short(user)]
        bench = next(iter([*short, *filter(_may_be_short, users)]), None)
        if bench is not None and method is not None and annotation is not None:
            explanation = (
                f"for operations as short as {bench.name} that is much of what is measured."
            )
            if not short:
                explanation = (
                    f"that is much of what is measured where {bench.name} takes less than 1 ms."
                )
            yield Smell(
                rule=INVOCATION_SETUP.id,
                benchmark=bench.name if len(users) == 1 else "",
                span=method.locate_node(annotation.node),
                text=f"{method.full_name} runs around each invocation, so JMH reads the clock "
                f"each time: {explanation}",
                top=method.first_line,
                sure=None if short else Confidence.POSSIBLE,
            )


def _find_invocation_annotation(method: JavaMethod) -> Annotation | None:
    for name in ("Setup", "TearDown"):
        annotation = method.find_annotation(name)
        if annotation is not None and annotation.list_words() == ["Invocation"]:
            return annotation
    return None


def _is_short(bench: BenchmarkMethod) -> bool:
    """Tell whether the author counts nanoseconds for each operation, or operations for each.

    With a loop in it, or more than one operation, an invocation may be much longer than that.
    """
    if bench.find_annotation("OperationsPerInvocation") is not None or _has_long_loop(bench):
        return False
    unit = bench.find_annotation("OutputTimeUnit")
    words = set(unit.list_words()) if unit is not None else set()
    if "SingleShotTime" in bench.modes:
        return False
    if bench.modes & _PER_OPERATION:
        return bool(words & _SHORT)
    return bool(words & _OFTEN) and bench.modes == {"Throughput"}


def _may_be_short(bench: BenchmarkMethod) -> bool:
    """Tell whether nothing in the source shows that an invocation is long."""
    unit = bench.find_annotation("OutputTimeUnit")
    if unit is not None and bench.modes & _PER_OPERATION:
        return False
    if bench.find_annotation("OperationsPerInvocation") is not None or _has_long_loop(bench):
        return False
    long = "SingleShotTime" in bench.modes or any(map(_is_large, bench.state_classes))
    return bool(bench.modes) and not long


def _is_large(state: TypeDeclaration) -> bool:
    """Tell whether a state has a parameter of the run that is a large number."""
    marks = (mark for state_field in state.fields.values() for mark in state_field.annotations)
    values = (node for mark in marks if mark.name == "Param" for node in mark.list_values())
    texts = (read_text(value).strip('"').replace("_", "") for value in values)
    return any(text.isascii() and text.isdigit() and len(text) >= _LARGE for text in texts)


def _has_long_loop(bench: BenchmarkMethod) -> bool:
    """Tell whether a benchmark has a loop, or calls what is seen to loop a thousand times."""
    if bench.has_loop:
        return True
    calls = (node for node in walk_tree(bench.body) if node.type == _CALL)
    return any(_is_long(callee) for call in calls for callee in bench.scope.find_callees(call))


def _is_long(method: JavaMethod) -> bool:
    loops = [node for node in walk_tree(method.node) if node.type == "for_statement"]
    bounds = (loop.child_by_field_name("condition") for loop in loops)
    numbers = (
        inner_node for bound in bounds if bound is not None for inner_node in walk_tree(bound)
    )
    return any(read_decimal_literal(number) >= _MANY_TURNS for number in numbers)


def find_unseeded_inputs(benches: list[BenchmarkMethod]) -> Iterator[Smell]:
    """Yield the fixtures that make data of random numbers which nobody can have again."""
    for state, users in _group_by_state(benches).items():
        if not find_state_scope(state, users[0].project):
            continue
        for method in state.methods:
            node = _find_unseeded_draw(method, users[0].project)
            if node is not None:
                yield Smell(
                    rule=UNSEEDED_RANDOM.id,
                    benchmark=users[0].name if len(users) == 1 else "",
                    span=method.locate_node(node),
                    text=f"{method.full_name} makes data of random numbers without a seed, so each "
                    "fork and each run measures other data.",
                    top=method.first_line,
                )


def _find_unseeded_draw(fixture: JavaMethod, project: JavaProject) -> Node | None:
    """Return the first use of random numbers without a seed that a fixture makes data of."""
    if fixture.find_annotation("Setup") is None or fixture.body is None:
        return None
    call_names = {
        read_part_text(node, "name") for node in walk_tree(fixture.body) if node.type == _CALL
    }
    if "setSeed" in call_names or not any(_DRAWS.fullmatch(name) for name in call_names):
        return None
    calls = (
        inner_node
        for inner_node in walk_tree(fixture.body)
        if _is_unseeded(inner_node, fixture, project)
    )
    return next(calls, None)


def _is_unseeded(node: Node, fixture: JavaMethod, project: JavaProject) -> bool:
    if node.type == _DECLARES:
        value = strip_wrappers(node.child_by_field_name("value"))
        if value is None or value.type != "object_creation_expression" or list_arguments(value):
            return False
        kind = read_part_text(value, "type")
        return kind in _UNSEEDED and project.find_type(kind, fixture.owner) is None
    return node.type == _CALL and bool(_SOURCES.fullmatch(read_text(node)))
