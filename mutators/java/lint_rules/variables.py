"""What a method does with its local variables: where it sets, fills and reads them."""

from dataclasses import dataclass, field

from tree_sitter import Node

from mutators.java.lint_rules.known import suggests_change
from mutators.java.lint_rules.tree import (
    find_assigned_node,
    list_children,
    read_text,
    strip_wrappers,
    walk_tree,
)
from mutators.java.lint_rules.tree import read_part_text as part

_CONTAINERS = frozenset(
    {"ArrayDeque", "ArrayList", "HashMap", "HashSet", "LinkedHashMap", "LinkedHashSet"}
    | {"LinkedList", "PriorityQueue", "StringBuilder", "StringBuffer", "TreeMap", "TreeSet"}
)


@dataclass(slots=True)
class VariableUses:
    """The uses of variables by name: statements that set one, those that fill it, and reads."""

    assigned: dict[str, list[Node]] = field(default_factory=dict)
    _filled: dict[str, int] = field(default_factory=dict)
    _read: dict[str, int] = field(default_factory=dict)
    _known: set[int] = field(default_factory=set)

    def is_never_read(self, name: str, value: Node | None) -> bool:
        """Tell whether nothing reads a variable; what only fills a new container reads nothing."""
        filled = self._filled.get(name, 0) if _is_container(strip_wrappers(value)) else 0
        return self._read.get(name, 0) == filled

    def add_node(self, node: Node) -> None:
        """Take the next node of a method; those above others come first."""
        if node.type == "variable_declarator":
            self._known |= {child.id for child in node.children_by_field_name("name")}
        elif node.type == "expression_statement":
            self._add_statement(next(iter(list_children(node)), None))
        elif node.type == "identifier" and node.id not in self._known:
            name = read_text(node)
            self._read[name] = self._read.get(name, 0) + 1

    def _add_statement(self, inner: Node | None) -> None:
        if inner is None:
            return
        changed = find_assigned_node(inner)
        if changed is not None and changed.type == "identifier":
            name = read_text(changed)
            self.assigned.setdefault(name, []).append(inner)
            self._known |= {node.id for node in walk_tree(inner) if read_text(node) == name}
        elif inner.type == "method_invocation" and suggests_change(part(inner, "name")):
            name = read_text(_find_chain_root(inner))
            self._filled[name] = self._filled.get(name, 0) + 1


def collect_uses(body: Node) -> VariableUses:
    """Return what a method does with its variables."""
    uses = VariableUses()
    for node in walk_tree(body):
        uses.add_node(node)
    return uses


def _find_chain_root(call: Node) -> Node:
    """Return what a chain of calls begins with."""
    node = call
    while node.type == "method_invocation":
        inner = strip_wrappers(node.child_by_field_name("object"))
        if inner is None:
            break
        node = inner
    return node


def _is_container(value: Node | None) -> bool:
    """Tell whether an expression makes a container of the JDK."""
    if value is None or value.type != "object_creation_expression":
        return False
    return part(value, "type").partition("<")[0].rpartition(".")[2] in _CONTAINERS
