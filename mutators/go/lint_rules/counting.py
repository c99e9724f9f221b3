"""Benchmarks that never repeat their work, and those whose work grows with b.N."""

from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from mutators.go import tree
from mutators.go.lint_rules import syntax
from mutators.go.lint_rules.benchmark_discovery import (
    BenchmarkDeclaration,
    LoopKind,
    NodeFinding,
    is_count,
)
from mutators.go.lint_rules.names import NameScope
from mutators.go.lint_rules.packages import ScopedNode
from mutators.go.lint_rules.rules import BN_AS_SIZE, NO_BN

_REPEATS = frozenset({"N", "Loop", "RunParallel", "Run"})
_EXCUSES = frozenset({"Skip", "Skipf", "SkipNow", "ReportMetric"})
"""What a benchmark calls that takes no time, or that reports a number of its own."""
_FAILURES = ("Fatal", "Fatalf", "FailNow", "Error", "Errorf", "Fail")
_ENDS = syntax.split_words("panic os.Exit log.Fatal log.Fatalf log.Fatalln log.Panic log.Panicf")
_MOST = 50
"""Of the calls of a declaration that are looked at."""
_PARTS = frozenset({"slice_expression", "index_expression", "func_literal"})
"""What takes a part of a value, so that its size is another."""
_SORTS = {
    "sort": syntax.split_words("Float64s Ints Slice SliceStable Sort Stable Strings"),
    "slices": syntax.split_words("Sort SortFunc SortStableFunc"),
}


def find_unrepeated_work(part: BenchmarkDeclaration) -> Iterator[NodeFinding]:
    """Yield a benchmark that neither counts to b.N nor gives its *testing.B to anything."""
    body = part.body
    if not part.is_benchmark or body is None or part.declaration.has_error:
        return
    if not syntax.list_statements(body):
        return
    if _is_once(part, body):
        yield _make_once_finding(part, part.declaration, part.name)
        return
    for call in islice(_list_sub_benchmarks(part, body), _MOST):
        literal = syntax.list_arguments(call)[-1]
        inner = literal.child_by_field_name("body")
        if inner is not None and syntax.list_statements(inner) and _is_once(part, inner):
            yield _make_once_finding(part, call, f"The sub-benchmark of {part.name}")


def _make_once_finding(part: BenchmarkDeclaration, node: Node, subject: str) -> NodeFinding:
    return NodeFinding(
        NO_BN,
        node,
        f"{subject} does its work once and never uses {min(part.handles)}.N, so what is reported "
        "is the time of that one run divided by whatever count of iterations was tried.",
    )


def _list_sub_benchmarks(part: BenchmarkDeclaration, body: Node) -> Iterator[Node]:
    """Yield the calls of b.Run that are given a function literal."""
    for call in syntax.list_calls(body):
        nodes = syntax.list_arguments(call)
        if part.calls_method(call, "Run") and len(nodes) > 1 and nodes[-1].type == "func_literal":
            yield call


def _is_once(part: BenchmarkDeclaration, body: Node) -> bool:
    """Tell whether some code neither repeats its work nor hands its *testing.B on."""
    if _always_fails(part, body):
        return False
    for node in tree.walk_tree(body):
        if node.type == "identifier" and tree.read_text(node) in part.handles:
            outer = part.above.get(node.id)
            if outer is None or outer.type != "selector_expression":
                return False  # it is handed on, and may be used there
            field = tree.read_text(outer.child_by_field_name("field"))
            if field in _REPEATS or field in _EXCUSES:
                return False
    return True


def find_ended_loops(part: BenchmarkDeclaration) -> Iterator[NodeFinding]:
    """Yield the loops over b.N that an unconditional `break` or `return` ends at once."""
    for loop in part.loops:
        statements = syntax.list_statements(loop.body)
        ends = [node for node in statements if node.type in ("break_statement", "return_statement")]
        is_repeated = any(
            node.type in ("continue_statement", "goto_statement")
            for node in syntax.walk_nodes(loop.body)
        )
        excused = any(part.calls_method(call, *_EXCUSES) for call in syntax.list_calls(loop.body))
        is_counted = loop.kind is LoopKind.COUNTED and not part.declaration.has_error
        if ends and is_counted and not (is_repeated or excused or _always_fails(part, loop.body)):
            yield NodeFinding(
                NO_BN,
                loop.node,
                f"The loop over {loop.kind} ends in its first iteration by its "
                f"`{tree.read_text(ends[0]).split()[0]}`, so what is reported is the time of that "
                "one run divided by whatever count of iterations was tried.",
            )


def _always_fails(part: BenchmarkDeclaration, body: Node) -> bool:
    """Tell whether a benchmark is none: it fails whatever happens."""
    return any(
        part.calls_method(call, *_FAILURES) or syntax.format_callee(call) in _ENDS
        for statement in syntax.list_statements(body)
        if statement.type == "expression_statement"
        for call in syntax.list_calls(statement, syntax.LITERAL)
    )


