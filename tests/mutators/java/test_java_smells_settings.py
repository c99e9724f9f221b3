"""Settings, fixtures and threads of JMH benchmarks."""

import pytest

from auditor.core.contracts.lint import Confidence
from auditor.core.subject import SourceFile, SourceRole
from mutators.java.lint_rules.linter import JavaLinter

BENCH = """package org.example;

import java.util.*;
import java.util.concurrent.*;
import org.openjdk.jmh.annotations.*;
import org.openjdk.jmh.runner.options.*;

CLASS
public class Bench {
    static final int NONE = 0;
    @State(Scope.Benchmark)
    public static class Shared {
        int count;
        volatile int seen;
        static int all;
        long[] slots = new long[4];
        AtomicInteger safe = new AtomicInteger();
        public int get() { return count; }
    }
    @State(Scope.Thread)
    public static class Own { int count; FIXTURE }

    METHOD
    public int run(Own own, Shared shared, int[] given) {
        BODY
        return own.count;
    }
}
"""


def look(cls="", method="", fixture="", body="", more=()):
    text = BENCH.replace("CLASS", cls).replace("METHOD", f"@Benchmark {method}")
    text = text.replace("FIXTURE", fixture).replace("BODY", body)
    sources = [
        SourceFile(
            path=f"F{n}.java", unit="", role=SourceRole.BENCHMARKS, text=source_text.encode()
        )
        for n, source_text in enumerate([text, *more])
    ]
    return JavaLinter().find_smells(sources).smells


def rules(**parts):
    return [smell.rule for smell in look(**parts)]


@pytest.mark.parametrize("fork", ["@Fork(0)", "@Fork(value = 0, warmups = 2)", "@Fork(NONE)"])
def test_no_forks(fork):
    (of_method,) = look(method=fork)
    (of_class,) = look(cls=fork)

    assert (of_method.rule, of_method.benchmark) == ("jmh-no-forks", "Bench.run")
    assert (of_class.rule, of_class.benchmark) == ("jmh-no-forks", "")
    assert of_class.top == of_class.span.first_line == 8
    assert of_class.text.startswith("Each benchmark of Bench runs in the JVM of JMH itself")


@pytest.mark.parametrize(
    "fork",
    ["@Fork", "@Fork(2)", "@Fork(FORKS)", '@Fork(jvmArgs = {"-Xmx1g"})', "@Fork(warmups = 0)"],
)
def test_other_forks_are_left_alone(fork):
    assert rules(cls=fork) == []


def test_a_method_has_its_own_forks():
    assert rules(cls="@Fork(0)", method="@Fork(3)") == []
    assert rules(cls="@Fork(3)", method="@Fork(1)") == ["jmh-one-fork"]


def test_forks_of_a_class_that_it_extends():
    base = "package org.example;\n@org.openjdk.jmh.annotations.Fork(0)\nclass Base { }"
    text = BENCH.replace("class Bench", "class Bench extends Base")
    for part in ("CLASS", "METHOD", "FIXTURE", "BODY"):
        text = text.replace(part, "@Benchmark" if part == "METHOD" else "")
    sources = [
        SourceFile(
            path=f"F{n}.java", unit="", role=SourceRole.BENCHMARKS, text=source_text.encode()
        )
        for n, source_text in enumerate([text, base])
    ]

    (smell,) = JavaLinter().find_smells(sources).smells

    assert (smell.rule, smell.span.file, smell.span.first_line) == ("jmh-no-forks", "F1.java", 2)


@pytest.mark.parametrize(
    "chain",
    [
        'new OptionsBuilder().include("a").forks(0).build()',
        "new OptionsBuilder().forks(0)",
        "builder.forks(0)",
    ],
)
def test_programs_that_start_without_forks(chain):
    main = f"""package org.example;
import org.openjdk.jmh.runner.options.*;
class Main {{
    static void main(String[] args) {{
        OptionsBuilder builder = new OptionsBuilder();
        Object options = {chain};
    }}
}}"""

    (smell,) = look(more=[main])

    assert (smell.rule, smell.benchmark) == ("jmh-no-forks", "")
    assert (smell.span.file, smell.span.first_line, smell.top) == ("F1.java", 6, 4)


@pytest.mark.parametrize(
    "chain",
    [
        "new OptionsBuilder().forks(1)",
        "new RoadBuilder().forks(0)",
        "new OptionsBuilder().forks(n)",
    ],
)
def test_other_programs_are_left_alone(chain):
    main = (
        f"import org.openjdk.jmh.runner.options.*; class M {{ Object o() {{ return {chain}; }} }}"
    )

    assert look(more=[main]) == ()


@pytest.mark.parametrize("mode", ["", "@BenchmarkMode({Mode.AverageTime, Mode.SingleShotTime})"])
def test_no_warmup(mode):
    assert rules(cls="@Warmup(iterations = 0)", method=mode) == ["jmh-no-warmup"]
    assert rules(method=f"@Warmup(time = 1, iterations = 0) {mode}") == ["jmh-no-warmup"]


