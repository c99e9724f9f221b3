"""Which methods should have a benchmark first."""

import pytest
from builders import method

from auditor.audits.unwatched import unwatched

METHODS = [method(name) for name in ("Add", "Get", "Len")]
ADD, GET, LEN = (one.id for one in METHODS)


@pytest.mark.parametrize(
    ("used", "watched", "most", "names"),
    [
        ([LEN, ADD, GET], {}, 20, ["Len", "Add", "Get"]),
        ([LEN, ADD, GET], {}, 2, ["Len", "Add"]),
        ([LEN, ADD, GET], {LEN: True, ADD: False}, 20, ["Add", "Get"]),
        ([LEN, "gone", LEN, ADD], {}, 20, ["Len", "Add"]),
        ([LEN], {LEN: True}, 20, []),
    ],
)
def test_the_most_used_come_first_without_those_that_are_watched(used, watched, most, names):
    assert [one.name for one in unwatched(METHODS, used, watched, most)] == names
