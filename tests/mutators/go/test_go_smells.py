"""Go benchmarks whose results nobody uses, and the look at a project as a whole."""

import pytest
from go_making import benchmarks, left_out, library
from growth import growth

from auditor.core.contracts.lint import Smell
from auditor.core.subject import Span
from mutators.go.lint_rules import GoLinter

SMALL = "package m\nfunc Small(x int) int { return x*x + 1 }\n"
HEAD = 'package m\nimport "testing"\n'


def look(*sources):
    return GoLinter().find_smells(sources)


def bench(body, name="BenchmarkX", imports=()):
    """Return a test file with one benchmark; its body begins on line 4."""
    import_lines = " ".join(f'"{path}";' for path in ("testing", *imports))
    return benchmarks(
        f"package m\nimport ({import_lines})\nfunc {name}(b *testing.B) {{\n{body}\n}}\n"
    )


def lines(rule, *sources):
    """Return the lines on which a rule finds something, as `line: name`."""
    smells = look(*sources).smells
    return [f"{smell.span.first_line}: {smell.benchmark}" for smell in smells if smell.rule == rule]


def unused(body, code=SMALL, imports=()):
    return lines("go-unused-result", library(code), bench(body, imports=imports))


def test_a_call_that_the_compiler_removes_is_found():
    looked = look(library(SMALL), bench("for i := 0; i < b.N; i++ {\nSmall(i)\n}"))

    assert looked.benchmarks == ("BenchmarkX",)
    assert looked.smells == (
        Smell(
            rule="go-unused-result",
            benchmark="BenchmarkX",
            span=Span("m_test.go", 5, 5),
            text="Nobody uses the result of Small, which is small enough to be inlined and does "
            "nothing else, so the compiler may leave it out and the loop measures nothing.",
            top=3,
            calls=("Small",),
        ),
    )


@pytest.mark.parametrize(
    "body",
    [
        "for i := 0; i < b.N; i++ { _ = Small(i) }",
        "for range b.N { Small(1) }",
        "for i := range b.N { Small(i) }",
        "n := b.N; for i := 0; i < n; i++ { Small(i) }",
        "for i := 0; i < b.N; i++ { for j := 0; j < 9; j++ { Small(j) } }",
        "var r int; for i := 0; i < b.N; i++ { r = Small(i) }; _ = r",
        "for i := 0; i < b.N; i++ { r := Small(i); _ = r }",
        "b.RunParallel(func(pb *testing.PB) { for pb.Next() { Small(1) } })",
        'b.Run("a", func(b *testing.B) { for i := 0; i < b.N; i++ { Small(i) } })',
        "for i := 0; i < b.N; i++ { Small(len(b.Name())) }",
        "for i := 0; i < b.N; i++ { (Small(i)) }",
    ],
)
def test_results_are_dropped_in_several_ways(body):
    assert unused(body) == ["4: BenchmarkX"]


@pytest.mark.parametrize(
    "body",
    [
        "for b.Loop() { Small(1) }",
        "for i := 0; i < b.N; i++ { sink = Small(i) }",
        "var r int; for i := 0; i < b.N; i++ { r = Small(i) }; sink = r",
        "var r int; for i := 0; i < b.N; i++ { r = Small(i) }; use(&r)",
        "for i := 0; i < b.N; i++ { if Small(i) == 0 { b.Fatal() } }",
        "for i := 0; i < b.N; i++ { use(Small(i)) }",
        "for i := 0; i < b.N; i++ { Small(i); work(i) }",
        "for i := 0; i < b.N; i++ { Small(work(i)) }",
        "for i := 0; i < b.N; i++ { Unknown(i) }",
        "for i := 0; i < b.N; i++ { Small(i) }; b.ResetTimer(); for range b.N { work(1) }",
        "b.StopTimer(); for i := 0; i < b.N; i++ { Small(i) }",
        "for i := 0; i < 10; i++ { Small(i) }",
        "Small := work; for i := 0; i < b.N; i++ { Small(i) }",
        "var r int; f := func() { for i := 0; i < b.N; i++ { r = Small(i) } }; f()",
        "for i := 0; i < b.N; i++ { go func() { Small(i) }() }",
    ],
)
def test_other_loops_are_left_alone(body):
    assert unused(body) == []


