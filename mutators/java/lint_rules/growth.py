"""Containers of a state that each invocation makes longer and nobody empties."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from auditor.core.contracts.lint import Confidence, Smell
from mutators.java.lint_rules.benchmark_discovery import BenchmarkMethod
from mutators.java.lint_rules.declarations import Field, JavaMethod
from mutators.java.lint_rules.rules import GROWING_STATE
from mutators.java.lint_rules.tree import (
    find_assigned_node,
    list_arguments,
    read_part_text,
    read_text,
    strip_wrappers,
    walk_own_nodes,
    walk_tree,
)

_SEQUENCE = re.compile(
    r"(Array|Linked|CopyOnWriteArray)?List|(Array|Concurrent\w+)?Deque|ConcurrentLinked\w+"
    r"|(Priority)?Queue|Collection|Stack|Vector"
)
_TEXT = re.compile(r"ByteArrayOutputStream|String(Buffer|Builder|Writer)")
_KEYED = re.compile(r"(Concurrent|Hash|LinkedHash|Navigable|Sorted|Tree)*(Map|Set)")
_GROW = (
    (_SEQUENCE, re.compile(r"add(First|Last|All)?|offer(Last)?|push")),
    (_TEXT, re.compile(r"append|insert|print|write")),
    (_KEYED, re.compile(r"add|put")),
)
"""Types of containers, and their methods that make them longer."""
_MOST = 20
"""Of the fields that a benchmark makes longer that are looked at."""
_DRAWS = ("next", "random", "incrementAndGet", "getAndIncrement")


def find_growing_states(bench: BenchmarkMethod) -> Iterator[Smell]:
    """Yield the first call of a benchmark that makes each container of a state longer."""
    if bench.is_single_shot or bench.method.find_annotation("Group") is not None:
        return
    fields: set[Field] = set()
    for node in walk_own_nodes(bench.body):
        container = _grown_container(node, bench)
        if container is None or container in fields or len(fields) >= _MOST:
            continue
        fields.add(container)
        if _is_used_otherwise(bench, container, node):
            continue
        levels = {
            level
            for method in _fixtures_naming(bench, container)
            for level in _list_fixture_levels(method)
        }
        if "Invocation" not in levels:
            yield bench.make_smell(
                GROWING_STATE.id,
                node,
                f"Each invocation makes {container.name} longer and none empties it, so later "
                "invocations work on more than the first and the memory fills up.",
                sure=Confidence.POSSIBLE if "Iteration" in levels else None,
            )


def _grown_container(node: Node, bench: BenchmarkMethod) -> Field | None:
    """Return the field of a state whose container a call makes longer."""
    if node.type != "method_invocation":
        return None
    container = bench.scope.resolve_field(node.child_by_field_name("object"))
    name = read_part_text(node, "name")
    if container is None or not any(
        kind.fullmatch(container.type) and grow.fullmatch(name) for kind, grow in _GROW
    ):
        return None
    if _KEYED.fullmatch(container.type) and not any(
        _varies_per_invocation(argument) for argument in list_arguments(node)[:1]
    ):
        return None
    return container if bench.is_in_state(container) else None


def _varies_per_invocation(key: Node) -> bool:
    """Tell whether a key is another one in each invocation."""
    return any(
        node.type == "update_expression"
        or (node.type == "method_invocation" and read_part_text(node, "name").startswith(_DRAWS))
        for node in walk_tree(key)
    )


def _is_used_otherwise(bench: BenchmarkMethod, container: Field, growing: Node) -> bool:
    """Tell whether a benchmark does anything else with a field, which may make it shorter."""
    keeps = {read_part_text(growing, "name"), "contains", "get", "isEmpty", "size", "toString"}
    for node in walk_tree(bench.body):
        parts = [find_assigned_node(node)]
        if node.type == "method_invocation":
            if read_part_text(node, "name") not in keeps:
                parts.append(strip_wrappers(node.child_by_field_name("object")))
            parts += list_arguments(node) if not bench.feeds_blackhole(node) else []
        if any(part is not None and bench.scope.resolve_field(part) is container for part in parts):
            return True
    return False


def _fixtures_naming(bench: BenchmarkMethod, container: Field) -> Iterator[JavaMethod]:
    """Yield the fixtures that name a field."""
    for state in bench.state_classes:
        for ancestor in bench.project.walk_lineage(state):
            for method in ancestor.methods:
                if _list_fixture_levels(method) and container.name in read_text(method.body):
                    yield method


def _list_fixture_levels(method: JavaMethod) -> set[str]:
    """Return the levels at which JMH calls a method as a fixture."""
    marks = (method.find_annotation(name) for name in ("Setup", "TearDown"))
    return {level for mark in marks if mark is not None for level in mark.list_words() or ["Trial"]}
