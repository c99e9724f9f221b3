"""Constant inputs and loops of JMH benchmarks."""

import cProfile
import pstats

import pytest

from auditor.core.contracts.lint import Confidence
from auditor.core.subject import SourceFile, SourceRole
from mutators.java.lint_rules.linter import JavaLinter

BENCH = """package org.example;

import java.util.*;
import org.openjdk.jmh.annotations.*;
import org.openjdk.jmh.infra.Blackhole;

@State(Scope.Thread)
public class Bench {
    static final int FIVE = 5;
    static final int SIX = FIVE + 1;
    static final int UNSEEN = Integer.getInteger("n");
    static int changing = 5;
    final int wrong = 42;
    final int size = 100;
    final int later;
    final Integer boxed = 42;
    final String text = "a,b";
    @Param({"1", "2"}) int turns;
    int x = 42;
    int[] array = new int[9];
    String[] words = {"a"};
    static Parser PARSER = new Parser();
    Parser parser = new Parser();
    List<String> list = new ArrayList<>();

    static int square(int n) { return n * n; }
    int cube(int n) { return n * n * n; }
    int more(int n) { return n + x; }
    static int scaled(int n) { return n * changing; }
    static int called(int n) { return Library.unseen(n); }
    static Bench made(int n) { return new Bench(); }
    static int printed(int n) { System.out.println(n); return n; }

    HEAD
    public Object run(Blackhole bh) {
        BODY
    }
}
"""
PARSER = """package org.example;

class Parser {
    int calls;
    Object parse(String text) { return text.split(","); }
    Object at(int index) { return index; }
}
"""


def smells(body, head="@Benchmark"):
    texts = [BENCH.replace("BODY", body).replace("HEAD", head), PARSER]
    sources = [
        SourceFile(path=f"F{n}.java", unit="", role=SourceRole.BENCHMARKS, text=text.encode())
        for n, text in enumerate(texts)
    ]
    return JavaLinter().find_smells(sources).smells


def smells_of_rule(rule, body, head="@Benchmark"):
    return [smell for smell in smells(body, head) if smell.rule == rule]


@pytest.mark.parametrize(
    "body",
    [
        "return square(7);",
        "return cube(-7);",
        "return square(FIVE);",
        "return square(SIX * 2);",
        "int n = 7; return square(n);",
        "int n = 7; int made = square(n); return made;",
        "bh.consume(square(7)); return null;",
        "return Math.sqrt(2.0);",
        'return Integer.parseInt("123");',
        'return "a-b-c".indexOf("-");',
        "return Bench.square((int) 7L);",
    ],
)
def test_inputs_that_are_constants(body):
    result = smells_of_rule("jmh-constant-inputs", body)

    assert len(result) == 1
    assert result[0].benchmark == "Bench.run"
    assert result[0].text.startswith("All inputs of ")


@pytest.mark.parametrize(
    "body",
    [
        "return square(x);",
        "return square(changing);",
        "return square(UNSEEN);",
        "return square(later);",
        "return more(7);",
        "return scaled(7);",
        "return made(7);",
        "return printed(7);",
        "return unseen(7);",
        "return parser.at(7);",
        "return list.get(0);",
        "return new Random(7);",
        "return square();",
        "int n = 7; n++; return square(n);",
        "int n = x; return square(n);",
        "return square(square(x));",
        "return 42;",
        "return x > 0 ? square(7) : null;",
        'try { return Integer.parseInt("x"); } catch (NumberFormatException e) { return e; }',
        'return System.getProperty("a");',
        "return Math.random();",
        "return array[0];",
        "list.stream().map(each -> { return square(7); }); return null;",
        "return List.of(1, 2, 3);",
        "return Arrays.asList(1, 2, 3);",
        'return String.format("%d-%s", 3, "a");',
        'return String.join("-", "a", "b");',
        'return "a-b-c".split("-");',
        'return " ".repeat(13);',
        'return UUID.fromString("00000000-0000-0000-0000-000000000000");',
    ],
)
def test_inputs_that_are_not_known_or_not_folded(body):
    assert smells_of_rule("jmh-constant-inputs", body) == []


