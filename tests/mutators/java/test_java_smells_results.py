"""Results that a JMH benchmark does not use."""

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
    int x = 3;
    double d = 0.5;
    String text = "a";
    List<String> list = new ArrayList<>();
    Map<String, String> map = new HashMap<>();
    Queue<String> queue = new ArrayDeque<>();
    Ring ring = new Ring();
    Store store;
    Foreign foreign;
    Object kept;

    int plain(int n) { return n * n; }
    int keeps(int n) { x = n; return n; }
    int fills(int[] to) { to[0] = 1; return 1; }
    int feeds(int n, Blackhole bh) { bh.consume(n); return n; }
    int prints(int n) { System.out.println(n); return n; }
    int nothing() { return 1 + 2; }
    @CompilerControl(CompilerControl.Mode.DONT_INLINE) int apart(int n) { return n * n; }
    void checks(int n) { if (n < 0) throw new IllegalStateException(); }
    int builds(int n) { StringBuilder b = new StringBuilder(); b.append(n); return b.length(); }

    @Benchmark
    public void run(Blackhole bh, int[] array) throws Exception {
        BODY
    }
}
"""
RING = """package org.example;

public class Ring {
    private final int[] slots = new int[8];
    private int next;
    int peek() { return slots[next]; }
    int push(int n) { slots[next++] = n; return next; }
    static Ring of(int n) { return new Ring(); }
}
"""
STORE = """package org.example;

