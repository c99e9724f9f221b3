"""Which methods are kept away from an object, as others fail after them."""

from made_up_pool import POOL, Guest

from auditor.concurrency.judge.catalogue import describe_types
from auditor.concurrency.judge.generation import ConcurrentTestGenerator
from auditor.concurrency.judge.terminal_methods import Spoilers
from auditor.core.contracts.concurrency import RacePlan
from auditor.core.contracts.concurrent_test import GenerationAnswer, Variable


class Jealous(Guest):
    """A pool that does not tell its size while something is lent."""

    def _step(self, statement, state):
        if statement.member.name == "size" and state.lent:
            return GenerationAnswer(problem="something is lent in the new version")
        return super()._step(statement, state)


class Empty(Guest):
    """A pool that has nothing to lend until something was given to it."""

    def _step(self, statement, state):
        name = statement.member.name
        if name == "giveBack":
            state.filled = True
        if name == "borrow" and not getattr(state, "filled", False):
            return GenerationAnswer(problem="nothing to lend in the new version")
        return super()._step(statement, state)


def generator(guest, **weights):
    catalogue = guest.make(describe_types(POOL))
    return ConcurrentTestGenerator(catalogue=catalogue, weights=weights, plan=RacePlan(seed=3))


def spoilers(guest, **weights):
    return guest.make(generator(guest, **weights)._spoilers())


def test_what_spoils_nothing_once_it_is_given_back_is_lent():
    result = spoilers(Jealous())

    assert result.harmful == {"borrow()", "close()"}
    assert (result.shunned, result.lent) == ({"close()"}, {"borrow()"})


def test_what_is_lent_is_always_given_back_and_in_no_prefix():
    guest = Jealous()
    maker = generator(guest, **{"borrow()": 10.0})

    tests = [guest.make(maker.make_test(number, 400, 2)) for number in (1, 2)]

    assert not [
        statement
        for test in tests
        for statement in test.prefix
        if statement.member.name == "borrow"
    ]
    for suffix in (sequence for test in tests for sequence in test.suffixes):
        lent = [
            index for index, statement in enumerate(suffix) if statement.member.name == "borrow"
        ]
        assert len(lent) > 3
        for position in lent:
            assert suffix[position + 1].member.name == "giveBack"
            assert suffix[position + 1].arguments == (Variable(position, shared=False),)


def test_a_method_that_is_worth_more_than_what_fails_after_it_is_called():
    """A change in `borrow` would stay untested for the sake of `size`, which has none."""
    guest = Jealous(worse=frozenset(("giveBack", "close")))

    assert spoilers(guest, **{"borrow()": 5.0}) == Spoilers(harmful=frozenset(("borrow()",)))
    assert spoilers(guest, **{"borrow()": 5.0, "size()": 6.0}).shunned == {"borrow()"}
    assert spoilers(guest).shunned == {"borrow()"}


def test_a_method_that_needs_another_one_before_it_spoils_nothing():
    assert spoilers(Empty(worse=frozenset(("close",)))) == Spoilers()
