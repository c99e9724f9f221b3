"""What a counting guest says of the time of methods."""

import pytest

from auditor.core.outcome import MethodClock
from runners.records import MIN_CLOCKED_BLOCKS, read_records


def clocked(*blocks):
    """Return what is known of a method after blocks of (operations, seconds, of all seconds)."""
    lines = [
        f"clocked\t0\t{operations}\t{seconds}\t{total_seconds}\n"
        for operations, seconds, total_seconds in blocks
    ]
    records = read_records(("bench-audit-records 1\n" + "".join(lines)).encode(), 0)
    return records.summarise_counts({"0": "ring.Push"}, set_up_apart=True).clocked


def test_the_middle_of_the_blocks_counts_per_operation():
    blocks = (10, 1e-3, 2e-3), (20, 4e-3, 6e-3), (10, 9.0, 9.0)

    assert clocked(*blocks) == (MethodClock("ring.Push", pytest.approx(2e-4), pytest.approx(3e-4)),)


def test_of_a_method_that_is_called_in_some_blocks_only_it_is_the_mean():
    blocks = (10, 0.0, 1e-3), (10, 3e-3, 4e-3), (10, 0.0, 1e-3)

    assert clocked(*blocks) == (MethodClock("ring.Push", pytest.approx(1e-4), pytest.approx(1e-4)),)


def test_few_blocks_say_nothing():
    blocks = [(10, 1e-3, 2e-3)] * MIN_CLOCKED_BLOCKS

    assert len(clocked(*blocks)) == 1
    assert clocked(*blocks[1:]) == ()
