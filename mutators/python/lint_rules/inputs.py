"""Inputs whose amount is drawn at random, by a generator that nobody seeds."""

import re
from collections.abc import Iterator

import libcst as cst

from mutators.python.lint_rules import rules, tree
from mutators.python.lint_rules.benchmark_discovery import (
    BenchmarkSource,
    BindingContext,
    Preparation,
    RuleHit,
)
from mutators.python.lint_rules.project import PythonFile, PythonProject

_STDLIB = frozenset(
    {
        *("random", "randint", "randrange", "uniform", "gauss", "choice", "choices", "sample"),
        *("shuffle", "normalvariate", "getrandbits", "randbytes", "triangular", "expovariate"),
    }
)
_NUMPY = frozenset(
    {
        *("rand", "randn", "randint", "random", "random_sample", "choice", "permutation"),
        *("shuffle", "normal", "uniform", "standard_normal", "poisson", "binomial", "bytes"),
        *("exponential", "beta", "gamma", "lognormal", "random_integers", "ranf", "sample"),
    }
)
_GENERATORS = frozenset({"numpy.random.default_rng", "numpy.random.RandomState", "random.Random"})
_TAKING = frozenset({"choice", "choices", "sample", "shuffle", "permutation"})
_DRAWS = frozenset({"integers", "random", "randint", "randrange", "choice", "poisson", "binomial"})
_SYSTEM_SOURCES = frozenset({"os.urandom", "secrets.token_bytes", "secrets.token_hex"})
SEED = re.compile(rb"\bseed\b|random_state|set_state|SeedSequence|manual_seed|PRNGKey")
"""What shows that a file seeds something."""

_AMOUNTS = frozenset({"size", "k", "n", "length", "count"})
"""Names of arguments that say how much there shall be."""
_FIXED = frozenset({"sample", "choices", "shuffle", "permutation"})
_NUMBERS = frozenset({"int", "round", "abs", "max", "min"})
"""Functions whose result is as random as the numbers they are given."""


def find_unseeded_inputs(bench: BenchmarkSource, project: PythonProject) -> Iterator[RuleHit]:
    """Yield the first draw of each piece of set-up that decides how much there is to do."""
    if b"random" not in bench.file.text or project.answer_once(_has_seed, bench.file, project):
        return
    for preparation in bench.preparations:
        call = project.answer_once(_first_draw, preparation)
        if call is not None:
            yield RuleHit(
                rule=rules.UNSEEDED_RANDOM,
                bench=bench,
                node=call,
                text=f"`{tree.format_code(call)}` draws how much the inputs hold, and nothing "
                "sets a seed: each run measures another amount of work.",
                head=preparation.head,
                shared=preparation.shared,
            )


def _first_draw(preparation: Preparation) -> cst.Call | None:
    """Return the first draw in those expressions that decide how much code makes."""
    for node in tree.walk_own_nodes(*preparation.nodes):
        draws = [
            call
            for decider in _list_deciding_parts(node)
            for call in tree.list_calls(decider)
            if _is_unseeded(call, preparation) and not _draws_fixed_amount(call)
        ]
        draws += (
            call
            for amount in _list_amounts(node)
            for call in _find_amount_draws(amount, preparation)
        )
        if draws:
            return draws[0]
    return None


def _draws_fixed_amount(draw: cst.Call) -> bool:
    """Tell whether a draw holds as many as it is told, whatever is drawn."""
    return tree.read_dotted_name(draw.func).rpartition(".")[2] in _FIXED


