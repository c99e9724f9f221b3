import numpy as np
import pytest

from auditor.warmup.detector import WINDOW
from auditor.warmup.run_so_far import RunSoFar


def features(values, lasted: float = 0.1) -> dict[str, float]:
    run = RunSoFar()
    for value in values:
        run.add_iteration(float(value), lasted)
    return run.compute_features()


def noisy(number: int, seed: int = 1) -> np.ndarray:
    return 1e-6 * np.exp(0.02 * np.random.default_rng(seed).standard_normal(number))


@pytest.mark.parametrize("number", [WINDOW, WINDOW + 1, 237, 1500])
def test_all_features_are_finite_and_have_their_places(number):
    result = features(noisy(number))

    assert list(result) == list(features(noisy(WINDOW, seed=2)))
    assert np.isfinite([*result.values()]).all()
    assert result["iterations"] == number
    assert result["seconds"] == pytest.approx(0.1 * number)


@pytest.mark.parametrize("values", [np.full(300, 1e-3), np.r_[1e-3, np.full(299, 1e-9)]])
def test_a_run_without_any_scatter_has_finite_ones_too(values):
    assert np.isfinite([*features(values).values()]).all()


def test_a_benchmark_of_another_speed_looks_the_same():
    values = noisy(400)
    values[:150] *= 3

    slow, fast = features(1000 * values), features(values)

    alone = {"time", "operations"}
    assert {name for name in fast if slow[name] != pytest.approx(fast[name], abs=1e-6)} == alone
    assert slow["time"] - fast["time"] == pytest.approx(np.log(1000))


def test_it_says_for_how_long_a_run_has_had_its_level():
    values = noisy(400)
    values[:150] *= 3

    result = features(values)

    assert result["within 20.0%"] == pytest.approx(250, abs=10)
    assert result["1 changed since"] == pytest.approx(250, abs=3)
    assert result["1 steady at 0.05"] == pytest.approx(250, abs=3)
    assert result["cut 0 since"] == pytest.approx(250, abs=3)
    assert result["slowest"] == pytest.approx(np.log(3), rel=0.05)


def test_what_comes_later_does_not_change_what_it_looked_like():
    run = RunSoFar()
    values = noisy(600)
    for value in values[:200]:
        run.add_iteration(float(value), 0.1)
    before = run.compute_features()
    for value in values[200:]:
        run.add_iteration(10 * float(value), 0.1)

    assert before == features(values[:200])
    assert run.compute_features() != before
