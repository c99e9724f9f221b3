"""The heuristic and SAME on series whose likeness is known."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.core.series.similarity import Measure, PairSimilarity
from auditor.measure.run_similarity import (
    PAPER,
    SimilarityParameters,
    cluster_runs,
    find_outlier_runs,
    judge_runs,
)

TIME = np.arange(3000) * 2 * np.pi / 300
"""Ten waves, as Figure 1 shows some."""


def sine(*, frequency=1.0, phase=0.0, level=0.0):
    return level + np.sin(frequency * TIME + phase)


def noise(seed, sd=0.2):
    return np.random.default_rng(seed).normal(0, sd, len(TIME))


def similar_runs(count, level=5.0, sd=0.02):
    return [sine(level=level) + noise(seed, sd) for seed in range(count)]


def pair(first, second, *, dissimilar):
    return PairSimilarity(
        first=first, second=second, measures=(0.0,) * 5, dissimilar=dissimilar, distance=0.0
    )


def slugs(similarity):
    return [caveat.slug for caveat in similarity.caveats]


def above(similarity):
    """The measures of the only pair that exceed theta."""
    (run_pair,) = similarity.pairs
    return [
        str(measure)
        for measure, value in zip(Measure, run_pair.measures, strict=True)
        if value > PAPER.theta
    ]


@pytest.mark.parametrize(
    ("second_run", "measures"),
    [
        (sine(level=2.0), ["M3", "M4", "M5"]),
        (sine(phase=np.pi / 2), ["M1", "M3", "M4"]),
        (sine(frequency=2), ["M1", "M2", "M3", "M4"]),
    ],
    ids=["offset in value", "offset in time", "double frequency"],
)
def test_the_first_three_examples_of_figure_1_are_dissimilar(second_run, measures):
    similarity = judge_runs("b", [sine(), second_run])

    assert above(similarity) == measures
    assert similarity.pairs[0].dissimilar
    assert similarity.dissimilar


@pytest.mark.parametrize("level", [0.0, 5.0])
def test_the_last_example_of_figure_1_noise_is_similar(level):
    similarity = judge_runs("b", [sine(level=level), sine(level=level) + noise(1)])

    assert above(similarity) == ["M2"]
    assert similarity.dissimilar is False


def test_a_larger_offset_is_more_dissimilar_by_the_same_measures():
    pair_measures = [
        judge_runs("b", [sine(), sine(level=level)]).pairs[0].measures for level in (1, 2, 4)
    ]

    assert [sum(value > 0.25 for value in measures) for measures in pair_measures] == [3, 3, 3]
    assert sorted(measures[2] for measures in pair_measures) == [
        measures[2] for measures in pair_measures
    ]


def test_the_means_are_those_over_all_pairs_and_decide():
    similarity = judge_runs("b", [sine(), sine(), sine(phase=np.pi / 2)])

    assert [pair_similarity.dissimilar for pair_similarity in similarity.pairs] == [
        False,
        True,
        True,
    ]
    by_hand = [
        sum(values) / 3
        for values in zip(
            *(pair_similarity.measures for pair_similarity in similarity.pairs), strict=True
        )
    ]
    assert similarity.means == pytest.approx(by_hand)
    assert similarity.means[0] == pytest.approx(2 / 3, abs=1e-6)
    assert similarity.dissimilar


def test_a_mean_at_theta_does_not_exceed_it():
    """The correlations are 0 and 1: means of 2/3."""
    runs = [sine(), sine(), sine(phase=np.pi / 2)]
    means = judge_runs("b", runs).means

    similarity = judge_runs("b", runs, SimilarityParameters(theta=sorted(means)[2]))
    below = judge_runs("b", runs, SimilarityParameters(theta=np.nextafter(sorted(means)[2], 0)))

    assert (similarity.dissimilar, below.dissimilar) == (False, True)


def test_a_run_that_stands_apart_is_named():
    runs = similar_runs(5)
    runs.insert(2, sine(level=5.0, frequency=3) * 20 + noise(9))

    similarity = judge_runs("b", runs)

    assert similarity.outlier_runs == (2,)
    assert similarity.clusters.outside == (2,)
    assert similarity.clusters.groups == ((0, 1, 3, 4, 5), (2,))
    assert similarity.clusters.has_divergent_runs
    assert slugs(similarity) == []


def test_like_runs_make_one_group():
    similarity = judge_runs("b", similar_runs(6))

    assert similarity.dissimilar is False
    assert (similarity.outlier_runs, similarity.clusters.outside) == ((), ())
    assert similarity.clusters.groups == ((0, 1, 2, 3, 4, 5),)
    assert not similarity.clusters.has_divergent_runs


def test_one_of_two_cannot_stand_apart_from_the_other():
    similarity = judge_runs("b", [sine(level=1.0), 50 * sine(level=1.0, frequency=2)])

    assert (similarity.outlier_runs, similarity.clusters.outside) == ((), ())
    assert slugs(similarity) == ["no-run-apart", "no-main-group"]


def test_a_run_is_apart_by_more_than_half_of_its_pairs():
    pairs = [
        pair(0, 1, dissimilar=False),
        pair(0, 2, dissimilar=False),
        pair(0, 3, dissimilar=True),
        pair(1, 2, dissimilar=False),
        pair(1, 3, dissimilar=True),
        pair(2, 3, dissimilar=False),
    ]

    assert find_outlier_runs(pairs) == (3,)
    assert find_outlier_runs([pair(0, 1, dissimilar=True)]) == ()
    assert find_outlier_runs(pairs[:4]) == ()


def test_half_of_its_pairs_do_not_set_a_run_apart():
    unlike = {(0, 4), (1, 4)}
    pairs = [
        pair(*combination, dissimilar=combination in unlike)
        for combination in combinations(range(5), 2)
    ]

    assert find_outlier_runs(pairs) == ()


def test_half_of_the_runs_do_not_stand_apart_from_the_other_half():
    unlike = {(2, 3), (0, 2), (1, 3)}
    pairs = [
        pair(*combination, dissimilar=combination in unlike)
        for combination in combinations(range(4), 2)
    ]

    assert find_outlier_runs(pairs) == ()


def test_groups_end_at_the_cut_by_the_linkage():
    """Three on a line, at 0, 0.2 and 0.4."""
    distances = [0.2, 0.4, 0.2]

    groups_by_cut = {
        (linkage, cut): cluster_runs(
            distances, [0, 1, 2], SimilarityParameters(linkage=linkage, cut=cut)
        ).groups
        for linkage in ("single", "average", "complete")
        for cut in (0.1, 0.25, 0.35)
    }

    assert {key for key, groups in groups_by_cut.items() if len(groups) == 1} == {
        ("single", 0.25),
        ("single", 0.35),
        ("average", 0.35),
    }
    assert {key for key, groups in groups_by_cut.items() if len(groups) == 3} == {
        ("single", 0.1),
        ("average", 0.1),
        ("complete", 0.1),
    }


def test_the_distance_of_same_is_the_mean_of_its_four_measures():
    """Of values and three times these: 0, 2/3, 1 - 3/7 and 2/4."""
    similarity = judge_runs("b", [[1.0, 2.0] * 100, [3.0, 6.0] * 100])

    assert similarity.pairs[0].distance == pytest.approx((0 + 2 / 3 + 4 / 7 + 1 / 2) / 4)
    assert slugs(similarity) == ["no-main-group"]


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1, "too few values per run to tell whether the runs are alike (1): give 200"),
        (29, "too few values per run to tell whether the runs are alike (29): give 200"),
        (30, "runs whose values are all equal, so they have no correlation (M1): run 1, 2"),
    ],
)
def test_too_few_values_and_equal_values_at_several_levels_tell_nothing(count, text):
    similarity = judge_runs("b", [[1.0] * count, [100.0] * count])

    assert (similarity.dissimilar, similarity.means, similarity.pairs) == (None, None, ())
    assert (similarity.compared, similarity.values) == ((0, 1), count)
    assert [caveat.text for caveat in similarity.caveats] == [text]


def test_constant_runs_at_several_levels_hide_no_run_that_stands_apart():
    runs = [*similar_runs(5), sine(level=5.0, frequency=3) * 20 + noise(9)]
    constant_runs = [[100.0] * len(runs[0]), [101.0] * len(runs[0])]

    similarity = judge_runs("b", [*constant_runs, *runs])

    assert similarity.compared == (2, 3, 4, 5, 6, 7)
    assert similarity.outlier_runs == (7,)
    assert slugs(similarity) == ["constant-runs"]

    alone = judge_runs("b", [*constant_runs, runs[0]])
    assert (alone.dissimilar, slugs(alone)) == (None, ["constant-runs"])


def test_equal_values_at_one_level_are_similar_and_say_what_is_missing():
    similarity = judge_runs("b", [[10.0] * 250] * 2)

    assert similarity.dissimilar is False
    assert [caveat.text for caveat in similarity.caveats] == [
        "runs whose values are all equal, so they have no correlation (M1): run 1, 2"
    ]


def test_the_longer_runs_are_cut_and_that_is_said():
    long, short = sine(level=5.0), sine(level=5.0)[:1500]

    similarity = judge_runs("b", [long, short, long])

    assert similarity.values == 1500
    assert similarity.means == pytest.approx((0, 0, 0, 0, 0), abs=1e-7)
    assert [caveat.text for caveat in similarity.caveats] == [
        "the runs have 1500 to 3000 values; only the first 1500 are compared, as run 2 has no more"
    ]
    assert (
        judge_runs("b", [short, short, long]).caveats[0].text.endswith("as run 1, 2 have no more")
    )


@pytest.mark.parametrize("runs", [[], [[1.0, 2.0]], [[], [1.0]], [[1.0], [float("nan")]]])
def test_fewer_than_two_runs_tell_nothing(runs):
    similarity = judge_runs("b", runs)

    assert (similarity.dissimilar, similarity.means, similarity.clusters) == (None, None, None)
    assert (similarity.pairs, similarity.outlier_runs) == ((), ())
    assert slugs(similarity)[-1] == "one-run"
    start = "only 1 run has values" if similarity.compared else "no run has values"
    assert similarity.caveats[-1].text.startswith(f"{start}, and a comparison needs 2")


def test_runs_keep_their_indices_where_others_are_left_out():
    similarity = judge_runs("b", [[], *similar_runs(3), [float("inf")] * 3000])

    assert similarity.compared == (1, 2, 3)
    assert [
        (pair_similarity.first, pair_similarity.second) for pair_similarity in similarity.pairs
    ] == [(1, 2), (1, 3), (2, 3)]
    assert similarity.clusters.groups == ((1, 2, 3),)
    assert [caveat.text for caveat in similarity.caveats] == [
        "runs left out, as they have no values or values that are not finite: run 1, 5"
    ]


def test_short_runs_have_a_caveat():
    assert slugs(judge_runs("b", [run[:199] for run in similar_runs(3)])) == ["short-runs"]
    assert slugs(judge_runs("b", [run[:200] for run in similar_runs(3)])) == []


@given(st.lists(st.lists(st.floats(allow_infinity=True, allow_nan=True), max_size=6), max_size=5))
def test_whatever_the_runs_there_is_an_answer(runs):
    similarity = judge_runs("b", runs)

    usable = [run for run in runs if run and np.isfinite(run).all()]
    assert len(similarity.compared) == len(usable)
    assert (similarity.dissimilar, similarity.pairs) == (None, ())


@given(
    st.lists(
        st.lists(st.floats(allow_infinity=True, allow_nan=True), min_size=30, max_size=32),
        max_size=5,
    )
)
def test_whatever_long_runs_are_each_pair_has_an_answer_or_none_has(runs):
    similarity = judge_runs("b", runs)

    usable = [run for run in runs if np.isfinite(run).all()]
    pair_count = len(usable) * (len(usable) - 1) // 2
    assert len(similarity.pairs) == (0 if similarity.dissimilar is None else pair_count)


@given(st.permutations(range(6)))
def test_the_order_of_the_runs_names_others_but_says_the_same(order):
    runs = [*similar_runs(4), sine(level=50.0), 30 * sine(level=5.0, frequency=3)]

    similarity, shuffled = (
        judge_runs("b", runs),
        judge_runs("b", [runs[position] for position in order]),
    )

    assert slugs(similarity) == slugs(shuffled) == []
    assert shuffled.means == pytest.approx(similarity.means, abs=1e-7)
    assert sorted(order[number] for number in shuffled.outlier_runs) == list(
        similarity.outlier_runs
    )
    assert sorted(order[position] for position in shuffled.clusters.outside) == [4, 5]