interface Store {
    boolean containsKey(String key);
    String lookup(String key);
    default int guess(int n) { return n + 1; }
}
"""
FIRST = 30


def lint(body, *extra_sources):
    return look(BENCH.replace("BODY", body), RING, STORE, *extra_sources)


def look(*texts):
    sources = [
        SourceFile(path=f"F{n}.java", unit="", role=SourceRole.BENCHMARKS, text=text.encode())
        for n, text in enumerate(texts)
    ]
    smells = JavaLinter().find_smells(sources).smells
    return [smell for smell in smells if smell.rule == "jmh-unused-result"]


@pytest.mark.parametrize(
    ("body", "calls"),
    [
        ("plain(x);", ("Bench.plain",)),
        ("this.plain(x);", ("Bench.plain",)),
        ("builds(x);", ("Bench.builds",)),
        ("Math.sin(d);", ()),
        ("Integer.parseInt(text);", ()),
        ("Objects.hash(x, text);", ()),
        ("text.trim();", ()),
        ('"a-b".split("-");', ()),
        ("list.get(x);", ()),
        ("map.containsKey(text);", ()),
        ("ring.peek();", ("Ring.peek",)),
        ("Ring.of(x);", ("Ring.of",)),
        ("store.containsKey(text);", ("Store.containsKey",)),
        ("new Ring();", ()),
        ("new ArrayList<String>(x);", ()),
        ("for (int i = 0; i < array.length; i++) { plain(array[i]); }", ("Bench.plain",)),
        ("try { plain(x); } catch (Exception e) { throw new Error(e); }", ("Bench.plain",)),
        ("int y = plain(x);", ("Bench.plain",)),
        ("final int y = foreign.weigh(x);", ()),
        ("Ring y = new Ring();", ()),
        ("int y = x * 31 + array[0];", ()),
        ("boolean y = x > array[0];", ()),
        ("int y; y = plain(x); y = plain(2);", ("Bench.plain",)),
        ("int y = 0; y = y + plain(x);", ()),
        ("long y = 0; for (int each : array) { y += each * x; }", ()),
        ("Object y = foreign.execute(x);", ()),
        ("Object y = (Object) foreign.weigh(x);", ()),
        ("String y = foreign.readValue(text);", ()),
        ("List<String> y = new ArrayList<>(); y.add(text);", ()),
        ("StringBuilder y = new StringBuilder(); y.append(x).append(d);", ()),
        ("int y = plain(x), z = x; bh.consume(z);", ("Bench.plain",)),
    ],
)
def test_results_that_are_lost(body, calls):
    smells = lint(body)

    assert [smell.calls for smell in smells] == [calls], [smell.text for smell in smells]
    assert smells[0].span.first_line == FIRST + 2
    assert smells[0].benchmark == "Bench.run"


def test_a_variable_that_is_set_later_is_found_where_it_is_declared():
    (smell,) = lint("int y;\n        y = plain(x);")

    assert smell.calls == ("Bench.plain",)
    assert smell.span.first_line == FIRST + 2
    assert smell.text.startswith("y takes the result of plain(...)")


@pytest.mark.parametrize(
    ("head", "overlapping"),
    [("", False), ("@Threads(1)", False), ("@Threads(4)", True), ('@Group("g")', True)],
)
def test_operations_that_run_at_once_are_told(head, overlapping):
    text = BENCH.replace("BODY", "plain(x);").replace("@Benchmark", f"{head} @Benchmark")

    assert [smell.overlapping for smell in look(text)] == [overlapping]


def test_text_of_a_dropped_result():
    (smell,) = lint("plain(x);")

    assert smell.text == (
        "The result of plain(...) is dropped and nothing else is seen to change, so the compiler "
        "may leave the work out and the time is that of nothing."
    )


@pytest.mark.parametrize(
    "body",
    [
        "bh.consume(plain(x));",
        "int y = plain(x); bh.consume(y);",
        "x = plain(x);",
        "kept = new Ring();",
        "array[0] = plain(x);",
        "list.add(text);",
        "map.put(text, text);",
        "map.get(text).foo();",
        "queue.poll();",
        "String y = queue.poll();",
        "boolean y = list.add(text);",
        "boolean y = foreign.execute(x);",
        "java.util.concurrent.Future<?> y = foreign.submit(x);",
        "CompletableFuture<String> y = foreign.apply(x);",
        "ring.push(x);",
        "int y = ring.push(x);",
        "int y = keeps(x);",
        "keeps(x);",
        "fills(array);",
        "int y = fills(array);",
        "feeds(x, bh);",
        "int y = feeds(x, bh);",
        "int y = foreign.weigh(x, bh);",
        "prints(x);",
        "nothing();",
        "apart(x);",
        "checks(x);",
        "foreign.weigh(x);",
        "unseen(x);",
        "list.forEach(each -> plain(x));",
        "Runnable r = () -> plain(x); r.run();",
        "int y = foreign.each(each -> bh.consume(each));",
        "try { plain(x); } catch (IllegalStateException expected) { }",
        "try { int y = plain(x); } catch (Exception expected) { bh.consume(expected); }",
        "try (AutoCloseable y = foreign.open()) { bh.consume(x); }",
        "int y = 5;",
        "final int y = 5 * 7;",
        "int y = x;",
        "int y = array[0];",
        "int y = plain(x); if (y > 3) { bh.consume(1); }",
        "int y = plain(x); Runnable r = () -> bh.consume(y); r.run();",
        "int count = 0; for (int each : array) { count++; } x = 1;",
        "int y = plain(x); y = y + 1; bh.consume(y);",
        "List<String> y = new ArrayList<>(); y.add(text); bh.consume(y);",
        "Foreign y = new Foreign(); y.add(text);",
        "new Thread() { { start(); } };",
        "new Foreign(() -> bh.consume(1));",
        "for (String each : list) { bh.consume(each); }",
        "Math.random();",
        "text.getChars(0, 1, new char[1], 0);",
    ],
)
def test_what_is_used_or_may_be_meant_is_left_alone(body):
    assert lint(body) == []


def test_a_type_of_the_project_is_not_that_of_the_jdk_with_its_name():
    tape_source = (
        "package org.example; public class Tape { int end; int get(int n) { return end = n; } }"
    )

    (smell,) = lint("Tape tape = new Tape(); bh.consume(tape); tape.get(1);", tape_source)

    assert smell.sure is Confidence.POSSIBLE


def test_types_that_are_always_imported_are_those_of_the_jdk():
    math_source = "package org.other; public class Math { int n; static int abs(int x) { n = x; } }"

    assert [smell.calls for smell in lint("Math.abs(x);", math_source)] == [()]


def test_two_types_of_one_name_tell_nothing():
    deck_source = "package org.other; public class Deck { int top() { return 1 * size(); } }"
    second_deck = deck_source.replace("org.other", "org.third")

    assert (
        lint("Deck deck = foreign.deck(); bh.consume(deck); deck.top();", deck_source, second_deck)
        == []
    )


def test_a_method_that_may_be_overridden_tells_nothing():
    base_source = "package org.example; abstract class Base { int work(int n) { return n * n; } }"

    (smell,) = lint("Base base = foreign.base(); bh.consume(base); base.work(x);", base_source)
    assert smell.sure is Confidence.POSSIBLE
    final = base_source.replace("int work", "final int work")
    (smell,) = lint("Base base = foreign.base(); bh.consume(base); base.work(x);", final)
    assert smell.sure is None


@pytest.mark.parametrize(
    ("body", "sure"),
    [
        ("store.lookup(text);", Confidence.POSSIBLE),
        ("store.guess(x);", Confidence.POSSIBLE),
        ("foreign.getName();", Confidence.POSSIBLE),
        ("foreign.parse(text);", Confidence.POSSIBLE),
        ("Maker.decode(text);", Confidence.POSSIBLE),
        ("Object y = foreign.convert(text.trim());", None),
    ],
)
def test_a_result_that_seems_to_be_all_that_a_call_is_for(body, sure):
    maker_source = (
        "package org.example; class Maker { static Maker decode(String s) { n = s; return null; } }"
    )

    (smell,) = lint(body, maker_source)

    assert smell.sure is sure
    assert smell.rule == "jmh-unused-result"


@pytest.mark.parametrize(
    "body",
    [
        "foreign.update(text);",
        "foreign.getChars(x, bh);",
        "foreign.map(each -> bh.consume(each));",
        "foreign.push(text);",
        "Maker.of(text).put(text);",
    ],
)
def test_a_call_that_may_be_for_what_it_changes(body):
    assert lint(body) == []


RETURNS = """@Benchmark public Object two() { WORK return RETURNED; }
    @Benchmark
    public void run"""


@pytest.mark.parametrize(
    ("work", "returned", "smells"),
    [
        ("ring.push(x);", "kept", 1),
        ("ring.push(x);", "this.kept", 1),
        ("ring.push(x);", "ring", 0),
        ("ring.push(x); list.add(text);", "kept", 0),
        ("ring.push(kept);", "kept", 0),
        ("helper(x);", "kept", 0),
        ("", "kept", 0),
    ],
)
def test_another_object_is_returned_than_the_one_that_works(work, returned, smells):
    text = RETURNS.replace("WORK", work).replace("RETURNED", returned)
    source = BENCH.replace("BODY", "").replace("@Benchmark\n    public void run", text)

    result = look(source, RING, STORE)

    assert [smell.benchmark for smell in result] == ["Bench.two"] * smells
    assert all(smell.sure is Confidence.POSSIBLE for smell in result)


def test_a_benchmark_of_what_the_compiler_leaves_out():
    text = BENCH.replace("BODY", "plain(x);").replace("void run", "void deadCodeElimination")
    source = SourceFile(path="F.java", unit="", role=SourceRole.BENCHMARKS, text=text.encode())

    assert JavaLinter().find_smells([source]).smells == ()


def test_statements_in_other_methods_are_left_alone():
    text = BENCH.replace("@Benchmark\n", "").replace("BODY", "plain(x);")
    source = SourceFile(path="F.java", unit="", role=SourceRole.BENCHMARKS, text=text.encode())

    assert JavaLinter().find_smells([source]).smells == ()


def test_a_pure_call_of_the_jdk_is_work_whatever_its_name_suggests():
    (smell,) = lint("double sum = 0; for (int i : array) { sum += Math.log(i); }")

    assert "sum takes the result" in smell.text
    assert (
        lint("double sum = 0; for (int i : array) { sum += Math.log(i); } bh.consume(sum);") == []
    )


def test_work_in_a_ternary_is_work():
    assert len(lint("int result = x > 3 ? plain(x) : plain(3);")) == 1
    assert lint("int result = true ? 1 : 2;") == []


@pytest.mark.parametrize("head", ["for (int i : array)", "for (int i = 0; i < 9; i++)"])
def test_a_result_that_the_next_turn_overwrites(head):
    (smell,) = lint(f"int last = 0; {head} {{ last = plain(i); }} bh.consume(last);")

    assert (smell.span.first_line, smell.sure) == (FIRST + 2, Confidence.POSSIBLE)
    assert smell.text.startswith("Each turn sets last anew, so only the last result of plain(...)")


@pytest.mark.parametrize(
    "turn",
    [
        "last += plain(i);",
        "last = plain(last);",
        "last = plain(i); bh.consume(last);",
        "last = push(i);",
        "last = keeps(i);",
        "x = plain(i);",
    ],
)
def test_a_result_that_each_turn_uses(turn):
    assert lint(f"int last = 0; for (int i : array) {{ {turn} }} bh.consume(last);") == []


def test_a_benchmark_about_the_compiler_is_left_alone():
    text = BENCH.replace("BODY", "plain(x);")

    assert look(text.replace("class Bench", "class CompilerHints"), RING, STORE) == []
