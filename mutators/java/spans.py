"""Where the methods are in the sources, for reports."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
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

_MethodKey = tuple[str, str, tuple[str, ...]]
"""Type, name and simple types of the parameters."""


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """Facts about a method of a class file that its source tells."""

    span: Span | None = None  # None: not known
    trivial: str | None = None  # why the method cannot get slower; None: it can, or not known
    undeclared: bool = False  # whether the source of its type surely does not declare it


@dataclass(slots=True)
class SpanIndex:
    """An index of the methods that sources declare, and of the types that were read fully."""

    _methods: dict[_MethodKey, SourceFacts] = field(default_factory=dict)
    _types: set[str] = field(default_factory=set)

    def add_type(self, name: str) -> None:
        """Take a type all of whose methods are added."""
        self._types.add(name)

    def add_method(self, key: _MethodKey, span: Span, trivial: str | None = None) -> None:
        """Take a method; of two with the same key the first counts."""
        self._methods.setdefault(key, SourceFacts(span, trivial))

    def match_methods(self, keys: Sequence[_MethodKey]) -> list[SourceFacts]:
        """Return the facts about each method of the class files.

        A method is found by its types, else as the only unmatched one of its name and number of
        parameters: each declaration belongs to one method, so no method has the lines of another.
        """
        key_counts = Counter(keys)
        pending = Counter(map(_drop_types, (key for key in keys if key not in self._methods)))
        unmatched: dict[tuple[str, str, int], list[_MethodKey]] = {}
        for key in self._methods.keys() - key_counts.keys():
            unmatched.setdefault(_drop_types(key), []).append(key)
        open_names = {(owner, name) for owner, name, _ in unmatched}
        matched = []
        for key in keys:
            candidates = unmatched.get(_drop_types(key), [])
            if key in self._methods:
                facts = self._methods[key] if key_counts[key] == 1 else SourceFacts()
            elif len(candidates) == 1 and pending[_drop_types(key)] == 1:
                facts = self._methods[candidates[0]]
            else:
                is_known = key[0] in self._types and key[:2] not in open_names
                facts = SourceFacts(undeclared=is_known)
            matched.append(facts)
        return matched


def find_spans(sources: Iterable[SourceFile]) -> SpanIndex:
    """Return the methods of all Java files; what cannot be parsed is left out."""
    spans = SpanIndex()
    parser = Parser(_JAVA)
    for source in sources:
        if source.path.endswith(".java"):
            root = parser.parse(source.text).root_node
            for declaration, owner in _list_declarations(root, _read_package(root)):
                if declaration.type in _METHODS:
                    _add_method(spans, declaration, owner, source.path)
                elif not declaration.has_error:
                    spans.add_type(owner)
    return spans


def _add_method(spans: SpanIndex, node: Node, owner: str, path: str) -> None:
    first, last = node.start_point[0] + 1, node.end_point[0] + 1
    key = (owner, _read_method_name(node), _list_parameter_types(node))
    spans.add_method(key, Span(path, first, last), why_trivial(node))


def _drop_types(key: _MethodKey) -> tuple[str, str, int]:
    owner, name, parameters = key
    return owner, name, len(parameters)


def _read_text(node: Node | None) -> str:
    return node.text.decode(errors="replace") if node is not None and node.text else ""


def _read_package(root: Node) -> str:
    for child in root.named_children:
        if child.type == "package_declaration":
            names = [node for node in child.named_children if "identifier" in node.type]
            return _read_text(names[-1]) if names else ""
    return ""


def _list_declarations(node: Node, owner: str) -> Iterator[tuple[Node, str]]:
    """Yield each type with its name, and each method with the name of its type."""
    for child in node.named_children:
        if child.type in _TYPES:
            name = _read_text(child.child_by_field_name("name"))
            type_name = f"{owner}.{name}" if owner else name
            yield child, type_name
            yield from _list_declarations(child, type_name)
        elif child.type in _BODIES:
            yield from _list_declarations(child, owner)
        elif child.type in _METHODS:
            yield child, owner


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
