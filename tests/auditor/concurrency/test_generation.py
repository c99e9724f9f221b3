"""Feedback-directed random tests, made for a class that answers without a JVM."""

from dataclasses import replace

import pytest
from made_up_pool import FACTORY, POOL, Guest, earlier

from auditor.concurrency.judge.catalogue import describe_types
from auditor.concurrency.judge.generation import ConcurrentTestGenerator, GenerationTally
from auditor.concurrency.judge.terminal_methods import Spoilers
from auditor.core.contracts.concurrency import RacePlan
from auditor.core.contracts.concurrent_test import Literal, MemberKind

PLAN = RacePlan(seed=3)
CLOSE = frozenset(("close()",))


def generator(guest, *, plan=PLAN, **weights):
    """Return a generator of tests of the made-up pool."""
    return ConcurrentTestGenerator(
        catalogue=guest.make(describe_types(POOL)), weights=weights, plan=plan
    )


def test_a_test_has_a_suffix_for_each_thread_of_the_square_root_of_the_length():
    guest = Guest()

    test = guest.make(generator(guest).make_test(1, 400, 4))

    assert len(test.suffixes) == 4
    assert all(20 <= len(suffix) <= 24 for suffix in test.suffixes)
    assert 17 <= test.repeats <= 20


def test_no_more_statements_than_asked_for_but_more_repeats():
    guest = Guest()

    test = guest.make(generator(guest, plan=replace(PLAN, statements=10)).make_test(1, 10_000, 2))

    assert all(10 <= len(suffix) <= 14 for suffix in test.suffixes)
    assert 10_000 / 14 <= test.repeats <= 1000


def test_all_suffixes_share_the_object_that_the_prefix_makes():
    guest = Guest()

    test = guest.make(generator(guest).make_test(1, 100, 3))

    assert test.prefix[test.subject].member.kind is MemberKind.CONSTRUCTOR
    shared = {
        statement.receiver.index
        for suffix in test.suffixes
        for statement in suffix
        if statement.receiver is not None
    }
    assert shared == {test.subject}


@pytest.mark.parametrize("number", range(1, 9))
def test_whatever_is_used_was_made_before(number):
    guest = Guest()

    test = guest.make(generator(guest).make_test(number, 225, 3))

    assert earlier(test.prefix, test.prefix)
    assert all(earlier(suffix, test.prefix) for suffix in test.suffixes)


def test_the_same_seed_makes_the_same_test_and_another_one_another():
    tests = []
    for seed in (3, 3, 4):
        guest = Guest()
        plan = replace(PLAN, seed=seed)
        tests.append(guest.make(generator(guest, plan=plan).make_test(1, 100, 2)))

    assert tests[0] == tests[1] != tests[2]


def test_what_is_known_of_methods_after_which_others_fail_changes_no_test():
    """They are looked for once, by the first test: it is the same where others came first."""
    guest = Guest()
    first = generator(guest)
    later = generator(guest)
    guest.make(later.make_test(1000, 100, 2))

    first_test = guest.make(first.make_test(1, 100, 2))

    assert first.tally.spoilers == later.tally.spoilers == Spoilers(CLOSE, CLOSE)
    second = replace(later, tally=GenerationTally(spoilers=later.tally.spoilers))
    assert guest.make(second.make_test(1, 100, 2)) == first_test


def test_what_fails_is_in_no_test_and_counted():
    guest = Guest(worse=frozenset(("size",)))
    maker = generator(guest)

    test = guest.make(maker.make_test(1, 400, 2))

    names = {
        statement.member.name
        for sequence in (test.prefix, *test.suffixes)
        for statement in sequence
    }
    assert "size" not in names
    assert maker.tally.dropped["size(): size fails in the new version"] > 1


def test_what_is_borrowed_is_given_back_so_that_a_test_can_be_repeated():
    guest = Guest(worse=frozenset(("close",)))
    plan = replace(PLAN, prefix=0)

    test = guest.make(generator(guest, plan=plan, **{"borrow()": 20.0}).make_test(1, 900, 2))

    for suffix in test.suffixes:
        names = [statement.member.name for statement in suffix]
        assert 3 < names.count("borrow") <= names.count("giveBack") + 1


def test_a_method_that_hangs_is_soon_called_no_more_by_itself():
    guest = Guest(worse=frozenset(("giveBack", "close")))
    maker = generator(guest, **{"borrow()": 50.0})

    guest.make(maker.make_test(1, 900, 2))

    assert 2 <= maker.tally.hangs["borrow()"] <= 8


def test_a_test_that_fails_with_threads_is_made_anew_a_few_times():
    guest = Guest(with_threads="a race in the old version")
    maker = generator(guest)

    test = guest.make(maker.make_test(1, 100, 2))

    assert test is None
    assert maker.tally.dropped["a test with threads: a race in the old version"] == 4


def test_methods_of_weight_are_called_more():
    counts = []
    for weights in ({}, {"size()": 30.0}):
        guest = Guest(worse=frozenset(("close",)))
        test = guest.make(generator(guest, **weights).make_test(1, 1600, 2))
        names = [statement.member.name for suffix in test.suffixes for statement in suffix]
        counts.append(names.count("size") / len(names))

    assert counts[1] > 2 * counts[0]


