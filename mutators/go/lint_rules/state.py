"""State that sub-benchmarks share and change, and allocations that nobody reports."""

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
from mutators.go.lint_rules.names import NameScope
from mutators.go.lint_rules.rules import LEAKING_STATE, NO_REPORT_ALLOCS

_BUILT_IN = syntax.NUMBERS | syntax.split_words("append cap len")
_MOST = 20
"""Of the variables of a loop that are looked at."""


def find_leaking_state(part: BenchmarkDeclaration, names: NameScope) -> Iterator[NodeFinding]:
    """Yield growth, in a timed loop, of what is declared outside of the benchmark or of the loop.

    Outside of the loop alone it is growth of what the measured calls get.
    """
    for loop in part.loops:
        closure = _find_closure(part, loop)
        if not loop.timed:
            continue
        yield from _find_growing_buffers(part, names, loop)
        if closure is None:
            yield from _find_growing_inputs(part, names, loop)
            continue
        reported_names: set[str] = set()
        for node, name, growth in _find_growths(names, loop):
            is_new = (
                name not in reported_names
                and len(reported_names) < _MOST
                and _is_outside(names, name, closure)
            )
            if is_new and not _is_renewed(closure, name, node):
                reported_names.add(name)
                yield _make_leak_finding(node, name, growth)


def _find_growths(names: NameScope, loop: BenchmarkLoop) -> Iterator[tuple[Node, str, str]]:
    """Yield the assignments of a loop that make something larger: its name, and how."""
    for node in syntax.walk_nodes(loop.body, syntax.LITERAL):
        name, growth = (
            _describe_growth(names, loop, node) if node.type == "assignment_statement" else ("", "")
        )
        if name:
            yield node, name, growth


def _find_growing_inputs(
    part: BenchmarkDeclaration, names: NameScope, loop: BenchmarkLoop
) -> Iterator[NodeFinding]:
    """Yield growth of what the measured calls of the loop get."""
    checked_names: set[str] = set()
    for node, name, _ in _find_growths(names, loop):
        if name in checked_names or len(checked_names) >= _MOST:
            continue
        checked_names.add(name)
        if not _is_outside(names, name, loop.node):
            continue
        reader = _find_reading_call(part, loop, name)
        if reader is not None and not _is_renewed(loop.node, name, node):
            yield NodeFinding(
                LEAKING_STATE,
                node,
                f"{name} is declared outside of the loop and grows in each iteration, and "
                f"{syntax.format_callee(reader)} gets it, so each iteration works on more than the "
                "one before.",
            )


def _find_reading_call(part: BenchmarkDeclaration, loop: BenchmarkLoop, name: str) -> Node | None:
    """Return the call of a loop that gets a variable, or is a method of it."""
    for call in syntax.list_calls(loop.body, syntax.LITERAL):
        if part.calls_method(call) or syntax.read_called_name(call) in _BUILT_IN:
            continue
        argument_names = [
            tree.read_text(syntax.strip_parentheses(argument)).lstrip("&")
            for argument in syntax.list_arguments(call)
        ]
        operand, _ = syntax.split_selector(syntax.find_callee(call))
        if name in argument_names or operand == name:
            return call
    return None


def _find_growing_buffers(
    part: BenchmarkDeclaration, names: NameScope, loop: BenchmarkLoop
) -> Iterator[NodeFinding]:
    """Yield the first write to a buffer that is made outside of the loop and never emptied."""
    checked_names: set[str] = set()
    for call in syntax.list_calls(loop.body, syntax.LITERAL):
        name, method = syntax.split_selector(syntax.find_callee(call))
        if (
            not name
            or name in checked_names
            or not method.startswith("Write")
            or len(checked_names) >= _MOST
        ):
            continue
        checked_names.add(name)
        if not names.find_bindings(name) or not _is_outside(names, name, loop.node):
            continue
        if _is_buffer(names, name) and not _is_emptied(part, loop, name):
            yield NodeFinding(
                LEAKING_STATE,
                call,
                f"{name} is made outside of the loop and no iteration empties it, so it grows "
                "with the number of iterations, and growing is part of the time.",
                sure=Confidence.POSSIBLE,
            )


def _is_buffer(names: NameScope, name: str) -> bool:
    """Tell whether a local is declared as a buffer of bytes or text."""
    bound = names.find_bindings(name)
    text = tree.read_text(bound[0]) if len(bound) == 1 else ""
    plain = "bytes.Buffer" in text or "strings.Builder" in text
    return plain and "func" not in text and bound[0].type in ("var_spec", "short_var_declaration")


def _is_emptied(part: BenchmarkDeclaration, loop: BenchmarkLoop, name: str) -> bool:
    """Tell whether the loop does anything with a buffer that may empty it, or sets it anew."""
    for call in syntax.list_calls(loop.body):
        operand, method = syntax.split_selector(syntax.find_callee(call))
        if operand == name and not method.startswith(("Write", "Len", "String", "Bytes", "Cap")):
            return True
        argument_names = (
            tree.read_text(argument).lstrip("&") for argument in syntax.list_arguments(call)
        )
        if name in argument_names and not part.calls_method(call):
            return True
    return _is_renewed(loop.node, name, loop.node)


