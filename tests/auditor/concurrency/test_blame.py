"""Which calls of a test cannot be written, by what a compiler says of tests of each of them."""

from auditor.concurrency.judge.uncompilable_calls import split_test, uncompilable_members
from auditor.core.contracts import concurrent_test
from auditor.core.contracts.concurrent_test import Literal, Member, MemberKind, Statement, Variable

POOL, ITEM = "org.example.Pool", "org.example.Item"
MAKE = Member(kind=MemberKind.CONSTRUCTOR, owner=POOL, name="", returns=POOL)
STATIC_OF = Member(kind=MemberKind.STATIC, owner=ITEM, name="of", parameters=("int",), returns=ITEM)
ADD = Member(kind=MemberKind.METHOD, owner=POOL, name="add", parameters=(ITEM,))
SIZE = Member(kind=MemberKind.METHOD, owner=POOL, name="size", returns="int")
SUBJECT = Variable(1, shared=True)
ITEMS = Statement(member=STATIC_OF, arguments=(Literal("int", "1"),))


def make_test(*suffix):
    """Return a test whose prefix has an item, a pool, and a call of its size."""
    prefix = (ITEMS, Statement(member=MAKE), Statement(member=SIZE, receiver=SUBJECT))
    return concurrent_test.Test(
        number=7, prefix=prefix, subject=1, suffixes=(suffix, suffix), repeats=3
    )


def add(argument):
    return Statement(member=ADD, receiver=SUBJECT, arguments=(argument,))


FULL_TEST = make_test(ITEMS, add(Variable(0, shared=False)), add(Literal(ITEM, None)))


def test_each_member_has_a_test_with_what_it_needs_in_its_place():
    parts = {part.test.number: part for part in split_test(FULL_TEST)}

    assert [test.member for test in parts.values()] == [STATIC_OF, MAKE, SIZE, ADD, ADD]
    item, pool, size, of_variable, of_null = parts.values()
    assert size.needs == {pool.test.number}
    assert [statement.member.kind for statement in size.test.prefix] == [
        MemberKind.ARRAY, MemberKind.CONSTRUCTOR, MemberKind.METHOD,
    ]  # fmt: skip
    assert of_variable.needs == {pool.test.number, item.test.number}
    assert of_variable.test.suffixes == ((ITEMS, add(Variable(0, shared=False))),)
    assert of_null.test.suffixes[0][2] == add(Literal(ITEM, None))
    assert len(parts) == 5


def test_a_member_that_only_fails_with_another_one_is_not_blamed():
    tests = split_test(FULL_TEST)
    names = [test.test.number for test in tests]

    assert uncompilable_members(tests, {}) == {}
    assert uncompilable_members(tests, {names[4]: "incompatible types"}) == {
        ADD: "incompatible types"
    }
    compile_errors = {names[0]: "cannot find symbol", names[3]: "another"}
    assert uncompilable_members(tests, compile_errors) == {STATIC_OF: "cannot find symbol"}


def test_what_also_works_without_it_hides_no_member_that_is_to_blame():
    """A pool of a size fails for the size, which needs a pool: one of a number, which works."""
    of_int = Member(
        kind=MemberKind.CONSTRUCTOR, owner=POOL, name="", parameters=("int",), returns=POOL
    )
    prefix = (ITEMS, Statement(member=of_int, arguments=(Literal("int", "1"),)))
    size = Statement(member=SIZE, receiver=SUBJECT)
    second_pool = Statement(member=of_int, arguments=(Variable(0, shared=False),))
    test = concurrent_test.Test(
        number=7, prefix=prefix, subject=1, suffixes=((size, second_pool),), repeats=3
    )
    tests = split_test(test)
    wrong = {
        member_test.test.number: "no"
        for member_test in tests
        if size in member_test.test.suffixes[0]
    }

    assert len(wrong) == 2
    assert uncompilable_members(tests, wrong) == {SIZE: "no"}
