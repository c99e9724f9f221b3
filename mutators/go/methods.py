"""The functions and methods of a Go library, and why some of them cannot be slowed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from auditor.core.subject import Language, Method, SourceFile, Span
from mutators.go import recursion, tree

_FORBIDDEN = re.compile(rb"^//go:(nosplit|systemstack|nowritebarrier\w*|yeswritebarrierrec)\b")
"""Directives under which a deferred call may not be compiled or linked."""


@dataclass(frozen=True, slots=True)
class Found:
    """A declaration in a file, with the method that it is."""

    method: Method
    declaration: Node


def found(source: SourceFile, root: Node) -> Iterator[Found]:
    """Yield what a file declares; a blank name, which nobody can call, is left out."""
    for declaration in tree.functions(root):
        name = tree.source(declaration.child_by_field_name("name"))
        if name == "_":
            continue
        yield Found(_method(source, root, declaration, name), declaration)


def _method(source: SourceFile, root: Node, declaration: Node, name: str) -> Method:
    _, owner = tree.receiver(declaration)
    inside = f"{source.unit}.{owner}" if owner else source.unit
    return Method(
        language=Language.GO,
        id=f"{inside}.{name}",
        owner=inside,
        name=name,
        parameters=tree.parameter_types(declaration),
        public=name[:1].isupper() and (not owner or owner[:1].isupper()),
        span=Span(source.path, declaration.start_point.row + 1, declaration.end_point.row + 1),
        refusal=_refusal(declaration, name, owner) or recursion.refusal(root, declaration),
    )


def _refusal(declaration: Node, name: str, owner: str) -> str | None:
    if declaration.has_error:
        return "its source could not be parsed"
    if declaration.child_by_field_name("body") is None:
        return "it has no body in Go (assembly or another package provides it)"
    if not owner and name in ("init", "main"):
        return f"{name} is called by the runtime, not by users"
    if directive := _directive(declaration):
        return f"it is marked {directive}, which allows no deferred call"
    return None


def _directive(declaration: Node) -> str:
    """Return a directive above the declaration that forbids what we insert."""
    above = declaration.prev_sibling
    line = declaration.start_point.row
    while above is not None and above.type == "comment" and above.end_point.row >= line - 1:
        if above.text and (match := _FORBIDDEN.match(above.text)):
            return match.group().decode()
        line = above.start_point.row
        above = above.prev_sibling
    return ""
