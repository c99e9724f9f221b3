"""The guest's hook in every function that testing may call as a benchmark."""

from collections.abc import Iterator

from tree_sitter import Node

from auditor.core.edits import Edit
from mutators.go import tree

_NAME = "zzBenchAuditB"
_KINDS = ("function_declaration", "method_declaration", "func_literal")


_TIMERS = {"ResetTimer": 0, "StopTimer": 1, "StartTimer": 2}
"""Methods of a benchmark's timer, with the guest's number of each."""


def make_hook_edits(root: Node, guest: str, *, timers: bool = False) -> list[Edit]:
    """Return the edits that hook the benchmarks of a file; `guest` is the guest's name in it.

    With `timers` the guest hears of all calls of a timer's methods, also those in helpers.
    """
    package = tree.imported_as(root, "testing")
    if package is None:
        return []
    benchmark_type = "*B" if package == "." else f"*{package}.B"
    hook_edits: list[Edit] = []
    for node in tree.walk_tree(root):
        if node.type in _KINDS and not node.has_error:
            hook_edits += _hook_function(node, benchmark_type, guest, resets=not timers)
        elif timers:
            hook_edits += _make_timer_edit(node, guest)
    return hook_edits


def _make_timer_edit(node: Node, guest: str) -> Iterator[Edit]:
    """Yield the edit in front of a statement that calls a timer's method, or loops by b.Loop."""
    if node.type == "for_statement" and _read_loop_condition(node).endswith(".Loop()"):
        holder = _read_loop_condition(node).removesuffix(".Loop()")
        labelled = node.parent is not None and node.parent.type == "labeled_statement"
        position = node.parent.start_byte if labelled and node.parent else node.start_byte
        event = _TIMERS["ResetTimer"]
    elif node.type == "expression_statement" and tree.read_text(node).endswith("()"):
        holder, _, name = tree.read_text(node).removesuffix("()").rpartition(".")
        if name not in _TIMERS:
            return
        position, event = node.start_byte, _TIMERS[name]
    else:
        return
    if holder.isidentifier():
        yield Edit.make_insertion(position, f"{guest}.Timer({holder}, {event}); ".encode())


def _hook_function(function: Node, benchmark_type: str, guest: str, *, resets: bool) -> list[Edit]:
    """Hook a function that is a benchmark by its type: one parameter, no result.

    One with more parameters is never what testing calls, and may be called in the timed loop.
    """
    body = function.child_by_field_name("body")
    parameters = tree.list_parameters(function)
    if body is None or function.child_by_field_name("result") or len(parameters) != 1:
        return []
    _, names, declared = parameters[0]
    if tree.read_text(declared) != benchmark_type or len(names) > 1:
        return []
    name = tree.read_text(names[0]) if names else ""
    hook_edits = []
    if not names:
        hook_edits.append(Edit.make_insertion(declared.start_byte, f"{_NAME} ".encode()))
    elif name == "_":
        hook_edits.append(Edit(names[0].start_byte, names[0].end_byte, _NAME.encode()))
    handle = name if name not in ("", "_") else _NAME
    call = f" {guest}.Run({handle}, &{handle}.N, func() {{"
    hook_edits.append(Edit.make_insertion(body.start_byte + 1, call.encode()))
    hook_edits.append(Edit.make_insertion(body.end_byte - 1, b"}) "))
    if not resets:
        return hook_edits
    reset = f"{guest}.Reset(); ".encode()
    return hook_edits + [
        Edit.make_insertion(position, reset) for position in _find_timer_resets(body, handle)
    ]


def _find_timer_resets(body: Node, name: str) -> Iterator[int]:
    """Yield where the timer is reset: in front of ResetTimer and of a loop by b.Loop.

    Nested function literals are passed over: those that are benchmarks get hooks of their own.
    """
    pending = [body]
    while pending:
        node = pending.pop()
        pending += [child for child in node.named_children if child.type != "func_literal"]
        if node.type == "expression_statement" and tree.read_text(node) == f"{name}.ResetTimer()":
            yield node.start_byte
        elif node.type == "for_statement" and _read_loop_condition(node) == f"{name}.Loop()":
            labelled = node.parent is not None and node.parent.type == "labeled_statement"
            yield node.parent.start_byte if labelled and node.parent else node.start_byte


def _read_loop_condition(loop: Node) -> str:
    return tree.read_text(next(iter(loop.named_children), None))
