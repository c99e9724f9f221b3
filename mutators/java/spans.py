"""Where the methods are in the sources, for reports."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from auditor.core.subject import SourceFile, Span
from mutators.java.trivial import why_trivial
from mutators.java.types import NotAType, parse_type

_JAVA = Language(tree_sitter_java.language())
_TYPES = {
    "class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "annotation_type_declaration",
}
_BODIES = {
    "class_body",
    "interface_body",
    "enum_body",
    "enum_body_declarations",
    "annotation_type_body",
}
_METHODS = {"method_declaration", "constructor_declaration", "compact_constructor_declaration"}

_Key = tuple[str, str, tuple[str, ...]]


@dataclass(slots=True)
class SpanIndex:
    """An index of methods by type, name and parameters."""

    _exact: dict[_Key, Span] = field(default_factory=dict)
    _alike: dict[tuple[str, str, int], list[Span]] = field(default_factory=dict)
    _owners: set[str] = field(default_factory=set)
    _trivial: dict[Span, str] = field(default_factory=dict)

    def find_span(self, owner: str, name: str, parameters: tuple[str, ...]) -> Span | None:
        """Return the span, by simple parameter types, else if only one has so many of them."""
        exact = self._exact.get((owner, name, parameters))
        if exact is not None:
            return exact
        candidates = self._alike.get((owner, name, len(parameters)), [])
        return candidates[0] if len(candidates) == 1 else None

    def add_method(self, key: _Key, span: Span, trivial: str | None = None) -> None:
        """Take a method; of two with the same key the first counts."""
        owner, name, parameters = key
        self._owners.add(owner)
        if key not in self._exact:
            self._exact[key] = span
            self._alike.setdefault((owner, name, len(parameters)), []).append(span)
            if trivial is not None:
                self._trivial[span] = trivial

    def explain_trivial(self, owner: str, name: str, span: Span | None) -> str | None:
        """Return why a method cannot get slower, by its source; None where that is not known.

        A constructor that the source of its class does not declare is the compiler's.
        """
        if span is not None:
            return self._trivial.get(span)
        return "the compiler made it" if name == "<init>" and owner in self._owners else None


def find_spans(sources: Iterable[SourceFile]) -> SpanIndex:
    """Return the methods of all Java files; what cannot be parsed is left out."""
    spans = SpanIndex()
    parser = Parser(_JAVA)
    for source in sources:
        if source.path.endswith(".java"):
            root = parser.parse(source.text).root_node
            for key, node in _list_methods(root, _read_package(root)):
                first, last = node.start_point[0] + 1, node.end_point[0] + 1
                spans.add_method(key, Span(source.path, first, last), why_trivial(node))
    return spans


def _read_text(node: Node | None) -> str:
    return node.text.decode(errors="replace") if node is not None and node.text else ""


def _read_package(root: Node) -> str:
    for child in root.named_children:
        if child.type == "package_declaration":
            names = [node for node in child.named_children if "identifier" in node.type]
            return _read_text(names[-1]) if names else ""
    return ""


def _list_methods(node: Node, owner: str) -> Iterator[tuple[_Key, Node]]:
    for child in node.named_children:
        if child.type in _TYPES:
            name = _read_text(child.child_by_field_name("name"))
            yield from _list_methods(child, f"{owner}.{name}" if owner else name)
        elif child.type in _BODIES:
            yield from _list_methods(child, owner)
        elif child.type in _METHODS:
            yield (owner, _read_method_name(child), _list_parameter_types(child)), child


def _read_method_name(node: Node) -> str:
    if node.type == "method_declaration":
        return _read_text(node.child_by_field_name("name"))
    return "<init>"


def _list_parameter_types(node: Node) -> tuple[str, ...]:
    """Return simple type names; a compact constructor has those of its record."""
    parameter_list = node.child_by_field_name("parameters")
    if parameter_list is None and node.parent is not None and node.parent.parent is not None:
        parameter_list = node.parent.parent.child_by_field_name("parameters")
    if parameter_list is None:
        return ()
    parameter_kinds = ("formal_parameter", "spread_parameter")
    return tuple(
        _read_parameter_type(child)
        for child in parameter_list.named_children
        if child.type in parameter_kinds
    )


def _read_parameter_type(node: Node) -> str:
    text = " ".join(_read_text(node).split())
    dimensions = "[]" * _read_text(node.child_by_field_name("dimensions")).count("[")
    if dimensions:
        text = text.partition("[")[0]
    try:
        return parse_type(text).simple_name + dimensions
    except NotAType:
        return text
