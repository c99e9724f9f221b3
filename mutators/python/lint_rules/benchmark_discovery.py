"""What a benchmark is to the rules: the code that is timed, and what is around it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property

import libcst as cst

from auditor.core.contracts.lint import Confidence, SmellRule
from mutators.python.lint_rules import tree
from mutators.python.lint_rules.project import PythonFile, PythonProject


class BenchmarkFramework(Enum):
    """What runs a benchmark."""

    PYTEST = auto()
    CODSPEED = auto()
    ASV = auto()
    PYPERF = auto()


@dataclass(frozen=True, eq=False, kw_only=True)
class BindingContext:
    """A file, and what names at a place in it are bound to, the innermost scope first."""

    file: PythonFile
    scopes: tuple[tree.Bindings, ...] = ()

    def resolve_value(self, node: cst.CSTNode) -> cst.BaseExpression | None:
        """Return what a name is bound to, the expression itself where it is no name.

        None where it is bound more than once, or to what is not seen.
        """
        name = tree.read_dotted_name(node)
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
    def own_nodes(self) -> tuple[cst.CSTNode, ...]:
        """Return all nodes of the code, without what is inside functions and classes there."""
        return tuple(tree.walk_own_nodes(*self.nodes))

    @cached_property
    def own_calls(self) -> tuple[cst.Call, ...]:
        """Return the calls that the code makes itself."""
        return tuple(call for call in self.own_nodes if isinstance(call, cst.Call))

    @cached_property
    def read_counts(self) -> Counter[str]:
        """Return how often the names in the code are read, by functions inside it too."""
        return Counter(tree.list_read_names(*self.nodes))

    @cached_property
    def bindings(self) -> tree.Bindings:
        """Return what the code binds, without names that belong to what is around it."""
        outer = {
            item.name.value
            for node in self.own_nodes
            if isinstance(node, cst.Global | cst.Nonlocal)
            for item in node.names
        }
        values_by_name = tree.find_bindings(self.nodes)
        return {name: values for name, values in values_by_name.items() if name not in outer}

    def outlives_round(self, name: str) -> bool:
        """Tell whether what a dotted name stands for is there before a round and after it."""
        first = name.partition(".")[0]
        if name in self.bindings or first in self.bindings:
            return False
        return first not in self.parameters or first in self.defaults


@dataclass(frozen=True, eq=False, kw_only=True)
class CallTarget:
    """A function that is handed to the harness, with the arguments that every round gets.

    `renewed`: they are made anew for each round, or there is only one. `awaited`: the harness runs
    the coroutine that the call returns.
    """

    call: cst.CSTNode
    function: cst.BaseExpression
    arguments: tuple[cst.Arg, ...] = ()
    renewed: bool = False
    awaited: bool = False

    def find_argument(self, place: int, name: str = "") -> cst.BaseExpression | None:
        """Return the argument of a parameter, None where that cannot be told."""
        for argument in self.arguments:
            if name and argument.keyword is not None and argument.keyword.value == name:
                return argument.value
        before = self.arguments[: place + 1]
        if len(before) <= place or any(
            earlier_argument.star or earlier_argument.keyword for earlier_argument in before
        ):
            return None
        return before[place].value


@dataclass(frozen=True, eq=False, kw_only=True)
class Preparation(BindingContext):
    """Code that makes inputs before the timed calls; `shared` by several benchmarks."""

    nodes: tuple[cst.CSTNode, ...]
    head: cst.CSTNode | None = None
    shared: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class BenchmarkSource(BindingContext):
    """A benchmark; `scopes` are those around its timed code."""

    name: str  # of the benchmark
    harness: BenchmarkFramework  # benchmark framework
    declaration: cst.CSTNode  # its function, or the call that registers it
    owner: cst.ClassDef | None = None  # its class; None: it has none
    timed: tuple[TimedCode, ...] = ()  # code that every round runs
    handed: tuple[CallTarget, ...] = ()  # functions that are handed to the harness
    registered: tuple[cst.Call, ...] = ()  # calls that register it
    preparations: tuple[Preparation, ...] = ()  # code that makes its inputs

    @cached_property
    def subject_words(self) -> frozenset[str]:
        """Return the words that say what is measured: of its name, class and file."""
        return tree.split_words(self.name, self.file.place.stem)

    @cached_property
    def inner_functions(self) -> Mapping[str, cst.FunctionDef]:
        """Return the functions by name that are timed, which hide others of their names."""
        functions = [
            timed_code.function for timed_code in self.timed if timed_code.function is not None
        ]
        return {function.name.value: function for function in reversed(functions)}

    def hides_name(self, name: str) -> bool:
        """Tell whether what is around the timed code binds a name, other than its module."""
        return any(name.partition(".")[0] in scope for scope in self.scopes[:-1])

    def means_builtin(self, name: str) -> bool:
        """Tell whether a name around the timed code can only be that of the builtin."""
        return not self.hides_name(name) and self.file.is_builtin_name(name)

    def make_code_context(self, code: TimedCode) -> BindingContext:
        """Return what names in a piece of its timed code are bound to."""
        default_bindings = {
            name: [self.resolve_value(value)] for name, value in code.defaults.items()
        }
        return BindingContext(file=self.file, scopes=(default_bindings, *self.scopes))


def make_round_code(function: tree.Function, handed: CallTarget | None = None) -> TimedCode:
    """Return the code of a function that every round calls."""
    return TimedCode(
        nodes=tree.list_body_nodes(function),
        parameters=tree.list_all_parameters(function),
        defaults=_find_unfilled_defaults(function, handed),
        function=function if isinstance(function, cst.FunctionDef) else None,
        renewed=handed is not None and handed.renewed,
    )


def _find_unfilled_defaults(
    function: tree.Function, handed: CallTarget | None
) -> Mapping[str, cst.BaseExpression]:
    """Return the defaults of those parameters that get no argument."""
    arguments = handed.arguments if handed is not None else ()
    if any(argument.star for argument in arguments):
        return {}
    named = {argument.keyword.value for argument in arguments if argument.keyword is not None}
    plain = sum(argument.keyword is None for argument in arguments)
    parameters = function.params
    unfilled_parameters = (*parameters.posonly_params, *parameters.params)[plain:]
    return {
        parameter.name.value: parameter.default
        for parameter in (*unfilled_parameters, *parameters.kwonly_params)
        if parameter.default is not None and parameter.name.value not in named
    }


@dataclass(frozen=True, eq=False, kw_only=True)
class RuleHit:
    """One place that a rule reports, in the file of the benchmark."""

    rule: SmellRule  # that reports it
    bench: BenchmarkSource  # the benchmark
    node: cst.CSTNode  # the place
    text: str  # a sentence on this place
    head: cst.CSTNode | None = None  # declaration that the place belongs to; None: the benchmark's
    shared: bool = False  # whether the place belongs to several benchmarks
    sure: Confidence | None = None  # confidence; None: that of the rule


Search = Callable[[BenchmarkSource, PythonProject], Iterator[RuleHit]]

IMPORT = frozenset({"import", "imports", "importing", "importtime", "startup", "load", "loading"})
RANDOM = frozenset(
    {
        *("random", "rand", "randn", "randint", "rng", "sample", "sampling", "samples", "sampler"),
        *("shuffle", "choice", "permutation", "bootstrap", "uuid", "secrets", "token"),
        *("uniform", "normal", "generator", "seed", "bit", "raw", "noise"),
    }
)
REGEX = frozenset({"re", "regex", "regexp", "compile", "compiled", "pattern", "patterns"})
BUILD = frozenset(
    {
        *("create", "creation", "construct", "construction", "constructor", "build", "building"),
        *("init", "make", "new", "alloc", "allocate", "allocation", "comprehension", "range"),
        *("list", "array", "arange", "zeros", "ones", "from", "instantiate", "instantiation"),
        *("generate", "generation", "fill", "full", "setup", "end", "e2e", "empty", "eye"),
        *("linspace", "tolist", "literal", "linear"),
    }
)
IO = frozenset(
    {
        *("io", "read", "reads", "reader", "reading", "write", "writes", "writer", "writing"),
        *("file", "files", "load", "loads", "loading", "loader", "save", "saving", "saver"),
        *("store", "log", "logs", "logger", "logging", "dump", "dumps", "open", "print"),
        *("printing", "stream", "streaming", "path", "pathlib", "http", "request", "requests"),
        *("client", "server", "download", "upload", "fetch", "subprocess", "process", "cli"),
        *("command", "disk", "export", "import", "startup", "spawn", "run", "main", "e2e"),
        *("persist", "network", "socket", "output", "render", "display", "compile", "cache"),
        *("csv", "hdf", "hdf5", "parquet", "excel", "pickle", "zip", "db", "sql", "stdin"),
        *("exec", "copy", "remove", "mkdir", "unlink", "scan", "walk", "glob", "url", "mmap"),
    }
)
SLEEP = frozenset(
    {
        *("sleep", "sleeps", "async", "wait", "waiting", "timeout", "delay", "poll", "thread"),
        *("threads", "concurrent", "concurrency", "parallel", "latency", "simulate", "slow"),
        *("retry", "lock", "timer", "scheduler", "schedule", "asyncio", "overhead"),
    }
)


def is_about(bench: BenchmarkSource, *words: Iterable[str]) -> bool:
    """Tell whether the name of a benchmark, of its class or its file has one of some words."""
    return any(bench.subject_words.intersection(word) for word in words)
