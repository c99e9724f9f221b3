import pytest

from auditor.abs.judge.indifference_zone import borderline_caveat, settle_interval
from auditor.core.result import Verdict


@pytest.mark.parametrize(
    ("interval", "middle", "verdict"),
    [
        ((0.28, 0.32), 0.31, Verdict.DETECTED),
        ((0.28, 0.32), 0.29, Verdict.MISSED),
        ((0.28, 0.40), 0.34, Verdict.DETECTED),
        ((0.20, 0.32), 0.26, Verdict.MISSED),
        ((0.20, 0.40), 0.31, None),
    ],
)
def test_an_interval_across_the_limit_of_30_percent_is_settled_by_the_zone(
    interval, middle, verdict
):
    assert settle_interval(interval, middle, 0.3) is verdict


def test_a_borderline_effect_is_told_with_its_interval_and_the_limit():
    text = borderline_caveat((0.281, 0.322), 0.3).text

    assert "28.1\xa0% to 32.2\xa0%" in text
    assert "the threshold of 30.0\xa0%" in text
