from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.stats.zero_one import Constraint, find_minimum, lower_bound

COLUMNS = 6
WEIGHTS = st.dictionaries(st.integers(0, COLUMNS - 1), st.integers(-5, 9), max_size=COLUMNS)
ROWS = st.lists(
    st.builds(Constraint, WEIGHTS, least=st.integers(-3, 3), most=st.integers(3, 20)), max_size=5
)
COSTS = st.lists(st.integers(-9, 9), min_size=COLUMNS, max_size=COLUMNS)


def choices(rows):
    subsets = [frozenset(c) for n in range(COLUMNS + 1) for c in combinations(range(COLUMNS), n)]
    return [subset for subset in subsets if all(row.is_satisfied(subset) for row in rows)]


def cost(choice, costs):
    return sum(costs[column] for column in choice)


def order(choice):
    return [index not in choice for index in range(COLUMNS)]


@given(COSTS, ROWS)
def test_the_cheapest_choice_is_found_and_of_several_the_first(costs, rows):
    possible = choices(rows)
    solution = find_minimum(costs, rows)

    best = min(possible, key=lambda choice: (cost(choice, costs), order(choice)), default=None)
    assert solution.exact
    assert solution.variables == best
    assert best is None or solution.bound == cost(best, costs)


@given(COSTS, ROWS)
def test_no_choice_costs_less_than_the_bound(costs, rows):
    bound = lower_bound(costs, rows)

    assert all(cost(choice, costs) >= bound for choice in choices(rows))


def test_more_columns_than_are_ordered_at_once_are_ordered_too():
    any_two = Constraint(dict.fromkeys(range(30), 1), least=2)
    not_the_first = Constraint(dict.fromkeys(range(13), 1), most=0)

    assert find_minimum([1] * 30, [any_two, not_the_first]).variables == {13, 14}


def test_a_search_that_is_given_up_proves_nothing():
    triples = [
        Constraint({index: 1, (index + 1) % 9: 1, (index + 3) % 9: 1}, least=2)
        for index in range(9)
    ]

    solution = find_minimum([1] * 9, triples, seconds=0.0)

    assert not solution.exact
    assert 0 <= solution.bound <= find_minimum([1] * 9, triples).bound


@pytest.mark.parametrize(("row", "exact"), [((), frozenset()), ((Constraint({}, least=1),), None)])
def test_nothing_to_choose_from_is_a_choice_unless_something_is_wanted(row, exact):
    assert find_minimum([], row).variables == exact
