from dataclasses import replace
from math import log

import numpy as np
import pytest

from auditor.stats.arrays import trimmed_mean
from auditor.stats.compare import estimate_ratio
from auditor.stats.components import VarianceComponent, component_between, component_error


def groups(*values):
    return [np.array(value) for value in values]


def test_equal_groups_have_the_component_of_the_analysis_of_variance():
    """Squares between 3 groups of 2: 2 * (4 + 4) / 2 = 8 a degree; within: 1.5 / 3 = .5."""
    component = component_between([groups([-2.5, -1.5], [-0.5, 0.5], [1.5, 2.5])])

    assert component == VarianceComponent(4.0, 0.25, 2)
    assert component.variance == (8 - 0.5) / 2


def test_families_with_other_middles_share_a_component():
    family = groups([-2.5, -1.5], [-0.5, 0.5], [1.5, 2.5])
    shifted_family = [group + 100 for group in family]

    assert component_between([family, shifted_family]) == VarianceComponent(4.0, 0.25, 4)


def test_a_single_member_of_a_group_is_enough_where_another_tells_the_scatter():
    """Middles 0 and 3 of 2 and 1: squares between 6, own 2, the factor 3 - 5 / 3."""
    component = component_between([groups([-1.0, 1.0], [3.0])])

    assert component == VarianceComponent(
        pytest.approx(6 / (3 - 5 / 3)), pytest.approx(2 / (3 - 5 / 3)), 1
    )


def test_groups_that_are_no_further_apart_than_their_members_add_nothing():
    assert component_between([groups([-1.0, 1.0], [-1.0, 1.0])]) == VarianceComponent(0.0, 1.0, 1)
    assert component_between([groups([-1.0, 1.0], [-1.0, 1.0])]).variance == 0
    assert VarianceComponent(0.0, 1.0, 1).compute_half_width(1, 0.99) == 0


def test_a_component_reaches_as_far_as_its_quantiles_say():
    component = VarianceComponent(0.0025, 0.0009, 4)

    assert component.compute_half_width(2, 0.99) == pytest.approx(
        (2 * (4.6040949**2 * 0.0025 - 2.5758293**2 * 0.0009)) ** 0.5
    )
    many = replace(component, freedom=10**6)
    assert many.compute_half_width(1, 0.99) == pytest.approx(
        2.5758293 * component.variance**0.5, rel=1e-4
    )


def test_what_scatter_can_hide_is_not_taken_for_nothing():
    none_seen = VarianceComponent(0.0004, 0.0004, 4)

    assert none_seen.variance == 0
    assert none_seen.compute_half_width(1, 0.99) > 0.05


@pytest.mark.parametrize("family", [groups([1.0, 2.0]), groups([1.0], [2.0]), []])
def test_families_of_one_group_or_of_single_members_tell_nothing(family):
    informative_family = groups([0.0, 0.1], [1.0])

    assert component_between([family]) is None
    assert component_between([family, informative_family]) == component_between(
        [informative_family]
    )


def test_one_disturbed_member_of_five_moves_a_component_little():
    calm = groups([-0.02, -0.01, 0.0, 0.01, 0.02], [0.3], [-0.3])
    disturbed = groups([-0.02, -0.01, 0.0, 0.01, 5.0], [0.3], [-0.3])

    assert component_between([disturbed]).variance == pytest.approx(
        component_between([calm]).variance, rel=0.02
    )


def test_of_three_families_and_more_the_middle_one_counts():
    """The median of chi-squared with 2 degrees of freedom is 2 ln 2, with 3 it is 2.366."""
    family = groups([-2.5, -1.5], [-0.5, 0.5], [1.5, 2.5])
    more = [[scale * group for group in family] for scale in (0.01, 1, 50)]

    assert component_between(more) == VarianceComponent(
        pytest.approx(4.0 / log(2)), pytest.approx(0.25 / (2.3659739 / 3)), 4
    )


@pytest.mark.parametrize(("within_std", "shared"), [(0.02, 0.02), (0.01, 0.05), (0.03, 0.01)])
def test_a_component_is_right_where_there_are_many_families(within_std, shared):
    rng = np.random.default_rng(3)
    component = component_between(
        [draw_groups(rng, (3, 1, 1), within_std, shared) for _ in range(4000)]
    )

    assert component.freedom == 5334
    assert component.variance == pytest.approx(shared**2, abs=0.1 * (within_std**2 + shared**2))


