"""The dynamic stop rules, each in both of its implementations."""

import numpy as np
import pytest

from auditor.warmup.stopping import (
    RuleVariant,
    StopRule,
    Technique,
    compute_similarity,
    measure_bootstrap_width,
)

RULES = [(technique, variant) for technique in Technique for variant in RuleVariant]


def rule(technique, variant=RuleVariant.LIVE, **more):
    return StopRule(technique, variant, np.random.default_rng(1), **more)


def count_iterations(rule, samples):
    """Return after how many iterations a rule stops, None where they do not suffice."""
    observed = (
        number for number, sample in enumerate(samples, 1) if rule.observe_operations(sample)
    )
    return next(observed, None)


def quiet(number, scatter=0.001):
    rng = np.random.default_rng(7)
    return [rng.normal(1, scatter, 200) for _ in range(number)]


@pytest.mark.parametrize(("technique", "variant"), RULES)
def test_what_never_changes_ends_as_soon_as_it_may(technique, variant):
    least = 6 if technique is Technique.KLD else 5

    assert count_iterations(rule(technique, variant), quiet(20)) in {least, least + 1}


@pytest.mark.parametrize("technique", [Technique.COV, Technique.KLD])
def test_what_keeps_changing_goes_on(technique):
    falling = [2.0**-index * sample for index, sample in enumerate(quiet(20))]

    assert count_iterations(rule(technique, RuleVariant.LIVE), falling) is None


def test_a_rising_scatter_ends_the_post_hoc_rule_at_once_and_not_the_live_one():
    rising = [sample * (1 + 0.3 * index) for index, sample in enumerate(quiet(10))]

    assert count_iterations(rule(Technique.COV, RuleVariant.POST_HOC), rising) == 5
    assert count_iterations(rule(Technique.COV, RuleVariant.LIVE), rising) is None


def test_a_wide_interval_that_stays_as_it_is_ends_the_live_rule_alone():
    wide = quiet(30, scatter=0.6)
    wide = [abs(sample) + 0.2 for sample in wide]

    assert count_iterations(rule(Technique.RCIW, RuleVariant.LIVE), wide) is not None
    assert count_iterations(rule(Technique.RCIW, RuleVariant.POST_HOC), wide) is None


def test_the_most_iterations_are_a_limit():
    falling = [2.0**-index * sample for index, sample in enumerate(quiet(20))]

    assert count_iterations(rule(Technique.COV, most=9), falling) == 9


def test_operations_that_are_far_off_are_dropped():
    odd = [np.append(sample, 1e6) for sample in quiet(5)]

    stopping_rule = rule(Technique.COV)
    for sample in odd:
        stopping_rule.observe_operations(sample)

    assert max(stopping_rule.figures) < 0.01


def test_an_iteration_of_which_only_the_mean_is_known_is_one_operation():
    assert count_iterations(rule(Technique.COV), [np.array([1.0])] * 9) == 5
    assert count_iterations(rule(Technique.KLD), [np.array([1.0])] * 9) == 6


def test_the_interval_of_a_mean():
    rng = np.random.default_rng(3)
    values = rng.normal(10, 1, 1000)

    # Two times 2.576 standard errors of a tenth of 1 / sqrt(1000).
    assert measure_bootstrap_width(values, rng) == pytest.approx(
        2 * 2.576 * 0.1 / np.sqrt(1000), rel=0.15
    )


def test_similarity_is_of_distributions():
    rng = np.random.default_rng(3)
    sample, same = rng.normal(10, 1, (2, 1000))

    assert compute_similarity(sample, sample) == 1
    assert compute_similarity(sample, same) > 0.9
    assert compute_similarity(sample, same + 1) < 0.6
    assert compute_similarity(sample, same + 100) == 0
    assert compute_similarity(np.ones(9), np.ones(9)) == 1
