"""Functions that take a known time."""

from functools import lru_cache


def _spin(x, turns):
    for _ in range(turns):
        x = (x * 31 + 7) % 1000003
    return x


def tiny(x):
    """Take about 100 ns."""
    return (x * 31 + 7) % 1000003


def small(x):
    """Take about 10 µs."""
    return _spin(x, 200)


def large(x):
    """Take about a millisecond."""
    try:
        return _spin(x, 20_000)
    except TypeError:
        raise ValueError(x) from None


def slight(x):
    """Take a tenth of what the benchmark does."""
    return _spin(x, 40)


def fails(x):
    """Leave by an exception, in every call."""
    _spin(x, 200)
    raise KeyError(x)


def climb(n):
    """Call itself; inner calls do not wait again."""
    return _spin(n, 60) + (climb(n - 1) if n else 0)


@lru_cache(maxsize=None)
def remembered(x):
    """Run once for each argument."""
    return _spin(x, 200)


def lazily(n):
    """Give numbers one by one: calling it runs nothing."""
    for each in range(n):
        yield _spin(each, 10)


async def later(x):
    """Be awaited."""
    return _spin(x, 10)


def unused(x):
    """Be called by nobody."""
    return _spin(x, 100)
