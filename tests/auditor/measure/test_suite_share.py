"""How many runs of the unchanged suite fit into a part of the time, and of which benchmarks."""

from dataclasses import replace
from itertools import groupby

import pytest

from auditor.core.suite import Benchmark
from auditor.measure.planning.budget import (
    FIRST_TURNS,
    LEAST_BLOCKS,
    ProcessCost,
    fit_suite,
    sampling_order,
)


def cost(name, *, reaches=True, block=0.1, blocks=20):
    """Return the cost of a process: a second and `blocks` blocks."""
    return ProcessCost(
        benchmark=name,
        reaches=reaches,
        start_seconds=1.0,
        block_seconds=block,
        warmup=0,
        blocks=blocks,
    )


COSTS = [cost("a"), cost("b"), cost("c", reaches=False), cost("d", reaches=False)]
"""A run of all takes 12 s, one of those that reach a method 6 s."""


@pytest.mark.parametrize(
    ("seconds", "runs", "benchmarks", "blocks"),
    [
        (60.0, 5, "abcd", 20),
        (40.0, 3, "abcd", 20),
        (24.0, 2, "abcd", 20),
        (20.0, 2, "abcd", 15),
        (13.0, 2, "abcd", LEAST_BLOCKS),
        (12.5, 2, "ab", 20),
        (7.0, 2, "ab", LEAST_BLOCKS),
        (4.0, 2, "a", LEAST_BLOCKS),
        (1.0, 0, "", 0),
    ],
)
def test_first_runs_then_blocks_then_benchmarks_are_given_up(seconds, runs, benchmarks, blocks):
    share = fit_suite(COSTS, runs=5, least_runs=2, seconds=seconds)

    assert share.runs == runs
    assert "".join(share.blocks) == benchmarks
    assert set(share.blocks.values()) <= {blocks}


def test_runs_that_are_known_cost_nothing():
    stored_costs = [replace(process_cost, known_runs=5) for process_cost in COSTS]

    assert fit_suite(stored_costs, runs=5, least_runs=2, seconds=0.0).runs == 5


def test_benchmarks_that_may_share_a_process_stand_side_by_side_in_a_sample():
    suite = [
        Benchmark(group="", name=f"{file}.py::test_{function}[{case}]")
        for file in "abc"
        for function in range(4)
        for case in range(40)
    ]

    order = sampling_order(suite, seed=1)

    files = [benchmark.name.partition("::")[0] for benchmark in order]
    assert sorted(order, key=suite.index) == suite
    assert len(list(groupby(files[: 3 * FIRST_TURNS]))) == 3
    assert len(list(groupby(files))) <= 12


def test_every_beginning_of_the_order_is_a_sample_over_files_and_functions():
    suite = [
        Benchmark(group=f"package{group}", name=f"Benchmark{function}/case={case}")
        for group in range(4)
        for function in range(3)
        for case in range(50)
    ]

    order = sampling_order(suite, seed=1)

    assert sorted(order, key=suite.index) == suite
    assert len({benchmark.group for benchmark in order[:4]}) == 4
    functions = {(benchmark.group, benchmark.name.partition("/")[0]) for benchmark in order[:12]}
    assert len(functions) == 12
    assert order != sampling_order(suite, seed=2)
    assert order == sampling_order(suite, seed=1)