def test_methods_that_call_each_other_often_are_looked_at_once():
    """Counted, not timed: three methods, each of which calls the next one ever more often."""

    def steps(calls):
        text = "".join(
            f"static int m{n}(int x) {{ return {' + '.join([f'm{n + 1}(x)'] * calls)}; }}\n"
            for n in range(3)
        )
        text = BENCH.replace("HEAD", f"{text}static int m3(int x) {{ return x; }}\n@Benchmark")
        source = SourceFile(
            path="F.java",
            unit="",
            role=SourceRole.BENCHMARKS,
            text=text.replace("BODY", "return m0(3);").encode(),
        )
        profile = cProfile.Profile()
        findings = profile.runcall(JavaLinter().find_smells, [source])
        assert [smell.rule for smell in findings.smells] == ["jmh-constant-inputs"]
        return pstats.Stats(profile).total_calls

    assert steps(80) < 8 * steps(20)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("return square(wrong);", 13),
        ("return this.more(this.wrong);", 13),
        ("return parser.at(wrong + 1);", 13),
        ("return parser.parse(text);", 17),
        ("bh.consume(parser.parse(text)); return null;", 17),
        ("parser.parse(text); return null;", 17),
    ],
)
def test_final_fields_of_a_state_as_inputs(body, line):
    result = smells_of_rule("jmh-final-state", body)

    assert [smell.span.first_line for smell in result] == [line]
    assert result[0].benchmark == "Bench.run"
    assert smells_of_rule("jmh-constant-inputs", body) == []


@pytest.mark.parametrize(
    "body",
    [
        "return square(x);",
        "return square(FIVE);",
        "return parser.at(size);",
        "return parser.at(boxed);",
        "return parser.at(later);",
        "return new int[wrong];",
        "return new ArrayList<>(wrong);",
        "for (int i = 0; i < wrong; i++) { bh.consume(array[i]); } return null;",
        "return wrong;",
        "int wrong = x; return square(wrong);",
    ],
)
def test_fields_that_are_no_inputs_or_no_constants(body):
    assert smells_of_rule("jmh-final-state", body) == []


def test_a_final_field_of_two_benchmarks_is_found_once():
    body = "return square(wrong);\n    }\n    @Benchmark public int two() { return cube(wrong);"

    (smell,) = smells_of_rule("jmh-final-state", body)

    assert smell.benchmark == ""
    assert smell.top == smell.span.first_line == 13


def test_a_field_of_what_is_no_state():
    text = BENCH.replace("@State(Scope.Thread)", "").replace("HEAD", "@Benchmark")
    text = text.replace("BODY", "return square(wrong);").encode()
    source = SourceFile(path="F.java", unit="", role=SourceRole.BENCHMARKS, text=text)

    assert JavaLinter().find_smells([source]).smells == ()


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < 1000; i++) { bh.consume(parser.parse(words[0])); } return null;",
        "for (int i = 0; i < 1000; i++) parser.at(x); return null;",
        "for (int i = FIVE; i > 0; --i) { parser.at(x); } return null;",
        "int sum = 0; for (int i = 0; i < size; i++) { sum += square(x); } return sum;",
        "int sum = 0; for (int i = 0; i < 9; i++) { sum += square(x); sum += i; } return sum;",
        "for (long i = 0; i < 10; i += 2) { Object y = parser.at(x); } return null;",
    ],
)
def test_loops_that_repeat(body):
    result = smells_of_rule("jmh-loop", body)

    assert len(result) == 1
    assert result[0].text.startswith("The loop over i ")


