"""Concurrent tests as benchmarks, compiled as a project that keeps them would: JMH's own compiler
plugin refuses what it could not run."""

import subprocess

import pytest
from jmh_making import jmh_jars

from auditor.core.contracts import concurrent_test
from auditor.core.contracts.concurrent_test import Literal, Member, MemberKind, Statement, Variable
from mutators.java.races import RaceHeader, RaceWriter
from runners.jmh.jdk import BRIEF

pytestmark = pytest.mark.subject
QUEUE, ORDER = "java.util.concurrent.PriorityBlockingQueue", "java.util.Comparator"
OBJECT = "java.lang.Object"
SUBJECT = Variable(1, shared=True)
COMPARE = Member(
    kind=MemberKind.METHOD, owner="", name="compare", parameters=(OBJECT, OBJECT), returns="int"
)
NUMBERS = Member(
    kind=MemberKind.ARRAY, owner="int", name="", parameters=("int", "int"), returns="int[]"
)


def on_queue(name, *arguments, parameters=(), returns="void"):
    called = Member(
        kind=MemberKind.METHOD, owner=QUEUE, name=name, parameters=parameters, returns=returns
    )
    return Statement(member=called, receiver=SUBJECT, arguments=arguments)


def test_jmh_takes_the_benchmarks_that_are_written(jmh_home, tmp_path):
    order = Member(kind=MemberKind.PLAIN, owner=ORDER, name="true", returns=ORDER)
    queue = Member(
        kind=MemberKind.CONSTRUCTOR, owner=QUEUE, name="", parameters=("int", ORDER), returns=QUEUE
    )
    eleven = Literal("int", "11")
    prefix = (
        Statement(member=order),
        Statement(member=queue, arguments=(eleven, Variable(0, shared=True))),
    )
    suffix = (
        on_queue("offer", Literal(OBJECT, None), parameters=(OBJECT,), returns="boolean"),
        on_queue("size", returns="int"),
        on_queue("clear"),
        Statement(member=NUMBERS, arguments=(eleven, eleven)),
    )
    test = concurrent_test.Test(
        number=3, prefix=prefix, subject=1, suffixes=(suffix,) * 2, repeats=7
    )
    notes = RaceHeader(subject=QUEUE, old="a.jar", new="b.jar", seed=5)
    writer = RaceWriter(lambda type_: type_, {ORDER: (COMPARE,)}, notes, with_jmh=True)
    (_, _), (name, text) = writer.write_files(test)
    source = tmp_path / name
    source.parent.mkdir(parents=True)
    source.write_text(text)
    path = ":".join(map(str, jmh_jars(jmh_home)["1.37"]))

    words = ("javac", *BRIEF, "-cp", path, "-processorpath", path, "-d", tmp_path / "classes")
    completed = subprocess.run((*words, source), check=False, capture_output=True, text=True)

    assert completed.returncode == 0, completed.stderr
    benchmark_list = (tmp_path / "classes" / "META-INF" / "BenchmarkList").read_text()
    assert "races.Race3Benchmark" in benchmark_list
    assert "race3" in benchmark_list
