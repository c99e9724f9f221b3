"""The work of lint grows in step with what hostile sources hold."""

import cProfile
import pstats

import pytest

from auditor.core.subject import SourceFile, SourceRole
from auditor.linting import LINTERS

GO = 'package m\nimport ("testing"; "bytes")\nfunc BenchmarkX(b *testing.B) {\n'
N = "for i := 0; i < b.N; i++ {\n"
JAVA = """import org.openjdk.jmh.annotations.*; import java.util.*;
@State(Scope.Thread) public class B {
"""


def go_loops(n):
    return f"{GO}{N}" + "for j := 0; j < 100; j++ { f(x) }\n" * n + "}\n}\n"


def go_buffers(n):
    made = "".join(f"var b{k} bytes.Buffer\n" for k in range(n))
    return f"{GO}{made}{N}" + "".join(f"b{k}.Write(x)\n" for k in range(n)) + "}\n}\n"


def go_appends(n):
    made = "".join(f"var a{k} []int\n" for k in range(n))
    used = "".join(f"a{k} = append(a{k}, 1); f(a{k})\n" for k in range(n))
    return f"{GO}{made}{N}{used}}}\n}}\n"


def go_runs(n):
    return GO + 'b.Run("x", func(b *testing.B) { f() })\n' * n + "}\n"


def java_lists(n):
    made = "".join(f"List<Object> l{k} = new ArrayList<>();\n" for k in range(n))
    used = "".join(f"l{k}.add(1);\n" for k in range(n))
    return f"{JAVA}{made}@Benchmark public void x() {{\n{used}}}}}\n"


def java_results(n):
    used = "".join(f"foo.getA(a{k}.getB()); Object o{k} = foo.toX(y);\n" for k in range(n))
    return f"{JAVA}@Benchmark public void x() {{\n{used}}}}}\n"


def java_finals(n):
    made = "".join(f"final int f{k} = {k};\n" for k in range(n))
    used = "".join(f"foo(f{k}, a);\n" for k in range(n))
    return f"{JAVA}{made}@Benchmark public void x() {{\n{used}}} void foo(int a, int b) {{}}}}\n"


def python_appends(n):
    made = "".join(f"L{k} = []\n" for k in range(n))
    used = "".join(f"        L{k}.append(1); g(L{k})\n" for k in range(n))
    return f"{made}def test_a(benchmark):\n    def f():\n{used}    benchmark(f)\n"


def python_methods(n):
    used = "".join(f"    def time_a{k}(self):\n        f()\n" for k in range(n))
    return f"class A:\n    params = [1]\n    rounds = 1\n{used}"


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
        looked = profile.runcall(LINTERS[language].look, [source])
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

    assert len(LINTERS[language].look([source]).benchmarks) == 1
