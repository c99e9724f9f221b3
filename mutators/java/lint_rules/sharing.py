"""States that several threads change without anything between them."""

from collections.abc import Iterator

from tree_sitter import Node

from auditor.core.contracts.lint import Smell
from mutators.java.lint_rules.benchmark_discovery import BenchmarkMethod, find_state_scope
from mutators.java.lint_rules.declarations import Field
from mutators.java.lint_rules.rules import SHARED_STATE
from mutators.java.lint_rules.tree import (
    find_assigned_node,
    read_part_text,
    read_text,
    strip_wrappers,
    walk_own_nodes,
    walk_tree,
)

_GUARDS = frozenset({"lock", "tryLock", "writeLock", "readLock", "acquire", "lockInterruptibly"})


def find_shared_states(bench: BenchmarkMethod) -> Iterator[Smell]:
    """Yield the first change of each field of a shared state that threads of a benchmark make."""
    subject = _describe_threads(bench)
    if not subject or _is_guarded(bench):
        return
    reported_fields: set[str] = set()
    for node in walk_own_nodes(bench.body):
        changed = find_assigned_node(node)
        member = _changed_field(changed, bench) if changed is not None else None
        if member is None or member.name in reported_fields or not _is_shared(member, bench):
            continue
        reported_fields.add(member.name)
        yield bench.make_smell(
            SHARED_STATE.id,
            node,
            f"{subject} {member.name} of the one {member.owner.name} that all have, so "
            "their races for its cache line are part of the time.",
        )


def _describe_threads(bench: BenchmarkMethod) -> str:
    if bench.method.find_annotation("Group") is not None:
        return "Threads of the group meet at what this one changes:"
    return f"Threads ({bench.thread_text}) change" if bench.thread_text else ""


def _is_guarded(bench: BenchmarkMethod) -> bool:
    """Tell whether a benchmark keeps its threads from each other, which it may be about."""
    if "synchronized" in bench.method.modifiers:
        return True
    for node in walk_tree(bench.body):
        if node.type == "synchronized_statement":
            return True
        if node.type == "method_invocation" and read_part_text(node, "name") in _GUARDS:
            return True
    return False


def _changed_field(changed: Node, bench: BenchmarkMethod) -> Field | None:
    """Return the field that an assignment changes, in whole or an element of its array."""
    node: Node | None = changed
    while node is not None and node.type == "array_access":
        node = strip_wrappers(node.child_by_field_name("array"))
    if node is None or (node.type == "identifier" and read_text(node) in bench.scope.locals):
        return None
    return bench.scope.resolve_field(node)


def _is_shared(member: Field, bench: BenchmarkMethod) -> bool:
    """Tell whether all threads have the one field, and it is a plain one."""
    if member.is_static or "volatile" in member.modifiers:
        return False
    return (
        bench.is_in_state(member) and find_state_scope(member.owner, bench.project) == "Benchmark"
    )
