"""Beginnings of benchmarks in Go: in the module's idiom, none twice, and they compile."""

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


def written(*sources, version=None):
    methods = GoMutator().find_methods(sources)
    samples = {method.id: (("1", "2"),) for method in methods if method.name == "Add"}
    (file,) = write_stubs(methods, samples, sources, lambda _: version)
    return file


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
    text = written(library(LIBRARY), benchmarks(COMMENT), version=version).text

    loops = [line.strip() for line in text.splitlines() if line.startswith("\tfor ")]
    assert set(loops) == {loop}
    assert "ReportAllocs" not in text


@pytest.mark.parametrize("name", ["RingPush", "Ring_Push", "_Ring_Push"])
def test_no_benchmark_that_is_there_is_begun_again(name):
    there = COMMENT.replace("BenchmarkNew", f"Benchmark{name}")

    file = written(library(LIBRARY), benchmarks(there))

    assert "Push" not in file.text
    assert "func BenchmarkNew(" in file.text
    assert "func BenchmarkRingPop(" in file.text


@pytest.mark.subject
def test_what_is_begun_compiles_and_what_would_not_is_not_begun(tmp_path):
    file = written(library(LIBRARY))
    (tmp_path / "go.mod").write_text("module example.org/m\n\ngo 1.20\n")
    (tmp_path / "m.go").write_text(LIBRARY)
    for folder, package in (("go-bar", "bar"), ("odd", "other")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.go").write_text(f"package {package}\n\ntype Kind int\n")
    (tmp_path / file.path).write_text(file.text)

    answer = subprocess.run(
        ("go", "vet", "."), cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert answer.returncode == 0, answer
    lacking = dict(file.incomplete)
    assert "which import its types need is unclear" in lacking["example.org/m.Odd"]
    assert "generic" in lacking["example.org/m.Map"]
    assert file.ready == ("example.org/m.Add",)


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
