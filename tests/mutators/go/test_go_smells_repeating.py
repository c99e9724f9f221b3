"""Inner loops, constant inputs, growing state and sub-benchmarks without b.N in Go."""

import pytest
from go_making import benchmarks, library

from mutators.go.lint_rules import GoLinter

CODE = """package m
const Size = 8
func Small(x int) int { return x*x + 1 }
func Both(x, y int) int { return x + y }
func Long(x int) int { for x > 0 { x-- }; return x }
func Use(x any) { kept = x }
var kept any
var input = 3
"""


def smells(rule, body, name="BenchmarkX", imports=()):
    import_lines = " ".join(f'"{path}";' for path in ("testing", *imports))
    text = f"package m\nimport ({import_lines})\nfunc {name}(b *testing.B) {{\n{body}\n}}\n"
    looked = GoLinter().find_smells([library(CODE), benchmarks(text)])
    return [smell for smell in looked.smells if smell.rule == rule]


LOOP = "for b.Loop() { for j := 0; j < 100; j++ { BODY } }"


@pytest.mark.parametrize(
    ("body", "name", "expected"),
    [
        ("Use(Long(3))", "BenchmarkX", 1),
        ("if Long(3) > 3 { b.Fatal() }", "BenchmarkX", 1),
        ("x := Long(3); Use(x)", "BenchmarkX", 1),
        ("Use(j)", "BenchmarkX", 0),
        ("input = Long(input)", "BenchmarkX", 0),
        ("if Long(3) > 3 { break }", "BenchmarkX", 0),
        ("r.Next()", "BenchmarkX", 0),
        ("Use(rand.Int())", "BenchmarkX", 0),
        ("input++; Use(input)", "BenchmarkX", 0),
        ("input += 1", "BenchmarkX", 0),
        ("Use(Long(3))", "BenchmarkUse100", 0),
        ("Use(Long(3))", "BenchmarkBulk", 0),
    ],
)
def test_inner_loops(body, name, expected):
    findings = smells("go-inner-loop", LOOP.replace("BODY", body), name, imports=["math/rand"])

    assert len(findings) == expected


@pytest.mark.parametrize(
    "body",
    [
        f'b.ReportMetric(1, "x"); {LOOP}',
        LOOP.replace("100", "1"),
        LOOP.replace("100", "input"),
        f'b.Run("100", func(b *testing.B) {{ {LOOP} }})',
        LOOP.replace("for b.Loop()", "b.StopTimer(); for i := 0; i < b.N; i++"),
    ],
)
def test_inner_loops_that_are_meant(body):
    assert smells("go-inner-loop", body.replace("BODY", "Use(Long(3))")) == []


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("Small(42)", 1),
        ("Both(1, Size)", 1),
        ("Small(-(2 + 3))", 1),
        ("Both(1, input)", 0),
        ("Small(i)", 0),
        ("Long(42)", 0),
        ("Small(Small(2))", 1),
        ("Small(2) + Both(1, 2)", 0),
    ],
)
def test_calls_with_constants_only(call, expected):
    body = f"for i := 0; i < b.N; i++ {{ kept = {call} }}"

    assert len(smells("go-constant-inputs", body)) == expected
    assert smells("go-constant-inputs", body.replace("i := 0; i < b.N; i++", "b.Loop()")) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("var a []int; for i := 0; i < b.N; i++ { a = append(a, i); Use(a) }", [None]),
        ("m := map[int]int{}; for i := 0; i < b.N; i++ { m[i] = i; Use(m) }", [None]),
        ("var a []int; for i := 0; i < b.N; i++ { a = append(a, i); _ = len(a) }", []),
        ("var a []int; for i := 0; i < b.N; i++ { a = append(a, i); Use(a); a = nil }", []),
        ("var w bytes.Buffer; for b.Loop() { w.WriteString(s) }", ["possible"]),
        ("w := new(bytes.Buffer); for b.Loop() { w.Write(s) }", ["possible"]),
        ("var w strings.Builder; for b.Loop() { w.WriteString(s); w.Reset() }", []),
        ("var w bytes.Buffer; for b.Loop() { w.WriteString(s); io.Copy(d, &w) }", []),
        ("w := open(); for b.Loop() { w.Write(s) }", []),
        ("for b.Loop() { var w bytes.Buffer; w.WriteString(s) }", []),
    ],
)
def test_what_grows_beside_the_loop(body, expected):
    assert [smell.sure for smell in smells("go-leaking-state", body, imports=["bytes"])] == expected


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("Long(3)", 1),
        ("b.ReportAllocs(); Long(3)", 1),
        ("for b.Loop() { Long(3) }", 0),
        ("for range b.N { Long(3) }", 0),
        ("help(b)", 0),
        ('b.Skip("x"); Long(3)', 0),
        ("", 0),
    ],
)
def test_sub_benchmarks_that_never_repeat(inner, expected):
    body = f'b.Run("x", func(b *testing.B) {{ {inner} }})'

    assert len(smells("go-no-bn", body)) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x := 12; LOOP", 1),
        ("x, y := 12, 3; use(y); LOOP", 0),
        ("x := 12; use(&x); LOOP", 0),
        ("x := 12; use(&(x)); LOOP", 0),
        ("x := 12; for range b.N { input = Small(x); x++ }", 0),
        ("x := 12; x = input; LOOP", 0),
        ('x := 12; b.Run("a", func(b *testing.B) { LOOP })', 0),
        ('b.Run("a", func(b *testing.B) { x := 12; LOOP })', 1),
    ],
)
def test_a_local_that_is_a_literal_for_ever_is_a_constant_input(body, expected):
    loop = "for range b.N { input = Small(x) }"

    assert len(smells("go-constant-inputs", body.replace("LOOP", loop))) == expected
