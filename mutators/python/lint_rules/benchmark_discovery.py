"""What a benchmark is to the rules: the code that is timed, and what is around it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property

import libcst as cst

from mutators.python.lint_rules import tree
from mutators.python.lint_rules.project import File


class BenchmarkFramework(Enum):
    """What runs a benchmark."""

    PYTEST = auto()
    CODSPEED = auto()
    ASV = auto()
    PYPERF = auto()


@dataclass(frozen=True, eq=False, kw_only=True)
class Around:
    """A file, and what names at a place in it are bound to, the innermost scope first."""

    file: File
    scopes: tuple[tree.Bindings, ...] = ()

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


@dataclass(frozen=True, eq=False, kw_only=True)
class TimedCode:
    """Code that every round runs, as it stands in the file of the benchmark."""

    nodes: tuple[cst.CSTNode, ...]  # its statements or expressions
    parameters: frozenset[str] = frozenset()  # names of the function's parameters
    defaults: Mapping[str, cst.BaseExpression] = field(default_factory=dict)
    """Value of each parameter that is given no argument."""
    function: cst.FunctionDef | None = None  # that holds the code; None: there is none
    place: cst.CSTNode | None = None
    """Where a finding is shown if the code is not in the file's tree (a string of code); None:
    it is."""
    renewed: bool = False
    """Whether what the code finds is made anew for each round, or there is only one round."""

    @cached_property
    def every(self) -> tuple[cst.CSTNode, ...]:
        """Return all nodes of the code, without what is inside functions and classes there."""
        return tuple(tree.own(*self.nodes))

    @cached_property
    def calls(self) -> tuple[cst.Call, ...]:
        """Return the calls that the code makes itself."""
        return tuple(call for call in self.every if isinstance(call, cst.Call))

    @cached_property
    def reads(self) -> Counter[str]:
        """Return how often the names in the code are read, by functions inside it too."""
        return Counter(tree.reads(*self.nodes))

    @cached_property
    def bindings(self) -> tree.Bindings:
        """Return what the code binds, without names that belong to what is around it."""
        outer = {
            item.name.value
            for node in self.every
            if isinstance(node, cst.Global | cst.Nonlocal)
            for item in node.names
        }
        values_by_name = tree.bindings(self.nodes)
        return {name: values for name, values in values_by_name.items() if name not in outer}

    def outlives(self, name: str) -> bool:
        """Tell whether what a dotted name stands for is there before a round and after it."""
        first = name.partition(".")[0]
        if name in self.bindings or first in self.bindings:
            return False
        return first not in self.parameters or first in self.defaults


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

    def argument(self, place: int, name: str = "") -> cst.BaseExpression | None:
        """Return the argument of a parameter, None where that cannot be told."""
        for argument in self.arguments:
            if name and argument.keyword is not None and argument.keyword.value == name:
                return argument.value
        before = self.arguments[: place + 1]
        if len(before) <= place or any(one.star or one.keyword for one in before):
            return None
        return before[place].value


@dataclass(frozen=True, eq=False, kw_only=True)
class Preparation(Around):
    """Code that makes inputs before the timed calls; `shared` by several benchmarks."""

    nodes: tuple[cst.CSTNode, ...]
    head: cst.CSTNode | None = None
    shared: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class BenchmarkSource(Around):
    """A benchmark; `scopes` are those around its timed code."""

    name: str  # of the benchmark
    harness: BenchmarkFramework  # benchmark framework
    declaration: cst.CSTNode  # its function, or the call that registers it
    owner: cst.ClassDef | None = None  # its class; None: it has none
    timed: tuple[TimedCode, ...] = ()  # code that every round runs
    handed: tuple[Handed, ...] = ()  # functions that are handed to the harness
    registered: tuple[cst.Call, ...] = ()  # calls that register it
    preparations: tuple[Preparation, ...] = ()  # code that makes its inputs

    @cached_property
    def subject(self) -> frozenset[str]:
        """Return the words that say what is measured: of its name, class and file."""
        return tree.words(self.name, self.file.place.stem)

    @cached_property
    def inner(self) -> Mapping[str, cst.FunctionDef]:
        """Return the functions by name that are timed, which hide others of their names."""
        functions = [
            timed_code.function for timed_code in self.timed if timed_code.function is not None
        ]
        return {function.name.value: function for function in reversed(functions)}

    def around(self, code: TimedCode) -> Around:
        """Return what names in a piece of its timed code are bound to."""
        given = {name: [self.value(value)] for name, value in code.defaults.items()}
        return Around(file=self.file, scopes=(given, *self.scopes))


def code_of_rounds(function: tree.Function, handed: Handed | None = None) -> TimedCode:
    """Return the code of a function that every round calls."""
    return TimedCode(
        nodes=tree.body(function),
        parameters=tree.all_parameters(function),
        defaults=_defaults(function, handed),
        function=function if isinstance(function, cst.FunctionDef) else None,
        renewed=handed is not None and handed.renewed,
    )


def _defaults(function: tree.Function, handed: Handed | None) -> Mapping[str, cst.BaseExpression]:
    """Return the defaults of those parameters that get no argument."""
    arguments = handed.arguments if handed is not None else ()
    if any(argument.star for argument in arguments):
        return {}
    named = {argument.keyword.value for argument in arguments if argument.keyword is not None}
    plain = sum(argument.keyword is None for argument in arguments)
    listed = function.params
    later = (*listed.posonly_params, *listed.params)[plain:]
    return {
        parameter.name.value: parameter.default
        for parameter in (*later, *listed.kwonly_params)
        if parameter.default is not None and parameter.name.value not in named
    }