def _make_leak_finding(node: Node, name: str, growth: str) -> NodeFinding:
    return NodeFinding(
        LEAKING_STATE,
        node,
        f"{name} is declared outside of the sub-benchmark and {growth} in its loop, so later "
        "iterations and the next sub-benchmarks work on more than the first.",
    )


def _find_closure(part: BenchmarkDeclaration, loop: BenchmarkLoop) -> Node | None:
    """Return the function given to b.Run around a loop."""
    literal = None
    for ancestor in syntax.list_ancestors(loop.node, part.above):
        if ancestor.type == "func_literal":
            literal = ancestor
        if (
            ancestor.type == "call_expression"
            and literal is not None
            and part.calls_method(ancestor, "Run")
        ):
            return literal
    return None


def _describe_growth(names: NameScope, loop: BenchmarkLoop, node: Node) -> tuple[str, str]:
    """Return what an assignment makes larger, and how; two empty texts if nothing."""
    nodes = syntax.list_values(node.child_by_field_name("left"))
    right = syntax.list_values(node.child_by_field_name("right"))
    if len(nodes) != 1 or len(right) != 1:
        return "", ""
    if nodes[0].type == "identifier" and syntax.read_called_name(right[0]) == "append":
        first = syntax.list_arguments(right[0])[:1] if right[0].type == "call_expression" else []
        name = tree.read_text(nodes[0])
        if [tree.read_text(inner_node) for inner_node in first] == [name]:
            return name, "is appended to"
    if nodes[0].type == "index_expression":
        operand = nodes[0].child_by_field_name("operand")
        name = tree.read_text(operand) if operand is not None else ""
        declaration = names.resolve_underlying_type(names.resolve_type(operand))
        key = nodes[0].child_by_field_name("index")
        if (
            declaration is not None
            and declaration.node.type == "map_type"
            and _is_varying_key(loop, key)
        ):
            return name, "gets new keys"
    return "", ""


def _is_varying_key(loop: BenchmarkLoop, key: Node | None) -> bool:
    """Tell whether a key is another one in each iteration: made of the loop's own variable."""
    if key is None or any(
        inner_node.type == "binary_expression" for inner_node in tree.walk_tree(key)
    ):
        return False
    key_names = {tree.read_text(node) for node in tree.walk_tree(key) if node.type == "identifier"}
    return bool(key_names & syntax.list_loop_counters(loop.node))


def _is_outside(names: NameScope, name: str, closure: Node) -> bool:
    bound = names.find_bindings(name)
    if not bound:
        return name.isidentifier() and bool(
            names.packages.find_package(names.home).variables.get(name)
        )
    return len(bound) == 1 and not syntax.contains_node(closure, bound[0])


def _is_renewed(closure: Node, name: str, growing: Node) -> bool:
    """Tell whether the function sets what grows anew, or empties it."""
    for node in tree.walk_tree(closure):
        if node.id == growing.id:
            continue
        if node.type == "assignment_statement":
            changed = syntax.list_names(node.child_by_field_name("left"))
        elif node.type == "call_expression" and syntax.read_called_name(node) in (
            "delete",
            "clear",
        ):
            changed = [tree.read_text(argument) for argument in syntax.list_arguments(node)]
        else:
            continue
        if name in changed:
            return True
    return False


_ALLOCATES = frozenset({"Sprintf", "Sprint", "Sprintln", "Errorf"})


def find_unreported_allocations(
    part: BenchmarkDeclaration, names: NameScope
) -> Iterator[NodeFinding]:
    """Yield the first clear allocation of a timed loop, where no allocations are reported."""
    if not part.is_benchmark:
        return
    if any(part.calls_method(call, "ReportAllocs") for call in syntax.list_calls(part.declaration)):
        return
    for loop in part.loops:
        for node in syntax.walk_nodes(loop.body) if loop.timed else ():
            allocation = _describe_allocation(names, node)
            if allocation and not part.clock.is_off(node, loop.body):
                yield NodeFinding(
                    NO_REPORT_ALLOCS,
                    node,
                    f"The timed loop allocates with {allocation}, and {part.name} does not report "
                    "its allocations, so a run without -benchmem hides them.",
                )
                return


def _describe_allocation(names: NameScope, node: Node) -> str:
    if node.type == "call_expression":
        path, name = names.resolve_imported_function(node)
        if path == "fmt" and name in _ALLOCATES:
            return syntax.format_callee(node)
        if not path and syntax.read_called_name(node) in ("make", "new"):
            return syntax.read_called_name(node)
    if node.type == "unary_expression" and node.text and node.text.startswith(b"&"):
        value = node.child_by_field_name("operand")
        if value is not None and value.type == "composite_literal":
            return f"&{tree.read_text(value.child_by_field_name('type'))}{{}}"
    return ""
