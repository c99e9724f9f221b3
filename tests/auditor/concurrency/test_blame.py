"""Which calls of a test cannot be written, by what a compiler says of tests of each of them."""

from auditor.concurrency.judge.uncompilable_calls import split_test, uncompilable_members
from auditor.core.contracts import concurrent_test
from auditor.core.contracts.concurrent_test import Literal, Member, MemberKind, Statement, Variable

POOL, ITEM = "org.example.Pool", "org.example.Item"
MAKE = Member(kind=MemberKind.CONSTRUCTOR, owner=POOL, name="", returns=POOL)
OF = Member(kind=MemberKind.STATIC, owner=ITEM, name="of", parameters=("int",), returns=ITEM)
ADD = Member(kind=MemberKind.METHOD, owner=POOL, name="add", parameters=(ITEM,))
SIZE = Member(kind=MemberKind.METHOD, owner=POOL, name="size", returns="int")
SUBJECT = Variable(1, shared=True)
ITEMS = Statement(member=OF, arguments=(Literal("int", "1"),))


def made(*suffix):
    """Return a test whose prefix has an item, a pool, and a call of its size."""
    prefix = (ITEMS, Statement(member=MAKE), Statement(member=SIZE, receiver=SUBJECT))
    return concurrent_test.Test(
        number=7, prefix=prefix, subject=1, suffixes=(suffix, suffix), repeats=3
    )


def add(argument):
    return Statement(member=ADD, receiver=SUBJECT, arguments=(argument,))


WHOLE = made(ITEMS, add(Variable(0, shared=False)), add(Literal(ITEM, None)))


def test_each_member_has_a_test_with_what_it_needs_in_its_place():
    found = {part.test.number: part for part in split_test(WHOLE)}

    assert [test.member for test in found.values()] == [OF, MAKE, SIZE, ADD, ADD]
    item, pool, size, of_variable, of_null = found.values()
    assert size.needs == {pool.test.number}
    assert [statement.member.kind for statement in size.test.prefix] == [
        MemberKind.ARRAY, MemberKind.CONSTRUCTOR, MemberKind.METHOD,
    ]  # fmt: skip
    assert of_variable.needs == {pool.test.number, item.test.number}
    assert of_variable.test.suffixes == ((ITEMS, add(Variable(0, shared=False))),)
    assert of_null.test.suffixes[0][2] == add(Literal(ITEM, None))
    assert len(found) == 5


def test_a_member_that_only_fails_with_another_one_is_not_blamed():
    tests = split_test(WHOLE)
    names = [test.test.number for test in tests]

    assert uncompilable_members(tests, {}) == {}
    assert uncompilable_members(tests, {names[4]: "incompatible types"}) == {
        ADD: "incompatible types"
    }
    said = {names[0]: "cannot find symbol", names[3]: "another"}
    assert uncompilable_members(tests, said) == {OF: "cannot find symbol"}


def test_what_also_works_without_it_hides_no_member_that_is_to_blame():
    """A pool of a size fails for the size, which needs a pool: one of a number, which works."""
    of_int = Member(
        kind=MemberKind.CONSTRUCTOR, owner=POOL, name="", parameters=("int",), returns=POOL
    )
    prefix = (ITEMS, Statement(member=of_int, arguments=(Literal("int", "1"),)))
    size = Statement(member=SIZE, receiver=SUBJECT)
    again = Statement(member=of_int, arguments=(Variable(0, shared=False),))
    test = concurrent_test.Test(
        number=7, prefix=prefix, subject=1, suffixes=((size, again),), repeats=3
    )
    tests = split_test(test)
    wrong = {
        member_test.test.number: "no"
        for member_test in tests
        if size in member_test.test.suffixes[0]
    }

    assert len(wrong) == 2
    assert uncompilable_members(tests, wrong) == {SIZE: "no"}