@pytest.mark.parametrize(
    ("rule", "body"),
    [
        ("jmh-final-state", "return Math.addExact(wrong, x);"),
        ("jmh-loop", "for (int i = 0; i < 10; i++) { parser.work(); } return null;"),
        ("jmh-loop", "for (int i = 0; i < 10 * FIVE; i++) { parser.work(); } return null;"),
        ("jmh-loop", "List<String> l = list; for (int i = 0; i < 9; i++) l.get(x); return l;"),
        ("jmh-constant-inputs", "return called(7);"),
    ],
)
def test_what_hangs_on_what_the_sources_do_not_show(rule, body):
    (smell,) = smells_of_rule(rule, body)

    assert smell.sure is Confidence.POSSIBLE


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < 1000; i++) { bh.consume(square(i)); } return null;",
        "for (int i = 0; i < 1000; i++) { bh.consume(array[i]); } return null;",
        "for (int i = 0; i < array.length; i++) { parser.at(x); } return null;",
        "for (int i = 0; i < list.size(); i++) { parser.at(x); } return null;",
        "for (int i = 0; i < turns; i++) { parser.at(x); } return null;",
        "for (String each : words) { parser.at(x); } return null;",
        "for (int i = 0; i < 10; i++) { list.add(text); } return list;",
        "for (int i = 0; i < 10; i++) { parser.at(x++); } return null;",
        "for (int i = 0; i < 10; i++) { parser.next(x); } return null;",
        "for (int i = 0; i < 10; i++) { list.get(); } return null;",
        "for (int i = 0; i < 10; i++) { array[0] = square(x); } return x;",
        "for (int i = 0; i < 10; i++) { x = square(x); } return x;",
        "for (int i = 0; i < 10; i++) { if (parser.at(x) == null) break; } return null;",
        "for (int i = 0; i < 10; i++) { bh.consume(new Parser()); } return null;",
        "for (int i = 0; i < 9; i++) { parser.at(x); } for (int j = 0; j < 9; j++) square(x);",
        "for (int i = 0; i < 9; i++) { for (int j = 0; j < 9; j++) { square(x); } } return null;",
        "parser.open(); for (int i = 0; i < 10; i++) { parser.at(x); } return null;",
        "while (x < 10) { parser.at(x); } return null;",
        "for (;;) { parser.at(x); }",
        "int sum = 0; for (int i = 0; i < 9; i++) { sum += x; } return sum;",
    ],
)
def test_loops_that_do_other_work_in_each_turn(body):
    assert smells_of_rule("jmh-loop", body) == []


@pytest.mark.parametrize(
    "head",
    [
        "@Benchmark @OperationsPerInvocation(1000)",
        "@Benchmark @BenchmarkMode(Mode.SingleShotTime)",
        "@Benchmark @BenchmarkMode(MODES)",
        "",
    ],
)
def test_loops_that_jmh_knows_of_or_needs(head):
    body = "for (int i = 0; i < 1000; i++) { parser.at(x); } return null;"

    assert smells_of_rule("jmh-loop", body, head) == []
    assert len(smells_of_rule("jmh-loop", body, "@Benchmark @BenchmarkMode(Mode.AverageTime)")) == 1


@pytest.mark.parametrize(
    ("method", "sure"),
    [
        ("int work(int n) { return n * n; }", Confidence.CERTAIN),
        ("int work(int n) { int r = 0; while (r < n) r += 2; return r; }", Confidence.LIKELY),
        ("int work(int n) { return new int[n].length; }", Confidence.LIKELY),
        ("int work(int n) { return n < 2 ? n : work(n - 1) + work(n - 2); }", Confidence.LIKELY),
    ],
)
def test_only_straight_work_is_certain_to_be_done_beforehand(method, sure):
    text = (
        "import org.openjdk.jmh.annotations.*; @State(Scope.Thread) public class Bench {"
        f" final int fixed = 42; static {method} @Benchmark public int run() {{"
        " return work(fixed); } }"
    )
    source = SourceFile(path="B.java", unit="", role=SourceRole.BENCHMARKS, text=text.encode())

    (smell,) = JavaLinter().find_smells([source]).smells

    assert (smell.rule, smell.sure) == ("jmh-final-state", sure)


@pytest.mark.parametrize(
    ("modifier", "heir", "sure"),
    [
        ("", "int work(int n) { return n + next; }", Confidence.LIKELY),
        ("", "int other(int n) { return n + next; }", Confidence.CERTAIN),
        ("static", "static int work(int n) { return n + next; }", Confidence.CERTAIN),
        ("private", "int work(int n) { return n + next; }", Confidence.CERTAIN),
    ],
)
def test_a_method_that_an_heir_overrides_is_not_all_seen(modifier, heir, sure):
    text = (
        "import org.openjdk.jmh.annotations.*; @State(Scope.Thread) public class Bench {"
        " final int fixed = 42; Base base = make(); static int next;"
        f" @Benchmark public int run() {{ return base.work(fixed); }} }}"
        f" class Base {{ {modifier} int work(int n) {{ return n * n; }} }}"
        f" class Heir extends Base {{ static int next; {heir} }}"
    )
    source = SourceFile(path="B.java", unit="", role=SourceRole.BENCHMARKS, text=text.encode())

    (smell,) = JavaLinter().find_smells([source]).smells

    assert (smell.rule, smell.sure) == ("jmh-final-state", sure)
