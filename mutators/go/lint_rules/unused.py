"""Results that nobody uses, of calls that the compiler may then leave out."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from mutators.go import tree
from mutators.go.lint_rules import syntax
from mutators.go.lint_rules.benchmark_discovery import BenchmarkDeclaration, BenchmarkLoop, LoopKind
from mutators.go.lint_rules.finding import NodeFinding
from mutators.go.lint_rules.names import Names
from mutators.go.lint_rules.removable import Removable
from mutators.go.lint_rules.rules import UNUSED_RESULT
from mutators.go.lint_rules.unread import Unread

_ASIDE = syntax.words("fmt math/rand math/rand/v2 strconv sync/atomic time")
"""Packages whose calls prepare what is measured, and seldom are it."""
_BUILT_IN = syntax.NUMBERS | syntax.words("len cap min max real imag complex string")


def unused(part: BenchmarkDeclaration, names: Names) -> Iterator[NodeFinding]:
    """Yield the statements of loops that drop such results, where the loop does nothing else.

    Of several with the same call in a loop it is the first.
    """
    removable, unread = Removable(names.packages), Unread.of(part, names)
    for loop in part.loops:
        if loop.kind is not LoopKind.KEPT and loop.timed:
            dropped = [
                dropped_call
                for dropped_call in _dropped(unread, loop)
                if removable.call(names, dropped_call.call)
                and not part.clock.is_off(dropped_call.call, loop.body)
            ]
            if dropped and not _has_other_work(part, names, loop, dropped):
                firsts = {
                    syntax.callee_text(dropped_call.call): dropped_call
                    for dropped_call in reversed(dropped)
                }
                yield from (_finding(first, names, loop) for first in firsts.values())


@dataclass(frozen=True, slots=True)
class _Dropped:
    """A call whose result nobody uses, and the statement that makes it."""

    call: Node
    statement: Node


def _finding(dropped: _Dropped, names: Names, loop: BenchmarkLoop) -> NodeFinding:
    name = syntax.callee_text(dropped.call)
    known = _identity(names, dropped.call)
    return NodeFinding(
        UNUSED_RESULT,
        dropped.statement,
        f"Nobody uses the result of {name}, which is small enough to be inlined and does nothing "
        "else, so the compiler may leave it out and the loop measures nothing.",
        (known,) if known else (),
        overlapping=loop.kind is LoopKind.PARALLEL,
    )


def _identity(names: Names, call: Node) -> str:
    """Return a method of the project as its identity ends, empty where it is none of it."""
    declaration = names.function(call)
    if declaration is None:
        return ""
    if declaration.node.type == "method_declaration":
        return ".".join((tree.receiver(declaration.node)[1], syntax.called(call)))
    package = names.packages.path(declaration.home.unit).rpartition("/")[2]
    return ".".join(filter(None, (package, syntax.called(call))))


def _dropped(unread: Unread, loop: BenchmarkLoop) -> Iterator[_Dropped]:
    for node in syntax.walk(loop.body, syntax.LITERAL):
        if node.type == "expression_statement" and len(node.named_children) == 1:
            value = syntax.plain(node.named_children[0])
            if value.type == "call_expression":
                yield _Dropped(value, node)
        elif node.type in ("assignment_statement", "short_var_declaration"):
            values = syntax.values(node.child_by_field_name("right"))
            targets = syntax.names(node.child_by_field_name("left"))
            if len(values) == 1 and all(unread.holds(target) for target in targets):
                value = syntax.plain(values[0])
                if value.type == "call_expression":
                    yield _Dropped(value, node)


def _has_other_work(
    part: BenchmarkDeclaration, names: Names, loop: BenchmarkLoop, dropped: list[_Dropped]
) -> bool:
    """Tell whether a loop makes calls that stay, other than those that only prepare."""
    own = {dropped_call.call.id for dropped_call in dropped}
    return any(
        call.id not in own
        and not part.uses(call)
        and not _is_aside(names, call)
        and not part.clock.is_off(call, loop.body)
        for call in syntax.calls(loop.body)
    )


def _is_aside(names: Names, call: Node) -> bool:
    """Tell whether a call gives an argument at most: a conversion, or a random number, say."""
    path, _ = names.standard(call)
    return path in _ASIDE or syntax.called(call) in _BUILT_IN or names.is_generator(call)
