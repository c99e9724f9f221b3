"""Talking with the guest that tries sequences, and what it survives."""

import shutil

import pytest
from arena_making import HAZARD, arena_of, children
from hypothesis import given
from hypothesis import strategies as st

from auditor.concurrency.judge.catalogue import describe_types
from auditor.core.contracts.concurrent_test import (
    AttemptRequest,
    Literal,
    Member,
    MemberKind,
    Segment,
    Statement,
    Variable,
)
from runners.concurrency.arena import join_fields, split_fields

pytestmark = [
    pytest.mark.subject,
    pytest.mark.skipif(shutil.which("javac") is None, reason="needs a JDK"),
]
NAME = "org.example.Hazard"
SUBJECT = Variable(0, shared=True)
MAKE = Statement(member=Member(kind=MemberKind.CONSTRUCTOR, owner=NAME, name="", returns=NAME))


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    """A class of hazards, whose new version has one method less and fails in another."""
    new = (
        HAZARD.replace("public int fine(int a) { return a + 1; }", "")
        .replace("return what;", 'throw new java.io.IOException("broken\\tpipe");')
        .replace("any(Object what)", "any(Object what) throws java.io.IOException")
        .replace("interface Grown { int a(); ", "interface Grown { int a(); String b(int c); ")
    )
    with arena_of(tmp_path_factory.mktemp("talk"), new=new, attempt_seconds=0.5) as local_arena:
        yield local_arena


def call(name, *arguments, types=(), returns="void", kind=MemberKind.METHOD):
    """Return a call of the object that the prefix makes."""
    member = Member(kind=kind, owner=NAME, name=name, parameters=types, returns=returns)
    return Statement(member=member, receiver=SUBJECT, arguments=arguments)


def attempts(*segments, threads=False):
    """Make one attempt after the other; return the answers."""
    answers = []
    for segment in segments:
        statements = segment if isinstance(segment, tuple) else (segment,)
        parts = tuple(Segment((statement,)) for statement in statements)
        answers.append((yield AttemptRequest(prefix=(MAKE,), segments=parts, threads=threads)))
    return answers


def problems(answers):
    return [answer.problem for answer in answers]


@given(st.lists(st.text(), min_size=1))
def test_lines_of_fields_come_back_as_they_were(fields):
    line = join_fields(tuple(fields))

    assert "\n" not in line
    assert split_fields(line) == tuple(fields)


def test_the_catalogue_has_what_both_versions_have(arena):
    result = arena.run_generation(describe_types(NAME))

    names = {method.name for method in result.methods}
    assert {"fail", "limit", "with", "any", "text"} < names
    assert "fine" not in names
    assert not {"wait", "getClass", "locked", "hashCode"} & names
    assert [creator.key for creator in result.creators] == [
        "<init>()", "of(java.lang.String)", "cook(int)",
    ]  # fmt: skip
    plain = [
        maker.name
        for maker in result.find_makers("java.util.Comparator")
        if maker.kind is MemberKind.PLAIN
    ]
    assert plain == ["true", "false"]
    # Old and new ask for other methods: an implementation has to have all of them.
    assert [answer.key for answer in result.types[f"{NAME}$Grown"].answers] == [
        "a()",
        "b(int)",
        "d()",
    ]


def test_what_goes_well_with_both_is_fine_and_what_fails_with_one_is_said(arena):
    text = call("text", Literal("java.lang.String", "a\tb\\"), Literal("char", "\n"),
                types=("java.lang.String", "char"), returns="java.lang.String")  # fmt: skip
    works = Member(
        kind=MemberKind.PLAIN, owner="java.util.Comparator", name="true", parameters=("int",)
    )
    compare = Statement(member=works, arguments=(Literal("int", "9"),))
    with_one = call("with", Variable(0, shared=False), types=("java.util.Comparator",))
    any_ = call("any", Literal("int", "-1"), types=("java.lang.Object",))
    field = call("limit", kind=MemberKind.GET, returns="int")
    limit = call("limit", Literal("int", "7"), types=("int",), kind=MemberKind.SET)

    def making():
        plain = AttemptRequest(prefix=(MAKE,), segments=(Segment((compare, with_one)),))
        return [*(yield from attempts(text, field, limit, call("fail"), any_)), (yield plain)]

    assert problems(arena.run_generation(making())) == [
        "", "", "",
        "java.lang.IllegalStateException: not now in the old version",
        "java.io.IOException: broken\tpipe in the new version",
        "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("interface", "method"),
    [(f"{NAME}$Grounded", "grounded"), ("java.util.Comparator", "sorted")],
)
def test_an_implementation_inherits_what_its_interface_has_a_body_for(arena, interface, method):
    """As the class that a written test has instead: what works here is to work there."""
    plain = Statement(member=Member(kind=MemberKind.PLAIN, owner=interface, name="true"))
    taker = call(method, Variable(0, shared=False), types=(interface,), returns="int")

    def making():
        return [(yield AttemptRequest(prefix=(MAKE,), segments=(Segment((plain, taker)),)))]

    assert problems(arena.run_generation(making())) == [""]