def _list_deciding_parts(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the parts of a node on which it hangs how often something is done."""
    yield from _list_amounts(node)
    match node:
        case cst.If(orelse=None) if _does_more(node):
            yield node.test
        case cst.While() | cst.CompIf():
            yield node.test
        case cst.Slice():
            yield from (
                expression for expression in (node.lower, node.upper) if expression is not None
            )


def _does_more(node: cst.If) -> bool:
    """Tell whether a branch does more or less than nothing: not where it sets another value."""
    more = cst.Expr | cst.Continue | cst.Break | cst.Del | cst.Return
    return any(isinstance(inner_node, more) for inner_node in tree.walk_own_nodes(node.body))


def _list_amounts(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """Yield the expressions in a node that are numbers of what it makes."""
    match node:
        case cst.Call():
            is_range_call = tree.read_dotted_name(node.func) == "range"
            for argument in node.args:
                named = argument.keyword is not None and argument.keyword.value in _AMOUNTS
                if is_range_call or named:
                    yield argument.value
        case cst.BinaryOperation(operator=cst.Multiply()):
            sides = (node.left, node.right)
            if any(isinstance(side, cst.List | cst.BaseString) for side in sides):
                yield from (
                    side for side in sides if not isinstance(side, cst.List | cst.BaseString)
                )


def _find_amount_draws(amount: cst.BaseExpression, preparation: Preparation) -> Iterator[cst.Call]:
    """Yield the draws of numbers that the names in an amount stand for."""
    for name in _list_terms(amount):
        value = (
            preparation.resolve_value(name) if isinstance(name, cst.Name | cst.Attribute) else None
        )
        for expression in _list_terms(value) if value is not None else ():
            if isinstance(expression, cst.Call) and _is_unseeded(expression, preparation):
                yield expression
            elif isinstance(expression, cst.IfExp):
                calls = tree.list_calls(expression.test)
                yield from (call for call in calls if _is_unseeded(call, preparation))


def _list_terms(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Yield the parts that a number is reckoned of: `a` and `b` of `int(a * 2) + b`."""
    pending = [node]
    while pending:
        expression = pending.pop()
        match expression:
            case cst.BinaryOperation():
                pending += (expression.left, expression.right)
            case cst.UnaryOperation():
                pending.append(expression.expression)
            case cst.Call() if tree.read_dotted_name(expression.func) in _NUMBERS:
                pending += (argument.value for argument in expression.args)
            case _:
                yield expression


def _has_seed(file: PythonFile, project: PythonProject) -> bool:
    """Tell whether a seed is set in the file, in what it imports, or in what runs before it."""
    return any(
        project.answer_once(_sets_seed, ancestor)
        for ancestor in (file, *project.list_related_files(file))
    )


def _sets_seed(file: PythonFile) -> bool:
    return SEED.search(file.text) is not None


def _is_random(call: cst.Call, context: BindingContext) -> bool:
    """Tell whether a call makes random data: by the shared generators, or by one named `rng`."""
    if is_global(call, context):
        return True
    name = context.file.expand_name(call.func)
    module, _, last = name.rpartition(".")
    return name in _SYSTEM_SOURCES or (
        module.rpartition(".")[2] in ("rng", "_rng", "rs") and last in _STDLIB | _NUMPY
    )


def is_global(call: cst.Call, context: BindingContext) -> bool:
    """Tell whether a call takes random data from a generator that the whole program shares."""
    module, _, last = context.file.expand_name(call.func).rpartition(".")
    if module == "random":
        return last in _STDLIB and "random" in context.file.imported_modules
    return module == "numpy.random" and last in _NUMPY


def _is_unseeded(call: cst.Call, context: BindingContext) -> bool:
    """Tell whether a call draws from a shared generator, or from one made without a seed."""
    if is_global(call, context):
        return True
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in _DRAWS:
        return False
    expression = context.resolve_value(call.func.value)
    if (
        not isinstance(expression, cst.Call)
        or context.file.expand_name(expression.func) not in _GENERATORS
    ):
        return False
    return all(tree.read_dotted_name(argument.value) == "None" for argument in expression.args)


def makes_numbers(call: cst.Call, context: BindingContext) -> bool:
    """Tell whether a call makes random numbers, in place of taking some of what it is given."""
    return (
        _is_random(call, context)
        and tree.read_dotted_name(call.func).rpartition(".")[2] not in _TAKING
    )
