"""Concurrent tests as Java source."""

from auditor.core.contracts import concurrent_test
from auditor.core.contracts.concurrent_test import Literal, Member, MemberKind, Statement, Variable
from mutators.java.races import RaceHeader, RaceWriter

POOL = "org.example.Outer$Pool"
SUBJECT = Variable(1, shared=True)
ANSWERS = {
    "org.example.Factory": (
        Member(
            kind=MemberKind.METHOD,
            owner="",
            name="make",
            parameters=("int",),
            returns="java.lang.Object",
        ),
        Member(kind=MemberKind.METHOD, owner="", name="valid", returns="boolean"),
        Member(kind=MemberKind.METHOD, owner="", name="size", returns="long"),
        Member(kind=MemberKind.METHOD, owner="", name="drop", parameters=("java.lang.Object[]",)),
    )
}


def member(kind, name="", *, parameters=(), returns="void", owner=POOL):
    return Member(kind=kind, owner=owner, name=name, parameters=parameters, returns=returns)


def make_pool_test(*suffix, subject=POOL, rounds=()):
    """Return a test whose prefix makes a pool of a plain factory, which may work."""
    factory = member(
        MemberKind.PLAIN,
        "true",
        parameters=("int",) * len(rounds),
        owner="org.example.Factory",
        returns="org.example.Factory",
    )
    pool = member(
        MemberKind.CONSTRUCTOR, parameters=("org.example.Factory",), returns=subject, owner=subject
    )
    prefix = (
        Statement(member=factory, arguments=rounds),
        Statement(member=pool, arguments=(Variable(0, shared=True),)),
    )
    return concurrent_test.Test(
        number=3, prefix=prefix, subject=1, suffixes=(suffix, suffix), repeats=7
    )


def writer(*, subject=POOL, old="a.jar", jmh=False):
    notes = RaceHeader(subject=subject, old=old, new="b.jar", seed=5)
    return RaceWriter(lambda type_: type_.replace("$", "."), ANSWERS, notes, jmh)


def line(statement):
    """Return how one statement of a suffix is written."""
    text = writer().write_program(make_pool_test(statement))
    block = text.partition("private void block0(Sink sink) throws Throwable {\n")[2]
    return block.partition("    }\n")[0].strip()


def on_pool(name, *arguments, parameters=(), returns="void", kind=MemberKind.METHOD):
    called = member(kind, name, parameters=parameters, returns=returns)
    return Statement(member=called, receiver=SUBJECT, arguments=arguments)


def test_values_are_kept_and_handed_to_the_sink():
    assert line(on_pool("borrow", returns="java.lang.Object")) == (
        "Object s0 = p1.borrow();\n        sink.take(s0);"
    )


def test_arguments_say_their_parameter_s_type_where_another_overload_could_be_meant():
    arguments = (Variable(0, shared=False), Literal("int", "-1"), Literal("java.lang.String", None))
    parameters = ("java.lang.Object", "java.lang.Object", "java.lang.String")

    assert line(on_pool("put", *arguments, parameters=parameters)) == (
        "p1.put((Object) s0, (Object) (-1), (String) null);"
    )


def test_literals_are_java_s():
    literals = [
        ("long", "5"), ("float", "0.5"), ("byte", "7"), ("char", "'"), ("boolean", "true"),
        ("java.lang.String", 'say "a\\b"'), ("java.lang.Class", "org.example.Outer$Pool"),
    ]  # fmt: skip
    call = on_pool(
        "all",
        *(Literal(*literal) for literal in literals),
        parameters=tuple(text for text, _ in literals),
    )

    assert line(call) == (
        'p1.all(5L, 0.5f, (byte) (byte) 7, \'\\\'\', true, "say \\"a\\\\b\\"", '
        "org.example.Outer.Pool.class);"
    )


