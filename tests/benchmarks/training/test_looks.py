import numpy as np
import pytest
from training import looks

from auditor.warmup.detector import WINDOW


def stepped(last_warm_up: int, length: int = 3000, times: float = 2.0) -> np.ndarray:
    values = 0.1 * np.exp(0.001 * np.random.default_rng(1).standard_normal(length))
    values[: last_warm_up + 1] *= times
    return values


@pytest.mark.parametrize(("times", "right"), [(2.3, False), (1.7, True)])
def test_a_look_is_right_whose_last_window_has_the_mean_of_the_steady_part(times, right):
    sample = looks.judge_means(stepped(100, times=times), 100)

    assert sample.features.shape == (len(looks.STARTS), len(sample.names))
    # The window that begins at 100 has one slow iteration: it is off by 1.3 or by 0.7 percent.
    assert sample.truth.tolist() == [
        start > 100 or (start == 100 and right) for start in looks.STARTS
    ]


def test_of_a_run_without_a_steady_part_the_last_third_stands_for_it():
    assert looks.judge_means(stepped(99), -1).truth.tolist() == [
        start > 99 for start in looks.STARTS
    ]


def test_a_place_is_worth_less_the_further_off_it_is():
    values = stepped(80)
    sample = looks.last(values, 80)
    places = sample.features[:, sample.names.index("place")]

    assert sample.truth[places == 80] == pytest.approx(1)
    assert (sample.truth <= 1).all()
    far = places == 0
    # Iterations before the step last .2 s: eighty of them are sixteen seconds.
    assert sample.truth[far] == pytest.approx(np.exp(-16 / looks.SCALE), rel=0.01)
    order = np.argsort(abs(places - 80))
    behind = order[places[order] >= 80]
    assert (np.diff(sample.truth[behind]) <= 0).all()


def test_a_run_without_a_steady_part_has_no_last_iteration_of_its_warm_up():
    with pytest.raises(ValueError, match="without a steady part"):
        looks.last(stepped(99), -1)


def test_a_short_run_has_the_looks_that_it_has():
    sample = looks.judge_means(stepped(10, length=WINDOW + 30), 10)

    assert len(sample.truth) == sum(start <= 30 for start in looks.STARTS) == len(sample.features)