def find_nested_repetition(part: BenchmarkDeclaration) -> Iterator[NodeFinding]:
    """Yield loops over all iterations that run more than once: in another, or in each goroutine."""
    for loop in part.loops:
        if loop.kind is LoopKind.COUNTED and _repeats_all(part, loop.node):
            for ancestor in syntax.list_ancestors(loop.node, part.above):
                if ancestor.type == "func_literal" and ".PB" in tree.read_text(
                    ancestor.child_by_field_name("parameters")
                ):
                    yield _make_nested_finding(loop.node, "goroutine of b.RunParallel")
        elif loop.kind is LoopKind.COUNTED and not _steps_by_one(loop.node):
            continue
        inner = syntax.walk_nodes(loop.body, syntax.LITERAL)
        for node in islice((node for node in inner if node.type == "for_statement"), _MOST):
            if _repeats_all(part, node):
                yield _make_nested_finding(node, f"iteration of the loop over {loop.kind}")


def _make_nested_finding(node: Node, outer: str) -> NodeFinding:
    return NodeFinding(
        BN_AS_SIZE,
        node,
        f"Each {outer} makes all b.N iterations of this loop again, so the time of one grows with "
        "the number of iterations.",
    )


def _repeats_all(part: BenchmarkDeclaration, loop: Node) -> bool:
    """Tell whether a loop counts from 0 to b.N by itself, and none of its rounds ends it."""
    body = loop.child_by_field_name("body")
    head = next(iter(loop.named_children), None)
    if (
        head is None
        or body is None
        or any(
            node.type in ("break_statement", "goto_statement") for node in syntax.walk_nodes(body)
        )
    ):
        return False
    if head.type == "range_clause":
        right = head.child_by_field_name("right")
        return right is not None and is_count(part, right)
    start, bound = head.child_by_field_name("initializer"), head.child_by_field_name("condition")
    if start is None or bound is None or not _steps_by_one(loop):
        return False
    right = bound.child_by_field_name("right")
    return (
        tree.read_text(start.child_by_field_name("right")) == "0"
        and right is not None
        and is_count(part, right)
    )


def _steps_by_one(loop: Node) -> bool:
    """Tell whether a loop ranges, or counts by `i++`, and sets its counter nowhere else."""
    head = next(iter(loop.named_children), None)
    if head is None or head.type == "range_clause":
        return head is not None
    update = head.child_by_field_name("update")
    return update is not None and update.type == "inc_statement"


def find_growing_work(part: BenchmarkDeclaration, names: NameScope) -> Iterator[NodeFinding]:
    """Yield calls that get b.N as the size of work that does not grow in step with it."""
    looped = any(loop.kind is LoopKind.COUNTED for loop in part.loops)
    for call in islice(_list_sized_calls(part), _MOST):
        if _is_inside(part, call):
            yield from _find_growing_call(part, names, call)
        elif not looped:
            yield from _find_growing_sort(part, names, call)
            yield from _find_steep_call(part, names, call)


def _list_sized_calls(part: BenchmarkDeclaration) -> Iterator[Node]:
    """Yield the calls that may get b.N, or a loop's own counter, as a size."""
    for call in syntax.list_calls(part.declaration):
        sorts = any(syntax.read_called_name(call) in names for names in _SORTS.values())
        if not part.calls_method(call) and (
            sorts or _find_count_argument(part, call) >= 0 or _find_counter_argument(part, call)[1]
        ):
            yield call


def _is_inside(part: BenchmarkDeclaration, node: Node) -> bool:
    return any(loop.timed and syntax.contains_node(loop.body, node) for loop in part.loops)


def _find_count_argument(part: BenchmarkDeclaration, call: Node) -> int:
    """Return which argument of a call is b.N, -1 if none is."""
    count_flags = [is_count(part, argument) for argument in syntax.list_arguments(call)]
    return count_flags.index(True) if True in count_flags else -1


def _find_growing_call(
    part: BenchmarkDeclaration, names: NameScope, call: Node
) -> Iterator[NodeFinding]:
    """Yield a call of the loop whose work grows with b.N: the total grows with its square."""
    index, counter = _find_count_argument(part, call), ""
    if index < 0:
        index, counter = _find_counter_argument(part, call)
    if index < 0:
        return
    declaration = names.resolve_function(call)
    is_made = syntax.read_called_name(call) == "make" and index > 0 and not counter
    if is_made or (declaration is not None and counts_to(declaration, index)):
        yield NodeFinding(
            BN_AS_SIZE,
            call,
            f"Each of the b.N iterations gives {counter or 'b.N'} to "
            f"{syntax.format_callee(call)} as "
            "a size, so the time of one iteration grows with the number of iterations.",
        )


