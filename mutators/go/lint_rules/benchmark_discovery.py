"""The benchmarks of a test file, their helpers, and the loops in them whose time is taken."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

from tree_sitter import Node

from auditor.core.contracts.lint import Confidence, SmellRule
from auditor.core.subject import SourceFile
from mutators.go import tree
from mutators.go.lint_rules import syntax
from mutators.go.lint_rules.clock import BenchmarkTimer


@dataclass(frozen=True, slots=True)
class NodeFinding:
    """A place in the tree of a file."""

    rule: SmellRule  # that reports it
    node: Node  # the place
    text: str  # a sentence on this place
    calls: tuple[str, ...] | None = None  # as in `Smell`
    overlapping: bool = False  # as in `Smell`
    sure: Confidence | None = None  # confidence; None: that of the rule


_MOST_LOOPS = 200
"""Of a declaration that are looked at, so that none takes for ever."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_BENCHMARK = re.compile(r"Benchmark(?![a-z])\w*")


class LoopKind(StrEnum):
    """How a loop counts: to b.N, by b.Loop (which keeps results alive), or by pb.Next."""

    COUNTED = "b.N"
    KEEP_ALIVE = "b.Loop"
    PARALLEL = "pb.Next"


@dataclass(frozen=True, slots=True)
class BenchmarkLoop:
    """A loop over the iterations of a benchmark; `timed` unless the timer is off around it."""

    node: Node
    body: Node
    kind: LoopKind
    timed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkDeclaration:
    """A declaration of a test file that has a *testing.B: a benchmark, or a helper of some."""

    source: SourceFile  # its file
    root: Node  # tree of the file
    declaration: Node  # its node
    name: str  # of the function or method
    benchmark: str  # name of the only benchmark that it belongs to; empty: several
    handles: frozenset[str]  # names of every *testing.B in it
    states: frozenset[str]  # names of every *testing.PB in it
    above: syntax.Parents  # parent of each of its nodes
    clock: BenchmarkTimer  # where its timer is on
    loops: tuple[BenchmarkLoop, ...] = ()  # over the iterations of a benchmark

    @property
    def is_benchmark(self) -> bool:
        """Tell whether `go test` runs it by itself."""
        return bool(self.benchmark) and self.name == self.benchmark

    @property
    def body(self) -> Node | None:
        """Return the block of the declaration."""
        return self.declaration.child_by_field_name("body")

    def calls_method(self, call: Node, *methods: str) -> bool:
        """Tell whether a call is one of a method of a *testing.B."""
        operand, field = syntax.split_selector(syntax.find_callee(call))
        return operand in self.handles and (field in methods or not methods)

    def list_subject_words(self, node: Node) -> frozenset[str]:
        """Return the words in the names of the benchmark and of the sub-benchmarks around a node.

        They are lowered.
        """
        words = [self.name, self.benchmark]
        for ancestor in syntax.list_ancestors(node, self.above):
            if ancestor.type == "call_expression" and self.calls_method(ancestor, "Run"):
                words += [
                    tree.read_text(argument) for argument in syntax.list_arguments(ancestor)[:1]
                ]
        return frozenset(word.lower() for name in words for word in _WORD.findall(name))


def find_declarations(source: SourceFile, root: Node) -> list[BenchmarkDeclaration]:
    """Return the declarations of a file that have a *testing.B, in its order."""
    testing = tree.imported_as(root, "testing")
    if testing is None:
        return []
    prefix = "*" if testing == "." else f"*{testing}."
    declarations = [
        _make_declaration(source, root, function, prefix) for function in tree.list_functions(root)
    ]
    parts = [declaration for declaration in declarations if declaration is not None]
    users = _map_helper_users(parts)
    return [_assign_benchmark(part, users.get(part.name, set())) for part in parts]


