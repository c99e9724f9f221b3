import pytest
from builders import pair_verdict

from auditor.abs.judge.outcomes import UNDECIDED, method_outcome
from auditor.core.result import Verdict

D, M, U, Q, X, C, T, R, Z, N = (
    Verdict.DETECTED,
    Verdict.MISSED,
    Verdict.UNREACHED,
    Verdict.INCONCLUSIVE,
    Verdict.INVALID,
    Verdict.CRASHED,
    Verdict.TIMED_OUT,
    Verdict.REFUSED,
    Verdict.DEAD_CODE,
    Verdict.UNMEASURED,
)


@pytest.mark.parametrize(
    ("pairs", "method"),
    [
        ([], U),
        ([U, U], U),
        ([D, M, Q, C, T, Z, N, U], D),
        ([M, Z, U], M),
        ([Z], M),
        ([M, Q], Q),
        ([N], Q),
        ([M, N], Q),
        ([C, C, U], C),
        ([T], T),
        ([C, T], C),
        ([C, M], Q),
        ([T, Z], Q),
        ([C, Q], Q),
        ([X, X], X),
        ([R, U], R),
        ([X, M], Q),
        ([X, C], Q),
    ],
)
def test_the_outcome_of_a_method_follows_from_its_pairs(pairs, method):
    outcome = method_outcome(
        [
            pair_verdict(benchmark_name=str(index), outcome=pair_outcome)
            for index, pair_outcome in enumerate(pairs)
        ]
    )

    assert outcome is method


@pytest.mark.parametrize("failed", [Q, N, C, T])
def test_a_pair_that_might_still_detect_keeps_its_method_undecided(failed):
    pairs = [
        pair_verdict(benchmark_name=str(index), outcome=pair_outcome)
        for index, pair_outcome in enumerate([M, failed])
    ]

    assert method_outcome(pairs) in UNDECIDED