def test_fields_constants_statics_and_arrays_are_written():
    field = on_pool("limit", kind=MemberKind.GET, returns="int")
    set_ = on_pool("limit", Literal("int", "3"), kind=MemberKind.SET, parameters=("int",))
    constant = Statement(member=member(MemberKind.CONSTANT, "EMPTY", returns=POOL))
    static = Statement(member=member(MemberKind.STATIC, "of", returns=POOL))
    array = Statement(
        member=Member(
            kind=MemberKind.ARRAY, owner="int", name="", parameters=("int",) * 2, returns="int[]"
        ),
        arguments=(Literal("int", "1"), Literal("int", "2")),
    )

    assert [
        line(statement).partition("\n")[0] for statement in (field, set_, constant, static, array)
    ] == [
        "int s0 = p1.limit;",
        "p1.limit = 3;",
        "org.example.Outer.Pool s0 = org.example.Outer.Pool.EMPTY;",
        "org.example.Outer.Pool s0 = org.example.Outer.Pool.of();",
        "int[] s0 = new int[] {1, 2};",
    ]


def test_a_factory_is_called_on_an_object_that_a_suffix_has_made():
    owner = "org.example.Builder"
    new = Statement(member=member(MemberKind.CONSTRUCTOR, owner=owner, returns=owner))
    build = Statement(
        member=member(MemberKind.FACTORY, "build", owner=owner, returns=POOL),
        receiver=Variable(0, shared=False),
    )

    lines = writer().write_program(make_pool_test(new, build)).splitlines()

    assert "        org.example.Builder s0 = new org.example.Builder();" in lines
    assert "        org.example.Outer.Pool s1 = s0.build();" in lines


def test_an_interface_is_implemented_with_plain_values():
    text = writer().write_program(make_pool_test(on_pool("size")))

    assert "p0 = new Plain0();" in text
    body = text.partition("class Plain0 implements org.example.Factory {\n")[2]
    assert "public Object make(int a0) {\n            return new Object();" in body
    assert "public boolean valid() {\n            return true;" in body
    assert "public long size() {\n            return (long) 0;" in body
    assert "public void drop(Object[] a0) {\n        }" in body


def test_an_implementation_that_works_does_so_in_each_of_its_methods():
    test = make_pool_test(on_pool("size"), rounds=(Literal("int", "4000"),))
    text, jmh_benchmark = writer().write_program(test), writer().write_jmh_benchmark(test)

    assert "p0 = new Plain0(4000);" in text
    assert text.count("            work(rounds);\n") == 4
    assert "public Object make(int a0) {\n            work(rounds);\n            return" in text
    assert "private static void work(int rounds)" in text
    assert "private static void work(int rounds)" in jmh_benchmark
    assert "work(" not in writer().write_program(make_pool_test(on_pool("size")))


def test_what_a_user_wrote_ends_no_comment():
    text = writer(old="libs/*/x\\u000a.jar\nimport java.io;").write_program(
        make_pool_test(on_pool("size"))
    )

    comment = text.partition("/**")[2].partition("*/")[0]
    assert "libs/*&#47;x&#92;u000a.jar import java.io; against b.jar" in comment
    assert "Made by bench-audit with seed 5." in comment


def test_a_class_without_a_package_has_tests_without_one_and_no_benchmark():
    without = writer(subject="Pool", jmh=True)

    assert without.name_test_class(make_pool_test(subject="Pool")) == "Race3"
    assert [name for name, _ in without.write_files(make_pool_test(subject="Pool"))] == [
        "Race3.java"
    ]
    assert (
        "package"
        not in without.write_program(make_pool_test(subject="Pool")).partition("import")[0]
    )


def test_a_benchmark_has_a_thread_for_each_suffix_and_makes_the_object_anew():
    (_, _), (path, text) = writer(jmh=True).write_files(
        make_pool_test(on_pool("size", returns="int"))
    )

    assert path == "jmh/races/Race3Benchmark.java"
    assert text.count('@Group("race3")') == text.count("@GroupThreads(1)") == 2
    assert "@Setup(Level.Iteration)\n    public void prefix()" in text
    assert "sink.consume(s0);" in text
