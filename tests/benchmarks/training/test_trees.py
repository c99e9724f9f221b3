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
    found = [looks.cases(stepped(seed, 100 + seed), starts) for seed in seeds]
    stable = np.concatenate([starts > 100 + seed for seed in seeds])
    return found[0][0], np.concatenate([one for _, one in found]), stable


def test_a_case_is_what_a_run_looks_like_at_the_end_of_the_window():
    values = stepped(1, 150)
    names, found = looks.cases(values, np.array([0, 120]))

    run = RunSoFar()
    for value in values[:220]:
        run.add_iteration(float(value), float(np.ceil(0.1 / value) * value))
    assert found.shape == (2, len(names))
    features = run.compute_features()
    assert np.allclose(found[1], [features[name] for name in names], rtol=1e-6)
    assert found[:, trees.position(names)].ravel().tolist() == [100, 220]


def test_trees_tell_what_is_stable_of_runs_that_they_have_not_seen():
    _, known, stable = sample(range(20))
    _, asked, truth = sample(range(20, 25))

    scores = trees.scores(trees.grown(known, stable, 1), asked)

    assert ((scores >= 0.5) == truth).mean() > 0.9


def test_the_same_seed_grows_the_same_trees():
    _, known, stable = sample(range(10))

    booster, same, other = (trees.grown(known, stable, seed) for seed in (1, 1, 2))

    assert (trees.scores(booster, known) == trees.scores(same, known)).all()
    assert (trees.scores(booster, known) != trees.scores(other, known)).any()


def test_the_table_says_what_the_library_says():
    names, known, stable = sample(range(10))
    grown = trees.grown(known, stable, 1)

    table = trees.table(grown, names)

    mine = [expit(table.sum_leaves(one)) for one in known]
    assert np.allclose(mine, trees.scores(grown, known), rtol=1e-12, atol=1e-12)


def test_what_a_case_is_worth_is_learned_and_the_same_for_the_same_seed():
    names, known, stable = sample(range(20))
    worth = np.where(stable, 0.9, 0.2)

    booster, same = (trees.valued(known, worth, 1) for _ in range(2))

    table = trees.table(booster, names)
    mine = np.array([table.sum_leaves(case) for case in known])
    assert np.allclose(mine, trees.scores(same, known), rtol=1e-9, atol=1e-9)
    assert abs(mine - worth).mean() < 0.1
