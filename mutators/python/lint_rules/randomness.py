"""Calls that make random data, and seeds."""

import re

import libcst as cst

from mutators.python.lint_rules import tree
from mutators.python.lint_rules.benchmark_discovery import BindingContext

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


def is_random(call: cst.Call, context: BindingContext) -> bool:
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


def is_unseeded(call: cst.Call, context: BindingContext) -> bool:
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
        is_random(call, context)
        and tree.read_dotted_name(call.func).rpartition(".")[2] not in _TAKING
    )
