"""Where benchmarks are that have no group of their own."""

from itertools import takewhile


def find_benchmark_place(name: str) -> str:
    """Return the file of a benchmark of pytest or pyperf, the module of one of asv."""
    file, sign, _ = name.partition("::")
    if sign:
        return file
    *parts, _ = name.partition("(")[0].split(".")
    return ".".join(takewhile(lambda part: not part[:1].isupper(), parts))
