import numpy as np
import pytest

from auditor.warmup.detector import WINDOW
from auditor.warmup.run_so_far import RunSoFar
from auditor.warmup.steady_start import find_start_candidates


def observe_values(values) -> tuple[RunSoFar, dict[str, float]]:
    run = RunSoFar()
    for value in values:
        run.add_iteration(float(value), 0.1)
    return run, run.compute_features()


def stepped(slow: int, length: int = 400, seed: int = 1) -> np.ndarray:
    """Return a run whose first iterations are slow."""
    values = 1e-6 * np.exp(0.01 * np.random.default_rng(seed).standard_normal(length))
    values[:slow] *= 2
    return values


@pytest.mark.parametrize("slow", [8, 61, 184, 291])
def test_where_a_run_has_changed_is_one_of_the_places(slow):
    candidates = find_start_candidates(*observe_values(stepped(slow)))

    assert slow in candidates.places
    assert (np.diff(candidates.places) > 0).all()
    # The last window is what was called stable, so the warm-up ends before it at the latest.
    assert candidates.places[-1] == 400 - WINDOW - 1


@pytest.mark.parametrize("length", [WINDOW, WINDOW + 1, 237, 1500])
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_all_sides_are_finite_and_have_their_names(length, noise):
    values = np.exp(noise * np.random.default_rng(2).standard_normal(length))

    candidates = find_start_candidates(*observe_values(values))

    assert candidates.sides.shape == (len(candidates.places), len(candidates.names))
    assert len(set(candidates.names)) == len(candidates.names)
    assert candidates.names == find_start_candidates(*observe_values(stepped(30))).names
    assert np.isfinite(candidates.sides).all()
    assert candidates.places[0] == 0


def test_sides_of_a_step_say_how_far_it_went_and_when_it_was():
    candidates = find_start_candidates(*observe_values(stepped(150)))
    sides = dict(
        zip(candidates.names, candidates.sides[list(candidates.places).index(150)], strict=True)
    )

    assert sides["jump"] == pytest.approx(np.log(2), abs=0.02)
    assert (sides["place"], sides["behind"]) == (150, 249)
    assert sides["seconds"] == pytest.approx(15.1)
    assert abs(sides["level"]) < 0.01
    assert sides["by 2 changed since"] == 1
    # Another benchmark of the same shape looks the same.
    slow = find_start_candidates(*observe_values(1000 * stepped(150)))
    place_columns = [
        index for index, name in enumerate(candidates.names) if not name.startswith("run: ")
    ]
    assert np.allclose(slow.sides[:, place_columns], candidates.sides[:, place_columns], atol=1e-6)


def test_only_what_counts_iterations_names_places():
    run, looks = observe_values(stepped(150))
    candidates = find_start_candidates(run, looks)
    feature_names = [
        name.removeprefix("by ") for name in candidates.names if name.startswith("by ")
    ]

    iteration_counts = {name: looks[name] for name in feature_names if name in looks}
    # Seven bands and four deviations, of each of three partitions four, and four cuts.
    assert len(iteration_counts) == 11 + 3 * 4 + 4
    assert all(value == int(value) and 0 <= value <= run.n for value in iteration_counts.values())
    assert not any("share" in name for name in iteration_counts)
