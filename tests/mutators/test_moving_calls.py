"""Names of calls after which a further one works on something else."""

import pytest

from mutators.moving import moves


@pytest.mark.parametrize(
    "name",
    ["Step", "tick", "popLeft", "_update", "readline", "fetchone", "get_nowait", "Rotate", "gauss"],
)
def test_what_moves_on(name):
    assert moves(name)


@pytest.mark.parametrize("name", ["normalize", "address", "populate", "parse", "Sum", "waiter", ""])
def test_what_does_not(name):
    assert not moves(name)
