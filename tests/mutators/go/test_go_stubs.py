"""Beginnings of benchmarks in Go: in the module's idiom, none twice, and they compile."""

import os
import subprocess

import pytest
from go_making import benchmarks, library

from mutators.go import GoMutator
from mutators.go.stubs import write_stubs
from runners.gobench.toolchain import language_version

COMMENT = """package m

import "testing"

// In newer versions one writes for b.Loop() and calls b.ReportAllocs().
func BenchmarkNew(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}
"""
LIBRARY = """package m

import (
	"example.org/m/go-bar"
	"example.org/m/odd"
)

type Ring struct{}

func (r *Ring) Push(x int) (bar.Kind, error) { return bar.Kind(x), nil }
func (r *Ring) Pop() int { return 1 }
func New(kind bar.Kind) *Ring { return nil }
func Add(x, y int) int { return x + y }
func Odd() other.Kind { return 1 }
func Map[T any](x T) T { return x }
"""


HIDING = {
    "m.go": """package m

import (
	"net/url"
	"text/template"
	"time"
)

type node struct{ next *node }
type Tree struct{ root *node }

const Size = 3

func (t *Tree) Insert(node *node, parent *node) bool { return t.root == parent }
func Join(url string, base *url.URL) int { return len(base.Path) }
func At(time time.Time, zone *time.Location) int { return time.Day() }
func Keep(Size [Size]int, other [Size]int) int { return other[1] }
func Two(argument1 int, _ string) int { return argument1 }
func Each(f func(i int, b string) error) error { return f(1, "") }
func count(count int) int { return count }
func Rand() (x, y int) { return }
func Render(t *template.Template) error { return t.Execute(nil, nil) }
""",
    "html.go": """package m

import "html/template"

func RenderHTML(t *template.Template) error { return t.Execute(nil, nil) }
""",
    "poll_linux.go": "package m\n\nfunc Poll(n int) int { return n }\n",
    "pure.go": "// A header.\n\n//go:build !purego\n\npackage m\n\n"
    "func Pure(n int) int { return n }\n",
    "native.go": """package m

// int twice(int n) { return 2 * n; }
import "C"

func Twice(n C.int) C.int { return C.twice(n) }
func Native(n int) int { return int(C.twice(C.int(n))) }
""",
    "m_test.go": """package m

import "testing"

var (
	sinkRand, sinkAt int
)

const sinkJoin = 1

func TestAll(t *testing.T) {}
""",
}


def write_all(*sources):
    """Return the files for all methods, by their paths."""
    stubs = write_stubs(GoMutator().find_methods(sources), {}, sources)
    return {stub.path: stub for stub in stubs}


def write_stub_file(*sources, version=None):
    methods = GoMutator().find_methods(sources)
    samples = {method.id: (("1", "2"),) for method in methods if method.name == "Add"}
    (file,) = write_stubs(methods, samples, sources, lambda _: version)
    return file


