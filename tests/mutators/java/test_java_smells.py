"""The linter of JMH benchmarks as a whole: what it finds where, and sources that are hostile."""

import time

import pytest

from auditor.core.contracts.lint import Confidence
from auditor.core.subject import SourceFile, SourceRole, Span
from mutators.java.lint_rules.linter import JavaLinter

BENCH = """package org.example;

import org.openjdk.jmh.annotations.*;
import org.openjdk.jmh.infra.Blackhole;

@State(Scope.Thread)
public class Bench {{
    int x = 3;
    {0}
}}
"""
WORK = """package org.example;

public class Work {
    private int calls;
    public static int twice(int n) { return n + n; }
    public int counted(int n) { calls++; return n; }
}
"""


def look(*texts):
    """Look at files, each named after its number."""
    sources = [
        SourceFile(path=f"F{number}.java", unit="unit", role=SourceRole.BENCHMARKS, text=text)
        for number, text in enumerate(
            source_text.encode() if isinstance(source_text, str) else source_text
            for source_text in texts
        )
    ]
    return JavaLinter().find_smells(sources)


def test_names_of_benchmarks():
    text = BENCH.format(
        """@Benchmark public int one() { return x; }
    static class Inner { @org.openjdk.jmh.annotations.Benchmark public int two() { return 2; } }
    public int three() { return 3; }"""
    )

    assert look(text).benchmarks == ("Bench.one", "Bench.Inner.two")


@pytest.mark.parametrize(
    "imported",
    [
        "import com.google.caliper.Benchmark;\nimport org.openjdk.jmh.infra.Blackhole;",
        "import com.google.caliper.*;",
    ],
)
def test_benchmarks_of_other_harnesses_are_left_alone(imported):
    text = f"{imported}\nclass A {{ @Benchmark public void one() {{ new Object(); }} }}"

    assert look(text) == look("")


def test_a_smell_says_where_it_is_and_of_what():
    text = BENCH.format(
        """
    @Benchmark
    @Threads(1)
    public void sum() {
        Work.twice(x);
    }"""
    )

    (smell,) = look(text, WORK).smells

    assert smell.rule == "jmh-unused-result"
    assert smell.benchmark == "Bench.sum"
    assert smell.span == Span("F0.java", 13, 13)
    assert smell.top == 10
    assert smell.calls == ("Work.twice",)
    assert "twice(...)" in smell.text


def test_smells_come_in_the_order_of_files_and_lines():
    later = BENCH.format("@Benchmark public void b() { new Object(); Math.abs(x); }")
    first = later.replace("class Bench", "class Other")

    smells = look(first, later).smells

    places = [(smell.span.file, smell.span.first_line) for smell in smells]
    assert places == sorted(places)
    assert {file for file, _ in places} == {"F0.java", "F1.java"}
    assert len(places) == 4


def test_rules_are_told_apart_and_have_advice():
    rules = JavaLinter().rules

    assert len({rule.id for rule in rules}) == len(rules)
    assert all(rule.id.startswith("jmh-") and rule.title and rule.advice for rule in rules)
    assert {rule.sure for rule in rules} == set(Confidence)
    assert JavaLinter().comment_prefix == "//"


def test_a_file_with_broken_syntax_is_unread_and_the_rest_of_it_is_seen():
    text = BENCH.format(
        "@Benchmark public void good() { Math.abs(x); }\n"
        "    @Benchmark public void bad() { Math.abs(x; }"
    )

    looked = look(text)

    assert looked.unread == ("F0.java",)
    assert {smell.benchmark for smell in looked.smells} <= {"Bench.good"}


def test_broken_files_without_benchmarks_do_not_matter():
    assert look("import org.openjdk.jmh.annotations.*; class {{{").unread == ()


@pytest.mark.parametrize("junk", [b"\xff\xfe\x00", b"\x00" * 50, b"\xc3\x28 \xf0\x9f"])
def test_odd_bytes_do_no_harm(junk):
    text = BENCH.format("@Benchmark public void one() { Math.abs(x); }").encode()

    look(text + junk)
    look(text.replace(b"Math.abs(x)", b'String.valueOf("' + junk + b'")'))
    looked = look(text.replace(b"int x", b"/* " + junk.replace(b"\x00", b" ") + b" */ int x"))

    assert [smell.rule for smell in looked.smells] == ["jmh-unused-result"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("int y = " + "(" * 5000, "x" + ")" * 5000 + ";"),
        ("Math.abs(" * 2000, "x" + ")" * 2000 + ";"),
        ("x = " + "-" + " -" * 5000, "x;"),
        ("x = x" + ".y" * 5000, ";"),
        ("x = a" + ".b()" * 5000, ".c();"),
        ("{" * 5000, "}" * 5000),
        ("if (x > 0) " * 3000, "x++;"),
        ("int z = 1" + " + 1" * 5000, "; Math.abs(z);"),
        ("x = " + '"a" + ' * 5000, '"b";'),
        ("Runnable r = " + "() -> " * 3000, "x;"),
    ],
)
def test_deep_nesting_is_looked_at_in_time(before, after):
    text = BENCH.format(f"@Benchmark public int deep() {{ {before + after} return x; }}")

    start = time.monotonic()
    looked = look(text)

    assert time.monotonic() - start < 5
    assert looked.benchmarks in ((), ("Bench.deep",))


def test_methods_and_classes_that_go_in_circles():
    text = BENCH.format(
        """static final int A = B; static final int B = A;
    static int even(int n) { return odd(n - 1); }
    static int odd(int n) { return even(n - 1); }
    @Benchmark public int both() { return even(A); }
    @Benchmark public void none() { even(x); }"""
    ).replace("class Bench", "class Bench extends Other")

    looked = look(text, "package org.example; class Other extends Bench {}")

    assert looked.benchmarks == ("Bench.both", "Bench.none")


def test_nothing_is_found_in_nothing():
    looked = JavaLinter().find_smells([])

    assert (looked.benchmarks, looked.smells, looked.unread) == ((), (), ())
