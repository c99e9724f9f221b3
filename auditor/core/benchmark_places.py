"""Where benchmarks are that have no group; those of one place may share a process."""

from collections.abc import Iterable
from itertools import takewhile

from auditor.core.suite import Benchmark


def find_benchmark_place(name: str) -> str:
    """Return the file of a benchmark of pytest or pyperf, the module of one of asv."""
    file, sign, _ = name.partition("::")
    if sign:
        return file
    *parts, _ = name.partition("(")[0].split(".")
    return ".".join(takewhile(lambda part: not part[:1].isupper(), parts))


def find_sharing_place(benchmark: Benchmark) -> str:
    """Return what benchmarks have in common that may share a process; else what is its alone."""
    return benchmark.id if benchmark.group else find_benchmark_place(benchmark.name)


def gather_by_place(benchmarks: Iterable[Benchmark]) -> list[Benchmark]:
    """Return the benchmarks in their order, but those that may share a process side by side."""
    by_place: dict[str, list[Benchmark]] = {}
    for benchmark in benchmarks:
        by_place.setdefault(find_sharing_place(benchmark), []).append(benchmark)
    return [benchmark for neighbours in by_place.values() for benchmark in neighbours]