def vet(folder, **environment):
    answer = subprocess.run(
        ("go", "vet", "."),
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer


@pytest.mark.parametrize(
    ("version", "loop"),
    [
        (None, "for i := 0; i < b.N; i++ {"),
        ((1, 23), "for i := 0; i < b.N; i++ {"),
        ((1, 24), "for b.Loop() {"),
        ((2, 0), "for b.Loop() {"),
    ],
)
def test_the_loop_is_that_of_the_modules_version_whatever_comments_say(version, loop):
    text = write_stub_file(library(LIBRARY), benchmarks(COMMENT), version=version).text

    loops = [line.strip() for line in text.splitlines() if line.startswith("\tfor ")]
    assert set(loops) == {loop}
    assert "ReportAllocs" not in text


@pytest.mark.parametrize("name", ["RingPush", "Ring_Push", "_Ring_Push"])
def test_no_benchmark_that_is_there_is_begun_again(name):
    existing_benchmark = COMMENT.replace("BenchmarkNew", f"Benchmark{name}")

    file = write_stub_file(library(LIBRARY), benchmarks(existing_benchmark))

    assert "Push" not in file.text
    assert "func BenchmarkNew(" in file.text
    assert "func BenchmarkRingPop(" in file.text


@pytest.mark.subject
def test_what_is_begun_compiles_and_what_would_not_is_not_begun(tmp_path):
    file = write_stub_file(library(LIBRARY))
    (tmp_path / "go.mod").write_text("module example.org/m\n\ngo 1.20\n")
    (tmp_path / "m.go").write_text(LIBRARY)
    for folder, package in (("go-bar", "bar"), ("odd", "other")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.go").write_text(f"package {package}\n\ntype Kind int\n")
    (tmp_path / file.path).write_text(file.text)

    vet(tmp_path)
    lacking = dict(file.incomplete)
    assert "which import its types need is unclear" in lacking["example.org/m.Odd"]
    assert "generic" in lacking["example.org/m.Map"]
    assert file.ready == ("example.org/m.Add",)


def test_no_variable_hides_a_type_a_package_or_what_is_called():
    file = write_all(library(HIDING["m.go"]))["unwatched_bench_test.go"]

    assert "var argument0 *node\n\tvar parent *node\n" in file.text
    assert "var argument0 string\n\tvar base *url.URL\n" in file.text
    assert "var argument0 time.Time\n\tvar zone *time.Location\n" in file.text
    assert "= count(argument0)\n" in file.text
    assert "= Two(argument1, argument12)\n" in file.text


@pytest.mark.parametrize(
    ("declared", "name"),
    [
        ("type b int\n\nfunc F(x b) {}", "b"),
        ("func i(x int) {}", "i"),
        ("type b struct{}\n\nfunc (x b) Do() {}", "b"),
    ],
)
def test_what_a_benchmark_would_hide_has_none_and_a_reason(declared, name):
    (stub,) = write_all(library(f"package m\n\n{declared}\n")).values()

    assert stub.text == ""
    assert stub.incomplete[0][1] == f"a benchmark hides what is called {name}"


def test_benchmarks_are_built_where_what_they_call_is():
    sources = [library(text, path) for path, text in HIDING.items() if "_test" not in path]
    files = write_all(*sources)
    texts = {name: file.text for file in files.values() for name, _ in file.incomplete}
    paths = {name: path for path, file in files.items() for name, _ in file.incomplete}

    assert paths["example.org/m.Poll"].endswith("_linux_test.go")
    assert texts["example.org/m.Pure"].startswith("//go:build !purego\n\npackage m\n")
    assert texts["example.org/m.Native"].startswith("//go:build cgo\n\npackage m\n")
    assert texts["example.org/m.Render"].startswith("package m\n")
    assert '"html/template"' not in texts["example.org/m.Render"]
    assert '"text/template"' not in texts["example.org/m.RenderHTML"]
    lacking = dict(pair for file in files.values() for pair in file.incomplete)
    assert "Go forbids types of C in tests" in lacking["example.org/m.Twice"]


def test_names_of_grouped_declarations_are_taken():
    file = write_all(library(HIDING["m.go"]), benchmarks(HIDING["m_test.go"]))[
        "unwatched_bench_test.go"
    ]

    assert "sinkRand2, sinkRand3 = Rand()" in file.text
    assert "sinkAt2 = At(" in file.text
    assert "sinkJoin2 = Join(" in file.text


def test_a_benchmark_of_a_bare_name_is_that_of_the_type_that_it_names():
    text = "package m\n\n" + "".join(
        f"type {owner} struct{{}}\n\nfunc ({owner}) String() string {{ return id() }}\n\n"
        for owner in ("Str", "Other")
    )
    existing = COMMENT.replace("BenchmarkNew", "BenchmarkString").replace(
        "\tfor", "\tvar s Str\n\tfor"
    )

    file = write_all(library(text), benchmarks(existing))["unwatched_bench_test.go"]

    assert [name for name, _ in file.incomplete] == ["example.org/m.Other.String"]


@pytest.mark.subject
@pytest.mark.parametrize("environment", [{}, {"CGO_ENABLED": "0"}, {"GOOS": "darwin"}])
def test_all_that_is_begun_compiles_where_the_library_does(tmp_path, environment):
    (tmp_path / "go.mod").write_text("module example.org/m\n\ngo 1.20\n")
    for path, text in HIDING.items():
        (tmp_path / path).write_text(text)
    sources = [
        (benchmarks if path.endswith("_test.go") else library)(text, path)
        for path, text in HIDING.items()
    ]
    for path, stub in write_all(*sources).items():
        (tmp_path / path).write_text(stub.text)

    vet(tmp_path, **environment)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("module m\n\ngo 1.24\n", (1, 24)),
        ("module m\n\ngo 1.21.3 // why\n", (1, 21)),
        ("module m\n// go 1.24\n", None),
        ("\x00", None),
    ],
)
def test_the_version_is_that_of_the_module_around_a_folder(tmp_path, text, version):
    (tmp_path / "inner" / "deep").mkdir(parents=True)
    (tmp_path / "go.mod").write_text("module outer\n\ngo 1.10\n")
    (tmp_path / "inner" / "go.mod").write_text(text)

    assert language_version(tmp_path, "inner/deep") == version
    assert language_version(tmp_path, "") == (1, 10)
    assert language_version(tmp_path / "inner" / "deep", "") is None
