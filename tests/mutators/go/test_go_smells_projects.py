"""Whole Go projects as they lie in folders: what imports mean, and idioms of real suites."""

import cProfile
import pstats

import pytest

from auditor.core.request import FolderSpec
from mutators.go.lint_rules import GoLinter
from runners.home import HomeFolder
from runners.hosts.local import LocalHost
from runners.subjects.sources import read_subject_sources

MODULE = "module example.com/proj\n\ngo 1.22\n"
SMALL = "package calc\n\nfunc Parity(x uint64) uint64 { return x & 1 }\n"
USE = "for i := 0; i < b.N; i++ { calc.Parity(uint64(i)) }"
PREPARE = "for i := 0; i < b.N; i++ { data, _ := os.ReadFile(name); json.Valid(data) }"


def looked(folder, files):
    """Write a project and look at it as the command does."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    linter = GoLinter()
    result = read_subject_sources(
        FolderSpec(folder),
        linter.file_suffixes,
        home=HomeFolder(folder / "home"),
        host=LocalHost(),
        environment=(),
    )
    return linter.find_smells(result.files)


def bench(body, package="m", imports=(), name="BenchmarkX", more=""):
    import_lines = " ".join(f'"{path}";' for path in ("testing", *imports))
    head = f"package {package}\nimport ({import_lines})\n{more}\n"
    return f"{head}func {name}(b *testing.B) {{\n{body}\n}}\n"


def rules(folder, files):
    return [(smell.rule, smell.calls) for smell in looked(folder, files).smells]


UNUSED = ("go-unused-result", ("calc.Parity",))


@pytest.mark.parametrize(
    ("test_path", "module", "imported", "expected"),
    [
        ("calc/calc_test.go", MODULE, "example.com/proj/calc", [UNUSED]),
        ("other/other_test.go", MODULE, "example.com/proj/calc", [UNUSED]),
        ("other/other_test.go", MODULE, "example.com/another/calc", []),
        ("other/other_test.go", MODULE, "calc", []),
        ("other/other_test.go", None, "example.com/proj/calc", []),
        (
            "other/other_test.go",
            'module (\n\t"example.com/proj/v2"\n)\n',
            "example.com/proj/v2/calc",
            [UNUSED],
        ),
    ],
)
def test_a_package_is_the_projects_where_its_module_says_so(
    tmp_path, test_path, module, imported, expected
):
    package = "calc_test" if test_path.startswith("calc") else "other"
    files = {"calc/calc.go": SMALL, test_path: bench(USE, package, [imported])}
    files |= {"go.mod": module} if module else {}

    assert rules(tmp_path, files) == expected


def test_a_module_below_another_has_paths_of_its_own(tmp_path):
    files = {
        "go.mod": MODULE,
        "deep/go.mod": "module example.com/deep // not proj/deep\n",
        "deep/calc/calc.go": SMALL,
        "a/a_test.go": bench(USE, "a", ["example.com/deep/calc"]),
        "b/b_test.go": bench(USE, "b", ["example.com/proj/deep/calc"]),
    }

    assert [smell.span.file for smell in looked(tmp_path, files).smells] == ["a/a_test.go"]


def test_a_folder_that_is_called_like_a_package_of_the_standard_library_is_not_it(tmp_path):
    files = {
        "go.mod": MODULE,
        "errors/errors.go": "package errors\n\nfunc Is(a, b error) bool { return a == b }\n",
        "api/api_test.go": bench(
            "for i := 0; i < b.N; i++ { errors.Is(e, e) }", "api", ["errors"], more="var e error"
        ),
    }

    assert rules(tmp_path, files) == []


def test_a_method_is_named_with_its_type_and_what_others_declare_is_not_named(tmp_path):
    text = (
        "package m\n\ntype Set struct{ n int }\n\nfunc (s *Set) Len() int { return s.n }\n"
        'import "math"\n'
    )
    loop = "s := &Set{}\nfor i := 0; i < b.N; i++ { %s }"
    files = {"m.go": text, "a_test.go": bench(loop % "s.Len()")}
    files["b_test.go"] = bench(loop % "math.Abs(2)", imports=["math"], name="BenchmarkY")

    assert rules(tmp_path, files) == [
        ("go-unused-result", ("Set.Len",)),
        ("go-unused-result", ()),
    ]


def test_operations_that_run_at_once_are_told(tmp_path):
    body = "b.RunParallel(func(pb *testing.PB) { for pb.Next() { Parity(1) } })"
    files = {"calc.go": SMALL, "calc_test.go": bench(body, "calc")}

    (smell,) = looked(tmp_path, files).smells

    assert (smell.rule, smell.overlapping) == ("go-unused-result", True)


FILL = "func fill(n int) { for i := 0; i < n; i++ { use(i) } }\n"


@pytest.mark.parametrize(
    ("helper", "call", "expected"),
    [
        ("", "fill(1_000_000)", True),
        ("func setup(b *testing.B, n int) { fill(n); b.ResetTimer() }", "setup(b, 1000000)", False),
        ("func reset(b *testing.B) { b.ResetTimer() }", "fill(1_000_000); reset(b)", False),
        ("func start(b *testing.B) { b.Log(1) }", "fill(1_000_000); start(b)", True),
        ("func start(b *testing.B) { later(b) }", "fill(1_000_000); start(b)", False),
        ("", "fill(1_000_000); elsewhere.Start(b)", False),
    ],
)
def test_a_helper_that_gets_the_timer_may_reset_it(tmp_path, helper, call, expected):
    body = f"{call}\nfor i := 0; i < b.N; i++ {{ use(i) }}"
    files = {"m.go": f"package m\n{FILL}", "m_test.go": bench(body, more=helper)}

    assert ("go-missing-reset" in [rule for rule, _ in rules(tmp_path, files)]) is expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("b.ResetTimer()", 1),
        ("b.ResetTimer(); defer b.StopTimer()", 1),
        ("b.ResetTimer(); defer func() { b.StopTimer() }()", 1),
        ("b.Cleanup(func() { b.StopTimer() })", 1),
        ("b.StopTimer()", 0),
    ],
)
def test_a_timer_that_is_stopped_in_the_end_counts_before_that(tmp_path, before, expected):
    body = f"{before}\nfor i := 0; i < b.N; i++ {{ Parity(1) }}"
    files = {"calc.go": SMALL, "calc_test.go": bench(body, "calc")}

    assert len(rules(tmp_path, files)) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Compression", True),
        ("Version", True),
        ("Validation", True),
        ("Offset", True),
        ("Redirect", True),
        ("JSONFunction", True),
        ("ReadFile", False),
        ("Reader", False),
        ("IO", False),
        ("CopyIO", False),
        ("Loading", False),
    ],
)
def test_what_a_benchmark_is_about_is_a_word_of_its_name(tmp_path, name, expected):
    text = bench(PREPARE, imports=["os", "encoding/json"], name=f"Benchmark{name}")

    assert len(rules(tmp_path, {"m_test.go": text})) == expected


def test_what_seldom_happens_prepares_nothing(tmp_path):
    body = 'for i := 0; i < b.N; i++ { if sq(i) < 0 { check(i, fmt.Sprintf("bad %d", i)) }; sq(i) }'

    result = rules(tmp_path, {"m_test.go": bench(body, imports=["fmt"])})
    assert "go-setup-in-loop" not in [rule for rule, _ in result]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", False),
        ('b.Fatal("not supported")', False),
        ('b.Error("no")', False),
        ("if err := use(1); err != nil { b.Fatal(err) }", True),
        ("use(1)", True),
    ],
)
def test_a_benchmark_that_measures_nothing_on_purpose_repeats_nothing(tmp_path, body, expected):
    assert len(rules(tmp_path, {"m_test.go": bench(body)})) == expected


def test_many_imports_and_calls_take_no_longer_than_their_number(tmp_path):
    """Counted, not timed: each import is read once, however many calls ask for one."""

    def steps(size):
        imports = [f"example.com/other/p{n}" for n in range(size)]
        calls = "\n".join(f"p{n}.Do()" for n in range(size))
        body = f"for i := 0; i < b.N; i++ {{\n{calls}\n}}"
        files = {"go.mod": MODULE, "m_test.go": bench(body, imports=imports)}
        profile = cProfile.Profile()
        profile.runcall(looked, tmp_path, files)
        return pstats.Stats(profile).total_calls

    assert steps(400) < 8 * steps(100)


@pytest.mark.parametrize(
    ("test_path", "expected"),
    [
        ("deep/x_test.go", 1),
        ("testdatas/x_test.go", 1),
        ("testdata/x_test.go", 0),
        ("deep/testdata/more/x_test.go", 0),
        ("_old/x_test.go", 0),
        ("deep/_x_test.go", 0),
    ],
)
def test_what_the_go_tool_never_builds_has_no_benchmarks(test_path, expected, tmp_path):
    files = {"go.mod": MODULE, test_path: bench("sum(9)", more="func sum(int) {}")}

    assert len(looked(tmp_path, files).smells) == expected
