"""State that sub-benchmarks share and change, and allocations that nobody reports."""

from collections.abc import Iterator

from tree_sitter import Node

from auditor.core.contracts.lint import Confidence
from mutators.go import tree
from mutators.go.lint_rules import syntax
from mutators.go.lint_rules.benchmark_discovery import BenchmarkDeclaration, BenchmarkLoop
from mutators.go.lint_rules.finding import NodeFinding
from mutators.go.lint_rules.names import Names
from mutators.go.lint_rules.rules import LEAKING_STATE, NO_REPORT_ALLOCS

_BUILT_IN = syntax.NUMBERS | syntax.words("append cap len")
_MOST = 20
"""Of the variables of a loop that are looked at."""


def leaks(part: BenchmarkDeclaration, names: Names) -> Iterator[NodeFinding]:
    """Yield growth, in a timed loop, of what is declared outside of the benchmark or of the loop.

    Outside of the loop alone it is growth of what the measured calls get.
    """
    for loop in part.loops:
        closure = _closure(part, loop)
        if not loop.timed:
            continue
        yield from _growing_buffers(part, names, loop)
        if closure is None:
            yield from _grown_inputs(part, names, loop)
            continue
        seen: set[str] = set()
        for node, name, how in _growths(names, loop):
            is_new = name not in seen and len(seen) < _MOST and _is_outside(names, name, closure)
            if is_new and not _is_renewed(closure, name, node):
                seen.add(name)
                yield _leak(node, name, how)


def _growths(names: Names, loop: BenchmarkLoop) -> Iterator[tuple[Node, str, str]]:
    """Yield the assignments of a loop that make something larger: its name, and how."""
    for node in syntax.walk(loop.body, syntax.LITERAL):
        name, how = _growth(names, loop, node) if node.type == "assignment_statement" else ("", "")
        if name:
            yield node, name, how


def _grown_inputs(
    part: BenchmarkDeclaration, names: Names, loop: BenchmarkLoop
) -> Iterator[NodeFinding]:
    """Yield growth of what the measured calls of the loop get."""
    seen: set[str] = set()
    for node, name, _ in _growths(names, loop):
        if name in seen or len(seen) >= _MOST:
            continue
        seen.add(name)
        if not _is_outside(names, name, loop.node):
            continue
        reader = _reader(part, loop, name)
        if reader is not None and not _is_renewed(loop.node, name, node):
            yield NodeFinding(
                LEAKING_STATE,
                node,
                f"{name} is declared outside of the loop and grows in each iteration, and "
                f"{syntax.callee_text(reader)} gets it, so each iteration works on more than the "
                "one before.",
            )


def _reader(part: BenchmarkDeclaration, loop: BenchmarkLoop, name: str) -> Node | None:
    """Return the call of a loop that gets a variable, or is a method of it."""
    for call in syntax.calls(loop.body, syntax.LITERAL):
        if part.uses(call) or syntax.called(call) in _BUILT_IN:
            continue
        given = [
            tree.source(syntax.plain(argument)).lstrip("&") for argument in syntax.arguments(call)
        ]
        operand, _ = syntax.selector(syntax.callee(call))
        if name in given or operand == name:
            return call
    return None


def _growing_buffers(
    part: BenchmarkDeclaration, names: Names, loop: BenchmarkLoop
) -> Iterator[NodeFinding]:
    """Yield the first write to a buffer that is made outside of the loop and never emptied."""
    seen: set[str] = set()
    for call in syntax.calls(loop.body, syntax.LITERAL):
        name, method = syntax.selector(syntax.callee(call))
        if not name or name in seen or not method.startswith("Write") or len(seen) >= _MOST:
            continue
        seen.add(name)
        if not names.bindings(name) or not _is_outside(names, name, loop.node):
            continue
        if _is_buffer(names, name) and not _is_emptied(part, loop, name):
            yield NodeFinding(
                LEAKING_STATE,
                call,
                f"{name} is made outside of the loop and no iteration empties it, so it grows "
                "with the number of iterations, and growing is part of the time.",
                sure=Confidence.POSSIBLE,
            )


def _is_buffer(names: Names, name: str) -> bool:
    """Tell whether a local is declared as a buffer of bytes or text."""
    bound = names.bindings(name)
    text = tree.source(bound[0]) if len(bound) == 1 else ""
    plain = "bytes.Buffer" in text or "strings.Builder" in text
    return plain and "func" not in text and bound[0].type in ("var_spec", "short_var_declaration")


