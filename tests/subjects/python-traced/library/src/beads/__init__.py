"""A library; how often its client's tests call each function is known."""

import functools

from beads.necklace import Necklace

__all__ = ["Necklace", "count_down", "double", "each", "fail", "fetch", "never", "twice", "walk"]


def double(x): return 2 * x


def count_down(n):
    """Call itself n times."""
    return 0 if n == 0 else count_down(n - 1)


def fail(why):
    raise ValueError(why)


def each(function, values):
    """Call back what it is given, and double the results."""
    return [double(function(value)) for value in values]


def walk(n):
    for i in range(n):
        yield double(i)


async def fetch(x):
    return double(x)


def _counting(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


@functools.lru_cache(maxsize=None)
@_counting
def twice(x, *, by=2):
    return x * by


def never():
    return None


_MADE = double(1)  # as it is imported: from inside