@pytest.mark.parametrize(
    "code",
    [
        "func F(x int) int { total += x; return x }",
        "func F(x int) int { for i := 0; i < x; i++ { x-- }; return x }",
        "func F(x int) int { defer done(); return x }",
        "func F(x int) int { ch <- x; return x }",
        "func F(x int) int { return <-ch }",
        "func F(x int) int { go done(); return x }",
        "func F(x int) int { panic(x) }",
        "func F(x int) int { return other(x) }",
        "func F(x int) int { return F(x - 1) }",
        "func F(x int) int { return G(x) }\nfunc G(x int) int { return F(x) }",
        "func F(x int) int { return table[x] }\nvar table = map[int]int{}",
        "func F(x int) { }",
        "func F(x int) int",
        "func F(x int) string { return name + name }\nvar name string",
        "func F(x int) []int { return make([]int, x) }",
        "func F(x any) int { return x.(int) }",
        "func F(x any) *T { x.field = 1; return x }",
        "//go:noinline\nfunc F(x int) int { return x }",
        "// F is kept.\n//\n//go:noinline\nfunc F(x int) int { return x }",
        "func F(x int) int { return " + " + ".join(["x"] * 90) + " }",
        "func F[T any](x T) T { return x }",
        "func F(x int) int { return x }\nfunc F(x int) int { return x + 1 }",
        "func F(x int) bool { return strings.HasPrefix(a, c) && x > 1 }",
    ],
)
def test_calls_that_stay_are_left_alone(code):
    body = "for i := 0; i < b.N; i++ { F(i) }"

    assert unused(body, f'package m\nimport "strings"\n{code}\n') == []


def test_a_function_may_call_others_that_are_removed_too():
    code = (
        "package m\nfunc F(x int) int { return G(x) + len(s) }\nfunc G(x int) int { return -x }\n"
    )

    assert unused("for i := 0; i < b.N; i++ { F(i) }", code + 'var s = "s"\n') == ["4: BenchmarkX"]


def test_methods_are_resolved_by_the_type_of_their_receiver():
    code = (
        "package m\ntype Set struct { words []uint64 }\n"
        "func New(n int) *Set { return nil }\n"
        "func (s *Set) Has(i int) bool { return s.words[i>>6]&(1<<(i&63)) != 0 }\n"
        "type Other struct { words map[int]uint64 }\n"
        "func (s *Other) Has(i int) bool { return s.words[i] != 0 }\n"
    )
    loop = "for i := 0; i < b.N; i++ { s.Has(i) }"

    for expression in ("New(9)", "&Set{}", "new(Set)", "Set{}"):
        assert unused(f"s := {expression}; {loop}", code) == ["4: BenchmarkX"]
    assert unused(f"var s Set; {loop}", code) == ["4: BenchmarkX"]
    for expression in ("&Other{}", "unknown()", "s.(*Set)"):
        assert unused(f"s := {expression}; {loop}", code) == []
    assert unused(f"s := Set{{}}; if b != nil {{ s := Other{{}}; _ = s }}; {loop}", code) == []


@pytest.mark.parametrize(
    ("call", "path", "is_reported"),
    [
        ("math.Abs(-1)", "math", True),
        ("math.Sqrt(2)", "math", True),
        ("bits.Len(8)", "math/bits", True),
        ("strings.HasPrefix(s, p)", "strings", True),
        ("math.Sin(2)", "math", False),
        ("strings.Repeat(s, 3)", "strings", False),
        ("math.Abs(-1)", "example.org/other/math", False),
    ],
)
def test_of_the_standard_library_those_are_known_that_vanish(call, path, is_reported):
    body = f"for i := 0; i < b.N; i++ {{ {call} }}"

    assert unused(body, imports=[path]) == ["4: BenchmarkX"] * is_reported


def test_a_random_argument_does_not_hide_that_the_measured_call_is_removed():
    body = "for i := 0; i < b.N; i++ { Small(rand.Intn(9)) }"

    assert unused(body, imports=["math/rand"]) == ["4: BenchmarkX"]


def test_of_several_equal_calls_in_a_loop_the_first_is_told():
    assert unused("for i := 0; i < b.N; i++ {\nSmall(i)\nSmall(i)\n}") == ["5: BenchmarkX"]


def test_a_file_that_is_not_built_declares_nothing():
    excluded_file = left_out("package m\nfunc Small(x int) int { work(); return 1 }\n")

    result = lines(
        "go-unused-result", library(SMALL), excluded_file, bench("for range b.N { Small(1) }")
    )

    assert result == ["4: BenchmarkX"]


def test_a_helper_of_one_benchmark_is_told_by_its_name_and_of_more_by_none():
    helper = "func helper(b *testing.B, n int) {\nfor i := 0; i < b.N; i++ { Small(n) }\n}\n"
    text = HEAD + helper + "func BenchmarkA(b *testing.B) { helper(b, 1) }\n"
    two = text + "func BenchmarkB(b *testing.B) { helper(b, 2) }\n"

    (smell,) = look(library(SMALL), benchmarks(text)).smells
    assert (smell.benchmark, smell.top, smell.span.first_line) == ("BenchmarkA", 3, 4)
    (smell,) = look(library(SMALL), benchmarks(two)).smells
    assert (smell.benchmark, smell.top) == ("", 3)


