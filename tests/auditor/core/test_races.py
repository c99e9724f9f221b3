"""Statements of concurrent tests as texts."""

from hypothesis import given
from hypothesis import strategies as st

from auditor.core.contracts import concurrent_test
from auditor.core.contracts.concurrent_test import (
    Literal,
    Member,
    MemberKind,
    Statement,
    Variable,
    statement_of,
)

NAMES = st.from_regex(r"[a-z]{1,5}(\.[A-Z][a-z]{0,4}){1,2}(\$[A-Z])?(\[\])?", fullmatch=True)
ARGUMENTS = st.one_of(
    st.builds(Variable, st.integers(0, 99), st.booleans()),
    st.builds(Literal, NAMES, st.none() | st.text(max_size=9)),
)
STATEMENTS = st.builds(
    Statement,
    member=st.builds(
        Member,
        kind=st.sampled_from(MemberKind),
        owner=NAMES,
        name=st.text("abc", max_size=5),
        parameters=st.lists(NAMES, max_size=3).map(tuple),
        returns=NAMES,
    ),
    receiver=st.none() | st.builds(Variable, st.integers(0, 99), st.booleans()),
    arguments=st.lists(ARGUMENTS, max_size=3).map(tuple),
)


@given(STATEMENTS)
def test_the_text_of_a_statement_says_all_of_it(statement):
    assert statement_of(statement.text_fields) == statement


def test_calls_are_those_of_the_suffixes_that_take_part_and_of_all_in_the_control():
    statement = Statement(member=Member(kind=MemberKind.METHOD, owner="a.B", name="c"))
    test = concurrent_test.Test(
        number=1, prefix=(), subject=0, suffixes=((statement,) * 2, (statement,) * 5), repeats=9
    )

    assert [test.count_calls(threads, 3) for threads in (1, 2, 0)] == [6, 21, 21]


def test_a_key_is_that_of_the_byte_code():
    constructor = Member(kind=MemberKind.CONSTRUCTOR, owner="a.B", name="", parameters=("int",))
    field = Member(kind=MemberKind.SET, owner="a.B", name="limit", parameters=("int",))

    assert (constructor.key, field.key) == ("<init>(int)", "limit")
