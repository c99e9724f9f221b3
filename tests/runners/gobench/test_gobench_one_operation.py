"""Blocks of one operation, for operations that outlast a block: testing's first call is the block.

With more operations it runs one before each block that nobody measures.
"""

import pytest

from auditor.core.schedule import ArmName
from auditor.core.values import METHOD_CALLS, OPERATIONS

pytestmark = pytest.mark.subject

RING = "example.org/ring."


@pytest.mark.parametrize("name", ["BenchmarkLarge", "BenchmarkLoop", "BenchmarkSub/two_words#01"])
def test_a_plain_block_holds_one(ring, name):
    outcome = ring.plain(name, 1, blocks=4)

    assert outcome.find_series(OPERATIONS, ArmName.PLAIN).values == (1.0,) * 4


@pytest.mark.parametrize(
    ("name", "method"), [("BenchmarkLarge", "Large"), ("BenchmarkSub/a|b(c", "Small")]
)
def test_a_block_of_one_has_the_calls_of_one(ring, name, method):
    outcome = ring.clocked(name, RING + method, 1)

    assert outcome.find_series(METHOD_CALLS, ArmName.CLOCKED).values == (1.0,) * 3