@pytest.mark.parametrize(
    "marks",
    [
        "@Warmup(iterations = 0) @BenchmarkMode(Mode.SingleShotTime)",
        "@Warmup(iterations = 0) @BenchmarkMode(MODES)",
        "@Warmup(iterations = 1)",
        "@Warmup(time = 0)",
        "@Measurement(iterations = 0)",
    ],
)
def test_warmup_that_is_there_or_not_needed(marks):
    assert rules(cls=marks) == []
    assert rules(method=marks) == []


@pytest.mark.parametrize(
    "unit",
    [
        "@BenchmarkMode(Mode.AverageTime) @OutputTimeUnit(TimeUnit.NANOSECONDS)",
        "@BenchmarkMode(Mode.SampleTime) @OutputTimeUnit(TimeUnit.NANOSECONDS)",
        "@OutputTimeUnit(TimeUnit.MICROSECONDS)",
    ],
)
@pytest.mark.parametrize(
    "fixture",
    [
        "@Setup(Level.Invocation) public void fresh() { count = 0; }",
        "@TearDown(value = Level.Invocation) public void fresh() { count = 0; }",
        "@Setup(Level.Invocation) public void fresh() { } @TearDown(Level.Invocation) void t() { }",
    ],
)
def test_fixtures_around_each_invocation(unit, fixture):
    (smell,) = look(cls=unit, fixture=fixture)

    assert (smell.rule, smell.benchmark) == ("jmh-invocation-setup", "Bench.run")
    assert "Bench.Own.fresh runs around each invocation" in smell.text


@pytest.mark.parametrize(
    ("marks", "level", "body"),
    [
        ("@OutputTimeUnit(TimeUnit.MICROSECONDS)", "Level.Iteration", ""),
        ("@OutputTimeUnit(TimeUnit.MICROSECONDS)", "Level.Trial", ""),
        (
            "@BenchmarkMode(Mode.AverageTime) @OutputTimeUnit(TimeUnit.MICROSECONDS)",
            "Level.Invocation",
            "",
        ),
        ("@BenchmarkMode(Mode.AverageTime)", "Level.Iteration", ""),
        ("@BenchmarkMode(MODES)", "Level.Invocation", ""),
        ("@OperationsPerInvocation(1000)", "Level.Invocation", ""),
        ("", "Level.Invocation", "for (int each : given) { own.count += each; }"),
        (
            "@BenchmarkMode({Mode.AverageTime, Mode.SingleShotTime}) "
            "@OutputTimeUnit(TimeUnit.NANOSECONDS)",
            "Level.Invocation",
            "",
        ),
        (
            "@BenchmarkMode(Mode.SingleShotTime) @OutputTimeUnit(TimeUnit.NANOSECONDS)",
            "Level.Invocation",
            "",
        ),
        (
            "@OutputTimeUnit(TimeUnit.NANOSECONDS) @OperationsPerInvocation(1000)",
            "Level.Invocation",
            "",
        ),
        (
            "@OutputTimeUnit(TimeUnit.NANOSECONDS)",
            "Level.Invocation",
            "for (int each : given) { own.count += each; }",
        ),
    ],
)
def test_other_fixtures_are_left_alone(marks, level, body):
    fixture = f"@Setup({level}) public void fresh() {{ count = 0; }}"

    assert rules(cls=marks, fixture=fixture, body=body) == []


@pytest.mark.parametrize(
    "marks",
    ["@OutputTimeUnit(TimeUnit.MILLISECONDS)", "", "@BenchmarkMode(Mode.AverageTime)"],
)
def test_fixtures_around_invocations_of_which_nothing_says_how_long_they_are(marks):
    (smell,) = look(cls=marks, fixture="@Setup(Level.Invocation) public void fresh() { }")

    assert (smell.rule, smell.sure) == ("jmh-invocation-setup", Confidence.POSSIBLE)


def test_a_fixture_beside_a_large_parameter_of_the_run():
    fixture = '@Param({"10", "SIZE"}) int size; @Setup(Level.Invocation) public void fresh() { }'

    assert rules(fixture=fixture.replace("SIZE", "100_000_000")) == []
    assert rules(fixture=fixture.replace("SIZE", "1000")) == ["jmh-invocation-setup"]


def test_a_fixture_of_a_state_that_no_benchmark_uses():
    unit = "@OutputTimeUnit(TimeUnit.NANOSECONDS)"
    unused_state = """package org.example;
import org.openjdk.jmh.annotations.*;
@State(Scope.Thread) class Unused { @Setup(Level.Invocation) public void fresh() { } }"""

    assert rules(cls=unit, more=[unused_state]) == []


@pytest.mark.parametrize("threads", ["@Threads(4)", "@Threads(Threads.MAX)", '@Group("g")'])
@pytest.mark.parametrize(
    "body", ["shared.count++;", "shared.count = 3;", "shared.slots[own.count] += 2;"]
)
def test_states_that_threads_change(threads, body):
    (smell,) = look(method=threads, body=body)

    assert (smell.rule, smell.benchmark) == ("jmh-shared-state", "Bench.run")
    assert "of the one Bench.Shared that all have" in smell.text
    assert smell.text.startswith("Threads")


