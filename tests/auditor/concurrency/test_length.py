"""How long suffixes are to be (Pradel et al., Algorithm 1)."""

from dataclasses import replace

import pytest

from auditor.concurrency.judge.generation import LengthAttempt, search_length
from auditor.core.contracts.concurrency import RacePlan

PLAN = RacePlan(
    least_seconds=0.005, least_repetitions=10, shortest=16, longest=65536, most_tries=12
)


def looked_for(plan, answer):
    """Search with `answer`, which says what a length takes; return what is found."""
    looking = search_length(plan)
    length = next(looking)
    try:
        while True:
            length = looking.send(answer(length))
    except StopIteration as end:
        return end.value


def taking(*seconds_a_call, steady=0.5):
    """Return an answer for versions whose calls take so long."""

    def answer(length):
        return tuple(
            LengthAttempt(seconds * length, steady / (seconds * length))
            for seconds in seconds_a_call
        )

    return answer


@pytest.mark.parametrize("call_seconds", [1e-7, 1e-6, 1e-5, 1e-4])
def test_a_length_is_found_within_the_window(call_seconds):
    result = looked_for(PLAN, taking(call_seconds, call_seconds * 1.5))

    assert not result.reason
    assert result.calls * call_seconds > 0.005
    assert result.calls * call_seconds * 1.5 < 0.5 / 10


def test_a_length_that_is_given_is_not_looked_for():
    with pytest.raises(StopIteration) as end:
        next(search_length(replace(PLAN, shortest=400, longest=400)))

    assert (end.value.value.calls, end.value.value.reason) == (400, "")


def test_both_versions_have_to_be_in_the_window():
    result = looked_for(PLAN, taking(1e-6, 8e-6))

    assert result.calls * 1e-6 > 0.005
    assert result.calls * 8e-6 < 0.05


@pytest.mark.parametrize(("strict", "calls"), [(False, 1024), (True, 65536)])
def test_versions_too_far_apart_for_one_length_get_one_and_a_reason(strict, calls):
    """The paper falls back on the maximum; 1024 is what was tried, which a race can scale."""
    result = looked_for(replace(PLAN, strict=strict), taking(1e-7, 1e-3))

    assert result.reason == (
        "a test of this length is too short for one version and too long for the other; "
        "change --longest"
    )
    assert result.calls == calls


def test_a_class_too_fast_for_any_length_gets_the_longest():
    result = looked_for(PLAN, taking(1e-12))

    assert result.calls == PLAN.longest
    assert result.reason.endswith("change --longest or --steady")


def test_a_class_too_slow_for_any_length_does_not_get_the_longest():
    result = looked_for(PLAN, taking(1.0))

    assert result.calls < 20
    assert result.reason


def test_a_length_at_which_no_test_works_counts_as_too_long():
    result = looked_for(PLAN, lambda length: taking(1e-5)(length) if length < 3000 else None)

    assert 500 < result.calls < 3000
    assert not result.reason


def test_tries_are_counted_and_none_is_made_twice():
    result = looked_for(replace(PLAN, most_tries=3), taking(1e-12))

    assert len(set(result.tried)) == len(result.tried) == 3


def test_without_tries_the_longest_is_taken():
    search_without = search_length(replace(PLAN, most_tries=0))

    with pytest.raises(StopIteration) as end:
        next(search_without)

    assert (end.value.value.calls, end.value.value.tried) == (PLAN.longest, ())
