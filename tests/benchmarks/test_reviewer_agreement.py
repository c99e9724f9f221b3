"""Agreement by the figures of Bauer et al. (ICPE 2023, Section 4), and by hand."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reviewer_agreement import (
    Band,
    Confusion,
    agreed,
    band,
    confusion,
    fleiss_kappa,
    pairwise_agreement,
)

SAME = Confusion(
    similar_as_similar=112,
    similar_as_dissimilar=23,
    dissimilar_as_similar=137,
    dissimilar_as_dissimilar=52,
)
HEURISTIC = Confusion(
    similar_as_similar=53,
    similar_as_dissimilar=82,
    dissimilar_as_similar=16,
    dissimilar_as_dissimilar=173,
)
TABLE = st.dictionaries(
    st.text(max_size=3),
    st.fixed_dictionaries({name: st.sampled_from("sd") for name in ("R1", "R2", "R3")}),
    min_size=1,
    max_size=8,
)


def table(*rows):
    """Rows of labels, one letter for each reviewer in turn; a dot where one has seen nothing."""
    return {
        str(index): {f"R{reviewer}": label for reviewer, label in enumerate(row, 1) if label != "."}
        for index, row in enumerate(rows)
    }


def test_tables_2_and_3_give_the_papers_rates():
    assert SAME.specificity == pytest.approx(0.83, abs=0.005)
    assert SAME.sensitivity == pytest.approx(52 / 189)
    assert HEURISTIC.sensitivity == pytest.approx(0.92, abs=0.005)
    assert HEURISTIC.specificity == pytest.approx(53 / 135)


def test_the_papers_kappa_follows_from_how_many_runs_were_agreed_on():
    """Both of two reviewers called 189 of 586 dissimilar and 135 similar, and disagreed on 262."""
    labels = table(*["dd"] * 189, *["ss"] * 135, *["sd"] * 262)

    kappa = fleiss_kappa(labels)

    assert kappa == pytest.approx(0.1, abs=0.005)
    assert band(kappa) is Band.SLIGHT
    assert len(agreed(labels)) == 324
    assert pairwise_agreement(labels)["R1", "R2"] == pytest.approx(55, abs=0.5)


def test_a_kappa_by_hand():
    """Observed (1 + 1/3 + 1/3 + 1) / 4 = 2/3; chance (7/12)^2 + (5/12)^2 = 74/144."""
    labels = table("aaa", "aab", "abb", "bbb")
    second_labels = table("aaa", "aab", "aab", "bbb")

    assert fleiss_kappa(labels) == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))
    assert fleiss_kappa(second_labels) == pytest.approx((2 / 3 - 74 / 144) / (70 / 144))


def test_the_kappa_of_fleiss_own_kind_of_table():
    """The worked example of 10 subjects, 14 raters and 5 categories gives 0.210."""
    counts = [
        (0, 0, 0, 0, 14),
        (0, 2, 6, 4, 2),
        (0, 0, 3, 5, 6),
        (0, 3, 9, 2, 0),
        (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0),
        (3, 2, 6, 3, 0),
        (2, 5, 3, 2, 2),
        (6, 5, 2, 1, 0),
        (0, 2, 2, 3, 7),
    ]
    rows = ["".join(label * n for label, n in zip("abcde", count, strict=True)) for count in counts]

    assert fleiss_kappa(table(*rows)) == pytest.approx(0.210, abs=0.0005)


def test_reviewers_who_always_differ_agree_less_than_by_chance():
    assert fleiss_kappa(table("ab", "ba")) == pytest.approx(-1)


def test_one_label_for_all_tells_nothing_beyond_chance():
    assert fleiss_kappa(table("aa", "aa")) is None
    assert fleiss_kappa({}) is None


@pytest.mark.parametrize("rows", [("aa", "aaa"), ("a", "b"), ("", "")])
def test_subjects_with_unequal_or_single_labels_are_refused(rows):
    with pytest.raises(ValueError, match="same number of labels"):
        fleiss_kappa(table(*rows))


@given(TABLE)
def test_kappa_is_one_only_where_all_agree(labels):
    kappa = fleiss_kappa(labels)

    values = {label for row_labels in labels.values() for label in row_labels.values()}
    assert (kappa is None) == (len(values) == 1)
    assert kappa is None or -1 <= kappa <= 1 + 1e-12
    assert (kappa == pytest.approx(1)) == (kappa is not None and len(agreed(labels)) == len(labels))


@given(TABLE)
def test_the_agreement_of_pairs_is_that_of_a_plain_count(labels):
    result = pairwise_agreement(labels)

    for first_reviewer, second_reviewer in combinations(("R1", "R2", "R3"), 2):
        hits = sum(label[first_reviewer] == label[second_reviewer] for label in labels.values())
        assert result[first_reviewer, second_reviewer] == pytest.approx(100 * hits / len(labels))


def test_only_common_subjects_count_for_a_pair_of_reviewers():
    labels = table("aa.", "ab.", "a.a")

    assert pairwise_agreement(labels) == {("R1", "R2"): 50.0, ("R1", "R3"): 100.0}


def test_what_one_reviewer_saw_is_not_agreed_on():
    assert agreed(table("a..", "ab.", "b.b")) == {"2": "b"}


@pytest.mark.parametrize(
    ("kappa", "name"),
    [
        (-0.01, Band.LOW),
        (0.0, Band.SLIGHT),
        (0.01, Band.SLIGHT),
        (0.2, Band.SLIGHT),
        (0.21, Band.FAIR),
        (0.4, Band.FAIR),
        (0.6, Band.MODERATE),
        (0.8, Band.SUBSTANTIAL),
        (0.81, Band.ALMOST_PERFECT),
        (1.0, Band.ALMOST_PERFECT),
    ],
)
def test_the_bands_are_closed_above(kappa, name):
    assert band(kappa) is name


def test_the_confusion_matrix_counts_subjects_that_both_know():
    are = {"a": True, "b": True, "c": True, "d": False, "e": False, "only": True}
    called = {"a": True, "b": True, "c": False, "d": True, "e": False, "other": True}

    result = confusion(are, called)

    assert result == Confusion(
        similar_as_similar=1,
        similar_as_dissimilar=1,
        dissimilar_as_similar=1,
        dissimilar_as_dissimilar=2,
    )
    assert result.sensitivity == pytest.approx(2 / 3)


def test_a_rate_of_nothing_is_unknown():
    nothing = confusion({}, {})

    assert (nothing.sensitivity, nothing.specificity) == (None, None)