def _find_counter_argument(part: BenchmarkDeclaration, call: Node) -> tuple[int, str]:
    """Return which argument of a call is the loop's own counter, and its name; else -1."""
    for loop in part.loops:
        if loop.kind is LoopKind.COUNTED and syntax.contains_node(loop.body, call):
            counters = syntax.list_loop_counters(loop.node)
            for index, node in enumerate(syntax.list_arguments(call)):
                if node.type == "identifier" and tree.read_text(node) in counters:
                    return index, tree.read_text(node)
    return -1, ""


def _find_growing_sort(
    part: BenchmarkDeclaration, names: NameScope, call: Node
) -> Iterator[NodeFinding]:
    path, name = names.resolve_imported_function(call)
    arguments = syntax.list_arguments(call)
    if name not in _SORTS.get(path, ()) or not arguments:
        return
    nodes = list(islice(tree.walk_tree(arguments[0]), _MOST))  # also those of byName(x), rows{x}
    if any(_is_of_size(part, names, node) for node in nodes) and not any(
        node.type in _PARTS for node in nodes
    ):
        yield NodeFinding(
            BN_AS_SIZE,
            call,
            f"{syntax.format_callee(call)} sorts b.N elements at once, so the time of one grows "
            "with the number of iterations.",
        )


def _is_of_size(part: BenchmarkDeclaration, names: NameScope, value: Node) -> bool:
    """Tell whether a value was made with b.N as an argument."""
    if value.type == "call_expression":
        return _find_count_argument(part, value) >= 0
    bound = names.find_bindings(tree.read_text(value)) if value.type == "identifier" else []
    if len(bound) != 1:
        return False
    nodes = syntax.list_values(bound[0].child_by_field_name("right"))
    return (
        len(nodes) == 1
        and nodes[0].type == "call_expression"
        and _find_count_argument(part, nodes[0]) >= 0
    )


def _find_steep_call(
    part: BenchmarkDeclaration, names: NameScope, call: Node
) -> Iterator[NodeFinding]:
    """Yield a call with b.N of a function whose time grows faster than its argument."""
    index = _find_count_argument(part, call)
    declaration = names.resolve_function(call) if index >= 0 else None
    if declaration is not None and _is_branching_recursion(declaration, index):
        yield NodeFinding(
            BN_AS_SIZE,
            call,
            f"{syntax.format_callee(call)} gets b.N as its argument and calls itself more than "
            "once, so its time does not grow in step with b.N and the time per iteration means "
            "nothing.",
        )


def _read_parameter_name(declaration: ScopedNode, index: int) -> str:
    named = [
        tree.read_text(node)
        for _, name_nodes, _ in tree.list_parameters(declaration.node)
        for node in name_nodes
    ]
    return named[index] if index < len(named) else ""


def counts_to(declaration: ScopedNode, index: int) -> bool:
    """Tell whether a function loops as often as a parameter says, or makes something so large."""
    name = _read_parameter_name(declaration, index)
    if not name:
        return False
    for node in tree.walk_tree(declaration.node):
        if node.type == "for_statement":
            body = node.child_by_field_name("body")
            heads = [child for child in node.named_children if body is None or child.id != body.id]
            if any(_is_loop_bound(head, name) for head in heads):
                return True
        elif name in _list_make_sizes(node):
            return True
    return _is_branching_recursion(declaration, index)


def _list_make_sizes(node: Node) -> list[str]:
    """Return the sizes with which a node makes something."""
    if node.type != "call_expression" or syntax.read_called_name(node) != "make":
        return []
    return [tree.read_text(argument) for argument in syntax.list_arguments(node)[1:]]


def _is_loop_bound(head: Node, name: str) -> bool:
    """Tell whether a loop counts to a name, down from it, or ranges over it."""
    if head.type == "range_clause":
        return tree.read_text(head.child_by_field_name("right")) == name
    condition = head.child_by_field_name("condition")
    if condition is None or head.child_by_field_name("update") is None:
        return False
    sides = [condition.child_by_field_name(side) for side in ("left", "right")]
    plain = [
        tree.read_text(side) for side in sides if side is not None and "index" not in side.type
    ]
    return name in plain and len(plain) == 2


def _is_branching_recursion(declaration: ScopedNode, index: int) -> bool:
    """Tell whether a function adds up two calls of itself, with less of a parameter each."""
    function = declaration.node
    name = tree.read_text(function.child_by_field_name("name"))
    parameter = _read_parameter_name(declaration, index)
    if function.type != "function_declaration" or not parameter:
        return False
    for node in tree.walk_tree(function):
        if node.type == "binary_expression":
            sides = [node.child_by_field_name(side) for side in ("left", "right")]
            if all(_is_smaller_call(side, name, (index, parameter)) for side in sides):
                return True
    return False


def _is_smaller_call(node: Node | None, name: str, indexed_parameter: tuple[int, str]) -> bool:
    if node is None or node.type != "call_expression" or syntax.read_called_name(node) != name:
        return False
    index, parameter = indexed_parameter
    argument = syntax.list_arguments(node)[index : index + 1]
    return bool(argument) and tree.read_text(argument[0]).replace(" ", "").startswith(
        f"{parameter}-"
    )