def test_an_object_can_be_had_from_a_static_method_of_another_class(arena):
    def making():
        (cook,) = [
            creator
            for creator in (yield from describe_types(NAME)).creators
            if creator.name == "cook"
        ]
        statement = Statement(member=cook, arguments=(Literal("int", "200"),))
        return cook.owner, [(yield AttemptRequest(prefix=(statement, call("fail"))))]

    owner, answers = arena.run_generation(making())

    assert owner == f"{NAME}$Kitchen"
    assert problems(answers) == ["java.lang.IllegalStateException: not now in the old version"]


def test_a_call_that_blocks_ends_in_time_and_the_next_one_is_answered(arena):
    answers = arena.run_generation(attempts(call("block"), call("limit", kind=MemberKind.GET)))

    assert [answer.blocked for answer in answers] == [True, False]
    assert problems(answers) == ["no end with the old version", ""]


def test_a_call_that_nothing_ends_costs_a_guest_and_blames_no_other_call(arena):
    answers = arena.run_generation(
        attempts(call("spin"), call("limit", kind=MemberKind.GET), call("fail"))
    )

    assert [answer.blocked for answer in answers] == [True, False, False]
    assert problems(answers)[1:] == [
        "", "java.lang.IllegalStateException: not now in the old version",
    ]  # fmt: skip


def test_an_exit_is_an_answer_and_the_next_guest_goes_on(arena):
    answers = arena.run_generation(attempts(call("exit"), call("limit", kind=MemberKind.GET)))

    assert problems(answers) == ["its process ended (3)", ""]


def test_memory_that_is_used_up_is_an_exception_as_any(arena):
    answers = arena.run_generation(attempts(call("devour"), call("limit", kind=MemberKind.GET)))

    assert answers[0].problem
    assert answers[1].problem == ""


def test_what_a_class_prints_is_no_answer(tmp_path):
    with arena_of(tmp_path, attempt_seconds=20.0) as arena:  # what it prints is long
        answers = arena.run_generation(
            attempts(call("chatter"), call("limit", kind=MemberKind.GET))
        )

    assert problems(answers) == ["", ""]


def test_what_a_class_writes_past_its_streams_hides_no_answer(arena):
    answers = arena.run_generation(attempts(call("mutter", returns="int"), call("fail")))

    assert problems(answers) == [
        "", "java.lang.IllegalStateException: not now in the old version",
    ]  # fmt: skip


def test_a_process_that_answers_no_more_is_ended_and_the_call_counts_as_one_that_hangs(tmp_path):
    with arena_of(tmp_path, attempt_seconds=0.2, late_seconds=0.5) as arena:
        answers = arena.run_generation(
            attempts(call("paralyse"), call("limit", kind=MemberKind.GET))
        )

    assert problems(answers) == ["no end, nor an answer of its process", ""]
    assert [answer.blocked for answer in answers] == [True, False]
    assert children() == []


def test_threads_that_wait_for_each_other_do_not_come_to_an_end(arena):
    lock_calls = (call("lockOne"), call("lockOther"))

    answers = arena.run_generation(attempts(lock_calls, threads=True))

    assert answers[0].blocked
    headline, *dump = answers[0].problem.splitlines()
    assert headline == "deadlock of 2 threads with the old version"
    assert [line for line in dump if "BLOCKED on java.lang.Object@" in line and "held by" in line]
    assert [line for line in dump if "org.example.Hazard.locked" in line]


def test_a_statement_that_does_not_exist_is_said_not_raised(arena):
    answers = arena.run_generation(attempts(call("vanished")))

    assert "NoSuchMethodException" in answers[0].problem
