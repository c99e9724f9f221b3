"""When the timer of a benchmark runs, as far as the order of its text shows it."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from mutators.go import tree
from mutators.go.lint_rules import syntax

_TIMER = frozenset({"StopTimer", "StartTimer", "ResetTimer"})
_LISTS = frozenset(
    {"statement_list", "block", "expression_case", "default_case", "communication_case"}
)


@dataclass(frozen=True, slots=True)
class TimerSwitch:
    """A call of a method of the timer: where it begins, its name, and its function's first byte."""

    start: int
    method: str
    function: int


@dataclass(frozen=True, slots=True)
class BenchmarkTimer:
    """The timer of a declaration: the calls that switch it, and what each node lies in.

    What happens when the benchmark is over switches nothing that is looked at.
    """

    switches: tuple[TimerSwitch, ...]
    above: syntax.Parents

    @classmethod
    def from_declaration(
        cls, declaration: Node, handles: frozenset[str], above: syntax.Parents
    ) -> "BenchmarkTimer":
        """Return that of a declaration, in which a *testing.B has one of the names `handles`."""
        switches = []
        for call in syntax.list_calls(declaration):
            operand, field = syntax.split_selector(syntax.find_callee(call))
            if operand in handles and field in _TIMER and not _is_later(call, above):
                switches.append(
                    TimerSwitch(call.start_byte, field, _find_function_start(call, above))
                )
        return cls(tuple(switches), above)

    def list_timer_calls(self, node: Node) -> list[str]:
        """Return the names of the timer's methods that are called in a node, in their order."""
        first = bisect_left(self.switches, node.start_byte, key=_read_start_byte)
        last = bisect_left(self.switches, node.end_byte, key=_read_start_byte)
        return [switch.method for switch in self.switches[first:last]]

    def is_loop_timed(self, loop: Node) -> bool:
        """Tell whether the time of a loop counts: it is not off there, and not reset later."""
        if not self.switches:
            return True
        if self._find_nearest_switch(
            loop, 0
        ) == "StopTimer" and "StartTimer" not in self.list_timer_calls(loop):
            return False
        function_start = _find_function_start(loop, self.above)
        return not any(
            switch.method == "ResetTimer"
            and switch.function == function_start
            and switch.start >= loop.end_byte
            for switch in self.switches
        )

    def is_off(self, node: Node, body: Node) -> bool:
        """Tell whether the timer is off where a node of a loop's body stands."""
        if not self.switches:
            return False
        nearest = self._find_nearest_switch(node, body.start_byte) or "".join(
            self.list_timer_calls(body)[-1:]
        )
        return nearest == "StopTimer"

    def list_counted_statements(self, node: Node) -> Iterator[Node]:
        """Yield the statements before a node that the timer counts, the nearest first."""
        for inner_node in self._list_earlier_statements(node):
            if self.list_timer_calls(inner_node):
                return
            yield inner_node

    def _find_nearest_switch(self, node: Node, first: int) -> str:
        """Return the nearest switch before a node in its own function, not before byte `first`."""
        function_start = _find_function_start(node, self.above)
        index = bisect_left(self.switches, node.start_byte, key=_read_start_byte)
        for switch in reversed(self.switches[:index]):
            if switch.start < first:
                break
            if switch.function == function_start:
                return switch.method
        return ""

    def _list_earlier_statements(self, node: Node) -> Iterator[Node]:
        inner_node = node
        for ancestor in syntax.list_ancestors(node, self.above):
            if _is_own(ancestor):
                return
            if ancestor.type in _LISTS:
                before = [
                    child
                    for child in ancestor.named_children
                    if child.end_byte <= inner_node.start_byte
                ]
                yield from reversed(before)
            inner_node = ancestor


def _read_start_byte(switch: TimerSwitch) -> int:
    return switch.start


def _is_later(call: Node, above: syntax.Parents) -> bool:
    """Tell whether a call is made when all is over: deferred, or handed to b.Cleanup."""
    return any(
        ancestor.type == "defer_statement"
        or (ancestor.type == "call_expression" and syntax.read_called_name(ancestor) == "Cleanup")
        for ancestor in syntax.list_ancestors(call, above)
    )


def _find_function_start(node: Node, above: syntax.Parents) -> int:
    """Return the first byte of the function that a node runs in, 0 for the declaration itself."""
    literals = (
        ancestor.start_byte for ancestor in syntax.list_ancestors(node, above) if _is_own(ancestor)
    )
    return int(next(literals, 0))


def _is_own(node: Node) -> bool:
    """Tell whether a node is a function that runs by itself, unlike the one of b.RunParallel."""
    if node.type != "func_literal":
        return False
    return ".PB" not in tree.read_text(node.child_by_field_name("parameters"))