@pytest.mark.parametrize(
    ("threads", "body"),
    [
        ("", "shared.count++;"),
        ("@Threads(1)", "shared.count++;"),
        ("@Threads(COUNT)", "shared.count++;"),
        ("@Threads(4)", "own.count++;"),
        ("@Threads(4)", "shared.seen = 1;"),
        ("@Threads(4)", "shared.all++;"),
        ("@Threads(4)", "shared.safe.incrementAndGet();"),
        ("@Threads(4)", "synchronized (shared) { shared.count++; }"),
        ("@Threads(4)", "lock.lock(); shared.count++; lock.unlock();"),
        ("@Threads(4)", "int count = 0; count++;"),
        ("@Threads(4)", "given[0] = shared.get();"),
        ("@Threads(4)", "Runnable r = () -> { shared.count++; };"),
    ],
)
def test_states_that_are_safe_or_not_shared(threads, body):
    assert "jmh-shared-state" not in rules(method=threads, body=body)


@pytest.mark.parametrize(
    "body",
    [
        "count = new Random().nextInt(9); Random r = new Random(); count = r.nextInt();",
        "count = ThreadLocalRandom.current().nextInt(9);",
        "count = (int) (Math.random() * 9);",
        "Random r = new Random(); for (int i = 0; i < 9; i++) { count += r.nextInt(); }",
    ],
)
def test_random_numbers_without_a_seed(body):
    fixture = f"@Setup public void fill() {{ {body} }}"

    assert rules(fixture=fixture) == ["jmh-unseeded-random"]


@pytest.mark.parametrize(
    "fixture",
    [
        "@Setup public void fill() { Random r = new Random(7); count = r.nextInt(); }",
        "@Setup public void fill() { Random r = new Random(); r.nextBytes(new byte[9]); }",
        "@Setup public void fill() { count = 7; }",
        "@Setup void fill() { Random r = new Random(); r.setSeed(7); count = r.nextInt(); }",
        "public void fill() { count = ThreadLocalRandom.current().nextInt(9); }",
        "Random random = new Random();",
    ],
)
def test_random_numbers_that_are_seeded_or_no_data(fixture):
    assert rules(fixture=fixture) == []


def start(chain, before=""):
    main = f"""package org.example;
import org.openjdk.jmh.runner.options.*;
class Main {{
    static final int NONE = 0;
    static void main(String[] args) {{
        ChainedOptionsBuilder builder = new OptionsBuilder();
        {before} {chain};
    }}
}}"""
    return [(smell.rule, smell.sure) for smell in look(more=[main])]


def test_a_program_without_warmup_is_fine_for_single_shots():
    assert start("builder.warmupIterations(0)") == [("jmh-no-warmup", None)]
    assert start("builder.warmupIterations(NONE)") == [("jmh-no-warmup", None)]
    assert start("builder.mode(Mode.SingleShotTime).warmupIterations(0)") == []
    assert start("builder.warmupIterations(0).mode(Mode.SingleShotTime)") == []


def test_the_last_call_of_a_chain_sets_an_option():
    assert start("builder.forks(0).forks(3)") == []
    assert start("builder.forks(0); builder.forks(3)") == []
    assert start("builder.forks(3); builder.forks(0)") == [("jmh-no-forks", None)]
    assert start("builder.forks(3).forks(0)") == [("jmh-no-forks", None)]


@pytest.mark.parametrize(
    ("chain", "before"),
    [
        ("builder.forks(0)", "if (args.length > 3)"),
        ("args.length > 3 ? builder.forks(0) : builder", "Object options ="),
        ("switch (args.length) { case 3: builder.forks(0); }", ""),
    ],
)
def test_an_option_that_a_program_sets_in_some_cases_is_not_certain(chain, before):
    assert start(chain, before) == [("jmh-no-forks", Confidence.POSSIBLE)]


def test_settings_of_the_classes_that_inherit_a_benchmark():
    imports = "package org.example;\nimport org.openjdk.jmh.annotations.*;\n"
    base = imports + "@Fork(0) abstract class Base { @Benchmark public int a() { return 1; } }"
    set_anew = imports + "@Fork(3) class Anew extends Base { }"
    plain = imports + "class Plain extends Base { }"

    assert [smell.rule for smell in look(more=[base])] == ["jmh-no-forks"]
    assert [smell.rule for smell in look(more=[base, set_anew, plain])] == ["jmh-no-forks"]
    assert look(more=[base, set_anew]) == ()
    concrete = base.replace("abstract class", "class")
    of_method = base.replace("@Fork(0) ", "").replace("@Benchmark", "@Fork(0) @Benchmark")
    for settings_source in (concrete, of_method):
        assert [smell.rule for smell in look(more=[settings_source, set_anew])] == ["jmh-no-forks"]
