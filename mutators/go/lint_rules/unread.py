"""Local variables that are set and never read."""

from dataclasses import dataclass

from tree_sitter import Node

from mutators.go import tree
from mutators.go.lint_rules import syntax
from mutators.go.lint_rules.benchmark_discovery import BenchmarkDeclaration
from mutators.go.lint_rules.names import NameScope

_SETTING = frozenset({"assignment_statement", "short_var_declaration"})


@dataclass(frozen=True, slots=True)
class UnreadVariables:
    """Tells which variables of a declaration nobody reads; `places` is where each name stands."""

    part: BenchmarkDeclaration
    names: NameScope
    places: dict[str, list[Node]]
    unread_by_name: dict[str, bool]

    @classmethod
    def from_declaration(cls, part: BenchmarkDeclaration, names: NameScope) -> "UnreadVariables":
        """Return that of a declaration."""
        places: dict[str, list[Node]] = {}
        for node in tree.walk_tree(part.declaration):
            if node.type == "identifier":
                places.setdefault(tree.read_text(node), []).append(node)
        return cls(part, names, places, {"": False, "_": True})

    def is_unread(self, name: str) -> bool:
        """Tell whether nobody reads a variable: "_", or a local of one function, only assigned."""
        if name not in self.unread_by_name:
            self.unread_by_name[name] = self._is_unread(name)
        return self.unread_by_name[name]

    def _is_unread(self, name: str) -> bool:
        bound = self.names.find_bindings(name)
        if len(bound) != 1 or "parameter" in bound[0].type:
            return False
        places = self.places.get(name, [])
        if any(self._is_read(place) for place in places):
            return False
        return len({self._find_function_start(node) for node in (bound[0], *places)}) == 1

    def _find_function_start(self, node: Node) -> int:
        """Return the first byte of the function or literal that a node lies in."""
        for ancestor in syntax.list_ancestors(node, self.part.above):
            if ancestor.type == "func_literal":
                return int(ancestor.start_byte)
        return int(self.part.declaration.start_byte)

    def _is_read(self, node: Node) -> bool:
        """Tell whether a name is read where it stands: not where it is set, nor in `_ = name`."""
        outer = self.part.above.get(node.id)
        if outer is not None and outer.type == "var_spec":
            return node not in outer.children_by_field_name("name")
        if outer is None or outer.type != "expression_list":
            return True
        statement = self.part.above.get(outer.id)
        if statement is None or statement.type not in _SETTING:
            return True
        inner_node = statement.child_by_field_name("left")
        if inner_node is not None and inner_node.id == outer.id:
            return False
        return set(syntax.list_names(inner_node)) != {"_"}
