"""Work in the timed loop that only prepares what is measured."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tree_sitter import Node

from mutators.go import tree
from mutators.go.lint_rules import syntax
from mutators.go.lint_rules.benchmark_discovery import (
    BenchmarkDeclaration,
    BenchmarkLoop,
    NodeFinding,
)
from mutators.go.lint_rules.brief import ShortCallDetector
from mutators.go.lint_rules.names import NameScope
from mutators.go.lint_rules.rules import SETUP_IN_LOOP


@dataclass(frozen=True, slots=True, kw_only=True)
class _PreparationKind:
    """A kind of preparing: its functions, what it does, and words of benchmarks that mean it."""

    paths: frozenset[str]
    functions: frozenset[str]
    does: str
    subjects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _LoopCall:
    """A call in a loop of a declaration."""

    part: BenchmarkDeclaration
    names: NameScope
    loop: BenchmarkLoop
    call: Node


_FILES = _PreparationKind(
    paths=frozenset({"os", "io/ioutil"}),
    functions=syntax.split_words("ReadFile Open ReadDir MkdirTemp CreateTemp TempDir TempFile"),
    does="goes to the file system",
    subjects=("read", "file", "load", "open", "disk", "dir", "fs", "write", "io"),
)
_RANDOM = _PreparationKind(
    paths=frozenset({"math/rand", "math/rand/v2", "crypto/rand"}),
    functions=frozenset(),
    does="draws random numbers",
    subjects=("rand",),
)
_FORMAT = _PreparationKind(
    paths=frozenset({"fmt"}),
    functions=frozenset({"Sprintf", "Sprint", "Sprintln"}),
    does="formats a text",
    subjects=("sprint", "fmt", "format"),
)
_PATTERN = _PreparationKind(
    paths=frozenset({"regexp"}),
    functions=frozenset({"MustCompile", "Compile", "MustCompilePOSIX", "CompilePOSIX"}),
    does="compiles a pattern",
    subjects=("compile", "regex"),
)
_SLEEP = _PreparationKind(
    paths=frozenset({"time"}),
    functions=frozenset({"Sleep"}),
    does="sleeps",
    subjects=("sleep", "wait", "delay", "latency", "timeout", "block", "ticker", "timer"),
)
_CHORES = (_FILES, _RANDOM, _FORMAT, _PATTERN, _SLEEP)
_ALONE = {
    _SLEEP.does: "{} sleeps in the timed loop, so the number is mostly the time of sleeping.",
    _PATTERN.does: "{} compiles the same pattern in each iteration, so the number holds the time "
    "of that too.",
}
_NO_GENERATOR = syntax.split_words("New NewSource NewPCG NewChaCha8 NewZipf Seed")
_LOGGING = ("log", "info", "debug", "warn", "error", "print", "fatal", "trace")
_BUILT_IN = syntax.NUMBERS | syntax.split_words(
    "append len cap copy make new string min max delete panic any"
)
_CHECKS = syntax.split_words("NoError Equal NotNil Nil True False Len Error Fatal Fatalf")
_SENDING = ("publish", "send", "request", "query", "exec", "post", "fetch", "dial", "subscribe")
_FEW = 2
_LONG = 4
"""Letters of a word that may be the beginning of another."""
_MOST = 50
"""Of the chores of a loop that are looked at."""
_TEXTS = ("interpreted_string_literal", "raw_string_literal")
_REMOTE = ("client", "conn", "db", "rdb", "tx", "session", "server", "producer", "publisher")
"""Endings of names behind which is a network or a disk, which take far longer than a text does;
`_SENDING` are beginnings of names of what goes there."""
_ASIDE = frozenset(
    {"strconv", "fmt", "math/rand", "math/rand/v2", "crypto/rand", "strings", "bytes", "time"}
    | {"sync/atomic"}
)
"""Packages whose calls are seldom what is measured with a prepared argument."""


def find_preparation(
    part: BenchmarkDeclaration, names: NameScope, brief: ShortCallDetector
) -> Iterator[NodeFinding]:
    """Yield calls in timed loops that prepare the argument of another, and sleeping.

    Random numbers count where what gets them is short, texts where the loop does little else.
    """
    for loop in part.loops:
        last = -1
        for call, chore in islice(_list_preparing_calls(part, names, loop), _MOST):
            if syntax.find_first_line(call) != last:
                for finding in _find_costly_preparation(
                    _LoopCall(part, names, loop, call), chore, brief
                ):
                    last = syntax.find_first_line(call)
                    yield finding


def _list_preparing_calls(
    part: BenchmarkDeclaration, names: NameScope, loop: BenchmarkLoop
) -> Iterator[tuple[Node, _PreparationKind]]:
    """Yield the calls of a timed loop that only prepare, as far as the benchmark's name says."""
    for call in syntax.list_calls(loop.body, syntax.LITERAL) if loop.timed else ():
        chore = _classify_preparation(names, call)
        if chore is None or _is_subject(part, names, call, chore):
            continue
        if not part.clock.is_off(call, loop.body) and not _is_seldom(part, loop, call):
            yield call, chore


def _classify_preparation(names: NameScope, call: Node) -> _PreparationKind | None:
    path, name = names.resolve_imported_function(call)
    if not path:
        return _RANDOM if names.is_generator(call) else None
    for chore in _CHORES:
        if path in chore.paths and (name in chore.functions or not chore.functions):
            return None if name in _NO_GENERATOR else chore
    return None


