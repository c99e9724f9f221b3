"""What names tell of repeated calls."""

import pytest

from mutators.repeated_calls import changes_next_call, states_repetition


@pytest.mark.parametrize(
    "name",
    ["Step", "tick", "popLeft", "_update", "readline", "fetchone", "get_nowait", "Rotate", "gauss"],
)
def test_what_moves_on(name):
    assert changes_next_call(name)


@pytest.mark.parametrize("name", ["normalize", "address", "populate", "parse", "Sum", "waiter", ""])
def test_what_does_not(name):
    assert not changes_next_call(name)


@pytest.mark.parametrize(
    ("name", "words", "stated"),
    [
        ("sort100", (), True),
        ("sort", ("bulk",), True),
        ("sort", ("sort",), False),
        ("sort10", (), False),
    ],
)
def test_a_name_that_states_the_repetition(name, words, stated):
    assert states_repetition(name, frozenset(words), 100) is stated


def test_a_name_that_counts_in_thousands():
    assert states_repetition("Sort2K", frozenset(), 2000)
    assert not states_repetition("Sort2K", frozenset(), 2500)
