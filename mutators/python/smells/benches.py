"""What a benchmark is to the rules: the code that is timed, and what is around it."""

from dataclasses import dataclass
from enum import Enum, auto

import libcst as cst

from mutators.python.smells import tree
from mutators.python.smells.project import File


class Harness(Enum):
    """What runs a benchmark."""

    PYTEST = auto()
    CODSPEED = auto()
    ASV = auto()
    PYPERF = auto()


@dataclass(frozen=True, eq=False, kw_only=True)
class Timed:
    """Code that every round runs, as it stands in the file of the benchmark.

    `place` is where a finding is shown if the code is not in the tree of the file (a string
    of code). `renewed`: what the code finds is made anew for each round, or there is only one.
    """

    nodes: tuple[cst.CSTNode, ...]
    bindings: tree.Bindings
    parameters: frozenset[str] = frozenset()
    function: cst.FunctionDef | None = None
    place: cst.CSTNode | None = None
    renewed: bool = False

    def outlives(self, name: str) -> bool:
        """Tell whether what a dotted name stands for is there before a round and after it."""
        first = name.partition(".")[0]
        return not (name in self.bindings or first in self.bindings or first in self.parameters)


@dataclass(frozen=True, eq=False, kw_only=True)
class Handed:
    """A function that is handed to the harness, with the arguments that every round gets.

    `renewed`: they are made anew for each round, or there is only one. `awaited`: the harness runs
    the coroutine that the call returns.
    """

    call: cst.CSTNode
    function: cst.BaseExpression
    arguments: tuple[cst.Arg, ...] = ()
    renewed: bool = False
    awaited: bool = False

    def argument(self, place: int) -> cst.BaseExpression | None:
        """Return the argument at a place, None where that cannot be told."""
        before = self.arguments[: place + 1]
        if len(before) <= place or any(one.star or one.keyword for one in before):
            return None
        return before[place].value


@dataclass(frozen=True, eq=False, kw_only=True)
class Preparation:
    """Code that makes inputs before the timed calls; `shared` by several benchmarks."""

    nodes: tuple[cst.CSTNode, ...]
    head: cst.CSTNode | None = None
    shared: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Bench:
    """A benchmark: `declaration` is its function, or the call that registers it.

    `scopes` say what names around the timed code are bound to, the innermost first. `owner` is
    its class.
    """

    name: str
    harness: Harness
    file: File
    declaration: cst.CSTNode
    owner: cst.ClassDef | None = None
    timed: tuple[Timed, ...] = ()
    handed: tuple[Handed, ...] = ()
    registered: tuple[cst.Call, ...] = ()
    preparations: tuple[Preparation, ...] = ()
    scopes: tuple[tree.Bindings, ...] = ()

    @property
    def subject(self) -> frozenset[str]:
        """Return the words that say what is measured: of its name, class and file."""
        return tree.words(self.name, self.file.place.stem)

    def value(self, node: cst.CSTNode) -> cst.BaseExpression | None:
        """Return what a name is bound to, the expression itself where it is no name.

        None where it is bound more than once, or to what is not seen.
        """
        name = tree.dotted(node)
        if not name:
            return node if isinstance(node, cst.BaseExpression) else None
        for scope in self.scopes:
            if name in scope:
                bound = scope[name]
                return bound[0] if len(bound) == 1 else None
        return None


def timed(function: tree.Function, handed: Handed | None = None) -> Timed:
    """Return the code of a function that every round calls."""
    nodes = tree.body(function)
    return Timed(
        nodes=nodes,
        bindings=local(nodes),
        parameters=tree.all_parameters(function),
        function=function if isinstance(function, cst.FunctionDef) else None,
        renewed=handed is not None and handed.renewed,
    )


def local(nodes: tuple[cst.CSTNode, ...]) -> tree.Bindings:
    """Return what some code binds, without names that belong to what is around it."""
    outer = {
        item.name.value
        for node in tree.own(*nodes)
        if isinstance(node, cst.Global | cst.Nonlocal)
        for item in node.names
    }
    return {name: found for name, found in tree.bindings(nodes).items() if name not in outer}