def _make_declaration(
    source: SourceFile, root: Node, declaration: Node, prefix: str
) -> BenchmarkDeclaration | None:
    handles = frozenset(_list_typed_parameters(declaration, f"{prefix}B"))
    if not handles:
        return None
    name = tree.read_text(declaration.child_by_field_name("name"))
    above = syntax.map_parents(declaration)
    plain = declaration.type == "function_declaration"
    runs = tree.parameter_types(declaration) == (f"{prefix}B",) and _BENCHMARK.fullmatch(name)
    return BenchmarkDeclaration(
        source=source,
        root=root,
        declaration=declaration,
        name=name,
        benchmark=name if plain and runs else "",
        handles=handles,
        states=frozenset(_list_typed_parameters(declaration, f"{prefix}PB")),
        above=above,
        clock=BenchmarkTimer.from_declaration(declaration, handles, above),
    )


def _list_typed_parameters(declaration: Node, type_text: str) -> Iterator[str]:
    """Yield the names of parameters of a type in a declaration and in the literals in it."""
    for node in tree.walk_tree(declaration):
        if node.type in ("func_literal", "function_declaration", "method_declaration"):
            for _, names, declared in tree.list_parameters(node):
                if tree.read_text(declared).replace(" ", "") == type_text:
                    yield from [tree.read_text(name) for name in names] or ["_"]


def _map_helper_users(parts: list[BenchmarkDeclaration]) -> dict[str, set[str]]:
    """Return by name of a helper the benchmarks of its file that call it, and other helpers."""
    helpers = {declaration.name for declaration in parts if not declaration.is_benchmark}
    users: dict[str, set[str]] = {}
    for part in parts:
        for node in tree.walk_tree(part.declaration):
            if node.type == "identifier" and (name := tree.read_text(node)) in helpers:
                users.setdefault(name, set()).add(part.name)
    return users


def _assign_benchmark(part: BenchmarkDeclaration, users: set[str]) -> BenchmarkDeclaration:
    """Return the part with the benchmark that alone uses it, and with its loops."""
    callers = users - {part.name}
    sole_caller = min(callers) if len(callers) == 1 and _BENCHMARK.fullmatch(min(callers)) else ""
    benchmark = part.benchmark or ("" if _BENCHMARK.fullmatch(part.name) else sole_caller)
    return replace(part, benchmark=benchmark, loops=tuple(islice(_list_loops(part), _MOST_LOOPS)))


def _list_loops(part: BenchmarkDeclaration) -> Iterator[BenchmarkLoop]:
    """Yield the outermost loops over iterations."""
    aliases = frozenset(_list_count_aliases(part))
    last = -1
    for node in tree.walk_tree(part.declaration):
        if node.type == "for_statement" and node.start_byte >= last:
            body = node.child_by_field_name("body")
            kind = _classify_loop(part, node, aliases)
            if body is not None and kind is not None:
                last = node.end_byte
                yield BenchmarkLoop(node, body, kind, part.clock.is_loop_timed(node))


def _list_count_aliases(part: BenchmarkDeclaration) -> Iterator[str]:
    """Yield the names of variables that are b.N."""
    for node in tree.walk_tree(part.declaration):
        if node.type == "short_var_declaration":
            left = syntax.list_names(node.child_by_field_name("left"))
            right = syntax.list_values(node.child_by_field_name("right"))
            yield from (a for a, b in zip(left, right, strict=False) if is_count(part, b))


def is_count(part: BenchmarkDeclaration, node: Node) -> bool:
    """Tell whether an expression is b.N, converted or not."""
    while node.type == "call_expression" and syntax.read_called_name(node) in syntax.NUMBERS:
        nodes = syntax.list_arguments(node)
        if len(nodes) != 1:
            return False
        node = nodes[0]
    operand, field = syntax.split_selector(node)
    return operand in part.handles and field == "N"


def _classify_loop(
    part: BenchmarkDeclaration, loop: Node, aliases: frozenset[str]
) -> LoopKind | None:
    body = loop.child_by_field_name("body")
    heads = [child for child in loop.named_children if body is None or child.id != body.id]
    for node in (
        inner_node for head in heads for inner_node in syntax.walk_nodes(head, syntax.LITERAL)
    ):
        operand, field = syntax.split_selector(node)
        is_alias = node.type == "identifier" and tree.read_text(node) in aliases
        if is_alias or (operand in part.handles and field == "N"):
            return LoopKind.COUNTED
        if operand in part.handles and field == "Loop":
            return LoopKind.KEEP_ALIVE
        if operand in part.states and field == "Next":
            return LoopKind.PARALLEL
    return None