def _is_emptied(part: BenchmarkDeclaration, loop: BenchmarkLoop, name: str) -> bool:
    """Tell whether the loop does anything with a buffer that may empty it, or sets it anew."""
    for call in syntax.calls(loop.body):
        operand, method = syntax.selector(syntax.callee(call))
        if operand == name and not method.startswith(("Write", "Len", "String", "Bytes", "Cap")):
            return True
        given = (tree.source(argument).lstrip("&") for argument in syntax.arguments(call))
        if name in given and not part.uses(call):
            return True
    return _is_renewed(loop.node, name, loop.node)


def _leak(node: Node, name: str, how: str) -> NodeFinding:
    return NodeFinding(
        LEAKING_STATE,
        node,
        f"{name} is declared outside of the sub-benchmark and {how} in its loop, so later "
        "iterations and the next sub-benchmarks work on more than the first.",
    )


def _closure(part: BenchmarkDeclaration, loop: BenchmarkLoop) -> Node | None:
    """Return the function given to b.Run around a loop."""
    literal = None
    for ancestor in syntax.around(loop.node, part.above):
        if ancestor.type == "func_literal":
            literal = ancestor
        if (
            ancestor.type == "call_expression"
            and literal is not None
            and part.uses(ancestor, "Run")
        ):
            return literal
    return None


def _growth(names: Names, loop: BenchmarkLoop, node: Node) -> tuple[str, str]:
    """Return what an assignment makes larger, and how; two empty texts if nothing."""
    nodes = syntax.values(node.child_by_field_name("left"))
    right = syntax.values(node.child_by_field_name("right"))
    if len(nodes) != 1 or len(right) != 1:
        return "", ""
    if nodes[0].type == "identifier" and syntax.called(right[0]) == "append":
        first = syntax.arguments(right[0])[:1] if right[0].type == "call_expression" else []
        name = tree.source(nodes[0])
        if [tree.source(inner_node) for inner_node in first] == [name]:
            return name, "is appended to"
    if nodes[0].type == "index_expression":
        operand = nodes[0].child_by_field_name("operand")
        name = tree.source(operand) if operand is not None else ""
        declaration = names.underlying(names.type_of(operand))
        key = nodes[0].child_by_field_name("index")
        if declaration is not None and declaration.node.type == "map_type" and _varies(loop, key):
            return name, "gets new keys"
    return "", ""


def _varies(loop: BenchmarkLoop, key: Node | None) -> bool:
    """Tell whether a key is another one in each iteration: made of the loop's own variable."""
    if key is None or any(
        inner_node.type == "binary_expression" for inner_node in tree.descend(key)
    ):
        return False
    used = {tree.source(node) for node in tree.descend(key) if node.type == "identifier"}
    return bool(used & syntax.counters(loop.node))


def _is_outside(names: Names, name: str, closure: Node) -> bool:
    bound = names.bindings(name)
    if not bound:
        return name.isidentifier() and bool(names.packages.here(names.home).variables.get(name))
    return len(bound) == 1 and not syntax.holds(closure, bound[0])


def _is_renewed(closure: Node, name: str, growing: Node) -> bool:
    """Tell whether the function sets what grows anew, or empties it."""
    for node in tree.descend(closure):
        if node.id == growing.id:
            continue
        if node.type == "assignment_statement":
            changed = syntax.names(node.child_by_field_name("left"))
        elif node.type == "call_expression" and syntax.called(node) in ("delete", "clear"):
            changed = [tree.source(argument) for argument in syntax.arguments(node)]
        else:
            continue
        if name in changed:
            return True
    return False


_ALLOCATES = frozenset({"Sprintf", "Sprint", "Sprintln", "Errorf"})


def reports_nothing(part: BenchmarkDeclaration, names: Names) -> Iterator[NodeFinding]:
    """Yield the first clear allocation of a timed loop, where no allocations are reported."""
    if not part.is_benchmark:
        return
    if any(part.uses(call, "ReportAllocs") for call in syntax.calls(part.declaration)):
        return
    for loop in part.loops:
        for node in syntax.walk(loop.body) if loop.timed else ():
            how = _allocation(names, node)
            if how and not part.clock.is_off(node, loop.body):
                yield NodeFinding(
                    NO_REPORT_ALLOCS,
                    node,
                    f"The timed loop allocates with {how}, and {part.name} does not report its "
                    "allocations, so a run without -benchmem hides them.",
                )
                return


def _allocation(names: Names, node: Node) -> str:
    if node.type == "call_expression":
        path, name = names.standard(node)
        if path == "fmt" and name in _ALLOCATES:
            return syntax.callee_text(node)
        if not path and syntax.called(node) in ("make", "new"):
            return syntax.called(node)
    if node.type == "unary_expression" and node.text and node.text.startswith(b"&"):
        value = node.child_by_field_name("operand")
        if value is not None and value.type == "composite_literal":
            return f"&{tree.source(value.child_by_field_name('type'))}{{}}"
    return ""
