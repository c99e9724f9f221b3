"""The guest's hook in every function that testing may call as a benchmark."""

from collections.abc import Iterator

from tree_sitter import Node

from auditor.core.edits import Edit
from mutators.go import tree

_NAME = "zzBenchAuditB"
_KINDS = ("function_declaration", "method_declaration", "func_literal")


_TIMERS = {"ResetTimer": 0, "StopTimer": 1, "StartTimer": 2}
"""Methods of a benchmark's timer, with the guest's number of each."""


def edits(root: Node, guest: str, *, timers: bool = False) -> list[Edit]:
    """Return the edits that hook the benchmarks of a file; `guest` is the guest's name in it.

    With `timers` the guest hears of all calls of a timer's methods, also those in helpers.
    """
    package = tree.imported_as(root, "testing")
    if package is None:
        return []
    wanted = "*B" if package == "." else f"*{package}.B"
    made: list[Edit] = []
    for node in tree.descend(root):
        if node.type in _KINDS and not node.has_error:
            made += _hook(node, wanted, guest, resets=not timers)
        elif timers:
            made += _timer(node, guest)
    return made


def _timer(node: Node, guest: str) -> Iterator[Edit]:
    """Yield the edit in front of a statement that calls a timer's method, or loops by b.Loop."""
    if node.type == "for_statement" and _condition(node).endswith(".Loop()"):
        holder = _condition(node).removesuffix(".Loop()")
        labelled = node.parent is not None and node.parent.type == "labeled_statement"
        at = node.parent.start_byte if labelled and node.parent else node.start_byte
        event = _TIMERS["ResetTimer"]
    elif node.type == "expression_statement" and tree.source(node).endswith("()"):
        holder, _, name = tree.source(node).removesuffix("()").rpartition(".")
        if name not in _TIMERS:
            return
        at, event = node.start_byte, _TIMERS[name]
    else:
        return
    if holder.isidentifier():
        yield Edit.insert(at, f"{guest}.Timer({holder}, {event}); ".encode())


def _hook(function: Node, wanted: str, guest: str, *, resets: bool) -> list[Edit]:
    """Hook a function that is a benchmark by its type: one parameter, no result.

    One with more parameters is never what testing calls, and may be called in the timed loop.
    """
    body = function.child_by_field_name("body")
    listed = tree.parameters(function)
    if body is None or function.child_by_field_name("result") or len(listed) != 1:
        return []
    _, names, declared = listed[0]
    if tree.source(declared) != wanted or len(names) > 1:
        return []
    name = tree.source(names[0]) if names else ""
    made = []
    if not names:
        made.append(Edit.insert(declared.start_byte, f"{_NAME} ".encode()))
    elif name == "_":
        made.append(Edit(names[0].start_byte, names[0].end_byte, _NAME.encode()))
    own = name if name not in ("", "_") else _NAME
    call = f" {guest}.Run({own}, &{own}.N, func() {{"
    made.append(Edit.insert(body.start_byte + 1, call.encode()))
    made.append(Edit.insert(body.end_byte - 1, b"}) "))
    if not resets:
        return made
    reset = f"{guest}.Reset(); ".encode()
    return made + [Edit.insert(at, reset) for at in _resets(body, own)]


def _resets(body: Node, name: str) -> Iterator[int]:
    """Yield where the timer is reset: in front of ResetTimer and of a loop by b.Loop.

    Nested function literals are passed over: those that are benchmarks get hooks of their own.
    """
    pending = [body]
    while pending:
        node = pending.pop()
        pending += [child for child in node.named_children if child.type != "func_literal"]
        if node.type == "expression_statement" and tree.source(node) == f"{name}.ResetTimer()":
            yield node.start_byte
        elif node.type == "for_statement" and _condition(node) == f"{name}.Loop()":
            labelled = node.parent is not None and node.parent.type == "labeled_statement"
            yield node.parent.start_byte if labelled and node.parent else node.start_byte


def _condition(loop: Node) -> str:
    return tree.source(next(iter(loop.named_children), None))
