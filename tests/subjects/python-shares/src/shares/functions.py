"""Functions of known length: each step takes as long as the others."""

import json
from functools import wraps


def loop(x, turns):
    """Take a step for each turn; a frame of its own."""
    for _ in range(turns):
        x = (x * 31 + 7) % 1000003
    return x


def same(x):
    """Give back the argument: little more than a call."""
    return x


def one_step(x):
    """Take a step of some 50 ns."""
    return (x * 31 + 7) % 1000003


def five_steps(x):
    """Take five steps, some 250 ns."""
    x = (x * 31 + 7) % 1000003
    x = (x * 31 + 7) % 1000003
    x = (x * 31 + 7) % 1000003
    x = (x * 31 + 7) % 1000003
    return (x * 31 + 7) % 1000003


def half(x):
    """Take half of an operation, in a helper."""
    return loop(x, 200)


def other_half(x):
    """Take the other half."""
    return loop(x, 200)


def dumped(value):
    """Spend its time in C."""
    return json.dumps(value)


def climb(n):
    """Call itself."""
    return loop(n, 40) + (climb(n - 1) if n else 0)


def squares(n):
    """Make a list by a comprehension."""
    return [(each * 31 + 7) % 1000003 for each in range(n)]


def lazily(n):
    """Give values one by one."""
    for each in range(n):
        yield (each * 31 + 7) % 1000003


def total(n):
    """Add what a generator gives."""
    return sum(lazily(n))


def twice(function):
    """Call a function twice; called itself at import only."""

    @wraps(function)
    def wrapper(x):
        function(x)
        return function(x)

    return wrapper


@twice
def wrapped(x):
    """Be called through a decorator's function."""
    return loop(x, 100)


class Box:
    """Has a property, an operator, and a class method."""

    def __init__(self, value):
        """Take a value; called in set-up only."""
        self.value = loop(value, 50)

    @property
    def content(self):
        """Take a third."""
        return loop(self.value, 100)

    def __add__(self, other):
        """Take a third."""
        return loop(self.value, 100)

    @classmethod
    def of(cls, value):
        """Take a third."""
        return loop(value, 100)


def prepared(x):
    """Be called in set-up only."""
    return loop(x, 500)
