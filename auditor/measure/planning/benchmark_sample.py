"""In which order the benchmarks of a suite are looked at that is too large for the time."""

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from auditor.core.suite import Benchmark


def sampling_order(benchmarks: Sequence[Benchmark], seed: int) -> tuple[Benchmark, ...]:
    """Return the benchmarks in an order of which every beginning is a stratified sample.

    The strata are the groups (a package, a class, a file); within a group the benchmark functions
    take turns, so that one with hundreds of cases fills no sample.
    """
    rng = np.random.default_rng([seed, 11])
    groups: dict[str, dict[str, list[Benchmark]]] = {}
    for benchmark in benchmarks:
        functions = groups.setdefault(benchmark.group, {})
        functions.setdefault(_function_name(benchmark), []).append(benchmark)
    turns = [
        _take_turns([_shuffle_benchmarks(cases, rng) for cases in functions.values()], rng)
        for functions in groups.values()
    ]
    return tuple(_take_turns(turns, rng))


def _function_name(benchmark: Benchmark) -> str:
    return benchmark.name.partition("/")[0].partition("[")[0]


def _shuffle_benchmarks(
    benchmarks: Sequence[Benchmark], rng: np.random.Generator
) -> list[Benchmark]:
    return [benchmarks[index] for index in rng.permutation(len(benchmarks))]


def _take_turns(strata: Sequence[Sequence[Benchmark]], rng: np.random.Generator) -> list[Benchmark]:
    """Return one benchmark of each stratum, then the next of each; the strata are shuffled."""
    order = [strata[index] for index in rng.permutation(len(strata))]
    return [
        benchmark for turn in zip_longest(*order) for benchmark in turn if benchmark is not None
    ]
