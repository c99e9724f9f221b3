"""How our model judges windows of processes that are no JMH's: the part that needs no suite."""

CODE = """
import numpy as np
from stopping_elsewhere import Series, _windows
values = 1e-6 * np.exp(0.01 * np.random.default_rng(1).standard_normal(1200))
values[:300] *= 3
stable, said = _windows(Series("B", values, np.full(1200, 0.1)), 300)
print(len(stable), int(stable.sum()), (stable == said).mean())
"""


def test_windows_behind_a_step_are_called_stable_and_those_on_it_are_not(printed):
    many, stable, right = printed(CODE).split()
    assert (int(many), int(stable)) == (100, 50)
    assert float(right) > 0.6


FADING = """
from argparse import Namespace
import numpy as np
from stopping_elsewhere import Criterion, Series, judge_process, add_fading_slowdown
one = Series("B", np.full(600, 1e-6), np.full(600, 0.03))
values = add_fading_slowdown(one, 1.0, 2.0).values * 1e6
print(round(values[0], 6), round(values[100], 6), values[599] < 1.001)
rng = np.random.default_rng(1)
noisy = Series("B", 1e-6 * np.exp(0.01 * rng.standard_normal(600)), np.full(600, 0.03))
found = judge_process(Namespace(measured=100, slower=1.0, fading=2.0), noisy)
print(found.deviations[Criterion.FIXED] > 0.2, len(found.truth))
"""


def test_a_warm_up_that_is_added_fades_and_what_is_off_is_off_the_time_without_it(printed):
    first, second = printed(FADING).splitlines()

    # e^(-3/2) is left after 100 iterations of 30 ms.
    assert first == "2.0 1.22313 True"
    assert second == "True 0"
