"""The unchanged function beside the changed one: what a call runs is decided as it begins.

The function keeps its name and its body, with a question in front of it: is this a block of the
plain arm? If not it calls a copy that holds the delay. So one process of one program has plain
blocks, too, and what probe and delay add is known from neighbouring blocks. The question costs a
load and a branch. The compiler would no longer inline such a function, so only those may have it
that it never inlines.
"""

from collections.abc import Sequence
from posixpath import basename

from tree_sitter import Node

from auditor.core.edits import Edit, apply
from auditor.core.subject import SourceFile
from mutators.go import recursion, tree

PREFIX = "zzBenchAuditProbed"
"""Of the copy's name; long enough to clash with nothing."""
_NAMED = "zzBenchAuditArgument"
_RECEIVER = "zzBenchAuditReceiver"


def can_copy(declaration: Node) -> bool:
    """Tell whether a function may have a copy that does the same.

    A type that is declared inside is another one in the copy, recover works in the deferred
    function itself only, a blank type parameter cannot be handed on, and what takes something of
    package testing may be a benchmark.
    """
    body = declaration.child_by_field_name("body")
    if body is None or declaration.has_error or "testing." in tree.source(declaration):
        return False
    if "_" in recursion.type_names(declaration):
        return False
    declared = any(node.type == "type_declaration" for node in tree.descend(body))
    return not declared and not recursion.recovers(declaration)


def edits(
    source: SourceFile,
    declaration: Node,
    self_calls: Sequence[Node],
    statement: str,
    guest: str,
) -> list[Edit]:
    """Return the edits of a file: the question, and the copy behind all else.

    `statement` is the delay. Calls of the function itself go past it in the copy, as in a wrapper.
    """
    names = _namings(declaration)
    body = declaration.child_by_field_name("body")
    assert body is not None  # noqa: S101 - narrows the type; possible has looked
    name = declaration.child_by_field_name("name")
    probed = f"{PREFIX}{tree.source(name)}"
    call = f"{_call(declaration, probed)}({', '.join(_passed(declaration))})"
    answer = f"return {call}" if declaration.child_by_field_name("result") else f"{call}; return"
    question = Edit.insert(body.start_byte + 1, f" if {guest}.Probed() {{ {answer} }};".encode())
    if self_calls:
        changes = recursion.wrap(declaration, self_calls, statement, probed)
    else:
        changes = [
            Edit(child.start_byte, child.end_byte, probed.encode())
            for child in declaration.children_by_field_name("name")
        ]
        changes += [*names, Edit.insert(body.start_byte + 1, f" {statement};".encode())]
    # Positions in the copy are those of the original, for traces and whoever asks for them.
    place = f"\n//line {basename(source.path)}:{declaration.start_point.row + 1}\n".encode()
    copy = Edit.insert(len(source.text), place + _within(declaration, changes))
    return [*names, question, copy]


def _within(declaration: Node, changes: Sequence[Edit]) -> bytes:
    """Return the text of a declaration with changes whose places are those of the file."""
    at = declaration.start_byte
    text = declaration.text or b""
    return apply(
        text, [Edit(change.start - at, change.end - at, change.text) for change in changes]
    )


def _namings(declaration: Node) -> list[Edit]:
    """Return the edits that give names to what has none, so that it can be handed on."""
    namings: list[Edit] = []
    receiver = declaration.child_by_field_name("receiver")
    for node in receiver.named_children if receiver is not None else []:
        if node.type == "parameter_declaration":
            namings += _naming(node, node.children_by_field_name("name"), [_RECEIVER])
    count = 0
    for node, names, _ in tree.parameters(declaration):
        size = max(1, len(names))
        namings += _naming(node, names, [f"{_NAMED}{count + index}" for index in range(size)])
        count += size
    return namings


def _naming(parameter: Node, names: Sequence[Node], wanted: Sequence[str]) -> list[Edit]:
    if not names:
        return [Edit.insert(parameter.start_byte, f"{wanted[0]} ".encode())]
    return [
        Edit(node.start_byte, node.end_byte, name.encode())
        for node, name in zip(names, wanted, strict=True)
        if tree.source(node) == "_"
    ]


def _passed(declaration: Node) -> list[str]:
    """Return the arguments that hand the parameters on."""
    found: list[str] = []
    for node, names, _ in tree.parameters(declaration):
        dots = "..." if node.type == "variadic_parameter_declaration" else ""
        written = [tree.source(name) for name in names] or ["_"]
        for name in written:
            found.append((f"{_NAMED}{len(found)}" if name == "_" else name) + dots)
    return found


def _call(declaration: Node, name: str) -> str:
    """Return what calls a method of the same receiver, or a function of the same parameters."""
    holder, owner = tree.receiver(declaration)
    if owner:
        return f"{_RECEIVER if holder in ('', '_') else holder}.{name}"
    return f"{name}{recursion.type_arguments(declaration)}"
