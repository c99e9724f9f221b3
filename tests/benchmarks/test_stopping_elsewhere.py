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
