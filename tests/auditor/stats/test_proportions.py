import pytest

from auditor.stats.proportions import upper_bound


@pytest.mark.parametrize(
    ("successes", "tries", "bound"),
    [
        (0, 1, 0.95),
        (0, 10, 1 - 0.05**0.1),
        (0, 500, 1 - 0.05 ** (1 / 500)),
        (1, 1, 1.0),
        (0, 0, 1.0),
    ],
)
def test_bounds_by_hand(successes, tries, bound):
    """Nothing seen in n tries: (1 - p)^n = .05."""
    assert upper_bound(successes, tries, 0.95) == pytest.approx(bound)


def test_the_bound_is_where_so_few_would_be_rare():
    """At the bound, at most 2 of 20 have a chance of .05: a sum of three terms."""
    p = upper_bound(2, 20, 0.95)

    chance = (1 - p) ** 20 + 20 * p * (1 - p) ** 19 + 190 * p**2 * (1 - p) ** 18
    assert chance == pytest.approx(0.05)


def test_more_than_were_tried_cannot_be_seen():
    with pytest.raises(ValueError, match="3 of 2"):
        upper_bound(3, 2, 0.95)