def test_families_that_scatter_far_more_than_others_hide_nothing():
    """A mean over all of them would be that of the three restless ones."""
    rng = np.random.default_rng(3)
    quiet = [draw_groups(rng, (5, 1, 1), 0.01, 0.04) for _ in range(12)]
    restless = [draw_groups(rng, (5, 1, 1), 0.5, 0.04) for _ in range(3)]

    assert component_between([*quiet, *restless]).variance == pytest.approx(
        component_between(quiet).variance, rel=0.5
    )


def draw_groups(rng, sizes, within_std, shared):
    return [rng.normal(0, shared) + rng.normal(0, within_std, size) for size in sizes]


@pytest.mark.parametrize("sizes", [(1, 1, 1), (3, 1, 1), (2, 1, 1, 1, 1)])
@pytest.mark.parametrize("single", [1, 2, 6])
def test_what_is_missing_makes_up_for_what_a_group_shares(single, sizes):
    """The pooled mean square of 50,000 draws and S times the doubt: the variance they have."""
    rng, draws, n = np.random.default_rng(4), 50_000, sum(sizes)
    single_group = 2 * rng.normal(size=(draws, 1)) + rng.normal(size=(draws, single))
    several_groups = 2 * np.repeat(rng.normal(size=(draws, len(sizes))), sizes, axis=1)
    several_groups += rng.normal(size=(draws, n))
    squares = single * single_group.var(axis=1) + n * several_groups.var(axis=1)
    pooled_variance = squares.mean() / (single + n - 2) * (1 / single + 1 / n)

    difference_variance = (single_group.mean(axis=1) - several_groups.mean(axis=1)).var()
    assert difference_variance == pytest.approx(
        pooled_variance + 4 * component_error(single, sizes), rel=0.03
    )


def test_a_single_value_beside_values_of_all_groups_needs_nothing_more():
    assert component_error(1, (1, 1, 1)) == pytest.approx(0)


def intervals(plain_families, component, within_std, shared, *, seed):
    """Return the intervals of quotients that are 1 but for what processes and binaries add."""
    rng = np.random.default_rng(seed)
    ratios = []
    for plain in plain_families:
        (probes,) = draw_groups(rng, (4,), within_std, shared)
        sizes = [len(group) for group in plain]
        ratios.append(
            estimate_ratio(np.exp(probes), np.exp(np.concatenate(plain)), 0.99, component, sizes)
        )
    return ratios


def covered(ratios):
    return [ratio.low <= 1 <= ratio.high for ratio in ratios]


@pytest.mark.parametrize(
    ("within_std", "shared"), [(0.02, 0.0), (0.02, 0.01), (0.02, 0.03), (0.01, 0.05)]
)
@pytest.mark.parametrize(
    ("families", "sizes"), [(2, (5, 1, 1)), (6, (2, 1, 1, 1, 1)), (15, (5, 1, 1))]
)
def test_an_interval_with_a_pooled_component_covers(families, sizes, within_std, shared):
    """As an audit has it: the component is estimated from all benchmarks, and used for each."""
    rng = np.random.default_rng(5)
    ratios = []
    for audit in range(2000 // families):
        plain_families = [draw_groups(rng, sizes, within_std, shared) for _ in range(families)]
        ratios += intervals(
            plain_families, component_between(plain_families), within_std, shared, seed=audit
        )

    assert np.mean(covered(ratios)) >= 0.98


def test_without_the_component_an_interval_misses_what_a_binary_shares():
    rng = np.random.default_rng(6)
    plain_families = [draw_groups(rng, (5, 1, 1), 0.02, 0.03) for _ in range(1000)]

    blind = intervals(plain_families, None, 0.02, 0.03, seed=7)
    with_component = intervals(
        plain_families, VarianceComponent(0.03**2, 0.0, 30), 0.02, 0.03, seed=7
    )

    assert np.mean(covered(blind)) < 0.9
    assert np.mean(covered(with_component)) >= 0.98


def test_more_processes_of_a_binary_do_not_make_its_own_error_smaller():
    """Half of the interval is at least that of one draw beside the mean of three."""
    component = VarianceComponent(0.05**2, 0.0, 30)
    many = estimate_ratio([1.0, 1.0001] * 50, [1.0, 1.0001, 0.9999], 0.99, component, (1, 1, 1))

    assert np.log(many.high) == pytest.approx(2.75 * 0.05 * (4 / 3) ** 0.5, rel=0.02)


def test_a_trimmed_group_keeps_its_middle_values():
    mean = trimmed_mean(np.array([5.0, 1.0, 2.0, 3.0, 900.0]))

    assert (mean.middle, mean.kept_count) == (pytest.approx(10 / 3), 3)
    assert mean.squares == pytest.approx(sum((x - 3.4) ** 2 for x in (2, 2, 3, 5, 5)))