def test_what_is_a_benchmark_is_decided_as_go_does():
    text = (
        "func Benchmark(b *testing.B) {}\nfunc BenchmarkA(b *testing.B) {}\n"
        "func Benchmark_b(x *testing.B) {}\nfunc Benchmarks(b *testing.B) {}\n"
        "func BenchmarkC(t *testing.T) {}\nfunc BenchmarkD(b *testing.B, n int) {}\n"
        "func (s T) BenchmarkE(b *testing.B) {}\nfunc TestA(t *testing.T) {}\n"
    )

    benchmark_names = look(benchmarks(HEAD + text), library(HEAD + text)).benchmarks

    assert benchmark_names == ("Benchmark", "BenchmarkA", "Benchmark_b")


def test_testing_may_be_imported_by_another_name():
    text = 'package m\nimport tt "testing"\nfunc BenchmarkA(x *tt.B) { for range x.N {Small(1)} }'

    assert lines("go-unused-result", library(SMALL), benchmarks(text)) == ["3: BenchmarkA"]


def test_smells_are_in_the_order_of_files_and_lines():
    text = HEAD + "".join(
        f"func Benchmark{name}(b *testing.B) {{ for range b.N {{ Small(1) }} }}\n" for name in "BA"
    )

    looked = look(benchmarks(text, path="z_test.go"), library(SMALL), benchmarks(text, "a_test.go"))

    assert [(smell.span.file, smell.span.first_line) for smell in looked.smells] == [
        ("a_test.go", 3),
        ("a_test.go", 4),
        ("z_test.go", 3),
        ("z_test.go", 4),
    ]


def test_a_benchmark_file_that_is_broken_is_unread():
    text = HEAD + "func BenchmarkA(b *testing.B) {\nfor i := 0; i < b.N; i++ { Small( }\n}\n"

    assert look(library(SMALL), benchmarks(text)).unread == ("m_test.go",)
    assert look(benchmarks(HEAD + "func BenchmarkA(b *testing.B")).unread == ("m_test.go",)
    assert look(benchmarks(HEAD + "func TestA(t *testing.T")).unread == ()
    assert look(library("package m\nfunc ((("), benchmarks(HEAD)).unread == ()


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff\xfe testing B Benchmark",
        HEAD.encode() + b'func BenchmarkA(b *testing.B) { for range b.N { f("\xff\x00") } }',
        HEAD.encode() + b"func BenchmarkA(b *testing.B",
        HEAD.encode() + b"func BenchmarkA(b *testing.B) { for i := b.N { } ; for { } }",
        HEAD.encode() + b"func (b *testing.B) { for ; b.N ; { } }\nfunc () {}\ntype ()\nvar ()",
        HEAD.encode() + b"type T T\ntype U V\ntype V U\nvar x U\nfunc BenchmarkA(b *testing.B) "
        b"{ for range b.N { x.f(); x[1].g(x); y := y.h(y); y() } }",
    ],
)
def test_hostile_bytes_raise_nothing(text):
    source = benchmarks("")
    object.__setattr__(source, "text", text)

    look(source)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("(", ")"),
        ("Small(", ")"),
        ("x[", "]"),
        ("f.g(1).", "h"),
        ("-", ""),
        ("func() int { return ", "}()"),
        ("&T{", "}"),
        ("int(", ")"),
        ("Small(b.N, ", ")"),
    ],
)
def test_deep_nesting_is_no_danger(opening, closing):
    def read(depth):
        deep = opening * depth + "b.N" + closing * depth
        look(
            library(SMALL + f"func Deep() int {{ return {deep} }}\nvar deep = {deep}\n"),
            bench(f"x := {deep}\nfor i := 0; i < b.N; i++ {{\nSmall({deep})\nDeep()\nx.f()\n}}"),
        )

    # A way whose time is that of the square would take 25 times as long.
    assert growth(read, 300, 1500) < 15


@pytest.mark.parametrize(
    "statement",
    [
        "for range b.N { Small(1) }",
        "b.StopTimer(); Small(1); b.StartTimer()",
        "for i := 0; i < b.N; i++ { keys = append(keys, fmt.Sprintf(x, i)); Small(keys) }",
        "v = Small(1)",
        "b.Run(x, func(b *testing.B) { for range b.N { all = append(all, 1) } })",
        "F(b.N)",
    ],
)
@pytest.mark.parametrize("head", ["{", "for range b.N {"])
def test_a_long_benchmark_is_no_danger(statement, head):
    def read(length):
        loops = "for i := 0; i < m; i++ { g(i) }\n" * length
        code = f"func F(n int) int {{\n{loops}return 1 }}\n"
        body = f"var v int; var all []int\n{head}\n" + f"{statement}\n" * length + "}"
        look(library(SMALL + code), bench(body, imports=["fmt"]))

    assert growth(read, 100, 500) < 15
