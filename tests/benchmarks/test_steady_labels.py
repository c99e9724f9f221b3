"""Five labels of one series as one reference."""

import pytest
from steady_labels import clustered, middle, reference


@pytest.mark.parametrize(
    ("labels", "in_order", "sorted_"),
    [
        ((10, 500, 1000, 1500, 2000), 1000, 1000),  # nobody agrees: the median of all
        ((10, 20, 30, 1500, 2000), 20, 20),  # three do
        ((10, 20, 30, 40, 55), 30, 30),  # all do
        ((55, 10, 30, 20, 2000), 30, 30),
        ((10, 55, 20, 30, 2000), 20, 30),  # of four the third judge, or the third smallest
        ((2000, 10, 55, 20, 30), 20, 30),
    ],
)
def test_the_reference(labels, in_order, sorted_):
    assert reference(labels) == in_order
    assert reference(labels, in_order=False) == sorted_


def test_fifty_is_near_and_a_border_belongs_to_the_cluster():
    # 100 has three within fifty; 50 and 150 have two, but are near it.
    assert clustered((100, 50, 150, 900, 1500)) == (100, 50, 150)
    assert clustered((100, 49, 151, 900, 1500)) == ()


def test_the_middle_of_an_even_number_is_whole():
    assert middle((1, 2, 4, 9)) == 3