def _is_subject(
    part: BenchmarkDeclaration, names: NameScope, call: Node, chore: _PreparationKind
) -> bool:
    """Tell whether the benchmark is about this, by its name or its package.

    A long word may go on (`random`), a short one would then begin many others.
    """
    if names.packages.find_import_path(part.source.unit).removeprefix("std/") in chore.paths:
        return True
    return any(
        word == subject or (len(subject) >= _LONG and word.startswith(subject))
        for word in part.list_subject_words(call)
        for subject in chore.subjects
    )


def _is_seldom(part: BenchmarkDeclaration, loop: BenchmarkLoop, call: Node) -> bool:
    """Tell whether a call stands in the body of an `if`, which often is the seldom case."""
    inner = call
    for ancestor in syntax.list_ancestors(call, part.above):
        if ancestor.id == loop.body.id:
            return False
        if ancestor.type == "if_statement" and inner.type == "block":
            return True
        inner = ancestor
    return False


def _find_costly_preparation(
    place: _LoopCall, chore: _PreparationKind, brief: ShortCallDetector
) -> Iterator[NodeFinding]:
    name = syntax.format_callee(place.call)
    if chore is _SLEEP or chore is _PATTERN:
        if not _is_idle(place, chore):
            yield NodeFinding(SETUP_IN_LOOP, place.call, _ALONE[chore.does].format(name))
        return
    node = _find_receiving_call(place)
    if node is None or not _is_dear(place, chore, node, brief):
        return
    yield NodeFinding(
        SETUP_IN_LOOP,
        place.call,
        f"{name} {chore.does} in the timed loop only to make an argument of "
        f"{syntax.format_callee(node)}, so the number holds the time of both.",
    )


def _is_idle(place: _LoopCall, chore: _PreparationKind) -> bool:
    """Tell whether a call is all that the loop does, or is another one in each iteration."""
    if all(call.id == place.call.id for call in syntax.list_calls(place.loop.body)):
        return True
    nodes = syntax.list_arguments(place.call)
    if chore is _PATTERN:
        return not all(inner_node.type in _TEXTS for inner_node in nodes)
    return [tree.read_text(node) for node in nodes] == ["0"]


def _is_dear(
    place: _LoopCall, chore: _PreparationKind, node: Node, brief: ShortCallDetector
) -> bool:
    """Tell whether the chore takes a good part of the time of the loop."""
    if chore is _RANDOM:
        return place.names.resolve_function(node) is not None and brief.is_short_call(
            place.names, node
        )
    if chore is not _FORMAT:
        return True
    if all(argument.type.endswith("_literal") for argument in syntax.list_arguments(place.call)):
        return False
    measured_calls = [
        call
        for call in syntax.list_calls(place.loop.body)
        if _is_measured(place, call) and syntax.read_called_name(call) not in _CHECKS
    ]
    name = syntax.read_called_name(node).lower()
    if name.startswith(_LOGGING + _SENDING):
        return False
    owner = syntax.format_callee(node).partition(".")[0].lower()
    return len(measured_calls) <= _FEW and not owner.endswith(_REMOTE)


def _find_receiving_call(place: _LoopCall) -> Node | None:
    """Return the measured call that gets the result of another as an argument."""
    if (outer := _find_enclosing_call(place, place.call)) is not None:
        return outer
    for ancestor in syntax.list_ancestors(place.call, place.part.above):
        if ancestor.id == place.loop.body.id:
            return None
        if ancestor.type in ("short_var_declaration", "assignment_statement"):
            targets = set(syntax.list_names(ancestor.child_by_field_name("left"))) - {
                "",
                "_",
                "err",
            }
            return _find_reading_call(place, ancestor, targets)
    return None


def _find_enclosing_call(place: _LoopCall, node: Node) -> Node | None:
    """Return the nearest measured call that has a node in its arguments."""
    for ancestor in syntax.list_ancestors(node, place.part.above):
        if ancestor.id == place.loop.body.id or ancestor.type.endswith("_statement"):
            return None
        if ancestor.type == "call_expression" and _is_measured(place, ancestor):
            argument_list = ancestor.child_by_field_name("arguments")
            if argument_list is not None and syntax.contains_node(argument_list, node):
                return ancestor
    return None


def _find_reading_call(place: _LoopCall, statement: Node, targets: set[str]) -> Node | None:
    """Return the measured call after an assignment that gets one of the assigned names."""
    for node in syntax.walk_nodes(place.loop.body, syntax.LITERAL):
        later = node.start_byte >= statement.end_byte
        if later and node.type == "identifier" and tree.read_text(node) in targets:
            inner_node = _find_enclosing_call(place, node)
            if inner_node is not None:
                return inner_node
    return None


def _is_measured(place: _LoopCall, call: Node) -> bool:
    if place.part.calls_method(call) or syntax.read_called_name(call) in _BUILT_IN:
        return False
    path, _ = place.names.resolve_imported_function(call)
    if path in _ASIDE or place.names.is_generator(call):
        return False
    function = syntax.find_callee(call)
    return function is not None and function.type in ("identifier", "selector_expression")
