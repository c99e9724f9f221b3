import numpy as np
from scipy.special import expit
from training import looks, trees

from auditor.warmup.run_so_far import RunSoFar


def stepped(seed: int, last_warm_up: int) -> np.ndarray:
    values = 1e-6 * np.exp(0.02 * np.random.default_rng(seed).standard_normal(500))
    values[: last_warm_up + 1] *= 2
    return values


def sample(seeds):
    starts = np.arange(0, 400, 10)
    cases = [looks.cases(stepped(seed, 100 + seed), starts) for seed in seeds]
    stable = np.concatenate([starts > 100 + seed for seed in seeds])
    return cases[0][0], np.concatenate([features for _, features in cases]), stable


def test_a_case_is_what_a_run_looks_like_at_the_end_of_the_window():
    values = stepped(1, 150)
    names, cases = looks.cases(values, np.array([0, 120]))

    run = RunSoFar()
    for value in values[:220]:
        run.add_iteration(float(value), float(np.ceil(0.1 / value) * value))
    assert cases.shape == (2, len(names))
    features = run.compute_features()
    assert np.allclose(cases[1], [features[name] for name in names], rtol=1e-6)
    assert cases[:, trees.position(names)].ravel().tolist() == [100, 220]


def test_trees_tell_what_is_stable_of_runs_that_they_have_not_seen():
    _, training_cases, stable = sample(range(20))
    _, unseen_cases, truth = sample(range(20, 25))

    scores = trees.scores(trees.grown(training_cases, stable, 1), unseen_cases)

    assert ((scores >= 0.5) == truth).mean() > 0.9


def test_the_same_seed_grows_the_same_trees():
    _, cases, stable = sample(range(10))

    booster, same, reseeded = (trees.grown(cases, stable, seed) for seed in (1, 1, 2))

    assert (trees.scores(booster, cases) == trees.scores(same, cases)).all()
    assert (trees.scores(booster, cases) != trees.scores(reseeded, cases)).any()


def test_the_table_says_what_the_library_says():
    names, cases, stable = sample(range(10))
    grown = trees.grown(cases, stable, 1)

    table = trees.table(grown, names)

    table_scores = [expit(table.sum_leaves(case)) for case in cases]
    assert np.allclose(table_scores, trees.scores(grown, cases), rtol=1e-12, atol=1e-12)


def test_what_a_case_is_worth_is_learned_and_the_same_for_the_same_seed():
    names, cases, stable = sample(range(20))
    worth = np.where(stable, 0.9, 0.2)

    booster, same = (trees.valued(cases, worth, 1) for _ in range(2))

    table = trees.table(booster, names)
    table_values = np.array([table.sum_leaves(case) for case in cases])
    assert np.allclose(table_values, trees.scores(same, cases), rtol=1e-9, atol=1e-9)
    assert abs(table_values - worth).mean() < 0.1
