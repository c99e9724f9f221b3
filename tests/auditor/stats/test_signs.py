import math
from math import log

import numpy as np
import pytest

from auditor.stats.signed_rank import sign_evidence


def test_a_bet_that_was_won_once_by_hand():
    """The integral of 2 p over the odds from a half to one, times 2: 1.5."""
    assert sign_evidence([0.1], 0.0) == pytest.approx(1.5)


def test_two_bets_of_which_one_was_lost_by_hand():
    """The integral of 4 p (1 - p) from a half to one, times 2: 2 / 3."""
    assert sign_evidence([0.1, -0.1], 0.0) == pytest.approx(2 / 3)


def test_signs_that_are_even_are_no_evidence():
    assert sign_evidence([0.1, -0.1] * 10, 0.0) < 1
    assert sign_evidence([0.1] * 12, 0.0) > 100
    assert sign_evidence([0.1] * 12, 0.2) < 0.1


def test_many_pairs_neither_overflow_nor_vanish():
    assert log(sign_evidence([1.0] * 900, 0.0)) == pytest.approx(900 * log(2), rel=0.02)
    assert sign_evidence([-1.0] * 5000, 0.0) == 0.0


def test_the_evidence_exceeds_its_bound_as_seldom_as_it_says():
    rng = np.random.default_rng(4)
    exceeded = 0
    for _ in range(500):
        values = rng.standard_cauchy(60)
        exceeded += any(sign_evidence(values[:n], 0.0) >= 20 for n in range(1, 61))

    assert exceeded / 500 < 0.05 + 0.02


def test_any_number_of_pairs_gives_a_number():
    value = sign_evidence([0.1] * 5000, 0.0)

    assert 1e300 < value < math.inf