def test_implementations_work_for_different_times_which_the_seed_draws():
    """A lock that is held while a factory works is only seen where it works for some time."""
    guest = Guest()
    maker = generator(guest)

    tests = [guest.make(maker.make_test(number, 25, 2)) for number in range(1, 9)]

    plain_statements = [
        statement
        for test in tests
        for statement in test.prefix
        if statement.member.kind is MemberKind.PLAIN
    ]
    rounds = {statement.arguments[0].text for statement in plain_statements}
    assert rounds == {"0", "1000", "4000"}
    assert {statement.member.parameters for statement in plain_statements} == {("int",)}


def test_constants_of_the_class_are_among_the_arguments():
    guest = Guest(constants=(("member", "constant", POOL, "GROW", "", "int"),))
    maker = generator(guest, **{"<init>(org.example.Factory,int)": 50.0})

    test = guest.make(maker.make_test(1, 900, 2))

    for suffix in test.suffixes:
        grow = [index for index, statement in enumerate(suffix) if statement.member.name == "GROW"]
        used = [value for statement in suffix for value in statement.arguments]
        assert 1 < len(grow) < len(suffix) / 2
        assert any(getattr(value, "index", None) in grow for value in used)
        assert any(getattr(value, "type", "") == "int" for value in used)


def test_an_interface_gets_a_plain_implementation_and_not_null():
    guest = Guest()

    test = guest.make(generator(guest).make_test(1, 100, 2))

    (constructor,) = [
        statement for statement in test.prefix if statement.member.kind is MemberKind.CONSTRUCTOR
    ]
    assert not any(
        isinstance(argument, Literal) and argument.text is None
        for argument in constructor.arguments
    )
    assert any(statement.member.kind is MemberKind.PLAIN for statement in test.prefix)


def test_an_attempt_tries_a_suffix_twice_between_the_others():
    guest = Guest()

    test = guest.make(generator(guest).make_test(1, 100, 2))

    last = [attempt for attempt in guest.attempts if not attempt.threads][-1]
    first, tried, repeated = last.segments
    assert (first.statements, repeated.statements) == (test.suffixes[0], test.suffixes[0])
    assert (first.repeats, tried.repeats) == (1, 2)
    assert guest.attempts[-1].threads


def test_a_method_that_fails_beside_others_is_hardly_called_again():
    guest = Guest(worse=frozenset(("close",)), with_threads="a race", blames="size")
    maker = generator(guest, **{"size()": 5.0})

    guest.make(maker.make_test(1, 400, 2))

    assert "size()" in maker.tally.thread_failures
    assert "size()" not in maker.tally.spoilers.shunned
    assert maker.compute_weight(_size(maker)) < 0.2


def test_a_method_that_failed_beside_others_once_gets_another_chance():
    """It may have failed in a state that few tests have; a changed one would stay untested."""
    guest = Guest(worse=frozenset(("close",)))
    maker = generator(guest)
    before = maker.compute_weight(_size(maker))

    maker.tally.thread_failures["size()"] += 1

    assert before / 5 < maker.compute_weight(_size(maker)) < before / 2
    guest.make(maker.make_test(1, 100, 2))
    assert any(statement.member.name == "size" for statement in guest.attempts[-1].prefix)


def _size(maker):
    (size_member,) = [member for member in maker.callable_members if member.name == "size"]
    return size_member


def test_a_method_that_hangs_is_not_waited_for_in_each_order():
    guest = Guest(stuck=frozenset(("size",)))
    maker = generator(guest)

    assert guest.make(maker._spoilers()).shunned == {"close()"}

    hung = [
        attempt
        for attempt in guest.attempts
        if any(
            statement.member.name == "size"
            for part in attempt.segments
            for statement in part.statements
        )
    ]
    assert len(hung) == 2


def test_a_method_after_which_others_fail_is_in_no_prefix():
    guest = Guest()
    maker = generator(guest, **{"close()": 5.0})

    tests = [guest.make(maker.make_test(number, 100, 2)) for number in range(1, 5)]

    assert maker.tally.spoilers.harmful == {"close()"}
    assert not [
        statement for test in tests for statement in test.prefix if statement.member.name == "close"
    ]


def test_a_dump_stays_whole_beside_the_reason_that_is_counted():
    tally = GenerationTally()

    for number in (1, 22):
        tally.record_drop(
            "a test", f"deadlock of {number} threads\nThread-{number} BLOCKED\n    at a.B"
        )

    assert tally.dropped == {"a test: deadlock of # threads": 2}
    assert tally.dumps == {"a test: deadlock of # threads": "Thread-1 BLOCKED\n    at a.B"}


def test_threads_that_only_make_further_objects_are_no_test():
    guest = Guest()
    maker = generator(guest, **{"<init>(org.example.Factory,int)": 1e9})

    assert guest.make(maker.make_test(1, 16, 2)) is None
    assert maker.tally.dropped["a test: its threads do not use the object they share"] > 0


def test_what_has_failed_is_drawn_less_until_it_works_again():
    guest = Guest(worse=frozenset(("size",)))
    maker = generator(guest)
    size = _size(maker)

    before = maker.compute_weight(size)
    guest.make(maker.make_test(1, 400, 2))

    assert maker.compute_weight(size) < before / 2
    maker.tally.failing[size.key] = 0
    assert maker.compute_weight(size) == before


def test_an_interface_that_asks_for_a_method_twice_is_not_implemented():
    twice = (*FACTORY, ("answers", "make", "", "java.lang.String"))
    guest = Guest(factory=twice)

    assert guest.make(describe_types(POOL)).find_makers("org.example.Factory") == ()
    assert len(Guest().make(describe_types(POOL)).find_makers("org.example.Factory")) == 2
