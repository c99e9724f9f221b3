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

from auditor.core.edits import Edit, apply_edits
from auditor.core.subject import SourceFile
from mutators.go import recursion, tree

PREFIX = "zzBenchAuditProbed"
"""Of the copy's name; long enough to clash with nothing."""
_NAMED = "zzBenchAuditArgument"
_RECEIVER = "zzBenchAuditReceiver"


def can_copy(declaration: Node) -> bool:
    """Tell whether a function may have a copy that does the same.

    A type that is declared inside is another one in the copy, recover works in the deferred
    function itself only, the call stack would show the copy, a blank type parameter cannot be
    handed on, and what takes something of package testing may be a benchmark.
    """
    body = declaration.child_by_field_name("body")
    if body is None or declaration.has_error or "testing." in tree.read_text(declaration):
        return False
    if "_" in recursion.type_names(declaration):
        return False
    declared = any(node.type == "type_declaration" for node in tree.walk_tree(body))
    if declared or recursion.calls_recover(declaration):
        return False
    return not recursion.reads_call_stack(declaration)


def make_copy_edits(
    source: SourceFile,
    declaration: Node,
    self_calls: Sequence[Node],
    statement: str,
    guest: str,
) -> list[Edit]:
    """Return the edits of a file: the question, and the copy behind all else.

    `statement` is the delay. Calls of the function itself go past it in the copy, as in a wrapper.
    """
    names = _name_parameters(declaration)
    body = declaration.child_by_field_name("body")
    assert body is not None  # noqa: S101 - narrows the type; possible has looked
    name = declaration.child_by_field_name("name")
    probed = f"{PREFIX}{tree.read_text(name)}"
    call = f"{_format_callee(declaration, probed)}({', '.join(_list_arguments(declaration))})"
    answer = f"return {call}" if declaration.child_by_field_name("result") else f"{call}; return"
    question = Edit.make_insertion(
        body.start_byte + 1, f" if {guest}.Probed() {{ {answer} }};".encode()
    )
    if self_calls:
        changes = recursion.wrap_function(declaration, self_calls, statement, probed)
    else:
        changes = [
            Edit(child.start_byte, child.end_byte, probed.encode())
            for child in declaration.children_by_field_name("name")
        ]
        changes += [*names, Edit.make_insertion(body.start_byte + 1, f" {statement};".encode())]
    # Positions in the copy are those of the original, for traces and whoever asks for them.
    place = f"\n//line {basename(source.path)}:{declaration.start_point.row + 1}\n".encode()
    copy = Edit.make_insertion(len(source.text), place + _edit_declaration(declaration, changes))
    return [*names, question, copy]


def _edit_declaration(declaration: Node, changes: Sequence[Edit]) -> bytes:
    """Return the text of a declaration with changes whose places are those of the file."""
    offset = declaration.start_byte
    text = declaration.text or b""
    return apply_edits(
        text, [Edit(change.start - offset, change.end - offset, change.text) for change in changes]
    )


def _name_parameters(declaration: Node) -> list[Edit]:
    """Return the edits that give names to what has none, so that it can be handed on."""
    namings: list[Edit] = []
    receiver = declaration.child_by_field_name("receiver")
    for node in receiver.named_children if receiver is not None else []:
        if node.type == "parameter_declaration":
            namings += _name_parameter(node, node.children_by_field_name("name"), [_RECEIVER])
    count = 0
    for node, names, _ in tree.list_parameters(declaration):
        size = max(1, len(names))
        namings += _name_parameter(
            node, names, [f"{_NAMED}{count + index}" for index in range(size)]
        )
        count += size
    return namings


def _name_parameter(parameter: Node, names: Sequence[Node], new_names: Sequence[str]) -> list[Edit]:
    if not names:
        return [Edit.make_insertion(parameter.start_byte, f"{new_names[0]} ".encode())]
    return [
        Edit(node.start_byte, node.end_byte, name.encode())
        for node, name in zip(names, new_names, strict=True)
        if tree.read_text(node) == "_"
    ]


def _list_arguments(declaration: Node) -> list[str]:
    """Return the arguments that hand the parameters on."""
    arguments: list[str] = []
    for node, names, _ in tree.list_parameters(declaration):
        dots = "..." if node.type == "variadic_parameter_declaration" else ""
        parameter_names = [tree.read_text(name) for name in names] or ["_"]
        for name in parameter_names:
            arguments.append((f"{_NAMED}{len(arguments)}" if name == "_" else name) + dots)
    return arguments


def _format_callee(declaration: Node, name: str) -> str:
    """Return what calls a method of the same receiver, or a function of the same parameters."""
    holder, owner = tree.read_receiver(declaration)
    if owner:
        return f"{_RECEIVER if holder in ('', '_') else holder}.{name}"
    return f"{name}{recursion.type_arguments(declaration)}"
