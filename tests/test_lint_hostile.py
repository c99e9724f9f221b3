"""The work of lint grows in step with what hostile sources hold."""

import cProfile
import pstats

import pytest

from auditor.core.subject import SourceFile, SourceRole
from auditor.lint.assemble import LINTERS

GO = 'package m\nimport ("testing"; "bytes")\nfunc BenchmarkX(b *testing.B) {\n'
N = "for i := 0; i < b.N; i++ {\n"
JAVA = """import org.openjdk.jmh.annotations.*; import java.util.*;
@State(Scope.Thread) public class B {
"""


def numbered(text, n):
    """Return n copies of a text with their numbers in place of #."""
    return "".join(text.replace("#", str(number)) for number in range(n))


def go_loops(n):
    return f"{GO}{N}" + "for j := 0; j < 100; j++ { f(x) }\n" * n + "}\n}\n"


def go_buffers(n):
    declared, used = numbered("var b# bytes.Buffer\n", n), numbered("b#.Write(x)\n", n)
    return f"{GO}{declared}{N}{used}}}\n}}\n"


def go_appends(n):
    declared, used = numbered("var a# []int\n", n), numbered("a# = append(a#, 1); f(a#)\n", n)
    return f"{GO}{declared}{N}{used}}}\n}}\n"


def go_runs(n):
    return GO + 'b.Run("x", func(b *testing.B) { f() })\n' * n + "}\n"


def java(fields, statements, rest=""):
    return f"{JAVA}{fields}@Benchmark public void x() {{\n{statements}}}{rest}}}\n"


def java_lists(n):
    return java(numbered("List<Object> l# = new ArrayList<>();\n", n), numbered("l#.add(1);\n", n))


def java_results(n):
    return java("", numbered("foo.getA(a#.getB()); Object o# = foo.toX(y);\n", n))


def java_finals(n):
    fields = numbered("final int f# = #;\n", n)
    return java(fields, numbered("foo(f#, a);\n", n), " void foo(int a, int b) {}")


def python_appends(n):
    declared = numbered("L# = []\n", n)
    used = numbered("        L#.append(1); g(L#)\n", n)
    return f"{declared}def test_a(benchmark):\n    def f():\n{used}    benchmark(f)\n"


def python_methods(n):
    methods = numbered("    def time_a#(self):\n        f()\n", n)
    return f"class A:\n    params = [1]\n    rounds = 1\n{methods}"


@pytest.mark.parametrize(
    ("language", "path", "text"),
    [
        ("go", "a_test.go", go_loops),
        ("go", "a_test.go", go_buffers),
        ("go", "a_test.go", go_appends),
        ("go", "a_test.go", go_runs),
        ("jmh", "B.java", java_lists),
        ("jmh", "B.java", java_results),
        ("jmh", "B.java", java_finals),
        ("py", "test_a.py", python_appends),
        ("py", "benchmarks/a.py", python_methods),
    ],
)
def test_four_times_as_much_source_is_about_four_times_the_work(language, path, text):
    def steps(n):
        source = SourceFile(path=path, unit="", role=SourceRole.BENCHMARKS, text=text(n).encode())
        profile = cProfile.Profile()
        looked = profile.runcall(LINTERS[language].find_smells, [source])
        assert looked.smells
        return pstats.Stats(profile).total_calls

    assert steps(400) < 6 * steps(100)


@pytest.mark.parametrize(
    ("language", "path", "text"),
    [
        ("go", "a_test.go", f"{GO}{N}" + "for j := 0; j < 9; j++ {\n" * 3000 + "}" * 3000 + "}}\n"),
        ("go", "a_test.go", f"{GO}{N}sink = f(" + "(" * 3000 + "1" + ")" * 3000 + ")\n}}\n"),
        ("jmh", "B.java", JAVA + "@Benchmark public void x() { f" + ".getA()" * 3000 + ";}}\n"),
        (
            "jmh",
            "B.java",
            JAVA
            + "@Benchmark public void x() { "
            + "for (int i = 0; i < 9; i++) {" * 3000
            + "}" * 3002,
        ),
    ],
)
def test_deep_nesting_ends_nothing(language, path, text):
    source = SourceFile(path=path, unit="", role=SourceRole.BENCHMARKS, text=text.encode())

    assert len(LINTERS[language].find_smells([source]).benchmarks) == 1
