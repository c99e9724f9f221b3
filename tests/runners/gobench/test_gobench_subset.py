"""The calls that run a choice of benchmarks, given to the real go command."""

import re
import subprocess

import pytest

from runners.gobench.subset import build_subset_commands

MODULE = {
    "go.mod": "module example.org/some\n\ngo 1.20\n",
    "a_test.go": """package some

import "testing"

func BenchmarkPush(b *testing.B)     {}
func BenchmarkPushMore(b *testing.B) {}
func BenchmarkIn(b *testing.B) {
	for _, name := range []string{"a", "a/b", "a/b/c", "ab", "x|y", "(x)+.*", "n=1", "é ü", "[z]"} {
		b.Run(name, func(b *testing.B) {})
	}
}
func BenchmarkOut(b *testing.B) {
	b.Run("a", func(b *testing.B) {})
	b.Run("other.BenchmarkPush", func(b *testing.B) {})
}
""",
    "other/a_test.go": """package other

import "testing"

func BenchmarkPush(b *testing.B)     {}
func BenchmarkPushMore(b *testing.B) {}
""",
}
NAMES = [
    "BenchmarkPush", "BenchmarkPushMore", "BenchmarkIn/a", "BenchmarkIn/a/b", "BenchmarkIn/a/b/c",
    "BenchmarkIn/ab", "BenchmarkIn/x|y", "BenchmarkIn/(x)+.*", "BenchmarkIn/n=1",
    "BenchmarkIn/é_ü", "BenchmarkIn/[z]", "BenchmarkOut/a", "BenchmarkOut/other.BenchmarkPush",
]  # fmt: skip
ALL_IDS = [
    *(f"example.org/some.{name}" for name in NAMES),
    *(f"example.org/some/other.{text}" for text in NAMES[:2]),
]


def ran(folder, words):
    """Return the ids of what a call runs."""
    completed = subprocess.run(
        [*words, "-benchtime=1x", "-cpu=1"], cwd=folder, capture_output=True, text=True, check=True
    )
    package, ids = "", []
    for line in completed.stdout.splitlines():
        if line.startswith("pkg: "):
            package = line.removeprefix("pkg: ")
        if match := re.match(r"(Benchmark\S+)\s+1\s", line):
            ids.append(f"{package}.{match[1]}")
    return ids


def test_the_calls_run_just_what_was_chosen(tmp_path):
    for name, text in MODULE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    choices = [
        ALL_IDS,
        ["example.org/some.BenchmarkPush", "example.org/some/other.BenchmarkPushMore"],
        ["example.org/some.BenchmarkIn/a", "example.org/some.BenchmarkIn/a/b/c"],
        ["example.org/some.BenchmarkIn/a", "example.org/some.BenchmarkOut/other.BenchmarkPush"],
        [benchmark_id for benchmark_id in ALL_IDS if not benchmark_id[-1].isalpha()],
    ]

    for choice in choices:
        ids_run = [
            benchmark_id
            for call in build_subset_commands(choice, ALL_IDS)
            for benchmark_id in ran(tmp_path, call.words)
        ]
        assert sorted(ids_run) == sorted(choice)


@pytest.mark.parametrize(
    "benchmark",
    [
        "pkg/a_test.go/BenchmarkX",
        "pkg/a_test.go.BenchmarkX",
        "example.org/a.X",
        "example.org/a.Benchmarked",
        "",
    ],
)
def test_ids_that_no_go_benchmark_has_have_no_call(benchmark):
    (subset,) = build_subset_commands([benchmark, "example.org/a.BenchmarkA"], [])

    assert subset.words == ("go", "test", "-run=^$", "-bench=^BenchmarkA$", "example.org/a")
    assert subset.problem.startswith(f"no go command runs {benchmark}:")
    assert build_subset_commands([benchmark], []) == ()


@pytest.mark.parametrize(
    ("benchmark", "package"),
    [
        ("BenchmarkX/n=1", ""),
        ("a.Benchmark_x", "a"),
        ("github.com/nats.go.BenchmarkÄ", "github.com/nats.go"),
    ],
)
def test_ids_of_go_benchmarks_have_a_call(benchmark, package):
    (subset,) = build_subset_commands([benchmark], [])

    assert subset.package == package


def test_each_package_has_a_call_of_its_own():
    chosen_ids = [
        "example.org/b.v2.BenchmarkB",
        "example.org/a.BenchmarkA/x",
        "example.org/a.BenchmarkB",
    ]

    subsets = build_subset_commands(chosen_ids, chosen_ids)

    assert [(subset.package, subset.pattern, subset.skip) for subset in subsets] == [
        ("example.org/a", "^BenchmarkA$/^x$|^BenchmarkB$", ""),
        ("example.org/b.v2", "^BenchmarkB$", ""),
    ]
    assert subsets[1].shell_command == "go test '-run=^$' '-bench=^BenchmarkB$' example.org/b.v2"
