"""Results that nobody uses, of calls that the compiler may then leave out."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from mutators.go import tree
from mutators.go.lint_rules import syntax
from mutators.go.lint_rules.benchmark_discovery import (
    BenchmarkDeclaration,
    BenchmarkLoop,
    LoopKind,
    NodeFinding,
)
from mutators.go.lint_rules.names import NameScope
from mutators.go.lint_rules.removable import RemovableCallDetector
from mutators.go.lint_rules.rules import UNUSED_RESULT

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


_ASIDE = syntax.split_words("fmt math/rand math/rand/v2 strconv sync/atomic time")
"""Packages whose calls prepare what is measured, and seldom are it."""
_BUILT_IN = syntax.NUMBERS | syntax.split_words("len cap min max real imag complex string")


def find_unused_results(part: BenchmarkDeclaration, names: NameScope) -> Iterator[NodeFinding]:
    """Yield the statements of loops that drop such results, where the loop does nothing else.

    Of several with the same call in a loop it is the first.
    """
    removable, unread = (
        RemovableCallDetector(names.packages),
        UnreadVariables.from_declaration(part, names),
    )
    for loop in part.loops:
        if loop.kind is not LoopKind.KEEP_ALIVE and loop.timed:
            dropped = [
                dropped_call
                for dropped_call in _list_dropped_calls(unread, loop)
                if removable.is_removable_call(names, dropped_call.call)
                and not part.clock.is_off(dropped_call.call, loop.body)
            ]
            if dropped and not _has_other_work(part, names, loop, dropped):
                firsts = {
                    syntax.format_callee(dropped_call.call): dropped_call
                    for dropped_call in reversed(dropped)
                }
                yield from (_make_finding(first, names, loop) for first in firsts.values())


@dataclass(frozen=True, slots=True)
class _DroppedCall:
    """A call whose result nobody uses, and the statement that makes it."""

    call: Node
    statement: Node


def _make_finding(dropped: _DroppedCall, names: NameScope, loop: BenchmarkLoop) -> NodeFinding:
    name = syntax.format_callee(dropped.call)
    method_name = _name_project_method(names, dropped.call)
    return NodeFinding(
        UNUSED_RESULT,
        dropped.statement,
        f"Nobody uses the result of {name}, which is small enough to be inlined and does nothing "
        "else, so the compiler may leave it out and the loop measures nothing.",
        (method_name,) if method_name else (),
        overlapping=loop.kind is LoopKind.PARALLEL,
    )


def _name_project_method(names: NameScope, call: Node) -> str:
    """Return a method of the project as its identity ends, empty where it is none of it."""
    declaration = names.resolve_function(call)
    if declaration is None:
        return ""
    if declaration.node.type == "method_declaration":
        return ".".join((tree.read_receiver(declaration.node)[1], syntax.read_called_name(call)))
    package = names.packages.find_import_path(declaration.home.unit).rpartition("/")[2]
    return ".".join(filter(None, (package, syntax.read_called_name(call))))


def _list_dropped_calls(unread: UnreadVariables, loop: BenchmarkLoop) -> Iterator[_DroppedCall]:
    for node in syntax.walk_nodes(loop.body, syntax.LITERAL):
        if node.type == "expression_statement" and len(node.named_children) == 1:
            value = syntax.strip_parentheses(node.named_children[0])
            if value.type == "call_expression":
                yield _DroppedCall(value, node)
        elif node.type in ("assignment_statement", "short_var_declaration"):
            values = syntax.list_values(node.child_by_field_name("right"))
            targets = syntax.list_names(node.child_by_field_name("left"))
            if len(values) == 1 and all(unread.is_unread(target) for target in targets):
                value = syntax.strip_parentheses(values[0])
                if value.type == "call_expression":
                    yield _DroppedCall(value, node)


def _has_other_work(
    part: BenchmarkDeclaration, names: NameScope, loop: BenchmarkLoop, dropped: list[_DroppedCall]
) -> bool:
    """Tell whether a loop makes calls that stay, other than those that only prepare."""
    dropped_ids = {dropped_call.call.id for dropped_call in dropped}
    return any(
        call.id not in dropped_ids
        and not part.calls_method(call)
        and not _is_aside(names, call)
        and not part.clock.is_off(call, loop.body)
        for call in syntax.list_calls(loop.body)
    )


def _is_aside(names: NameScope, call: Node) -> bool:
    """Tell whether a call gives an argument at most: a conversion, or a random number, say."""
    path, _ = names.resolve_imported_function(call)
    return path in _ASIDE or syntax.read_called_name(call) in _BUILT_IN or names.is_generator(call)
